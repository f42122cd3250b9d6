//! Trees over all ranks, as one rank sees them: its parent, and its children in the order in which they are served.
//!
//! ```text
//!   chains, 2 of them      strided tree, radix 2      strided binomial       k-nomial, radix 3       in-order binary
//!
//!         0                        0                        0                     0                       6
//!       ┌─┴─┐                  ┌───┴───┐             ┌──────┼──┐            ┌──┬──┼──┐               ┌────┴───┐
//!       1   4                  1       2             1      2  4            3  6  1  2               5        2
//!       │   │                ┌─┴─┐   ┌─┴─┐         ┌─┴─┐    │              ┌┴┐ │                   ┌─┴─┐    ┌─┴─┐
//!       2   5                3   5   4   6         3   5    6              4 5 7                   4   3    1   0
//!       │                                          │
//!       3                                          7
//! ```
//!
//! In strided trees a subtree is every second (fourth, …) rank. In the others it is a contiguous range, so a reduction keeps the order of
//! its operands; the in-order tree keeps it for the last rank as root, the k-nomial one for the first.
//! Pješivac-Grbović et al.: *Performance analysis of MPI collective operations* (2007), and Open MPI, which has them all.

use crate::team::{Team, doubling_distances};

/// A tree over the members of a team, rooted at member 0; the in-order one at the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// So many chains from the root.
    Chains(u32),
    /// The complete tree with so many children, level by level: those of a member are one level's width apart.
    Complete(u32),
    /// The same number of children, but one level's width apart: subtrees are strided.
    Strided(u32),
    /// A member's parent is the member without its highest bit. Near children first: they have the largest subtrees.
    StridedBinomial,
    /// A member's parent is the member without its lowest digit to the base of the radix. Far children first: they have the largest
    /// subtrees.
    KNomial(u32),
    /// A member's first child is the next member, whose subtree is the largest; the next child follows behind that subtree.
    NearKNomial(u32),
    /// As `KNomial`, but of children at the same distance the farthest first.
    FarKNomial(u32),
    /// Binary, in post-order: each member after the members below it.
    InOrderBinary,
}

/// The place of a rank in a tree. All are ranks of the communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeNode {
    pub parent: Option<u32>,
    pub children: Vec<u32>,
}

impl Tree {
    /// The place of the team's own member.
    pub fn place(self, team: &Team) -> TreeNode {
        let (me, size) = (team.me, team.size);
        let (parent, children) = match self {
            Tree::Chains(chains) => chain(me, size, chains.clamp(1, (size - 1).max(1))),
            Tree::Complete(radix) => {
                (me.checked_sub(1).map(|below| below / radix), (1..=radix).map(|i| me * radix + i).collect())
            }
            Tree::Strided(radix) => strided(me, radix),
            Tree::StridedBinomial => strided_binomial(me, size),
            Tree::KNomial(radix) => k_nomial(me, size, radix.max(2)),
            Tree::NearKNomial(radix) => near_k_nomial(me, size, radix.max(2)),
            Tree::FarKNomial(radix) => far_k_nomial(me, size, radix.max(2)),
            Tree::InOrderBinary => in_order(me, size),
        };
        let inside = children.into_iter().filter(|&child| child < size);
        TreeNode {
            parent: parent.map(|parent| team.rank(parent)),
            children: inside.map(|child| team.rank(child)).collect(),
        }
    }
}

type Links = (Option<u32>, Vec<u32>);

/// The members behind the root in chains that follow each other; the first ones take those that do not divide evenly.
fn chain(me: u32, size: u32, chains: u32) -> Links {
    let (length, longer) = ((size - 1) / chains, (size - 1) % chains);
    let head = |chain: u32| 1 + chain * length + chain.min(longer);
    if me == 0 {
        return (None, (0..chains).map(head).collect());
    }
    let own = (0..chains).rev().find(|&chain| head(chain) <= me).expect("the first chain begins at member 1");
    let parent = if me == head(own) { 0 } else { me - 1 };
    let is_last = me + 1 == size || (own + 1 < chains && me + 1 == head(own + 1));
    (Some(parent), if is_last { vec![] } else { vec![me + 1] })
}

/// A level is as wide as all children of the level above. A child is so far from its parent as the parent's level is wide, or a multiple.
fn strided(me: u32, radix: u32) -> Links {
    let (mut first, mut width) = (0, 1);
    let mut above = None;
    while me >= first + width {
        above = Some((first, width));
        first += width;
        width *= radix;
    }
    let parent = above.map(|(above, width)| above + (me - first) % width);
    (parent, (1..=radix).map(|i| me + i * width).collect())
}

fn strided_binomial(me: u32, size: u32) -> Links {
    let above = (me + 1).next_power_of_two();
    let parent = (me > 0).then(|| me ^ (1 << me.ilog2()));
    (
        parent,
        doubling_distances(size)
            .filter(|&distance| distance >= above)
            .map(|distance| me + distance)
            .collect(),
    )
}

