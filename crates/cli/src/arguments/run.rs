//! `mpirage run` and `mpirage emulate`.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{Arg, Parser};
use mpirage_simulation::{ProgramPart, RunRequest};

use super::{
    COMPATIBILITY, COMPUTATION, CallPathArgument, ENVIRONMENT, EXECUTION, MachineArguments,
    MigrationArguments, PACE, ResultArguments, time_limit,
};
use crate::examples;
use crate::exit::{Failure, usage};

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
    #[arg(short, long = "np", value_name = "N", value_parser = number_of_ranks)]
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
    /// How many processes hold the folded ranks, which then compute on so many cores: a number, or auto (one per core, once ranks prove to
    /// run for long between calls); simulated time does not depend on it
    #[arg(long, default_value = "1", value_name = "N", help_heading = EXECUTION)]
    pub workers: String,
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
    /// Binary interface of MPI that the program has: auto (its libraries say it; of Python those of mpi4py), mpi5, mpich or openmpi
    #[arg(long, value_name = "INTERFACE", default_value = "auto", help_heading = EXECUTION)]
    pub mpi_abi: String,
    /// Speed of this machine, such as 5Gf; measured once if not given, `measure` measures it again
    #[arg(long, value_name = "SPEED", help_heading = COMPUTATION)]
    pub host_speed: Option<String>,
    /// Stop if a rank computes longer than this many seconds without calling MPI
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, help_heading = EXECUTION)]
    pub rank_timeout: Option<f64>,
    /// Simulate the same calls this many times with other random numbers (--seed, --seed + 1, …), on all cores of this machine; report median, interval and modes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000), help_heading = "Results")]
    pub repeat: Option<u32>,
    /// Call paths.
    #[command(flatten)]
    pub call_paths: CallPathArgument,
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
    #[arg(long, overrides_with = "oversubscribe", help_heading = COMPATIBILITY)]
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

impl RunArguments {
    /// The run that they ask for, without its programs.
    pub fn request(&self) -> Result<RunRequest, Failure> {
        let own = self.clone();
        Ok(RunRequest {
            machine: self.machine.request(),
            outputs: self.results.request()?,
            migration: self.migration.request(),
            compute: own.compute,
            ranks_as: own.ranks_as,
            workers: own.workers,
            clock: own.clock,
            io: own.io,
            universe_size: own.universe_size,
            cores: own.cores,
            run_ahead: own.run_ahead,
            data_plane: own.data_plane,
            share_malloc: own.share_malloc,
            host_speed: own.host_speed,
            rank_timeout: own.rank_timeout,
            repeat: own.repeat,
            call_paths: own.call_paths.call_paths,
            ..RunRequest::default()
        })
    }

    /// The program and its ranks.
    pub fn part(&self) -> Result<ProgramPart, Failure> {
        Ok(ProgramPart {
            words: self.program.clone(),
            ranks: self.n.unwrap_or(1),
            wdir: self.wdir.clone(),
            environment: self.environment()?,
            mpi_abi: self.mpi_abi.clone(),
        })
    }

    fn environment(&self) -> Result<Vec<(OsString, OsString)>, Failure> {
        let mut variables = Vec::new();
        for export in &self.export {
            match export.split_once('=') {
                Some((name, value)) => variables.push((name.into(), value.into())),
                None => match std::env::var_os(export) {
                    Some(value) => variables.push((export.into(), value)),
                    None => {
                        return Err(usage(format!(
                            "-x {export}: the environment has no such variable; use -x {export}=VALUE"
                        )));
                    }
                },
            }
        }
        variables.extend(self.env.chunks(2).map(|pair| (pair[0].clone().into(), pair[1].clone().into())));
        Ok(variables)
    }
}

/// `mpirage emulate`: the options of `run`, and the pace.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "mpirage emulate",
    about = "Run an MPI program in real time on a simulated network, slowed down by a time factor",
    version,
    max_term_width = 100,
    after_help = examples::EMULATE,
    mut_args = listed_in_emulate
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

/// Options of `run` that an emulation refuses: its help does not list them.
#[rustfmt::skip]
const UNLISTED: [&str; 11] = [
    "balancer", "clock", "compute", "decision", "every", "live", "ranks_as", "repeat", "state", "universe_size", "workers",
];

fn listed_in_emulate(argument: Arg) -> Arg {
    let unlisted = UNLISTED.contains(&argument.get_id().as_str());
    if unlisted { argument.hide(true) } else { argument }
}

/// A number of ranks.
fn number_of_ranks(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "expected a number of ranks, such as 16".to_owned())
}
