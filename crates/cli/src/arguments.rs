//! The command line. One definition gives the parser, the help, the manual pages and the completions of shells.

mod balance;
mod check;
mod env;
mod jobs;
mod platform;
mod study;
mod sweep;

pub use balance::{BalanceArguments, MigrationArguments};
pub use check::{CheckArguments, CheckFormat};
pub use env::{EnvArguments, ModuleLanguage, ShellSyntax};
pub use jobs::JobsArguments;
pub use platform::{ImportArguments, PlatformAction};
pub use study::{CalibrateArguments, CompareArguments};
pub use sweep::{Engine, SweepArguments};

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use mpirage_units::{QuantityError, TIMEOUT};

use crate::conflicts::Conflicts;
use crate::examples;

/// The value of `--json` without a file: standard output.
pub const STANDARD_OUTPUT: &str = "-";

// Headings under which the help groups options.
const COMPUTATION: &str = "Computation";
const EXECUTION: &str = "Execution on this machine";
const ENVIRONMENT: &str = "Environment and output of ranks";
const COLLECTIVES: &str = "Collectives";
const SEARCH: &str = "Search";
const PACE: &str = "Pace";
const COMPATIBILITY: &str = "Compatibility with other launchers";

/// Runs a real MPI program on this machine and simulates how long it takes on another one.
#[derive(Debug, Parser)]
#[command(
    name = "mpirage",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = examples::ALL
)]
pub struct Line {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a bundled MPI program, simulate it on a bundled cluster, show the result
    #[command(after_help = examples::DEMO)]
    Demo(DemoArguments),
    /// Compile a C program (also installed as mpicc)
    #[command(after_help = examples::CC)]
    Cc {
        /// Arguments of the C compiler
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Compile a C++ program (also installed as mpicxx, mpic++)
    #[command(after_help = examples::CXX)]
    Cxx {
        /// Arguments of the C++ compiler
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run an MPI program on a simulated machine (also installed as mpiexec, mpirun)
    Run(Box<RunArguments>),
    /// Run an MPI program in real time on a simulated network, slowed down by a time factor
    Emulate(Box<EmulateArguments>),
    /// Run an MPI program with all checks, under several settings, and report mistakes
    Check(Box<CheckArguments>),
    /// Replay a trace, or a generated workload, on a simulated machine
    #[command(after_help = examples::REPLAY)]
    Replay(Box<ReplayArguments>),
    /// Convert traces, or show what they contain
    #[command(subcommand, after_help = examples::TRACE)]
    Trace(TraceAction),
    /// Run a program with folded ranks under gdb; takes the arguments of `run`
    #[command(after_help = examples::GDB)]
    Gdb {
        /// Arguments of `mpirage run`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Write a report about a saved run, or about two side by side
    #[command(after_help = examples::REPORT)]
    Report(Box<ReportArguments>),
    /// Find the fastest algorithms of collectives on a simulated machine, for a real MPI to use
    #[command(after_help = examples::TUNE)]
    Tune(Box<TuneArguments>),
    /// Compare load balancers: replay a trace whose ranks can move between fewer cores
    #[command(after_help = examples::BALANCE)]
    Balance(Box<BalanceArguments>),
    /// Run a command with many values of its parameters: a study, with tables and a page of results
    #[command(after_help = examples::SWEEP)]
    Sweep(Box<SweepArguments>),
    /// Run several programs and traces beside each other on one machine: what does each lose?
    #[command(after_help = examples::JOBS)]
    Jobs(Box<JobsArguments>),
    /// Fit a model to measurements of a real machine
    #[command(after_help = examples::CALIBRATE)]
    Calibrate(Box<CalibrateArguments>),
    /// Compare simulated with measured times
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArguments),
    /// Check, show or import a description of a machine
    #[command(subcommand, after_help = examples::PLATFORM)]
    Platform(PlatformAction),
    /// List MPI functions, models, platforms, collectives, workloads or trace formats
    #[command(after_help = examples::INFO)]
    Info(InfoArguments),
    /// Print what a shell or a module file has to set so that mpirage is found
    #[command(after_help = examples::ENV)]
    Env(EnvArguments),
    /// Print the completions of a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write manual pages into a folder (`make install` does)
    #[command(hide = true)]
    Man {
        /// The folder, which must exist
        folder: PathBuf,
    },
}

/// `mpirage demo`.
#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Number of ranks
    #[arg(short, default_value_t = 16)]
    pub n: u32,
}

/// `mpirage report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArguments {
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// The page to write [default: report.html, or none with --json]
    #[arg(short, long, value_name = "FILE.html", help_heading = "Results")]
    pub output: Option<PathBuf>,
    /// Print the figures of the runs as one JSON array, with wait states and findings: on standard output, or into FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = STANDARD_OUTPUT, help_heading = "Results")]
    pub json: Option<PathBuf>,
    /// Computation of a trace: traced (all of it takes time) or none [default: as in the traced run]
    #[arg(long, value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: Option<String>,
    /// Speed of the machine on which a trace was measured, such as 5Gf, if the trace does not contain it
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// How to find the time on an ideal network: by ideal clocks during the run, by a second run of the same calls, or not at all
    #[arg(long, default_value = "clocks", value_name = "clocks|run|no", help_heading = "Results")]
    pub report_ideal: String,
    /// Show the messages inside collectives of traces: yes or no
    #[arg(long, default_value = "no", value_name = "yes|no", help_heading = "Results")]
    pub trace_collectives: String,
    /// Up to 26 runs: traces (such as FILE.mpirage), which are replayed, or reports (FILE.html), which are copied
    #[arg(required = true, num_args = 1..=mpirage_report::MOST_RUNS, value_name = "RUN", help_heading = "Arguments")]
    pub runs: Vec<String>,
}

