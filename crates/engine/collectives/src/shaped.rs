//! Properties of a collective that follow from the shape of a call.

use mpirage_call::Collective::{self, *};
use mpirage_call::{Member, Peers, Sides};

use crate::shape::Shape;

/// Properties that algorithms and rules read.
pub(crate) trait Shaped {
    /// Whether all ranks know how much is moved.
    fn sizes_are_known(self) -> bool;

    /// All blocks together; the vector where there are no blocks.
    fn total(self, shape: &Shape) -> u64;

    /// The shape without what this collective does not read, so that algorithms shared by a
    /// collective and its v-variant can tell them apart by the counts, and so that nothing depends
    /// on the element unless all ranks must name the same one.
    fn normalized<'a>(self, shape: &Shape<'a>) -> Shape<'a>;

    /// Bytes a rank moves from its own input to its own output, before anything else.
    fn own_copy(self, shape: &Shape) -> u64;
}

impl Shaped for Collective {
    fn sizes_are_known(self) -> bool {
        let differ =
            matches!(self, InterAllgather | InterAllgatherv | InterAlltoall) || self.is_neighborhood();
        !differ && !matches!(self.within(), Gatherv | Scatterv | Alltoallv | Alltoallw)
    }

    fn total(self, shape: &Shape) -> u64 {
        match self {
            Barrier | Bcast | Reduce | Allreduce | Scan | Exscan => shape.bytes,
            InterBarrier | InterBcast | InterReduce | InterAllreduce => shape.bytes,
            // All blocks are those of the side that the root is not on.
            InterGather | InterScatter => shape.sides().map_or(0, |sides| {
                let side = if sides.other.contains(&shape.root) { sides.own } else { sides.other };
                side.len() as u64 * shape.bytes
            }),
            InterReduceScatter | InterReduceScatterBlock => shape.recv_counts.iter().sum(),
            _ => shape.blocks().all().bytes,
        }
    }

    fn normalized<'a>(self, shape: &Shape<'a>) -> Shape<'a> {
        let (sends, receives) = match self {
            _ if self.is_neighborhood() => (true, true),
            InterGatherv if shape.is_root() => (false, true),
            InterScatterv if shape.is_root() => (true, false),
            InterAllgather | InterAllgatherv | InterReduceScatter | InterReduceScatterBlock => (false, true),
            InterAlltoall | InterAlltoallv | InterAlltoallw => (true, true),
            Gatherv if shape.is_root() => (false, true),
            Scatterv if shape.is_root() => (true, false),
            Allgatherv | ReduceScatter => (false, true),
            Alltoallv | Alltoallw => (true, true),
            _ => (false, false),
        };
        let read = |wanted: bool, counts: &'a [u64], peers: usize| {
            assert!(!wanted || counts.len() == peers, "{self} wants one count per peer");
            if wanted { counts } else { &[] }
        };
        // A share of a vector is that of a rank of the own side.
        let shares = matches!(self, InterReduceScatter | InterReduceScatterBlock);
        let sharers = || shape.sides().map_or(0, |sides| sides.own.len());
        let senders = if shares {
            sharers()
        } else {
            shape.peers.senders(Member { rank: shape.rank, size: shape.size })
        };
        let receivers = shape.peers.receivers(Member { rank: shape.rank, size: shape.size });
        Shape {
            root: if self.is_rooted() { shape.root } else { 0 },
            element: if self.reduces() { shape.element } else { 1 },
            send_counts: read(sends, shape.send_counts, receivers),
            recv_counts: read(receives, shape.recv_counts, senders),
            ..*shape
        }
    }

    fn own_copy(self, shape: &Shape) -> u64 {
        match self {
            _ if shape.in_place || shape.peers != Peers::All => 0,
            Barrier | Bcast | Exscan => 0,
            Gather | Gatherv | Scatter | Scatterv | Reduce if !shape.is_root() => 0,
            Scatterv => shape.sent_to(shape.rank),
            _ => shape.received_from(shape.rank),
        }
    }
}

/// Bytes of memory that a rank walks through in a call: all blocks, of the input and of the output where they are not the same.
pub fn working_set(collective: Collective, shape: &Shape) -> u64 {
    let all = collective.total(shape);
    match collective.within() {
        Bcast | Gather | Gatherv | Scatter | Scatterv | Allgather | Allgatherv => all,
        _ => 2 * all,
    }
}

/// Whether rank `shape.rank` can only leave a collective after rank `other` has entered. Holds for every algorithm; a particular one may make
/// ranks wait for more.
pub fn waits_for(collective: Collective, shape: &Shape, other: u32) -> bool {
    if let Peers::Neighbors { sources, .. } = shape.peers {
        return other == shape.rank || sources.contains(&other);
    }
    if let Some(sides) = shape.sides() {
        return other == shape.rank
            || sides.other.contains(&other) && hears(collective, shape, &sides, other);
    }
    match collective {
        _ if other == shape.rank => true,
        // In a call that moves no bytes, no rank waits for another.
        Barrier => true,
        _ if collective.sizes_are_known() && collective.total(&collective.normalized(shape)) == 0 => false,
        _ if collective.synchronizes() => true,
        Bcast | Scatter => other == shape.root,
        Scatterv => other == shape.root && shape.bytes > 0,
        Gather | Reduce => shape.is_root(),
        Gatherv => shape.is_root() && shape.received_from(other) > 0,
        Scan | Exscan => other < shape.rank,
        Alltoallv | Alltoallw => shape.received_from(other) > 0,
        _ => unreachable!("{collective} synchronizes"),
    }
}

/// Whether a rank gets something of rank `other`, which is on the other side.
fn hears(collective: Collective, shape: &Shape, sides: &Sides, other: u32) -> bool {
    match collective.within() {
        Bcast | Scatter | Scatterv => other == shape.root,
        Gather | Gatherv | Reduce => shape.is_root(),
        Alltoallv | Alltoallw => shape.received_from(other - sides.other.start) > 0,
        _ => true,
    }
}
