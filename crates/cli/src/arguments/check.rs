//! The arguments of `mpirage check`.

use std::path::PathBuf;

use clap::{Arg, Parser, ValueEnum};

use super::{RunArguments, time_limit};
use crate::examples;

const CHECKS: &str = "Checks";

/// `mpirage check`: the options of `run`, and how much is tried.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "mpirage check",
    about = "Run an MPI program with all checks, under several settings, and report mistakes",
    version,
    max_term_width = 100,
    after_help = examples::CHECK,
    mut_args = listed
)]
pub struct CheckArguments {
    /// The form of the report
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, value_name = "FORMAT", help_heading = CHECKS)]
    pub format: CheckFormat,
    /// Write the report into FILE instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = CHECKS)]
    pub output: Option<PathBuf>,
    /// Runs in which wildcard receives get other messages than in the first run, at the most
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(..=100_000), help_heading = CHECKS)]
    pub explore: u32,
    /// Runs in which messages take longer by random amounts
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1000), help_heading = CHECKS)]
    pub orders: u32,
    /// Stop a run that takes longer than this many seconds on this machine
    #[arg(long, default_value = "300", value_name = "SECONDS", value_parser = time_limit, help_heading = CHECKS)]
    pub timeout: f64,
    /// The options of `run`.
    #[command(flatten)]
    pub run: RunArguments,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For readers
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// Options of `run` that a check refuses, or that have no effect on one: its help does not list them.
#[rustfmt::skip]
const UNLISTED: [&str; 13] = [
    "json", "live", "pcap", "pcap_snap", "quiet", "repeat", "report", "report_ideal", "share_malloc", "trace", "trace_collectives", "universe_size",
    "workers",
];

fn listed(argument: Arg) -> Arg {
    let unlisted = UNLISTED.contains(&argument.get_id().as_str());
    if unlisted { argument.hide(true) } else { argument }
}