/// Shells that have completions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Shell {
    /// bash
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
}

/// `mpirage info`.
#[derive(Clone, Debug, Args)]
pub struct InfoArguments {
    /// What to list
    pub topic: InfoTopic,
    /// Only this collective, such as allreduce
    #[arg(value_name = "COLLECTIVE")]
    pub collective: Option<String>,
    /// Print what each rank does if the collective is performed with this method, such as ring or chain:segment=64KiB
    #[arg(long, value_name = "METHOD", help_heading = COLLECTIVES)]
    pub show: Option<String>,
    /// List which methods a table or file of rules chooses, such as openmpi-4.1, and from which size on
    #[arg(long, value_name = "NAME", conflicts_with = "show", help_heading = COLLECTIVES)]
    pub selector: Option<String>,
    /// Number of ranks, for --show and --selector
    #[arg(short, long = "np", value_name = "N", help_heading = COLLECTIVES)]
    pub n: Option<u32>,
    /// Bytes of the vector, or of the block of a rank or pair of ranks [default: 1KiB]
    #[arg(long, value_name = "SIZE", requires = "show", help_heading = COLLECTIVES)]
    pub bytes: Option<String>,
    /// The root
    #[arg(long, value_name = "RANK", requires = "show", help_heading = COLLECTIVES)]
    pub root: Option<u32>,
    /// How many ranks follow each other on a node [default: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), help_heading = COLLECTIVES)]
    pub ranks_per_node: Option<u32>,
    /// Draw the schedule for Graphviz instead of printing it
    #[arg(long, requires = "show", help_heading = COLLECTIVES)]
    pub dot: bool,
}

/// What `mpirage info` lists.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum InfoTopic {
    /// MPI functions, and whether they are implemented
    Functions,
    /// Models of the network
    Models,
    /// Profiles: how MPI libraries use the network
    Profiles,
    /// Built-in platforms
    Platforms,
    /// Networks for --net and `net=`, and what they follow
    Networks,
    /// Collective operations and their algorithms
    Collectives,
    /// Communication patterns that can be replayed without a trace
    Workloads,
    /// Formats of traces that can be written and replayed
    Traces,
}

