//! The engine as drivers see it: how it is made, what it takes and what it answers. Its loop is in [`super::advance`].

use std::collections::HashMap;
use std::io;

use mpirage_call::{ContextId, LineId, RankId, Reply, Stamp, Tally};
use mpirage_collectives::Choice;
use mpirage_data::Group;
use mpirage_kernel::{Energy, Event, Kernel, NetworkStatistics};
use mpirage_platform::{Accelerators, HostId, Storages};
use mpirage_record::{Record, Recorder};
use mpirage_units::Time;

use super::activity::note_wake;
use super::bursts::{Bursts, Speeds, Workload};
use super::calls::{Calls, FastCalls};
use super::core::Core;
use super::diagnosis::Diagnosis;
use super::latencies::LeastLatencies;
use super::match_choices::{MatchChoice, MatchChoices};
use super::names::Names;
use super::polls::Polls;
use super::real_time::RealTime;
use super::sampling::Samples;
use super::spawning::{Spawned, Spawning};
use super::starting::start_jobs;
use crate::collective::Collectives;
use crate::collective::formula::CollectiveTimes;
use crate::data_plane::DataPlane;
use crate::files::Files;
use crate::files::state::FileStatistics;
use crate::ids::Table;
use crate::memory::Memory;
use crate::observe::Observers;
use crate::origin::Origin;
use crate::protocol::Protocol;
use crate::ranks::job::{JobId, Jobs};
use crate::ranks::line::Phase;
use crate::turn::{Ending, Segment};
use crate::wire::Wire;

/// The inputs of a run.
pub struct Setup {
    /// Clock and models.
    pub kernel: Kernel,
    /// The host of each rank.
    pub placement: Vec<HostId>,
    /// The number of ranks of each job, in order; empty for one job of all ranks. Each job has a world of its own. What is left of the
    /// ranks is room for processes that ranks start (`MPI_Comm_spawn`); then context 2 is a communicator of all.
    pub jobs: Vec<u32>,
    /// When each job starts; jobs that are not named start at once.
    pub starts: Vec<Time>,
    /// Simulated seconds per nanosecond of processor time, for each rank.
    pub seconds_per_nano: Vec<f64>,
    /// Floating-point operations per second of the host of each rank.
    pub host_flops: Vec<f64>,
    /// Cores of the host of each rank.
    pub host_cores: Vec<u32>,
    /// The core of each rank, numbered on its host, for compute models in which ranks are bound to cores.
    pub rank_cores: Vec<u32>,
    /// How messages travel.
    pub protocol: Protocol,
    /// The algorithms of collectives.
    pub collectives: Choice,
    /// The hosts as accelerators, which share nodes, if they are.
    pub accelerators: Option<Accelerators>,
    /// A formula for how long collectives take, instead of algorithms.
    pub collective_times: Option<Box<dyn CollectiveTimes>>,
    /// Where computation times come from.
    pub bursts: Bursts,
    /// Where files are.
    pub storages: Storages,
    /// The recorder of the run.
    pub recorder: Box<dyn Recorder>,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    /// File statistics of all ranks.
    pub files: FileStatistics,
    /// Counts that ranks report themselves.
    pub tally: Tally,
    /// How often a line was resumed.
    pub switches: u64,
}

/// The MPI layer of one run.
pub struct Engine<M> {
    pub(super) calls: Calls<M>,
    /// A vector for new calls, used for all lines: it stays in a near cache.
    call_buffer: Vec<u64>,
    pub(super) events: Vec<Event>,
    /// The line that was resumed last.
    pub(super) resumed: Option<LineId>,
}

impl<M: Memory> Engine<M> {
    /// All ranks are about to start.
    pub fn new(setup: Setup, memory: M) -> Engine<M> {
        let ranks = setup.placement.len();
        let sizes = if setup.jobs.is_empty() { vec![ranks as u32] } else { setup.jobs };
        let first: u32 = sizes.iter().sum();
        assert!(first as usize <= ranks, "every rank of a job has a place");
        let (mut kernel, observers) = (setup.kernel, Observers::new(setup.recorder));
        if observers.wants_network() {
            kernel.record_network_history();
        }
        let overhead = setup.protocol.recv_overhead.clone();
        let mut core = Core::new(
            setup.protocol,
            Wire::new(kernel, setup.placement.into()),
            DataPlane::new(memory),
            observers,
            Jobs::new(&sizes),
            Collectives::new(setup.collectives, setup.collective_times, &sizes, overhead)
                .on(setup.accelerators),
            Files::new(setup.storages),
        );
        start_jobs(&mut core, &sizes, &setup.starts);
        if ranks > first as usize {
            core.collectives.add_universe(ranks as u32);
        }
        let mut engine = Engine {
            calls: Calls {
                core,
                work: Workload {
                    bursts: setup.bursts,
                    speeds: Speeds::new(
                        setup.seconds_per_nano,
                        setup.host_flops,
                        setup.host_cores,
                        setup.rank_cores,
                    ),
                    background: Table::new(),
                    real_time: RealTime::default(),
                },
                polls: Polls::default(),
                latencies: LeastLatencies::default(),
                samples: Samples::default(),
                shared_sites: HashMap::new(),
                names: Names::default(),
                spawning: Spawning::default(),
                fast: FastCalls::None,
                sends_cost_first: false,
                checked: false,
                choices: None,
            },
            call_buffer: Vec::new(),
            events: Vec::new(),
            resumed: None,
        };
        engine.calls.decide_fast_calls();
        engine
    }