fn k_nomial(me: u32, size: u32, radix: u32) -> Links {
    // The place value of the member's lowest digit that is not zero.
    let mut digit = 1;
    while digit < size && me.is_multiple_of(radix * digit) {
        digit *= radix;
    }
    let parent = (me > 0).then(|| me / (radix * digit) * (radix * digit));
    let mut children = vec![];
    while digit > 1 {
        digit /= radix;
        children.extend((1..radix).map(|times| me + times * digit));
    }
    (parent, children)
}

/// Subtrees follow each other: k - 1 of the largest size, a power of k, then k - 1 of the next smaller one, and so on.
fn near_k_nomial(me: u32, size: u32, radix: u32) -> Links {
    let mut subtree = 1;
    while subtree < size {
        subtree *= radix;
    }
    let (mut parent, mut top, mut next) = (None, 0, 1);
    while top != me {
        subtree /= radix;
        let nth = (me - next) / subtree;
        if nth < radix - 1 {
            parent = Some(top);
            top = next + nth * subtree;
            next = top + 1;
        } else {
            next += (radix - 1) * subtree;
        }
    }
    let mut children = vec![];
    while subtree > 1 {
        subtree /= radix;
        children.extend((0..radix - 1).map(|nth| next + nth * subtree));
        next += (radix - 1) * subtree;
    }
    (parent, children)
}

fn far_k_nomial(me: u32, size: u32, radix: u32) -> Links {
    let (parent, mut children) = k_nomial(me, size, radix);
    children.sort_unstable_by(|a, b| b.cmp(a));
    (parent, children)
}

/// The last member of a range is its root. Its children are the member before it, which is the root of the rest, and the last member of
/// the first half.
fn in_order(me: u32, size: u32) -> Links {
    let (mut first, mut length, mut parent) = (0, size, None);
    loop {
        let (top, half) = (first + length - 1, length / 2);
        let near = (length > 1).then(|| top - 1);
        let far = (length > 2).then(|| first + half - 1);
        if me == top {
            return (parent, near.into_iter().chain(far).collect());
        }
        parent = Some(top);
        if far.is_some_and(|far| me <= far) {
            length = half;
        } else {
            (first, length) =
                if length > 2 { (first + half, length - half - 1) } else { (first, length - 1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    const TREES: [Tree; 13] = [
        Tree::Chains(1),
        Tree::Chains(4),
        Tree::Complete(2),
        Tree::Strided(2),
        Tree::Strided(3),
        Tree::StridedBinomial,
        Tree::KNomial(2),
        Tree::KNomial(4),
        Tree::NearKNomial(2),
        Tree::NearKNomial(3),
        Tree::FarKNomial(2),
        Tree::FarKNomial(5),
        Tree::InOrderBinary,
    ];

    fn place(tree: Tree, me: u32, size: u32) -> TreeNode {
        tree.place(&Team::all(&Shape::new(size).rank(me)))
    }

    #[test]
    fn the_trees_of_the_picture() {
        let children = |tree, me, size| place(tree, me, size).children;
        assert_eq!(
            [0, 1, 3, 5].map(|me| children(Tree::Chains(2), me, 6)),
            [vec![1, 4], vec![2], vec![], vec![]]
        );
        assert_eq!(
            [0, 1, 2].map(|me| children(Tree::Strided(2), me, 7)),
            [vec![1, 2], vec![3, 5], vec![4, 6]]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|me| children(Tree::StridedBinomial, me, 8)),
            [vec![1, 2, 4], vec![3, 5], vec![6], vec![7]]
        );
        assert_eq!(
            [0, 3, 6].map(|me| children(Tree::KNomial(3), me, 8)),
            [vec![3, 6, 1, 2], vec![4, 5], vec![7]]
        );
        assert_eq!(
            [0, 1, 5].map(|me| children(Tree::NearKNomial(2), me, 8)),
            [vec![1, 5, 7], vec![2, 4], vec![6]]
        );
        assert_eq!(
            [0, 4, 2].map(|me| children(Tree::FarKNomial(2), me, 8)),
            [vec![4, 2, 1], vec![6, 5], vec![3]]
        );
        assert_eq!(
            [6, 5, 2].map(|me| children(Tree::InOrderBinary, me, 7)),
            [vec![5, 2], vec![4, 3], vec![1, 0]]
        );
    }

    #[test]
    fn parents_and_children_agree_and_all_members_are_reached() {
        for tree in TREES {
            for size in 1..70 {
                let root = if tree == Tree::InOrderBinary { size - 1 } else { 0 };
                let mut reached = 0;
                for me in 0..size {
                    let here = place(tree, me, size);
                    assert_eq!(here.parent.is_none(), me == root, "{tree:?} {me} of {size}");
                    for &child in &here.children {
                        assert_eq!(place(tree, child, size).parent, Some(me), "{tree:?} {child} of {size}");
                    }
                    reached += here.children.len();
                }
                assert_eq!(reached as u32, size - 1, "{tree:?} of {size}");
            }
        }
    }
}
