//! Communicators: who is in them, and how new ones are made.

use std::sync::Arc;

use mpirage_call::{CommRequest, ContextId, RankId, SELF, UNIVERSE, WORLD};
use mpirage_collectives::Nodes;
use mpirage_data::Group;
use mpirage_platform::{Accelerators, HostId};

use super::nodes::nodes_of;
use crate::ids::InstanceId;
use crate::origin::Origin;

/// A communicator. Ranks know it by its context, except their worlds: each job has its own behind [`WORLD`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CommId {
    /// The world of a job.
    World(u32),
    /// Any other, by its context.
    Made(ContextId),
}

impl CommId {
    /// The context by which ranks know it.
    pub(crate) fn context(self) -> ContextId {
        match self {
            CommId::World(_) => WORLD,
            CommId::Made(context) => context,
        }
    }
}

/// A rank's request for a communicator that is being made.
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
pub(crate) struct NewComm {
    pub context: Option<ContextId>,
    /// Ranks of the run; empty if the same as the parent's.
    pub members: Arc<Vec<u32>>,
}

/// One communicator.
#[derive(Debug)]
struct Comm {
    /// Ranks of the run; none for `MPI_COMM_SELF`, which is another one in each rank.
    group: Option<Arc<Group>>,
    /// How many collectives each member has entered.
    entered: Vec<u32>,
    /// How often each member has started each persistent collective.
    started: Vec<Vec<u32>>,
    /// Collectives that some have entered and not all have left, and their instances.
    active: Vec<(Sequence, InstanceId)>,
    /// The members that share a node, once a choice of algorithms depends on it.
    nodes: Option<Arc<Nodes>>,
    /// Members that have freed it.
    freed: u32,
    /// The call that made it.
    origin: Origin,
}

impl Comm {
    fn new(group: Option<Group>, origin: Origin) -> Comm {
        let entered = vec![0; group.as_ref().map_or(0, Group::size) as usize];
        let (started, active) = (Vec::new(), Vec::new());
        Comm { group: group.map(Arc::new), entered, started, active, nodes: None, freed: 0, origin }
    }

    fn next_start(&mut self, member: u32, plan: u32) -> Sequence {
        let members = self.entered.len();
        if self.started.len() < plan as usize {
            self.started.resize(plan as usize, Vec::new());
        }
        let starts = &mut self.started[plan as usize - 1];
        starts.resize(members, 0);
        starts[member as usize] += 1;
        Sequence::Start { plan, number: starts[member as usize] - 1 }
    }
}

/// Identifies a collective among those of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequence {
    /// The n-th.
    Number(u32),
    /// The n-th start of a persistent one.
    Start { plan: u32, number: u32 },
    /// The making of a communicator by its members only, with this tag.
    Tagged(i32),
}

/// The ranks of a job: those from `first` on, so many.
#[derive(Clone, Copy, Debug)]
struct World {
    first: u32,
    size: u32,
}

/// All communicators.
#[derive(Debug)]
pub(crate) struct Comms {
    worlds: Vec<World>,
    world_comms: Vec<Comm>,
    /// By context; the first two, the world and self of each rank, have no members of their own.
    made: Vec<Comm>,
    /// Collectives of a rank with itself.
    own_entered: Vec<u32>,
}

impl Comms {
    /// The predefined communicators of jobs with so many ranks each.
    pub(crate) fn new(sizes: &[u32]) -> Comms {
        let mut first = 0;
        let world = |&size: &u32| {
            let world = World { first, size };
            first += size;
            world
        };
        let worlds: Vec<World> = sizes.iter().map(world).collect();
        let group = |world: &World| match worlds.len() {
            1 => Group::world(world.size),
            _ => Group::of(world.first..world.first + world.size).expect("ranks of a job are distinct"),
        };
        let comm = |world: &World| Comm::new(Some(group(world)), Origin::UNKNOWN);
        let world_comms = worlds.iter().map(comm).collect();
        let made = (0..=SELF.get()).map(|_| Comm::new(None, Origin::UNKNOWN)).collect();
        Comms { worlds, world_comms, made, own_entered: vec![0; first as usize] }
    }

    /// A communicator of all ranks, also of those that are not started yet: the first that is made.
    pub(crate) fn add_universe(&mut self, ranks: u32) {
        let made = self.add(Group::world(ranks), Origin::UNKNOWN);
        assert_eq!(made, UNIVERSE, "no communicator was made before");
        // No rank frees it.
        self.made[UNIVERSE.index()].freed = ranks;
    }

    /// The world of a job that a rank has started.
    pub(crate) fn add_world(&mut self, first: u32, size: u32) {
        let group = Group::of(first..first + size).expect("ranks of a job are distinct");
        self.worlds.push(World { first, size });
        self.world_comms.push(Comm::new(Some(group), Origin::UNKNOWN));
        self.own_entered.resize((first + size) as usize, 0);
    }

    pub(crate) fn add(&mut self, group: Group, origin: Origin) -> ContextId {
        self.made.push(Comm::new(Some(group), origin));
        ContextId::new(self.made.len() as u32 - 1)
    }

    /// The communicator that `rank` knows by this context.
    pub(crate) fn id(&self, context: ContextId, rank: RankId) -> CommId {
        if context == WORLD { CommId::World(self.world_of(rank)) } else { CommId::Made(context) }
    }

