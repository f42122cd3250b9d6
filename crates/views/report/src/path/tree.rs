//! The paths of all ranks as a tree: paths share their beginnings.

use rustc_hash::FxHashMap;

use super::segment::{Segment, SegmentKind, join_neighbours};
use crate::calls::NO_FUNCTION;

/// Nodes at most, if there are few ranks: 40 MiB.
const MAX_NODES: usize = 1 << 20;
/// Nodes before the first sweep: so few that they stay in the processor's caches.
const FIRST_NODES: usize = 1 << 15;
/// Nodes for each rank, if there are many.
const NODES_PER_RANK: usize = 24;
/// A segment of a path. The next segment may begin before its end: then it ends there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The node of the segment before; it has a smaller number.
    pub parent: u32,
    pub segment: Segment,
}

/// The segments of a path, the last first.
pub(super) struct Backwards<'a> {
    nodes: &'a [Node],
    next: u32,
    /// The start of the segment after the next one.
    until: u64,
}

impl Iterator for Backwards<'_> {
    type Item = Segment;

    #[inline]
    fn next(&mut self) -> Option<Segment> {
        while self.next != 0 {
            let Node { parent, segment } = self.nodes[self.next as usize];
            let end = segment.end.min(self.until);
            (self.next, self.until) = (parent, segment.start.min(self.until));
            if end > segment.start {
                return Some(Segment { end, ..segment });
            }
        }
        None
    }
}

/// All paths. Node 0 is the beginning of all.
#[derive(Clone)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Nodes before the next sweep.
    room: usize,
    /// Nodes at most.
    limit: usize,
    thinned: bool,
}

impl Tree {
    pub fn new(ranks: usize) -> Tree {
        let (rank, kind, function) = (u32::MAX, SegmentKind::Other, NO_FUNCTION);
        let root = Segment { rank, peer: rank, start: 0, end: 0, kind, function };
        let limit = MAX_NODES.max(NODES_PER_RANK * ranks);
        let room = FIRST_NODES.max(NODES_PER_RANK * ranks).min(limit);
        Tree { nodes: vec![Node { parent: 0, segment: root }], room, limit, thinned: false }
    }

    /// Adds a node.
    #[inline]
    pub fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Whether it is time to [make room](Tree::make_room).
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.room
    }

    /// Adds a segment before those of a path, which are in reverse order. If they are too many, neighbours are joined.
    pub fn prepend(&mut self, segment: Segment, backwards: &mut Vec<Segment>) {
        if let Some(after) = backwards.last_mut()
            && segment.joins(after)
        {
            after.start = segment.start;
            return;
        }
        if backwards.len() >= self.limit {
            self.thinned = true;
            join_neighbours(backwards);
        }
        backwards.push(segment);
    }

    pub fn is_thinned(&self) -> bool {
        self.thinned
    }

    /// The path that ends with a node, backwards, from the time `until` on.
    pub fn back_from(&self, last: u32, until: u64) -> Backwards<'_> {
        Backwards { nodes: &self.nodes, next: last, until }
    }

    /// Removes nodes that lead to none of the `roots`, and thins out the others if they are too many. Updates the numbers of nodes in
    /// `roots` and in the `index`, from which removed nodes vanish.
    pub fn make_room(&mut self, roots: &mut [u32], index: &mut FxHashMap<(u32, u64), u32>) {
        self.sweep(roots, index);
        while self.room < self.limit && self.nodes.len() > self.room / 4 {
            self.room = (2 * self.room).min(self.limit);
        }
        let mut across = false;
        while self.nodes.len() > self.limit / 2 {
            let before = self.nodes.len();
            self.thin(roots, across);
            self.sweep(roots, index);
            self.thinned = true;
            if self.nodes.len() > before / 8 * 7 {
                if across {
                    // Every rank has a path of its own, and none can be thinned further.
                    self.limit = self.limit.max(2 * self.nodes.len());
                    self.room = self.limit;
                }
                across = true;
            }
        }
    }

    fn sweep(&mut self, roots: &mut [u32], index: &mut FxHashMap<(u32, u64), u32>) {
        let mut needed = vec![false; self.nodes.len()];
        needed[0] = true;
        for &mut node in &mut *roots {
            needed[node as usize] = true;
        }
        for id in (1..self.nodes.len()).rev() {
            if needed[id] {
                needed[self.nodes[id].parent as usize] = true;
            }
        }
        let mut renumbered = vec![0u32; self.nodes.len()];
        let mut next = 0;
        for id in 0..self.nodes.len() {
            if needed[id] {
                renumbered[id] = next;
                let mut node = self.nodes[id];
                node.parent = renumbered[node.parent as usize];
                self.nodes[next as usize] = node;
                next += 1;
            }
        }
        self.nodes.truncate(next as usize);
        roots.iter_mut().for_each(|node| *node = renumbered[*node as usize]);
        index.retain(|_, node| {
            *node = renumbered[*node as usize];
            *node != 0
        });
    }

    /// Joins each two neighbours of which the first leads to the second only: those of one rank, or also `across` ranks.
    fn thin(&mut self, roots: &[u32], across: bool) {
        let mut used = vec![0u8; self.nodes.len()];
        for &node in roots {
            used[node as usize] = 2;
        }
        for node in &self.nodes[1..] {
            let parent = &mut used[node.parent as usize];
            *parent = parent.saturating_add(1);
        }
        let mut merged = vec![false; self.nodes.len()];
        for id in 1..self.nodes.len() {
            let Node { parent, segment } = self.nodes[id];
            let (at, first) = (parent as usize, self.nodes[parent as usize].segment);
            let own = segment.rank == first.rank
                && [segment, first].iter().all(|it| it.kind != SegmentKind::Transfer);
            if at == 0 || used[at] != 1 || merged[at] || !(across || own) {
                continue;
            }
            let end = first.end.min(segment.start).max(first.start);
            let segment = Segment { end, ..first }.joined(segment);
            self.nodes[id] = Node { parent: self.nodes[at].parent, segment };
            merged[id] = true;
        }
    }
}
