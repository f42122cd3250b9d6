//! Allgathers that only SimGrid has.
//!
//! ```text
//!   NTSLR_NB     the ring, with all receives posted before the first round
//!   rhv          first with the rank of reversed bits, then recursive halving backwards
//!   loosely_lr   rings between the ranks of equal position on all nodes; each block goes around its node when it has come
//!   SMP_NTS      around each node, then a ring of the first ranks, which send what comes along their nodes
//!   smp_simple   around each node, then all first ranks with each other, which send all of it to their nodes
//!   GB           gather at rank 0, broadcast from there, both as in SimGrid's default selection
//! ```
//!
//! From the STAR-MPI project: Faraj, Yuan, Lowenthal: *STAR-MPI: self tuned adaptive routines for MPI collective operations*
//! (2006); SimGrid 3.32, `src/smpi/colls/allgather`. SimGrid takes ranks that follow each other to share a node.

use super::parts::Member;
use super::{Groups, doubling};
use crate::algorithms::allgather;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::doubling_distances;

/// Request sets.
const RECEIVES: u8 = 0;
const OTHERS: u8 = 1;

pub(crate) fn ring_posted_ahead(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    out.set(RECEIVES);
    for round in 1..shape.size {
        out.irecv(shape.before(1), blocks.block(shape.before(round)).bytes);
    }
    out.set(OTHERS);
    for round in 1..shape.size {
        out.isend(shape.after(1), blocks.block(shape.before(round - 1)));
        out.wait(RECEIVES, shape.size - 1 - round);
        out.wait(OTHERS, 0);
    }
    out.set(RECEIVES);
}

/// For a power of two. After the first exchange, what a rank has lies behind what its next partner has.
pub(crate) fn reversed_halving(shape: &Shape, out: &mut Schedule) {
    let (blocks, bits) = (shape.blocks(), shape.size.ilog2());
    let mirrored = shape.rank.reverse_bits() >> (u32::BITS - bits);
    if mirrored != shape.rank {
        out.exchange(mirrored, blocks.block(shape.rank), mirrored, blocks.block(mirrored).bytes);
    }
    let mut first = mirrored;
    for bit in 0..bits {
        let (count, with) = (1 << bit, shape.rank ^ (shape.size >> (bit + 1)));
        let theirs = first ^ count;
        out.exchange(with, blocks.span(first, count), with, blocks.span(theirs, count).bytes);
        first = first.min(theirs);
    }
}

pub(crate) fn rings_of_nodes(shape: &Shape, out: &mut Schedule) {
    let (groups, blocks) = (Groups::of(shape), shape.blocks());
    let of_node = |rounds: u32| (groups.index + 2 * groups.count - rounds) % groups.count * groups.size;
    for round in 0..groups.count {
        let goes_on = round + 1 < groups.count;
        let mine = blocks.block(of_node(round) + groups.position);
        for position in 0..groups.size {
            if position != groups.position {
                out.set(OTHERS);
                out.irecv(groups.first() + position, blocks.block(of_node(round) + position).bytes);
                out.isend(groups.first() + position, mine);
            } else if goes_on {
                out.set(RECEIVES);
                out.irecv(shape.before(groups.size), blocks.block(of_node(round + 1) + position).bytes);
                out.set(OTHERS);
                out.isend(shape.after(groups.size), mine);
            }
        }
        out.wait(RECEIVES, 0);
    }
    out.wait_all();
    out.set(RECEIVES);
}

/// The ranks of a node exchange their blocks, in as many rounds as it has ranks.
fn around_the_node(shape: &Shape, groups: &Groups, out: &mut Schedule) {
    let blocks = shape.blocks();
    for round in 1..groups.size {
        let to = groups.first() + (groups.position + round) % groups.size;
        let from = groups.first() + (groups.position + groups.size - round) % groups.size;
        out.exchange(to, blocks.block(shape.rank), from, blocks.block(from).bytes);
    }
}

pub(crate) fn ring_of_leaders(shape: &Shape, out: &mut Schedule) {
    let groups = Groups::of(shape);
    if groups.count == 1 {
        return allgather::linear(shape, out);
    }
    around_the_node(shape, &groups, out);
    let blocks = shape.blocks();
    // The blocks that arrive in a round: those of one node.
    let node = |rounds: u32| {
        blocks.span((groups.index + groups.count - rounds) % groups.count * groups.size, groups.size)
    };
    let next = (groups.position + 1 < groups.size).then_some(shape.rank + 1);
    if groups.position > 0 {
        for round in 1..groups.count {
            out.recv(shape.rank - 1, node(round).bytes);
            next.into_iter().for_each(|next| out.send(next, node(round)));
        }
        return;
    }
    out.set(RECEIVES);
    (1..groups.count).for_each(|round| out.irecv(shape.before(groups.size), node(round).bytes));
    out.set(OTHERS);
    out.isend(shape.after(groups.size), node(0));
    for round in 1..groups.count {
        out.wait(RECEIVES, groups.count - 1 - round);
        if round + 1 < groups.count {
            out.isend(shape.after(groups.size), node(round));
        }
        next.into_iter().for_each(|next| out.send(next, node(round)));
    }
    out.wait(OTHERS, 0);
    out.set(RECEIVES);
}

