//! The figures of a run.

use std::collections::BTreeMap;

use mpirage_mpi::{Ending, Engine, FileStatistics, Memory};
use mpirage_rank::Outcome;
use mpirage_record::Summary;
use mpirage_units::Duration;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Serialize;

use crate::balancing::BalancingFigures;
use crate::deadlock::Deadlock;
use crate::disturbed::DisturbedFigures;
use crate::emulation::EmulationFigures;
use crate::energy::EnergyFigures;
use crate::machine::Machine;
use crate::spread::Spread;
use crate::trust::{Measurement, Trust};

/// The figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// How the run ended: `finished`, `deadlock`, `beyond-time`, `unreachable`, `network-deadlock`, `misuse`, `aborted`, `rank-died`, `worker-died`, `rank-hangs`, `interrupted`.
    pub outcome: String,
    /// Simulated seconds until the last rank ended.
    pub simulated_seconds: f64,
    /// How far to trust that; none if the run did not finish.
    pub trust: Option<Trust>,
    /// Seconds that the simulation took on this machine.
    pub wall_seconds: f64,
    /// Processor seconds of simulator and ranks on this machine.
    pub cpu_seconds: f64,
    /// Number of ranks.
    pub ranks: usize,
    /// Messages delivered, those of collectives included.
    pub messages: u64,
    /// Those of them whose receives were posted when they reached their receivers.
    pub expected_messages: u64,
    /// Those of them that reached their receivers before their receives were posted.
    pub unexpected_messages: u64,
    /// Bytes of these messages.
    pub bytes: u64,
    /// MPI calls.
    pub calls: u64,
    /// Context switches from the simulator to a rank and back.
    pub switches: u64,
    /// The simulator's peak memory.
    pub peak_rss_bytes: u64,
    /// The largest rank's peak memory.
    pub largest_rank_rss_bytes: u64,
    /// Sampled blocks that were executed.
    pub samples_executed: u64,
    /// Sampled blocks that were skipped.
    pub samples_skipped: u64,
    /// Bytes that all ranks together had in shared blocks, at their peaks.
    pub shared_bytes: u64,
    /// Bytes of memory that held these blocks.
    pub shared_resident_bytes: u64,
    /// The network's counters, if it has any: frames, drops, retransmissions and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<BTreeMap<String, u64>>,
    /// The ranks' accesses to files, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<FileFigures>,
    /// The energy of the run, if the platform says what hosts or links burn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyFigures>,
    /// How well the ranks were used; none if no rank computed.
    pub efficiency: Option<Efficiency>,
    /// Simulated seconds until each rank ended.
    pub per_rank_seconds: Vec<f64>,
    /// The network model.
    pub model: String,
    /// The machine.
    pub platform: String,
    /// Where the rates of its cables are from.
    pub interconnect: String,
    /// The MPI library that the model describes, and how it is known.
    pub mpi_library: Option<String>,
    /// How ranks were executed: `processes`, `folded` or `replayed`.
    pub ranks_as: String,
    /// The reason for `ranks_as`.
    pub ranks_as_because: String,
    /// How many processes held folded ranks; none if ranks were not folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<usize>,
    /// Why one process held all ranks although workers were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_worker_because: Option<String>,
    /// Cores of this machine that ranks of a program may use.
    #[serde(skip)]
    pub cores_here: usize,
    /// Where computation times came from.
    pub compute: String,
    /// Speed of this machine, if computation was measured.
    pub host_speed_flops: Option<f64>,
    /// How much rounds of its measurement differed, as a fraction; none if it was not measured here.
    pub host_speed_spread: Option<f64>,
    /// Simulated seconds of a measured second, on the host of rank 0; none if no measured computation takes time.
    pub computation_ratio: Option<f64>,
    /// How computation was measured.
    #[serde(skip)]
    pub measurement: Measurement,
    /// Measured bursts that took longer than others before the same call, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<DisturbedFigures>,
    /// How ranks moved, if they could move between cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balancing: Option<BalancingFigures>,
    /// The pace, if the program ran in real time.
    pub emulation: Option<EmulationFigures>,
    /// The times of all runs, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Spread>,
    /// Doubts about the result.
    pub warnings: Vec<String>,
    /// Why the run did not finish, in words.
    pub explanation: Option<String>,
    /// The blocked calls, if the run ended in a deadlock.
    pub deadlock: Option<Deadlock>,
    /// The version of mpirage.
    pub version: String,
    /// The command line, word by word.
    pub command: Vec<String>,
}

/// Counts of the ranks' accesses to files.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FileFigures {
    /// Files that were opened by `MPI_File_open`, each counted once however many ranks opened it together.
    pub opened: u64,
    /// Accesses that read.
    pub reads: u64,
    /// Accesses that wrote.
    pub writes: u64,
    /// Bytes that ranks read.
    pub bytes_read: u64,
    /// Bytes that ranks wrote.
    pub bytes_written: u64,
    /// Simulated seconds that the accesses of all ranks took together.
    pub seconds: f64,
    /// Were files on a storage that the platform does not describe?
    pub on_default_storage: bool,
}

impl FileFigures {
    fn of(statistics: &FileStatistics) -> Option<FileFigures> {
        let used = *statistics != FileStatistics::default();
        used.then(|| FileFigures {
            opened: statistics.opened,
            reads: statistics.reads,
            writes: statistics.writes,
            bytes_read: statistics.bytes_read,
            bytes_written: statistics.bytes_written,
            seconds: statistics.time.as_secs_f64(),
            on_default_storage: statistics.on_default,
        })
    }
}

