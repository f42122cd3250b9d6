//! The closing summary and the JSON object: two views of the same figures.

use std::collections::BTreeMap;

use mpirage_mpi::{Engine, FileStatistics, Memory};
use mpirage_rank::Outcome;
use mpirage_record::Summary;
use mpirage_units::Duration;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Serialize;

use crate::balancing::BalancingFigures;
use crate::deadlock::Deadlock;
use crate::emulation::EmulationFigures;
use crate::machine::Machine;
use crate::output::say;
use crate::spread::Spread;
use crate::words::{bytes, count, thousands};

/// Seconds after which a user may wish that a run were faster.
const NOT_SHORT: f64 = 2.0;
/// Processor seconds per call beyond which ranks mostly compute.
const LONG_BETWEEN_CALLS: f64 = 1e-4;

/// The figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figures {
    /// How the run ended: `finished`, `deadlock`, `beyond-time`, `unreachable`, `network-deadlock`, `misuse`, `aborted`, `rank-died`, `rank-hangs`.
    pub outcome: String,
    /// Simulated seconds until the last rank ended.
    pub simulated_seconds: f64,
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
    /// What the network counted, if it counts: frames, drops, retransmissions and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<BTreeMap<String, u64>>,
    /// What ranks did with files, if they did anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<FileFigures>,
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
    /// How ranks were executed: `processes`, `folded` or `replayed`.
    pub ranks_as: String,
    /// The reason for `ranks_as`.
    pub ranks_as_because: String,
    /// Cores of this machine that ranks of a program may use.
    #[serde(skip)]
    pub cores_here: usize,
    /// Where computation times came from.
    pub compute: String,
    /// Speed of this machine, if computation was measured.
    pub host_speed_flops: Option<f64>,
    /// What happened to ranks that could move between cores.
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

/// What ranks did with files.
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

    fn print(&self) {
        let storage = match self.on_default_storage {
            true => "; the platform describes no [storage], so each host has a default disk",
            false => "",
        };
        say!(
            "  files           {} opened; {} in {}, {} in {}, which took {} of all ranks{storage}",
            thousands(self.opened),
            bytes(self.bytes_read),
            count(self.reads, "read"),
            bytes(self.bytes_written),
            count(self.writes, "write"),
            Duration::from_secs_f64(self.seconds)
        );
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
        Figures {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
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
            model: machine.model.name.clone(),
            platform: machine.spec.clone(),
            interconnect: machine.platform.network_source().describe(),
            ..Figures::default()
        }
    }

    /// Adds the memory and processor time of simulator and ranks.
    pub fn with_usage(mut self) -> Figures {
        let (own, ranks) = (usage_of(UsageWho::RUSAGE_SELF), usage_of(UsageWho::RUSAGE_CHILDREN));
        self.cpu_seconds = own.seconds + ranks.seconds;
        self.peak_rss_bytes = own.peak_bytes;
        self.largest_rank_rss_bytes = ranks.peak_bytes;
        self
    }

    /// Prints the closing summary on standard error.
    pub fn print(&self) {
        let seconds = Duration::from_secs_f64(self.simulated_seconds);
        let ratio = match self.simulated_seconds {
            0.0 => String::new(),
            simulated => format!(", {:.3} × the simulated time", self.wall_seconds / simulated),
        };
        let ranks = count(self.ranks as u64, "rank");
        say!("mpirage: {ranks} on {}, model {}", self.platform, self.model);
        say!("  interconnect    {}", self.interconnect);
        say!("  simulated time  {seconds} ({:.9} s)", self.simulated_seconds);
        if let Some(spread) = &self.repetition {
            print_spread(spread);
        }
        say!(
            "  wall time       {:.3} s here{ratio}; {:.3} s of processor time",
            self.wall_seconds,
            self.cpu_seconds
        );
        say!(
            "  communication   {} ({}), {}, {}",
            count(self.messages, "message"),
            bytes(self.bytes),
            count(self.calls, "MPI call"),
            count(self.switches, "context switch")
        );
        if let Some(files) = &self.files {
            files.print();
        }
        if let Some(network) = &self.network {
            self.print_network(network);
        }
        if let Some(emulation) = &self.emulation {
            emulation.print(self.simulated_seconds);
            say!(
                "  matching        {} expected, {} unexpected",
                count(self.expected_messages, "message"),
                thousands(self.unexpected_messages)
            );
        }
        let largest = match self.largest_rank_rss_bytes {
            0 => String::new(),
            rank => format!(", {} largest rank", bytes(rank)),
        };
        say!("  memory          {} simulator{largest}", bytes(self.peak_rss_bytes));
        if self.shared_bytes > 0 {
            say!(
                "  shared          {} in shared blocks, held in {} of memory",
                bytes(self.shared_bytes),
                bytes(self.shared_resident_bytes)
            );
        }
        say!("  computation     {}", self.compute);
        self.balancing.iter().for_each(BalancingFigures::print);
        if self.samples_executed + self.samples_skipped > 0 {
            say!(
                "  samples         {} executed, {} skipped",
                thousands(self.samples_executed),
                thousands(self.samples_skipped)
            );
        }
        say!("  ranks           {}: {}", self.ranks_as, self.ranks_as_because);
        if self.cores_here > 1 && self.computes_on_one_core() {
            say!(
                "  hint            the ranks took turns to compute on one of {} cores; --ranks-as processes uses all of them",
                self.cores_here
            );
        }
    }
}

impl Figures {
    /// Did folded ranks compute for most of a run that was not short? Calls of folded ranks take microseconds.
    fn computes_on_one_core(&self) -> bool {
        let per_call = self.cpu_seconds / self.calls.max(1) as f64;
        self.ranks_as == "folded" && self.wall_seconds > NOT_SHORT && per_call > LONG_BETWEEN_CALLS
    }

    fn print_network(&self, network: &BTreeMap<String, u64>) {
        let number = |name: &str| network.get(name).copied().unwrap_or(0);
        say!(
            "  network         {}, {} on links; {} dropped, {} lost, {}",
            count(number("connections"), "connection"),
            count(number("frames"), "frame"),
            thousands(number("dropped")),
            thousands(number("lost")),
            count(number("retransmissions"), "retransmission")
        );
    }
}

fn print_spread(spread: &Spread) {
    let [median, low, high] =
        [spread.median_seconds, spread.low_seconds, spread.high_seconds].map(Duration::from_secs_f64);
    say!("  of {:<12} median {median}; 5 to 95 %: {low} to {high}", count(spread.runs as u64, "run"));
    if let Some([fast, slow]) = spread.modes {
        let [fast_time, slow_time] = [fast, slow].map(|mode| Duration::from_secs_f64(mode.seconds));
        say!(
            "                  two modes: {} around {fast_time}, {} around {slow_time}",
            count(fast.runs as u64, "run"),
            count(slow.runs as u64, "run")
        );
    }
}

/// The name of an outcome.
/// The name of an outcome in results.
pub fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Finished { .. } => "finished",
        Outcome::Deadlock => "deadlock",
        Outcome::BeyondTime => "beyond-time",
        Outcome::Unreachable { .. } => "unreachable",
        Outcome::NetworkDeadlock { .. } => "network-deadlock",
        Outcome::Aborted { .. } => "aborted",
        Outcome::Misuse { .. } => "misuse",
        Outcome::RankDied { .. } => "rank-died",
        Outcome::RankHangs { .. } => "rank-hangs",
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
