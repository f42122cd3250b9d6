//! Gather and gatherv: the root gets a block from every rank.
//!
//! ```text
//!   binomial, 8 ranks        1>0  3>2  5>4  7>6      1 block each
//!                            2>0       6>4           2
//!                            4>0                     4
//! ```
//!
//! With gatherv only the root knows the counts, so no other rank can forward blocks: it is
//! always linear.

use mpirage_call::Algorithm;

use super::{level_blocks, level_pipeline, nothing};
use crate::blocks::Blocks;
use crate::data::Data;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Binomial;

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Binomial, binomial),
    entry(Algorithm::LinearSync, linear_sync).segment(0),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::TwoLevel, level_blocks::gather).parts("default").only_if(level_pipeline::fits),
    entry(Algorithm::Linear, linear).requests(0),
];
pub(crate) const VARYING: Table = &[
    entry(Algorithm::Sparse, sparse).requests(0),
    entry(Algorithm::SparseSynchronous, sparse_synchronous),
    entry(Algorithm::Linear, linear).requests(0),
];

fn linear(shape: &Shape, out: &mut Schedule) {
    if !shape.is_root() {
        return out.send(shape.root, Data::block(shape.rank, shape.bytes));
    }
    receive_all(shape, shape.non_roots(), out);
}

/// As linear, but a rank without bytes sends nothing.
fn sparse(shape: &Shape, out: &mut Schedule) {
    if shape.is_root() {
        receive_all(shape, shape.non_roots().filter(|&rank| shape.received_from(rank) > 0), out);
    } else if shape.bytes > 0 {
        out.send(shape.root, Data::block(shape.rank, shape.bytes));
    }
}

/// The root posts as many receives as it may have outstanding: all, or one after the other.
fn receive_all(shape: &Shape, ranks: impl Iterator<Item = u32>, out: &mut Schedule) {
    for rank in ranks {
        match shape.parameters.requests {
            1 => out.recv(rank, shape.received_from(rank)),
            limit => {
                out.wait(0, limit.wrapping_sub(1));
                out.irecv(rank, shape.received_from(rank));
            }
        }
    }
    out.wait_all();
}

/// The root asks each rank in turn, by an empty message, so that it is not flooded. It waits for a first segment, not for the rest.
pub(crate) fn linear_sync(shape: &Shape, out: &mut Schedule) {
    const FIRST: u8 = 0;
    const REST: u8 = 1;
    let segment = shape.parameters.segment;
    let first = if segment == 0 { shape.bytes } else { segment.min(shape.bytes) };
    let rest = shape.bytes - first;
    if !shape.is_root() {
        out.recv(shape.root, 0);
        out.send(shape.root, Data::part(shape.rank, 0, first));
        return out.send(shape.root, Data::part(shape.rank, first, rest));
    }
    for rank in shape.non_roots() {
        out.set(FIRST);
        out.irecv(rank, first);
        out.send(rank, Data::NOTHING);
        out.set(REST);
        out.irecv(rank, rest);
        out.wait(FIRST, 0);
    }
    out.wait_all();
}

/// The root is not flooded by messages that it does not expect yet: MPICH, from 32 ranks on.
fn sparse_synchronous(shape: &Shape, out: &mut Schedule) {
    if shape.is_root() {
        sparse(shape, out);
    } else if shape.bytes > 0 {
        out.ssend(shape.root, Data::block(shape.rank, shape.bytes));
    }
}

fn binomial(shape: &Shape, out: &mut Schedule) {
    up_the_tree(&Team::from_root(shape), &shape.blocks().owned_from(shape.root), out);
}

/// Member 0 ends with all blocks; `blocks` are in order of members.
pub(crate) fn up_the_tree(team: &Team, blocks: &Blocks, out: &mut Schedule) {
    let tree = Binomial::of(team);
    for child in tree.children() {
        out.recv(team.rank(child.top), blocks.span(child.top, child.size).bytes);
    }
    if let Some(parent) = tree.parent() {
        let own = tree.own();
        out.send(team.rank(parent), blocks.span(own.top, own.size));
    }
}
