//! The arguments of `mpirage balance`.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Arg, Args};
use mpirage_simulation::{MigrationRequest, StudyRequest};

use super::{COMPUTATION, JsonArgument, MIGRATION, MachineArguments};

const BALANCING: &str = "Balancing";
const RESULTS: &str = "Results";

/// How ranks move between cores during `mpirage run`.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = MIGRATION)]
pub struct MigrationArguments {
    /// Balance the load of cores at calls of AMPI_Migrate (smpi/smpi.h), with --on-cores: a name, or the file of an executable (./mine.py)
    #[arg(long, value_name = "NAME")]
    pub balancer: Option<String>,
    /// Balance at every so many calls of AMPI_Migrate
    #[arg(long, value_name = "K", default_value = "20", requires = "balancer")]
    pub every: NonZero<u32>,
    /// Time that a decision takes, beside the barrier before it
    #[arg(long, value_name = "TIME", default_value = "100us", requires = "balancer")]
    pub decision: String,
    /// Bytes to send when a rank moves [default: what it has allocated]
    #[arg(long, value_name = "SIZE", requires = "balancer")]
    pub state: Option<String>,
}

impl MigrationArguments {
    /// The migration that these options ask for.
    pub fn request(&self) -> MigrationRequest {
        MigrationRequest {
            balancer: self.balancer.clone(),
            every: self.every.get(),
            decision: self.decision.clone(),
            state: self.state.clone(),
        }
    }
}

/// In `mpirage balance`, the cores are no rare option.
pub fn cores_first(argument: Arg) -> Arg {
    if argument.get_id() == "on_cores" { argument.help_heading(BALANCING) } else { argument }
}

/// `mpirage balance`.
#[derive(Clone, Debug, Args)]
pub struct BalanceArguments {
    /// Balancers to compare: names, or files of executables (./mine.py)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', default_value = "none,greedy,refine", help_heading = BALANCING)]
    pub balancer: Vec<String>,
    /// Balance at every so many calls of AMPI_Migrate
    #[arg(long, value_name = "K,…", value_delimiter = ',', default_value = "20", help_heading = BALANCING)]
    pub every: Vec<NonZero<u32>>,
    /// Time that a decision takes, beside the barrier before it
    #[arg(long, value_name = "TIME", default_value = "100us", help_heading = BALANCING)]
    pub decision: String,
    /// Bytes to send when a rank moves [default: as traced]
    #[arg(long, value_name = "SIZE", help_heading = BALANCING)]
    pub state: Option<String>,
    /// The process grid of the trace, such as 16x16; the last coordinate changes fastest, as in MPI_Cart_create
    #[arg(long, value_name = "GRID", help_heading = BALANCING)]
    pub grid: Option<String>,
    /// Balance these coarser process grids too: the trace is aggregated to them; a program runs on each for its calls, with the computation of --grid
    #[arg(long, value_name = "GRID,…", value_delimiter = ',', help_heading = BALANCING)]
    pub decompose: Vec<String>,
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Simulations at the same time; the result does not depend on it [default: the cores of this machine]
    #[arg(long, value_name = "N", help_heading = RESULTS)]
    pub jobs: Option<NonZero<usize>>,
    /// The result as JSON.
    #[command(flatten)]
    pub json: JsonArgument,
    /// Write an HTML page: makespans, average load over time, and the load of each core in each iteration
    #[arg(long, value_name = "FILE.html", help_heading = RESULTS)]
    pub report: Option<PathBuf>,
    /// Do not print the table
    #[arg(short, long, overrides_with = "quiet", help_heading = RESULTS)]
    pub quiet: bool,
    /// Computation: traced or none [default: as in the traced run]; of a program, measured or none [default: measured]
    #[arg(long, value_name = "HOW", help_heading = COMPUTATION)]
    pub compute: Option<String>,
    /// Speed of the machine on which computation was measured
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// Ranks of a program [default: those of --grid]
    #[arg(short, long = "np", value_name = "N", help_heading = BALANCING)]
    pub n: Option<u32>,
    /// A trace whose ranks call AMPI_Migrate, or a program, which is traced first
    #[arg(value_name = "TRACE|PROGRAM", help_heading = "Arguments")]
    pub trace: String,
    /// Arguments of the program, after --; {grid} and {ranks} stand for the process grid and the number of ranks
    #[arg(last = true, value_name = "ARGUMENTS", help_heading = "Arguments")]
    pub program_arguments: Vec<String>,
}

impl BalanceArguments {
    /// The study of a trace: the one that the user named, or one made from it. `compute` says which of its computation takes time.
    pub fn study(&self, trace: &str, compute: Option<&str>) -> StudyRequest {
        StudyRequest {
            name: self.trace.clone(),
            trace: trace.to_owned(),
            machine: self.machine.request(),
            compute: compute.map(str::to_owned),
            host_speed: self.host_speed.clone(),
            balancer: self.balancer.clone(),
            every: self.every.clone(),
            decision: self.decision.clone(),
            state: self.state.clone(),
            jobs: self.jobs,
        }
    }
}
