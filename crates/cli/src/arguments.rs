//! What can be typed. One definition gives parser and help.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use mpirage_units::{QuantityError, TIMEOUT};

/// MPI on machines that are not there: runs a real MPI program here and says how long it would take there.
#[derive(Debug, Parser)]
#[command(
    name = "mpirage",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Line {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a bundled MPI program, simulate it on a bundled cluster, show the result
    Demo(DemoArguments),
    /// Compile a C program (also installed as mpicc)
    Cc {
        /// What the C compiler is to do
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Compile a C++ program (also installed as mpicxx, mpic++)
    Cxx {
        /// What the C++ compiler is to do
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run an MPI program on a simulated machine (also installed as mpiexec, mpirun)
    Run(Box<RunArguments>),
    /// Replay a trace, or a generated workload, on a simulated machine
    Replay(Box<ReplayArguments>),
    /// Convert traces, or say what is in them
    #[command(subcommand)]
    Trace(TraceAction),
    /// Run a program with folded ranks under gdb; takes what `run` takes
    Gdb {
        /// What to run
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Write a report about a saved run, or about two side by side
    Report(Box<ReportArguments>),
    /// Look at descriptions of machines
    #[command(subcommand)]
    Platform(PlatformAction),
    /// List what there is
    Info {
        /// Of what
        topic: InfoTopic,
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
    /// Where to write
    #[arg(short, long, default_value = "report.html", value_name = "FILE.html")]
    pub output: PathBuf,
    /// Computation of a trace: as in the run that was traced (if not given), traced (all of it counts) or none
    #[arg(long, value_name = "HOW")]
    pub compute: Option<String>,
    /// Speed of the machine on which a trace was measured, such as 5Gf, if the trace does not say
    #[arg(long, value_name = "SPEED")]
    pub host_speed: Option<String>,
    /// How long the run takes on an ideal network: by clocks that go along, by another run of the same calls, or no
    #[arg(long, default_value = "clocks", value_name = "clocks|run|no")]
    pub report_ideal: String,
    /// One run or two: traces (such as FILE.mpirage), which are replayed, or reports (FILE.html), which are taken as they are
    #[arg(required = true, num_args = 1..=2, value_name = "RUN")]
    pub runs: Vec<String>,
}

/// What `mpirage info` lists.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum InfoTopic {
    /// MPI functions: which are there, which are not yet
    Functions,
    /// Models of the network
    Models,
    /// Built-in platforms
    Platforms,
    /// Collective operations and their algorithms
    Collectives,
    /// Patterns that can be replayed without a trace
    Workloads,
    /// Formats of traces that can be written and replayed
    Traces,
}

/// `mpirage trace`.
#[derive(Debug, Subcommand)]
pub enum TraceAction {
    /// Write a trace in another format, which is known by its ending
    Convert {
        /// Speed of the machine on which the trace was measured, such as 5Gf, if the trace does not say
        #[arg(long, value_name = "SPEED")]
        host_speed: Option<String>,
        /// A trace, or gen:PATTERN,…
        input: String,
        /// FILE.mpirage (our own), FILE.ti, FILE.txt or FOLDER/ (time-independent); of GOAL schedules also FILE.goal (text) and FILE.bin
        output: String,
    },
    /// Say what is in a trace: ranks, calls, bytes, computation, who talks to whom
    Info {
        /// A trace, or gen:PATTERN,…
        trace: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// `mpirage platform`.
#[derive(Debug, Subcommand)]
pub enum PlatformAction {
    /// Read a platform and say whether it is right
    Check {
        /// A file or a built-in name
        platform: String,
    },
    /// Show hosts, links, a route and the parameters of a model
    Show {
        /// A file or a built-in name
        platform: String,
        /// The model whose parameters to show
        #[arg(long, default_value = "flow")]
        model: String,
    },
    /// Turn a description of another tool into ours (not there yet)
    Import {
        /// The file
        platform: String,
    },
}

/// `mpirage run`, after the spellings of other launchers have been translated.
#[derive(Clone, Debug, Parser)]
#[command(name = "mpirage run", about = "Run an MPI program on a simulated machine", max_term_width = 100)]
pub struct RunArguments {
    /// Number of ranks (also -np, --np)
    #[arg(short, long = "np", value_name = "N")]
    pub n: Option<u32>,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Where computation times come from: measured, none, or recorded:FILE (measures and writes FILE if there is none yet, else reuses it)
    #[arg(long, default_value = "measured", value_name = "HOW")]
    pub compute: String,
    /// How ranks live: auto, processes or folded
    #[arg(long, default_value = "auto", value_name = "HOW", env = "MPIRAGE_RANKS_AS")]
    pub ranks_as: String,
    /// What the program's clock functions show: simulated or real time
    #[arg(long, default_value = "simulated", value_name = "TIME")]
    pub clock: String,
    /// Cores of this machine to use; simulated time does not depend on it [default: all]
    #[arg(long, value_name = "N")]
    pub cores: Option<NonZero<usize>>,
    /// When ranks run ahead of simulated time, on other cores: auto (where it pays), always or never
    #[arg(long, default_value = "auto", value_name = "WHEN", hide = true)]
    pub run_ahead: String,
    /// How bytes move between ranks: direct, or mailbox where the kernel forbids direct copies
    #[arg(long, default_value = "direct", value_name = "HOW", hide = true)]
    pub data_plane: String,
    /// Let allocations of at least SIZE, such as 1MiB, share one small memory in all ranks; what is in them is then nobody's own
    #[arg(long, value_name = "SIZE")]
    pub share_malloc: Option<String>,
    /// Speed of this machine, such as 5Gf; measured if not given
    #[arg(long, value_name = "SPEED")]
    pub host_speed: Option<String>,
    /// Stop if a rank computes longer than this many seconds without calling MPI
    #[arg(long, value_name = "SECONDS", value_parser = time_limit)]
    pub rank_timeout: Option<f64>,
    /// Seed of whatever is random (nothing is, so far)
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// What is written about the run.
    #[command(flatten)]
    pub results: ResultArguments,
    /// Give ranks an environment variable: NAME or NAME=VALUE
    #[arg(short = 'x', value_name = "NAME[=VALUE]")]
    pub export: Vec<String>,
    /// Give ranks an environment variable (also -genv, -env)
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"])]
    pub env: Vec<String>,
    /// Run in this folder (also -wdir)
    #[arg(long, value_name = "FOLDER")]
    pub wdir: Option<PathBuf>,
    /// Accepted for other launchers' sake: more ranks than cores are always allowed
    #[arg(long)]
    pub oversubscribe: bool,
    /// Accepted for other launchers' sake
    #[arg(long)]
    pub allow_run_as_root: bool,
    /// Parameters of Open MPI; they mean nothing here and are reported
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"])]
    pub mca: Vec<String>,
    /// Behave like a certain MPI library (not there yet)
    #[arg(long, value_name = "PROFILE")]
    pub mpi_profile: Option<String>,
    /// The program and its arguments; a lone `:` starts another program with its own -n
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM [ARGUMENTS…]"
    )]
    pub program: Vec<OsString>,
}

/// The simulated machine, and where ranks live on it.
#[derive(Clone, Debug, Args)]
pub struct MachineArguments {
    /// The machine: a platform file (TOML or SimGrid XML) or a built-in name; `mpirage info platforms` lists them [default: cluster:N]
    #[arg(short, long, value_name = "PLATFORM")]
    pub platform: Option<String>,
    /// The network model; `mpirage info models` lists them
    #[arg(long, default_value = "flow", value_name = "MODEL")]
    pub model: String,
    /// Algorithms of collectives: NAME=ALGORITHM,…; `mpirage info collectives` lists them
    #[arg(long, default_value = "", value_name = "CHOICE")]
    pub coll: String,
    /// Hosts to use: NAME[:SLOTS],… (also -host, --hosts)
    #[arg(short = 'H', long = "host", value_name = "HOSTS", value_delimiter = ',')]
    pub host: Vec<String>,
    /// A file of hosts, one per line, with slots=N or :N if wanted (also -machinefile, -f)
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// Fill hosts one by one (slot, core) or deal ranks out to them (node)
    #[arg(long, default_value = "slot", value_name = "HOW")]
    pub map_by: String,
    /// Ranks per host (also -ppn, -npernode)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub ppn: Option<u32>,
}

/// Seconds, positive, with or without a unit.
fn time_limit(text: &str) -> Result<f64, QuantityError> {
    TIMEOUT.read(text).map(|read| read.value())
}

/// What is written about a run.
#[derive(Clone, Debug, Args)]
pub struct ResultArguments {
    /// Print the result as one JSON object on standard output, after the program's own output
    #[arg(long)]
    pub json: bool,
    /// Print no closing summary
    #[arg(short, long)]
    pub quiet: bool,
    /// Write a trace; its format is known by its ending: a folder/ or .ti (time-independent), .mpirage (our own), .prv (Paraver), .pftrace (Perfetto), .paje, .parquet or .csv (tables)
    #[arg(long, value_name = "FILE")]
    pub trace: Vec<PathBuf>,
    /// Show the messages inside collectives too, in traces that show messages one by one (Paraver, Paje): yes or no
    #[arg(long, default_value = "no", value_name = "WHETHER")]
    pub trace_collectives: String,
    /// Write a report, to be opened in a browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// For the report, how long the run takes on an ideal network: by clocks that go along, by another run of the same calls, or no
    #[arg(long, default_value = "clocks", value_name = "clocks|run|no")]
    pub report_ideal: String,
}

/// `mpirage replay`.
#[derive(Clone, Debug, Args)]
pub struct ReplayArguments {
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// What is written about the run.
    #[command(flatten)]
    pub results: ResultArguments,
    /// Computation of the trace: as in the run that was traced (if not given), traced (all of it counts) or none
    #[arg(long, value_name = "HOW")]
    pub compute: Option<String>,
    /// Speed of the machine on which the trace was measured, such as 5Gf, if the trace does not say
    #[arg(long, value_name = "SPEED")]
    pub host_speed: Option<String>,
    /// A trace (SimGrid's time-independent format, Dimemas, GOAL, DUMPI, our own), or gen:PATTERN,…; `mpirage info workloads` lists patterns
    #[arg(value_name = "TRACE")]
    pub workload: String,
}
