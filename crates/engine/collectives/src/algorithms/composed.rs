//! Collectives made of two others.
//!
//! ```text
//!   allreduce        reduce to rank 0, bcast from there
//!   allgather(v)     gather(v) at rank 0, bcast of all blocks from there
//!   reduce-scatter   reduce to rank 0, scatter(v) from there
//! ```
//!
//! A table chooses the algorithms of the two parts, as for calls of their own: `composed:parts=openmpi-4.1`. This is what Open MPI calls
//! basic, default or non-overlapping.

use mpirage_call::Collective;

use crate::performed::Appended;
use crate::shape::Shape;
use crate::step::Schedule;

pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let at_zero = Shape { root: 0, ..*shape };
    Collective::Reduce.append_part(&at_zero, out);
    out.next_slot();
    Collective::Bcast.append_part(&at_zero, out);
}

pub(crate) fn allgather(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let at_zero = Shape { root: 0, bytes: blocks.block(shape.rank).bytes, ..*shape };
    let counted = !shape.recv_counts.is_empty();
    let gather = if counted { Collective::Gatherv } else { Collective::Gather };
    gather.append_part(&at_zero, out);
    out.next_slot();
    Collective::Bcast.append_part(&Shape { bytes: blocks.all().bytes, ..at_zero }, out);
}

pub(crate) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let at_zero = Shape { root: 0, ..*shape };
    Collective::Reduce.append_part(&Shape { bytes: blocks.all().bytes, ..at_zero }, out);
    out.next_slot();
    let scatter = if shape.recv_counts.is_empty() { Collective::Scatter } else { Collective::Scatterv };
    let mine = blocks.block(shape.rank).bytes;
    scatter.append_part(&Shape { bytes: mine, send_counts: shape.recv_counts, ..at_zero }, out);
}
