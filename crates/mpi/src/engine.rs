//! The engine: carries out calls in simulated time.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use mpirage_call::wire::decode_call;
use mpirage_call::{BLOCKING, Call, Reply, Stamp};
use mpirage_collectives::{Choice, Schedule};
use mpirage_kernel::{Kernel, Token};
use mpirage_platform::HostId;
use mpirage_record::{Record, Recorder};
use mpirage_units::{Duration, Time};
use slab::Slab;

use crate::collective::Instance;
use crate::comm::Comms;
use crate::compute::Bursts;
use crate::matching::KeyHasher;
use crate::memory::Memory;
use crate::message::{Message, Outgoing, Owner, PairOrder, Receive};
use crate::probe::Probing;
use crate::protocol::Protocol;
use crate::rank::{Phase, RankState, Then};
use crate::request::{Operation, key_of};
use crate::run::Run;

/// What a run starts from.
pub struct Setup {
    /// Clock and models.
    pub kernel: Kernel,
    /// The host of each rank.
    pub placement: Vec<HostId>,
    /// Simulated seconds per nanosecond of processor time, for each rank.
    pub seconds_per_nano: Vec<f64>,
    /// How messages travel.
    pub protocol: Protocol,
    /// Which algorithms collectives use.
    pub collectives: Choice,
    /// Where computation times come from.
    pub bursts: Bursts,
    /// Who is told what happens.
    pub recorder: Box<dyn Recorder>,
}

/// What the driver is to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// Give this rank its reply and let it run until it waits again.
    Resume(u32),
    /// Print what this rank has written so far.
    Output(u32),
    /// The run is over.
    End(Ending),
}

/// What a rank did since it was resumed, besides its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// It wrote to its standard output.
    pub wrote: bool,
    /// Its process has ended; nobody waits for an answer.
    pub ended: bool,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Every rank has ended.
    Finished,
    /// Nothing can happen any more, but ranks wait.
    Deadlock,
    /// A rank called `MPI_Abort`.
    Aborted {
        /// Which.
        rank: u32,
        /// With what code.
        code: i32,
    },
    /// A rank used MPI in a way that is wrong.
    Misuse {
        /// Which.
        rank: u32,
        /// What is wrong.
        text: String,
    },
}

/// Something that can go on at this instant.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    NextCall(u32),
    FinishWait(u32),
    FinishProbe(u32, Probing),
    Run(u32),
}

/// How a call went.
enum Progress {
    Done,
    Pay(Duration),
    Blocked,
}

/// The MPI layer of one run.
pub struct Engine<M> {
    pub(crate) kernel: Kernel,
    pub(crate) protocol: Protocol,
    pub(crate) collectives: Choice,
    pub(crate) memory: M,
    pub(crate) recorder: Box<dyn Recorder>,
    pub(crate) ranks: Vec<RankState>,
    pub(crate) comms: Comms,
    pub(crate) messages: Slab<Message>,
    pub(crate) receives: Slab<Receive>,
    pub(crate) orders: HashMap<(u32, u32), PairOrder, BuildHasherDefault<KeyHasher>>,
    pub(crate) runs: Slab<Run>,
    pub(crate) instances: Slab<Instance>,
    pub(crate) tasks: VecDeque<Task>,
    /// Memory of payloads that are done with, to be used again.
    pub(crate) buffers: Vec<Vec<u8>>,
    pub(crate) scratch: Vec<u8>,
    /// Schedules that are done with, to be filled again.
    pub(crate) schedules: Vec<Schedule>,
    /// Numbers collectives, so that no two ever share a context.
    pub(crate) collectives_started: u64,
    seconds_per_nano: Vec<f64>,
    bursts: Bursts,
    ready: VecDeque<Turn>,
    ended: Vec<Token>,
    alive: usize,
    resumed: u64,
    verdict: Option<Ending>,
}