pub(crate) fn all_leaders(shape: &Shape, out: &mut Schedule) {
    let groups = Groups::of(shape);
    around_the_node(shape, &groups, out);
    let blocks = shape.blocks();
    if groups.position > 0 {
        return out.recv(groups.first(), blocks.all().bytes);
    }
    let node = |first: u32| blocks.span(first, groups.size);
    for round in 1..groups.count {
        let from = shape.before(round * groups.size);
        out.irecv(from, node(from).bytes);
    }
    for round in 1..groups.count {
        out.isend(shape.after(round * groups.size), node(shape.rank));
    }
    out.wait_all();
    for position in 1..groups.size {
        out.send(shape.rank + position, blocks.span(0, shape.size));
    }
}

/// For allgather and allgatherv.
pub(crate) fn gather_bcast(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    if shape.rank > 0 {
        out.send(0, blocks.block(shape.rank));
    } else {
        (1..shape.size).for_each(|from| out.irecv(from, blocks.block(from).bytes));
        out.wait_all();
    }
    out.next_slot();
    Member { me: shape.rank, size: shape.size }.bcast(blocks.all(), out);
}

/// Neighbour exchange, but for an odd number of ranks every rank sends its block to each other one, not around the ring.
pub(crate) fn neighbors_or_pairs(shape: &Shape, out: &mut Schedule) {
    match shape.size % 2 {
        0 => allgather::neighbor_exchange(shape, out),
        _ => allgather::pairwise(shape, out),
    }
}

/// The leaders gather the blocks of their nodes, allgather them as SimGrid's MPICH selector would, and broadcast all of them.
pub(crate) fn through_leaders(shape: &Shape, out: &mut Schedule) {
    let (groups, blocks) = (Groups::of(shape), shape.blocks());
    if groups.position > 0 {
        out.send(groups.first(), blocks.block(shape.rank));
    } else {
        (1..groups.size).for_each(|position| {
            let from = groups.first() + position;
            out.irecv(from, blocks.block(from).bytes);
        });
        out.wait_all();
        between_leaders(shape, &groups, out);
    }
    out.next_slot();
    out.among(&groups.members(), |out| groups.inside().bcast(blocks.all(), out));
}

fn between_leaders(shape: &Shape, groups: &Groups, out: &mut Schedule) {
    let blocks = shape.blocks();
    let nodes = |first: u32, count: u32| blocks.span(first * groups.size, count * groups.size);
    let (me, count, leader) = (groups.index, groups.count, |node: u32| node * groups.size);
    let after = |distance: u32| (me + distance) % count;
    let before = |distance: u32| (me + count - distance) % count;
    let total = blocks.all().bytes;
    if count.is_power_of_two() && total < 524_288 {
        let data = |range: &std::ops::Range<u32>| nodes(range.start, range.end - range.start);
        doubling::gather(&doubling::moves(me, count), out, leader, data);
    } else if total <= 81_920 {
        for distance in doubling_distances(count) {
            let sent = distance.min(count - distance);
            out.exchange(
                leader(before(distance)),
                nodes(me, sent),
                leader(after(distance)),
                nodes(after(distance), sent).bytes,
            );
        }
    } else {
        for distance in 1..count {
            out.exchange(
                leader(after(distance)),
                nodes(me, 1),
                leader(before(distance)),
                nodes(before(distance), 1).bytes,
            );
        }
    }
}

/// A ring whose blocks are cut into parts of 256 KiB, or of the shortest block if that is longer. SimGrid passes over empty blocks.
pub(crate) fn ring_in_parts(shape: &Shape, out: &mut Schedule) {
    let shortest = shape.recv_counts.iter().copied().min().unwrap_or(shape.bytes);
    let limit = shortest.max(256 * 1024);
    // The outgoing and incoming data: all blocks but one, from `first` on backwards.
    let parts = |first: u32| {
        let blocks = (0..shape.size - 1).map(move |distance| (first + shape.size - distance) % shape.size);
        blocks.flat_map(move |block| {
            let bytes = shape.blocks().block(block).bytes;
            let begins = (0..bytes.div_ceil(limit)).map(move |part| part * limit);
            begins.map(move |begin| Data::part(block, begin, limit.min(bytes - begin)))
        })
    };
    let (mut sent, mut received) = (parts(shape.rank), parts(shape.before(1)));
    loop {
        match (sent.next(), received.next()) {
            (Some(given), Some(taken)) => out.exchange(shape.after(1), given, shape.before(1), taken.bytes),
            (Some(given), None) => out.send(shape.after(1), given),
            (None, Some(taken)) => out.recv(shape.before(1), taken.bytes),
            (None, None) => return,
        }
    }
}

/// SimGrid's ring sends no message for an empty block.
pub(crate) fn has_no_empty_block(shape: &Shape) -> bool {
    (0..shape.size).all(|rank| shape.blocks().block(rank).bytes > 0)
}
