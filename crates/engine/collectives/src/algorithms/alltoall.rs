//! Alltoall, alltoallv, alltoallw: a block from every rank to every rank.
//!
//! ```text
//!   linear     1 round     everything at once, the network sorts it out
//!   pairwise   P-1 rounds  in round i send to rank+i, receive from rank-i; or swap with rank^i
//!   Bruck      ⌈log P⌉     in round k send all blocks whose distance to go has bit k set
//! ```
//!
//! Bruck sends each block once per set bit of its distance: fewer messages, more bytes, so it is
//! for short blocks. Bruck, Ho, Kipnis, Upfal, Weathersby: *Efficient algorithms for all-to-all
//! communications in multiport message-passing systems* (1997).

use mpirage_call::Algorithm;

use super::nothing;
use crate::data::{Data, Piece};
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{distances, multiples};

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Pairwise, pairwise),
    entry(Algorithm::PairwiseExchange, pairwise_exchange),
    entry(Algorithm::Bruck, bruck).radix(2),
    entry(Algorithm::AscendingExchange, ascending_exchange),
    entry(Algorithm::Batched, batched).requests(32),
    entry(Algorithm::BothWays, both_ways),
    entry(Algorithm::BothWaysRight, both_ways_right),
    entry(Algorithm::RankOrder, rank_order),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::Linear, linear).requests(0),
];
pub(crate) const VARYING: Table = &[
    entry(Algorithm::Pairwise, pairwise),
    entry(Algorithm::PairwiseExchange, pairwise_exchange),
    entry(Algorithm::AscendingExchange, ascending_exchange),
    entry(Algorithm::Batched, sparse_batched).requests(32),
    entry(Algorithm::BothWays, sparse_both_ways),
    entry(Algorithm::BothWaysRight, sparse_both_ways_right),
    entry(Algorithm::RankOrder, rank_order),
    entry(Algorithm::Sparse, sparse_rank_order),
    entry(Algorithm::Linear, sparse_linear),
];

/// A limit on requests holds for receives and for sends: each that ends makes room for the next.
fn linear(shape: &Shape, out: &mut Schedule) {
    const RECEIVES: u8 = 0;
    const SENDS: u8 = 1;
    let limit = shape.parameters.requests;
    if limit == 0 || limit >= shape.size {
        return all_at_once(shape, |_| true, out);
    }
    let mut receives = (1..shape.size).map(|distance| shape.after(distance));
    let mut sends = (1..shape.size).map(|distance| shape.before(distance));
    for from in receives.by_ref().take(limit as usize) {
        out.irecv(from, shape.received_from(from));
    }
    out.set(SENDS);
    for to in sends.by_ref().take(limit as usize) {
        out.isend(to, shape.block_for(to));
    }
    for (from, to) in receives.zip(sends) {
        out.wait(RECEIVES, limit - 1);
        out.set(RECEIVES);
        out.irecv(from, shape.received_from(from));
        out.wait(SENDS, limit - 1);
        out.set(SENDS);
        out.isend(to, shape.block_for(to));
    }
    out.wait_all();
}

/// All at once, in the order of ranks, empty messages too.
fn rank_order(shape: &Shape, out: &mut Schedule) {
    in_rank_order(shape, |_| true, out);
}

/// All at once, in the order of ranks; pairs without bytes exchange no message.
fn sparse_rank_order(shape: &Shape, out: &mut Schedule) {
    in_rank_order(shape, |bytes| bytes > 0, out);
}

fn in_rank_order(shape: &Shape, wanted: impl Fn(u64) -> bool, out: &mut Schedule) {
    let others = || (0..shape.size).filter(|&other| other != shape.rank);
    for from in others().filter(|&from| wanted(shape.received_from(from))) {
        out.irecv(from, shape.received_from(from));
    }
    for to in others().filter(|&to| wanted(shape.sent_to(to))) {
        out.isend(to, shape.block_for(to));
    }
    out.wait_all();
}

/// In round `i` to the rank `i` to the left, then to the one to the right: half as many rounds as pairwise. Data may lie in place, since a
/// rank needs to keep one block apart only.
fn both_ways(shape: &Shape, out: &mut Schedule) {
    swap_both_ways(shape, Side::Left, |_| true, out);
}

/// The same without empty messages.
fn sparse_both_ways(shape: &Shape, out: &mut Schedule) {
    swap_both_ways(shape, Side::Left, |bytes| bytes > 0, out);
}

/// To the right first.
fn both_ways_right(shape: &Shape, out: &mut Schedule) {
    swap_both_ways(shape, Side::Right, |_| true, out);
}

/// To the right first, without empty messages.
fn sparse_both_ways_right(shape: &Shape, out: &mut Schedule) {
    swap_both_ways(shape, Side::Right, |bytes| bytes > 0, out);
}

/// Where a rank sends first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

fn swap_both_ways(shape: &Shape, first: Side, wanted: impl Fn(u64) -> bool, out: &mut Schedule) {
    for distance in 1..=shape.size / 2 {
        let (right, left) = (shape.after(distance), shape.before(distance));
        let mut directions = [(right, left), (left, right)];
        if first == Side::Right {
            directions.reverse();
        }
        for &(from, to) in &directions[..if left == right { 1 } else { 2 }] {
            if wanted(shape.received_from(from)) {
                out.irecv(from, shape.received_from(from));
            }
            if wanted(shape.sent_to(to)) {
                out.send(to, shape.block_for(to));
            }
            out.wait_all();
        }
    }
}

