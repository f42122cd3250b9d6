//! One rank of an archive: its events become calls.
//!
//! Time outside MPI is computation. A call is made where its record is: sends where they begin, blocking receives and collectives where
//! they end, receives that do not block where they were posted. All requests that complete in one function are waited for together, when
//! it ends. Tests and probes without a completion become nothing.

use std::collections::HashMap;

use mpirage_call::{
    Burst, Call, Collective, CollectiveCall, Completing, Member, Operator, Part, Payload, Peers, Reduction,
    RequestId, SendMode, Stamp, Work,
};
use mpirage_data::{Basic, Op};
use mpirage_otf2::{CREATE_HANDLE, Event, IdMap, MpiMessage, OperationEnd, Sizes, collective_of};

use super::ahead::{Ahead, Outcome};
use super::contents::{Contents, Inside, Region};
use super::records::{Records, Timed};
use crate::function::stamp_of;
use crate::source::Source;
use crate::{Calls, TraceError};

/// The functions that calls stand for, outside of any region.
#[derive(Debug)]
pub(super) struct Stamps {
    send: Stamp,
    isend: Stamp,
    recv: Stamp,
    irecv: Stamp,
    wait: Stamp,
    init: Stamp,
    finalize: Stamp,
    collective: Stamp,
}

impl Stamps {
    pub fn new() -> Stamps {
        Stamps {
            send: stamp_of("MPI_Send"),
            isend: stamp_of("MPI_Isend"),
            recv: stamp_of("MPI_Recv"),
            irecv: stamp_of("MPI_Irecv"),
            wait: stamp_of("MPI_Waitall"),
            init: stamp_of("MPI_Init"),
            finalize: stamp_of("MPI_Finalize"),
            collective: stamp_of("MPI_Barrier"),
        }
    }
}

/// The data that all ranks share.
#[derive(Debug)]
pub(super) struct Common {
    pub contents: Contents,
    pub stamps: Stamps,
    /// Blocks of a collective.
    pub lists: [Vec<u64>; 2],
}

/// One rank.
#[derive(Debug)]
pub(super) struct Player {
    rank: u32,
    source: Source,
    records: Records,
    ahead: Ahead,
    regions: IdMap,
    comms: IdMap,
    clock: Clock,
    /// The time of the last event.
    last: u64,
    /// The function of MPI that the rank is in, and how many are around each other.
    function: Option<(Region, u32)>,
    /// Has the function communicated?
    communicated: bool,
    requests: HashMap<u64, RequestId>,
    free: Vec<RequestId>,
    used: u32,
    /// Requests that complete in the function that the rank is in.
    completed: Vec<RequestId>,
    state: State,
}

/// How far a rank is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Before,
    Initialised,
    Ended,
}

/// Computation since the last call.
#[derive(Debug, Default)]
struct Clock {
    /// Since when the rank computes, in ticks; none if it is in MPI.
    since: Option<u64>,
    /// Nanoseconds.
    burst: u64,
}

impl Clock {
    /// The rank has computed until now.
    fn stop(&mut self, now: u64, contents: &Contents) {
        if let Some(since) = self.since.take() {
            let span = contents.nanos(now).saturating_sub(contents.nanos(since));
            self.burst = self.burst.saturating_add(span);
        }
    }
}

/// The next thing to expect after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// The next event.
    More,
    /// An answer.
    Answer,
    /// Nothing.
    End,
}

/// The consequence of an event, or the error in it.
type Handled = Result<Follows, String>;

