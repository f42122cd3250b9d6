//! Gathers and scatters of SimGrid: a binomial scatter, and those for several ranks per node.
//!
//! ```text
//!   gather  mvapich2_two_level            binomial on each node, then from the leaders one after the other
//!   scatter ompi_binomial                 the smallest subtree first
//!   scatter mvapich2_two_level_direct     to the leaders one after the other, then as ompi_binomial on each node
//!   scatter mvapich2_two_level_binomial   as ompi_binomial between the leaders, then on each node
//! ```
//!
//! The leader of the root's node passes all blocks on to the root or from it. SimGrid 3.32, `src/smpi/colls/gather` and `scatter`.

use mpirage_call::{Parameters, SendStyle};

use super::nodes::Levels;
use super::parts::Member;
use crate::algorithms::scatter;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;

/// Blocks of `count` members from `first` on.
type Blocks<'a> = &'a dyn Fn(u32, u32) -> Data;

/// The blocks of ranks around the ring, counted from the root on.
fn from_root<'a>(shape: &Shape<'a>) -> impl Fn(u32, u32) -> Data + use<'a> {
    let (root, size, blocks) = (shape.root, shape.size, shape.blocks());
    move |first, count| blocks.span((first + root) % size, count)
}

pub(crate) fn scatter_smallest_first(shape: &Shape, out: &mut Schedule) {
    let team = Team::from_root(shape);
    let ranks: Vec<_> = (0..shape.size).map(|member| team.rank(member)).collect();
    out.among(&ranks, |out| scatter_down(Member { me: team.me, size: team.size }, &from_root(shape), out));
}

fn scatter_down(member: Member, blocks: Blocks, out: &mut Schedule) {
    let (tree, own) = (member.tree(), member.tree().own());
    if let Some(parent) = tree.parent() {
        out.recv(parent, blocks(own.top, own.size).bytes);
    }
    for child in tree.children() {
        out.send(child.top, blocks(child.top, child.size));
    }
}

fn gather_up(member: Member, blocks: Blocks, out: &mut Schedule) {
    let (tree, own) = (member.tree(), member.tree().own());
    for child in tree.children() {
        out.recv(child.top, blocks(child.top, child.size).bytes);
    }
    if let Some(parent) = tree.parent() {
        out.send(parent, blocks(own.top, own.size));
    }
}

/// The blocks of a node and of its ranks, where ranks of a node follow each other.
struct OnNodes<'a> {
    levels: Levels,
    shape: Shape<'a>,
    /// The node of the root, and its leader.
    node: u32,
    leader: u32,
}

impl<'a> OnNodes<'a> {
    fn of(shape: &Shape<'a>) -> Self {
        let node = shape.nodes.map_or(shape.root, |nodes| nodes.of(shape.root));
        let levels = Levels::of(shape);
        let leader = levels.leaders[node as usize];
        OnNodes { levels, shape: *shape, node, leader }
    }

    /// Ranks from the leader of one node up to that of another.
    fn ranks(&self, first: u32, count: u32) -> Data {
        let begin = |node: u32| self.levels.leaders.get(node as usize).copied().unwrap_or(self.shape.size);
        self.shape.blocks().span(begin(first) % self.shape.size, begin(first + count) - begin(first))
    }

    /// Blocks of ranks of this node.
    fn on_node(&self, first: u32, count: u32) -> Data {
        self.shape.blocks().span(self.levels.members[0] + first, count)
    }

    fn leads(&self) -> bool {
        self.levels.position == 0
    }

    /// Blocks of nodes around the ring, counted from the root's on.
    fn nodes_from_root(&self, first: u32, count: u32) -> Data {
        let (nodes, shape) = (self.levels.leaders.len() as u32, &self.shape);
        let first = (first + self.node) % nodes;
        if first + count <= nodes {
            return self.ranks(first, count);
        }
        let (upper, lower) = (self.ranks(first, nodes - first), self.ranks(0, first + count - nodes));
        let begin = self.levels.leaders[first as usize];
        let ranks = shape.size - begin + self.levels.leaders[(first + count - nodes) as usize];
        Data::blocks(begin, ranks, shape.size, upper.bytes + lower.bytes)
    }
}