/// `mpirage trace`.
#[derive(Debug, Subcommand)]
pub enum TraceAction {
    /// Write a trace in another format; the ending of the output chooses the format
    #[command(after_help = examples::TRACE_CONVERT)]
    Convert {
        /// Speed of the machine on which the trace was measured, such as 5Gf, if the trace does not contain it
        #[arg(long, value_name = "SPEED")]
        host_speed: Option<String>,
        /// A trace, or gen:PATTERN,…
        input: String,
        /// FILE.mpirage (our own), FILE.ti, FILE.txt or FOLDER/ (time-independent); of GOAL schedules also FILE.goal (text) and FILE.bin
        output: String,
    },
    /// Write the trace of a coarser process grid: computation is added up, messages between the same ranks are merged
    #[command(after_help = examples::TRACE_AGGREGATE)]
    Aggregate {
        /// The process grid of the trace, such as 16x16; the last coordinate changes fastest, as in MPI_Cart_create
        #[arg(long, value_name = "GRID")]
        grid: String,
        /// The coarser grid; each extent of the first is a multiple
        #[arg(long, value_name = "GRID")]
        to: String,
        /// A trace of the program on the coarser grid: take its calls, and only the computation of the fine one
        #[arg(long, value_name = "TRACE")]
        communication: Option<String>,
        /// A trace, or gen:PATTERN,…
        input: String,
        /// FILE.mpirage, FILE.ti, FILE.txt or FOLDER/
        output: String,
    },
    /// Show what a trace contains: ranks, calls, bytes, computation, communication between ranks
    #[command(after_help = examples::TRACE_INFO)]
    Info {
        /// A trace, or gen:PATTERN,…
        trace: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// `mpirage run`, after the options of other launchers have been translated.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "mpirage run",
    about = "Run an MPI program on a simulated machine",
    version,
    max_term_width = 100,
    after_help = examples::RUN
)]
pub struct RunArguments {
    /// Number of ranks (also -np, --np)
    #[arg(short, long = "np", value_name = "N")]
    pub n: Option<u32>,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Prefix each line of a rank's standard output with [1,RANK]<stdout>: (also -tag-output)
    #[arg(long, help_heading = ENVIRONMENT)]
    pub tag_output: bool,
    /// Where computation times come from: measured, none, recorded:FILE (writes FILE if it does not exist, else reuses it), or repeat:N
    /// (measures the program in N runs before the simulation, and takes medians)
    #[arg(long, default_value = "measured", value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: String,
    /// How ranks are executed: auto, processes or folded
    #[arg(long, default_value = "auto", value_name = "HOW", env = "MPIRAGE_RANKS_AS", help_heading = EXECUTION)]
    pub ranks_as: String,
    /// The time that the program's clock functions return: simulated or real
    #[arg(long, default_value = "simulated", value_name = "TIME", help_heading = COMPUTATION)]
    pub clock: String,
    /// Which accesses to files take simulated time: mpi (those of MPI-IO), or posix (also what ranks read and write without MPI)
    #[arg(long, default_value = "mpi", value_name = "WHICH", help_heading = COMPUTATION)]
    pub io: String,
    /// Room for this many ranks in all, with those that MPI_Comm_spawn starts [default: as many as start with the run] (also -usize)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = EXECUTION)]
    pub universe_size: Option<u32>,
    /// Cores of this machine to use; simulated time does not depend on it [default: all]
    #[arg(long, value_name = "N", help_heading = EXECUTION)]
    pub cores: Option<NonZero<usize>>,
    /// When ranks run ahead of simulated time, on other cores: auto (where it pays), always or never
    #[arg(long, default_value = "auto", value_name = "WHEN", hide = true)]
    pub run_ahead: String,
    /// How data moves between ranks: direct, or mailbox where the kernel forbids direct copies
    #[arg(long, default_value = "direct", value_name = "HOW", hide = true)]
    pub data_plane: String,
    /// Let allocations of at least SIZE, such as 1MiB, share one small block of memory in all ranks; their contents become meaningless
    #[arg(long, value_name = "SIZE", help_heading = EXECUTION)]
    pub share_malloc: Option<String>,
    /// Binary interface of MPI that the program has: auto (its libraries say it; Python: mpich), mpi5, mpich or openmpi
    #[arg(long, value_name = "INTERFACE", default_value = "auto", help_heading = EXECUTION)]
    pub mpi_abi: String,
    /// Speed of this machine, such as 5Gf; measured if not given
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// Stop if a rank computes longer than this many seconds without calling MPI
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, help_heading = EXECUTION)]
    pub rank_timeout: Option<f64>,
    /// Simulate the same calls this many times with other random numbers (--seed, --seed + 1, …), on all cores of this machine; report median, interval and modes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000), help_heading = "Results")]
    pub repeat: Option<u32>,
    /// Tell calls apart by the path on which the program made them, up to N callers: in reports, traces and messages
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=64), help_heading = "Results")]
    pub call_paths: u32,
    /// Load balancing.
    #[command(flatten)]
    pub migration: MigrationArguments,
    /// The outputs.
    #[command(flatten)]
    pub results: ResultArguments,
    /// Give ranks an environment variable: NAME or NAME=VALUE
    #[arg(short = 'x', value_name = "NAME[=VALUE]", help_heading = ENVIRONMENT)]
    pub export: Vec<String>,
    /// Give ranks an environment variable (also -genv, -env)
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], help_heading = ENVIRONMENT)]
    pub env: Vec<String>,
    /// Run in this folder (also -wdir)
    #[arg(long, value_name = "FOLDER", help_heading = ENVIRONMENT)]
    pub wdir: Option<PathBuf>,
    /// Ignored; accepted for compatibility: more ranks than cores are always allowed
    #[arg(long, help_heading = COMPATIBILITY)]
    pub oversubscribe: bool,
    /// Ignored; accepted for compatibility
    #[arg(long, help_heading = COMPATIBILITY)]
    pub allow_run_as_root: bool,
    /// Parameters of Open MPI; ignored with a warning
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], help_heading = COMPATIBILITY)]
    pub mca: Vec<String>,
    /// The program and its arguments; a lone `:` starts another program with its own -n
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM [ARGUMENTS…]",
        help_heading = "Arguments"
    )]
    pub program: Vec<OsString>,
}

