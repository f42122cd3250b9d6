//! Writing time-independent traces, such that SimGrid replays them and that replay here takes the time of the run.
//!
//! Sizes are bytes, except in reductions, whose elements matter. The format knows the world only: messages of other
//! communicators get ranks of the world and tags of their own, and collectives of others become the messages they consist
//! of. Extra words that SimGrid does not read carry what its format lacks: `wait 0 1 7 3` says that three lines are one
//! wait, `send 1 0 8 6 ssend` that the send is synchronous. What the format cannot express becomes a warning.

mod collective;
mod files;
mod losses;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use files::Files;
use mpirage_call::{
    Call, Collective, CommCall, ComputeCall, ContextId, Family, ITERATION, Method, PointToPointCall, Reply,
    RequestId, RunCall, SendMode, Stamp, ToolCall, WORLD, Work,
};
use mpirage_collectives::Schedule;
use mpirage_units::Duration;

use super::files::{CHARGED, FREE};
use crate::communicators::Communicators;
use crate::losses::Losses;
use crate::writer::TraceWriter;
use crate::{Computation, TraceError};
pub use files::TiLayout;

/// Bytes of lines under way, over all ranks, and of one rank at the least and at the most.
const UNDER_WAY: usize = 64 << 20;
const SMALLEST: usize = 1 << 10;
const LARGEST: usize = 64 << 10;
/// SimGrid's numbers for any source and any tag, and how a request for any source is named.
const ANY_SOURCE: i64 = -555;
const ANY_TAG: i64 = -444;
const ANY_NAMED: i64 = ANY_SOURCE - 1;
/// Tags of messages outside the world, or that the library sends, start here.
const OTHER_TAGS: i64 = 1 << 30;

/// Writes a time-independent trace.
pub struct TiWriter {
    files: Files,
    measured_on: Option<f64>,
    ranks: Vec<TiRank>,
    full: usize,
    communicators: Communicators,
    tags: HashMap<(ContextId, i32), i64>,
    schedule: Schedule,
    lost: Losses,
    local_work: [f64; 3],
}

#[derive(Default)]
struct TiRank {
    text: String,
    /// How many bytes have left for the file.
    flushed: u64,
    /// Where the last line starts, counted from the first.
    last: u64,
    began: bool,
    finalized: bool,
    /// How its last collective was performed.
    method: Option<Method>,
    open: HashMap<RequestId, Open>,
    /// How many of each name were opened and waited for.
    order: HashMap<Named, (u64, u64)>,
    collectives: i64,
    /// The messages of non-blocking collectives, by the collective's request.
    parts: HashMap<RequestId, Vec<RequestId>>,
    /// How many such messages there have been.
    posted: u32,
}

/// A request that the rank has not waited for.
#[derive(Clone, Copy)]
struct Open {
    name: Named,
    /// Its number among the requests of the same name.
    number: u64,
    /// Where its line starts in the text that the rank has written.
    line: u64,
    /// The program has cancelled it.
    cancelled: bool,
}

/// Sender, receiver, tag.
type Named = (i64, i64, i64);

impl TiWriter {
    /// Starts the files of a run that charges computation like this.
    pub fn create(
        path: &Path,
        layout: TiLayout,
        ranks: u32,
        computation: Computation,
    ) -> Result<TiWriter, TraceError> {
        let head = if computation.free { FREE } else { CHARGED };
        let files = Files::create(path, layout, ranks, head)?;
        // Lines are counted from the start of the rank's file, if it has one.
        let flushed = if files.one_each() { head.len() as u64 } else { 0 };
        Ok(TiWriter {
            files,
            measured_on: computation.measured_on,
            ranks: (0..ranks).map(|_| TiRank { flushed, ..TiRank::default() }).collect(),
            full: (UNDER_WAY / ranks.max(1) as usize).clamp(SMALLEST, LARGEST),
            communicators: Communicators::new(ranks),
            tags: HashMap::new(),
            schedule: Schedule::default(),
            lost: Losses::default(),
            local_work: [0.0; 3],
        })
    }

    /// Sets the cost of combining and of copying a byte in the run, and of a block that is packed, in seconds. Collectives that are written as messages then have
    /// their local work too.
    pub fn local_work(mut self, costs: [f64; 3]) -> TiWriter {
        self.local_work = costs;
        self
    }

    fn line(&mut self, rank: u32, text: std::fmt::Arguments<'_>) {
        let state = &mut self.ranks[rank as usize];
        state.last = state.flushed + state.text.len() as u64;
        // Writing to a string does not fail.
        let _ = writeln!(state.text, "{rank} {text}");
        if state.text.len() >= self.full {
            self.flush(rank);
        }
    }

    fn flush(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        if !state.text.is_empty() {
            self.files.append(rank, &state.text);
        }
        state.flushed += state.text.len() as u64;
        state.text.clear();
    }

