//! Collective calls: what each rank contributes and receives.

use crate::{BESIDE_ROOT, Collective, Member, Peers};
use crate::{ContextId, Payload, RequestId};

/// Bytes each rank contributes to agree on a new communicator: its colour and key.
const AGREEMENT_BYTES: u64 = 8;

/// Where the contribution of a rank lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Input {
    /// In memory of its own.
    #[default]
    Apart,
    /// Where the result goes: `MPI_IN_PLACE`.
    InPlace,
}

/// The consequence for a rank if the ranks of a collective give different sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMismatch {
    /// The run ends with a diagnosis: errors are fatal.
    #[default]
    EndRun,
    /// The rank gets an error: its program handles errors itself.
    ReturnError,
}

/// One rank's side of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectiveCall<'a> {
    /// The operation.
    pub kind: Collective,
    /// The communicator.
    pub context: ContextId,
    /// The root, as a rank of the communicator; zero if the operation has none, [`BESIDE_ROOT`] if it is another rank of
    /// this side of an inter-communicator.
    pub root: u32,
    /// The ranks that the rank exchanges data with.
    pub peers: Peers<'a>,
    /// The data that this rank contributes.
    pub send: Part<'a>,
    /// The data that this rank receives; `payload` is `At` or `Absent`.
    pub recv: Part<'a>,
    /// How contributions combine, if the operation is a reduction.
    pub reduction: Option<Reduction>,
    /// The request that completes with the operation; none if it is blocking.
    pub request: Option<RequestId>,
    /// The number of a persistent collective, which may be started in any order: numbered from 1 in the order in which the
    /// communicator's were made. Zero for others, which match in the order of the calls.
    pub plan: u32,
    /// Where this rank's contribution lies.
    pub input: Input,
    /// The consequence if ranks give different sizes.
    pub on_mismatch: OnMismatch,
}

impl CollectiveCall<'static> {
    /// A barrier of all ranks.
    pub fn barrier() -> CollectiveCall<'static> {
        let agreement = CollectiveCall::agreement(crate::WORLD);
        CollectiveCall { kind: Collective::Barrier, send: Part::EMPTY, recv: Part::EMPTY, ..agreement }
    }

    /// The collective by which ranks agree on a new communicator: each sends its colour and key to all others.
    pub fn agreement(context: ContextId) -> CollectiveCall<'static> {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Equal(AGREEMENT_BYTES) };
        CollectiveCall {
            kind: Collective::Allgather,
            context,
            root: 0,
            peers: Peers::All,
            send: part,
            recv: part,
            reduction: None,
            request: None,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        }
    }
}

impl CollectiveCall<'_> {
    /// The root, if the rank knows it.
    pub fn known_root(&self) -> Option<u32> {
        (self.root != BESIDE_ROOT).then_some(self.root)
    }

    /// Do the peers exist, and are there blocks for all of them, for this member? The MPI library makes no
    /// other calls, but a trace may contain any.
    pub fn is_sound(&self, member: Member) -> bool {
        let listed = |blocks: &Blocks<'_>, number: usize| match blocks {
            Blocks::Each(list) => list.len() == 2 * number,
            Blocks::Whole(_) | Blocks::Equal(_) => true,
        };
        let root = match self.peers.sides(member) {
            Some(sides) if self.kind.is_rooted() => {
                self.root == BESIDE_ROOT || self.root == member.rank || sides.other.contains(&self.root)
            }
            _ => self.root < member.size,
        };
        let peers = match self.peers {
            Peers::All => !self.kind.is_across() && !self.kind.is_neighborhood(),
            Peers::OtherSide { first } => self.kind.is_across() && (1..member.size).contains(&first),
            Peers::Neighbors { sources, destinations } => {
                self.kind.is_neighborhood()
                    && sources.iter().chain(destinations).all(|&peer| peer < member.size)
            }
        };
        root && peers
            && listed(&self.send.blocks, self.send_blocks(member))
            && listed(&self.recv.blocks, self.receive_blocks(member))
    }

    /// The bytes that decide how the collective is done, as `Shape::bytes` counts them, for the rank `seat` of the
    /// communicator.
    pub fn shape_bytes(&self, seat: u32) -> u64 {
        use Collective as C;
        let (send, recv) = (&self.send.blocks, &self.recv.blocks);
        match self.kind {
            C::Barrier | C::Allgatherv | C::Alltoallv | C::Alltoallw | C::ReduceScatter => 0,
            C::Bcast | C::InterBcast => send.total(1).max(recv.total(1)),
            C::Reduce | C::Allreduce | C::Scan | C::Exscan | C::InterReduce | C::InterAllreduce => {
                self.reduction.map_or(0, |r| r.elements * u64::from(r.element))
            }
            C::Gather | C::InterGather if seat == self.root => recv.first(),
            C::Gather | C::Gatherv | C::InterGather | C::InterGatherv => send.total(1),
            C::Scatter | C::InterScatter if seat == self.root => send.first(),
            C::Scatter | C::Scatterv | C::InterScatter | C::InterScatterv => recv.total(1),
            C::Allgather | C::Alltoall | C::ReduceScatterBlock => recv.first(),
            C::InterAllgather | C::InterAllgatherv => send.total(1),
            C::NeighborAllgather
            | C::NeighborAllgatherv
            | C::NeighborAlltoall
            | C::NeighborAlltoallv
            | C::NeighborAlltoallw
            | C::InterBarrier
            | C::InterAlltoall
            | C::InterAlltoallv
            | C::InterAlltoallw
            | C::InterReduceScatter
            | C::InterReduceScatterBlock => 0,
        }
    }

    /// Bytes for each receiver, where the collective's `Shape` has them, for this member.
    pub fn send_counts(&self, member: Member) -> Vec<u64> {
        self.counts(&self.send.blocks, self.peers.receivers(member))
    }

    /// Bytes from each sender, where the collective's `Shape` has them. Of an inter-communicator's reduce-scatter, the
    /// bytes that each rank of this side gets.
    pub fn recv_counts(&self, member: Member) -> Vec<u64> {
        self.counts(&self.recv.blocks, self.receive_blocks(member))
    }

    /// The bytes that a member sends and receives.
    pub fn bytes(&self, member: Member) -> (u64, u64) {
        let sent = self.send.blocks.total(self.send_blocks(member));
        (sent, self.recv.blocks.total(self.receive_blocks(member)))
    }

    /// The number of blocks that a member sends.
    pub fn send_blocks(&self, member: Member) -> usize {
        self.peers.receivers(member)
    }

    /// The number of blocks that a member receives; of a reduce-scatter, that all ranks of its group
    /// receive.
    pub fn receive_blocks(&self, member: Member) -> usize {
        let shares =
            matches!(self.kind, Collective::InterReduceScatter | Collective::InterReduceScatterBlock);
        match self.peers.sides(member) {
            Some(sides) if shares => sides.own.len(),
            _ => self.peers.senders(member),
        }
    }

    /// With all ranks as peers, blocks of the same size are not listed.
    fn counts(&self, blocks: &Blocks<'_>, number: usize) -> Vec<u64> {
        match (blocks, self.peers) {
            (Blocks::Each(list), _) => list.iter().skip(1).step_by(2).copied().collect(),
            (_, Peers::All) => Vec::new(),
            (blocks, _) => (0..number).map(|index| blocks.of(index).1).collect(),
        }
    }
}

