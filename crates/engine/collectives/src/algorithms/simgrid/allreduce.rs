//! Allreduces that only SimGrid has.
//!
//! ```text
//!   lr         a ring over whole elements per rank; the remaining elements by redbcast
//!   redbcast   all send to rank 0, which broadcasts the result down a binomial tree
//!   rab1       recursive halving, farthest partner first, on a vector made longer so that it divides; then allgather
//!   smp_*      a binomial reduction on each node, something between the first ranks of the nodes, a binomial broadcast on
//!              each node: smp_binomial (the same again), smp_rdb, smp_rsag_lr (a ring), smp_rsag_rab (Rabenseifner)
//! ```
//!
//! From the STAR-MPI project: Faraj, Yuan, Lowenthal: *STAR-MPI: self tuned adaptive routines for MPI collective operations*
//! (2006); SimGrid 3.32, `src/smpi/colls/allreduce`. `smp_rsag` and `smp_binomial_pipeline` forget elements that do not divide
//! evenly; here they are in the last part.

use mpirage_call::Collective;

use super::parts::{Member, Padded, has_table};
use super::{Groups, halving, reduce};
use crate::algorithms::allreduce;
use crate::data::Data;
use crate::performed::Appended;
use crate::shape::Shape;
use crate::step::Schedule;

pub(crate) fn ring(shape: &Shape, out: &mut Schedule) {
    let (member, all) = (Member { me: shape.rank, size: shape.size }, u64::from(shape.size));
    let block = shape.elements() / all * shape.element;
    let rest = Data::range(block * all, shape.bytes - block * all);
    if block > 0 {
        member.allreduce_ring(|index| Data::range(u64::from(index) * block, block), out);
    }
    if block > 0 && rest.bytes > 0 && has_table(shape) {
        out.next_slot();
        let remainder = Shape { bytes: rest.bytes, ..*shape };
        out.part(block * all, |out| Collective::Allreduce.append_part(&remainder, out));
    } else if block == 0 || rest.bytes > 0 {
        out.next_slot();
        through_zero(member, rest, out);
    }
}

/// Operands that do not commute come to rank 0 one after the other.
pub(crate) fn reduce_bcast(shape: &Shape, out: &mut Schedule) {
    let (member, vector) = (Member { me: shape.rank, size: shape.size }, Data::range(0, shape.bytes));
    if shape.commutative {
        return through_zero(member, vector, out);
    }
    reduce::in_turn(&Shape { root: 0, ..*shape }, out);
    member.bcast(vector, out);
}

fn through_zero(member: Member, data: Data, out: &mut Schedule) {
    member.reduce_at_once(data, out);
    member.bcast(data, out);
}

/// For a power of two.
pub(crate) fn padded_halving(shape: &Shape, out: &mut Schedule) {
    let (elements, all) = (shape.elements(), u64::from(shape.size));
    // SimGrid's way to round up: one element more than needed.
    let block =
        if elements.is_multiple_of(all) { elements / all } else { (elements + all) / all } * shape.element;
    let part = |first: u32, count: u32| Padded {
        bytes: u64::from(count) * block,
        begin: u64::from(first) * block,
        end: shape.bytes,
    };
    let mut mine = 0..shape.size;
    while mine.len() > 1 {
        let half = mine.len() as u32 / 2;
        let with = shape.rank ^ half;
        let (lower, upper) = (mine.start..mine.start + half, mine.start + half..mine.end);
        let (kept, given) = if shape.rank < with { (lower, upper) } else { (upper, lower) };
        out.irecv(with, part(kept.start, half).bytes);
        part(given.start, half).isend(with, out);
        out.wait_all();
        out.reduce(part(kept.start, half).real());
        mine = kept;
    }
    out.next_slot();
    spread(shape, part(shape.rank, 1), out);
}

/// Every rank sends its part to all others at once: SimGrid's default allgather.
fn spread(shape: &Shape, part: Padded, out: &mut Schedule) {
    for other in (0..shape.size).filter(|&other| other != shape.rank) {
        part.isend(other, out);
        out.irecv(other, part.bytes);
    }
    out.wait_all();
}

