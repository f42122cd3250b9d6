//! Communicators: who is in them, and how new ones are made.

use std::sync::Arc;

use mpirage_call::{CommRequest, ContextId, SELF, WORLD};
use mpirage_data::Group;

use crate::diagnosis::Origin;

/// What a rank wants of a communicator that is being made.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wish {
    Dup,
    /// Split by colour; none leaves the rank out.
    Split {
        color: Option<i64>,
        key: i32,
    },
    /// These ranks of the parent.
    Members(Vec<u32>),
}

/// A communicator that a rank gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    pub context: Option<ContextId>,
    /// Ranks of the world; empty if the same as the parent's.
    pub members: Arc<Vec<u32>>,
}

/// One communicator.
#[derive(Debug)]
pub(crate) struct Comm {
    /// Ranks of the world; none for `MPI_COMM_SELF`, which is another one in each rank.
    group: Option<Arc<Group>>,
    /// How many collectives each member has entered.
    entered: Vec<u32>,
    /// How often each member has started each persistent collective.
    started: Vec<Vec<u32>>,
    /// Collectives that some have entered and not all have left, and their instances.
    pub active: Vec<(Turn, u32)>,
    /// Members that have freed it.
    freed: u32,
    /// The call that made it.
    origin: Origin,
}

/// Which collective of a communicator it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The n-th.
    Number(u32),
    /// The n-th start of a persistent one.
    Start { plan: u32, number: u32 },
    /// The making of a communicator by its members only, with this tag.
    Tagged(i32),
}

/// All communicators.
#[derive(Debug)]
pub(crate) struct Comms {
    all: Vec<Comm>,
    /// Collectives of a rank with itself.
    own_entered: Vec<u32>,
}

impl Comms {
    pub(crate) fn new(ranks: usize) -> Comms {
        let mut comms = Comms { all: Vec::new(), own_entered: vec![0; ranks] };
        let world = comms.add(Group::world(ranks as u32), Origin::default());
        let origin = Origin::default();
        comms.all.push(Comm {
            group: None,
            entered: Vec::new(),
            started: Vec::new(),
            active: Vec::new(),
            freed: 0,
            origin,
        });
        debug_assert!(world == WORLD && comms.all.len() == SELF.index() + 1);
        comms
    }

    pub(crate) fn add(&mut self, group: Group, origin: Origin) -> ContextId {
        let entered = vec![0; group.size() as usize];
        self.all.push(Comm {
            group: Some(Arc::new(group)),
            entered,
            started: Vec::new(),
            active: Vec::new(),
            freed: 0,
            origin,
        });
        ContextId::new(self.all.len() as u32 - 1)
    }

    /// The group as seen by `rank`.
    pub(crate) fn group(&self, context: ContextId, rank: u32) -> Option<Arc<Group>> {
        match &self.all.get(context.index())?.group {
            Some(group) => Some(Arc::clone(group)),
            None => Some(Arc::new(Group::of([rank]).expect("one rank is a group"))),
        }
    }

    /// The sender's rank in the communicator, and the receiver's in the world.
    pub(crate) fn address(&self, context: ContextId, rank: u32, to: u32) -> Option<(u32, u32)> {
        if context == WORLD {
            return ((to as usize) < self.own_entered.len()).then_some((rank, to));
        }
        match &self.all.get(context.index())?.group {
            Some(group) => Some((group.rank_of(rank)?, group.world_of(to)?)),
            None => (to == 0).then_some((0, rank)),
        }
    }

    /// The rank of the world that `rank` calls `peer`.
    pub(crate) fn world_of(&self, context: ContextId, rank: u32, peer: u32) -> Option<u32> {
        self.address(context, rank, peer).map(|(_, world)| world)
    }

    pub(crate) fn size(&self, context: ContextId) -> u32 {
        self.all.get(context.index()).and_then(|comm| comm.group.as_ref()).map_or(1, |group| group.size())
    }

    /// The collective that `member` enters now; `plan` is zero unless it is a persistent one.
    pub(crate) fn next_collective(&mut self, context: ContextId, rank: u32, member: u32, plan: u32) -> Turn {
        let comm = &mut self.all[context.index()];
        if plan > 0 && comm.group.is_some() {
            return comm.next_start(member, plan);
        }
        let counter = match comm.group {
            Some(_) => &mut comm.entered[member as usize],
            None => &mut self.own_entered[rank as usize],
        };
        *counter += 1;
        Turn::Number(*counter - 1)
    }

