//! Two trees at once: broadcast and reduction at full bandwidth in a logarithmic number of rounds.
//!
//! In one binary tree the leaves, half of the ranks, only receive. So take two trees in which who
//! is inside one is a leaf of the other, and send half of the vector down each:
//!
//! ```text
//!   7 members       0                            0
//!                   │                            │
//!                   4                            3
//!               ┌───┴───┐                    ┌───┴───┐
//!               2       6                    5       1
//!             ┌─┴─┐   ┌─┘                  ┌─┴─┐     └─┐
//!             1   3   5                    6   4       2
//! ```
//!
//! A member must not wait for a segment of one tree before it passes on one of the other: two
//! members that are each above the other would wait forever. So there is a timetable. Segment `s`
//! goes to a member of depth `d` in round `s + d - 1`, in both trees, and a member waits once per
//! round: sender and receiver of a message have it in the same round.
//!
//! Sanders, Speck, Träff: *Two-tree algorithms for full bandwidth broadcast, reduction and scan*
//! (2009).

use crate::blocks::Blocks;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Segments;

pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    let lanes = lanes(shape);
    for round in 0..rounds(&lanes) {
        for lane in &lanes {
            if let (Some(parent), Some(segment)) = (lane.parent, lane.with_parent(round)) {
                out.irecv(parent, segment.bytes);
            }
        }
        for lane in &lanes {
            if let Some(segment) = lane.with_children(round) {
                lane.children().for_each(|child| out.isend(child, segment));
            }
        }
        out.wait_all();
    }
}

/// The broadcast's timetable, backwards.
pub(crate) fn reduce(shape: &Shape, out: &mut Schedule) {
    let lanes = lanes(shape);
    for round in (0..rounds(&lanes)).rev() {
        for lane in &lanes {
            if let Some(segment) = lane.with_children(round) {
                lane.children().for_each(|child| out.irecv(child, segment.bytes));
            }
        }
        for lane in &lanes {
            if let (Some(parent), Some(segment)) = (lane.parent, lane.with_parent(round)) {
                out.isend(parent, segment);
            }
        }
        out.wait_all();
        for lane in &lanes {
            if let Some(segment) = lane.with_children(round) {
                lane.children().for_each(|_| out.reduce(segment.bytes));
            }
        }
    }
}

/// One of the two trees as one rank sees it, with its half of the vector.
struct Lane {
    parent: Option<u32>,
    children: [Option<u32>; 2],
    depth: u64,
    segments: Segments,
}

impl Lane {
    fn children(&self) -> impl Iterator<Item = u32> + use<> {
        self.children.into_iter().flatten()
    }

    /// The segment that is between this rank and its parent in a round.
    fn with_parent(&self, round: u64) -> Option<Data> {
        self.segments.get((round + 1).checked_sub(self.depth)?)
    }

    /// The segment that is between this rank and its children in a round.
    fn with_children(&self, round: u64) -> Option<Data> {
        self.segments.get(round.checked_sub(self.depth)?)
    }
}

/// Rounds until this rank is done.
fn rounds(lanes: &[Lane; 2]) -> u64 {
    lanes.iter().map(|lane| lane.depth + lane.segments.count()).max().unwrap_or(0)
}

fn lanes(shape: &Shape) -> [Lane; 2] {
    let team = Team::from_root(shape);
    let halves = Blocks::cut(2, shape.bytes, shape.element);
    [Tree::First, Tree::Second].map(|tree| {
        let offset = if tree as u32 == 0 { 0 } else { halves.block(0).bytes };
        let place = tree.place(team.me, team.size);
        let rank = |place| team.rank(tree.member(place, team.size));
        Lane {
            parent: parent(place, team.size).map(rank),
            children: children(place, team.size).map(|child| child.map(rank)),
            depth: depth(place, team.size),
            segments: Segments::of_part(shape, offset..offset + halves.block(tree as u32).bytes),
        }
    })
}

/// Both trees have the same shape; members are at different places in them.
#[derive(Clone, Copy)]
enum Tree {
    First,
    Second,
}

impl Tree {
    /// The root stays. The odd places are leaves, so the second tree puts even members there: by
    /// looking into the mirror if the number of members is odd, by moving one on if it is even.
    fn place(self, member: u32, size: u32) -> u32 {
        match self {
            _ if member == 0 => 0,
            Tree::First => member,
            Tree::Second if size % 2 == 1 => size - member,
            Tree::Second => (member + size - 3) % (size - 1) + 1,
        }
    }

    fn member(self, place: u32, size: u32) -> u32 {
        match self {
            _ if place == 0 => 0,
            Tree::First => place,
            Tree::Second if size % 2 == 1 => size - place,
            Tree::Second => place % (size - 1) + 1,
        }
    }
}

/// Places `1..size` are a search tree: the lowest set bit says how far a place is above the
/// leaves. Place 0 has one child, the top of that tree.
pub(super) fn parent(place: u32, size: u32) -> Option<u32> {
    if place == 0 {
        return None;
    }
    let bit = place & place.wrapping_neg();
    let below = place ^ bit;
    let between = below | (bit << 1);
    Some(if between < size { between } else { below })
}

pub(super) fn children(place: u32, size: u32) -> [Option<u32>; 2] {
    let reach = if place == 0 { size.next_power_of_two() } else { place & place.wrapping_neg() };
    let left = (place > 0 && reach > 1).then(|| place - reach / 2);
    let right = (0..reach.ilog2()).rev().map(|bit| place + (1 << bit)).find(|&child| child < size);
    [left, right]
}

fn depth(place: u32, size: u32) -> u64 {
    std::iter::successors(parent(place, size), |&above| parent(above, size)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_and_children_agree() {
        for size in 2..130 {
            for place in 0..size {
                let below: Vec<_> = (0..size).filter(|&child| parent(child, size) == Some(place)).collect();
                let mut children: Vec<_> = children(place, size).into_iter().flatten().collect();
                children.sort();
                assert_eq!(children, below, "{place} of {size}");
                assert!(depth(place, size) <= u64::from(size.ilog2()) + 1);
            }
        }
    }

    #[test]
    fn who_is_inside_one_tree_is_a_leaf_of_the_other() {
        let inside =
            |tree: Tree, member, size| children(tree.place(member, size), size).iter().any(Option::is_some);
        for size in 2..130 {
            for member in 1..size {
                for tree in [Tree::First, Tree::Second] {
                    assert_eq!(tree.member(tree.place(member, size), size), member);
                }
                assert!(!(inside(Tree::First, member, size) && inside(Tree::Second, member, size)));
            }
        }
    }
}
