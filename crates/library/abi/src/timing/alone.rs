//! A world of one rank without a simulator: configure scripts, and users who run an MPI program directly.
//!
//! It answers the same calls as the simulator would, at once. It matches messages of the rank to itself; collectives are
//! copies. A call that waits for another rank is a deadlock, and ends the program with a message.

use std::collections::HashMap;
use std::ptr;
use std::slice;

use mpirage_call::{
    Call, Collective, CollectiveCall, CommCall, CommRequest, Completing, Completion, ContextId, Family,
    FileCall, Member, Payload, PointToPointCall, Reply, RequestId, RunCall, SELF, SendMode, WindowCall,
    pack_text,
};
use mpirage_channel::{Briefing, WorldPlace};

use crate::caller::last_name;
use crate::ground::output;
use crate::ground::process::MISUSE_EXIT_CODE;

/// The briefing of a rank without a simulator.
pub(crate) const BRIEFING: Briefing = Briefing {
    simulator: 0,
    size: 1,
    world: WorldPlace::only(1),
    eager_limit: u64::MAX,
    buffered_limit: u64::MAX,
    inline_bytes: 4096,
    measure: false,
    simulated_clock: false,
    local_clock: false,
    speed_ratio: 1.0,
    lines_for_threads: false,
    real_time: false,
    clock_cost: 0,
    epoch: 0,
    shared_file: -1,
    share_malloc: 0,
    model: [0; 32],
    collectives: [0; 32],
    posix_io: false,
    call_paths: 0,
    checked: false,
};

const DEADLOCK_EXIT_CODE: i32 = 80;

/// The rank's messages to itself.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    /// Messages that were not received yet, in the order they were sent.
    unexpected: Vec<SelfMessage>,
    /// Receives that have no message, in the order they were posted.
    posted: Vec<Receive>,
    /// Messages taken by matched probes.
    taken: HashMap<u32, SelfMessage>,
    /// How requests ended that the program has not waited for yet.
    done: HashMap<RequestId, Completion>,
    /// Communicators and taken messages so far.
    numbers: u32,
    /// Shared file pointers.
    pointers: HashMap<ContextId, u64>,
    /// Ports of published services.
    names: HashMap<String, String>,
}

#[derive(Debug)]
struct SelfMessage {
    context: ContextId,
    tag: i32,
    data: Vec<u8>,
    /// The request of a synchronous send, which completes when the message is received.
    sender: Option<RequestId>,
}

#[derive(Clone, Copy, Debug)]
struct Receive {
    context: ContextId,
    tag: Option<i32>,
    bytes: u64,
    address: u64,
    request: Option<RequestId>,
}

impl Alone {
    /// A call that needs no answer.
    pub(crate) fn post(&mut self, call: &Call<'_>) {
        self.ask(call, &mut Reply::new());
    }

    /// A call with an answer.
    pub(crate) fn ask(&mut self, call: &Call<'_>, reply: &mut Reply) {
        match call.family() {
            Family::Run(call) => self.perform_run(call, reply),
            Family::PointToPoint(call) => self.perform_point_to_point(call, reply),
            Family::Comm(call) => self.perform_comm(call, reply),
            Family::Window(call) => perform_window(call),
            Family::File(call) => self.perform_file(call, reply),
            // They need a simulator; their reply is empty.
            Family::Compute(_) | Family::Tool(_) | Family::Check(_) => {}
        }
    }

    fn perform_run(&mut self, call: RunCall<'_>, reply: &mut Reply) {
        match call {
            RunCall::Publish { service, port } => {
                let known = self.names.contains_key(service);
                match port {
                    "" => drop(self.names.remove(service)),
                    _ => drop(self.names.entry(service.to_owned()).or_insert_with(|| port.to_owned())),
                }
                reply.number = (known == port.is_empty()).then_some(1);
            }
            RunCall::LookUp { service } => {
                if let Some(port) = self.names.get(service) {
                    (reply.number, reply.members) = (Some(port.len() as u64), pack_text(port));
                }
            }
            RunCall::Abort { code } => std::process::exit(code),
            RunCall::Misuse { text } => {
                output::say(format_args!("{text}"));
                std::process::exit(MISUSE_EXIT_CODE)
            }
            // There is no simulator that could start processes.
            RunCall::Spawn { .. } | RunCall::Init | RunCall::Finalize | RunCall::Session { .. } => {}
        }
    }