/// `mpirage emulate`: the options of `run`, and the pace.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "mpirage emulate",
    about = "Run an MPI program in real time on a simulated network, slowed down by a time factor",
    version,
    max_term_width = 100,
    after_help = examples::EMULATE
)]
pub struct EmulateArguments {
    /// How much slower than real time: a number from 1 on; auto (runs the program with 1, 2, 4 … until the results stop changing); or
    /// dynamic (follows the load of the simulator)
    #[arg(long, default_value = "auto", value_name = "N|auto|dynamic", help_heading = PACE)]
    pub time_factor: String,
    /// How far the simulator may be behind, in scaled real time, such as 50us [default: 1 % of the run time, 50us at least; with dynamic, 100us]
    #[arg(long, value_name = "TIME", help_heading = PACE)]
    pub max_behind: Option<String>,
    /// The options of `run`.
    #[command(flatten)]
    pub run: RunArguments,
}

/// The simulated machine, and the placement of ranks on it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArguments {
    /// The machine: a platform file (TOML or SimGrid XML) or a built-in name; `mpirage info platforms` lists them [default: cluster:N]
    #[arg(short, long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// The network, such as hdr200, for cables of which the platform says nothing; `mpirage info networks` lists them
    #[arg(long, value_name = "NETWORK")]
    pub net: Option<String>,
    /// The network model; `mpirage info models` lists them
    #[arg(long, default_value = "flow", value_name = "MODEL")]
    pub model: String,
    /// How the MPI library uses the network, with --model flow or packet; `mpirage info profiles` lists them
    #[arg(long, value_name = "PROFILE")]
    pub mpi_profile: Option<String>,
    /// With --model packet: only messages from, to or through these hosts, links and switches as packets, all others as flows
    #[arg(long, value_name = "PLACE,…", value_delimiter = ',')]
    pub packet_at: Vec<String>,
    /// What random numbers start from: losses and late receivers of profiles, and the noise of a model
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub seed: u64,
    /// Algorithms of collectives: the table of a library, NAME=ALGORITHM[@SIZES], files; `mpirage info collectives` lists them
    #[arg(long, default_value = "", value_name = "CHOICE")]
    pub coll: String,
    /// Hosts to use: NAME[:SLOTS],… (also -host, --hosts)
    #[arg(short = 'H', long = "host", value_name = "HOSTS", value_delimiter = ',')]
    pub host: Vec<String>,
    /// A file of hosts, one per line, optionally with slots=N or :N (also -machinefile, -f)
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// Placement of ranks: fill one host after the other, core by core (slot, core), one rank per NUMA domain or socket of a host in turn (numa, socket), or one rank per host in turn (node)
    #[arg(long, default_value = "slot", value_name = "HOW")]
    pub map_by: String,
    /// What ranks are bound to on hosts with a [node]: their core, their socket or nothing (core, socket, none; also --bind-to)
    #[arg(long, default_value = "core", value_name = "HOW")]
    pub bind: String,
    /// Print the host and core of each rank
    #[arg(long)]
    pub report_bindings: bool,
    /// Ranks per host (also -ppn, -npernode)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub ppn: Option<u32>,
    /// Put the ranks on N cores of the machine, in blocks; the ranks of a core compute one after the other, burst by burst, as the virtual processors of Adaptive MPI do
    #[arg(long, value_name = "N")]
    pub on_cores: Option<NonZero<u32>>,
}

