//! Scan and exscan: rank i gets the combination of the vectors of ranks 0 to i, or to i-1.
//!
//! ```text
//!   linear               0 > 1 > 2 > 3 > …            P-1 messages one after the other
//!   recursive doubling   swap the sum of the group    log P rounds; a rank keeps the sum of its
//!                        with rank ^ 2^k              group and, apart, of what is below itself
//!   dissemination        send to rank + 2^k            log P rounds, one sum only
//! ```
//!
//! A rank without a partner skips the round: no rank is above its group, and all ranks below have
//! sent already. The two operations differ in what they combine, not in what they send.
//! Hillis, Steele: *Data parallel algorithms* (1986).

use mpirage_call::Algorithm;

use super::nothing;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::doubling_distances;

pub(crate) const INCLUSIVE: Table = &[
    entry(Algorithm::RecursiveDoubling, recursive_doubling),
    entry(Algorithm::Dissemination, dissemination),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::Linear, linear),
];
pub(crate) const EXCLUSIVE: Table = &[
    entry(Algorithm::RecursiveDoubling, exclusive_doubling),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::Linear, exclusive_linear),
];

/// Receives the sum of all ranks below, adds its own vector, and sends the sum on.
fn linear(shape: &Shape, out: &mut Schedule) {
    if shape.rank > 0 {
        out.recv(shape.rank - 1, shape.bytes);
        out.reduce(shape.bytes);
    }
    if shape.rank + 1 < shape.size {
        out.send(shape.rank + 1, shape.vector());
    }
}

/// The received sum is the result. The rank adds its own vector only for the ranks above.
fn exclusive_linear(shape: &Shape, out: &mut Schedule) {
    let is_last = shape.rank + 1 == shape.size;
    if shape.rank > 0 {
        out.recv(shape.rank - 1, shape.bytes);
        out.reduce(if is_last { 0 } else { shape.bytes });
    }
    if !is_last {
        out.send(shape.rank + 1, shape.vector());
    }
}

fn recursive_doubling(shape: &Shape, out: &mut Schedule) {
    swap_sums(shape, out, |_| shape.bytes);
}

/// Sends its sum of the last `distance` ranks to the rank `distance` above.
fn dissemination(shape: &Shape, out: &mut Schedule) {
    for distance in doubling_distances(shape.size) {
        let (above, below) = (shape.rank + distance, shape.rank.checked_sub(distance));
        if let Some(below) = below {
            out.irecv(below, shape.bytes);
        }
        if above < shape.size {
            out.isend(above, shape.vector());
        }
        out.wait_all();
        if below.is_some() {
            out.reduce(shape.bytes);
        }
    }
}

/// The first sum from below is only stored: there is nothing yet to combine it with.
fn exclusive_doubling(shape: &Shape, out: &mut Schedule) {
    let lowest = shape.rank & shape.rank.wrapping_neg();
    swap_sums(shape, out, |distance| if distance == lowest { 0 } else { shape.bytes });
}

/// `below` appends the work of combining a sum from below into the result.
fn swap_sums(shape: &Shape, out: &mut Schedule, below: impl Fn(u32) -> u64) {
    for distance in doubling_distances(shape.size) {
        let with = shape.rank ^ distance;
        if with >= shape.size {
            continue;
        }
        out.exchange(with, shape.vector(), with, shape.bytes);
        out.reduce(shape.bytes);
        if with < shape.rank {
            out.reduce(below(distance));
        }
    }
}
