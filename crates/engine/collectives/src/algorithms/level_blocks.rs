//! Gather, scatter and allgather in two levels: the blocks of a node's ranks travel between nodes together.
//!
//! ```text
//!   gather      inside each node to its leader, then between leaders: a block is a node's blocks
//!   scatter     between leaders, then inside each node
//!   allgather   gather inside, allgather between, and all blocks by a broadcast inside
//! ```
//!
//! This is Open MPI's component `han`, whose leaders have the root's position in their nodes, and which wants nodes with the same number of
//! ranks. Where ranks of a node do not follow each other, blocks are put into order by a copy of all of them.

use mpirage_call::Collective::{self, Allgather, Bcast, Gather, Scatter};

use super::level_pipeline;
use super::two_level::Levels;
use crate::data::Piece;
use crate::nodes::Nodes;
use crate::shape::Shape;
use crate::step::Schedule;

/// Are there several ranks on each of several nodes, on each the same number, and do all give the same number of bytes?
pub(crate) fn fits(shape: &Shape) -> bool {
    level_pipeline::fits(shape) && shape.recv_counts.is_empty()
}

/// Blocks of one size that lie one after the other.
struct Buffer<'a> {
    /// The ranks that the blocks are of, in the order of the buffer.
    ranks: &'a [u32],
    /// Bytes of a block.
    bytes: u64,
}

impl Buffer<'_> {
    /// The blocks, or parts of blocks, that a message carries, if its own blocks have `unit` bytes of this buffer each.
    fn pieces(&self, piece: &Piece, unit: u64) -> Vec<Piece> {
        let (begin, end) = match piece {
            Piece::Block(index) => (u64::from(*index) * unit, u64::from(*index + 1) * unit),
            Piece::Part(index, part) => {
                (u64::from(*index) * unit + part.start, u64::from(*index) * unit + part.end)
            }
            Piece::Bytes(range) => (range.start, range.end),
            other => return vec![other.clone()],
        };
        let block = |(rank, first): (&u32, u64)| {
            let (start, stop) = (begin.max(first), end.min(first + self.bytes));
            match (start - first.min(start), stop.saturating_sub(first)) {
                (from, to) if from >= to => None,
                (0, to) if to == self.bytes => Some(Piece::Block(*rank)),
                (from, to) => Some(Piece::Part(*rank, from..to)),
            }
        };
        let firsts = (0..).map(|index: u64| index * self.bytes);
        self.ranks.iter().zip(firsts).filter_map(block).collect()
    }
}

/// The two levels of a call, and the bytes of a node's blocks.
struct Call<'a> {
    shape: &'a Shape<'a>,
    nodes: &'a Nodes,
    unit: u64,
}

impl<'a> Call<'a> {
    fn of(shape: &'a Shape<'a>) -> Option<Call<'a>> {
        let nodes = shape.nodes?;
        Some(Call { shape, nodes, unit: shape.bytes * u64::from(nodes.most_ranks()) })
    }

    /// The levels, with blocks of so many bytes. The leaders are where the root is in its node.
    fn levels(&self, bytes: u64) -> Levels<'a> {
        Levels::led_from(&Shape { bytes, ..*self.shape }, self.nodes.position(self.shape.root))
    }

    fn members(&self) -> &'a [u32] {
        self.nodes.members(self.nodes.of(self.shape.rank))
    }

    /// Appends what happens to the blocks of this rank's node.
    fn inside(&self, collective: Collective, out: &mut Schedule) {
        let (levels, bytes) = (self.levels(self.shape.bytes), self.shape.bytes);
        let buffer = Buffer { ranks: self.members(), bytes };
        let leader = levels.leader_of(self.shape.rank);
        out.relabelled(|piece| buffer.pieces(piece, bytes), |out| levels.inside(collective, leader, out));
    }

    /// Appends what happens between leaders.
    fn between(&self, collective: Collective, out: &mut Schedule) {
        let levels = self.levels(self.unit);
        let buffer = self.all();
        let root = self.shape.root;
        out.relabelled(|piece| buffer.pieces(piece, self.unit), |out| levels.between(collective, root, out));
    }

    /// All blocks, those of a node next to each other.
    fn all(&self) -> Buffer<'a> {
        Buffer { ranks: self.nodes.by_node(), bytes: self.shape.bytes }
    }

    /// Puts blocks into the order of ranks, or of nodes.
    fn reorder(&self, out: &mut Schedule) {
        if !self.nodes.are_contiguous() {
            out.copy(self.shape.bytes * u64::from(self.shape.size));
        }
    }
}

pub(crate) fn gather(shape: &Shape, out: &mut Schedule) {
    let Some(call) = Call::of(shape) else { return };
    call.inside(Gather, out);
    call.between(Gather, out);
    if shape.is_root() {
        call.reorder(out);
    }
}

pub(crate) fn scatter(shape: &Shape, out: &mut Schedule) {
    let Some(call) = Call::of(shape) else { return };
    if shape.is_root() {
        call.reorder(out);
    }
    call.between(Scatter, out);
    call.inside(Scatter, out);
}

pub(crate) fn allgather(shape: &Shape, out: &mut Schedule) {
    let Some(call) = Call::of(shape) else { return };
    call.inside(Gather, out);
    call.between(Allgather, out);
    let whole = shape.bytes * u64::from(shape.size);
    let (levels, buffer) = (call.levels(whole), call.all());
    let leader = levels.leader_of(shape.rank);
    out.relabelled(|piece| buffer.pieces(piece, whole), |out| levels.inside(Bcast, leader, out));
    call.reorder(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_a_buffer_is_blocks_and_parts_of_blocks() {
        let buffer = Buffer { ranks: &[2, 5, 1, 4], bytes: 10 };
        assert_eq!(buffer.pieces(&Piece::Block(1), 20), [Piece::Block(1), Piece::Block(4)]);
        assert_eq!(buffer.pieces(&Piece::Block(3), 10), [Piece::Block(4)]);
        let parts = [Piece::Part(2, 5..10), Piece::Block(5), Piece::Part(1, 0..2)];
        assert_eq!(buffer.pieces(&Piece::Bytes(5..22), 40), parts);
        assert_eq!(buffer.pieces(&Piece::Part(1, 5..10), 20), [Piece::Part(1, 5..10)]);
    }
}
