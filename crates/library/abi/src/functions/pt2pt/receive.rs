//! Receives.

use core::ffi::{c_int, c_void};

use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, put};
use crate::ground::error::Result;
use crate::ground::status;
use crate::operations::message::{Incoming, Peer, check_data_of_nobody, expected_tag};
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank;
use crate::types::*;

both_forms! {
    (buf: Buffer, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, status: StatusPlace) {
        frame::outcome(comm, || {
            let receive = |message: Incoming| perform::receive(&message);
            let received = with_message(buf, count, datatype, source, tag, comm, receive)?;
            status::store(status, &received.unwrap_or_else(|| Ok(status::from_proc_null()))?);
            Ok(())
        })
    }:
        MPI_Recv MPI_Recv_c;
    (buf: Buffer, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: RequestPlace) {
        frame::outcome(comm, || {
            let begin = |message: Incoming| perform::begin_receive(message, comm);
            let nothing = || perform::begin(Operation::one(comm, Step::Nothing(status::from_proc_null())));
            let begun = with_message(buf, count, datatype, source, tag, comm, begin)?.unwrap_or_else(nothing);
            put("request", request, begun)
        })
    }:
        MPI_Irecv MPI_Irecv_c;
    (buf: Buffer, count: Count, datatype: MPI_Datatype, source: c_int, tag: c_int, comm: MPI_Comm, request: RequestPlace) {
        frame::outcome(comm, || {
            put("request", request, perform::keep(receive(buf, count, datatype, source, tag, comm)?))
        })
    }:
        MPI_Recv_init MPI_Recv_init_c;
}

/// A receive with its arguments checked.
pub(super) fn receive(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
) -> Result<Operation> {
    let message = with_message(buf, count, datatype, source, tag, comm, |message| message)?;
    Ok(Operation::one(comm, message.map_or(Step::Nothing(status::from_proc_null()), Step::Receive)))
}

/// Passes the message of a receive, with its arguments checked, to `go_on`, unless the source is `MPI_PROC_NULL`. It is passed on
/// rather than returned, because a `Result` would go through memory in pieces that are slow to read.
#[inline(always)]
fn with_message<T>(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    go_on: impl FnOnce(Incoming) -> T,
) -> Result<Option<T>> {
    let objects = rank::this().objects();
    let object = objects.comms.get(comm)?;
    let from = match Peer::source(object, source)? {
        Peer::ProcNull => {
            check_data_of_nobody(&objects.datatypes, buf, count, datatype)?;
            return expected_tag("tag", tag).map(|_| None);
        }
        Peer::AnySource => None,
        Peer::Rank(from) => Some(from),
    };
    let region = Region::of_arguments(&objects.datatypes, "buf", buf, count, datatype)?;
    let (context, bridge, tag) = (object.context, object.bridge.clone(), expected_tag("tag", tag)?);
    drop(objects);
    Ok(Some(go_on(Incoming { context, from, tag, region, matched: None, bridge })))
}
