//! The part of a communicator that makes it an inter-communicator.
//!
//! The simulator knows only communicators of one group. An inter-communicator is one that holds both sides, one after the
//! other; here ranks of the other side are translated to seats in it and back:
//!
//! ```text
//! this side   0 1 2          remote   0 1
//! all         s s s r r      seats    3 4
//! ```

use mpirage_call::Completion;
use mpirage_data::Group;

/// The other side of an inter-communicator, and where both sides are in the simulator's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bridge {
    /// Ranks of the world on the other side, in order.
    pub remote: Group,
    /// How many ranks this side has.
    local: u32,
    /// Does the simulator number the ranks of this side first?
    is_first: bool,
}

impl Bridge {
    /// Between this side and the remote one. All ranks of both sides know which is first.
    pub(crate) fn new(local: &Group, remote: Group, is_first: bool) -> Bridge {
        Bridge { remote, local: local.size(), is_first }
    }

    /// Does the simulator number the ranks of this side first?
    pub(crate) fn is_first(&self) -> bool {
        self.is_first
    }

    /// How many ranks the first side has.
    pub(crate) fn first_side(&self) -> u32 {
        if self.is_first { self.local } else { self.remote.size() }
    }

    /// How the simulator calls a rank of the other side.
    pub(crate) fn seat_of(&self, member: u32) -> u32 {
        if self.is_first { self.local + member } else { member }
    }

    /// How the simulator calls a rank of this side.
    pub(crate) fn own_seat(&self, member: u32) -> u32 {
        if self.is_first { member } else { self.remote.size() + member }
    }

    /// The completion with its source as the program numbers it.
    pub(crate) fn seen_from_here(&self, completion: Completion) -> Completion {
        let first = self.seat_of(0) as i32;
        let member =
            completion.source.checked_sub(first).filter(|member| completion.source >= 0 && *member >= 0);
        Completion { source: member.unwrap_or(completion.source), ..completion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_the_other_side_have_seats_and_come_back() {
        let (one, other) = (Group::of([7, 4]).unwrap(), Group::of([1, 2, 3]).unwrap());
        let first = Bridge::new(&one, other.clone(), true);
        let second = Bridge::new(&other, one, false);
        assert_eq!((first.seat_of(0), first.seat_of(2), first.own_seat(1)), (2, 4, 1));
        assert_eq!((second.seat_of(0), second.seat_of(1), second.own_seat(1)), (0, 1, 3));
        assert_eq!((first.first_side(), second.first_side()), (2, 2));
        let from = |bridge: &Bridge, source| {
            bridge.seen_from_here(Completion { source, ..Completion::empty(0) }).source
        };
        assert_eq!((from(&first, 2), from(&first, 4), from(&first, -1)), (0, 2, -1));
        assert_eq!((from(&second, 1), from(&second, -1)), (1, -1));
    }
}