/// A positive time; a number without a unit is in seconds.
fn time_limit(text: &str) -> Result<f64, QuantityError> {
    TIMEOUT.read(text).map(|read| read.value())
}

/// The outputs of a run.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct ResultArguments {
    /// Print the result as one JSON object: on standard output after the program's own output, or into FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = STANDARD_OUTPUT)]
    pub json: Option<PathBuf>,
    /// Do not print the summary
    #[arg(short, long)]
    pub quiet: bool,
    /// Write a trace; its ending chooses the format: a folder/ or .ti (time-independent), .mpirage (our own), .prv (Paraver), .pftrace (Perfetto), .paje, .otf2 (Vampir), .parquet or .csv (tables)
    #[arg(long, value_name = "FILE")]
    pub trace: Vec<PathBuf>,
    /// Include the messages inside collectives in reports and in traces of single messages (Paraver, Perfetto, Paje): yes or no
    #[arg(long, default_value = "no", value_name = "yes|no")]
    pub trace_collectives: String,
    /// Capture frames for Wireshark, with --model packet: those of a host, a link (NAME, NAME_UP, NAME_DOWN), or a switch (switch-LEVEL-NUMBER) or one of its ports
    #[arg(long, value_name = "PLACE[:PORT]=FILE.pcapng")]
    pub pcap: Vec<String>,
    /// Bytes of each frame that captures keep [default: 128, all headers]
    #[arg(long, value_name = "BYTES", requires = "pcap", value_parser = clap::value_parser!(u32).range(1..=262_144))]
    pub pcap_snap: Option<u32>,
    /// Write a report, an HTML page
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// How the report finds the time on an ideal network: by ideal clocks during the run, by a second run of the same calls, or not at all
    #[arg(long, default_value = "clocks", value_name = "clocks|run|no")]
    pub report_ideal: String,
}

/// `mpirage replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArguments {
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Simulate the same calls this many times with other random numbers (--seed, --seed + 1, …), on all cores of this machine; report median, interval and modes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000), help_heading = "Results")]
    pub repeat: Option<u32>,
    /// The outputs.
    #[command(flatten)]
    pub results: ResultArguments,
    /// Computation of the trace: traced (all of it takes time) or none [default: as in the traced run]
    #[arg(long, value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: Option<String>,
    /// Speed of the machine on which the trace was measured, such as 5Gf, if the trace does not contain it
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// A trace (SimGrid's time-independent format, Dimemas, GOAL, DUMPI, OTF2, our own), or gen:PATTERN,…; `mpirage info workloads` lists patterns
    #[arg(value_name = "TRACE", help_heading = "Arguments")]
    pub workload: String,
}