    /// A request that was cancelled: its line becomes a comment, as if it had never been started.
    fn take_back(&mut self, rank: u32, request: RequestId) {
        let state = &mut self.ranks[rank as usize];
        let Some(Open { name, number, line, .. }) = state.open.remove(&request) else { return };
        for later in state.open.values_mut().filter(|open| open.name == name && open.number > number) {
            later.number -= 1;
        }
        if let Some((opened, closed)) = state.order.get_mut(&name) {
            *opened -= 1;
            if opened == closed {
                state.order.remove(&name);
            }
        }
        if let Some(at) = line.checked_sub(state.flushed) {
            let at = at as usize;
            state.text.replace_range(at..at + 1, "#");
        } else if self.files.one_each() {
            self.files.comment_out(rank, line);
        } else {
            self.lost.add(losses::CANCELS);
        }
    }

    fn tag(&mut self, context: ContextId, tag: i32) -> i64 {
        if context == WORLD && tag >= 0 {
            return i64::from(tag);
        }
        let next = OTHER_TAGS + self.tags.len() as i64;
        *self.tags.entry((context, tag)).or_insert(next)
    }

    fn open(&mut self, rank: u32, request: RequestId, name: Named) {
        let state = &mut self.ranks[rank as usize];
        let (opened, _) = state.order.entry(name).or_default();
        state.open.insert(request, Open { name, number: *opened, line: state.last, cancelled: false });
        *opened += 1;
    }

    /// The rank has waited for these requests, at once.
    fn waited(&mut self, rank: u32, requests: &[RequestId]) {
        let state = &mut self.ranks[rank as usize];
        let (mut names, mut swapped) = (Vec::new(), false);
        let parts = |request: &RequestId| state.parts.remove(request).unwrap_or_else(|| vec![*request]);
        let requests: Vec<RequestId> = requests.iter().flat_map(parts).collect();
        for Open { name, number, .. } in requests.iter().filter_map(|request| state.open.remove(request)) {
            names.push(name);
            if let Some((opened, closed)) = state.order.get_mut(&name) {
                swapped |= number != *closed;
                *closed += 1;
                if opened == closed {
                    state.order.remove(&name);
                }
            }
        }
        let all = state.open.is_empty() && names.len() > 1;
        if swapped && names.len() == 1 {
            self.lost.add(losses::ORDER);
        }
        if all {
            return self.line(rank, format_args!("waitall {}", names.len()));
        }
        for (index, (from, to, tag)) in names.iter().enumerate() {
            match (index, names.len()) {
                (0, several @ 2..) => self.line(rank, format_args!("wait {from} {to} {tag} {several}")),
                _ => self.line(rank, format_args!("wait {from} {to} {tag}")),
            }
        }
    }

    fn point_to_point(&mut self, rank: u32, call: PointToPointCall<'_>, reply: &Reply, span: Duration) {
        match call {
            PointToPointCall::Send { .. } => self.send(rank, call),
            PointToPointCall::Recv { .. } => self.recv(rank, call, reply),
            PointToPointCall::Wait { requests, poll, .. } => {
                let completions = reply.completions.iter();
                let failed = reply.completions.is_empty() && poll && !requests.is_empty();
                for done in completions.clone().filter(|done| done.cancelled) {
                    self.take_back(rank, requests[done.index as usize]);
                }
                let done = completions.filter(|done| !done.cancelled);
                let done: Vec<RequestId> =
                    done.filter_map(|done| requests.get(done.index as usize)).copied().collect();
                match failed {
                    true => self.paused(rank, span),
                    false => self.waited(rank, &done),
                }
            }
            PointToPointCall::Probe { poll, .. } => {
                self.lost.add(losses::PROBES);
                if poll && reply.completions.is_empty() {
                    self.paused(rank, span);
                }
            }
            PointToPointCall::FailedPoll { span } => self.paused(rank, span),
            PointToPointCall::Cancel { request } => {
                if let Some(open) = self.ranks[rank as usize].open.get_mut(&request) {
                    open.cancelled = true;
                }
            }
            // A freed request does not say whether its cancel was in time. Most are.
            PointToPointCall::Free { request } => {
                let open = self.ranks[rank as usize].open.get(&request);
                if open.is_some_and(|open| open.cancelled) {
                    self.take_back(rank, request);
                }
            }
            PointToPointCall::RepeatedPoll => {}
        }
    }

    fn run_call(&mut self, rank: u32, call: RunCall<'_>) {
        match call {
            RunCall::Init => {
                self.ranks[rank as usize].began = true;
                self.line(rank, format_args!("init"));
            }
            RunCall::Finalize => {
                self.ranks[rank as usize].finalized = true;
                self.line(rank, format_args!("finalize"));
            }
            RunCall::Abort { .. }
            | RunCall::Misuse { .. }
            | RunCall::Session { .. }
            | RunCall::Publish { .. }
            | RunCall::LookUp { .. }
            | RunCall::Spawn { .. } => {}
        }
    }