    /// The group as seen by `rank`.
    pub(crate) fn group(&self, context: ContextId, rank: RankId) -> Option<Arc<Group>> {
        match &self.get(self.id(context, rank))?.group {
            Some(group) => Some(Arc::clone(group)),
            None => Some(Arc::new(Group::of([rank.get()]).expect("one rank is a group"))),
        }
    }

    /// The sender's rank in the communicator, and the rank of the run that it calls `to`.
    #[inline]
    pub(crate) fn address(&self, context: ContextId, rank: RankId, to: u32) -> Option<(u32, RankId)> {
        if context == WORLD {
            let World { first, size } = self.worlds[self.world_of(rank) as usize];
            return (to < size).then(|| (rank.get() - first, RankId::new(first + to)));
        }
        match &self.made.get(context.index())?.group {
            Some(group) => Some((group.rank_of(rank.get())?, RankId::new(group.world_of(to)?))),
            None => (to == 0).then_some((0, rank)),
        }
    }

    /// The rank of the run that `rank` calls `peer`.
    pub(crate) fn resolve(&self, context: ContextId, rank: RankId, peer: u32) -> Option<RankId> {
        self.address(context, rank, peer).map(|(_, resolved)| resolved)
    }

    /// How many ranks a communicator has; a world of several jobs counts as that of the first.
    pub(crate) fn size(&self, context: ContextId) -> u32 {
        let id = if context == WORLD { CommId::World(0) } else { CommId::Made(context) };
        self.get(id).and_then(|comm| comm.group.as_ref()).map_or(1, |group| group.size())
    }

    /// The collective that `rank`, a `member`, enters now; `plan` is zero unless it is a persistent one.
    pub(crate) fn next_collective(&mut self, id: CommId, rank: RankId, member: u32, plan: u32) -> Sequence {
        let Comms { world_comms, made, own_entered, .. } = self;
        let comm = match id {
            CommId::World(job) => &mut world_comms[job as usize],
            CommId::Made(context) => &mut made[context.index()],
        };
        if plan > 0 && comm.group.is_some() {
            return comm.next_start(member, plan);
        }
        let counter = match comm.group {
            Some(_) => &mut comm.entered[member as usize],
            None => &mut own_entered[rank.index()],
        };
        *counter += 1;
        Sequence::Number(*counter - 1)
    }

    /// Collectives of a communicator that some have entered and not all have left.
    pub(crate) fn active(&mut self, id: CommId) -> &mut Vec<(Sequence, InstanceId)> {
        match id {
            CommId::World(job) => &mut self.world_comms[job as usize].active,
            CommId::Made(context) => &mut self.made[context.index()].active,
        }
    }

    /// The members of a communicator that share a node.
    pub(crate) fn nodes(
        &mut self,
        id: CommId,
        host_of: impl Fn(RankId) -> HostId,
        accelerators: Option<Accelerators>,
    ) -> Option<Arc<Nodes>> {
        let comm = match id {
            CommId::World(job) => &mut self.world_comms[job as usize],
            CommId::Made(context) => &mut self.made[context.index()],
        };
        let group = comm.group.as_ref()?;
        let worlds = (0..group.size()).filter_map(|member| group.world_of(member));
        let hosts = worlds.map(|world| host_of(RankId::new(world)));
        let nodes = || Arc::new(nodes_of(hosts, accelerators));
        Some(Arc::clone(comm.nodes.get_or_insert_with(nodes)))
    }

    /// Ranks have moved: which members share a node is to be found out again.
    pub(crate) fn forget_nodes(&mut self) {
        self.world_comms.iter_mut().chain(&mut self.made).for_each(|comm| comm.nodes = None);
    }

    /// Communicators the program made that some member has not freed: which, who made them, and how many ranks they have. Ranks need
    /// not free those that a trace defines.
    pub(crate) fn unfreed(&self) -> impl Iterator<Item = (ContextId, Origin, u32)> + '_ {
        self.made.iter().enumerate().filter_map(|(index, comm)| {
            let group = comm.group.as_ref()?;
            let made = comm.origin != Origin::UNKNOWN;
            (made && comm.freed < group.size()).then_some((
                ContextId::new(index as u32),
                comm.origin,
                group.size(),
            ))
        })
    }

    /// Have all members freed it?
    pub(crate) fn is_gone(&self, context: ContextId) -> bool {
        let comm = &self.made[context.index()];
        comm.group.is_some() && comm.entered.is_empty()
    }

    /// A member frees it; when all have, its memory goes.
    pub(crate) fn free(&mut self, context: ContextId) {
        let comm = &mut self.made[context.index()];
        comm.freed += 1;
        if comm.freed as usize == comm.entered.len() {
            comm.entered = Vec::new();
            comm.started = Vec::new();
            comm.nodes = None;
        }
    }

    fn get(&self, id: CommId) -> Option<&Comm> {
        match id {
            CommId::World(job) => self.world_comms.get(job as usize),
            CommId::Made(context) => self.made.get(context.index()),
        }
    }

    /// The job of a rank.
    #[inline]
    fn world_of(&self, rank: RankId) -> u32 {
        if self.worlds.len() == 1 {
            return 0;
        }
        self.worlds.partition_point(|world| world.first + world.size <= rank.get()) as u32
    }
}

impl Wish {
    /// The request of a call, for a rank on host number `host`.
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
