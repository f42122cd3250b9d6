//! Broadcast, reduction and allreduce through a tree, as MPICH's generic transport and its functions `…_intra_tree` do them.
//!
//! ```text
//!   bcast       all receives are posted; segment k goes to all children when it has come
//!   reduce      for each segment: one child after the other is received and combined; the sum goes to the parent without waiting
//!   allreduce   for each segment: up, then down
//! ```
//!
//! The trees: complete (kary), and two k-nomial ones, which differ in whose subtree has which ranks (`spanning`).

use crate::data::Data;
use crate::shape::Shape;
use crate::spanning::{Tree, TreeNode};
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Segments;

/// Request sets of receives and of sends.
const RECEIVES: u8 = 0;
const SENDS: u8 = 1;

/// A tree with the radix that the parameters say.
type TreeOfRadix = fn(u32) -> Tree;

macro_rules! through {
    ($($kind:ident $tree:expr;)*) => {$(
        pub(crate) mod $kind {
            use super::*;

            pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
                pass_down(shape, $tree, out);
            }

            pub(crate) fn reduce(shape: &Shape, out: &mut Schedule) {
                combine(shape, $tree, out);
            }

            pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
                combine_and_pass_down(shape, $tree, out);
            }
        }
    )*};
}

through! {
    k_ary Tree::Complete;
    near_k_nomial Tree::NearKNomial;
    far_k_nomial Tree::FarKNomial;
}

fn place(shape: &Shape, kind: TreeOfRadix) -> TreeNode {
    kind(shape.parameters.radix.max(2)).place(&Team::from_root(shape))
}

fn pass_down(shape: &Shape, kind: TreeOfRadix, out: &mut Schedule) {
    let (place, segments) = (place(shape, kind), Segments::of(shape));
    if let Some(parent) = place.parent {
        out.set(RECEIVES);
        segments.all().for_each(|segment| out.irecv(parent, segment.bytes));
    }
    out.set(SENDS);
    let mut left = segments.count() as u32;
    for segment in segments.all() {
        left -= 1;
        out.wait(RECEIVES, left);
        place.children.iter().for_each(|&child| out.send_to_one_of_many(shape, child, segment));
    }
    out.wait_all();
}

fn combine(shape: &Shape, kind: TreeOfRadix, out: &mut Schedule) {
    let place = place(shape, kind);
    out.set(SENDS);
    Segments::of(shape).all().for_each(|segment| up(&place, segment, out));
    out.wait_all();
}

fn combine_and_pass_down(shape: &Shape, kind: TreeOfRadix, out: &mut Schedule) {
    let place = place(&Shape { root: 0, ..*shape }, kind);
    out.set(SENDS);
    for segment in Segments::of(shape).all() {
        up(&place, segment, out);
        if let Some(parent) = place.parent {
            out.recv(parent, segment.bytes);
        }
        place.children.iter().for_each(|&child| out.isend(child, segment));
    }
    out.wait_all();
}

/// A segment of all children comes and goes up.
fn up(place: &TreeNode, segment: Data, out: &mut Schedule) {
    for &child in &place.children {
        out.recv(child, segment.bytes);
        out.reduce(segment.bytes);
    }
    if let Some(parent) = place.parent {
        out.isend(parent, segment);
    }
}