    fn send(&mut self, rank: u32, call: PointToPointCall<'_>) {
        let PointToPointCall::Send { mode, context, to, tag, bytes, request, .. } = call else { return };
        let (to, tag) = (self.communicators.world_rank(rank, context, to), self.tag(context, tag));
        let name = if request.is_some() { "isend" } else { "send" };
        let mark = match mode {
            SendMode::Standard => "",
            SendMode::Synchronous => " ssend",
            SendMode::Ready => " rsend",
            SendMode::Buffered => " bsend",
        };
        if !mark.is_empty() {
            self.lost.add(losses::MODES);
        }
        self.line(rank, format_args!("{name} {to} {tag} {bytes} 6{mark}"));
        if let Some(request) = request {
            self.open(rank, request, (i64::from(rank), i64::from(to), tag));
        }
    }

    fn recv(&mut self, rank: u32, call: PointToPointCall<'_>, reply: &Reply) {
        let PointToPointCall::Recv { context, from, tag, bytes, request, matched, .. } = call else { return };
        // `MPI_ANY_TAG` would match messages of all communicators, so outside of the world the line names the message that came.
        // So does the line of a message that a probe has taken.
        let any_of_others = tag.is_none() && context != WORLD;
        let came =
            reply.completions.first().filter(|_| request.is_none() && (matched.is_some() || any_of_others));
        let from = from.or_else(|| came.and_then(|came| u32::try_from(came.source).ok()));
        let tag = tag.or_else(|| came.map(|came| came.tag));
        let source = from.map(|from| i64::from(self.communicators.world_rank(rank, context, from)));
        if tag.is_none() && context != WORLD {
            self.lost.add(losses::ANY_TAG);
        }
        let tag = tag.map_or(ANY_TAG, |tag| self.tag(context, tag));
        let name = if request.is_some() { "irecv" } else { "recv" };
        self.line(rank, format_args!("{name} {} {tag} {bytes} 6", source.unwrap_or(ANY_SOURCE)));
        if let Some(request) = request {
            self.open(rank, request, (source.unwrap_or(ANY_NAMED), i64::from(rank), tag));
        }
    }

    fn finish_rank(&mut self, rank: u32) {
        let state = &self.ranks[rank as usize];
        if state.began && !state.finalized {
            self.line(rank, format_args!("finalize"));
        }
        self.flush(rank);
        self.ranks[rank as usize] = TiRank::default();
    }
}

impl TiWriter {
    /// Nanoseconds of the machine that measured them as floating-point operations.
    fn flops(&mut self, nanos: u64, speed: Option<f64>) -> f64 {
        match speed {
            Some(speed) => nanos as f64 * 1e-9 * speed,
            None => {
                self.lost.add(losses::SPEED);
                nanos as f64
            }
        }
    }
}

impl TraceWriter for TiWriter {
    fn computed(&mut self, rank: u32, work: Work) {
        let flops = match (work, self.measured_on) {
            // An extension, which SimGrid skips.
            (Work::Roofline { flops, bytes }, _) => {
                return self.line(rank, format_args!("compute {flops} {bytes}"));
            }
            (Work::Flops(flops), _) => flops,
            // The format has no threads: a computation takes as long as if each thread had a core.
            (Work::Threads(burst), speed) => self.flops(burst.elapsed(f64::INFINITY), speed),
            (Work::Nanos(nanos), speed) => self.flops(nanos, speed),
        };
        if flops > 0.0 {
            self.line(rank, format_args!("compute {flops}"));
        }
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        let picos = span.as_picos();
        if picos > 0 {
            self.line(
                rank,
                format_args!("sleep {}.{:012}", picos / 1_000_000_000_000, picos % 1_000_000_000_000),
            );
        }
    }

    fn called(&mut self, rank: u32, _: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        match call.family() {
            Family::Run(call) => self.run_call(rank, call),
            Family::PointToPoint(call) => self.point_to_point(rank, call, reply, span),
            Family::Comm(CommCall::Collective(collective)) => self.collective(rank, collective),
            Family::Comm(CommCall::MakeComm { parent, how }) => self.agree(rank, parent, &how),
            Family::Compute(ComputeCall::Migrate { state_bytes }) => {
                self.line(rank, format_args!("migrate {state_bytes}"));
            }
            Family::Tool(ToolCall::Control { level: ITERATION, .. }) => {
                self.line(rank, format_args!("iteration_in"));
            }
            Family::Tool(ToolCall::Control { level, .. }) if level == -ITERATION => {
                self.line(rank, format_args!("iteration_out"));
            }
            // The format has no such action, and needs none.
            Family::Comm(CommCall::FreeComm { .. })
            | Family::Window(_)
            | Family::File(_)
            | Family::Compute(_)
            | Family::Tool(_)
            | Family::Check(_) => {}
        }
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        self.communicators.add(context, members);
    }

    fn scheduled(&mut self, rank: u32, _: ContextId, _: Collective, method: Method) {
        self.ranks[rank as usize].method = Some(method);
    }

    fn stores_accesses(&self) -> bool {
        false
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        for rank in 0..self.ranks.len() as u32 {
            self.finish_rank(rank);
        }
        self.files.finish()
    }

    fn warnings(&self) -> Vec<String> {
        self.lost.warnings()
    }
}
