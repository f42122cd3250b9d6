//! Allreduce: every rank gets the combination of all ranks' vectors.
//!
//! ```text
//!   recursive doubling   log P rounds, the whole vector each       short vectors
//!   Rabenseifner         2 log P rounds, 2 n bytes in total        long vectors
//!   ring                 2 (P-1) rounds, 2 n bytes, neighbours     very long vectors
//! ```
//!
//! Thakur, Rabenseifner, Gropp: *Optimization of collective communication operations in MPICH*
//! (2005); Patarasuk, Yuan: *Bandwidth optimal all-reduce algorithms for clusters of
//! workstations* (2009).

use mpirage_call::Algorithm;

use super::reduce::{Cut, Halving};
use super::{
    bcast, composed, halved_rabenseifner, level_pipeline, nothing, overlapped_ring, pipeline,
    recursive_exchange, recursive_multiplying, reduce, trees, two_level,
};
use crate::blocks::Blocks;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Stays, Team};
use crate::tree::SEGMENT;

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::RecursiveDoubling, recursive_doubling),
    entry(Algorithm::RecursiveExchange, recursive_exchange::allreduce).radix(2).any_order(),
    entry(Algorithm::RecursiveMultiplying, recursive_multiplying::allreduce).radix(2).any_order(),
    entry(Algorithm::KReduceScatterAllgather, recursive_exchange::reduce_scatter_allgather)
        .radix(2)
        .any_order(),
    entry(Algorithm::TreeKAry, trees::k_ary::allreduce).radix(2).segment(0).any_order(),
    entry(Algorithm::TreeKNomial1, trees::near_k_nomial::allreduce).radix(2).segment(0).any_order(),
    entry(Algorithm::TreeKNomial2, trees::far_k_nomial::allreduce).radix(2).segment(0).any_order(),
    entry(Algorithm::Rabenseifner, |shape, out| rabenseifner(shape, Blocks::cut, out)),
    entry(Algorithm::RabenseifnerLongLast, |shape, out| rabenseifner(shape, Blocks::with_long_last, out)),
    entry(Algorithm::Ring, ring).any_order(),
    entry(Algorithm::ReduceBcast, reduce_bcast),
    entry(Algorithm::HalvedRabenseifner, halved_rabenseifner::allreduce).any_order(),
    entry(Algorithm::OverlappedRing, overlapped_ring::allreduce).segment(0).any_order(),
    entry(Algorithm::BinomialTrees, binomial_trees),
    entry(Algorithm::Composed, composed::allreduce).parts("default"),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::LevelPipeline, level_pipeline::allreduce)
        .segment(SEGMENT)
        .parts("default")
        .only_if(level_pipeline::any_order),
    entry(Algorithm::TwoLevel, two_level::allreduce).parts("default").only_if(two_level::any_order),
    entry(Algorithm::Linear, linear).requests(0),
];

pub(crate) fn recursive_doubling(shape: &Shape, out: &mut Schedule) {
    in_the_core(shape, out, |core, out| {
        for round in core.doubling() {
            let with = core.rank(round.with);
            out.exchange(with, shape.vector(), with, shape.bytes);
            out.reduce(shape.bytes);
        }
    });
}

fn rabenseifner<'a>(shape: &Shape<'a>, cut: Cut<'a>, out: &mut Schedule) {
    in_the_core(shape, out, |core, out| {
        let halving = Halving::of(core, shape, cut);
        halving.reduce_scatter(out);
        halving.allgather(out);
    });
}

/// Shrinks the team to a power of two, runs `algorithm` there, and sends the result to the others.
fn in_the_core(shape: &Shape, out: &mut Schedule, algorithm: impl Fn(&Team, &mut Schedule)) {
    let shrunk = Team::all(shape).shrink(Stays::Odd);
    let Some(core) = shrunk.core else {
        let partner = shrunk.partner.expect("who sits out has a partner");
        out.send(partner, shape.vector());
        return out.recv(partner, shape.bytes);
    };
    if let Some(bystander) = shrunk.partner {
        out.recv(bystander, shape.bytes);
        out.reduce(shape.bytes);
    }
    algorithm(&core, out);
    if let Some(bystander) = shrunk.partner {
        out.send(bystander, shape.vector());
    }
}

/// The blocks go once around to be combined, and once around to be distributed.
fn ring(shape: &Shape, out: &mut Schedule) {
    let blocks = Blocks::cut(shape.size, shape.bytes, shape.element);
    let (right, left) = (shape.after(1), shape.before(1));
    for round in 1..shape.size {
        let incoming = blocks.block(shape.before(round)).bytes;
        out.exchange(right, blocks.block(shape.before(round - 1)), left, incoming);
        out.reduce(incoming);
    }
    out.next_slot();
    // The block combined last is the first to be distributed: that of the right neighbour.
    for round in 1..shape.size {
        let outgoing = blocks.block((shape.before(round - 1) + 1) % shape.size);
        out.exchange(right, outgoing, left, blocks.block(shape.before(round - 1)).bytes);
    }
}

/// A binomial reduction to rank 0 and a binomial broadcast from there.
pub(crate) fn reduce_bcast(shape: &Shape, out: &mut Schedule) {
    let at_zero = Shape { root: 0, ..*shape };
    reduce::binomial(&at_zero, out);
    out.next_slot();
    bcast::binomial(&at_zero, out);
}

/// A binomial reduction to rank 0, and a broadcast from there through a tree with strided subtrees.
fn binomial_trees(shape: &Shape, out: &mut Schedule) {
    let at_zero = Shape { root: 0, ..*shape };
    reduce::binomial(&at_zero, out);
    out.next_slot();
    pipeline::bcast::strided_binomial(&at_zero, out);
}

/// The same in the complete tree of that radix, with whole vectors.
pub(crate) fn k_ary(shape: &Shape, out: &mut Schedule) {
    let at_zero = Shape { root: 0, ..*shape };
    reduce::k_ary(&at_zero, out);
    out.next_slot();
    bcast::k_ary(&at_zero, out);
}

pub(crate) fn linear(shape: &Shape, out: &mut Schedule) {
    let at_zero = Shape { root: 0, ..*shape };
    reduce::linear(&at_zero, out);
    out.next_slot();
    bcast::linear(&at_zero, out);
}
