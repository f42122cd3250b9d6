//! Accesses to windows: one-sided communication.

use crate::{ContextId, Payload, RequestId};

/// The operation of an access on the target's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// `MPI_Put`: stores the origin's bytes.
    Put,
    /// `MPI_Get`: gives the target's bytes.
    Get,
    /// `MPI_Accumulate`: combines the origin's bytes into the target's.
    Accumulate,
    /// `MPI_Get_accumulate`, `MPI_Fetch_and_op`: the same, and gives the target's previous bytes.
    GetAccumulate,
    /// `MPI_Compare_and_swap`: the payload is the new value, then the value that is expected.
    CompareAndSwap,
}

/// An access of a rank to the window of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccessCall<'a> {
    /// The kind of access.
    pub kind: AccessKind,
    /// The window: the communicator that was made for it.
    pub window: ContextId,
    /// The target, as a rank of the window.
    pub target: u32,
    /// The displacement in units of the target: the bits of a number that may be negative.
    pub displacement: u64,
    /// The packed bytes that are accessed.
    pub bytes: u64,
    /// The packed bytes of the origin.
    pub payload: Payload<'a>,
    /// The parts of the target's memory, in the order of packed bytes: for each its offset and its length as words of eight bytes.
    pub layout: Payload<'a>,
    /// The number of these parts.
    pub parts: u32,
    /// The operator's code, of an accumulation.
    pub op: u8,
    /// The code of the elements' type, of an accumulation.
    pub basic: u8,
    /// Where the origin wants the packed bytes that it gets; zero if it gets none.
    pub result: u64,
    /// The request that completes with it, if the program has one.
    pub request: Option<RequestId>,
}

impl AccessKind {
    /// Does the origin send bytes?
    pub fn sends(self) -> bool {
        self != AccessKind::Get
    }

    /// Does it combine or compare elements at the target, where such accesses happen one after the other?
    pub fn combines(self) -> bool {
        !matches!(self, AccessKind::Put | AccessKind::Get)
    }

    /// Does the origin get bytes?
    pub fn fetches(self) -> bool {
        !matches!(self, AccessKind::Put | AccessKind::Accumulate)
    }
}