    fn perform_point_to_point(&mut self, call: PointToPointCall<'_>, reply: &mut Reply) {
        match call {
            PointToPointCall::Send { mode, context, tag, bytes, payload, request, .. } => {
                self.send(mode, context, tag, read(payload, bytes), request);
            }
            PointToPointCall::Recv { context, tag, bytes, address, request, matched, .. } => {
                let receive = Receive { context, tag, bytes, address, request };
                match (self.find(&receive, matched), request) {
                    (Some(message), Some(_)) => self.end(request, deliver(&receive, &message)),
                    (Some(message), None) => reply.completions.push(deliver(&receive, &message)),
                    (None, Some(_)) => self.posted.push(receive),
                    (None, None) => deadlock(),
                }
            }
            PointToPointCall::Wait { how, poll, requests } => {
                self.wait(how, poll, requests, &mut reply.completions);
            }
            PointToPointCall::Probe { context, tag, poll, take, .. } => {
                self.probe(context, tag, poll, take, reply);
            }
            PointToPointCall::Cancel { request } => self.cancel(request),
            PointToPointCall::Free { request } => self.free(request),
            PointToPointCall::FailedPoll { .. } | PointToPointCall::RepeatedPoll => {}
        }
    }

    fn perform_comm(&mut self, call: CommCall<'_>, reply: &mut Reply) {
        match call {
            CommCall::Collective(collective) => {
                take_part(collective);
                self.end(collective.request, Completion::empty(0));
            }
            CommCall::MakeComm { how, .. } if has_me(&how) => {
                self.numbers += 1;
                reply.context = Some(ContextId::new(SELF.get() + self.numbers));
                reply.members.push(0);
                self.end(how.request(), Completion::empty(0));
            }
            CommCall::MakeComm { .. } | CommCall::FreeComm { .. } => {}
        }
    }

    fn perform_file(&mut self, call: FileCall<'_>, reply: &mut Reply) {
        match call {
            FileCall::FileOpen { file, .. } => {
                self.pointers.insert(file, 0);
            }
            // The rank moves the bytes itself.
            FileCall::FileAccess(access) => {
                let completion = Completion { bytes: access.bytes, ..Completion::empty(0) };
                match access.request {
                    Some(_) => self.end(access.request, completion),
                    None => reply.completions.push(completion),
                }
            }
            FileCall::FilePointer { file, by, set } => {
                let pointer = self.pointers.entry(file).or_default();
                reply.number = Some(*pointer);
                *pointer = if set { by } else { pointer.wrapping_add(by) };
            }
            FileCall::FileMetadata { .. } | FileCall::FileDelete { .. } | FileCall::PosixIo { .. } => {}
        }
    }

    fn send(
        &mut self,
        mode: SendMode,
        context: ContextId,
        tag: i32,
        data: Vec<u8>,
        request: Option<RequestId>,
    ) {
        let fits = |posted: &Receive| posted.context == context && accepts(posted.tag, tag);
        match (self.posted.iter().position(fits), mode) {
            (Some(position), _) => {
                let receive = self.posted.remove(position);
                self.end(request, Completion::empty(0));
                let message = SelfMessage { context, tag, data, sender: None };
                self.end(receive.request, deliver(&receive, &message));
            }
            (None, SendMode::Synchronous) => {
                let sender = Some(request.unwrap_or_else(|| deadlock()));
                self.unexpected.push(SelfMessage { context, tag, data, sender });
            }
            (None, _) => {
                self.unexpected.push(SelfMessage { context, tag, data, sender: None });
                self.end(request, Completion::empty(0));
            }
        }
    }

    /// The message a receive gets, which ends its send.
    fn find(&mut self, receive: &Receive, matched: Option<u32>) -> Option<SelfMessage> {
        let message = match matched {
            Some(number) => self.taken.remove(&number)?,
            None => self.unexpected.remove(self.position(receive.context, receive.tag)?),
        };
        self.end(message.sender, Completion::empty(0));
        Some(message)
    }

    fn position(&self, context: ContextId, tag: Option<i32>) -> Option<usize> {
        self.unexpected.iter().position(|message| message.context == context && accepts(tag, message.tag))
    }

    fn end(&mut self, request: Option<RequestId>, completion: Completion) {
        if let Some(request) = request {
            self.done.insert(request, completion);
        }
    }

    fn cancel(&mut self, request: RequestId) {
        let before = (self.posted.len(), self.unexpected.len());
        self.posted.retain(|posted| posted.request != Some(request));
        self.unexpected.retain(|message| message.sender != Some(request));
        if before != (self.posted.len(), self.unexpected.len()) {
            self.end(Some(request), Completion { cancelled: true, ..Completion::empty(0) });
        }
    }

    fn free(&mut self, request: RequestId) {
        if self.done.remove(&request).is_none() {
            let posted = self.posted.iter_mut().filter(|posted| posted.request == Some(request));
            posted.for_each(|posted| posted.request = None);
            let sent = self.unexpected.iter_mut().filter(|message| message.sender == Some(request));
            sent.for_each(|message| message.sender = None);
        }
    }

