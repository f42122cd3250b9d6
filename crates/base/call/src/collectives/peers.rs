//! Whom a rank exchanges data with in a collective.
//!
//! ```text
//!   All          every rank of the communicator                       bcast, alltoall, …
//!   OtherSide    the ranks of the other side:   0 1 2 │ 3 4           inter-bcast, inter-alltoall, …
//!   Neighbors    listed ranks, some twice, perhaps the rank itself    neighbor-alltoall, …
//! ```

use std::ops::Range;

use super::member::Member;

/// The root that a rank names which does not know it: another rank of its own side (`MPI_PROC_NULL`).
pub const BESIDE_ROOT: u32 = u32::MAX - 1;

/// Where schedules say what messages carry between the sides of an inter-communicator: bytes from here on are those that the
/// other side of the sender gives, bytes before are those of its own side.
pub const OTHER_SIDE: u64 = 1 << 40;

/// Whom a rank exchanges data with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Peers<'a> {
    /// All ranks of the communicator.
    #[default]
    All,
    /// The ranks of the other side of an inter-communicator.
    OtherSide {
        /// How many ranks the first side has: those with the lowest numbers. The others are the second side.
        first: u32,
    },
    /// The rank's neighbours. If a rank appears several times, what it sends first arrives first: its n-th message to a
    /// neighbour is the n-th that the neighbour receives from it.
    Neighbors {
        /// From whom it receives, in the order of its receive blocks.
        sources: &'a [u32],
        /// To whom it sends, in the order of its send blocks.
        destinations: &'a [u32],
    },
}

/// The two sides of an inter-communicator, as a rank sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The ranks of its own side.
    pub own: Range<u32>,
    /// The ranks of the other side.
    pub other: Range<u32>,
}

impl Sides {
    /// The number of a rank of its own side within this side.
    pub fn place(&self, rank: u32) -> u32 {
        rank - self.own.start
    }

    /// Is this the first side?
    pub fn is_first(&self) -> bool {
        self.own.start < self.other.start
    }
}

impl Peers<'_> {
    /// The sides of an inter-communicator as one of its ranks sees them.
    pub fn sides(self, Member { rank, size }: Member) -> Option<Sides> {
        let Peers::OtherSide { first } = self else { return None };
        let (first, second) = (0..first.min(size), first.min(size)..size);
        Some(match first.contains(&rank) {
            true => Sides { own: first, other: second },
            false => Sides { own: second, other: first },
        })
    }

    /// How many ranks send to a rank: the number of its receive blocks.
    pub fn senders(self, member: Member) -> usize {
        match self {
            Peers::Neighbors { sources, .. } => sources.len(),
            _ => self.ranks(member),
        }
    }

    /// To how many ranks a rank sends: the number of its send blocks.
    pub fn receivers(self, member: Member) -> usize {
        match self {
            Peers::Neighbors { destinations, .. } => destinations.len(),
            _ => self.ranks(member),
        }
    }

    fn ranks(self, member: Member) -> usize {
        self.sides(member).map_or(member.size as usize, |sides| sides.other.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_sees_the_other_side() {
        let peers = Peers::OtherSide { first: 3 };
        assert_eq!(peers.sides(Member { rank: 1, size: 5 }), Some(Sides { own: 0..3, other: 3..5 }));
        assert_eq!(peers.sides(Member { rank: 3, size: 5 }), Some(Sides { own: 3..5, other: 0..3 }));
        assert_eq!(
            (peers.senders(Member { rank: 1, size: 5 }), peers.receivers(Member { rank: 4, size: 5 })),
            (2, 3)
        );
        assert_eq!(Peers::All.sides(Member { rank: 1, size: 5 }), None);
    }

    #[test]
    fn neighbours_are_counted_by_direction() {
        let peers = Peers::Neighbors { sources: &[1, 1], destinations: &[0] };
        assert_eq!(
            (peers.senders(Member { rank: 0, size: 2 }), peers.receivers(Member { rank: 0, size: 2 })),
            (2, 1)
        );
    }
}
