//! Calls of MPI written as GOAL schedules: what LogGOPSim and other network simulators read.
//!
//! | call | graph |
//! |---|---|
//! | blocking send or receive | an operation; the next one requires it |
//! | non-blocking one | an operation; the next one `irequires` it |
//! | wait | no operation: the next one requires those that are waited for |
//! | collective | the messages it consists of; a non-blocking one is a branch of its own |
//! | computation | `calc`, in whole nanoseconds; what is left of one counts for the next |
//!
//! The format has no communicators: tags tell their messages apart. It has no synchronous sends and no probes. A schedule is
//! written rank by rank, so all of it is kept until the run ends.

mod collective;
mod losses;

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use mpirage_call::{
    Call, Collective, Completion, ContextId, Method, Reply, RequestId, SendMode, Stamp, WORLD, Work,
};
use mpirage_collectives::Schedule;
use mpirage_files::OutputFile;
use mpirage_units::Duration;

use super::chain::Chain;
use super::graph::{ANY, Op, OpKind, RankSchedule};
use super::{GoalBinaryWriter, GoalTextWriter};
use crate::communicators::Communicators;
use crate::losses::Losses;
use crate::writer::TraceWriter;
use crate::{Computation, TraceError};

/// Tags of messages outside the world, or of collectives, start here.
const OTHER_TAGS: u32 = 1 << 30;
/// Flops per second, if the trace does not say how fast its machine was.
const ASSUMED_SPEED: f64 = 1e9;

/// Writes the calls of ranks as a GOAL schedule.
pub struct GoalWriter {
    file: Option<OutputFile>,
    is_compiled: bool,
    computation: Computation,
    ranks: Vec<GoalRank>,
    communicators: Communicators,
    tags: HashMap<TagKey, u32>,
    local_work: [f64; 3],
    steps: Schedule,
    losses: Losses,
}

/// Messages with equal keys have the same tag: communicator, tag of the program or of a collective's step, and the number of a
/// collective that others may overlap; zero for all others.
type TagKey = (ContextId, i32, u32);

#[derive(Default)]
struct GoalRank {
    schedule: RankSchedule,
    chain: Chain,
    /// Computation that has not been written.
    picos: u64,
    open: HashMap<RequestId, Open>,
    /// How its last collective was performed.
    method: Option<Method>,
    /// How many non-blocking collectives it has started on each communicator.
    started: HashMap<ContextId, u32>,
}

/// Operations that a request stands for.
struct Open {
    ops: Vec<u32>,
    context: ContextId,
    is_cancelled: bool,
}

impl GoalWriter {
    /// Creates the file for the schedule of a run that charges computation like this: compiled, or as text.
    pub fn create(
        path: &Path,
        is_compiled: bool,
        ranks: u32,
        computation: Computation,
    ) -> Result<GoalWriter, TraceError> {
        let file = OutputFile::create(path).map_err(|error| TraceError::io(path, error))?;
        Ok(GoalWriter {
            file: Some(file),
            is_compiled,
            computation,
            ranks: (0..ranks).map(|_| GoalRank::default()).collect(),
            communicators: Communicators::new(ranks),
            tags: HashMap::new(),
            local_work: [0.0; 3],
            steps: Schedule::default(),
            losses: Losses::default(),
        })
    }

    /// Sets the cost of combining and of copying a byte in the run, and of a block that is packed, in seconds. Collectives then have their local work too.
    pub fn local_work(mut self, costs: [f64; 3]) -> GoalWriter {
        self.local_work = costs;
        self
    }

    fn tag(&mut self, key: TagKey) -> u32 {
        match key {
            (WORLD, tag @ 0.., 0) if (tag as u32) < OTHER_TAGS => tag as u32,
            other => {
                let next = OTHER_TAGS + self.tags.len() as u32;
                *self.tags.entry(other).or_insert(next)
            }
        }
    }

    fn send(&mut self, rank: u32, call: &Call<'_>) {
        let Call::Send { mode, context, to, tag, bytes, request, .. } = *call else { return };
        self.losses.add_if(mode == SendMode::Synchronous, losses::SYNCHRONOUS);
        let op = message(
            OpKind::Send,
            self.communicators.world_rank(rank, context, to),
            self.tag((context, tag, 0)),
            bytes,
        );
        let blocks = request.is_none() && mode != SendMode::Buffered;
        self.ranks[rank as usize].message(op, blocks, request, context);
    }