/// The vector cut into as many blocks of whole elements as there are ranks, which are exchanged, combined and spread.
pub(crate) fn alltoall_allgather(shape: &Shape, out: &mut Schedule) {
    let (elements, all) = (shape.elements(), u64::from(shape.size));
    let block = match elements {
        _ if elements.is_multiple_of(all) => elements / all,
        _ if elements < all => all,
        _ => (elements + all) / all,
    } * shape.element;
    let part = |owner: u32| Padded { bytes: block, begin: u64::from(owner) * block, end: shape.bytes };
    (1..shape.size).for_each(|distance| out.irecv(shape.after(distance), block));
    (1..shape.size).for_each(|distance| part(shape.before(distance)).isend(shape.before(distance), out));
    out.wait_all();
    out.reduce((all - 1) * part(shape.rank).real());
    out.next_slot();
    spread(shape, part(shape.rank), out);
}

/// Reduces on each node, runs `between` with the first ranks of the nodes as members, broadcasts on each node.
fn on_nodes(shape: &Shape, out: &mut Schedule, between: impl FnOnce(Member, &mut Schedule)) {
    let (groups, vector) = (Groups::of(shape), Data::range(0, shape.bytes));
    out.among(&groups.members(), |out| groups.inside().reduce(vector, out));
    if groups.position == 0 {
        out.among(&groups.leaders(), |out| between(groups.between(), out));
    }
    out.among(&groups.members(), |out| groups.inside().bcast(vector, out));
}

pub(crate) fn smp_binomial(shape: &Shape, out: &mut Schedule) {
    on_nodes(shape, out, |member, out| {
        member.reduce(Data::range(0, shape.bytes), out);
        member.bcast(Data::range(0, shape.bytes), out);
    });
}

pub(crate) fn smp_doubling(shape: &Shape, out: &mut Schedule) {
    on_nodes(shape, out, |member, out| {
        allreduce::recursive_doubling(
            &Shape { rank: member.me, size: member.size, nodes: None, ..*shape },
            out,
        );
    });
}

/// The last block has the elements that do not divide evenly.
pub(crate) fn smp_ring(shape: &Shape, out: &mut Schedule) {
    on_nodes(shape, out, |member, out| {
        let block = shape.elements() / u64::from(member.size) * shape.element;
        let begin = |index: u32| if index == member.size { shape.bytes } else { u64::from(index) * block };
        member.allreduce_ring(|index| Data::range(begin(index), begin(index + 1) - begin(index)), out);
    });
}

/// For a power of two.
pub(crate) fn smp_rabenseifner(shape: &Shape, out: &mut Schedule) {
    on_nodes(shape, out, |member, out| {
        halving::blocks_allreduce(&Shape { rank: member.me, size: member.size, nodes: None, ..*shape }, out);
    });
}

/// Segments of 4,096 elements through the four phases of [`smp_binomial`], one phase behind each other.
pub(crate) fn smp_binomial_pipeline(shape: &Shape, out: &mut Schedule) {
    const SEGMENT: u64 = 4096;
    let groups = Groups::of(shape);
    let (members, leaders) = (groups.members(), groups.leaders());
    let (inside, between) = (groups.inside(), (groups.position == 0).then(|| groups.between()));
    let segment = SEGMENT * shape.element;
    let count = shape.bytes.div_ceil(segment).max(1);
    let part = |index: u64| Data::range(index * segment, segment.min(shape.bytes - index * segment));
    // The segment that a phase works on in this round.
    let at = |round: u64, phase: u64| round.checked_sub(phase).filter(|&index| index < count).map(part);
    for round in 0..count + 3 {
        if let Some(data) = at(round, 0) {
            out.among(&members, |out| inside.reduce(data, out));
        }
        if let (Some(data), Some(member)) = (at(round, 1), between) {
            out.among(&leaders, |out| member.reduce(data, out));
        }
        if let (Some(data), Some(member)) = (at(round, 2), between) {
            out.among(&leaders, |out| member.bcast(data, out));
        }
        if let Some(data) = at(round, 3) {
            out.among(&members, |out| inside.bcast(data, out));
        }
    }
}
