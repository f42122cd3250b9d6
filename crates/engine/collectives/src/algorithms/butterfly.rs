//! Reduce-scatter by a butterfly: nearest partner first, so operands stay in order.
//!
//! ```text
//!   8 ranks, round k swaps halves of what is left with rank ^ 2^k; the halves are those of the last bits:
//!   rank 1 (001) keeps the upper half, then the lower, then the lower: blocks 4 (100), the mirror image of its number
//! ```
//!
//! So a rank ends with the block of the rank whose bits are its own in reverse order. If the number of ranks is a power of two and blocks
//! are equal, they are permuted before; otherwise the results are swapped at the end.
//! Träff: *An improved algorithm for (non-commutative) reduce-scatter with an application* (2005); Open MPI.

use crate::blocks::Blocks;
use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Stays, Team};

pub(crate) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    if shape.recv_counts.is_empty() && shape.size.is_power_of_two() {
        return permuted(shape, out);
    }
    let blocks = shape.blocks();
    let shrunk = Team::all(shape).shrink(Stays::Odd);
    let log = shape.size.ilog2();
    let Some(core) = shrunk.core else {
        out.send(shape.rank + 1, blocks.all());
        let from =
            Team::all(&shape.rank(shape.rank + 1)).shrink(Stays::Odd).core.expect("the odd rank stays");
        return out.recv(from.rank(mirrored(from.me, log)), blocks.block(shape.rank).bytes);
    };
    if let Some(bystander) = shrunk.partner {
        out.recv(bystander, blocks.all().bytes);
        out.reduce(blocks.all().bytes);
    }
    let span = |first, count| {
        let (first, count) = core.owned(first, count);
        blocks.span(first, count)
    };
    swap_halves(&core, span, out);
    hand_over(shape, &core, &blocks, out);
}

/// Equal blocks are put in the order of mirrored numbers, so that each of a power of two ranks ends with its own.
fn permuted(shape: &Shape, out: &mut Schedule) {
    let core = Team::all(shape);
    let log = shape.size.ilog2();
    out.copy(u64::from(shape.size) * shape.bytes);
    for round in core.doubling() {
        let (theirs, count) = kept(round.with, round.bit, log);
        let bytes = u64::from(count) * shape.bytes;
        let with = core.rank(round.with);
        out.irecv(with, bytes);
        out.isend(with, Data::blocks(theirs, count, shape.size, bytes));
        out.carries((theirs..theirs + count).map(|place| Piece::Block(mirrored(place, log))));
        out.wait_all();
        out.reduce(bytes);
    }
}

fn swap_halves(core: &Team, span: impl Fn(u32, u32) -> Data, out: &mut Schedule) {
    let log = core.size.ilog2();
    for round in core.doubling() {
        let with = core.rank(round.with);
        let [(mine, count), (theirs, _)] = [core.me, round.with].map(|member| kept(member, round.bit, log));
        let incoming = span(mine, count).bytes;
        out.exchange(with, span(theirs, count), with, incoming);
        out.reduce(incoming);
    }
}

/// The blocks that a member keeps in round `bit`: the first, and how many.
fn kept(member: u32, bit: u32, log: u32) -> (u32, u32) {
    let first = (0..=bit).filter(|&k| member >> k & 1 == 1).map(|k| 1 << (log - 1 - k)).sum();
    (first, 1 << (log - 1 - bit))
}

/// A member has combined the block of its mirror image: it goes there, and that of the rank that sits out beside it goes to that rank.
fn hand_over(shape: &Shape, core: &Team, blocks: &Blocks, out: &mut Schedule) {
    let mirror = mirrored(core.me, core.size.ilog2());
    let owner = core.rank(mirror);
    let (first, count) = core.owned(mirror, 1);
    if count == 2 {
        out.send(owner - 1, blocks.block(first));
    }
    if mirror != core.me {
        out.exchange(owner, blocks.block(owner), owner, blocks.block(shape.rank).bytes);
    }
}

/// The number with its lowest `bits` bits in reverse order.
fn mirrored(number: u32, bits: u32) -> u32 {
    if bits == 0 { number } else { number.reverse_bits() >> (u32::BITS - bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_mirrored() {
        assert_eq!((0..8).map(|number| mirrored(number, 3)).collect::<Vec<_>>(), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(mirrored(0, 0), 0);
    }

    #[test]
    fn a_member_keeps_half_of_what_is_left() {
        assert_eq!([0, 1, 2].map(|bit| kept(1, bit, 3)), [(4, 4), (4, 2), (4, 1)]);
        assert_eq!(kept(6, 2, 3), (3, 1));
    }
}
