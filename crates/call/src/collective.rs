//! Collective calls: what each rank contributes and receives.

use mpirage_collectives::Collective;

use crate::{ContextId, Payload, RequestId};

/// Bytes each rank contributes to agree on a new communicator: its colour and key.
const AGREEMENT_BYTES: u64 = 8;

/// What happens to a rank if the ranks of a collective give different sizes.
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
    /// The root, as a rank of the communicator; zero if the operation has none.
    pub root: u32,
    /// What this rank contributes.
    pub send: Part<'a>,
    /// What this rank receives; `payload` is `At` or `Absent`.
    pub recv: Part<'a>,
    /// How contributions combine, if the operation is a reduction.
    pub reduction: Option<Reduction>,
    /// The request that completes with the operation; none if it is blocking.
    pub request: Option<RequestId>,
    /// The number of a persistent collective, which may be started in any order: numbered from 1 in the order in which the
    /// communicator's were made. Zero for others, which match in the order of the calls.
    pub plan: u32,
    /// What happens if ranks give different sizes.
    pub on_mismatch: OnMismatch,
}

impl CollectiveCall<'static> {
    /// The collective by which ranks agree on a new communicator: each sends its colour and key to all others.
    pub fn agreement(context: ContextId) -> CollectiveCall<'static> {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Equal(AGREEMENT_BYTES) };
        CollectiveCall {
            kind: Collective::Allgather,
            context,
            root: 0,
            send: part,
            recv: part,
            reduction: None,
            request: None,
            plan: 0,
            on_mismatch: Default::default(),
        }
    }
}

impl CollectiveCall<'_> {
    /// The bytes that decide how the collective is done, as `Shape::bytes` counts them, for the rank `seat` of the
    /// communicator.
    pub fn shape_bytes(&self, seat: u32) -> u64 {
        use Collective as C;
        let (send, recv) = (&self.send.blocks, &self.recv.blocks);
        match self.kind {
            C::Barrier | C::Allgatherv | C::Alltoallv | C::Alltoallw | C::ReduceScatter => 0,
            C::Bcast => send.total(1).max(recv.total(1)),
            C::Reduce | C::Allreduce | C::Scan | C::Exscan => {
                self.reduction.map_or(0, |r| r.elements * u64::from(r.element))
            }
            C::Gather if seat == self.root => recv.of(0).1,
            C::Gather | C::Gatherv => send.total(1),
            C::Scatter if seat == self.root => send.of(0).1,
            C::Scatter | C::Scatterv => recv.total(1),
            C::Allgather | C::Alltoall | C::ReduceScatterBlock => recv.of(0).1,
        }
    }
}

/// The data that a rank sends or receives: packed bytes, cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<'a> {
    /// Where the bytes are, or where they go.
    pub payload: Payload<'a>,
    /// Which bytes belong to which peer.
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
    /// One block of so many bytes per rank of the communicator, one after the other.
    Equal(u64),
    /// For each rank of the communicator: offset and length in bytes (`[o0, n0, o1, n1, …]`).
    Each(&'a [u64]),
}

impl Blocks<'_> {
    /// Offset and length of the block of `rank`.
    pub fn of(&self, rank: usize) -> (u64, u64) {
        match *self {
            Blocks::Whole(n) => (0, n),
            Blocks::Equal(n) => (n * rank as u64, n),
            Blocks::Each(list) => (list[2 * rank], list[2 * rank + 1]),
        }
    }

    /// Bytes of all the blocks in a communicator of `size` ranks.
    pub fn total(&self, size: usize) -> u64 {
        match *self {
            Blocks::Whole(n) => n,
            Blocks::Equal(n) => n * size as u64,
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