/// SimGrid takes ranks of a node to follow each other; the schedule needs it, too.
pub(crate) fn has_whole_nodes(shape: &Shape) -> bool {
    shape.nodes.is_none_or(|nodes| nodes.are_contiguous())
}

pub(crate) fn gather_on_nodes(shape: &Shape, out: &mut Schedule) {
    let this = OnNodes::of(shape);
    out.among(&this.levels.members, |out| {
        gather_up(this.levels.inside(), &|first, count| this.on_node(first, count), out)
    });
    out.next_slot();
    let mine = this.ranks(this.levels.node, 1);
    if this.leads() && shape.rank != this.leader {
        out.send(this.leader, mine);
    } else if shape.rank == this.leader {
        for node in (0..this.levels.leaders.len() as u32).filter(|&node| node != this.node) {
            let (from, bytes) = (this.levels.leaders[node as usize], this.ranks(node, 1).bytes);
            if uniform(shape) { out.recv(from, bytes) } else { out.irecv(from, bytes) }
        }
        out.wait_all();
    }
    out.next_slot();
    between_root_and_leader(&this, this.leader, shape.root, out);
}

fn uniform(shape: &Shape) -> bool {
    super::Groups::uniform(shape).is_some()
}

/// All blocks, if the root does not lead its node.
fn between_root_and_leader(this: &OnNodes, from: u32, to: u32, out: &mut Schedule) {
    let (shape, all) = (&this.shape, this.shape.blocks().span(0, this.shape.size));
    if from == to {
        return;
    }
    if shape.rank == from {
        out.send(to, all);
    } else if shape.rank == to {
        out.recv(from, all.bytes);
    }
}

/// How the leaders get the blocks of their nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaders {
    InTurn,
    Tree,
}

pub(crate) fn scatter_direct_on_nodes(shape: &Shape, out: &mut Schedule) {
    scatter_on_nodes(shape, Leaders::InTurn, out);
}

pub(crate) fn scatter_tree_on_nodes(shape: &Shape, out: &mut Schedule) {
    scatter_on_nodes(shape, Leaders::Tree, out);
}

fn scatter_on_nodes(shape: &Shape, leaders: Leaders, out: &mut Schedule) {
    let this = OnNodes::of(shape);
    let nodes = this.levels.leaders.len() as u32;
    if nodes == 1 {
        let parameters = Parameters { sends: SendStyle::InOrder, ..shape.parameters };
        return scatter::linear(&Shape { parameters, ..*shape }, out);
    }
    between_root_and_leader(&this, shape.root, this.leader, out);
    out.next_slot();
    if this.leads() {
        match leaders {
            _ if !uniform(shape) => to_leaders(&this, true, out),
            Leaders::InTurn => to_leaders(&this, false, out),
            Leaders::Tree => {
                let ranks: Vec<_> =
                    (0..nodes).map(|i| this.levels.leaders[((i + this.node) % nodes) as usize]).collect();
                let member = Member { me: (this.levels.node + nodes - this.node) % nodes, size: nodes };
                out.among(&ranks, |out| {
                    scatter_down(member, &|first, count| this.nodes_from_root(first, count), out)
                });
            }
        }
    }
    out.next_slot();
    out.among(&this.levels.members, |out| {
        scatter_down(this.levels.inside(), &|first, count| this.on_node(first, count), out)
    });
}

/// The leader of the root's node sends the other leaders what their nodes get.
fn to_leaders(this: &OnNodes, at_once: bool, out: &mut Schedule) {
    if this.shape.rank != this.leader {
        return out.recv(this.leader, this.ranks(this.levels.node, 1).bytes);
    }
    for node in (0..this.levels.leaders.len() as u32).filter(|&node| node != this.node) {
        let (to, data) = (this.levels.leaders[node as usize], this.ranks(node, 1));
        if at_once { out.isend(to, data) } else { out.send(to, data) }
    }
    out.wait_all();
}
