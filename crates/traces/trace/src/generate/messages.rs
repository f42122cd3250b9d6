//! Calls that generated workloads make: messages, and the functions that they stand for.

use mpirage_call::{Call, Payload, RequestId, SendMode, Stamp, WORLD};

use crate::function::stamp_of;

/// The functions that replayed calls stand for.
#[derive(Debug)]
pub(super) struct Stamps {
    pub init: Stamp,
    pub finalize: Stamp,
    pub send: Stamp,
    pub recv: Stamp,
    pub isend: Stamp,
    pub irecv: Stamp,
    pub waitall: Stamp,
}

impl Stamps {
    pub fn new() -> Stamps {
        Stamps {
            init: stamp_of("MPI_Init"),
            finalize: stamp_of("MPI_Finalize"),
            send: stamp_of("MPI_Send"),
            recv: stamp_of("MPI_Recv"),
            isend: stamp_of("MPI_Isend"),
            irecv: stamp_of("MPI_Irecv"),
            waitall: stamp_of("MPI_Waitall"),
        }
    }
}

pub(super) fn send(to: u32, tag: i32, bytes: u64, request: Option<RequestId>) -> Call<'static> {
    let (mode, payload) = (SendMode::Standard, Payload::Absent);
    Call::Send { mode, context: WORLD, to, tag, bytes, payload, request, answer: true }
}

pub(super) fn receive(from: u32, tag: i32, bytes: u64, request: Option<RequestId>) -> Call<'static> {
    let (from, tag) = (Some(from), Some(tag));
    Call::Recv { context: WORLD, from, tag, bytes, address: 0, request, matched: None }
}
