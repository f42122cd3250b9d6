//! Messages from one rank to another: checked arguments, from which calls are made.

use core::ffi::{c_int, c_void};
use std::slice;
use std::sync::Arc;

use mpirage_call::{Call, Completion, ContextId, Payload, Reply, RequestId, SendMode};

use crate::checked::watch::{self, NoteBuffers, Watch};
use crate::connection::Connection;
use crate::constants::*;
use crate::ground::arguments::{Number, count};
use crate::ground::error::{Result, fail};
use crate::objects::bridge::Bridge;
use crate::objects::comm::Comm;
use crate::objects::datatype::Datatypes;
use crate::operations::region::Region;
use crate::operations::transfer::{Landing, TransferBuffers};
use crate::types::MPI_Datatype;

/// A message to send.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub mode: SendMode,
    pub context: ContextId,
    pub to: u32,
    pub tag: i32,
    pub region: Region,
    /// Its packed bytes, if this library keeps a copy of them, which is then sent.
    pub copy: Option<Arc<Vec<u8>>>,
}

/// A message to receive.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub context: ContextId,
    /// None for `MPI_ANY_SOURCE`.
    pub from: Option<u32>,
    /// None for `MPI_ANY_TAG`.
    pub tag: Option<i32>,
    pub region: Region,
    /// A message that a matched probe has taken already.
    pub matched: Option<u32>,
    /// The inter-communicator, if the message comes from its other side.
    pub bridge: Option<Arc<Bridge>>,
}

