//! Compositions for several ranks per node that SimGrid has from MVAPICH2 and MPICH.
//!
//! The lowest rank of a node is its leader. A collective is performed on each node, between the leaders, and once more on each
//! node; which algorithms these are depends on the size. SimGrid 3.32, `src/smpi/colls/*/*-mvapich-*.cpp` and
//! `barrier/barrier-mpich-smp.cpp`, with the choices that it makes without MVAPICH2's tuning tables.

use super::parts::Member;
use crate::algorithms::{allreduce, barrier, bcast, reduce, subtrees};
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// The rank's own node, and the leaders.
pub(super) struct Levels {
    /// The ranks of this rank's node.
    pub members: Vec<u32>,
    pub leaders: Vec<u32>,
    /// This rank's place on its node; 0 for a leader.
    pub position: u32,
    /// This node's number.
    pub node: u32,
}

impl Levels {
    pub fn of(shape: &Shape) -> Levels {
        match shape.nodes {
            Some(nodes) => Levels {
                members: nodes.members(nodes.of(shape.rank)).to_vec(),
                leaders: nodes.leaders().to_vec(),
                position: nodes.position(shape.rank),
                node: nodes.of(shape.rank),
            },
            None => Levels {
                members: vec![shape.rank],
                leaders: (0..shape.size).collect(),
                position: 0,
                node: shape.rank,
            },
        }
    }

    /// This rank among those of its node.
    pub fn inside(&self) -> Member {
        Member { me: self.position, size: self.members.len() as u32 }
    }

    /// Runs an algorithm of the ranks of this node.
    fn on_node(&self, shape: &Shape, out: &mut Schedule, build: impl FnOnce(&Shape, &mut Schedule)) {
        if self.members.len() > 1 {
            let part = Shape {
                rank: self.position,
                size: self.members.len() as u32,
                root: 0,
                nodes: None,
                ..*shape
            };
            out.among(&self.members, |out| build(&part, out));
        }
    }

    /// Runs an algorithm of the leaders, whose root is the node `root`.
    fn between(
        &self,
        shape: &Shape,
        root: u32,
        out: &mut Schedule,
        build: impl FnOnce(&Shape, &mut Schedule),
    ) {
        if self.position == 0 && self.leaders.len() > 1 {
            let part =
                Shape { rank: self.node, size: self.leaders.len() as u32, root, nodes: None, ..*shape };
            out.among(&self.leaders, |out| build(&part, out));
        }
    }
}

/// A dissemination on each node and between the leaders; then the leaders broadcast one byte.
pub(crate) fn barrier(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    levels.on_node(shape, out, barrier::dissemination);
    levels.between(shape, 0, out, barrier::dissemination);
    let byte = Data::range(0, 1);
    out.among(&levels.members, |out| levels.inside().bcast(byte, out));
}

/// SimGrid's choice of MPICH's allreduce within a communicator of one level.
fn mpich_allreduce(shape: &Shape, out: &mut Schedule) {
    let pieces = 1 << shape.size.ilog2();
    if shape.bytes > 2048 && shape.elements() >= pieces && shape.commutative {
        super::halving::blocks_allreduce(shape, out);
    } else {
        allreduce::recursive_doubling(shape, out);
    }
}

/// An allreduce on each node, recursive doubling between the leaders, a broadcast on each node.
pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    levels.on_node(shape, out, mpich_allreduce);
    levels.between(shape, 0, out, allreduce::recursive_doubling);
    levels.on_node(shape, out, bcast::binomial);
}

/// SimGrid's choice of MPICH's reduce within a communicator of one level.
fn mpich_reduce(shape: &Shape, out: &mut Schedule) {
    let pieces = 1 << shape.size.ilog2();
    if shape.elements() < pieces || shape.bytes < 2048 || !shape.commutative {
        reduce::binomial(shape, out);
    } else {
        super::halving::scatter_gather(shape, out);
    }
}

/// A reduction on each node and one between the leaders; the leader of the root's node sends it the result. On a single node:
/// short vectors to the first rank from all others in turn, long ones up a 4-nomial tree.
pub(crate) fn reduce(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let node = shape.nodes.map_or(shape.root, |nodes| nodes.of(shape.root));
    let leader = levels.leaders[node as usize];
    if levels.leaders.len() == 1 {
        if shape.bytes > 2048 {
            return super::reduce::four_nomial(shape, out);
        }
        super::reduce::in_turn(&Shape { root: 0, ..*shape }, out);
    } else {
        levels.on_node(shape, out, mpich_reduce);
        levels.between(shape, node, out, mpich_reduce);
    }
    out.next_slot();
    match shape.root {
        root if root == leader => {}
        root if root == shape.rank => out.recv(leader, shape.bytes),
        root if leader == shape.rank => out.send(root, Data::range(0, shape.bytes)),
        _ => {}
    }
}

/// Vectors of medium length: to the leaders, and from each leader to its node. Others: all ranks in one level.
pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    match shape.bytes {
        ..=16_384 => return bcast::binomial(shape, out),
        524_288.. => return subtrees::bcast_ring(shape, out),
        _ => {}
    }
    let levels = Levels::of(shape);
    let node = shape.nodes.map_or(shape.root, |nodes| nodes.of(shape.root));
    let leader = levels.leaders[node as usize];
    if shape.is_root() && shape.root != leader {
        out.send(leader, Data::range(0, shape.bytes));
    } else if shape.rank == leader && shape.root != leader {
        out.recv(shape.root, shape.bytes);
    }
    out.next_slot();
    levels.between(shape, node, out, super::bcast::mpich);
    out.next_slot();
    match shape.bytes {
        ..=131_072 => levels.on_node(shape, out, super::bcast::mpich),
        _ => levels.on_node(shape, out, super::bcast::four_nomial),
    }
}