impl Player {
    pub fn new(
        rank: u32,
        source: Source,
        [records, ahead]: [Records; 2],
        [regions, comms]: [IdMap; 2],
    ) -> Player {
        Player {
            rank,
            source,
            records,
            ahead: Ahead::new(ahead),
            regions,
            comms,
            clock: Clock::default(),
            last: 0,
            function: None,
            communicated: false,
            requests: HashMap::new(),
            free: Vec::new(),
            used: 0,
            completed: Vec::new(),
            state: State::Before,
        }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// How much of its file has been read.
    pub fn share_read(&self) -> f64 {
        self.records.share_read(&self.source)
    }

    /// The next event becomes calls.
    pub fn step(&mut self, common: &mut Common, calls: &mut Calls<'_>) -> Result<Follows, TraceError> {
        if self.state == State::Ended {
            return Ok(Follows::End);
        }
        let Some(timed) = self.records.event(&self.source)? else { return self.end(common, calls) };
        self.last = timed.time;
        if self.clock.since.is_none() && self.function.is_none() {
            self.clock.since = Some(timed.time);
        }
        let outcome = match timed.event {
            Event::IrecvRequest(request) | Event::CollectiveRequest(request) => {
                self.ahead.outcome(request, &self.source)?
            }
            _ => None,
        };
        let handled = self.handle(timed, outcome, common, calls);
        handled.map_err(|problem| self.source.bad(timed.at, problem))
    }

    /// The file has ended.
    fn end(&mut self, common: &Common, calls: &mut Calls<'_>) -> Result<Follows, TraceError> {
        if self.state == State::Initialised {
            let text =
                "the rank ends without MPI_Finalize: the archive is of a run that did not come to its end";
            return Err(self.source.bad(self.source.len(), text));
        }
        self.state = State::Ended;
        if self.function.is_none() {
            self.clock.stop(self.last, &common.contents);
        }
        let burst = std::mem::take(&mut self.clock.burst);
        if burst > 0 {
            calls.push(&Stamp::default(), &Call::Compute { work: Work::Nanos(burst), request: None });
        }
        Ok(Follows::End)
    }

    fn handle(
        &mut self,
        timed: Timed,
        outcome: Option<Outcome>,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Handled {
        let Timed { at, time, event } = timed;
        match event {
            Event::Enter { region } => {
                return self.enter(common.contents.region(self.regions.global(region)), timed, common, calls);
            }
            Event::Leave { region } => {
                return self.leave(common.contents.region(self.regions.global(region)), timed, common, calls);
            }
            Event::BufferFlush { until } => {
                // Writing the trace is not the program's computation.
                if self.function.is_none() {
                    self.clock.stop(time, &common.contents);
                    self.clock.since = Some(until.max(time));
                }
                return Ok(Follows::More);
            }
            Event::OneSided => return Err("one-sided communication cannot be replayed".to_owned()),
            Event::CollectiveBegin | Event::RequestTest(_) | Event::Metric { .. } => {
                return Ok(Follows::More);
            }
            _ => {}
        }
        if self.function.is_none() {
            // The archive has no regions of MPI: its records take no time.
            self.clock.stop(time, &common.contents);
            self.clock.since = Some(time);
        }
        self.communicated = true;
        let follows = match event {
            Event::Send(message) if self.function.is_some_and(|(region, _)| region.exchanges) => {
                // The receive of the same function must not wait for it.
                let request = self.open();
                self.completed.push(request);
                self.send(message, Some(request), at, common, calls)?
            }
            Event::Send(message) => self.send(message, None, at, common, calls)?,
            Event::Isend(message, number) => {
                let request = self.open();
                self.requests.insert(number, request);
                self.send(message, Some(request), at, common, calls)?
            }
            Event::Recv(message) => self.receive(message, None, at, common, calls)?,
            Event::IrecvRequest(number) => match outcome {
                Some(Outcome::Received(message)) => {
                    let request = self.open();
                    self.requests.insert(number, request);
                    self.receive(message, Some(request), at, common, calls)?
                }
                // It never got a message.
                _ => Follows::More,
            },
            Event::Irecv(message, number) if !self.requests.contains_key(&number) => {
                self.ahead.forget(number);
                self.receive(message, None, at, common, calls)?
            }
            Event::IsendComplete(number) | Event::Irecv(_, number) | Event::CollectiveComplete(_, number) => {
                self.completed.extend(self.requests.remove(&number));
                Follows::More
            }
            Event::RequestCancelled(number) => {
                if let Some(request) = self.requests.remove(&number) {
                    self.ahead.forget(number);
                    self.completed.push(request);
                }
                Follows::More
            }
            Event::CollectiveEnd(end) => self.collective(end, None, at, common, calls)?,
            Event::CollectiveRequest(number) => {
                let Some(Outcome::Performed(end)) = outcome else {
                    return Err(format!("request {number} never completes, so its collective is not known"));
                };
                let request = self.open();
                self.requests.insert(number, request);
                self.collective(end, Some(request), at, common, calls)?
            }
            _ => Follows::More,
        };
        match follows {
            Follows::More if self.function.is_none() => self.wait(at, common, calls),
            follows => Ok(follows),
        }
    }

    fn enter(&mut self, region: Region, timed: Timed, common: &mut Common, calls: &mut Calls<'_>) -> Handled {
        let (inside, at) = (region.inside, timed.at);
        if inside == Inside::Program {
            return Ok(Follows::More);
        }
        if let Some((_, depth)) = &mut self.function {
            *depth = depth.saturating_add(1);
            return Ok(Follows::More);
        }
        self.clock.stop(timed.time, &common.contents);
        self.function = Some((region, 1));
        self.communicated = false;
        // A local function counts as computation, unless it turns out to communicate.
        self.clock.since = (inside == Inside::Mpi { local: true }).then_some(timed.time);
        match inside {
            Inside::Init if self.state == State::Before => {
                self.state = State::Initialised;
                self.say(&Call::Init, common.stamps.init, at, calls);
                Ok(Follows::Answer)
            }
            Inside::Finalize if self.state == State::Initialised => {
                self.state = State::Ended;
                self.say(&Call::Finalize, common.stamps.finalize, at, calls);
                Ok(Follows::Answer)
            }
            _ => Ok(Follows::More),
        }
    }

    fn leave(&mut self, region: Region, timed: Timed, common: &mut Common, calls: &mut Calls<'_>) -> Handled {
        if region.inside == Inside::Program {
            return Ok(Follows::More);
        }
        match &mut self.function {
            None => return Ok(Follows::More),
            Some((_, depth)) if *depth > 1 => {
                *depth -= 1;
                return Ok(Follows::More);
            }
            Some(_) => {}
        }
        if !self.communicated {
            self.clock.stop(timed.time, &common.contents);
        }
        let follows = self.wait(timed.at, common, calls);
        self.function = None;
        self.clock.since = Some(timed.time);
        follows
    }

    /// Waits for all requests that are complete.
    fn wait(&mut self, at: u64, common: &Common, calls: &mut Calls<'_>) -> Handled {
        if self.completed.is_empty() {
            return Ok(Follows::More);
        }
        let requests = std::mem::take(&mut self.completed);
        let call = Call::Wait { how: Completing::All, poll: false, requests: &requests };
        self.say(&call, common.stamps.wait, at, calls);
        self.free.extend_from_slice(&requests);
        self.completed = requests;
        self.completed.clear();
        Ok(Follows::Answer)
    }

    /// A request number that is free.
    fn open(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            RequestId::new(self.used)
        })
    }

