//! Reduce-scatter: every rank gets one block of the combination of all ranks' vectors.
//!
//! ```text
//!   recursive halving    log P rounds, half, a quarter, … of the vector     short, commutative
//!   pairwise, ring       P-1 rounds, one block each                         long
//!   recursive doubling   log P rounds, nearly the whole vector each         keeps the order
//! ```
//!
//! The block variant differs only in that all blocks are of one size.
//! Thakur, Rabenseifner, Gropp (2005).

use mpirage_call::{Algorithm, Parameters, SendStyle};

use super::{butterfly, composed, mirrored_halving, nothing, overlapped_ring, reduce, scatter, subtrees};
use crate::blocks::Blocks;
use crate::data::Data;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Stays, Team};

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::RecursiveHalving, recursive_halving).any_order(),
    entry(Algorithm::Pairwise, pairwise).any_order(),
    entry(Algorithm::Ring, ring).any_order(),
    entry(Algorithm::RecursiveDoubling, recursive_doubling),
    entry(Algorithm::OverlappedRing, overlapped_ring::reduce_scatter).any_order(),
    entry(Algorithm::Butterfly, butterfly::reduce_scatter),
    entry(Algorithm::MirroredHalving, mirrored_halving::reduce_scatter)
        .only_if(|shape| shape.size.is_power_of_two()),
    entry(Algorithm::SubtreeDoubling, subtrees::reduce_scatter),
    entry(Algorithm::Composed, composed::reduce_scatter).parts("default"),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.blocks().all().bytes == 0),
    entry(Algorithm::ReduceThenScatter, reduce_then_scatter),
];

/// In round `i` sends rank+i its block, and combines the block received from rank-i.
pub(crate) fn pairwise(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let mine = blocks.block(shape.rank).bytes;
    for distance in 1..shape.size {
        let to = shape.after(distance);
        out.exchange(to, blocks.block(to), shape.before(distance), mine);
        out.reduce(mine);
    }
}

/// Each block travels once around to its owner and is combined on the way.
fn ring(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let (right, left) = (shape.after(1), shape.before(1));
    for round in 1..shape.size {
        let incoming = blocks.block(shape.before((round + 1) % shape.size)).bytes;
        out.exchange(right, blocks.block(shape.before(round)), left, incoming);
        out.reduce(incoming);
    }
}

/// Farthest partner first, so that what a member keeps is contiguous: the blocks of its half, of
/// its quarter, … of the members.
fn recursive_halving(shape: &Shape, out: &mut Schedule) {
    in_the_core(shape, out, |core, blocks, out| {
        for round in core.doubling().rev() {
            let with = core.rank(round.with);
            let kept = group(core, blocks, core.me, round.distance);
            out.exchange(with, group(core, blocks, round.with, round.distance), with, kept.bytes);
            out.reduce(kept.bytes);
        }
    });
}

/// Everything a group of members has combined goes to the group next to it, except the group's
/// own blocks.
fn recursive_doubling(shape: &Shape, out: &mut Schedule) {
    in_the_core(shape, out, |core, blocks, out| {
        for round in core.doubling() {
            let with = core.rank(round.with);
            let incoming = others(core, blocks, round.with, round.distance).bytes;
            out.exchange(with, others(core, blocks, core.me, round.distance), with, incoming);
            out.reduce(incoming);
        }
    });
}

/// The blocks of the aligned group of `size` members around `member`.
fn group(core: &Team, blocks: &Blocks, member: u32, size: u32) -> Data {
    let (first, count) = core.owned(member & !(size - 1), size);
    blocks.span(first, count)
}

/// All blocks but those of the group.
fn others(core: &Team, blocks: &Blocks, member: u32, size: u32) -> Data {
    let (first, count) = core.owned(member & !(size - 1), size);
    let (_, all) = core.owned(0, core.size);
    blocks.span((first + count) % all, all - count)
}

/// Shrinks the team to a power of two, runs `algorithm` there, and sends the others their blocks.
fn in_the_core(shape: &Shape, out: &mut Schedule, algorithm: impl Fn(&Team, &Blocks, &mut Schedule)) {
    let blocks = shape.blocks();
    let shrunk = Team::all(shape).shrink(Stays::Odd);
    let Some(core) = shrunk.core else {
        let partner = shrunk.partner.expect("who sits out has a partner");
        out.send(partner, blocks.all());
        return out.recv(partner, blocks.block(shape.rank).bytes);
    };
    if let Some(bystander) = shrunk.partner {
        out.recv(bystander, blocks.all().bytes);
        out.reduce(blocks.all().bytes);
    }
    algorithm(&core, &blocks, out);
    if let Some(bystander) = shrunk.partner {
        out.send(bystander, blocks.block(bystander));
    }
}

/// A binomial reduction to rank 0, which sends each rank its block.
fn reduce_then_scatter(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    reduce::binomial(&Shape { root: 0, bytes: blocks.all().bytes, ..*shape }, out);
    out.next_slot();
    let mine = blocks.block(shape.rank).bytes;
    let parameters = Parameters { sends: SendStyle::AtOnce, ..shape.parameters };
    let at_zero = Shape { root: 0, bytes: mine, send_counts: shape.recv_counts, parameters, ..*shape };
    scatter::linear(&at_zero, out);
}
