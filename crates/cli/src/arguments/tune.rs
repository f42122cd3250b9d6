//! `mpirage tune`.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use super::{COMPUTATION, JsonArgument, MachineArguments, SEARCH};

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
    pub calls: u32,
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
    /// Write a report, an HTML page
    #[arg(long, value_name = "FILE.html", help_heading = "Results")]
    pub report: Option<PathBuf>,
    /// The result as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Do not print the table
    #[arg(short, long, overrides_with = "quiet", help_heading = "Results")]
    pub quiet: bool,
    /// Computation of a program or trace: measured or none, traced or none [default: measured, or as in the traced run]
    #[arg(long, value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: Option<String>,
    /// Collectives (allreduce,bcast or all), a trace, or a program with its arguments; those that begin with a hyphen come after --
    #[arg(required = true, value_name = "COLLECTIVE,…|TRACE|PROGRAM", help_heading = "Arguments")]
    pub what: Vec<OsString>,
}