impl<M: Memory> Engine<M> {
    /// All ranks are about to start.
    pub fn new(setup: Setup, memory: M) -> Engine<M> {
        let ranks = setup.placement.len();
        Engine {
            kernel: setup.kernel,
            protocol: setup.protocol,
            collectives: setup.collectives,
            memory,
            recorder: setup.recorder,
            ranks: setup.placement.into_iter().map(RankState::new).collect(),
            comms: Comms::new(ranks),
            messages: Slab::new(),
            receives: Slab::new(),
            orders: HashMap::default(),
            runs: Slab::new(),
            instances: Slab::new(),
            tasks: VecDeque::new(),
            buffers: Vec::new(),
            scratch: Vec::new(),
            schedules: Vec::new(),
            collectives_started: 0,
            seconds_per_nano: setup.seconds_per_nano,
            bursts: setup.bursts,
            ready: (0..ranks as u32).map(Turn::Resume).collect(),
            ended: Vec::new(),
            alive: ranks,
            resumed: 0,
            verdict: None,
        }
    }

    /// The driver's memory.
    pub fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The simulated time.
    pub fn now(&self) -> Time {
        self.kernel.now()
    }

    /// The answer to the call a resumed rank waits in.
    pub fn reply(&self, rank: u32) -> &Reply {
        &self.ranks[rank as usize].reply
    }

    /// How often a rank was resumed.
    pub fn switches(&self) -> u64 {
        self.resumed
    }

