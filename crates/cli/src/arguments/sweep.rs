//! `mpirage sweep`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::time_limit;

const EXECUTION: &str = "Execution";
const SLURM: &str = "Slurm";
const RESULTS: &str = "Results";

/// `mpirage sweep`.
#[derive(Clone, Debug, Args)]
pub struct SweepArguments {
    /// List the cases, and run nothing
    #[arg(long, help_heading = EXECUTION)]
    pub dry_run: bool,
    /// Run cases that have failed before again
    #[arg(long, help_heading = EXECUTION)]
    pub retry: bool,
    /// Cases at the same time [default: one for each core of this machine]
    #[arg(short, long, value_name = "N", help_heading = EXECUTION)]
    pub jobs: Option<NonZero<usize>>,
    /// Memory that all running cases may take together, such as 8GiB [default: four fifths of what is free]
    #[arg(long, value_name = "SIZE", help_heading = EXECUTION)]
    pub memory: Option<String>,
    /// Stop a case that takes longer than this many seconds of real time
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, help_heading = EXECUTION)]
    pub timeout: Option<f64>,
    /// Where cases run: here, or as jobs of Slurm
    #[arg(long, default_value = "local", value_name = "local|slurm", help_heading = EXECUTION)]
    pub engine: Engine,
    /// Workers, which are the tasks of a job array [default: as the study says, or 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = SLURM)]
    pub workers: Option<u32>,
    /// An option for sbatch, such as --slurm-option=--partition=long; may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true, help_heading = SLURM)]
    pub slurm_option: Vec<String>,
    /// After so many seconds without a sign of life, the cases of a worker run again
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = time_limit, help_heading = SLURM)]
    pub lost_after: f64,
    /// The folder of the study: results, and what is needed to resume [default: STUDY.sweep beside the study]
    #[arg(short, long, value_name = "FOLDER", help_heading = RESULTS)]
    pub output: Option<PathBuf>,
    /// Print neither progress nor the ranking
    #[arg(short, long, overrides_with = "quiet", help_heading = RESULTS)]
    pub quiet: bool,
    /// Works on the cases of a folder as this worker
    #[arg(long, value_name = "NAME", hide = true)]
    pub worker: Option<String>,
    /// The study, a TOML file
    #[arg(value_name = "STUDY.toml", help_heading = "Arguments")]
    pub study: PathBuf,
}

/// Where cases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// On this machine
    Local,
    /// As jobs of Slurm
    Slurm,
}
