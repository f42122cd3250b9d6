//! The engine: carries out calls in simulated time.

use std::collections::{HashMap, VecDeque};

use mpirage_call::{ContextId, Reply, Stamp};
use mpirage_collectives::Choice;
use mpirage_data::Group;
use mpirage_kernel::{Advance, Kernel, Token};
use mpirage_platform::HostId;
use mpirage_record::{Record, Recorder};
use mpirage_units::{Duration, Time};
use slab::Slab;

use crate::arena::Arena;
use crate::collective::{Instance, Seat};
use crate::comm::Comms;
use crate::compute::{Beside, Bursts};
use crate::diagnosis::Origin;
use crate::formula::CollectiveTimes;
use crate::graph::Graphs;
use crate::ideal::IdealClocks;
use crate::matching::Matching;
use crate::memory::Memory;
use crate::message::{Message, Owner, Receive};
use crate::order::Orders;
use crate::plans::Plans;
use crate::poll::Polls;
use crate::probe::Probing;
use crate::processor::Processors;
use crate::protocol::Protocol;
use crate::rank::{Phase, RankState, Then};
use crate::records::Telling;
use crate::run::Run;
use crate::sampling::Samples;
use crate::token;

/// What a run starts from.
pub struct Setup {
    /// Clock and models.
    pub kernel: Kernel,
    /// The host of each rank.
    pub placement: Vec<HostId>,
    /// Simulated seconds per nanosecond of processor time, for each rank.
    pub seconds_per_nano: Vec<f64>,
    /// Floating-point operations per second of the host of each rank.
    pub host_flops: Vec<f64>,
    /// Cores of the host of each rank.
    pub host_cores: Vec<u32>,
    /// How messages travel.
    pub protocol: Protocol,
    /// Which algorithms collectives use.
    pub collectives: Choice,
    /// A formula for how long collectives take, instead of algorithms.
    pub collective_times: Option<Box<dyn CollectiveTimes>>,
    /// Where computation times come from.
    pub bursts: Bursts,
    /// Who is told what happens.
    pub recorder: Box<dyn Recorder>,
}

/// What the driver is to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// This rank's reply is final, except perhaps for its date: it may be given now, and the rank may run. Its calls are
    /// not wanted yet. Comes only from an engine that releases early, before the `Resume` of the same rank; a second time
    /// if the date was missing and is known now.
    Release(u32),
    /// Give this rank its reply, unless it has it, and take the calls it makes until it waits again.
    Resume(u32),
    /// Print what this rank has written so far.
    Output(u32),
    /// The run is over; [`Engine::take_ending`] says how. A turn is a word, since there are many.
    End,
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
    /// The run takes longer than the simulated clock can show.
    BeyondTime,
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
    FinishTakeCompleted(u32),
    FinishProbe(u32, Probing),
    Run(u32),
}

/// The MPI layer of one run.
pub struct Engine<M> {
    pub(crate) kernel: Kernel,
    pub(crate) protocol: Protocol,
    pub(crate) collectives: Choice,
    pub(crate) collective_times: Option<Box<dyn CollectiveTimes>>,
    pub(crate) memory: M,
    pub(crate) recorder: Telling,
    /// Does the recorder want what calls asked?
    pub(crate) detailed: bool,
    /// Does it want to know what collectives asked when they are over?
    pub(crate) collectives_again: bool,
    /// What else ideal clocks need, if the recorder wants to know what they say.
    pub(crate) ideal: Option<Box<IdealClocks>>,
    /// The call that is carried out right now is over: whoever has its words at hand is to record it.
    pub(crate) unrecorded: bool,
    pub(crate) ranks: Vec<RankState>,
    /// Where new calls of a rank are worked through.
    desk: Vec<u64>,
    pub(crate) comms: Comms,
    /// The host of each rank.
    pub(crate) hosts: Vec<HostId>,
    /// What waits at each rank.
    pub(crate) matching: Vec<Matching>,
    pub(crate) messages: Arena<Message>,
    pub(crate) receives: Arena<Receive>,
    pub(crate) orders: Orders,
    pub(crate) runs: Slab<Run>,
    /// What keeps ranks busy; of no ranks in models without.
    pub(crate) processors: Processors,
    /// Polls that are paid for first.
    pub(crate) polls: Polls,
    /// What graphs keep busy, if ranks are graphs and there are processors.
    pub(crate) graphs: Option<Box<Graphs>>,
    /// What is computed beside ranks.
    pub(crate) beside: Slab<Beside>,
    /// Who is to be told later that a send is complete.
    pub(crate) later: Slab<Owner>,
    pub(crate) instances: Slab<Instance>,
    pub(crate) tasks: VecDeque<Task>,
    /// Memory of payloads that are done with, to be used again.
    pub(crate) buffers: Vec<Vec<u8>>,
    pub(crate) scratch: Vec<u8>,
    pub(crate) plans: Plans,
    /// Scratch for the hosts of the members of a collective.
    pub(crate) members: Vec<HostId>,
    /// Seats of collectives that are over.
    pub(crate) spare_seats: Vec<Vec<Seat>>,
    /// Numbers collectives, so that no two ever share a context.
    pub(crate) collectives_started: u64,
    pub(crate) seconds_per_nano: Vec<f64>,
    pub(crate) host_flops: Vec<f64>,
    pub(crate) host_cores: Vec<u32>,
    pub(crate) bursts: Bursts,
    pub(crate) samples: Samples,
    /// Numbers of shared memory by name.
    pub(crate) shared_sites: HashMap<Box<str>, u64>,
    pub(crate) ready: VecDeque<Turn>,
    /// Are calls looked at before they are carried out?
    pub(crate) distrusts: bool,
    /// Are ranks released as soon as their replies are final?
    pub(crate) early: bool,
    /// Ranks to release.
    pub(crate) releases: VecDeque<u32>,
    /// The message that each receive has taken last; kept only if ranks are released early.
    pub(crate) taken: Vec<u32>,
    ended: Vec<Token>,
    pub(crate) alive: usize,
    resumed: u64,
    pub(crate) verdict: Option<Ending>,
}

