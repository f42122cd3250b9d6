//! Two binary trees of nodes, each with half of the channels, and a chain of ranks inside each node.
//!
//! ```text
//!   4 nodes, first tree        second tree      inside a node, channel i
//!   0                          3                device i ─ i + 1 ─ … ─ i - 1
//!   └─── 2                     └─── 1            │ │      │
//!      ┌─┴─┐                      ┌─┴─┐          │ │      the lower child's node
//!      1   3                      2   0          │ the higher child's node
//!                                                the parent's node
//! ```
//!
//! A chunk goes up to the root and down again; others are behind it, so that both directions are busy. There is a timetable: chunk `c` leaves
//! a rank of depth `d` in round `c + D - d` upwards, and in round `c + D + d` downwards, where `D` is the depth of the tree.
//!
//! Facts of NCCL 2.20.5: `src/graph/trees.cc`, `connect.cc` (the balanced tree), `src/device/all_reduce.h`. Sanders, Speck, Träff: *Two-tree
//! algorithms for full bandwidth broadcast, reduction and scan* (2009).

use std::borrow::Cow;

use mpirage_call::Collective;

use super::super::double_tree::{children, parent};
use super::model::{Model, Way};
use super::parts::{cut, length};
use super::rhythm::{Rhythm, Round};
use crate::data::Data;
use crate::nodes::Nodes;
use crate::shape::Shape;
use crate::step::Schedule;

/// A tree as one rank sees it.
struct Lane {
    parent: Option<u32>,
    children: Vec<u32>,
    depth: u64,
    /// Of the deepest rank.
    deepest: u64,
    segments: Vec<Data>,
}

impl Lane {
    fn segment(&self, number: Option<u64>) -> Option<Data> {
        self.segments.get(usize::try_from(number?).ok()?).copied()
    }

    fn rounds(&self) -> u64 {
        self.segments.len() as u64 + 2 * self.deepest
    }

    /// Adds what this rank does in a round.
    fn join(&self, number: u64, round: &mut Round) {
        let (up, down) = (self.deepest - self.depth, self.deepest + self.depth);
        if let Some(data) = self.segment((number + 1).checked_sub(up)) {
            round.receives.extend(self.children.iter().map(|&child| (child, data.bytes)));
            round.combined.extend(self.children.iter().map(|_| data.bytes));
        }
        if let Some(parent) = self.parent {
            if let Some(data) = self.segment((number + 1).checked_sub(down)) {
                round.receives.push((parent, data.bytes));
            }
            if let Some(data) = self.segment(number.checked_sub(up)) {
                round.passed += data.bytes;
                round.sends.push((parent, data));
            }
        }
        if let Some(data) = self.segment(number.checked_sub(down)).filter(|_| !self.children.is_empty()) {
            round.passed += data.bytes;
            round.sends.extend(self.children.iter().map(|&child| (child, data)));
        }
        round.first |= number == up || number == down;
    }
}

pub(super) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let model = Model::of(Collective::Allreduce, shape);
    let channels = model.used(shape.parameters.channels);
    let lanes = lanes(shape, &model, channels);
    let rhythm = Rhythm::new(&model, Way::Tree, shape.parameters.protocol, channels, lanes.len());
    rhythm.begin(out);
    for number in 0..lanes.iter().map(Lane::rounds).max().unwrap_or(0) {
        let mut round = Round::default();
        lanes.iter().for_each(|lane| lane.join(number, &mut round));
        rhythm.round(&round, out);
    }
}

