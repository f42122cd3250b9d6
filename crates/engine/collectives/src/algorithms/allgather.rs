//! Allgather and allgatherv: every rank gets a block from every rank.
//!
//! ```text
//!   ring                P-1 rounds   pass the block that came last to the right
//!   neighbour exchange  P/2 rounds   pass the two blocks that came last, left and right in turn
//!   recursive doubling  log P        swap all you have with a partner at distance 1, 2, 4, …
//!   Bruck               ⌈log P⌉      send all you have 1, 2, 4, … to the left; rotate at the end. With radix k: 1, …, k-1, then
//!                                    k, …, (k-1)k, … at once
//! ```
//!
//! All of them move P-1 blocks into every rank; they differ in rounds and in how far a message
//! goes. Bruck et al. (1997); Thakur, Rabenseifner, Gropp (2005);
//! Chen et al.: *Performance evaluation of allgather algorithms on terascale Linux cluster with
//! fast Ethernet* (2005).

use mpirage_call::Algorithm;

use super::{bcast, composed, gather, level_blocks, nothing, recursive_exchange};
use crate::blocks::Blocks;
use crate::data::Data;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Stays, Team, distances, multiples};

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Ring, ring).segment(0),
    entry(Algorithm::RecursiveExchange, recursive_exchange::allgather).radix(2),
    entry(Algorithm::RecursiveDoubling, recursive_doubling),
    entry(Algorithm::Bruck, bruck).radix(2),
    entry(Algorithm::NeighborExchange, neighbor_exchange),
    entry(Algorithm::GatherBcast, gather_bcast),
    entry(Algorithm::RankOrder, rank_order),
    entry(Algorithm::RightFirst, right_first),
    entry(Algorithm::Pairwise, pairwise),
    entry(Algorithm::PairwiseExchange, pairwise_exchange).only_if(|shape| shape.size.is_power_of_two()),
    entry(Algorithm::Composed, composed::allgather).parts("default"),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.blocks().all().bytes == 0),
    entry(Algorithm::TwoLevel, level_blocks::allgather).parts("default").only_if(level_blocks::fits),
    entry(Algorithm::Linear, linear),
];

/// In round i a rank sends its block to rank + i and gets that of rank - i.
pub(crate) fn pairwise(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    for distance in 1..shape.size {
        let (to, from) = (shape.after(distance), shape.before(distance));
        out.exchange(to, blocks.block(shape.rank), from, blocks.block(from).bytes);
    }
}

/// In round i a rank swaps blocks with rank ^ i.
fn pairwise_exchange(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    for with in (1..shape.size).map(|round| shape.rank ^ round) {
        out.exchange(with, blocks.block(shape.rank), with, blocks.block(with).bytes);
    }
}

/// Each rank sends its block to all others at once: to the left neighbour first, from the right one.
pub(crate) fn linear(shape: &Shape, out: &mut Schedule) {
    at_once(shape, |distance| shape.after(distance), |distance| shape.before(distance), out);
}

/// The other way around.
fn right_first(shape: &Shape, out: &mut Schedule) {
    at_once(shape, |distance| shape.before(distance), |distance| shape.after(distance), out);
}

/// In the order of ranks.
fn rank_order(shape: &Shape, out: &mut Schedule) {
    let other = |index: u32| if index <= shape.rank { index - 1 } else { index };
    at_once(shape, other, other, out);
}

/// Partners as these functions say for the numbers from 1 on.
fn at_once(shape: &Shape, from: impl Fn(u32) -> u32, to: impl Fn(u32) -> u32, out: &mut Schedule) {
    let blocks = shape.blocks();
    for from in (1..shape.size).map(from) {
        out.irecv(from, blocks.block(from).bytes);
    }
    for to in (1..shape.size).map(to) {
        out.isend(to, blocks.block(shape.rank));
    }
    out.wait_all();
}

fn ring(shape: &Shape, out: &mut Schedule) {
    match shape.parameters.segment {
        0 => around_the_ring(&Team::all(shape), &shape.blocks(), out),
        segment => ring_in_segments(shape, segment, out),
    }
}