/// `mpirage tune`.
#[derive(Clone, Debug, Args)]
pub struct TuneArguments {
    /// Number of ranks; a trace has its own
    #[arg(short, long = "np", value_name = "N")]
    pub n: Option<u32>,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Sizes in bytes: a range, whose sizes double, or a list (1KiB,1MiB); of the vector, or of a block of gather, scatter and
    /// all-to-all [default: 8B..4MiB; of a program, its own sizes]
    #[arg(long, value_name = "SIZES", help_heading = SEARCH)]
    pub sizes: Option<String>,
    /// Try only these algorithms
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = SEARCH)]
    pub algorithms: Vec<String>,
    /// Sizes of segments to try, for algorithms that cut vectors
    #[arg(long, value_name = "SIZES", default_value = "4KiB,16KiB,64KiB,256KiB", help_heading = SEARCH)]
    pub segments: String,
    /// Radices of trees and exchanges to try
    #[arg(long, value_name = "K,…", value_delimiter = ',', default_value = "2,4,8", help_heading = SEARCH)]
    pub radices: Vec<u32>,
    /// Calls in a row in each simulation; their mean counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = SEARCH)]
    pub repeat: u32,
    /// Try all parameters of all algorithms, also of those that are far from the best with their defaults
    #[arg(long, help_heading = SEARCH)]
    pub exhaustive: bool,
    /// Cores of this machine to use; the result does not depend on it [default: all]
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub cores: Option<NonZero<usize>>,
    /// Write the rules for an MPI library into this file, which must not exist yet
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub output: Option<PathBuf>,
    /// For which library: openmpi (a file of dynamic rules), mpich or mpich-4.3 (a selection file), or mpirage (for --coll) [default: by
    /// the ending of the file: .conf, .json, .rules]
    #[arg(long, value_name = "LIBRARY", requires = "output", help_heading = "Results")]
    pub format: Option<String>,
    /// Replace the file of rules if it exists
    #[arg(long, requires = "output", help_heading = "Results")]
    pub force: bool,
    /// Draw the times over the sizes
    #[arg(long, value_name = "FILE.svg", help_heading = "Results")]
    pub plot: Option<PathBuf>,
    /// Print the result as one JSON object instead of a table, or write it into FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = STANDARD_OUTPUT, help_heading = "Results")]
    pub json: Option<PathBuf>,
    /// Do not print the table
    #[arg(short, long, help_heading = "Results")]
    pub quiet: bool,
    /// Computation of a program or trace: measured or none, traced or none [default: measured, or as in the traced run]
    #[arg(long, value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: Option<String>,
    /// Collectives (allreduce,bcast or all), a trace, or a program with its arguments; those that begin with a hyphen come after --
    #[arg(required = true, value_name = "COLLECTIVE,…|TRACE|PROGRAM", help_heading = "Arguments")]
    pub what: Vec<OsString>,
}

impl MachineArguments {
    /// The same options as words of a command line.
    pub fn to_words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |option: &str, value: OsString| words.extend([option.into(), value]);
        if let Some(platform) = &self.platform {
            add("--platform", platform.into());
        }
        add("--model", self.model.clone().into());
        if let Some(profile) = &self.mpi_profile {
            add("--mpi-profile", profile.clone().into());
        }
        if !self.packet_at.is_empty() {
            add("--packet-at", self.packet_at.join(",").into());
        }
        if self.seed != 0 {
            add("--seed", self.seed.to_string().into());
        }
        if !self.coll.is_empty() {
            add("--coll", self.coll.clone().into());
        }
        self.host.iter().for_each(|host| add("--host", host.into()));
        if let Some(file) = &self.hostfile {
            add("--hostfile", file.into());
        }
        add("--map-by", self.map_by.clone().into());
        add("--bind", self.bind.clone().into());
        if let Some(ppn) = self.ppn {
            add("--ppn", ppn.to_string().into());
        }
        words
    }
}

impl ResultArguments {
    /// Does a file show what ranks did over time?
    pub fn shows_calls(&self) -> bool {
        self.report.is_some() || !self.trace.is_empty()
    }

    /// Adds the files that a run writes.
    pub fn add_outputs(&self, files: &mut Conflicts) {
        self.trace.iter().for_each(|file| files.trace("--trace", file));
        for file in self.json.iter().filter(|file| file.as_os_str() != STANDARD_OUTPUT) {
            files.output("--json", file);
        }
        self.report.iter().for_each(|file| files.output("--report", file));
        for (_, file) in self.pcap.iter().filter_map(|capture| capture.split_once('=')) {
            files.output("--pcap", Path::new(file));
        }
    }
}
