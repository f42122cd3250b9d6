//! Parallel aggregated trees: each block goes down a binomial tree of all ranks, and a message carries the blocks of several trees.
//!
//! ```text
//!   8 ranks, offsets of the blocks that a rank receives, step by step
//!        0
//!     ┌──┼──┐      4 blocks a message   4 │ 2 6 │ 1 3 5 7
//!     4  2  1      2 blocks a message   4 │ 2 6 │ 3 7 │ 1 5
//!    ┌┴┐ │         1 block a message    4 │ 6 │ 7 │ 5 │ 2 │ 3 │ 1
//!    6 5 3
//!    7
//! ```
//!
//! Block `rank + offset` comes from the rank that is as far ahead as the lowest bit of the offset says. Far steps go first, so the messages
//! with most blocks are those between neighbours. Blocks that share a message are equally far apart. While half of all blocks fit into the
//! intermediate buffer there are ⌈log2 P⌉ steps; otherwise a logarithm of steps spreads as many blocks as fit, and the subtrees between them
//! follow depth first, so that the buffers that hold blocks for later grow with the logarithm of P only. Longer blocks go in passes. A
//! reduce-scatter is the mirror image: the nearest steps first, from the leaves to the root, with all directions turned round.
//!
//! Jeaugey: *PAT: a new algorithm for all-gather and reduce-scatter operations at scale* (2025, arXiv 2506.20252); facts of NCCL 2.23.4:
//! `src/include/collectives.h` (order, aggregation), `src/enqueue.cc` (chunks), `src/device/prims_simple.h` (directions, depth of buffers).
//! NCCL stops to aggregate at half of the ranks, rounded down, so it takes more than ⌈log2 P⌉ steps for 2^k + 1 ranks from 5 on; here it does not.

use std::ops::Range;

use mpirage_call::{Collective, WireProtocol};

use super::model::{Model, Way};
use super::parts::{cut, length};
use super::rhythm::{Rhythm, Trip};
use crate::data::Piece;
use crate::shape::Shape;
use crate::step::Schedule;

/// Messages of one chunk that the buffer between two ranks holds.
const DEPTH: u64 = 8;

/// Is each rank alone on its node? NCCL has these trees for no other communicators.
pub(super) fn fits(shape: &Shape) -> bool {
    shape.nodes.is_none_or(|nodes| nodes.count() == shape.size)
}

/// Offsets that share a message of each rank, and how far the message goes.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    distance: u32,
    offsets: Vec<u32>,
}

/// The trees of a communicator of `size` ranks, of which `together` share a message.
#[derive(Clone, Copy)]
struct Trees {
    size: u32,
    together: u32,
}

impl Trees {
    /// As many blocks of `share` bytes as fit into a chunk, and that as often as the buffer holds chunks, up to half of all.
    fn of(size: u32, share: u64, chunk: u64) -> Trees {
        let most = (size.next_power_of_two() / 2).max(1);
        let in_chunk = chunk.checked_div(share).unwrap_or(u64::MAX).max(1);
        let together = (1 << in_chunk.ilog2().min(31)) * DEPTH;
        Trees { size, together: together.min(most.into()) as u32 }
    }

    /// The distance of two blocks that share a message of the subtrees.
    fn spread(self) -> u32 {
        self.size.next_power_of_two() / self.together
    }

    fn step(self, distance: u32, first: u32, apart: u32) -> Step {
        let offsets = (first..self.size).step_by(apart as usize).collect();
        Step { distance, offsets }
    }

    /// Steps between the trees' own offsets, the farthest first.
    fn far(self) -> impl DoubleEndedIterator<Item = Step> {
        (0..self.together.ilog2()).rev().map(move |level| {
            let distance = self.spread() << level;
            self.step(distance, distance, 2 * distance)
        })
    }

    /// One step below each of these offsets.
    fn near(self, offset: u32) -> Step {
        self.step(1 << offset.trailing_zeros(), offset, self.spread())
    }

    fn gather(self) -> impl Iterator<Item = Step> {
        let mut order = vec![];
        depth_first(0, self.spread(), &mut order);
        let near = order.into_iter().map(move |offset| self.near(offset));
        self.far().chain(near).filter(|step| !step.offsets.is_empty())
    }

    fn reduce(self) -> impl Iterator<Item = Step> {
        let near = (1..self.spread()).rev().map(move |offset| self.near(offset));
        near.chain(self.far().rev()).filter(|step| !step.offsets.is_empty())
    }
}

/// The offsets below one that has so many of them with itself, each with its subtree behind it, the farthest first.
fn depth_first(offset: u32, members: u32, order: &mut Vec<u32>) {
    let mut distance = members / 2;
    while distance > 0 {
        order.push(offset + distance);
        depth_first(offset + distance, distance, order);
        distance /= 2;
    }
}