/// Blocks of different lengths go in segments, so that a long one is passed on while it arrives. What a rank sends and what it
/// receives advance side by side, one segment each. MPICH does this for allgatherv.
fn ring_in_segments(shape: &Shape, segment: u64, out: &mut Schedule) {
    let blocks = shape.blocks();
    let segments = |owner: u32| {
        let bytes = blocks.block(owner).bytes;
        let parts = bytes.div_ceil(segment).max(1);
        (0..parts).map(move |part| {
            let offset = part * segment;
            Data::part(owner, offset, segment.min(bytes - offset))
        })
    };
    let mut outgoing = (0..shape.size - 1).flat_map(|distance| segments(shape.before(distance)));
    let mut incoming = (1..shape.size).flat_map(|distance| segments(shape.before(distance)));
    let (right, left) = (shape.after(1), shape.before(1));
    loop {
        match (outgoing.next(), incoming.next()) {
            (Some(sent), Some(received)) => out.exchange(right, sent, left, received.bytes),
            (Some(sent), None) => out.send(right, sent),
            (None, Some(received)) => out.recv(left, received.bytes),
            (None, None) => return,
        }
    }
}

/// Each member starts with its own block; `blocks` are in order of members.
pub(crate) fn around_the_ring(team: &Team, blocks: &Blocks, out: &mut Schedule) {
    let back = |distance| (team.me + team.size - distance) % team.size;
    let (right, left) = (team.rank((team.me + 1) % team.size), team.rank(back(1)));
    for round in 1..team.size {
        out.exchange(right, blocks.block(back(round - 1)), left, blocks.block(back(round)).bytes);
    }
}

fn recursive_doubling(shape: &Shape, out: &mut Schedule) {
    by_doubling(&Team::all(shape), &shape.blocks(), out);
}

/// Each member starts with its own block; `blocks` are in order of members.
pub(crate) fn by_doubling(team: &Team, blocks: &Blocks, out: &mut Schedule) {
    let shrunk = team.shrink(Stays::Even);
    let (mine, all) = (blocks.block(team.me), blocks.all());
    let Some(core) = shrunk.core else {
        let partner = shrunk.partner.expect("who sits out has a partner");
        out.send(partner, mine);
        return out.recv(partner, all.bytes);
    };
    if let Some(bystander) = shrunk.partner {
        out.recv(bystander, blocks.block(team.me + 1).bytes);
    }
    for round in core.doubling() {
        // The data a member has by now: the blocks of the aligned group of members around it.
        let gathered = |member: u32| {
            let (first, count) = core.owned(member & !(round.distance - 1), round.distance);
            blocks.span(first, count)
        };
        let with = core.rank(round.with);
        out.exchange(with, gathered(core.me), with, gathered(round.with).bytes);
    }
    if let Some(bystander) = shrunk.partner {
        out.send(bystander, all);
    }
}

fn bruck(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let radix = shape.parameters.radix;
    for distance in distances(shape.size, radix) {
        for far in multiples(distance, shape.size, radix) {
            let count = distance.min(shape.size - far);
            let (left, right) = (shape.before(far), shape.after(far));
            out.irecv(right, blocks.span(right, count).bytes);
            out.isend(left, blocks.span(shape.rank, count));
        }
        out.wait_all();
    }
    if shape.rank != 0 {
        // Blocks were collected from the rank's own one on; the rotation puts the first one first.
        out.copy(blocks.all().bytes);
    }
}

/// Wants an even number of ranks; an odd one goes around the ring instead.
pub(crate) fn neighbor_exchange(shape: &Shape, out: &mut Schedule) {
    if shape.size % 2 == 1 {
        return ring(shape, out);
    }
    let blocks = shape.blocks();
    let around = |rank: u32, steps: i64| (i64::from(rank) + steps).rem_euclid(i64::from(shape.size)) as u32;
    // Ranks pair up as (0 1)(2 3)…; `outward` is the direction of the partner.
    let (pair, outward) = if shape.rank.is_multiple_of(2) { (shape.rank, 1) } else { (shape.rank - 1, -1) };
    let partner = around(shape.rank, outward);
    out.exchange(partner, blocks.block(shape.rank), partner, blocks.block(partner).bytes);

    // From now on two blocks at a time, those of the pair received last. Blocks from the
    // partner's side are one pair further away each time it is that side's turn.
    let mut latest = pair;
    for round in 1..i64::from(shape.size) / 2 {
        let side = if round % 2 == 0 { outward } else { -outward };
        let neighbor = around(shape.rank, side);
        let incoming = around(pair, side * 2 * ((round + 1) / 2));
        out.exchange(neighbor, blocks.span(latest, 2), neighbor, blocks.span(incoming, 2).bytes);
        latest = incoming;
    }
}

/// Gathers at rank 0, which broadcasts the whole.
fn gather_bcast(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    gather::up_the_tree(&Team::all(shape), &blocks, out);
    out.next_slot();
    bcast::binomial(&Shape::new(shape.size).rank(shape.rank).bytes(blocks.all().bytes), out);
}
