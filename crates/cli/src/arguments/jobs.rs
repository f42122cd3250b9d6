//! `mpirage jobs`.

use std::path::PathBuf;

use clap::Args;

use super::{
    COMPUTATION, CallPathArgument, ENVIRONMENT, EXECUTION, JsonArgument, MachineArguments, time_limit,
};

/// `mpirage jobs`.
#[derive(Clone, Debug, Args)]
pub struct JobsArguments {
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Computation of programs: measured, or none
    #[arg(long, default_value = "measured", value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: String,
    /// Speed of this machine, such as 5Gf, and of the one on which traces were measured if they do not say it; measured if not given
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// Stop a job if one of its ranks computes longer than this many seconds without calling MPI
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, help_heading = EXECUTION)]
    pub rank_timeout: Option<f64>,
    /// Run only this job, on the hosts that it has beside the others
    #[arg(long, value_name = "NAME", help_heading = EXECUTION)]
    pub only: Option<String>,
    /// Do not run each job alone before; then no slow-down is known
    #[arg(long, help_heading = EXECUTION)]
    pub no_alone: bool,
    /// Prefix each line of standard output with [JOB,RANK]:
    #[arg(long, help_heading = ENVIRONMENT)]
    pub tag_output: bool,
    /// The result as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Write a report of each job, NAME.html, into this folder
    #[arg(long, value_name = "FOLDER", help_heading = "Results")]
    pub report: Option<PathBuf>,
    /// Call paths.
    #[command(flatten)]
    pub call_paths: CallPathArgument,
    /// Do not print the table
    #[arg(short, long, overrides_with = "quiet", help_heading = "Results")]
    pub quiet: bool,
    /// The jobs, a TOML file
    #[arg(value_name = "JOBS.toml", help_heading = "Arguments")]
    pub file: PathBuf,
}
