//! `mpirage replay`, `mpirage report` and `mpirage trace`: the commands that read traces.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{COMPUTATION, JsonArgument, MachineArguments, ResultArguments};
use crate::examples;

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
    /// Speed of the machine on which the trace was measured, such as 5Gf [default: as the trace says]
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// A trace (SimGrid's time-independent format, Dimemas, GOAL, DUMPI, OTF2, Chakra, our own), or gen:PATTERN,…; `mpirage info workloads` lists patterns
    #[arg(value_name = "TRACE", help_heading = "Arguments")]
    pub workload: String,
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
    /// A name for the first run, then for the second, … [default: what differs between them]
    #[arg(long, value_name = "NAME", help_heading = "Results")]
    pub name: Vec<String>,
    /// The figures of the runs as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Computation of a trace: traced (all of it takes time) or none [default: as in the traced run]
    #[arg(long, value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: Option<String>,
    /// Speed of the machine on which a trace was measured, such as 5Gf [default: as the trace says]
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

/// `mpirage trace`.
#[derive(Debug, Subcommand)]
pub enum TraceAction {
    /// Write a trace in another format; the ending of the output chooses the format
    #[command(after_help = examples::TRACE_CONVERT)]
    Convert {
        /// Speed of the machine on which the trace was measured, such as 5Gf [default: as the trace says]
        #[arg(long, value_name = "SPEED")]
        host_speed: Option<String>,
        /// A trace, or gen:PATTERN,…
        input: String,
        /// FILE.mpirage (our own), FILE.ti, FILE.txt or FOLDER/ (time-independent), FILE.goal or FILE.bin (GOAL as text, compiled), FILE.dim (Dimemas)
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
        /// FILE.mpirage, FILE.ti, FILE.txt, FOLDER/, FILE.goal, FILE.bin or FILE.dim
        output: String,
    },
    /// Show what a trace contains: ranks, calls, bytes, computation, communication between ranks
    #[command(after_help = examples::TRACE_INFO)]
    Info {
        /// A trace, or gen:PATTERN,…
        trace: String,
        /// The contents as JSON.
        #[command(flatten)]
        json: JsonArgument,
    },
}