    pub(crate) fn active(&mut self, context: ContextId) -> &mut Vec<(Turn, u32)> {
        &mut self.all[context.index()].active
    }

    /// Communicators the program made that some member has not freed: who made them, and how many ranks they have.
    pub(crate) fn unfreed(&self) -> impl Iterator<Item = (Origin, u32)> + '_ {
        let made = self.all.iter().skip(SELF.index() + 1);
        made.filter_map(|comm| {
            comm.group
                .as_ref()
                .filter(|group| comm.freed < group.size())
                .map(|group| (comm.origin, group.size()))
        })
    }

    /// A member frees it; when all have, its memory goes.
    /// Has it been freed by all of its members?
    pub(crate) fn is_gone(&self, context: ContextId) -> bool {
        let comm = &self.all[context.index()];
        comm.group.is_some() && comm.entered.is_empty()
    }

    pub(crate) fn free(&mut self, context: ContextId) {
        let comm = &mut self.all[context.index()];
        comm.freed += 1;
        if comm.freed as usize == comm.entered.len() {
            comm.entered = Vec::new();
            comm.started = Vec::new();
        }
    }
}

impl Comm {
    fn next_start(&mut self, member: u32, plan: u32) -> Turn {
        let members = self.entered.len();
        if self.started.len() < plan as usize {
            self.started.resize(plan as usize, Vec::new());
        }
        let starts = &mut self.started[plan as usize - 1];
        starts.resize(members, 0);
        starts[member as usize] += 1;
        Turn::Start { plan, number: starts[member as usize] - 1 }
    }
}

impl Wish {
    /// What a call wishes, for a rank on host number `host`.
    pub(crate) fn of(how: CommRequest<'_>, host: u32) -> Wish {
        match how {
            CommRequest::Dup | CommRequest::DupLater { .. } => Wish::Dup,
            CommRequest::Split { color, key } => Wish::Split { color: color.map(i64::from), key },
            CommRequest::SplitByHost { key } => Wish::Split { color: Some(i64::from(host)), key },
            CommRequest::Create(members) | CommRequest::CreateGroup { members, .. } => {
                Wish::Members(members.to_vec())
            }
        }
    }
}

/// The new groups, as lists of ranks in the parent, in a fixed order.
pub(crate) fn new_groups(wishes: &[Wish]) -> Vec<Vec<u32>> {
    match wishes.first() {
        Some(Wish::Dup) => vec![(0..wishes.len() as u32).collect()],
        Some(Wish::Split { .. }) => split(wishes),
        Some(Wish::Members(_)) => listed(wishes),
        None => Vec::new(),
    }
}

fn split(wishes: &[Wish]) -> Vec<Vec<u32>> {
    let mut placed: Vec<(i64, i32, u32)> = wishes
        .iter()
        .enumerate()
        .filter_map(|(rank, wish)| match *wish {
            Wish::Split { color: Some(color), key } => Some((color, key, rank as u32)),
            _ => None,
        })
        .collect();
    placed.sort_unstable();
    placed.chunk_by(|a, b| a.0 == b.0).map(|group| group.iter().map(|entry| entry.2).collect()).collect()
}

/// Each rank lists the members of its own group; a rank outside its list gets none.
fn listed(wishes: &[Wish]) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for (rank, wish) in wishes.iter().enumerate() {
        let Wish::Members(members) = wish else { continue };
        // The first member speaks for the group, so each group is taken once.
        if members.first() == Some(&(rank as u32)) {
            groups.push(members.clone());
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_orders_by_colour_then_key_then_rank() {
        let wish = |color, key| Wish::Split { color, key };
        let wishes = [wish(Some(1), 5), wish(Some(0), 0), wish(Some(1), -1), wish(None, 0), wish(Some(1), 5)];
        assert_eq!(new_groups(&wishes), [vec![1], vec![2, 0, 4]]);
    }

    #[test]
    fn create_takes_each_listed_group_once() {
        let wishes = [vec![2, 0], vec![], vec![2, 0]].map(Wish::Members);
        assert_eq!(new_groups(&wishes), [vec![2, 0]]);
        assert_eq!(new_groups(&[Wish::Dup, Wish::Dup]), [vec![0, 1]]);
    }
}
