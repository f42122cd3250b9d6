//! Finds schedules that are the same for all ranks, except for the numbers of their peers.
//!
//! ```text
//!   rotation   rank r does with r + d what rank 0 does with d      dissemination, ring, linear all-to-all
//!   mirror     rank r does with r ^ d what rank 0 does with d      recursive doubling of a power of two
//! ```
//!
//! A simulator of many ranks then keeps one schedule instead of one for each.

use mpirage_call::{
    Algorithm::{self, *},
    Collective::{self, *},
    Member,
};

use crate::shape::Shape;
use crate::step::Step;

/// How the schedule of any rank follows from that of rank 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// It does not.
    None,
    /// Add the rank to every peer.
    Rotation,
    /// Flip the bits of the rank in every peer.
    Mirror,
}

/// The symmetry of an algorithm for calls of this shape.
pub fn symmetry(collective: Collective, algorithm: Algorithm, shape: &Shape) -> Symmetry {
    let equal = shape.send_counts.is_empty() && shape.recv_counts.is_empty();
    match (collective, algorithm) {
        _ if !equal => Symmetry::None,
        (Barrier, Dissemination)
        | (Allgather, Ring | Linear)
        | (Alltoall, Linear | Pairwise | Batched | Bruck | NcclGrouped) => Symmetry::Rotation,
        (Barrier | Allreduce | Allgather, RecursiveDoubling) | (Alltoall, PairwiseExchange)
            if shape.size.is_power_of_two() =>
        {
            Symmetry::Mirror
        }
        _ => Symmetry::None,
    }
}

impl Symmetry {
    /// The step of `rank`, of `size`, that this step of rank 0 stands for.
    #[inline]
    pub fn turn(self, step: Step, Member { rank, size }: Member) -> Step {
        let peer = |peer: u32| match self {
            Symmetry::None => peer,
            // Both are below the size, so their sum is at most once too large.
            Symmetry::Rotation if peer + rank >= size => peer + rank - size,
            Symmetry::Rotation => peer + rank,
            Symmetry::Mirror => peer ^ rank,
        };
        step.with_peer(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perform::schedule;
    use crate::performed::Performed;
    use crate::step::Schedule;

    fn steps(collective: Collective, algorithm: Algorithm, shape: &Shape) -> Vec<Step> {
        let mut out = Schedule::default();
        schedule(collective, algorithm, shape, &mut out);
        out.steps
    }

    #[test]
    fn every_symmetry_holds_for_every_rank() {
        let mut held = 0;
        for (collective, size) in Collective::ALL.into_iter().flat_map(|c| (1..=33).map(move |n| (c, n))) {
            for algorithm in collective.algorithms() {
                for rank in 0..size {
                    let shape = Shape::new(size).rank(rank).bytes(24).element(8);
                    let symmetry = symmetry(collective, algorithm, &shape);
                    if symmetry == Symmetry::None {
                        continue;
                    }
                    let of_zero = steps(collective, algorithm, &Shape { rank: 0, ..shape });
                    let turned: Vec<_> =
                        of_zero.into_iter().map(|step| symmetry.turn(step, Member { rank, size })).collect();
                    assert_eq!(
                        turned,
                        steps(collective, algorithm, &shape),
                        "{collective} {algorithm} {size}"
                    );
                    held += 1;
                }
            }
        }
        assert!(held > 4000, "{held}");
    }
}
