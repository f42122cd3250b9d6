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

use crate::algorithm::Algorithm;
use crate::blocks::Blocks;
use crate::data::Data;
use crate::method::{Table, entry};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Binomial;

pub(crate) const ALGORITHMS: Table =
    &[entry(Algorithm::Binomial, binomial), entry(Algorithm::Linear, linear)];
pub(crate) const VARYING: Table = &[entry(Algorithm::Linear, linear)];

fn linear(shape: &Shape, out: &mut Schedule) {
    if !shape.is_root() {
        return out.send(shape.root, Data::block(shape.rank, shape.bytes));
    }
    for rank in shape.non_roots() {
        out.irecv(rank, shape.received_from(rank));
    }
    out.wait_all();
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