    fn receive(&mut self, rank: u32, call: &Call<'_>, reply: &Reply) {
        let Call::Recv { context, from, tag, bytes, request, .. } = *call else { return };
        let came = reply.completions.first().filter(|came| request.is_none() && came.source >= 0);
        let from = from.or(came.map(|came| came.source as u32));
        let tag = tag.or(came.map(|came| came.tag));
        let from = from.map_or(ANY, |from| self.communicators.world_rank(rank, context, from));
        let tag = tag.map_or(ANY, |tag| self.tag((context, tag, 0)));
        self.losses.add_if(tag == ANY && request.is_none(), losses::ANY_TAG);
        let op = message(OpKind::Recv, from, tag, bytes);
        self.ranks[rank as usize].message(op, request.is_none(), request, context);
    }

    /// The rank has waited for requests, or tested them.
    fn waited(&mut self, rank: u32, requests: &[RequestId], done: &[Completion]) {
        // The computation so far did not wait.
        self.ranks[rank as usize].write_computation();
        for done in done {
            let Some(request) = requests.get(done.index as usize) else { continue };
            let Some(open) = self.ranks[rank as usize].open.remove(request) else { continue };
            if done.cancelled {
                self.ranks[rank as usize].take_back(&open);
                continue;
            }
            for &op in &open.ops {
                self.name_source(rank, op, open.context, done);
                self.ranks[rank as usize].chain.wait_for(op);
            }
        }
    }

    /// A receive from anyone names the message that came, if the run says which.
    fn name_source(&mut self, rank: u32, op: u32, context: ContextId, came: &Completion) {
        let Op { kind, peer, tag, .. } = self.ranks[rank as usize].schedule.ops[op as usize];
        if kind != OpKind::Recv || peer != ANY && tag != ANY {
            return;
        }
        if came.source >= 0 {
            let peer = self.communicators.world_rank(rank, context, came.source as u32);
            let tag = self.tag((context, came.tag, 0));
            let op = &mut self.ranks[rank as usize].schedule.ops[op as usize];
            (op.peer, op.tag) = (peer, tag);
        } else {
            self.losses.add_if(tag == ANY, losses::ANY_TAG);
        }
    }

    /// Picoseconds of so many floating-point operations.
    fn picos(&mut self, flops: f64) -> u64 {
        self.losses.add_if(self.computation.measured_on.is_none(), losses::SPEED);
        (flops / self.computation.measured_on.unwrap_or(ASSUMED_SPEED) * 1e12) as u64
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let Some(file) = self.file.take() else { return Ok(()) };
        let mut schedules: Vec<RankSchedule> = self.ranks.drain(..).map(GoalRank::end).collect();
        give_receives_the_sizes_of_sends(&mut schedules);
        let (name, ranks) = (file.path().to_owned(), schedules.len() as u32);
        let file = if self.is_compiled {
            let mut writer = GoalBinaryWriter::new(&name, file, ranks)?;
            schedules.iter().try_for_each(|schedule| writer.rank(schedule))?;
            writer.finish()?
        } else {
            let mut writer = GoalTextWriter::new(&name, file, ranks)?;
            schedules.iter().try_for_each(|schedule| writer.rank(schedule))?;
            writer.finish()?
        };
        file.finish().map_err(|error| TraceError::io(&name, error))
    }
}

impl GoalRank {
    /// Appends a message, after the computation before it.
    fn message(&mut self, op: Op, blocks: bool, request: Option<RequestId>, context: ContextId) {
        self.write_computation();
        let op = match blocks {
            true => self.chain.block(&mut self.schedule, op),
            false => self.chain.start(&mut self.schedule, op),
        };
        if let Some(request) = request {
            self.open.insert(request, Open { ops: vec![op], context, is_cancelled: false });
        }
    }

    /// Appends the computation so far, in whole nanoseconds.
    fn write_computation(&mut self) {
        let nanos = self.picos / 1000;
        if nanos > 0 {
            self.picos %= 1000;
            self.chain.block(&mut self.schedule, calc(nanos));
        }
    }