impl Outgoing {
    /// Do its bytes lie contiguously in the program's memory, so that nothing is kept until it completes?
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.region.is_plain() && self.copy.is_none()
    }

    /// Copies its bytes, so that the program may change them at once. The contents of shared memory are meaningless.
    pub(crate) fn keep_copy(&mut self) {
        if self.region.is_shared() {
            return;
        }
        let mut copy = Vec::with_capacity(self.region.bytes());
        // SAFETY: the program gave this memory to MPI to read.
        unsafe { self.region.pack(&mut copy) };
        self.copy = Some(Arc::new(copy));
    }

    /// Sends a plain message, to complete with `request`.
    #[inline(always)]
    pub(crate) fn post_plain(&self, connection: &Connection, request: RequestId) {
        let payload = self.plain_payload(connection.inline_bytes());
        connection.post(&self.call(payload, Some(request), false));
    }

    /// The bytes of a plain region as they should travel.
    #[inline(always)]
    fn plain_payload<'a>(&self, inline_bytes: usize) -> Payload<'a> {
        if self.region.is_shared() {
            return Payload::Absent;
        }
        if self.region.bytes() > inline_bytes {
            return Payload::At(self.region.address() as u64);
        }
        // SAFETY: the program gave this memory to MPI to read until the send completes; the call copies it at once.
        Payload::Inline(unsafe { self.region.plain() }.unwrap_or_default())
    }

    /// Sends it, to complete with `request`. Returns what must stay in memory until then.
    pub(crate) fn post(&self, connection: &Connection, request: RequestId) -> TransferBuffers {
        let watch = connection.is_checked().then(|| self.watch(connection));
        let send = |payload: Payload<'_>| connection.post(&self.call(payload, Some(request), false));
        let packed = self.with_payload(connection.inline_bytes(), send);
        let outgoing = packed.map(Arc::new).or_else(|| self.copy.clone());
        TransferBuffers { outgoing, watch, ..TransferBuffers::default() }
    }

    /// Declares it and watches its buffer. One that is buffered, or a copy of ours, may change.
    fn watch(&self, connection: &Connection) -> Box<Watch> {
        let ticket = watch::declare_send(connection, &self.region);
        let may_change = self.copy.is_some() || self.mode == SendMode::Buffered;
        let reads = if may_change { Vec::new() } else { vec![self.region.clone()] };
        Watch::begin(ticket, reads, Vec::new(), false)
    }

    /// Sends it and returns when the sender may go on.
    #[inline(always)]
    pub(crate) fn run(&self, connection: &Connection, note: NoteBuffers) {
        if connection.is_checked() {
            note(slice::from_ref(&self.region), &[]);
            watch::declare_send(connection, &self.region);
        }
        self.with_payload(connection.inline_bytes(), |payload| match self.runs_ahead(connection) {
            true => connection.post(&self.call(payload, None, false)),
            false => connection.ask_then(&self.call(payload, None, true), |_| ()),
        });
    }

    /// May the sender go on before the simulator has seen the call?
    #[inline(always)]
    fn runs_ahead(&self, connection: &Connection) -> bool {
        let eager = (self.region.bytes() as u64) < connection.briefing().eager_limit;
        (self.region.bytes() <= connection.inline_bytes() || self.region.is_shared())
            && match self.mode {
                SendMode::Standard | SendMode::Ready => eager,
                SendMode::Buffered => true,
                SendMode::Synchronous => false,
            }
    }

    /// Passes the bytes to `send` as they should travel. Returns packed bytes that `send` refers to by their address.
    #[inline(always)]
    fn with_payload(&self, inline_bytes: usize, send: impl FnOnce(Payload<'_>)) -> Option<Vec<u8>> {
        if self.region.is_shared() {
            send(Payload::Absent);
            return None;
        }
        let inline = self.region.bytes() <= inline_bytes;
        if let Some(copy) = &self.copy {
            send(if inline { Payload::Inline(copy) } else { Payload::At(copy.as_ptr().addr() as u64) });
            return None;
        }
        // SAFETY: the program gave this memory to MPI to read until the send completes.
        match (unsafe { self.region.plain() }, inline) {
            (Some(bytes), true) => send(Payload::Inline(bytes)),
            (Some(_), false) => send(Payload::At(self.region.address() as u64)),
            (None, inline) => {
                let mut packed = Vec::new();
                // SAFETY: as above.
                unsafe { self.region.pack(&mut packed) };
                if !inline {
                    send(Payload::At(packed.as_ptr().addr() as u64));
                    return Some(packed);
                }
                send(Payload::Inline(&packed));
            }
        }
        None
    }

    #[inline(always)]
    fn call<'a>(&self, payload: Payload<'a>, request: Option<RequestId>, answer: bool) -> Call<'a> {
        let &Outgoing { mode, context, to, tag, ref region, .. } = self;
        Call::Send { mode, context, to, tag, bytes: region.bytes() as u64, payload, request, answer }
    }
}

