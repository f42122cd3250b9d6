//! Collectives of two levels: the ranks of a node among each other, and one leader of each node with the other leaders.
//!
//! ```text
//!   allreduce, 2 nodes of 3        reduce inside        0<1 0<2        3<4 3<5
//!                                  allreduce between    0 <----------> 3
//!                                  bcast inside         0>1 0>2        3>4 3>5
//! ```
//!
//! Each phase is a collective of its own. A table chooses its method, as for a call in a communicator of these ranks:
//! `two-level:parts=mpich-4.0`. The leaders have a node each; the ranks of a node have one node, so that a rule for `nodes=1` is for them.
//! The leader of a node is its lowest rank, unless the algorithm says otherwise.
//!
//! MPICH calls the two ways to treat a root that is no leader its compositions alpha and beta (`src/mpid/ch4/src/ch4_coll_impl.h`); Open
//! MPI's component `han` makes the ranks with the root's position in their nodes the leaders.

use std::borrow::Cow;

use mpirage_call::Collective;

use crate::nodes::Nodes;
use crate::operation::Operation;
use crate::shape::Shape;
use crate::step::Schedule;

/// Are there two levels? Otherwise a phase would be the whole call again.
pub(crate) fn fits(shape: &Shape) -> bool {
    shape.nodes.is_some_and(|nodes| 1 < nodes.count() && nodes.count() < nodes.ranks())
}

/// Are there two levels, and an operation for which the order of ranks does not matter?
pub(crate) fn any_order(shape: &Shape) -> bool {
    shape.commutative && fits(shape)
}

/// The levels that a rank is in.
pub(crate) struct Levels<'a> {
    shape: Shape<'a>,
    nodes: Cow<'a, Nodes>,
    /// Where leaders are among the members of their nodes; in a node with fewer members the last one.
    position: u32,
}

impl<'a> Levels<'a> {
    /// With the lowest rank of each node as its leader.
    pub fn of(shape: &Shape<'a>) -> Self {
        Self::led_from(shape, 0)
    }

    /// With the member at this position of each node as its leader.
    pub fn led_from(shape: &Shape<'a>, position: u32) -> Self {
        let nodes = match shape.nodes {
            Some(nodes) => Cow::Borrowed(nodes),
            None => Cow::Owned(Nodes::new(0..shape.size)),
        };
        Levels { shape: *shape, nodes, position }
    }

    /// The leader of the node of a rank.
    pub fn leader_of(&self, rank: u32) -> u32 {
        self.leader(self.nodes.of(rank))
    }

    fn leader(&self, node: u32) -> u32 {
        let members = self.nodes.members(node);
        members[(self.position as usize).min(members.len() - 1)]
    }

    /// Is this rank on the node of `other`?
    pub fn is_beside(&self, other: u32) -> bool {
        self.nodes.of(self.shape.rank) == self.nodes.of(other)
    }

    /// Appends what the ranks of this rank's node do, with `root` among them.
    pub fn inside(&self, operation: impl Into<Operation>, root: u32, out: &mut Schedule) {
        let members = self.nodes.members(self.nodes.of(self.shape.rank));
        let one_node = Nodes::new(members.iter().map(|_| 0));
        let shape = Shape {
            rank: self.nodes.position(self.shape.rank),
            size: members.len() as u32,
            root: self.nodes.position(root),
            nodes: Some(&one_node),
            ..self.shape
        };
        phase(operation, &shape, members, out);
    }

    /// Appends what the leaders do, with the leader of `root` as their root; nothing if this rank is none.
    pub fn between(&self, operation: impl Into<Operation>, root: u32, out: &mut Schedule) {
        if self.leader_of(self.shape.rank) != self.shape.rank {
            return out.skip_phase();
        }
        let leaders: Cow<[u32]> = match self.position {
            0 => Cow::Borrowed(self.nodes.leaders()),
            _ => (0..self.nodes.count()).map(|node| self.leader(node)).collect(),
        };
        let shape = Shape {
            rank: self.nodes.of(self.shape.rank),
            size: leaders.len() as u32,
            root: self.nodes.of(root),
            nodes: None,
            ..self.shape
        };
        phase(operation, &shape, &leaders, out);
    }
}

/// Messages of a phase have slots of their own, so that a phase may be the same collective as the one before.
fn phase(operation: impl Into<Operation>, shape: &Shape, ranks: &[u32], out: &mut Schedule) {
    out.phase(|out| {
        if ranks.len() > 1 {
            out.among(ranks, |out| operation.into().append_part(shape, out));
        }
    });
}

/// All ranks of a node have entered when its leader says so to the other leaders; then it lets them go by a broadcast.
pub(crate) fn barrier(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let leader = levels.leader_of(shape.rank);
    levels.inside(Collective::Barrier, leader, out);
    levels.between(Collective::Barrier, leader, out);
    levels.inside(Collective::Bcast, leader, out);
}

/// The root's node has the vector first, unless the root leads it; then the leaders, then the other nodes.
pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let first = levels.is_beside(shape.root) && levels.leader_of(shape.root) != shape.root;
    match first {
        true => levels.inside(Collective::Bcast, shape.root, out),
        false => out.skip_phase(),
    }
    levels.between(Collective::Bcast, shape.root, out);
    if !first {
        levels.inside(Collective::Bcast, levels.leader_of(shape.rank), out);
    }
}

/// The root hands the vector to the leader of its node. Then each node has it from its leader, also the root's.
pub(crate) fn bcast_by_leader(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let leader = levels.leader_of(shape.root);
    if leader != shape.root {
        if shape.is_root() {
            out.send(leader, shape.vector());
        } else if shape.rank == leader {
            out.recv(shape.root, shape.bytes);
        }
    }
    levels.between(Collective::Bcast, shape.root, out);
    levels.inside(Collective::Bcast, levels.leader_of(shape.rank), out);
}

/// The nodes without the root combine their vectors, then the leaders, then the root's node.
pub(crate) fn reduce(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    match levels.is_beside(shape.root) {
        true => out.skip_phase(),
        false => levels.inside(Collective::Reduce, levels.leader_of(shape.rank), out),
    }
    levels.between(Collective::Reduce, shape.root, out);
    if levels.is_beside(shape.root) {
        levels.inside(Collective::Reduce, shape.root, out);
    }
}

/// All nodes combine their vectors, then the leaders towards that of rank 0, which hands the result to the root.
pub(crate) fn reduce_by_leader(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let first = levels.leader_of(0);
    levels.inside(Collective::Reduce, levels.leader_of(shape.rank), out);
    levels.between(Collective::Reduce, first, out);
    if first != shape.root {
        if shape.rank == first {
            out.send(shape.root, shape.vector());
        } else if shape.is_root() {
            out.recv(first, shape.bytes);
        }
    }
}

/// The nodes combine their vectors, the leaders combine those, and each broadcasts the result in its node.
pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let levels = Levels::of(shape);
    let leader = levels.leader_of(shape.rank);
    levels.inside(Collective::Reduce, leader, out);
    levels.between(Collective::Allreduce, leader, out);
    levels.inside(Collective::Bcast, leader, out);
}