impl<M: Memory> Engine<M> {
    /// All ranks are about to start.
    pub fn new(setup: Setup, memory: M) -> Engine<M> {
        let ranks = setup.placement.len();
        let processors = match setup.protocol.processor {
            Some(_) => Processors::new(&setup.placement),
            None => Processors::default(),
        };
        Engine {
            kernel: setup.kernel,
            protocol: setup.protocol,
            collectives: setup.collectives,
            collective_times: setup.collective_times,
            memory,
            detailed: setup.recorder.wants_arguments(),
            collectives_again: setup.recorder.wants_collectives_again(),
            ideal: setup.recorder.wants_ideal().then(Box::default),
            unrecorded: false,
            recorder: Telling::new(setup.recorder),
            ranks: (0..ranks).map(|_| RankState::new()).collect(),
            desk: Vec::new(),
            hosts: setup.placement,
            matching: (0..ranks).map(|_| Matching::default()).collect(),
            comms: Comms::new(ranks),
            messages: Arena::new(),
            receives: Arena::new(),
            orders: Orders::default(),
            runs: Slab::new(),
            processors,
            polls: Polls::default(),
            graphs: None,
            beside: Slab::new(),
            later: Slab::new(),
            instances: Slab::new(),
            tasks: VecDeque::new(),
            buffers: Vec::new(),
            scratch: Vec::new(),
            plans: Plans::default(),
            members: Vec::new(),
            spare_seats: Vec::new(),
            collectives_started: 0,
            seconds_per_nano: setup.seconds_per_nano,
            host_flops: setup.host_flops,
            host_cores: setup.host_cores,
            bursts: setup.bursts,
            samples: Samples::default(),
            shared_sites: HashMap::new(),
            ready: (0..ranks as u32).map(Turn::Resume).collect(),
            distrusts: false,
            early: false,
            releases: VecDeque::new(),
            taken: Vec::new(),
            ended: Vec::new(),
            alive: ranks,
            resumed: 0,
            verdict: None,
        }
    }

    /// Makes a communicator of these ranks of the world, in order, before the run starts and at no cost. The first is
    /// number 2; none if a rank is there twice, or does not exist.
    pub fn define_comm(&mut self, members: &[u32]) -> Option<ContextId> {
        let group = Group::of(members.iter().copied()).ok()?;
        if members.iter().any(|&member| member as usize >= self.ranks.len()) {
            return None;
        }
        let context = self.comms.add(group, Origin::default());
        self.recorder.record(&Record::Comm { context, members });
        Some(context)
    }

    /// The driver's memory.
    pub fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The same, to look at.
    pub fn memory_ref(&self) -> &M {
        &self.memory
    }

    /// Standard sends of fewer bytes are eager.
    pub fn eager_limit(&self) -> u64 {
        self.protocol.eager_limit
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
        let mut desk = std::mem::take(&mut self.desk);
        desk.clear();
        let segment = read(&mut self.memory, &mut desk);
        let state = &mut self.ranks[rank as usize];
        state.wrote = segment.wrote;
        self.work_through(rank, desk, segment.ended);
    }

    /// The same for a rank that is no program: `next` sees its reply and writes its next calls.
    pub fn answer(&mut self, rank: u32, next: impl FnOnce(&Reply, &mut Vec<u64>) -> Segment) {
        let mut desk = std::mem::take(&mut self.desk);
        desk.clear();
        let segment = next(&self.ranks[rank as usize].reply, &mut desk);
        self.work_through(rank, desk, segment.ended);
    }

    /// Carries out new calls of a rank as far as that goes now. They lie on one desk for all ranks, which is near; what is
    /// left, often just the call the rank waits in, goes to the rank's own inbox.
    fn work_through(&mut self, rank: u32, desk: Vec<u64>, ended: bool) {
        let state = &mut self.ranks[rank as usize];
        let inbox = std::mem::replace(&mut state.inbox, desk);
        (state.cursor, state.current, state.leaving) = (0, 0, ended);
        self.next_call(rank);
        let state = &mut self.ranks[rank as usize];
        self.desk = std::mem::replace(&mut state.inbox, inbox);
        state.inbox.clear();
        state.inbox.extend_from_slice(&self.desk[state.current..]);
        state.cursor -= state.current;
        state.current = 0;
    }