    /// Makes a communicator of these ranks of the run, in order, before the run starts and at no cost. The first is
    /// number 2; none if a rank is there twice, or does not exist.
    pub fn define_comm(&mut self, members: &[u32]) -> Option<ContextId> {
        let group = Group::of(members.iter().copied()).ok()?;
        if members.iter().any(|&member| member as usize >= self.calls.core.ranks.count()) {
            return None;
        }
        let context = self.calls.core.collectives.add_comm(group, Origin::UNKNOWN);
        self.calls.core.observers.record(&Record::Comm { context, members });
        Some(context)
    }

    /// Chooses the sources of wildcard receives, before the run starts.
    pub fn choose_matches(&mut self, choices: &[MatchChoice]) {
        self.calls.choices = Some(Box::new(MatchChoices::new(choices)));
        self.calls.decide_fast_calls();
    }

    /// Adds a line to a rank: a further thread that calls MPI. It is resumed like the others.
    pub fn open_line(&mut self, rank: RankId) -> LineId {
        let line = self.calls.core.ranks.open_line(rank);
        self.calls.core.jobs.add_line(rank);
        self.calls.core.observers.open_line(line, rank);
        self.calls.core.turns.resume(line);
        line
    }

    /// The same for a thread that runs already: its calls are taken when it has made some.
    pub fn open_running_line(&mut self, rank: RankId) -> LineId {
        let line = self.calls.core.ranks.open_line(rank);
        self.calls.core.jobs.add_line(rank);
        self.calls.core.observers.open_line(line, rank);
        line
    }

    /// The driver's memory.
    pub fn memory(&mut self) -> &mut M {
        self.calls.core.data.memory_mut()
    }

    /// The same, to look at.
    pub fn memory_ref(&self) -> &M {
        self.calls.core.data.memory()
    }

    /// Standard sends of fewer bytes are eager.
    pub fn eager_limit(&self) -> u64 {
        self.calls.core.protocol().unanswered_limit()
    }

    /// The network's statistics, if it keeps any.
    pub fn network_statistics(&self) -> Option<NetworkStatistics> {
        self.calls.core.wire.kernel().network_statistics()
    }

    /// The energy of hosts, links and memory up to an instant from now on, if their power is known.
    pub fn energy(&self, until: Time) -> Option<Energy> {
        self.calls.core.wire.kernel().energy(until)
    }

    /// The counts of the run so far.
    pub fn counts(&self) -> Counts {
        Counts {
            files: self.calls.core.files.statistics,
            tally: self.calls.samples.tally(),
            switches: self.calls.core.turns.resumed(),
        }
    }

    /// The run is over: the network completes what it writes.
    pub fn finish_network(&mut self) -> io::Result<()> {
        self.calls.core.wire.finish_network()
    }

    /// The simulated time.
    pub fn now(&self) -> Time {
        self.calls.core.now()
    }

    /// The answer to the call a resumed line waits in.
    pub fn reply(&self, line: LineId) -> &Reply {
        &self.calls.core.ranks.line(line).reply
    }