    fn wait(&mut self, how: Completing, poll: bool, requests: &[RequestId], ended: &mut Vec<Completion>) {
        let ready = requests.iter().filter(|request| self.done.contains_key(request)).count();
        let enough = if how == Completing::All { requests.len() } else { 1 };
        if ready < enough {
            return nothing_yet(poll);
        }
        let limit = if how == Completing::Any { 1 } else { usize::MAX };
        let ends = requests.iter().enumerate().filter_map(|(index, request)| {
            Some(Completion { index: index as u32, ..self.done.get(request).copied()? })
        });
        ended.extend(ends.take(limit));
        for completion in ended {
            self.done.remove(&requests[completion.index as usize]);
        }
    }

    fn probe(&mut self, context: ContextId, tag: Option<i32>, poll: bool, take: bool, reply: &mut Reply) {
        let Some(position) = self.position(context, tag) else {
            return nothing_yet(poll);
        };
        let SelfMessage { tag, ref data, .. } = self.unexpected[position];
        reply.completions.push(received(tag, data.len() as u64));
        if take {
            self.numbers += 1;
            reply.message = Some(self.numbers);
            self.taken.insert(self.numbers, self.unexpected.remove(position));
        }
    }
}

fn perform_window(call: WindowCall<'_>) {
    match call {
        WindowCall::Access(_) => {
            output::say(format_args!(
                "one-sided communication needs a simulator: start the program with mpirage"
            ));
            std::process::exit(MISUSE_EXIT_CODE)
        }
        WindowCall::Expose { .. }
        | WindowCall::Withdraw { .. }
        | WindowCall::LocateAccess { .. }
        | WindowCall::AwaitAccesses { .. }
        | WindowCall::Lock { .. }
        | WindowCall::Unlock { .. } => {}
    }
}

/// Internal messages have negative tags, which no wildcard accepts.
fn accepts(wanted: Option<i32>, tag: i32) -> bool {
    wanted.map_or(tag >= 0, |wanted| wanted == tag)
}

fn received(tag: i32, bytes: u64) -> Completion {
    Completion { source: 0, tag, bytes, ..Completion::empty(0) }
}

fn deliver(receive: &Receive, message: &SelfMessage) -> Completion {
    let sent = message.data.len() as u64;
    write(receive.address, &message.data[..sent.min(receive.bytes) as usize]);
    Completion { truncated: sent > receive.bytes, ..received(message.tag, sent) }
}

/// A collective of one rank: it receives what it sends.
fn take_part(call: &CollectiveCall<'_>) {
    if matches!(call.kind, Collective::Barrier | Collective::Bcast | Collective::Exscan) {
        return;
    }
    let Payload::At(base) = call.recv.payload else { return };
    // A rank may be its own neighbour several times.
    for block in
        0..call.send_blocks(Member { rank: 0, size: 1 }).min(call.receive_blocks(Member { rank: 0, size: 1 }))
    {
        take_block(call, base, block);
    }
}

fn take_block(call: &CollectiveCall<'_>, base: u64, block: usize) {
    let ((from, length), (offset, room)) = (call.send.blocks.of(block), call.recv.blocks.of(block));
    let length = length.min(room);
    // Of a share of a vector, the offset is the vector's.
    let to = if call.kind == Collective::ReduceScatter { base } else { base + offset };
    match call.send.payload {
        Payload::Inline(bytes) => write(to, &bytes[from as usize..(from + length) as usize]),
        // SAFETY: the program gave both to MPI; they may overlap, being one in place.
        Payload::At(address) => unsafe {
            ptr::copy((address + from) as *const u8, to as *mut u8, length as usize);
        },
        Payload::Absent => {}
    }
}

fn has_me(how: &CommRequest<'_>) -> bool {
    match how {
        CommRequest::Split { color, .. } => color.is_some(),
        CommRequest::Create(members) | CommRequest::CreateGroup { members, .. } => members.contains(&0),
        CommRequest::Dup | CommRequest::DupLater { .. } | CommRequest::SplitByHost { .. } => true,
    }
}

fn read(payload: Payload<'_>, bytes: u64) -> Vec<u8> {
    match payload {
        Payload::Absent => Vec::new(),
        Payload::Inline(bytes) => bytes.to_vec(),
        // SAFETY: the program gave this memory to MPI to read.
        Payload::At(address) => unsafe {
            slice::from_raw_parts(address as *const u8, bytes as usize).to_vec()
        },
    }
}

fn write(address: u64, bytes: &[u8]) {
    if !bytes.is_empty() {
        // SAFETY: the program gave this memory to MPI to write to. In place, the bytes may be the very same.
        unsafe { ptr::copy(bytes.as_ptr(), address as *mut u8, bytes.len()) }
    }
}

/// Without another rank a wait would never end.
fn nothing_yet(poll: bool) {
    if !poll {
        deadlock()
    }
}

fn deadlock() -> ! {
    let function = last_name();
    output::say(format_args!("{function} would wait for ever: the program runs alone, without a simulator"));
    std::process::exit(DEADLOCK_EXIT_CODE)
}
