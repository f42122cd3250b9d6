//! One rank's view of one collective call: its rank, and the sizes.

use mpirage_call::{BESIDE_ROOT, Member, Parameters, Peers, Sides};

use crate::blocks::Blocks;
use crate::data::Data;
use crate::nodes::Nodes;

/// One rank's view of one call.
///
/// The meaning of [`bytes`](Shape::bytes), and the counts that are read:
///
/// | collective | `bytes` | `send_counts` | `recv_counts` |
/// |---|---|---|---|
/// | barrier | – | | |
/// | bcast, reduce, allreduce, scan, exscan | the whole vector | | |
/// | gather, scatter, allgather | the block of one rank | | |
/// | alltoall | the block of one pair | | |
/// | reduce-scatter-block | the block each rank ends up with | | |
/// | gatherv | what this rank contributes | | root: from each rank |
/// | scatterv | what this rank receives | root: to each rank | |
/// | allgatherv | – | | from each rank |
/// | alltoallv, alltoallw | – | to each rank | from each rank |
/// | reduce-scatter | – | | the block of each rank |
/// | neighbor-… | – | to each destination | from each source |
/// | inter-bcast, inter-reduce, inter-allreduce | the whole vector | | |
/// | inter-gather, inter-scatter | the block of one rank | | |
/// | inter-gatherv | what this rank contributes | | root: from each rank of the other side |
/// | inter-scatterv | what this rank receives | root: to each rank of the other side | |
/// | inter-allgather, inter-allgatherv | what this rank contributes | | from each rank of the other side |
/// | inter-alltoall, inter-alltoallv, inter-alltoallw | – | to each rank of the other side | from each rank of the other side |
/// | inter-reduce-scatter, inter-reduce-scatter-block | – | | the block of each rank of the own side |
///
/// All counts are in bytes. Counts that a collective does not read may stay empty.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// The rank whose schedule is wanted.
    pub rank: u32,
    /// Ranks in the communicator.
    pub size: u32,
    /// The root, where there is one; [`BESIDE_ROOT`] if it is another rank of the own side.
    pub root: u32,
    /// See the table above.
    pub bytes: u64,
    /// Bytes of one element: vectors that are reduced are cut between elements only. Other
    /// collectives do not read it, since ranks may name different types for the same bytes.
    pub element: u64,
    /// The parameters of the algorithm. All ranks must have the same.
    pub parameters: Parameters,
    /// Bytes this rank sends to each rank.
    pub send_counts: &'a [u64],
    /// Bytes this rank receives from each rank.
    pub recv_counts: &'a [u64],
    /// Whether operands of the reduction may change places.
    pub commutative: bool,
    /// Whether the operation of the reduction is one of MPI's own.
    pub built_in: bool,
    /// The rank's own contribution is where it belongs already (`MPI_IN_PLACE`): no copy of it.
    pub in_place: bool,
    /// Whom the rank exchanges data with.
    pub peers: Peers<'a>,
    /// The ranks that share a node; none if each has its own, or if the choice of algorithms does not depend on nodes.
    pub nodes: Option<&'a Nodes>,
}

impl<'a> Shape<'a> {
    /// Nothing to move yet, in a communicator of so many ranks: rank 0, root 0, no bytes, elements of one byte, an operation of
    /// MPI's that commutes, not in place, each rank on a node of its own.
    pub fn new(size: u32) -> Self {
        assert!(size > 0, "a communicator has a rank");
        Shape {
            rank: 0,
            size,
            root: 0,
            bytes: 0,
            element: 1,
            parameters: Parameters::default(),
            send_counts: &[],
            recv_counts: &[],
            commutative: true,
            built_in: true,
            in_place: false,
            peers: Peers::All,
            nodes: None,
        }
    }

    /// For this rank.
    pub fn rank(self, rank: u32) -> Self {
        assert!(rank < self.size, "rank {rank} is not in a communicator of {}", self.size);
        Shape { rank, ..self }
    }