/// A call as one rank sees it.
struct Call<'a> {
    shape: &'a Shape<'a>,
    rhythm: Rhythm,
    trees: Trees,
    /// How often blocks are cut to fit into the chunks of all channels.
    passes: u64,
}

impl Call<'_> {
    fn of<'a>(collective: Collective, shape: &'a Shape<'a>) -> Call<'a> {
        let model = Model::of(collective, shape);
        let channels = model.used(shape.parameters.channels);
        let chunk = match shape.parameters.segment {
            0 => model.chunk(Way::Pat, WireProtocol::Simple, channels),
            bytes => bytes,
        };
        let blocks = shape.blocks();
        let longest = (0..shape.size).map(|rank| blocks.block(rank).bytes).max().unwrap_or(0);
        let share = longest.div_ceil(channels.into());
        Call {
            shape,
            rhythm: Rhythm::new(&model, Way::Pat, WireProtocol::Simple, channels, 1),
            trees: Trees::of(shape.size, share, chunk),
            passes: share.div_ceil(chunk).max(1),
        }
    }

    /// The parts of blocks at these offsets from this rank, or so many ranks before them, in one pass.
    fn parts(&self, offsets: &[u32], back: u32, pass: u64) -> Parts {
        let blocks = self.shape.blocks();
        let part = |offset: &u32| {
            let owner = self.shape.after(offset - back);
            (owner, cut(&(0..blocks.block(owner).bytes), self.passes, pass, self.shape.element))
        };
        Parts(offsets.iter().map(part).collect())
    }
}

/// Parts of blocks, by owner.
struct Parts(Vec<(u32, Range<u64>)>);

impl Parts {
    fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, part)| length(part)).sum()
    }

    fn pieces(self) -> Vec<Piece> {
        self.0.into_iter().map(|(owner, part)| Piece::Part(owner, part)).collect()
    }
}

/// Blocks go from the root of each tree to its leaves.
pub(super) fn allgather(shape: &Shape, out: &mut Schedule) {
    let call = Call::of(Collective::Allgather, shape);
    call.rhythm.begin(out);
    for pass in 0..call.passes {
        for Step { distance, offsets } in call.trees.gather() {
            let (sent, received) = (call.parts(&offsets, distance, pass), call.parts(&offsets, 0, pass));
            let (to, from) = (shape.before(distance), shape.after(distance));
            let trip = Trip { to, from, blocks: offsets.len(), combines: false, first: pass == 0 };
            call.rhythm.aggregate(&trip, [sent.bytes(), received.bytes()], sent.pieces(), out);
        }
    }
}

/// Blocks go from the leaves of each tree to its root, and are combined at each rank.
pub(super) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let call = Call::of(Collective::ReduceScatter, shape);
    call.rhythm.begin(out);
    for pass in 0..call.passes {
        for Step { distance, offsets } in call.trees.reduce() {
            let (sent, received) = (call.parts(&offsets, 0, pass), call.parts(&offsets, distance, pass));
            let (to, from) = (shape.after(distance), shape.before(distance));
            let trip = Trip { to, from, blocks: offsets.len(), combines: true, first: pass == 0 };
            call.rhythm.aggregate(&trip, [sent.bytes(), received.bytes()], sent.pieces(), out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(together: u32, steps: impl Fn(Trees) -> Vec<Step>) -> Vec<Vec<u32>> {
        steps(Trees { size: 8, together }).into_iter().map(|step| step.offsets).collect()
    }

    #[test]
    fn far_steps_go_first_and_subtrees_depth_first() {
        let gather = |together| offsets(together, |trees| trees.gather().collect());
        assert_eq!(gather(4), [vec![4], vec![2, 6], vec![1, 3, 5, 7]]);
        assert_eq!(gather(2), [vec![4], vec![2, 6], vec![3, 7], vec![1, 5]]);
        assert_eq!(gather(1), [[4], [6], [7], [5], [2], [3], [1]]);
    }

    #[test]
    fn reductions_go_the_other_way() {
        let reduce = |together| offsets(together, |trees| trees.reduce().collect());
        assert_eq!(reduce(4), [vec![1, 3, 5, 7], vec![2, 6], vec![4]]);
        assert_eq!(reduce(1), [[7], [6], [5], [4], [3], [2], [1]]);
    }

    /// Eight chunks of a power of two of blocks each, up to half of all.
    #[test]
    fn as_many_blocks_go_together_as_the_buffer_holds() {
        let together = |size, share| Trees::of(size, share, 1 << 16).together;
        assert_eq!([1 << 20, 1 << 16, 1 << 15, 0].map(|share| together(1024, share)), [8, 8, 16, 512]);
        assert_eq!([2, 3, 4, 5, 8, 9].map(|size| together(size, 1 << 16)), [1, 2, 2, 4, 4, 8]);
    }
}