/// How well ranks were used: parallel efficiency is load balance times communication efficiency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Efficiency {
    /// The part of the simulated time in which ranks compute, on average.
    pub parallel: f64,
    /// The computation of the average rank over that of the busiest one.
    pub load_balance: f64,
    /// The computation of the busiest rank over the simulated time.
    pub communication: f64,
}

impl Efficiency {
    /// Of a run that took so many simulated seconds.
    pub fn of(summary: &Summary, ranks: usize, seconds: f64) -> Option<Efficiency> {
        let busy = || summary.busy_picos.iter().map(|&picos| Duration::from_picos(picos).as_secs_f64());
        let (mean, most) = (busy().sum::<f64>() / ranks.max(1) as f64, busy().fold(0.0, f64::max));
        (seconds > 0.0 && most > 0.0).then(|| Efficiency {
            parallel: mean / seconds,
            load_balance: mean / most,
            communication: most / seconds,
        })
    }
}

impl Figures {
    /// The figures that every run has. The caller fills in the others.
    pub fn of<M: Memory>(
        engine: &Engine<M>,
        machine: &Machine,
        outcome: &Outcome,
        summary: &Summary,
        wall: std::time::Duration,
    ) -> Figures {
        let counts = engine.counts();
        let ends: Vec<f64> = engine.ends().map(|end| end.as_secs_f64()).collect();
        let finished = matches!(outcome, Outcome::Finished { .. });
        let last = ends.iter().copied().fold(0.0, f64::max);
        let seconds = if finished { last } else { engine.now().as_secs_f64() };
        let end = engine.ends().max().filter(|_| finished).unwrap_or_else(|| engine.now());
        Figures {
            energy: EnergyFigures::of(engine, machine, end),
            outcome: outcome_name(outcome).to_owned(),
            simulated_seconds: seconds,
            efficiency: Efficiency::of(summary, ends.len(), seconds),
            wall_seconds: wall.as_secs_f64(),
            ranks: ends.len(),
            messages: summary.messages,
            expected_messages: summary.messages - summary.unexpected,
            unexpected_messages: summary.unexpected,
            bytes: summary.bytes,
            calls: summary.calls,
            switches: counts.switches,
            network: engine.network_statistics().map(|network| {
                network.totals.into_iter().map(|(name, number)| (name.to_owned(), number)).collect()
            }),
            files: FileFigures::of(&counts.files),
            per_rank_seconds: ends,
            ..Figures::about(machine)
        }
    }

    /// What is known before a run on this machine.
    pub(crate) fn about(machine: &Machine) -> Figures {
        Figures {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            ranks: machine.ranks(),
            model: machine.model.name.clone(),
            platform: machine.spec.clone(),
            interconnect: machine.platform.network_source().describe(),
            mpi_library: machine.model.library_in_words(),
            ..Figures::default()
        }
    }

    /// Why the result may be noise of this machine, if it may.
    pub fn unreliable(&self) -> Option<&'static str> {
        let disturbed = self.disturbed.is_some_and(|disturbed| disturbed.is_unreliable());
        let beside = self.measurement == Measurement::Beside
            && self.trust.as_ref().is_some_and(|trust| trust.computation.matters());
        match (disturbed, beside) {
            (true, _) => Some("this machine may have disturbed the measurement; see the first warning"),
            (_, true) => Some(
                "other programs ran while computation was measured; wait until they end, or take medians (--compute repeat:5)",
            ),
            _ => None,
        }
    }

    /// Adds how far to trust the time.
    pub fn with_trust(mut self, machine: &Machine, summary: &Summary) -> Figures {
        self.trust = Trust::of(&self, machine, summary);
        self
    }

    /// Adds the memory and processor time of simulator and ranks.
    pub fn with_usage(mut self) -> Figures {
        let (own, ranks) = (usage_of(UsageWho::RUSAGE_SELF), usage_of(UsageWho::RUSAGE_CHILDREN));
        self.cpu_seconds = own.seconds + ranks.seconds;
        self.peak_rss_bytes = own.peak_bytes;
        self.largest_rank_rss_bytes = ranks.peak_bytes;
        self
    }
}

/// The name of an outcome in results.
pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished { .. } | Outcome::Ended(Ending::Finished) => "finished",
        Outcome::Ended(Ending::Deadlock) => "deadlock",
        Outcome::Ended(Ending::BeyondTime) => "beyond-time",
        Outcome::Ended(Ending::Unreachable { .. }) => "unreachable",
        Outcome::Ended(Ending::NetworkDeadlock { .. }) => "network-deadlock",
        Outcome::Ended(Ending::Aborted { .. }) => "aborted",
        Outcome::Ended(Ending::Misuse { .. }) => "misuse",
        Outcome::RankDied { .. } => "rank-died",
        Outcome::WorkerDied(_) => "worker-died",
        Outcome::RankHangs { .. } => "rank-hangs",
        Outcome::Interrupted { .. } => "interrupted",
    }
}

struct Usage {
    seconds: f64,
    peak_bytes: u64,
}

fn usage_of(who: UsageWho) -> Usage {
    let Ok(usage) = getrusage(who) else { return Usage { seconds: 0.0, peak_bytes: 0 } };
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Usage { seconds: micros as f64 * 1e-6, peak_bytes: usage.max_rss() as u64 * 1024 }
}