    /// Goes on until the driver has something to do.
    pub fn advance(&mut self) -> Turn {
        loop {
            self.work_off_tasks();
            if self.verdict.is_some() {
                return Turn::End;
            }
            if let Some(turn) = self.next_release() {
                return turn;
            }
            if let Some(turn) = self.ready.pop_front() {
                self.note_resumed(&turn);
                self.fetch_next();
                return turn;
            }
            if self.serve_polls() || self.serve_processors() {
                continue;
            }
            if self.alive == 0 {
                self.verdict = Some(self.finished());
                continue;
            }
            match self.pass_time() {
                Advance::Moved => {}
                Advance::Idle => self.verdict = Some(Ending::Deadlock),
                Advance::BeyondTime => self.verdict = Some(Ending::BeyondTime),
            }
        }
    }

    /// How the run has ended; a deadlock if it has not, since nobody resumes the ranks any more.
    pub fn take_ending(&mut self) -> Ending {
        self.verdict.take().unwrap_or(Ending::Deadlock)
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
        (state.reply.now, state.reply.early) = (now, false);
        self.ready.push_back(Turn::Resume(rank));
        self.release_ready(rank);
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
            let state = &mut self.ranks[*rank as usize];
            (state.phase, state.released) = (Phase::Running, false);
            self.resumed += 1;
        }
    }

    /// All ranks have ended; those of graphs may do so at a date of their own, which the kernel does not see.
    fn finished(&self) -> Ending {
        let beyond = self.ranks.iter().any(|rank| rank.end == Time::MAX);
        if beyond { Ending::BeyondTime } else { Ending::Finished }
    }

    fn pass_time(&mut self) -> Advance {
        let mut ended = std::mem::take(&mut self.ended);
        let passed = self.kernel.advance(&mut ended);
        for at in 0..ended.len() {
            self.fetch_ending(&ended[at..]);
            match token::read(ended[at]) {
                token::Meaning::Rank(rank) => self.rank_due(rank),
                token::Meaning::Transfer(message) => self.transfer_ended(message),
                token::Meaning::Run(run) => self.tasks.push_back(Task::Run(run)),
                token::Meaning::Beside(work) => self.beside_done(work),
                token::Meaning::Complete(later) => self.complete_later(later),
                token::Meaning::Collective(instance) => self.everybody_leaves(instance),
                token::Meaning::Processor(rank) => self.processor_due(rank),
            }
        }
        ended.clear();
        self.ended = ended;
        passed
    }

    fn work_off_tasks(&mut self) {
        // Nothing goes on once the run has ended.
        while self.verdict.is_none()
            && let Some(task) = self.tasks.pop_front()
        {
            match task {
                Task::NextCall(rank) => self.next_call(rank),
                Task::FinishWait(rank) => {
                    self.fetch_waits();
                    self.finish_wait(rank);
                }
                Task::FinishTakeCompleted(rank) => self.finish_take_completed(rank),
                Task::FinishProbe(rank, probing) => self.finish_probe(rank, &probing),
                Task::Run(run) => self.continue_run(run),
            }
        }
    }

    /// A rank has computed.
    fn work_done(&mut self, rank: u32) {
        let (end, state) = (self.kernel.now(), &self.ranks[rank as usize]);
        let (start, work) = (state.entered, state.work);
        self.pass_ideal(rank, end.since(start));
        self.recorder.record(&Record::Burst { rank, start, end, work, beside: false });
        self.end_of_work(rank);
    }

    /// A rank's timer or burst is over.
    fn rank_due(&mut self, rank: u32) {
        if self.protocol.processor.is_some() {
            self.serve_older(rank);
        }
        let now = self.kernel.now();
        let state = &mut self.ranks[rank as usize];
        match state.phase {
            Phase::Computing => {
                self.work_done(rank);
                self.after_burst(rank);
            }
            Phase::Executing => {
                self.work_done(rank);
                self.tasks.push_back(Task::NextCall(rank));
            }
            Phase::Ending => self.out_of_calls(rank),
            Phase::Delayed => {
                let delay = state.stamp.delay;
                self.pass_ideal(rank, delay);
                let start = Time::from_picos(now.as_picos() - delay.as_picos());
                self.recorder.record(&Record::Pause { rank, start, end: now });
                self.after_delay(rank);
            }
            Phase::Paying(Then::NextCall) => {
                self.record_call(rank);
                self.tasks.push_back(Task::NextCall(rank));
            }
            Phase::Paying(Then::Reply) => self.make_ready(rank),
            Phase::Paying(Then::Perform) => self.after_startup(rank),
            Phase::Paying(Then::Await) => self.await_blocking(rank),
            Phase::Paying(Then::Look) => self.look_due(rank),
            _ => unreachable!("rank {rank} had no timer"),
        }
    }
}
