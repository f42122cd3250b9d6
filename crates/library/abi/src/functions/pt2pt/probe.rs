//! Probes, and receives of what a matched probe has taken.

use core::ffi::{c_int, c_void};

use mpirage_call::{Call, Completion, Reply};

use crate::constants::{MPI_COMM_SELF, MPI_MESSAGE_NO_PROC, MPI_MESSAGE_NULL};
use crate::frame;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, not_null, put};
use crate::ground::error::Result;
use crate::ground::status;
use crate::objects::message::MatchedMessage;
use crate::operations::message::{Incoming, Peer, expected_tag};
use crate::operations::operation::{Operation, Step};
use crate::operations::perform;
use crate::operations::region::Region;
use crate::rank::{ask, this, try_with, with};
use crate::types::*;

both_forms! {
    (buf: Buffer, count: Count, datatype: MPI_Datatype, message: MessagePlace, status: StatusPlace) {
        frame::outcome(None, || {
            status::store(status, &perform::run(receive(buf, count, datatype, message)?)?);
            Ok(())
        })
    }:
        MPI_Mrecv MPI_Mrecv_c;
    (buf: Buffer, count: Count, datatype: MPI_Datatype, message: MessagePlace, request: RequestPlace) {
        frame::outcome(None, || put("request", request, perform::begin(receive(buf, count, datatype, message)?)))
    }:
        MPI_Imrecv MPI_Imrecv_c;
}

/// A message that was found.
struct Found {
    completion: Completion,
    /// Its handle, if it was taken.
    message: MPI_Message,
}

pub(crate) unsafe extern "C-unwind" fn MPI_Probe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(comm, || {
        let found = probe(source, tag, comm, false, false)?;
        // SAFETY: the program hands over a place for a status, if it wants one.
        unsafe { tell(found.as_ref(), status) };
        Ok(())
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Iprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(comm, || {
        let found = probe(source, tag, comm, true, false)?;
        // SAFETY: the program hands over a place for an int, and for a status if it wants one.
        unsafe {
            tell(found.as_ref(), status);
            put("flag", flag, found.is_some().into())
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Mprobe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(comm, || {
        let found = probe(source, tag, comm, false, true)?;
        // SAFETY: the program hands over a place for a message, and for a status if it wants one.
        unsafe {
            tell(found.as_ref(), status);
            put("message", message, handle(&found))
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Improbe(
    source: c_int,
    tag: c_int,
    comm: MPI_Comm,
    flag: *mut c_int,
    message: *mut MPI_Message,
    status: *mut MPI_Status,
) -> c_int {
    frame::outcome(comm, || {
        let found = probe(source, tag, comm, true, true)?;
        // SAFETY: the program hands over places for an int and a message, and for a status if it wants one.
        unsafe {
            tell(found.as_ref(), status);
            put("flag", flag, found.is_some().into())?;
            put("message", message, handle(&found))
        }
    })
}

/// Looks for a message; `poll` does not wait for one, `take` keeps other receives from matching it.
fn probe(source: c_int, tag: c_int, comm: MPI_Comm, poll: bool, take: bool) -> Result<Option<Found>> {
    let (context, bridge, from, tag) = try_with(|objects| {
        let object = objects.comms.get(comm)?;
        let (from, tag) = (Peer::source(object, source)?, expected_tag("tag", tag)?);
        Ok((object.context, object.bridge.clone(), from, tag))
    })?;
    let from = match from {
        Peer::ProcNull => {
            return Ok(Some(Found { completion: status::from_proc_null(), message: MPI_MESSAGE_NO_PROC }));
        }
        Peer::AnySource => None,
        Peer::Rank(rank) => Some(rank),
    };
    let call = Call::Probe { context, from, tag, poll, take };
    let Reply { completions, message, .. } =
        if poll { this().connection().poll_then(&call, Reply::clone) } else { ask(&call) };
    let seen = |completion| match &bridge {
        Some(bridge) => bridge.seen_from_here(completion),
        None => completion,
    };
    let completion = completions.first().copied().map(seen);
    let message = match message {
        Some(number) => {
            with(|objects| objects.messages.insert(MatchedMessage { number, context, comm, bridge }))
        }
        None => MPI_MESSAGE_NULL,
    };
    Ok(completion.map(|completion| Found { completion, message }))
}

/// A receive of a message that was taken. Its handle is gone with that.
///
/// # Safety
/// `message` is null or a message.
unsafe fn receive(
    buf: *mut c_void,
    count: impl Number,
    datatype: MPI_Datatype,
    message: *mut MPI_Message,
) -> Result<Operation> {
    not_null("message", message)?;
    // SAFETY: not null, and the caller vouches for the rest.
    let place = unsafe { &mut *message };
    if *place == MPI_MESSAGE_NO_PROC {
        *place = MPI_MESSAGE_NULL;
        return Ok(Operation::one(MPI_COMM_SELF, Step::Nothing(status::from_proc_null())));
    }
    let (taken, region) = try_with(|objects| {
        objects.messages.get(*place)?;
        let region = Region::of_arguments(&objects.datatypes, "buf", buf, count, datatype)?;
        Ok((objects.messages.remove(*place)?, region))
    })?;
    *place = MPI_MESSAGE_NULL;
    let MatchedMessage { number, context, comm, bridge } = taken;
    let step = Incoming { context, from: None, tag: None, region, matched: Some(number), bridge };
    Ok(Operation::one(comm, Step::Receive(step)))
}

/// # Safety
/// `status` is null or a place for one.
unsafe fn tell(found: Option<&Found>, status: *mut MPI_Status) {
    if let Some(found) = found {
        // SAFETY: the caller vouches for it.
        unsafe { status::store(status, &found.completion) };
    }
}

fn handle(found: &Option<Found>) -> MPI_Message {
    found.as_ref().map_or(MPI_MESSAGE_NULL, |found| found.message)
}