    /// With this root.
    pub fn root(self, root: u32) -> Self {
        let known = root < self.size || root == BESIDE_ROOT;
        assert!(known, "root {root} is not in a communicator of {}", self.size);
        Shape { root, ..self }
    }

    /// With that many bytes; what they count depends on the collective.
    pub fn bytes(self, bytes: u64) -> Self {
        Shape { bytes, ..self }
    }

    /// With elements of that many bytes.
    pub fn element(self, element: u64) -> Self {
        Shape { element, ..self }
    }

    /// With these parameters of the algorithm.
    pub(crate) fn parameters(self, parameters: Parameters) -> Self {
        Shape { parameters, ..self }
    }

    /// With bytes per peer, or an empty slice where this rank has no such counts.
    pub fn counts(self, send_counts: &'a [u64], recv_counts: &'a [u64]) -> Self {
        Shape { send_counts, recv_counts, ..self }
    }

    /// With operands that may change places, or not.
    pub fn commutative(self, commutative: bool) -> Self {
        Shape { commutative, ..self }
    }

    /// Exchanging data with these.
    pub fn peers(self, peers: Peers<'a>) -> Self {
        Shape { peers, ..self }
    }

    /// With an operation of MPI's own, or one of the program's.
    pub fn built_in(self, built_in: bool) -> Self {
        Shape { built_in, ..self }
    }

    /// With ranks on these nodes.
    pub fn nodes(self, nodes: Option<&'a Nodes>) -> Self {
        assert!(nodes.is_none_or(|nodes| nodes.ranks() == self.size), "one node for each rank");
        Shape { nodes, ..self }
    }

    /// With the own contribution already in place, or not.
    pub fn in_place(self, in_place: bool) -> Self {
        Shape { in_place, ..self }
    }

    /// The two sides of an inter-communicator.
    pub(crate) fn sides(&self) -> Option<Sides> {
        self.peers.sides(Member { rank: self.rank, size: self.size })
    }

    pub(crate) fn is_root(&self) -> bool {
        self.rank == self.root
    }

    /// The rank `distance` further along the ring.
    pub(crate) fn after(&self, distance: u32) -> u32 {
        (self.rank + distance) % self.size
    }

    /// The rank `distance` further back along the ring.
    pub(crate) fn before(&self, distance: u32) -> u32 {
        (self.rank + self.size - distance) % self.size
    }

    /// All ranks but the root, in order.
    pub(crate) fn non_roots(&self) -> impl Iterator<Item = u32> + use<> {
        let root = self.root;
        (0..self.size).filter(move |&rank| rank != root)
    }

    /// Bytes this rank sends to `to`.
    pub(crate) fn sent_to(&self, to: u32) -> u64 {
        self.send_counts.get(to as usize).copied().unwrap_or(self.bytes)
    }

    /// Bytes this rank receives from `from`.
    pub(crate) fn received_from(&self, from: u32) -> u64 {
        self.recv_counts.get(from as usize).copied().unwrap_or(self.bytes)
    }

    /// The blocks of all ranks, as every rank knows them.
    pub(crate) fn blocks(&self) -> Blocks<'a> {
        match self.recv_counts {
            [] => Blocks::equal(self.size, self.bytes),
            counts => Blocks::counted(counts),
        }
    }

    /// The whole vector, as messages carry it.
    pub(crate) fn vector(&self) -> Data {
        Data::range(0, self.bytes)
    }

    /// This rank's block for `to`, as messages carry it.
    pub(crate) fn block_for(&self, to: u32) -> Data {
        Data::pair(self.rank, to, self.sent_to(to))
    }

    /// Bytes of a segment; a vector that is not cut is one segment.
    pub(crate) fn segment(&self) -> u64 {
        match self.parameters.segment {
            0 => self.bytes.max(1),
            bytes => bytes,
        }
    }

    /// Whole elements in the vector.
    pub(crate) fn elements(&self) -> u64 {
        self.bytes / self.element.max(1)
    }
}
