//! Whom a participant exchanges data with, and which block goes where.
//!
//! Neighbours, and the ranks on the other side of an inter-communicator, get their blocks one by one as they leave: no rank
//! has to wait for all.

use mpirage_call::{Blocks, Collective, Completion, Member, Peers};

use super::instance::{Instance, Participant, Purpose};

/// Whom a participant exchanges data with, kept beyond the call.
#[derive(Clone, Debug, Default)]
pub(crate) enum KeptPeers {
    #[default]
    All,
    OtherSide {
        first: u32,
    },
    Neighbors(Box<Edges>),
}

/// The edges of a rank in a topology.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    sources: Vec<u32>,
    destinations: Vec<u32>,
    /// Destinations and their places in the list, sorted.
    outgoing: Vec<(u32, u32)>,
}

impl KeptPeers {
    pub(crate) fn of(peers: Peers<'_>) -> KeptPeers {
        match peers {
            Peers::All => KeptPeers::All,
            Peers::OtherSide { first } => KeptPeers::OtherSide { first },
            Peers::Neighbors { sources, destinations } => {
                let edges = Edges {
                    sources: sources.to_vec(),
                    destinations: destinations.to_vec(),
                    outgoing: by_peer(destinations),
                };
                KeptPeers::Neighbors(Box::new(edges))
            }
        }
    }

    pub(crate) fn peers(&self) -> Peers<'_> {
        match self {
            KeptPeers::All => Peers::All,
            KeptPeers::OtherSide { first } => Peers::OtherSide { first: *first },
            KeptPeers::Neighbors(edges) => {
                Peers::Neighbors { sources: &edges.sources, destinations: &edges.destinations }
            }
        }
    }

    /// Where the n-th edge to a rank is in the list of destinations.
    fn outgoing(&self, to: u32, nth: usize) -> Option<usize> {
        let KeptPeers::Neighbors(edges) = self else { return None };
        let first = edges.outgoing.partition_point(|&(peer, _)| peer < to);
        let &(peer, place) = edges.outgoing.get(first + nth)?;
        (peer == to).then_some(place as usize)
    }
}

/// Peers and their places in a list, sorted by peer; those of one peer stay in order.
fn by_peer(peers: &[u32]) -> Vec<(u32, u32)> {
    let mut sorted: Vec<(u32, u32)> = peers.iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    sorted
}

/// A block that goes from one participant to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub from: u32,
    /// Where it lies in what the sender gives, and how long it is.
    pub offset: u64,
    pub length: u64,
    /// Where it goes in what the receiver gets, and how long it may be.
    pub target: u64,
    pub room: u64,
}

impl Edge {
    fn new(from: u32, given: (u64, u64), got: (u64, u64)) -> Edge {
        Edge { from, offset: given.0, length: given.1, target: got.0, room: got.1 }
    }
}

impl Instance {
    /// The blocks that a member gets from its neighbours, or from the other side, as far as these have entered.
    /// Reductions have none: what they get is combined.
    pub(crate) fn edges(&self, kind: Collective, root: u32, member: u32) -> Vec<Edge> {
        let participant = &self.participants[member as usize];
        match participant.peers.peers() {
            Peers::All => Vec::new(),
            Peers::Neighbors { sources, .. } => self.edges_of_neighbors(member, participant, sources),
            Peers::OtherSide { .. } if kind.reduces() => Vec::new(),
            Peers::OtherSide { .. } => self.edges_across(kind, root, member),
        }
    }

    fn edges_of_neighbors(&self, member: u32, receiver: &Participant, sources: &[u32]) -> Vec<Edge> {
        let gets = receiver.recv.layout.blocks();
        let (mut edges, mut previous, mut nth) = (Vec::with_capacity(sources.len()), None, 0);
        for (from, place) in by_peer(sources) {
            nth = if previous == Some(from) { nth + 1 } else { 0 };
            previous = Some(from);
            let sender = &self.participants[from as usize];
            // A topology in which the sender has no such edge is a mistake; the message never comes.
            let Some(given) = sender.peers.outgoing(member, nth).filter(|_| sender.entered) else { continue };
            let given = sender.send.layout.blocks().of(given);
            edges.push(Edge::new(from, given, gets.of(place as usize)));
        }
        edges
    }

    fn edges_across(&self, kind: Collective, root: u32, member: u32) -> Vec<Edge> {
        use Collective as C;
        let receiver = &self.participants[member as usize];
        let Some(sides) = receiver.peers.peers().sides(Member { rank: member, size: self.size() as u32 })
        else {
            return Vec::new();
        };
        let gets = receiver.recv.layout.blocks();
        let gives = |from: u32| match kind.within() {
            C::Barrier => false,
            C::Bcast | C::Scatter | C::Scatterv => from == root,
            C::Gather | C::Gatherv => member == root,
            _ => true,
        };
        let place = sides.place(member) as usize;
        let edge = |(index, from): (usize, u32)| {
            let sender = &self.participants[from as usize];
            (sender.entered && gives(from))
                .then(|| Edge::new(from, sender.send.layout.blocks().of(place), gets.of(index)))
        };
        (0..).zip(sides.other).filter_map(edge).collect()
    }

    /// The error of a member that gets a block for which it has not enough room.
    pub(crate) fn truncation(&self, member: u32) -> Option<Completion> {
        let Purpose::Data { kind, root } = self.purpose else { return None };
        let too_long = |edge: &Edge| edge.length > edge.room;
        let bytes = self.edges(kind, root, member).into_iter().find(too_long)?.length;
        Some(Completion { mismatched: true, truncated: true, bytes, ..Completion::empty(0) })
    }

    /// Does any member get a block that is larger than its buffer?
    pub(crate) fn truncates(&self) -> bool {
        let all = matches!(self.participants[0].peers, KeptPeers::All);
        !all && (0..self.size() as u32).any(|member| self.truncation(member).is_some())
    }

    /// Has a member something that others still need?
    pub(crate) fn is_needed(&self, member: u32) -> bool {
        match self.participants[member as usize].peers.peers() {
            Peers::Neighbors { destinations, .. } => {
                destinations.iter().any(|&to| !self.participants[to as usize].left)
            }
            Peers::All | Peers::OtherSide { .. } => true,
        }
    }

    /// The number of blocks that a member sends.
    pub(crate) fn send_blocks(&self, member: u32) -> usize {
        let peers = self.participants[member as usize].peers.peers();
        peers.receivers(Member { rank: member, size: self.size() as u32 })
    }
}

/// A share of a combined vector: where it begins, and how long it is.
pub(crate) fn share(gets: &Blocks<'_>, place: u32) -> (u64, u64) {
    match *gets {
        Blocks::Whole(bytes) => (bytes * u64::from(place), bytes),
        blocks => blocks.of(place as usize),
    }
}