    /// The whole schedule.
    fn end(mut self) -> RankSchedule {
        self.write_computation();
        self.schedule
    }

    /// A receive was cancelled: nothing happens in its place.
    fn take_back(&mut self, open: &Open) {
        for &op in &open.ops {
            self.schedule.ops[op as usize] = calc(0);
        }
    }
}

impl TraceWriter for GoalWriter {
    fn computed(&mut self, rank: u32, work: Work) {
        let picos = match work {
            Work::Nanos(_) | Work::Threads(_) if self.computation.free => 0,
            Work::Nanos(nanos) => nanos.saturating_mul(1000),
            // The format has processors, but no computation that several share: it takes as long as if each thread had a core.
            Work::Threads(burst) => burst.elapsed(f64::INFINITY).saturating_mul(1000),
            Work::Flops(flops) => self.picos(flops),
            Work::Roofline { flops, .. } => {
                self.losses.add(losses::MEMORY);
                self.picos(flops)
            }
        };
        let rank = &mut self.ranks[rank as usize];
        rank.picos = rank.picos.saturating_add(picos);
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        let rank = &mut self.ranks[rank as usize];
        rank.picos = rank.picos.saturating_add(span.as_picos());
    }

    fn called(&mut self, rank: u32, _: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        match *call {
            Call::Send { .. } => self.send(rank, call),
            Call::Recv { .. } => self.receive(rank, call, reply),
            Call::Wait { poll: true, requests, .. }
                if reply.completions.is_empty() && !requests.is_empty() =>
            {
                self.paused(rank, span);
            }
            Call::Wait { requests, .. } => self.waited(rank, requests, &reply.completions),
            Call::Probe { poll, .. } => {
                self.losses.add(losses::PROBES);
                if poll && reply.completions.is_empty() {
                    self.paused(rank, span);
                }
            }
            Call::FailedPoll { span } => self.paused(rank, span),
            Call::Cancel { request } => {
                if let Some(open) = self.ranks[rank as usize].open.get_mut(&request) {
                    open.is_cancelled = true;
                }
            }
            // A freed request does not say whether its cancel was in time. Most are.
            Call::Free { request } => {
                let state = &mut self.ranks[rank as usize];
                if let Some(open) = state.open.remove(&request).filter(|open| open.is_cancelled) {
                    state.take_back(&open);
                }
            }
            Call::Collective(ref collective) => self.collective(rank, collective),
            Call::MakeComm { parent, ref how } => self.agree(rank, parent, how),
            // No other call has messages.
            _ => {}
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
        self.write()
    }

    fn warnings(&self) -> Vec<String> {
        self.losses.warnings()
    }
}

/// A program has room for more than comes, but LogGOPSim takes the size of a receive for that of its message. Messages of a pair with
/// one tag come in the order of their sends. Ranks that receive from anyone keep their sizes: there the order is not known.
fn give_receives_the_sizes_of_sends(schedules: &mut [RankSchedule]) {
    let mut sent: HashMap<(u32, u32, u32), VecDeque<u64>> = HashMap::new();
    for (schedule, from) in schedules.iter().zip(0..) {
        for op in schedule.ops.iter().filter(|op| op.kind == OpKind::Send) {
            sent.entry((from, op.peer, op.tag)).or_default().push_back(op.size);
        }
    }
    for (schedule, to) in schedules.iter_mut().zip(0..) {
        let receives = || schedule.ops.iter().filter(|op| op.kind == OpKind::Recv);
        if receives().any(|op| op.peer == ANY || op.tag == ANY) {
            continue;
        }
        for op in schedule.ops.iter_mut().filter(|op| op.kind == OpKind::Recv) {
            let next = sent.get_mut(&(op.peer, to, op.tag)).and_then(VecDeque::pop_front);
            op.size = next.unwrap_or(op.size);
        }
    }
}

fn message(kind: OpKind, peer: u32, tag: u32, bytes: u64) -> Op {
    Op { kind, size: bytes, peer, tag, cpu: 0, nic: 0 }
}

fn calc(nanos: u64) -> Op {
    Op { kind: OpKind::Calc, size: nanos, peer: 0, tag: 0, cpu: 0, nic: 0 }
}
