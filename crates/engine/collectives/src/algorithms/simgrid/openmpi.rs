//! Algorithms that SimGrid has from Open MPI 1.x, with the segments that they choose themselves.
//!
//! Open MPI takes the length of segments from its decision functions; SimGrid has moved these rules into the algorithms. The rest is the
//! same. SimGrid 3.32, `src/smpi/colls/{bcast,reduce,gather,allreduce,barrier}/*-ompi*.cpp`.

use mpirage_call::Parameters;

use super::{allreduce, relay};
use crate::algorithms::{barrier, gather, overlapped_ring, pipeline, split_binary};
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::doubling_distances;

const KIB: u64 = 1024;

/// The same call with segments of so many bytes and a tree of that radix.
fn with<'a>(shape: &Shape<'a>, segment: u64, radix: u32) -> Shape<'a> {
    Shape { parameters: Parameters { segment, radix, ..shape.parameters }, ..*shape }
}

/// Whether the number of ranks is below a line over the size of the vector.
fn below(shape: &Shape, per_byte: f64, at_zero: f64) -> bool {
    f64::from(shape.size) < per_byte * shape.bytes as f64 + at_zero
}

/// Whether the number of ranks is above a line over the size of the vector.
fn above(shape: &Shape, per_byte: f64, at_zero: f64) -> bool {
    f64::from(shape.size) > per_byte * shape.bytes as f64 + at_zero
}

pub(crate) fn bcast_pipeline(shape: &Shape, out: &mut Schedule) {
    let segment = match shape {
        _ if below(shape, 1.6134e-6, 2.1102) => 128 * KIB,
        _ if below(shape, 2.3679e-6, 1.1787) => 64 * KIB,
        _ if below(shape, 3.2118e-6, 8.7936) => 16 * KIB,
        _ => 128 * KIB,
    };
    pipeline::bcast::chain(&with(shape, segment, 1), out);
}

/// A vector whose halves are shorter than a segment goes along the chains of [`relay::chain_of_nodes`].
pub(crate) fn bcast_split_binary(shape: &Shape, out: &mut Schedule) {
    let segment = if shape.bytes < 370_728 { KIB } else { 8 * KIB };
    if shape.bytes / 2 < segment {
        return relay::chain_of_nodes(&with(shape, 8 * KIB, 1), out);
    }
    split_binary::bcast(&with(shape, segment, 2), out);
}

pub(crate) fn reduce_chain(shape: &Shape, out: &mut Schedule) {
    pipeline::reduce::chain(&with(shape, 64 * KIB, (shape.size / 2).max(1)), out);
}

pub(crate) fn reduce_pipeline(shape: &Shape, out: &mut Schedule) {
    let segment = match shape {
        _ if above(shape, 0.0410 / 1024.0, 9.7128) => KIB,
        _ if above(shape, 0.0033 / 1024.0, 1.6761) => 32 * KIB,
        _ => 64 * KIB,
    };
    pipeline::reduce::chain(&with(shape, segment, 1), out);
}

pub(crate) fn reduce_binomial(shape: &Shape, out: &mut Schedule) {
    let short = shape.bytes < 2048 || shape.elements() <= 1 || shape.size < 8 && shape.bytes < 20_480;
    let segment = if !short && above(shape, 0.6016 / 1024.0, 1.3496) { KIB } else { 0 };
    pipeline::reduce::k_nomial(&with(shape, segment, 2), out);
}

pub(crate) fn gather_linear_sync(shape: &Shape, out: &mut Schedule) {
    let first = if shape.bytes > 92_160 { 32 * KIB } else { KIB };
    gather::linear_sync(&with(shape, first, 2), out);
}

/// Segments of 1 MiB, if every rank has one.
pub(crate) fn allreduce_ring(shape: &Shape, out: &mut Schedule) {
    const SEGMENT: u64 = 1024 * KIB;
    if shape.bytes < u64::from(shape.size) * SEGMENT.min(shape.bytes) {
        return allreduce::ring(shape, out);
    }
    overlapped_ring::allreduce(&with(shape, SEGMENT, 2), out);
}

/// A token goes around twice. Open MPI's ranks wait the second time until the next one receives it; here they do not.
pub(crate) fn barrier_double_ring(shape: &Shape, out: &mut Schedule) {
    barrier::double_ring_by(shape, out, [Schedule::send, Schedule::send]);
}

/// Recursive doubling of the lowest ranks, a power of two. Each rank above sends one of them an empty message when it enters, and receives one when all have entered.
pub(crate) fn barrier_doubling(shape: &Shape, out: &mut Schedule) {
    let power = 1 << shape.size.ilog2();
    if shape.rank >= power {
        let partner = shape.rank - power;
        return out.exchange(partner, Data::NOTHING, partner, 0);
    }
    let above = Some(shape.rank + power).filter(|&above| above < shape.size);
    above.into_iter().for_each(|above| out.recv(above, 0));
    for with in doubling_distances(power).map(|distance| shape.rank ^ distance) {
        out.exchange(with, Data::NOTHING, with, 0);
    }
    above.into_iter().for_each(|above| out.send(above, Data::NOTHING));
}