/// The trees that differ, each with its share of the vector: chains of one node are all the same.
fn lanes(shape: &Shape, model: &Model, channels: u32) -> Vec<Lane> {
    let nodes = match shape.nodes {
        Some(nodes) => Cow::Borrowed(nodes),
        None => Cow::Owned(Nodes::new(0..shape.size)),
    };
    let rotations = model.per_node;
    let count = if nodes.count() == 1 { 1 } else { channels.min(2 * rotations) };
    let chunk = match shape.parameters.segment {
        0 => model.chunk(Way::Tree, shape.parameters.protocol, channels),
        bytes => bytes,
    };
    let chunk = chunk.saturating_mul((channels / count).into());
    let lane = |number: u32| {
        let trees =
            Trees { nodes: &nodes, second: number >= rotations && count > 1, first: number % rotations };
        let share = cut(&(0..shape.bytes), count.into(), number.into(), shape.element);
        let segments = length(&share).div_ceil(chunk).max(1);
        let segment = |index: u64| {
            let bytes = cut(&share, segments, index, shape.element);
            Data::range(bytes.start, length(&bytes))
        };
        trees.lane(shape.rank, (0..segments).map(segment).collect())
    };
    (0..count).map(lane).collect()
}

/// One tree of nodes, with chains that begin at one of their members.
struct Trees<'a> {
    nodes: &'a Nodes,
    second: bool,
    first: u32,
}

impl Trees<'_> {
    fn lane(&self, rank: u32, segments: Vec<Data>) -> Lane {
        let node = self.nodes.of(rank);
        let chain = self.chain(node);
        let at = chain.iter().position(|&other| other == rank).unwrap_or(0);
        let above = match at {
            0 => self.above(node).map(|(other, at)| self.chain(other)[at]),
            _ => Some(chain[at - 1]),
        };
        let mut below: Vec<u32> = chain.get(at + 1).copied().into_iter().collect();
        for (child, lower) in self.below(node) {
            if self.attached(node, lower) == at {
                below.push(self.chain(child)[0]);
            }
        }
        let deepest =
            (0..self.nodes.count()).map(|node| self.depth(node) + self.chain_length(node) - 1).max();
        Lane {
            parent: above,
            children: below,
            depth: self.depth(node) + at as u64,
            deepest: deepest.unwrap_or(0),
            segments,
        }
    }

    fn chain_length(&self, node: u32) -> u64 {
        self.nodes.members(node).len() as u64
    }

    /// The ranks of a node, from the one that its parent's node talks to.
    fn chain(&self, node: u32) -> Vec<u32> {
        let members = self.nodes.members(node);
        (0..members.len()).map(|at| members[(at + self.first as usize) % members.len()]).collect()
    }

    /// Where in its chain a node has its lower or higher child.
    fn attached(&self, node: u32, lower: bool) -> usize {
        usize::from(lower && self.chain_length(node) > 1)
    }

    /// The place of a node in the tree: the second tree is the first one in a mirror, or moved on by one.
    fn place(&self, node: u32) -> u32 {
        let count = self.nodes.count();
        match (self.second, count % 2) {
            (false, _) => node,
            (true, 0) => count - 1 - node,
            (true, _) => (node + count - 1) % count,
        }
    }

    fn node_at(&self, place: u32) -> u32 {
        let count = self.nodes.count();
        match (self.second, count % 2) {
            (false, _) => place,
            (true, 0) => count - 1 - place,
            (true, _) => (place + 1) % count,
        }
    }

    /// The node above one, and where in its chain that one hangs.
    fn above(&self, node: u32) -> Option<(u32, usize)> {
        let place = self.place(node);
        let above = parent(place, self.nodes.count())?;
        let other = self.node_at(above);
        Some((other, self.attached(other, place < above)))
    }

    /// The nodes below one, and whether they are the lower child.
    fn below(&self, node: u32) -> impl Iterator<Item = (u32, bool)> {
        let place = self.place(node);
        let both = children(place, self.nodes.count());
        both.into_iter().flatten().map(move |child| (self.node_at(child), child < place))
    }

    /// How deep the first rank of a node's chain is.
    fn depth(&self, node: u32) -> u64 {
        self.above(node).map_or(0, |(other, at)| self.depth(other) + at as u64 + 1)
    }
}
