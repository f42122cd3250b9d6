//! The command line. One definition gives the parser, the help, the manual pages and the completions of shells.

mod balance;
mod call_paths;
mod check;
mod env;
mod info;
mod jobs;
mod json;
mod machine;
mod platform;
mod results;
mod run;
mod study;
mod sweep;
mod trace;
mod tune;

pub use balance::{BalanceArguments, MigrationArguments};
pub use call_paths::CallPathArgument;
pub use check::{CheckArguments, CheckFormat};
pub use env::{EnvArguments, ModuleLanguage, ShellSyntax};
pub use info::{InfoArguments, InfoTopic};
pub use jobs::JobsArguments;
pub use json::JsonArgument;
pub use machine::MachineArguments;
pub use platform::{ImportArguments, PlatformAction};
pub use results::ResultArguments;
pub use run::{EmulateArguments, RunArguments};
pub use study::{CalibrateArguments, CompareArguments};
pub use sweep::{Engine, SweepArguments};
pub use trace::{ReplayArguments, ReportArguments, TraceAction};
pub use tune::TuneArguments;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use mpirage_units::{QuantityError, TIMEOUT};

use crate::examples;

// Headings under which the help groups options.
/// Where ranks run.
pub const PLACEMENT: &str = "Placement of ranks";
/// Frames on the network.
pub const PACKETS: &str = "Packets and captures";
/// How ranks move between cores.
pub const MIGRATION: &str = "Load balancing";
const COMPUTATION: &str = "Computation";
const EXECUTION: &str = "Execution on this machine";
const ENVIRONMENT: &str = "Environment and output of ranks";
const COLLECTIVES: &str = "Collectives";
const SEARCH: &str = "Search";
const PACE: &str = "Pace";
/// Other launchers.
pub const COMPATIBILITY: &str = "Compatibility with other launchers";

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
    /// Compile a bundled MPI program, simulate it, show the result
    #[command(after_help = examples::DEMO)]
    Demo(DemoArguments),
    /// Compile a C program (also mpicc)
    #[command(after_help = examples::CC)]
    Cc {
        /// Arguments of the C compiler; with --watch-memory, `mpirage check` sees loads and stores of windows
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Compile a C++ program (also mpicxx, mpic++)
    #[command(after_help = examples::CXX)]
    Cxx {
        /// Arguments of the C++ compiler; with --watch-memory, `mpirage check` sees loads and stores of windows
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Compile a Fortran program (also mpifort, mpif90, mpif77)
    #[command(after_help = examples::FC)]
    Fc {
        /// Arguments of the Fortran compiler; with --watch-memory, `mpirage check` sees loads and stores of windows
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Run an MPI program on a simulated machine (also mpiexec, mpirun)
    Run(Box<RunArguments>),
    /// Run an MPI program in real time, slowed down by a time factor
    Emulate(Box<EmulateArguments>),
    /// Run an MPI program under several settings and report mistakes
    Check(Box<CheckArguments>),
    /// Replay a trace, or a generated workload, on a simulated machine
    #[command(after_help = examples::REPLAY)]
    Replay(Box<ReplayArguments>),
    /// Convert traces, or show what they contain
    #[command(subcommand, after_help = examples::TRACE)]
    Trace(TraceAction),
    /// Run folded ranks under gdb; takes the arguments of `run`
    #[command(after_help = examples::GDB)]
    Gdb {
        /// Arguments of `mpirage run`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Write a report about a saved run, or about two side by side
    #[command(after_help = examples::REPORT)]
    Report(Box<ReportArguments>),
    /// Find the fastest collectives, for a real MPI to use
    #[command(after_help = examples::TUNE)]
    Tune(Box<TuneArguments>),
    /// Compare load balancers on a trace whose ranks can move
    #[command(after_help = examples::BALANCE, mut_args = balance::cores_first)]
    Balance(Box<BalanceArguments>),
    /// Run a study: a command with many values of its parameters
    #[command(after_help = examples::SWEEP)]
    Sweep(Box<SweepArguments>),
    /// Run several programs and traces beside each other
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
    /// List functions, models, platforms, networks, collectives, traces
    #[command(after_help = examples::INFO)]
    Info(InfoArguments),
    /// Print what a shell or a module file sets to find mpirage
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

/// A positive time; a number without a unit is in seconds.
fn time_limit(text: &str) -> Result<f64, QuantityError> {
    TIMEOUT.read(text).map(|read| read.value())
}
