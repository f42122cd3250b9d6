//! What led where: the paths of all ranks, which share their beginnings.

use super::trail::Trail;

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

/// A part of a finished path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    pub rank: u32,
    pub peer: u32,
    pub start: u64,
    pub end: u64,
    pub kind: Kind,
    pub function: u16,
}

/// The parts of a path, the last first: nobody needs a copy of it, which may be as large as the tree.
#[derive(Clone)]
pub(crate) struct Backwards<'a> {
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

    #[inline]
    pub fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    #[inline]
    pub fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Adds a node. If there is no room, what no rank's trail leads to is removed first.
    #[inline]
    pub fn push(&mut self, mut node: Node, trails: &mut [Trail]) -> u32 {
        if self.nodes.len() >= self.room {
            node.parent = self.make_room(node.parent, trails);
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    pub fn is_thinned(&self) -> bool {
        self.thinned
    }

    /// The path that ends with a node, backwards. Of node 0 it is empty.
    pub fn back_from(&self, last: u32) -> Backwards<'_> {
        Backwards { nodes: &self.nodes, next: last, until: u64::MAX }
    }

    /// Removes what is not needed, and thins out what remains if that is too much. Gives the new number of `kept`.
    fn make_room(&mut self, mut kept: u32, trails: &mut [Trail]) -> u32 {
        self.sweep(&mut kept, trails);
        while self.room < self.most && self.nodes.len() > self.room / 4 {
            self.room = (2 * self.room).min(self.most);
        }
        let mut across = false;
        while self.nodes.len() > self.most / 2 {
            let before = self.nodes.len();
            self.thin(kept, across, trails);
            self.sweep(&mut kept, trails);
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
        kept
    }

    fn sweep(&mut self, kept: &mut u32, trails: &mut [Trail]) {
        let mut needed = vec![false; self.nodes.len()];
        needed[0] = true;
        needed[*kept as usize] = true;
        for node in trails.iter_mut().flat_map(Trail::nodes) {
            needed[*node as usize] = true;
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
        *kept = renumbered[*kept as usize];
        for node in trails.iter_mut().flat_map(Trail::nodes) {
            *node = renumbered[*node as usize];
        }
    }

    /// Makes one of two neighbours, where the first has only this second: of one rank, or `across` ranks too.
    fn thin(&mut self, kept: u32, across: bool, trails: &mut [Trail]) {
        let mut used = vec![0u8; self.nodes.len()];
        for node in trails.iter_mut().flat_map(Trail::nodes) {
            used[*node as usize] = 2;
        }
        used[kept as usize] = 2;
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
