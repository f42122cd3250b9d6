//! Broadcast and reduction through a tree, with the vector in segments behind each other.
//!
//! ```text
//!   down: irecv k+1, wait for k, isend k to all children, wait for these sends
//!   up:   irecv of the next child or segment, wait for the one before, combine it; a finished segment goes up by a blocking send
//! ```
//!
//! One function each for all trees of `spanning`. Without segments a rank receives the vector, then serves all children at once. This is
//! how Open MPI does it (`coll/base`): which receive is posted ahead, and that sends to all children are under way together, decides how
//! links are used. Pješivac-Grbović et al.: *Performance analysis of MPI collective operations* (2007).

use crate::data::Data;
use crate::shape::Shape;
use crate::spanning::{Tree, TreeNode};
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Segments;

/// Request sets: receives take the first two in turn, sends the third.
const SENDS: u8 = 2;

/// The broadcasts of this family.
pub(crate) mod bcast {
    use super::*;

    pub(crate) fn chain(shape: &Shape, out: &mut Schedule) {
        down(shape, Tree::Chains(shape.parameters.radix), out);
    }

    pub(crate) fn one_chain(shape: &Shape, out: &mut Schedule) {
        down(shape, Tree::Chains(1), out);
    }

    pub(crate) fn strided_tree(shape: &Shape, out: &mut Schedule) {
        down(shape, Tree::Strided(shape.parameters.radix.max(2)), out);
    }

    pub(crate) fn strided_binomial(shape: &Shape, out: &mut Schedule) {
        down(shape, Tree::StridedBinomial, out);
    }

    pub(crate) fn k_nomial(shape: &Shape, out: &mut Schedule) {
        down(shape, Tree::KNomial(shape.parameters.radix), out);
    }
}

/// The reductions of this family.
pub(crate) mod reduce {
    use super::*;

    pub(crate) fn chain(shape: &Shape, out: &mut Schedule) {
        up(shape, Tree::Chains(shape.parameters.radix).place(&Team::from_root(shape)), out);
    }

    pub(crate) fn strided_tree(shape: &Shape, out: &mut Schedule) {
        up(shape, Tree::Strided(shape.parameters.radix.max(2)).place(&Team::from_root(shape)), out);
    }

    /// Near children first: they are done first, and operands stay in order.
    pub(crate) fn k_nomial(shape: &Shape, out: &mut Schedule) {
        let mut place = Tree::KNomial(shape.parameters.radix).place(&Team::from_root(shape));
        place.children.sort_by_key(|&child| (child + shape.size - shape.rank) % shape.size);
        up(shape, place, out);
    }

    /// Towards the last rank, which sends the result to the root.
    pub(crate) fn in_order_binary(shape: &Shape, out: &mut Schedule) {
        let last = shape.size - 1;
        up(shape, Tree::InOrderBinary.place(&Team::all(shape)), out);
        if shape.root == last {
            return;
        }
        out.next_slot();
        if shape.rank == last {
            out.send(shape.root, shape.vector());
        } else if shape.is_root() {
            out.recv(last, shape.bytes);
        }
    }
}

fn down(shape: &Shape, tree: Tree, out: &mut Schedule) {
    let place = tree.place(&Team::from_root(shape));
    let segments = Segments::of(shape);
    let Some(parent) = place.parent else {
        return segments.all().for_each(|segment| to_children(&place, segment, out));
    };
    let mut ahead: Option<Data> = None;
    for (index, segment) in segments.all().enumerate() {
        let buffer = (index % 2) as u8;
        out.set(buffer);
        out.irecv(parent, segment.bytes);
        if let Some(before) = ahead.replace(segment) {
            out.wait(1 - buffer, 0);
            to_children(&place, before, out);
        }
    }
    if let Some(last) = ahead {
        out.wait(((segments.count() - 1) % 2) as u8, 0);
        to_children(&place, last, out);
    }
}

fn to_children(place: &TreeNode, segment: Data, out: &mut Schedule) {
    out.set(SENDS);
    for &child in &place.children {
        out.isend(child, segment);
    }
    out.wait(SENDS, 0);
}

/// Receives use two buffers in turn: while one is combined, the next child or segment arrives in the other.
fn up(shape: &Shape, place: TreeNode, out: &mut Schedule) {
    let segments = Segments::of(shape);
    if place.children.is_empty() {
        return up_from_leaf(shape, &place, &segments, out);
    }
    let (mut buffer, mut ahead): (u8, Option<Data>) = (0, None);
    for segment in segments.all() {
        for (index, &child) in place.children.iter().enumerate() {
            out.set(buffer);
            out.irecv(child, segment.bytes);
            buffer = 1 - buffer;
            if let Some(before) = ahead.replace(segment) {
                out.wait(buffer, 0);
                out.reduce(before.bytes);
                if index == 0 {
                    to_parent(&place, before, out);
                }
            }
        }
    }
    if let Some(last) = ahead {
        out.wait(1 - buffer, 0);
        out.reduce(last.bytes);
        to_parent(&place, last, out);
    }
}

fn to_parent(place: &TreeNode, segment: Data, out: &mut Schedule) {
    if let Some(parent) = place.parent {
        out.send(parent, segment);
    }
}

/// A limit on outstanding requests makes sends synchronous, so that a leaf does not flood its parent.
fn up_from_leaf(shape: &Shape, place: &TreeNode, segments: &Segments, out: &mut Schedule) {
    let limit = shape.parameters.requests;
    let Some(parent) = place.parent else { return };
    if limit == 0 || segments.count() <= u64::from(limit) {
        return segments.all().for_each(|segment| out.send(parent, segment));
    }
    out.set(SENDS);
    for segment in segments.all() {
        out.wait(SENDS, limit - 1);
        out.issend(parent, segment);
    }
    out.wait(SENDS, 0);
}
