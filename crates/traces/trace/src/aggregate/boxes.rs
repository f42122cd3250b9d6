//! The ranks of the coarse grid: what they do in each step, and the calls that say so.
//!
//! In each step a rank posts receives, waits for messages and for its own sends, joins a collective, computes, sends, and computes on.
//! A wait never needs more than what other ranks do before their waits of the same step, so no rank waits for ever.

use std::collections::BTreeMap;

use mpirage_call::{Call, Completing, Completion, Payload, Reply, RequestId, SendMode, Stamp, WORLD};
use mpirage_units::Duration;

use super::collect::{Load, WholeCollective};
use super::steps::{FineMessage, Paused, Step, Steps};
use crate::TraceWriter;
use crate::function::stamp_of;

/// The actions of a coarse rank in a step.
#[derive(Default)]
struct Plan {
    /// Messages, by number.
    posts: Vec<usize>,
    waits: Vec<usize>,
    collective: Option<(WholeCollective, u32)>,
    before_sends: Load,
    sends: Vec<usize>,
    after_sends: Load,
    pause_before_sends: Duration,
    pause_after_sends: Duration,
}

/// A message between boxes.
#[derive(Clone, Copy)]
struct Merged {
    from: u32,
    to: u32,
    bytes: u64,
    tag: i32,
    sent: Step,
    awaited: Step,
    posted: Step,
    received: Step,
}

/// All coarse ranks.
pub(super) struct Boxes {
    plans: Vec<BTreeMap<Step, Plan>>,
    messages: Vec<Merged>,
    /// For each rank the size of its state at each migration point.
    states: Vec<Vec<u64>>,
}

impl Boxes {
    /// `owner` has the coarse rank of each fine rank.
    pub fn new(owner: &[u32], ranks: u32, steps: Steps) -> Boxes {
        let points = steps.states.first().map_or(0, Vec::len);
        let mut boxes = Boxes {
            plans: (0..ranks).map(|_| BTreeMap::new()).collect(),
            messages: merge(owner, &steps.messages),
            states: vec![vec![0; points]; ranks as usize],
        };
        boxes.plan_messages();
        for computed in &steps.computed {
            let plan = boxes.plan(owner[computed.rank as usize], computed.step);
            let load = if computed.after_send { &mut plan.after_sends } else { &mut plan.before_sends };
            load.add(computed.load);
        }
        boxes.plan_pauses(owner, &steps.paused);
        for joined in &steps.collectives {
            boxes.plan_collective(owner, joined.step, &joined.calls);
        }
        for (rank, states) in steps.states.iter().enumerate() {
            let sums = &mut boxes.states[owner[rank] as usize];
            sums.iter_mut().zip(states).for_each(|(sum, bytes)| *sum += bytes);
        }
        boxes
    }

    fn plan(&mut self, rank: u32, step: Step) -> &mut Plan {
        self.plans[rank as usize].entry(step).or_default()
    }

    fn plan_messages(&mut self) {
        for number in 0..self.messages.len() {
            let Merged { from, to, sent, awaited, posted, received, .. } = self.messages[number];
            self.plan(from, sent).sends.push(number);
            self.plan(from, awaited).waits.push(number);
            self.plan(to, posted).posts.push(number);
            self.plan(to, received).waits.push(number);
        }
    }

    /// In a step a box pauses as long as the rank of it that pauses longest: a rank that does the work of all reads the clock, or sleeps,
    /// as often as one of them.
    fn plan_pauses(&mut self, owner: &[u32], paused: &[Paused]) {
        let mut spans: BTreeMap<(u32, Step, bool), Duration> = BTreeMap::new();
        for &Paused { rank, step, after_send, span } in paused {
            *spans.entry((rank, step, after_send)).or_default() += span;
        }
        for ((rank, step, after_send), span) in spans {
            let plan = self.plan(owner[rank as usize], step);
            let pause = if after_send { &mut plan.pause_after_sends } else { &mut plan.pause_before_sends };
            *pause = span.max(*pause);
        }
    }

    /// A box calls what its root calls, if it has the root, and what its first rank calls otherwise.
    fn plan_collective(&mut self, owner: &[u32], step: Step, calls: &[WholeCollective]) {
        for (&rank, call) in owner.iter().zip(calls).rev() {
            self.plan(rank, step).collective = Some((*call, owner[call.root as usize]));
        }
        let root = calls[0].root as usize;
        self.plan(owner[root], step).collective = Some((calls[root], owner[root]));
    }

    /// Writes all ranks; the caller finishes the trace.
    pub fn write(&self, writer: &mut dyn TraceWriter) {
        let stamps = Stamps::new();
        for rank in 0..self.plans.len() as u32 {
            let mut scribe =
                Scribe { rank, boxes: self, writer: &mut *writer, stamps: &stamps, reply: Reply::default() };
            scribe.rank();
        }
    }
}