    /// When each rank ended.
    pub fn ends(&self) -> impl Iterator<Item = Time> + '_ {
        (0..self.calls.core.jobs.ranks()).map(|rank| self.calls.core.ranks.end(RankId::new(rank)))
    }

    /// The processes that were started together with a rank, if a rank has started it.
    pub fn spawned(&self, rank: RankId) -> Option<&Spawned> {
        self.calls.spawning.of(rank)
    }

    /// Has the rank called `MPI_Init`, and `MPI_Finalize`?
    pub fn lifecycle(&self, rank: RankId) -> (bool, bool) {
        self.calls.core.ranks.lifecycle(rank)
    }

    /// The call a line is in, or was in last.
    pub fn last_call(&self, line: LineId) -> Stamp {
        self.calls.core.ranks.line(line).stamp
    }

    /// The call of the program that a line is in, or was in last: not one that counts work for the library.
    pub fn last_named_call(&self, line: LineId) -> Stamp {
        self.calls.core.ranks.line(line).named_call()
    }

    /// The recorded costs, if any were.
    pub fn bursts(&self) -> &Bursts {
        &self.calls.work.bursts
    }

    /// Explains why ranks wait, and what is left.
    pub fn diagnosis(&self) -> Diagnosis<'_, M> {
        Diagnosis::new(&self.calls.core)
    }

    /// The driver cannot go on with the job of a rank.
    pub fn end_job(&mut self, rank: RankId, ending: Ending) {
        self.calls.core.end_job(rank, ending);
    }

    /// From now on every call is checked before it is carried out.
    pub fn distrust(&mut self) {
        self.calls.checked = true;
    }

    /// From here on, lines are released as soon as their replies are final, or not any more. Simulated time is the same.
    pub fn release_early(&mut self, wanted: bool) {
        self.calls.core.set_early(wanted);
    }

    /// All ranks are graphs: they open a request for all they do, and take what is complete. True if there are processors for
    /// which they compete; then they are to hand over at once what is free.
    pub fn run_graphs(&mut self) -> bool {
        let compete = self.calls.core.run_graphs();
        self.calls.decide_fast_calls();
        compete
    }

    /// Hands the driver's memory and the line's reply to `give`, before the line is resumed.
    pub fn give_reply<R>(&mut self, line: LineId, give: impl FnOnce(&mut M, &Reply) -> R) -> R {
        give(self.calls.core.data.memory_mut(), &self.calls.core.ranks.line(line).reply)
    }

    /// A resumed line has made calls and waits for the answer to the last, or has ended. `read` gets its calls from the
    /// driver's memory and says what else there is to know.
    pub fn take_calls(&mut self, line: LineId, read: impl FnOnce(&mut M, &mut Vec<u64>) -> Segment) {
        let mut calls = std::mem::take(&mut self.call_buffer);
        calls.clear();
        let segment = read(self.calls.core.data.memory_mut(), &mut calls);
        self.calls.core.ranks.set_wrote(self.calls.core.ranks.rank_of(line), segment.wrote);
        self.carry_out_all(line, calls, segment.ended);
    }

    /// The same for a rank that is no program: `next` sees its reply and writes its next calls.
    pub fn answer(&mut self, line: LineId, next: impl FnOnce(&Reply, &mut Vec<u64>) -> Segment) {
        let mut calls = std::mem::take(&mut self.call_buffer);
        calls.clear();
        let segment = next(&self.calls.core.ranks.line(line).reply, &mut calls);
        self.carry_out_all(line, calls, segment.ended);
    }

    /// Carries out new calls of a line as far as that goes now. What is left, often just the call that the line waits in, goes
    /// to the line's own inbox.
    #[inline]
    fn carry_out_all(&mut self, line: LineId, calls: Vec<u64>, ended: bool) {
        if self.resumed != Some(line) {
            note_wake(&mut self.calls.core, line, self.resumed);
        }
        let state = self.calls.core.ranks.line_mut(line);
        let own = state.inbox.replace(calls);
        state.leaving = ended;
        self.calls.next_call(line);
        self.call_buffer = self.calls.core.ranks.line_mut(line).inbox.keep_rest(own);
    }

    /// How a job has ended; a deadlock if it has not, since its ranks are not resumed any more.
    pub fn ending(&self, job: JobId) -> Ending {
        let ended = self.calls.core.jobs.ending(job);
        ended.map_or(Ending::Deadlock, |(ending, _)| ending.clone())
    }

    /// When a job ended; none if its ranks wait for ever.
    pub fn ended_at(&self, job: JobId) -> Option<Time> {
        self.calls.core.jobs.ending(job).map(|&(_, time)| time)
    }

    /// How the run has ended: the first job that did not finish decides.
    pub fn take_ending(&mut self) -> Ending {
        let unfinished = self.calls.core.jobs.endings().find(|ending| **ending != Ending::Finished);
        match unfinished {
            Some(ending) => ending.clone(),
            None if self.calls.core.jobs.are_over() => Ending::Finished,
            None => Ending::Deadlock,
        }
    }

    /// The run is over, whatever the reason: records the ends of the ranks that are still there,
    /// and what the network has seen.
    pub fn close_records(&mut self) {
        for line in self.calls.core.ranks.lines() {
            let started = self.calls.core.ranks.rank_of(line).get() < self.calls.core.jobs.ranks();
            if started && !self.calls.core.ranks.line(line).phase.is(&Phase::Gone) {
                self.calls.core.record_end(line);
            }
        }
        if let Some(history) = self.calls.core.wire.take_network_history() {
            self.calls.core.observers.network(&history);
        }
        self.calls.core.observers.flush();
    }
}
