//! Rings that post the next receive before they wait for the one before.
//!
//! ```text
//!   irecv 0, send own │ irecv 1, wait 0, combine 0, send 0 │ irecv 2, wait 1, combine 1, send 1 │ …
//! ```
//!
//! The next block arrives while the one before is combined. An allreduce may cut each block into segments that go around one after the
//! other, so that the blocks that are combined fit into the cache. From Open MPI.

use crate::blocks::Blocks;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// One round trip per segment of the blocks, then the combined blocks go around as in the ring.
pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let blocks = Blocks::cut(shape.size, shape.bytes, shape.element);
    let phases = phases(shape);
    for phase in 0..phases {
        let part = |rank: u32| part(blocks.block(rank), phase, phases, shape.element);
        combine(shape, |round| part(shape.before(round)), out);
    }
    out.next_slot();
    let (right, left) = (shape.after(1), shape.before(1));
    for round in 1..shape.size {
        let outgoing = blocks.block((shape.before(round - 1) + 1) % shape.size);
        out.exchange(right, outgoing, left, blocks.block(shape.before(round - 1)).bytes);
    }
}

/// The block of the left neighbour first, the own block last.
pub(crate) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    combine(shape, |round| blocks.block(shape.before((round + 1) % shape.size)), out);
}

/// Data `block(round)` leaves in round `round`; it arrives from the left in the round before.
fn combine(shape: &Shape, block: impl Fn(u32) -> Data, out: &mut Schedule) {
    let (right, left) = (shape.after(1), shape.before(1));
    out.set(0);
    out.irecv(left, block(1).bytes);
    out.send(right, block(0));
    for round in 1..shape.size {
        let buffer = (round % 2) as u8;
        if round + 1 < shape.size {
            out.set(buffer);
            out.irecv(left, block(round + 1).bytes);
        }
        out.wait(1 - buffer, 0);
        out.reduce(block(round).bytes);
        if round + 1 < shape.size {
            out.send(right, block(round));
        }
    }
}

/// How many segments a block is cut into: one, unless every rank has a block of a segment at least.
fn phases(shape: &Shape) -> u64 {
    let (ranks, elements) = (u64::from(shape.size), shape.elements());
    let per_round = match shape.parameters.segment {
        0 => return 1,
        segment => ranks * (segment / shape.element.max(1)).max(1),
    };
    let rest = elements % per_round;
    let one_more = rest >= ranks && rest > per_round / 2;
    (elements / per_round + u64::from(one_more && elements >= per_round)).max(1)
}

/// A segment of a block of the vector: the first ones take the elements that do not divide evenly.
fn part(block: Data, phase: u64, phases: u64, element: u64) -> Data {
    let cut = Blocks::cut(phases as u32, block.bytes, element);
    cut.block(phase as u32).inside(block)
}