    fn send(
        &mut self,
        message: MpiMessage,
        request: Option<RequestId>,
        at: u64,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Handled {
        let (context, to, tag) = self.envelope(&message, common)?;
        let mode = self.function.map_or(SendMode::Standard, |(region, _)| region.mode);
        let (bytes, payload) = (message.length, Payload::Absent);
        let stamp = if request.is_some() { common.stamps.isend } else { common.stamps.send };
        self.say(
            &Call::Send { mode, context, to, tag, bytes, payload, request, answer: true },
            stamp,
            at,
            calls,
        );
        Ok(if request.is_some() { Follows::More } else { Follows::Answer })
    }

    fn receive(
        &mut self,
        message: MpiMessage,
        request: Option<RequestId>,
        at: u64,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Handled {
        let (context, from, tag) = self.envelope(&message, common)?;
        let (from, tag, bytes) = (Some(from), Some(tag), message.length);
        let stamp = if request.is_some() { common.stamps.irecv } else { common.stamps.recv };
        let call = Call::Recv { context, from, tag, bytes, address: 0, request, matched: None };
        self.say(&call, stamp, at, calls);
        Ok(if request.is_some() { Follows::More } else { Follows::Answer })
    }

    fn envelope(
        &self,
        message: &MpiMessage,
        common: &Common,
    ) -> Result<(mpirage_call::ContextId, u32, i32), String> {
        let (context, size, _) = self.comm(message.communicator, common)?;
        if message.peer >= size {
            return Err(format!("there is no rank {} in a communicator of {size}", message.peer));
        }
        let tag = i32::try_from(message.tag).map_err(|_| format!("{} is too large a tag", message.tag))?;
        Ok((context, message.peer, tag))
    }

    /// Number, size, and the rank's own place of a communicator.
    fn comm(&self, number: u32, common: &Common) -> Result<(mpirage_call::ContextId, u32, u32), String> {
        let number = self.comms.global(number);
        let comm =
            common.contents.comm(number).ok_or_else(|| format!("there is no communicator {number}"))?;
        let (context, group) = comm.resolve(self.rank)?;
        let own = group.rank_of(self.rank);
        let own = own.ok_or_else(|| format!("rank {} is not in communicator {number}", self.rank))?;
        Ok((context, group.size(), own))
    }

    fn collective(
        &mut self,
        end: OperationEnd,
        request: Option<RequestId>,
        at: u64,
        common: &mut Common,
        calls: &mut Calls<'_>,
    ) -> Handled {
        let Some(kind) = collective_of(end.operation) else {
            if end.operation != CREATE_HANDLE {
                // Operations that free communicators and memory exchange no messages.
                return self.nothing(request, at, common, calls);
            }
            let (context, ..) = self.comm(end.communicator, common)?;
            let call = CollectiveCall { request, ..CollectiveCall::agreement(context) };
            return self.perform(&call, at, common, calls);
        };
        let (context, size, own) = self.comm(end.communicator, common)?;
        let root = if kind.is_rooted() { end.root } else { 0 };
        if root >= size {
            return Err(format!("there is no root {root} in a communicator of {size}"));
        }
        let sizes = Sizes { sent: end.sent, received: end.received };
        let mut lists = std::mem::take(&mut common.lists);
        let (blocks, vector) = sizes.cut(kind, own == root, Member { rank: own, size }, &mut lists);
        let [send, recv] = blocks.map(|blocks| Part { payload: Payload::Absent, blocks });
        let call = CollectiveCall {
            kind,
            context,
            root,
            peers: Peers::All,
            send,
            recv,
            reduction: reduction(kind, vector),
            request,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        };
        let performed = self.perform(&call, at, common, calls);
        common.lists = lists;
        performed
    }

    fn perform(
        &mut self,
        call: &CollectiveCall<'_>,
        at: u64,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Handled {
        self.say(&Call::Collective(*call), common.stamps.collective, at, calls);
        Ok(if call.request.is_some() { Follows::More } else { Follows::Answer })
    }

    /// A collective that exchanges nothing. Its request is complete at once, as that of a barrier of the rank alone.
    fn nothing(
        &mut self,
        request: Option<RequestId>,
        at: u64,
        common: &Common,
        calls: &mut Calls<'_>,
    ) -> Handled {
        if request.is_none() {
            return Ok(Follows::More);
        }
        let call = CollectiveCall { context: mpirage_call::SELF, request, ..CollectiveCall::barrier() };
        self.perform(&call, at, common, calls)
    }

    /// Makes a call, after the computation before it.
    fn say(&mut self, call: &Call<'_>, stamp: Stamp, at: u64, calls: &mut Calls<'_>) {
        let function = self.function.and_then(|(region, _)| region.stamp).unwrap_or(stamp);
        let burst = Burst::serial(std::mem::take(&mut self.clock.burst));
        calls.push(&Stamp { burst, site: at, ..function }, call);
    }
}

/// The operator is not in the record: a sum of bytes.
fn reduction(kind: Collective, vector: u64) -> Option<Reduction> {
    let operator = Operator::Predefined { op: Op::Sum.code(), basic: Basic::Byte.code() };
    kind.reduces().then_some(Reduction { operator, commutative: true, element: 1, elements: vector })
}
