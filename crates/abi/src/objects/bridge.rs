//! What makes a communicator an inter-communicator.
//!
//! The simulator knows only communicators of one group. An inter-communicator is one that holds both sides, in an order
//! that the program does not see; here ranks of the other side are translated to seats in it and back:
//!
//! ```text
//! this side   0 1 2          remote   0 1
//! all         s s s r r      seats    3 4
//! ```

use mpirage_call::Completion;
use mpirage_data::Group;

/// The other side of an inter-communicator, and both sides together as the simulator numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bridge {
    /// Ranks of the world on the other side, in order.
    pub remote: Group,
    /// Ranks of the world on both sides, in the simulator's order.
    pub all: Group,
}

impl Bridge {
    /// How the simulator calls a rank of the other side.
    pub(crate) fn seat_of(&self, member: u32) -> u32 {
        let world = self.remote.world_of(member);
        world.and_then(|world| self.all.rank_of(world)).expect("members of a side have a seat")
    }

    /// The completion with its source as the program numbers it.
    pub(crate) fn seen_from_here(&self, completion: Completion) -> Completion {
        let seat = u32::try_from(completion.source).ok();
        let member =
            seat.and_then(|seat| self.all.world_of(seat)).and_then(|world| self.remote.rank_of(world));
        Completion { source: member.map_or(completion.source, |member| member as i32), ..completion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_the_other_side_have_seats_and_come_back() {
        let (remote, all) = (Group::of([7, 4]).unwrap(), Group::of([4, 1, 7, 2]).unwrap());
        let bridge = Bridge { remote, all };
        assert_eq!((bridge.seat_of(0), bridge.seat_of(1)), (2, 0));
        let from = |source| bridge.seen_from_here(Completion { source, ..Completion::empty(0) }).source;
        assert_eq!((from(2), from(0), from(-1)), (0, 1, -1));
    }
}
