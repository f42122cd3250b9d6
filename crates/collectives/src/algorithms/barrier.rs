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

use super::allreduce;
use crate::algorithm::Algorithm;
use crate::data::Data;
use crate::method::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::doubling_distances;

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Dissemination, dissemination),
    entry(Algorithm::RecursiveDoubling, recursive_doubling),
    entry(Algorithm::Linear, linear),
    entry(Algorithm::Binomial, binomial),
    entry(Algorithm::DoubleRing, double_ring),
];

fn dissemination(shape: &Shape, out: &mut Schedule) {
    for distance in doubling_distances(shape.size) {
        out.exchange(shape.after(distance), Data::NOTHING, shape.before(distance), 0);
    }
}

/// An allreduce of empty vectors.
fn recursive_doubling(shape: &Shape, out: &mut Schedule) {
    allreduce::recursive_doubling(&empty(shape), out);
}

/// Rank 0 receives from all others, then sends to all others.
fn linear(shape: &Shape, out: &mut Schedule) {
    allreduce::linear(&empty(shape), out);
}

/// The same up and down a binomial tree.
fn binomial(shape: &Shape, out: &mut Schedule) {
    allreduce::reduce_bcast(&empty(shape), out);
}

fn empty<'a>(shape: &Shape<'a>) -> Shape<'a> {
    Shape { bytes: 0, ..*shape }
}

/// A token goes around twice. When it comes back the first time, all ranks have entered; the
/// second time it tells them so.
fn double_ring(shape: &Shape, out: &mut Schedule) {
    let (left, right) = (shape.before(1), shape.after(1));
    for _ in 0..2 {
        if shape.rank > 0 {
            out.recv(left, 0);
        }
        out.send(right, Data::NOTHING);
        if shape.rank == 0 {
            out.recv(left, 0);
        }
    }
}