/// The data that a rank sends or receives: packed bytes, cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<'a> {
    /// Where the bytes are, or where they go.
    pub payload: Payload<'a>,
    /// The assignment of the bytes to peers.
    pub blocks: Blocks<'a>,
}

impl Part<'_> {
    /// No bytes.
    pub const EMPTY: Part<'static> = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
}

/// How a buffer is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blocks<'a> {
    /// One block of so many bytes.
    Whole(u64),
    /// One block of so many bytes per peer, one after the other.
    Equal(u64),
    /// For each peer: offset and length in bytes (`[o0, n0, o1, n1, …]`).
    Each(&'a [u64]),
}

impl Blocks<'_> {
    /// Offset and length of the block of a peer.
    pub fn of(&self, peer: usize) -> (u64, u64) {
        match *self {
            Blocks::Whole(n) => (0, n),
            Blocks::Equal(n) => (n * peer as u64, n),
            Blocks::Each(list) => (list[2 * peer], list[2 * peer + 1]),
        }
    }

    /// Bytes of the first block.
    fn first(&self) -> u64 {
        self.of(0).1
    }

    /// Bytes of the blocks of so many peers.
    pub fn total(&self, peers: usize) -> u64 {
        match *self {
            Blocks::Whole(n) => n,
            Blocks::Equal(n) => n * peers as u64,
            Blocks::Each(list) => list.iter().skip(1).step_by(2).sum(),
        }
    }
}

/// How the contributions of a reduction combine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// The operator.
    pub operator: Operator,
    /// Is `a op b` the same as `b op a`?
    pub commutative: bool,
    /// Packed bytes of one element.
    pub element: u32,
    /// Number of elements that each rank contributes.
    pub elements: u64,
}

/// A reduction operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Predefined: codes of the operator and of the basic datatype.
    Predefined {
        /// `mpirage_data::Op` as a number.
        op: u8,
        /// `mpirage_data::Basic` as a number.
        basic: u8,
    },
    /// A function of the program. Only the rank understands the handles.
    User {
        /// The operator's handle.
        op: u64,
        /// The datatype's handle.
        datatype: u64,
    },
}

/// How a communicator is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommRequest<'a> {
    /// A communicator with the same group.
    Dup,
    /// `MPI_Comm_idup`: the same, answered at once.
    DupLater {
        /// The communicator may be used when this request is complete.
        request: RequestId,
    },
    /// One communicator per colour, with its ranks ordered by key, then by rank.
    Split {
        /// The colour; none for `MPI_UNDEFINED`.
        color: Option<i32>,
        /// The key.
        key: i32,
    },
    /// `MPI_Comm_create`: called by all of the parent, for the members given by rank in the parent.
    Create(&'a [u32]),
    /// `MPI_Comm_create_group`: called by the members only.
    CreateGroup {
        /// Ranks in the parent.
        members: &'a [u32],
        /// Distinguishes concurrent creations.
        tag: i32,
    },
    /// One communicator per simulated host (`MPI_COMM_TYPE_SHARED`).
    SplitByHost {
        /// The key.
        key: i32,
    },
}

impl<'a> CommRequest<'a> {
    /// The request that completes when the communicator may be used.
    pub fn request(&self) -> Option<RequestId> {
        match *self {
            CommRequest::DupLater { request } => Some(request),
            CommRequest::Dup
            | CommRequest::Split { .. }
            | CommRequest::Create(_)
            | CommRequest::CreateGroup { .. }
            | CommRequest::SplitByHost { .. } => None,
        }
    }

    /// The members, if the caller lists them, as ranks of the parent.
    pub fn members(&self) -> Option<&'a [u32]> {
        match *self {
            CommRequest::Create(members) | CommRequest::CreateGroup { members, .. } => Some(members),
            CommRequest::Dup
            | CommRequest::DupLater { .. }
            | CommRequest::Split { .. }
            | CommRequest::SplitByHost { .. } => None,
        }
    }
}
