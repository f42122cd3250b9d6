//! Broadcast: every rank gets the root's vector.
//!
//! Short vectors want few rounds (binomial tree), long ones want every link busy all the time:
//! either cut the vector into segments that follow each other down a chain or a tree, or let the
//! root scatter the vector and all ranks allgather the pieces:
//!
//! ```text
//!   scatter    0 ──ABCD──> 0:A 1:B 2:C 3:D
//!   allgather                └──> 0:ABCD 1:ABCD 2:ABCD 3:ABCD      2 n instead of n log P bytes
//! ```
//!
//! van de Geijn: *On global combine operations* (1994);
//! Thakur, Rabenseifner, Gropp: *Optimization of collective communication operations in MPICH* (2005).

use mpirage_call::{Algorithm, SendStyle};

use super::pipeline::bcast as pipeline;
use super::{
    allgather, double_tree, level_pipeline, nothing, scatter, split_binary, subtrees, swapped, trees,
    two_level,
};
use crate::blocks::Blocks;
use crate::entry::{Table, entry};
use crate::shape::Shape;
use crate::spanning::{Tree, TreeNode};
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::{Binomial, SEGMENT, Segments};

pub(crate) const ALGORITHMS: Table = &[
    entry(Algorithm::Binomial, binomial).sends(SendStyle::InOrder),
    entry(Algorithm::ScatterAllgather, scatter_allgather),
    entry(Algorithm::ScatterDoubling, scatter_doubling),
    entry(Algorithm::Chain, pipeline::chain).radix(1).segment(SEGMENT),
    entry(Algorithm::BinaryTree, binary_tree).segment(SEGMENT),
    entry(Algorithm::KAry, k_ary).radix(4).segment(SEGMENT),
    entry(Algorithm::StridedTree, pipeline::strided_tree).radix(2).segment(0),
    entry(Algorithm::StridedBinomial, pipeline::strided_binomial).segment(0),
    entry(Algorithm::SwappedBinomial, swapped::bcast),
    entry(Algorithm::KNomial, pipeline::k_nomial).radix(4).segment(0),
    entry(Algorithm::TreeKAry, trees::k_ary::bcast).radix(2).segment(0).sends(SendStyle::AtOnce),
    entry(Algorithm::TreeKNomial1, trees::near_k_nomial::bcast).radix(2).segment(0).sends(SendStyle::AtOnce),
    entry(Algorithm::TreeKNomial2, trees::far_k_nomial::bcast).radix(2).segment(0).sends(SendStyle::AtOnce),
    entry(Algorithm::DoubleTree, double_tree::bcast).segment(SEGMENT),
    entry(Algorithm::SplitBinary, split_binary::bcast).segment(0),
    entry(Algorithm::ScatterSubtrees, subtrees::bcast),
    entry(Algorithm::ScatterRing, subtrees::bcast_ring),
    entry(Algorithm::Nothing, nothing).only_if(|shape| shape.bytes == 0),
    entry(Algorithm::LevelPipeline, level_pipeline::bcast)
        .segment(SEGMENT)
        .parts("default")
        .only_if(level_pipeline::fits),
    entry(Algorithm::TwoLevel, two_level::bcast).parts("default").only_if(two_level::fits),
    entry(Algorithm::TwoLevelByLeader, two_level::bcast_by_leader).parts("default").only_if(two_level::fits),
    entry(Algorithm::Linear, linear),
];

pub(crate) fn linear(shape: &Shape, out: &mut Schedule) {
    if !shape.is_root() {
        return out.recv(shape.root, shape.bytes);
    }
    for rank in shape.non_roots() {
        out.isend(rank, shape.vector());
    }
    out.wait_all();
}

pub(crate) fn binomial(shape: &Shape, out: &mut Schedule) {
    let team = Team::from_root(shape);
    let tree = Binomial::of(&team);
    if let Some(parent) = tree.parent() {
        out.recv(team.rank(parent), shape.bytes);
    }
    for child in tree.children().rev() {
        match shape.parameters.sends {
            SendStyle::InOrder => out.send(team.rank(child.top), shape.vector()),
            SendStyle::AtOnce => out.isend(team.rank(child.top), shape.vector()),
        }
    }
    out.wait_all();
}

/// Allgather around the ring: the most bandwidth, and as many rounds as ranks.
fn scatter_allgather(shape: &Shape, out: &mut Schedule) {
    let (team, blocks) = scattered(shape, out);
    allgather::around_the_ring(&team, &blocks, out);
}

/// Allgather by recursive doubling: fewer rounds, for vectors of medium length.
fn scatter_doubling(shape: &Shape, out: &mut Schedule) {
    let (team, blocks) = scattered(shape, out);
    allgather::by_doubling(&team, &blocks, out);
}

/// Leaves member `i`, counted from the root, with block `i` of the vector.
fn scattered<'a>(shape: &Shape<'a>, out: &mut Schedule) -> (Team, Blocks<'a>) {
    let team = Team::from_root(shape);
    let blocks = Blocks::cut(shape.size, shape.bytes, shape.element);
    scatter::down_the_tree(&team, &blocks, out);
    out.next_slot();
    (team, blocks)
}

fn binary_tree(shape: &Shape, out: &mut Schedule) {
    pass_through(shape, &Tree::Complete(2).place(&Team::from_root(shape)), out);
}

pub(crate) fn k_ary(shape: &Shape, out: &mut Schedule) {
    pass_through(shape, &Tree::Complete(shape.parameters.radix).place(&Team::from_root(shape)), out);
}

/// Receives each segment while it passes on the one before.
fn pass_through(shape: &Shape, place: &TreeNode, out: &mut Schedule) {
    let mut arrived = None;
    for segment in Segments::of(shape).all() {
        if let Some(parent) = place.parent {
            out.irecv(parent, segment.bytes);
        }
        if let Some(before) = arrived.replace(segment) {
            place.children.iter().for_each(|&child| out.isend(child, before));
        }
        out.wait_all();
    }
    if let Some(last) = arrived {
        place.children.iter().for_each(|&child| out.isend(child, last));
        out.wait_all();
    }
}
