//! Communicators of a traced run, for formats that know ranks of the world only.

use std::collections::HashMap;

use mpirage_call::{ContextId, SELF, WORLD};
use mpirage_data::Group;

/// The members of all communicators.
pub(crate) struct Communicators {
    world: Group,
    made: HashMap<ContextId, Group>,
}

impl Communicators {
    /// Those of a run that has made none.
    pub(crate) fn new(ranks: u32) -> Communicators {
        Communicators { world: Group::world(ranks), made: HashMap::new() }
    }

    /// A communicator was made, with these ranks of the world.
    pub(crate) fn add(&mut self, context: ContextId, members: &[u32]) {
        self.made.insert(context, group_of(members));
    }

    /// The members of a communicator of `rank`; none if the communicator is unknown.
    pub(crate) fn members(&self, rank: u32, context: ContextId) -> Group {
        match context {
            WORLD => self.world.clone(),
            SELF => group_of(&[rank]),
            other => self.made.get(&other).cloned().unwrap_or_else(Group::empty),
        }
    }

    /// The rank of the world that is `peer` in a communicator of `rank`; `peer` itself if the communicator has no such member.
    pub(crate) fn world_rank(&self, rank: u32, context: ContextId, peer: u32) -> u32 {
        match context {
            WORLD => peer,
            SELF => rank,
            other => self.made.get(&other).and_then(|group| group.world_of(peer)).unwrap_or(peer),
        }
    }
}

/// These ranks of the world; none if one is there twice.
pub(crate) fn group_of(members: &[u32]) -> Group {
    Group::of(members.iter().copied()).unwrap_or_else(|_| Group::empty())
}