/// With counts per pair, a pair without bytes exchanges no message; its two ranks do not depend on
/// each other.
fn sparse_linear(shape: &Shape, out: &mut Schedule) {
    all_at_once(shape, |bytes| bytes > 0, out);
}

/// Receives are posted from the right neighbour on, sends from the left one on, so that the first
/// to arrive is the first expected.
fn all_at_once(shape: &Shape, wanted: impl Fn(u64) -> bool, out: &mut Schedule) {
    let from_the_right = (1..shape.size).map(|distance| shape.after(distance));
    for (from, bytes) in from_the_right.map(|r| (r, shape.received_from(r))).filter(|&(_, b)| wanted(b)) {
        out.irecv(from, bytes);
    }
    let from_the_left = (1..shape.size).map(|distance| shape.before(distance));
    for to in from_the_left.filter(|&to| wanted(shape.sent_to(to))) {
        out.isend(to, shape.block_for(to));
    }
    out.wait_all();
}

fn pairwise(shape: &Shape, out: &mut Schedule) {
    for distance in 1..shape.size {
        let (to, from) = (shape.after(distance), shape.before(distance));
        out.exchange(to, shape.block_for(to), from, shape.received_from(from));
    }
}

/// As linear, but so many partners at a time that no rank is flooded: MPICH's throttle. The rank itself counts as its first partner.
fn batched(shape: &Shape, out: &mut Schedule) {
    in_batches(shape, |_| true, out);
}

fn sparse_batched(shape: &Shape, out: &mut Schedule) {
    in_batches(shape, |bytes| bytes > 0, out);
}

fn in_batches(shape: &Shape, wanted: impl Fn(u64) -> bool, out: &mut Schedule) {
    let most = match shape.parameters.requests {
        0 => shape.size,
        limit => limit,
    };
    for first in (0..shape.size).step_by(most as usize) {
        let batch = first.max(1)..shape.size.min(first + most);
        let senders = batch.clone().map(|distance| shape.after(distance));
        for from in senders.filter(|&from| wanted(shape.received_from(from))) {
            out.irecv(from, shape.received_from(from));
        }
        let receivers = batch.map(|distance| shape.before(distance));
        for to in receivers.filter(|&to| wanted(shape.sent_to(to))) {
            out.isend(to, shape.block_for(to));
        }
        out.wait_all();
    }
}

/// Each pair of ranks swaps its blocks in one buffer; low ranks are served first. MPICH, for calls in place.
fn ascending_exchange(shape: &Shape, out: &mut Schedule) {
    for with in (0..shape.size).filter(|&with| with != shape.rank) {
        out.exchange(with, shape.block_for(with), with, shape.received_from(with));
    }
}

/// Two ranks swap their blocks, with another partner in each round: the rounds of a tournament.
fn pairwise_exchange(shape: &Shape, out: &mut Schedule) {
    let partner = |round: u32| match shape.size.is_power_of_two() {
        true => shape.rank ^ round,
        // The numbers of both partners add up to the round (modulo the size); a rank that meets itself pauses.
        false => (round + shape.size - shape.rank) % shape.size,
    };
    for with in (0..shape.size).map(partner).filter(|&with| with != shape.rank) {
        out.exchange(with, shape.block_for(with), with, shape.received_from(with));
    }
}

fn bruck(shape: &Shape, out: &mut Schedule) {
    let all = u64::from(shape.size) * shape.bytes;
    // Rotate, so that a block's index is the distance it has to go; back at the end.
    out.copy(all);
    let radix = shape.parameters.radix;
    for distance in distances(shape.size, radix) {
        let digits = multiples(distance, shape.size, radix);
        let bytes = |far| u64::from(with_digit(far, distance, radix, shape.size)) * shape.bytes;
        let blocks = digits.clone().map(|far| with_digit(far, distance, radix, shape.size)).sum();
        out.pack(digits.clone().map(bytes).sum(), blocks);
        for far in digits {
            out.irecv(shape.before(far), bytes(far));
            out.isend(shape.after(far), Data::range(0, bytes(far)));
            out.carries(passing(shape, distance, far));
        }
        out.wait_all();
    }
    out.pack(all, shape.size);
}

/// The blocks that a rank passes on by `far`, a multiple of `distance`: those with this digit in the distance they have to go. They have
/// come by the lower digits of it already.
fn passing(shape: &Shape, distance: u32, far: u32) -> Vec<Piece> {
    let radix = shape.parameters.radix.max(2);
    let whole = (0..shape.size).filter(|whole| whole / distance % radix == far / distance);
    whole
        .map(|whole| {
            let from = shape.before(whole % distance);
            Piece::Pair { from, to: (from + whole) % shape.size }
        })
        .collect()
}

/// How many of `0..size` have the same digit as `far` at the place of `distance`, to this base.
fn with_digit(far: u32, distance: u32, radix: u32, size: u32) -> u32 {
    let Some(period) = distance.checked_mul(radix.max(2)) else {
        return (size - far).min(distance);
    };
    size / period * distance + (size % period).saturating_sub(far).min(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_digit_are_counted() {
        for (size, radix) in (1..70).flat_map(|size| [2, 3, 4, 7].map(|radix| (size, radix))) {
            for distance in distances(size, radix) {
                for far in multiples(distance, size, radix) {
                    let counted = (0..size).filter(|i| i / distance % radix == far / distance).count();
                    assert_eq!(with_digit(far, distance, radix, size) as usize, counted);
                }
            }
        }
    }
}
