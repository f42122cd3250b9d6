//! Barrier: no rank leaves before the last one has entered.
//!
//! Messages are empty; only the number of rounds counts.
//!
//! ```text
//!   dissemination, 5 ranks          all ranks at once, round k: send to rank + 2^k
//!
//!   round 0   0>1 1>2 2>3 3>4 4>0   knows 2
//!   round 1   0>2 1>3 2>4 3>0 4>1   knows 4
//!   round 2   0>4 1>0 2>1 3>2 4>3   knows all
//! ```
//!
//! Hensgen, Finkel, Manber: *Two algorithms for barrier synchronization* (1988).

use mpirage_call::{Algorithm, SendStyle};

use super::{allreduce, level_pipeline, recursive_exchange, two_level};
use crate::data::Data;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{distances, doubling_distances, multiples};

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Dissemination, dissemination).radix(2),
    entry(Algorithm::RecursiveDoubling, recursive_doubling),
    entry(Algorithm::RecursiveExchange, recursive_exchange::barrier).radix(2),
    entry(Algorithm::SurplusDoubling, surplus_doubling),
    entry(Algorithm::Binomial, binomial),
    entry(Algorithm::DoubleRing, double_ring),
    entry(Algorithm::KAry, k_ary).radix(4),
    entry(Algorithm::LevelPipeline, level_pipeline::barrier).parts("default").only_if(level_pipeline::fits),
    entry(Algorithm::TwoLevel, two_level::barrier).parts("default").only_if(two_level::fits),
    entry(Algorithm::Linear, linear).sends(SendStyle::AtOnce),
];

/// With a radix k a rank hears from k - 1 others in each round, so that the ranks it knows of grow k-fold.
pub(crate) fn dissemination(shape: &Shape, out: &mut Schedule) {
    let radix = shape.parameters.radix;
    for distance in distances(shape.size, radix) {
        for far in multiples(distance, shape.size, radix) {
            out.irecv(shape.before(far), 0);
            out.isend(shape.after(far), Data::NOTHING);
        }
        out.wait_all();
    }
}

/// An allreduce of empty vectors.
fn recursive_doubling(shape: &Shape, out: &mut Schedule) {
    allreduce::recursive_doubling(&empty(shape), out);
}

/// Recursive doubling of the lowest ranks, a power of two. Each rank above sends one of them an empty message when it enters, and receives one when all have entered.
fn surplus_doubling(shape: &Shape, out: &mut Schedule) {
    let power = 1 << shape.size.ilog2();
    if shape.rank >= power {
        let partner = shape.rank - power;
        return out.exchange(partner, Data::NOTHING, partner, 0);
    }
    let above = (shape.rank + power < shape.size).then_some(shape.rank + power);
    if let Some(above) = above {
        out.recv(above, 0);
    }
    for distance in doubling_distances(power) {
        let with = shape.rank ^ distance;
        out.exchange(with, Data::NOTHING, with, 0);
    }
    if let Some(above) = above {
        out.ssend(above, Data::NOTHING);
    }
}

/// Rank 0 receives from all others, then sends to all others.
pub(crate) fn linear(shape: &Shape, out: &mut Schedule) {
    if shape.rank > 0 {
        out.send(0, Data::NOTHING);
        return out.recv(0, 0);
    }
    (1..shape.size).for_each(|rank| out.irecv(rank, 0));
    out.wait_all();
    (1..shape.size).for_each(|rank| out.send_to_one_of_many(shape, rank, Data::NOTHING));
    out.wait_all();
}

/// Up and down the complete tree of that radix.
fn k_ary(shape: &Shape, out: &mut Schedule) {
    allreduce::k_ary(&empty(shape), out);
}

/// The same up and down a binomial tree.
fn binomial(shape: &Shape, out: &mut Schedule) {
    allreduce::reduce_bcast(&empty(shape), out);
}

fn empty<'a>(shape: &Shape<'a>) -> Shape<'a> {
    Shape { bytes: 0, ..*shape }
}

/// A token goes around twice. When it comes back the first time, all ranks have entered; the
/// second time it tells them so, and each waits until the next one has begun to receive it.
fn double_ring(shape: &Shape, out: &mut Schedule) {
    double_ring_by(shape, out, [Schedule::send, Schedule::ssend]);
}

/// The same with a way to send for each round.
pub(super) fn double_ring_by(shape: &Shape, out: &mut Schedule, sends: [fn(&mut Schedule, u32, Data); 2]) {
    let (left, right) = (shape.before(1), shape.after(1));
    for send in sends {
        if shape.rank > 0 {
            out.recv(left, 0);
        }
        send(out, right, Data::NOTHING);
        if shape.rank == 0 {
            out.recv(left, 0);
        }
    }
}