/// Messages that are sent and received in the same steps become one.
fn merge(owner: &[u32], messages: &[FineMessage]) -> Vec<Merged> {
    let mut merged: BTreeMap<(u32, u32, Step, Step), Merged> = BTreeMap::new();
    for message in messages {
        let (from, to) = (owner[message.from as usize], owner[message.to as usize]);
        if from == to {
            continue;
        }
        let FineMessage { sent, awaited, posted, received, .. } = *message;
        let new = Merged { from, to, bytes: 0, tag: 0, sent, awaited, posted, received };
        let all = merged.entry((from, to, sent, received)).or_insert(new);
        all.bytes += message.bytes;
        all.posted = all.posted.max(posted);
        // A sender that waited for a receive of a later step could wait for ever.
        all.awaited = all.awaited.max(awaited).max(all.posted).max(sent.next());
    }
    let mut merged: Vec<Merged> = merged.into_values().collect();
    let mut tags: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for message in &mut merged {
        let tag = tags.entry((message.from, message.to)).or_default();
        message.tag = *tag;
        *tag = (*tag + 1) % TAGS;
    }
    merged
}

/// Messages of a pair of ranks have different tags, as long as not that many are under way.
const TAGS: i32 = 1 << 14;

impl Step {
    fn next(self) -> Step {
        Step { level: self.level + 1, ..self }
    }
}

/// The functions that the calls stand for.
struct Stamps {
    init: Stamp,
    finalize: Stamp,
    isend: Stamp,
    irecv: Stamp,
    waitall: Stamp,
    migrate: Stamp,
}

impl Stamps {
    fn new() -> Stamps {
        Stamps {
            init: stamp_of("MPI_Init"),
            finalize: stamp_of("MPI_Finalize"),
            isend: stamp_of("MPI_Isend"),
            irecv: stamp_of("MPI_Irecv"),
            waitall: stamp_of("MPI_Waitall"),
            migrate: stamp_of("MPI_Migrate"),
        }
    }
}

/// Writes the calls of one rank.
struct Scribe<'a> {
    rank: u32,
    boxes: &'a Boxes,
    writer: &'a mut dyn TraceWriter,
    stamps: &'a Stamps,
    reply: Reply,
}

impl Scribe<'_> {
    fn rank(&mut self) {
        let stamps = self.stamps;
        let mut open = Requests::default();
        self.call(&stamps.init, &Call::Init);
        let mut points = self.boxes.states[self.rank as usize].iter().zip(0..);
        let mut iteration = 0;
        for (step, plan) in &self.boxes.plans[self.rank as usize] {
            while iteration < step.iteration
                && let Some((&state_bytes, _)) = points.next()
            {
                self.call(&stamps.migrate, &Call::Migrate { state_bytes });
                iteration += 1;
            }
            self.step(plan, &mut open);
        }
        points.for_each(|(&state_bytes, _)| self.call(&stamps.migrate, &Call::Migrate { state_bytes }));
        self.call(&stamps.finalize, &Call::Finalize);
    }

    fn step(&mut self, plan: &Plan, open: &mut Requests) {
        plan.posts.iter().for_each(|&number| self.post(number, open));
        if !plan.waits.is_empty() {
            let requests: Vec<RequestId> = plan.waits.iter().map(|&number| open.close(number)).collect();
            self.reply.completions.extend((0..requests.len() as u32).map(Completion::empty));
            let wait = Call::Wait { how: Completing::All, poll: false, requests: &requests };
            self.call(&self.stamps.waitall, &wait);
            self.reply.clear();
        }
        if let Some((collective, root)) = &plan.collective {
            let stamp = Stamp { function: collective.stamp, ..Stamp::default() };
            self.call(&stamp, &Call::Collective(collective.call(*root)));
        }
        self.pause(plan.pause_before_sends);
        self.compute(plan.before_sends);
        plan.sends.iter().for_each(|&number| self.send(number, open));
        self.pause(plan.pause_after_sends);
        self.compute(plan.after_sends);
    }

    fn post(&mut self, number: usize, open: &mut Requests) {
        let Merged { from, bytes, tag, .. } = self.boxes.messages[number];
        let (from, tag, request) = (Some(from), Some(tag), Some(open.open(number)));
        let call = Call::Recv { context: WORLD, from, tag, bytes, address: 0, request, matched: None };
        self.call(&self.stamps.irecv, &call);
    }

    fn send(&mut self, number: usize, open: &mut Requests) {
        let Merged { to, bytes, tag, .. } = self.boxes.messages[number];
        let (mode, payload, request) = (SendMode::Standard, Payload::Absent, Some(open.open(number)));
        let call = Call::Send { mode, context: WORLD, to, tag, bytes, payload, request, answer: true };
        self.call(&self.stamps.isend, &call);
    }

    fn compute(&mut self, load: Load) {
        load.works().for_each(|work| self.writer.computed(self.rank, work));
    }

    fn pause(&mut self, span: Duration) {
        if !span.is_zero() {
            self.writer.paused(self.rank, span);
        }
    }

    fn call(&mut self, stamp: &Stamp, call: &Call<'_>) {
        self.writer.called(self.rank, stamp, call, &self.reply, Duration::ZERO);
    }
}

/// The open requests of a rank: small numbers, used again.
#[derive(Default)]
struct Requests {
    of_message: BTreeMap<usize, RequestId>,
    free: Vec<RequestId>,
    made: u32,
}

impl Requests {
    fn open(&mut self, message: usize) -> RequestId {
        let request = self.free.pop().unwrap_or_else(|| {
            self.made += 1;
            RequestId::new(self.made)
        });
        self.of_message.insert(message, request);
        request
    }

    fn close(&mut self, message: usize) -> RequestId {
        // Every message is opened in an earlier part of the plan than the one that waits for it.
        let request = self.of_message.remove(&message).unwrap_or(RequestId::new(1));
        self.free.push(request);
        request
    }
}
