//! The members of communicators.

use std::rc::Rc;

use mpirage_call::{ContextId, SELF, WORLD};
use rustc_hash::FxHashMap;

/// A rank of a communicator, which in general is not its rank in `MPI_COMM_WORLD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommRank(pub u32);

/// The communicators of a run.
#[derive(Clone)]
pub struct Comms {
    ranks: u32,
    made: FxHashMap<ContextId, Members>,
}

/// The members of a communicator, as ranks of `MPI_COMM_WORLD`.
#[derive(Clone)]
enum Members {
    /// All ranks, in order.
    All,
    /// These, in the order of the communicator; and pairs of both ranks, sorted by that in `MPI_COMM_WORLD`.
    Some { worlds: Rc<[u32]>, sorted: Rc<[(u32, u32)]> },
}

impl Comms {
    /// The predefined communicators of a run of so many ranks.
    pub fn new(ranks: u32) -> Comms {
        Comms { ranks, made: FxHashMap::default() }
    }

    /// Adds a communicator that was created.
    pub fn add(&mut self, context: ContextId, members: &[u32]) {
        let all = members.len() as u32 == self.ranks
            && members.iter().zip(0..).all(|(&member, rank)| member == rank);
        let members = if all { Members::All } else { Members::some(members) };
        self.made.insert(context, members);
    }

    /// The number of its ranks.
    pub fn size(&self, context: ContextId) -> u32 {
        match (context, self.made.get(&context)) {
            (SELF, _) => 1,
            (_, Some(Members::Some { worlds, .. })) => worlds.len() as u32,
            _ => self.ranks,
        }
    }

    /// The rank in `MPI_COMM_WORLD` of `peer`, for the rank `me` of `MPI_COMM_WORLD`.
    #[inline]
    pub fn world_of(&self, context: ContextId, me: u32, CommRank(peer): CommRank) -> Option<u32> {
        match context {
            WORLD => Some(peer),
            SELF => Some(me),
            _ => match self.made.get(&context)? {
                Members::All => Some(peer),
                Members::Some { worlds, .. } => worlds.get(peer as usize).copied(),
            },
        }
    }

    /// The rank in the communicator of a rank of `MPI_COMM_WORLD`.
    #[inline]
    pub fn rank_of(&self, context: ContextId, world: u32) -> Option<u32> {
        match context {
            WORLD => Some(world),
            SELF => Some(0),
            _ => match self.made.get(&context)? {
                Members::All => Some(world),
                Members::Some { sorted, .. } => {
                    let at = sorted.binary_search_by_key(&world, |&(world, _)| world).ok()?;
                    Some(sorted[at].1)
                }
            },
        }
    }
}

impl Members {
    fn some(members: &[u32]) -> Members {
        let mut sorted: Vec<(u32, u32)> = members.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        Members::Some { worlds: members.into(), sorted: sorted.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_translate_both_ways() {
        let mut comms = Comms::new(4);
        comms.add(ContextId::new(2), &[3, 1]);
        comms.add(ContextId::new(3), &[0, 1, 2, 3]);
        assert_eq!(
            (
                comms.world_of(ContextId::new(2), 3, CommRank(1)),
                comms.rank_of(ContextId::new(2), 3),
                comms.size(ContextId::new(2))
            ),
            (Some(1), Some(0), 2)
        );
        assert_eq!(
            (comms.world_of(ContextId::new(2), 3, CommRank(2)), comms.rank_of(ContextId::new(2), 0)),
            (None, None)
        );
        assert_eq!(
            (
                comms.world_of(ContextId::new(3), 0, CommRank(2)),
                comms.size(ContextId::new(3)),
                comms.size(WORLD)
            ),
            (Some(2), 4, 4)
        );
        assert_eq!(
            (comms.world_of(SELF, 3, CommRank(0)), comms.rank_of(SELF, 3), comms.size(SELF)),
            (Some(3), Some(0), 1)
        );
        assert_eq!(comms.world_of(ContextId::new(9), 0, CommRank(0)), None);
    }
}
