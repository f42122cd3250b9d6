//! Commands about measurements: `mpirage calibrate` and `mpirage compare`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use super::{JsonArgument, MachineArguments};

const MEASUREMENTS: &str = "Measurements";
const FIT: &str = "Fit";
const RESULTS: &str = "Results";

/// `mpirage calibrate`.
#[derive(Clone, Debug, Args)]
pub struct CalibrateArguments {
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Format of the files: osu, imb, skampi, netpipe or csv [default: recognised]
    #[arg(long, value_name = "FORMAT", help_heading = MEASUREMENTS)]
    pub format: Option<String>,
    /// The MPI library whose measurements count, in files with a column `mpi`
    #[arg(long, value_name = "NAME", help_heading = MEASUREMENTS)]
    pub mpi: Option<String>,
    /// The network whose measurements count, in files with a column `topology`
    #[arg(long, value_name = "NAME", help_heading = MEASUREMENTS)]
    pub topology: Option<String>,
    /// Measure this machine with a bundled benchmark, and calibrate from the result
    #[arg(long, help_heading = MEASUREMENTS)]
    pub run: bool,
    /// Print a C program that measures a core of a node; it prints `speed` and `sustained` for platform files
    #[arg(long, exclusive = true, help_heading = MEASUREMENTS)]
    pub node: bool,
    /// Print a job script (Slurm, OSU micro-benchmarks) with the few measurements of a cluster that a model needs
    #[arg(long, exclusive = true, help_heading = MEASUREMENTS)]
    pub plan: bool,
    /// The launcher of the MPI to measure, with its options, such as "mpirun.openmpi --hostfile two"
    #[arg(long, value_name = "COMMAND", default_value = "mpirun", requires = "run", help_heading = MEASUREMENTS)]
    pub mpirun: String,
    /// The C compiler of the MPI to measure [default: the mpicc that belongs to --mpirun]
    #[arg(long, value_name = "COMMAND", requires = "run", help_heading = MEASUREMENTS)]
    pub mpicc: Option<String>,
    /// Write what --run measures into this file
    #[arg(long, value_name = "FILE.csv", requires = "run", help_heading = MEASUREMENTS)]
    pub save: Option<PathBuf>,
    /// What to fit: factors on latency and bandwidth by size, or overheads on top of what --model predicts [default: factors, or
    /// overheads with --mpi-profile]
    #[arg(long, value_name = "factors|overheads", help_heading = FIT)]
    pub fit: Option<String>,
    /// How segments are found: bic (by likelihood, with a penalty for each) or correlation (the largest product of correlation
    /// coefficients, three segments)
    #[arg(long, value_name = "bic|correlation", default_value = "bic", help_heading = FIT)]
    pub criterion: String,
    /// Number of segments [default: found]
    #[arg(long, value_name = "N", help_heading = FIT)]
    pub segments: Option<NonZero<usize>>,
    /// Sizes at which segments begin: a list, or a file whose first column they are [default: found]
    #[arg(long, value_name = "BYTES,…|FILE", help_heading = FIT)]
    pub breakpoints: Option<String>,
    /// Size from which on sends wait for their receiver [default: found]
    #[arg(long, value_name = "SIZE", help_heading = FIT)]
    pub eager_limit: Option<String>,
    /// Leave every N-th size out of the fit, and report how well it is predicted
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..), help_heading = FIT)]
    pub hold_out: Option<u32>,
    /// Write the model file, for --model FILE.toml
    #[arg(short, long, value_name = "MODEL.toml", help_heading = RESULTS)]
    pub output: Option<PathBuf>,
    /// Replace the model file if it exists
    #[arg(long, requires = "output", help_heading = RESULTS)]
    pub force: bool,
    /// Draw measured and fitted times
    #[arg(long, value_name = "FILE.svg", help_heading = RESULTS)]
    pub plot: Option<PathBuf>,
    /// Write a report, an HTML page
    #[arg(long, value_name = "FILE.html", help_heading = RESULTS)]
    pub report: Option<PathBuf>,
    /// The result as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Do not print tables
    #[arg(short, long, overrides_with = "quiet", help_heading = RESULTS)]
    pub quiet: bool,
    /// Files of measurements: OSU, IMB, SKaMPI, NetPIPE, CSV; also packed with gzip
    #[arg(
        required_unless_present_any = ["run", "node", "plan"],
        conflicts_with = "run",
        value_name = "MEASUREMENTS",
        help_heading = "Arguments"
    )]
    pub measurements: Vec<PathBuf>,
}

/// `mpirage compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArguments {
    /// End with exit code 86 if the mean error exceeds so many percent
    #[arg(long, value_name = "PERCENT")]
    pub max_error: Option<f64>,
    /// Draw simulated and measured times
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Write a report, an HTML page
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// The result as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Do not print tables
    #[arg(short, long, overrides_with = "quiet")]
    pub quiet: bool,
    /// Simulated times: CSV, JSON, or a benchmark's text
    #[arg(value_name = "SIMULATED", help_heading = "Arguments")]
    pub simulated: PathBuf,
    /// Measured times, likewise
    #[arg(value_name = "REAL", help_heading = "Arguments")]
    pub real: PathBuf,
}
