//! Collective calls: what each rank brings to one and takes from it.

use mpirage_collectives::Collective;

use crate::{ContextId, Payload, RequestId};

/// Bytes each rank contributes to agree on a new communicator: its colour and key.
const AGREEMENT_BYTES: u64 = 8;

/// One rank's side of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectiveCall<'a> {
    /// Which operation.
    pub kind: Collective,
    /// In which communicator.
    pub context: ContextId,
    /// The root's rank; zero where there is none.
    pub root: u32,
    /// What this rank contributes.
    pub send: Part<'a>,
    /// What this rank gets; `payload` is `At` or `Absent`.
    pub recv: Part<'a>,
    /// How contributions combine, in reductions.
    pub reduction: Option<Reduction>,
    /// The request that completes with it; none for a blocking one.
    pub request: Option<RequestId>,
    /// Which of the communicator's persistent collectives it is, numbered from 1 in the order they were made. They may be
    /// started in any order; zero for all others, which go with each other in the order of the calls.
    pub plan: u32,
}

impl CollectiveCall<'static> {
    /// What ranks of a communicator do to agree on a new one: each tells all others its colour and key.
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

/// One side of a rank's data: packed bytes and how they are cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part<'a> {
    /// Where the bytes are (or go).
    pub payload: Payload<'a>,
    /// Which bytes belong to which peer.
    pub blocks: Blocks<'a>,
}

impl Part<'_> {
    /// Nothing at all.
    pub const EMPTY: Part<'static> = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
}

/// How a buffer is cut.
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
    /// With what.
    pub operator: Operator,
    /// Is `a op b` the same as `b op a`?
    pub commutative: bool,
    /// Packed bytes of one element.
    pub element: u32,
    /// How many elements each rank contributes.
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
    /// A function of the program: handles that only the rank understands.
    User {
        /// The operator's handle.
        op: u64,
        /// The datatype's handle.
        datatype: u64,
    },
}

/// How a communicator is to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommRequest<'a> {
    /// The same group again.
    Dup,
    /// `MPI_Comm_idup`: the same, answered at once; it may be used when the request completes.
    DupLater {
        /// Which.
        request: RequestId,
    },
    /// Ranks of one colour together, by key, then by rank.
    Split {
        /// Which group; none for `MPI_UNDEFINED`.
        color: Option<i32>,
        /// Order in it.
        key: i32,
    },
    /// `MPI_Comm_create`: called by all of the parent, for the members given by rank in the parent.
    Create(&'a [u32]),
    /// `MPI_Comm_create_group`: called by the members only.
    CreateGroup {
        /// Ranks in the parent.
        members: &'a [u32],
        /// Tells concurrent creations apart.
        tag: i32,
    },
    /// Ranks on the same simulated host together (`MPI_COMM_TYPE_SHARED`).
    SplitByHost {
        /// Order in it.
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
