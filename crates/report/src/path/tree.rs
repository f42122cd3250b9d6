//! What led where: the paths of all ranks, which share their beginnings.

use rustc_hash::FxHashMap;

/// Nodes at most, if there are few ranks: 32 MiB.
const MOST: usize = 1 << 20;
/// And in the beginning: so few that they stay at hand.
const FIRST: usize = 1 << 15;
/// Nodes for each rank, if there are many.
const MOST_PER_RANK: usize = 24;
/// No function.
pub(crate) const NO_FUNCTION: u16 = u16::MAX;

/// What a part of the path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A rank computes.
    Compute,
    /// It is in a call of point-to-point communication, and nobody else is to blame.
    PointToPoint,
    /// It is in a collective, and nobody else is to blame.
    Collective,
    /// Bytes are under way.
    Transfer,
    /// Anything else.
    Other,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 5] =
        [Kind::Compute, Kind::PointToPoint, Kind::Collective, Kind::Transfer, Kind::Other];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Compute => "compute",
            Kind::PointToPoint => "p2p",
            Kind::Collective => "collective",
            Kind::Transfer => "transfer",
            Kind::Other => "other",
        }
    }
}

/// A part of a path, and what came before it. Whatever comes next may begin before its end: then it ends there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Always an earlier one.
    pub parent: u32,
    pub rank: u32,
    /// The other rank of a transfer; otherwise the same.
    pub peer: u32,
    pub start: u64,
    pub end: u64,
    pub kind: Kind,
    pub function: u16,
}

impl Node {
    /// A part that comes after another.
    pub fn after(parent: u32, part: Segment) -> Node {
        let Segment { rank, peer, start, end, kind, function } = part;
        Node { parent, rank, peer, start, end, kind, function }
    }
}

/// A part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    pub rank: u32,
    pub peer: u32,
    pub start: u64,
    pub end: u64,
    pub kind: Kind,
    pub function: u16,
}

impl Segment {
    /// Is it the beginning of what comes after it?
    #[inline]
    pub fn joins(&self, after: &Segment) -> bool {
        self.rank == after.rank
            && self.kind == after.kind
            && self.function == after.function
            && self.end == after.start
    }

    /// The same so long before.
    #[inline]
    pub fn before(&self, time: u64) -> Segment {
        Segment { start: self.start - time, end: self.end - time, ..*self }
    }

    /// It and what comes after it as one, which is like the longer of the two.
    pub fn joined(self, after: Segment) -> Segment {
        let longer = if self.end - self.start > after.end - after.start { self } else { after };
        Segment { start: self.start, end: after.end, ..longer }
    }
}

/// The parts of a path, the last first.
pub(super) struct Backwards<'a> {
    nodes: &'a [Node],
    next: u32,
    /// Where the part that comes after the next one begins.
    until: u64,
}

impl Iterator for Backwards<'_> {
    type Item = Segment;

    #[inline]
    fn next(&mut self) -> Option<Segment> {
        while self.next != 0 {
            let Node { parent, rank, peer, start, end, kind, function } = self.nodes[self.next as usize];
            let end = end.min(self.until);
            (self.next, self.until) = (parent, start.min(self.until));
            if end > start {
                return Some(Segment { rank, peer, start, end, kind, function });
            }
        }
        None
    }
}

/// All paths. Node 0 is where all begin.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// So many before what is not needed is removed.
    room: usize,
    most: usize,
    thinned: bool,
}

impl Tree {
    pub fn new(ranks: usize) -> Tree {
        let root = Node {
            parent: 0,
            rank: u32::MAX,
            peer: u32::MAX,
            start: 0,
            end: 0,
            kind: Kind::Other,
            function: NO_FUNCTION,
        };
        let most = MOST.max(MOST_PER_RANK * ranks);
        Tree { nodes: vec![root], room: FIRST.max(MOST_PER_RANK * ranks).min(most), most, thinned: false }
    }

    /// Adds a node.
    #[inline]
    pub fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Is it time to [make room](Tree::make_room)?
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.room
    }

    /// Adds a part to those of one path, which are told backwards. If they are too many, neighbours become one.
    pub fn take(&mut self, part: Segment, parts: &mut Vec<Segment>) {
        if let Some(after) = parts.last_mut()
            && part.joins(after)
        {
            after.start = part.start;
            return;
        }
        if parts.len() >= self.most {
            self.thinned = true;
            for at in 0..parts.len() / 2 {
                parts[at] = parts[2 * at + 1].joined(parts[2 * at]);
            }
            parts.truncate(parts.len() / 2);
        }
        parts.push(part);
    }

    pub fn is_thinned(&self) -> bool {
        self.thinned
    }

    /// The path that ends with a node, backwards, up to some time. Of node 0 it is empty.
    pub fn back_from(&self, last: u32, until: u64) -> Backwards<'_> {
        Backwards { nodes: &self.nodes, next: last, until }
    }

    /// Removes all that leads to none of the `roots`, and thins out what remains if that is too much. Numbers of nodes change: those of
    /// roots, and those in the `index`, where nodes that are no more go.
    pub fn make_room(&mut self, roots: &mut [u32], index: &mut FxHashMap<(u32, u64), u32>) {
        self.sweep(roots, index);
        while self.room < self.most && self.nodes.len() > self.room / 4 {
            self.room = (2 * self.room).min(self.most);
        }
        let mut across = false;
        while self.nodes.len() > self.most / 2 {
            let before = self.nodes.len();
            self.thin(roots, across);
            self.sweep(roots, index);
            self.thinned = true;
            if self.nodes.len() > before / 8 * 7 {
                if across {
                    // Every rank has a path of its own, and no more to give.
                    self.most = self.most.max(2 * self.nodes.len());
                    self.room = self.most;
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

    /// Makes one of two neighbours, where the first has only this second: of one rank, or `across` ranks too.
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
            let node = self.nodes[id];
            let (at, first) = (node.parent as usize, self.nodes[node.parent as usize]);
            let plain =
                node.rank == first.rank && node.kind != Kind::Transfer && first.kind != Kind::Transfer;
            if at == 0 || used[at] != 1 || merged[at] || !(across || plain) {
                continue;
            }
            let first_lasts = first.end.min(node.start).saturating_sub(first.start);
            let longer = if first_lasts > node.end - node.start { first } else { node };
            self.nodes[id] = Node { parent: first.parent, start: first.start, end: node.end, ..longer };
            merged[id] = true;
        }
    }
}