impl Incoming {
    /// Do its bytes arrive where the program wants them, so that nothing is kept until it completes?
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.region.is_plain() && self.bridge.is_none()
    }

    /// Posts a plain receive, to complete with `request`.
    #[inline(always)]
    pub(crate) fn post_plain(&self, connection: &Connection, request: RequestId) {
        let absent = self.region.bytes() == 0 || self.region.is_shared();
        let address = if absent { 0 } else { self.region.address() as u64 };
        connection.post(&self.call(address, Some(request)));
    }

    /// Posts the receive, to complete with `request`. Returns what must stay in memory until then.
    pub(crate) fn post(&self, connection: &Connection, request: RequestId) -> TransferBuffers {
        let watch = connection.is_checked().then(|| {
            let ticket = watch::declare_receive(connection, &self.region);
            Watch::begin(ticket, Vec::new(), vec![self.region.clone()], true)
        });
        // A watched buffer is filled when the program completes the request.
        let (buffers, address) = self.make_room(watch.is_none());
        connection.post(&self.call(address, Some(request)));
        TransferBuffers { watch, ..buffers }
    }

    /// Waits for the message.
    #[inline(always)]
    pub(crate) fn run(&self, connection: &Connection, note: NoteBuffers) -> (TransferBuffers, Completion) {
        let watch = connection.is_checked().then(|| {
            note(&[], slice::from_ref(&self.region));
            Watch::of_blocking(watch::declare_receive(connection, &self.region), &self.region)
        });
        let (buffers, address) = self.make_room(true);
        let buffers = TransferBuffers { watch, ..buffers };
        let first = |reply: &Reply| reply.completions.first().copied().unwrap_or(Completion::empty(0));
        let completion = connection.ask_then(&self.call(address, None), first);
        let completion = buffers.seen_from_here(completion);
        (buffers, completion)
    }

    /// Where its packed bytes arrive: where the program wants them if that is possible and `direct`, or first in memory of
    /// this library.
    #[inline(always)]
    fn make_room(&self, direct: bool) -> (TransferBuffers, u64) {
        let (room, bridge) = (self.region.bytes() as u64, self.bridge.clone());
        if room == 0 {
            return (TransferBuffers { bridge, ..TransferBuffers::default() }, 0);
        }
        if self.region.is_shared() {
            return (TransferBuffers { room, bridge, ..TransferBuffers::default() }, 0);
        }
        if direct && self.region.is_plain() {
            return (
                TransferBuffers { room, bridge, ..TransferBuffers::default() },
                self.region.address() as u64,
            );
        }
        let mut landing = Landing::of_message(self.region.clone());
        let address = landing.address();
        (
            TransferBuffers { incoming: Some(Box::new(landing)), room, bridge, ..TransferBuffers::default() },
            address,
        )
    }

    #[inline(always)]
    fn call<'a>(&self, address: u64, request: Option<RequestId>) -> Call<'a> {
        let &Incoming { context, from, tag, ref region, matched, .. } = self;
        Call::Recv { context, from, tag, bytes: region.bytes() as u64, address, request, matched }
    }
}

/// The other end of a message, as the program names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// `MPI_PROC_NULL`.
    ProcNull,
    /// `MPI_ANY_SOURCE`.
    AnySource,
    /// A rank, as the simulator numbers the ranks of the communicator.
    Rank(u32),
}

impl Peer {
    /// The destination of a message.
    #[inline(always)]
    pub(crate) fn destination(comm: &Comm, dest: c_int) -> Result<Peer> {
        match dest {
            MPI_PROC_NULL => Ok(Peer::ProcNull),
            rank => comm.member("dest", rank).map(|member| Peer::Rank(comm.seat_of(member))),
        }
    }

    /// The source of a message.
    #[inline(always)]
    pub(crate) fn source(comm: &Comm, source: c_int) -> Result<Peer> {
        match source {
            MPI_PROC_NULL => Ok(Peer::ProcNull),
            MPI_ANY_SOURCE => Ok(Peer::AnySource),
            rank => comm.member("source", rank).map(|member| Peer::Rank(comm.seat_of(member))),
        }
    }
}

/// Checks the buffer of a message to or from `MPI_PROC_NULL`, as MPICH does: its datatype and address matter only if it has
/// elements.
#[cold]
pub(crate) fn check_data_of_nobody(
    datatypes: &Datatypes,
    buf: *const c_void,
    elements: impl Number,
    datatype: MPI_Datatype,
) -> Result<()> {
    match count("count", elements)? {
        0 => Ok(()),
        _ => Region::of_arguments(datatypes, "buf", buf, elements, datatype).map(|_| ()),
    }
}

/// The tag of a message to send.
#[inline(always)]
pub(crate) fn sent_tag(what: &str, tag: c_int) -> Result<i32> {
    if tag < 0 {
        fail!(MPI_ERR_TAG, "{what} is {tag}, but tags are from 0 to {}", c_int::MAX);
    }
    Ok(tag)
}

/// The tag of a message to receive; none for `MPI_ANY_TAG`.
#[inline(always)]
pub(crate) fn expected_tag(what: &str, tag: c_int) -> Result<Option<i32>> {
    if tag == MPI_ANY_TAG { Ok(None) } else { sent_tag(what, tag).map(Some) }
}