    /// When each rank ended.
    pub fn ends(&self) -> impl Iterator<Item = Time> + '_ {
        self.ranks.iter().map(|rank| rank.end)
    }

    /// Has the rank called `MPI_Init`, and `MPI_Finalize`?
    pub fn lifecycle(&self, rank: u32) -> (bool, bool) {
        let state = &self.ranks[rank as usize];
        (state.initialized, state.finalized)
    }

    /// The call a rank is in, or was in last.
    pub fn last_call(&self, rank: u32) -> Stamp {
        self.ranks[rank as usize].stamp
    }

    /// The recorded costs, if any were.
    pub fn bursts(&self) -> &Bursts {
        &self.bursts
    }

    /// Hands the driver's memory and the rank's reply to `give`, before the rank is resumed.
    pub fn give_reply<R>(&mut self, rank: u32, give: impl FnOnce(&mut M, &Reply) -> R) -> R {
        give(&mut self.memory, &self.ranks[rank as usize].reply)
    }

    /// A resumed rank has made calls and waits for the answer to the last, or has ended. `read` gets its calls from the
    /// driver's memory and says what else there is to know.
    pub fn take_calls(&mut self, rank: u32, read: impl FnOnce(&mut M, &mut Vec<u64>) -> Segment) {
        let state = &mut self.ranks[rank as usize];
        state.inbox.clear();
        state.cursor = 0;
        let segment = read(&mut self.memory, &mut state.inbox);
        state.wrote = segment.wrote;
        state.leaving = segment.ended;
        self.next_call(rank);
    }

    /// Goes on until the driver has something to do.
    pub fn advance(&mut self) -> Turn {
        loop {
            self.work_off_tasks();
            if let Some(ending) = self.verdict.take() {
                return Turn::End(ending);
            }
            if let Some(turn) = self.ready.pop_front() {
                self.note_resumed(&turn);
                return turn;
            }
            if self.alive == 0 {
                return Turn::End(Ending::Finished);
            }
            if !self.pass_time() {
                return Turn::End(Ending::Deadlock);
            }
        }
    }

    /// The run cannot go on: `rank` did something wrong.
    pub(crate) fn misuse(&mut self, rank: u32, text: String) {
        self.verdict.get_or_insert(Ending::Misuse { rank, text });
    }

    /// The rank has its answer.
    pub(crate) fn make_ready(&mut self, rank: u32) {
        let now = self.kernel.now();
        let state = &mut self.ranks[rank as usize];
        state.phase = Phase::Ready;
        state.reply.now = now;
        self.ready.push_back(Turn::Resume(rank));
        self.record_call(rank);
    }

    /// The rank pays `cost` and then has its answer.
    pub(crate) fn reply_after(&mut self, rank: u32, cost: Duration) {
        if cost.is_zero() {
            self.make_ready(rank);
        } else {
            self.pay(rank, cost, Then::Reply);
        }
    }

    fn note_resumed(&mut self, turn: &Turn) {
        if let Turn::Resume(rank) = turn {
            self.ranks[*rank as usize].phase = Phase::Running;
            self.resumed += 1;
        }
    }

    fn pass_time(&mut self) -> bool {
        let mut ended = std::mem::take(&mut self.ended);
        let passed = self.kernel.advance(&mut ended);
        for token in ended.drain(..) {
            match token::read(token) {
                token::Meaning::Rank(rank) => self.rank_due(rank),
                token::Meaning::Transfer(message) => self.transfer_ended(message),
                token::Meaning::Run(run) => self.tasks.push_back(Task::Run(run)),
            }
        }
        self.ended = ended;
        passed
    }

    fn work_off_tasks(&mut self) {
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::NextCall(rank) => self.next_call(rank),
                Task::FinishWait(rank) => self.finish_wait(rank),
                Task::FinishProbe(rank, probing) => self.finish_probe(rank, &probing),
                Task::Run(run) => self.continue_run(run),
            }
        }
    }

    /// A rank's timer or burst is over.
    fn rank_due(&mut self, rank: u32) {
        let now = self.kernel.now();
        let state = &mut self.ranks[rank as usize];
        match state.phase {
            Phase::Computing => {
                let start = state.entered;
                self.recorder.record(&Record::Burst { rank, start, end: now });
                self.after_burst(rank);
            }
            Phase::Delayed => self.perform_next(rank),
            Phase::Paying(Then::NextCall) => {
                self.record_call(rank);
                self.tasks.push_back(Task::NextCall(rank));
            }
            Phase::Paying(Then::Reply) => self.make_ready(rank),
            _ => unreachable!("rank {rank} had no timer"),
        }
    }

    /// Turns to the next call of the inbox: first the burst before it passes.
    fn next_call(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        if state.cursor >= state.inbox.len() {
            return self.out_of_calls(rank);
        }
        let stamp = match decode_call(&state.inbox[state.cursor..]) {
            Ok((stamp, _, _)) => stamp,
            Err(error) => return self.misuse(rank, error.to_string()),
        };
        state.stamp = stamp;
        state.entered = self.kernel.now();
        let host = state.host;
        match self.bursts.nanos(rank, &stamp) {
            Ok(0) => self.after_burst(rank),
            Ok(nanos) => {
                self.ranks[rank as usize].phase = Phase::Computing;
                let seconds = nanos as f64 * self.seconds_per_nano[rank as usize];
                self.kernel.start_compute(host, seconds, token::rank(rank));
            }
            Err(position) => {
                self.misuse(
                    rank,
                    format!(
                        "the recorded costs end after {position} calls of this rank: they are of another run"
                    ),
                );
            }
        }
    }

    fn after_burst(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        if state.stamp.delay.is_zero() {
            self.perform_next(rank);
        } else {
            state.phase = Phase::Delayed;
            self.kernel.start_timer(state.stamp.delay, token::rank(rank));
        }
    }

    fn out_of_calls(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        if state.leaving {
            state.phase = Phase::Gone;
            self.show_output(rank);
            let state = &mut self.ranks[rank as usize];
            if !state.finalized {
                state.end = self.kernel.now();
            }
            self.alive -= 1;
        } else {
            self.misuse(rank, "its last call needs no answer, but it waits for one".to_owned());
        }
    }

    /// Carries out the call at the cursor.
    fn perform_next(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        state.entered = self.kernel.now();
        let inbox = std::mem::take(&mut state.inbox);
        let decoded = decode_call(&inbox[state.cursor..]);
        if let Ok((_, call, words)) = decoded {
            state.cursor += words;
            let needs_answer = call.needs_answer();
            state.in_function = !matches!(call, Call::Output | Call::Flush | Call::Now | Call::Sleep { .. });
            if needs_answer {
                state.reply.clear();
                self.show_output(rank);
            }
            let progress = self.perform(rank, &call);
            self.settle(rank, progress, needs_answer);
        }
        self.ranks[rank as usize].inbox = inbox;
    }

    fn settle(&mut self, rank: u32, progress: Progress, needs_answer: bool) {
        let then = if needs_answer { Then::Reply } else { Then::NextCall };
        match (progress, then) {
            (Progress::Blocked, _) => {}
            (Progress::Pay(cost), then) if !cost.is_zero() => self.pay(rank, cost, then),
            (_, Then::Reply) => self.make_ready(rank),
            (_, Then::NextCall) => {
                self.record_call(rank);
                self.tasks.push_back(Task::NextCall(rank));
            }
        }
    }

    fn pay(&mut self, rank: u32, cost: Duration, then: Then) {
        self.ranks[rank as usize].phase = Phase::Paying(then);
        self.kernel.start_timer(cost, token::rank(rank));
    }

    fn record_call(&mut self, rank: u32) {
        let RankState { stamp: Stamp { function, site, .. }, entered, in_function, .. } =
            self.ranks[rank as usize];
        if !in_function {
            return;
        }
        self.recorder.record(&Record::Call { rank, function, entered, left: self.kernel.now(), site });
    }

    fn perform(&mut self, rank: u32, call: &Call<'_>) -> Progress {
        if !matches!(
            call,
            Call::Wait { poll: true, .. } | Call::Probe { poll: true, .. } | Call::Now | Call::Output
        ) {
            self.poll_over(rank);
        }
        match *call {
            Call::Init => self.init(rank),
            Call::Finalize => self.finalize(rank),
            Call::Abort { code } => self.conclude(Ending::Aborted { rank, code }),
            Call::Misuse { text } => self.conclude(Ending::Misuse { rank, text: text.to_owned() }),
            // The clock is read first and paid for afterwards, by the delay of the rank's next call.
            Call::Now => Progress::Done,
            Call::Sleep { span } => Progress::Pay(span),
            Call::Flush => Progress::Done,
            Call::Output => self.done(|engine| engine.show_output(rank)),
            Call::Send { .. } => self.perform_send(rank, call),
            Call::Recv { .. } => self.perform_recv(rank, call),
            Call::Wait { how, poll, requests } => {
                let complete = self.start_wait(rank, how, requests);
                self.wait_or_poll(rank, complete, poll)
            }
            Call::Probe { context, from, tag, poll, take } => {
                self.perform_probe(rank, Probing { key: key_of(context, from, tag), take }, poll)
            }
            Call::Cancel { request } => self.done(|engine| engine.cancel_request(rank, request)),
            Call::Free { request } => self.done(|engine| engine.free_request(rank, request)),
            Call::FreeComm { context } => self.done(|engine| engine.comms.free(context)),
            Call::Collective(ref collective) => {
                self.enter_collective(rank, collective);
                if collective.request.is_some() { Progress::Done } else { Progress::Blocked }
            }
            Call::MakeComm { parent, how } => {
                self.enter_comm_creation(rank, parent, how);
                Progress::Blocked
            }
        }
    }

    /// What the rank has written is due: before the call that follows it.
    fn show_output(&mut self, rank: u32) {
        if std::mem::take(&mut self.ranks[rank as usize].wrote) {
            self.ready.push_back(Turn::Output(rank));
        }
    }

    fn done(&mut self, action: impl FnOnce(&mut Self)) -> Progress {
        action(self);
        Progress::Done
    }

    fn conclude(&mut self, ending: Ending) -> Progress {
        self.verdict.get_or_insert(ending);
        Progress::Blocked
    }

    fn init(&mut self, rank: u32) -> Progress {
        self.ranks[rank as usize].initialized = true;
        Progress::Done
    }

    fn finalize(&mut self, rank: u32) -> Progress {
        let state = &mut self.ranks[rank as usize];
        state.finalized = true;
        state.end = self.kernel.now();
        Progress::Done
    }

    fn perform_send(&mut self, rank: u32, call: &Call<'_>) -> Progress {
        let Call::Send { mode, context, to, tag, bytes, payload, request, answer } = *call else {
            unreachable!()
        };
        let Some((me, world)) = self.comms.address(context, rank, to) else {
            return self.conclude(Ending::Misuse {
                rank,
                text: format!("rank {to} does not exist in this communicator"),
            });
        };
        let id = request.unwrap_or(BLOCKING);
        self.open_request(rank, id, Operation::Send { context, to, tag });
        let owner = Owner::Request { rank, id };
        let key = key_of(context, Some(me), Some(tag));
        self.send(Outgoing { from: rank, to: world, key, bytes, payload, mode, owner });
        if request.is_some() {
            return Progress::Pay(self.protocol.isend_overhead.of(bytes));
        }
        let overhead = self.protocol.send_overhead.of(bytes);
        let free = self.wait_for_blocking(rank);
        match (free, answer) {
            (true, true) => self.finish_blocking_send(rank, overhead),
            (true, false) => {
                self.gather_completions(rank);
                self.ranks[rank as usize].reply.completions.clear();
                Progress::Pay(overhead)
            }
            (false, _) => self.block_waiting(rank),
        }
    }

    fn finish_blocking_send(&mut self, rank: u32, overhead: Duration) -> Progress {
        self.gather_completions(rank);
        Progress::Pay(overhead)
    }

    fn block_waiting(&mut self, rank: u32) -> Progress {
        self.ranks[rank as usize].phase = Phase::Waiting;
        Progress::Blocked
    }

    fn perform_recv(&mut self, rank: u32, call: &Call<'_>) -> Progress {
        let Call::Recv { context, from, tag, bytes, address, request, matched } = *call else {
            unreachable!()
        };
        let id = request.unwrap_or(BLOCKING);
        self.open_request(rank, id, Operation::Recv { context, from, tag });
        let owner = Owner::Request { rank, id };
        let key = key_of(context, from, tag);
        let receive = Receive { key, rank, room: bytes, address, owner, message: None };
        let receive = match matched {
            Some(message) => self.receive_taken(receive, message),
            None => self.receive(receive),
        };
        let slot = &mut self.ranks[rank as usize].requests[id as usize];
        if slot.done.is_none() {
            slot.receive = Some(receive);
        }
        if request.is_some() {
            return Progress::Done;
        }
        let complete = self.wait_for_blocking(rank);
        self.wait_or_poll(rank, complete, false)
    }

    fn wait_or_poll(&mut self, rank: u32, complete: bool, poll: bool) -> Progress {
        if complete {
            self.poll_over(rank);
            Progress::Pay(self.gather_completions(rank))
        } else if poll {
            self.stop_waiting(rank);
            Progress::Pay(self.poll_failed(rank))
        } else {
            self.block_waiting(rank)
        }
    }

    fn finish_wait(&mut self, rank: u32) {
        let cost = self.gather_completions(rank);
        self.reply_after(rank, cost);
    }

    fn perform_probe(&mut self, rank: u32, probing: Probing, poll: bool) -> Progress {
        if self.probe(rank, &probing) {
            self.poll_over(rank);
            return Progress::Done;
        }
        if poll {
            return Progress::Pay(self.poll_failed(rank));
        }
        self.ranks[rank as usize].phase = Phase::Probing(probing);
        Progress::Blocked
    }

    fn finish_probe(&mut self, rank: u32, probing: &Probing) {
        if self.probe(rank, probing) {
            self.make_ready(rank);
        } else {
            self.ranks[rank as usize].phase = Phase::Probing(*probing);
        }
    }
}

/// What the kernel's tokens mean to the engine: a kind in the upper bits, a number in the lower.
pub(crate) mod token {
    use mpirage_kernel::Token;

    pub(crate) enum Meaning {
        Rank(u32),
        Transfer(u32),
        Run(u32),
    }

    pub(crate) fn rank(rank: u32) -> Token {
        Token(u64::from(rank))
    }

    pub(crate) fn transfer(message: u32) -> Token {
        Token(1 << 32 | u64::from(message))
    }

    pub(crate) fn run(run: u32) -> Token {
        Token(2 << 32 | u64::from(run))
    }

    pub(crate) fn read(token: Token) -> Meaning {
        let number = token.0 as u32;
        match token.0 >> 32 {
            0 => Meaning::Rank(number),
            1 => Meaning::Transfer(number),
            _ => Meaning::Run(number),
        }
    }
}
