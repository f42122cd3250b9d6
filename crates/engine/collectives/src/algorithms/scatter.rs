//! Scatter and scatterv: every rank gets a block from the root.
//!
//! ```text
//!   binomial, 8 ranks        0>4                     4 blocks each, the biggest subtree first
//!                            0>2       4>6           2
//!                            0>1  2>3  4>5  6>7      1
//! ```
//!
//! With scatterv only the root knows the counts: it is always linear.

use mpirage_call::{Algorithm, SendStyle};

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
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::TwoLevel, level_blocks::scatter).parts("default").only_if(level_pipeline::fits),
    entry(Algorithm::Linear, linear).sends(SendStyle::AtOnce),
];
pub(crate) const VARYING: Table = &[
    entry(Algorithm::Sparse, sparse).sends(SendStyle::AtOnce),
    entry(Algorithm::Linear, linear).sends(SendStyle::AtOnce),
];

pub(crate) fn linear(shape: &Shape, out: &mut Schedule) {
    if !shape.is_root() {
        return out.recv(shape.root, shape.bytes);
    }
    send_all(shape, shape.non_roots(), out);
}

/// As linear, but a rank without bytes gets no message.
fn sparse(shape: &Shape, out: &mut Schedule) {
    if shape.is_root() {
        send_all(shape, shape.non_roots().filter(|&rank| shape.sent_to(rank) > 0), out);
    } else if shape.bytes > 0 {
        out.recv(shape.root, shape.bytes);
    }
}

fn send_all(shape: &Shape, ranks: impl Iterator<Item = u32>, out: &mut Schedule) {
    for rank in ranks {
        out.send_to_one_of_many(shape, rank, Data::block(rank, shape.sent_to(rank)));
    }
    out.wait_all();
}

fn binomial(shape: &Shape, out: &mut Schedule) {
    down_the_tree(&Team::from_root(shape), &shape.blocks().owned_from(shape.root), out);
}

/// Member 0 starts with all blocks, every member ends with one; `blocks` are in order of members.
pub(crate) fn down_the_tree(team: &Team, blocks: &Blocks, out: &mut Schedule) {
    let tree = Binomial::of(team);
    if let Some(parent) = tree.parent() {
        let own = tree.own();
        out.recv(team.rank(parent), blocks.span(own.top, own.size).bytes);
    }
    for child in tree.children().rev() {
        out.send(team.rank(child.top), blocks.span(child.top, child.size));
    }
}
