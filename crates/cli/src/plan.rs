//! Turns the arguments of `mpirage run` into everything a run needs, and checks it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::CommandFactory;
use mpirage_rank::{DataPlane, Program, RunAhead};

use crate::arguments::{CheckArguments, EmulateArguments, RunArguments};
use crate::check::CheckRun;
use crate::costs::Recording;
use crate::emulation::Emulation;
use crate::exit::{Failure, usage};
use crate::limits::{self, RankKind};
use crate::machine::Machine;
use crate::rank_mode::{self, POSIX_IO, RankMode, UNIVERSE};
use crate::repeat::{self, Measured};
use crate::repetition;
use crate::words::choose;
use crate::{costs, fronts, host_speed, launcher, program_file, share_malloc, universe};

const DATA_PLANES: [(&str, DataPlane); 2] = [("direct", DataPlane::Direct), ("mailbox", DataPlane::Mailbox)];
const RUN_AHEAD: [(&str, RunAhead); 3] =
    [("auto", RunAhead::Auto), ("always", RunAhead::Always), ("never", RunAhead::Never)];

/// Where computation times come from: the value of `--compute`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compute {
    /// Measured on this machine.
    Measured,
    /// Computation takes no time.
    None,
    /// Read from this file, or recorded into it if it does not exist.
    Recorded(PathBuf),
    /// Medians of this many runs.
    Repeat(u32),
}

/// Everything a run needs, checked.
pub struct Plan {
    /// Options that are used as they were typed.
    pub arguments: RunArguments,
    /// The program of each rank.
    pub programs: Vec<Arc<Program>>,
    /// The machine, with ranks on it.
    pub machine: Machine,
    /// Where computation times come from.
    pub compute: Compute,
    /// Speed of this machine, or of the one that recorded, in flops.
    pub host_speed: f64,
    /// The costs that an earlier run recorded, if this run reuses them.
    pub recording: Option<Recording>,
    /// The result of the measuring runs of `--compute repeat:N`.
    pub repeated: Option<Measured>,
    /// Whether ranks are processes or folded.
    pub rank_mode: RankMode,
    /// Cores of this machine that ranks may use.
    pub cores_here: usize,
    /// How bytes move between processes.
    pub data_plane: DataPlane,
    /// When ranks run ahead of simulated time.
    pub run_ahead: RunAhead,
    /// True if the program's clocks show simulated time.
    pub simulated_clock: bool,
    /// True if accesses to files without MPI take simulated time.
    pub posix_io: bool,
    /// Allocations of at least this many bytes share memory between ranks; zero: none does.
    pub share_malloc: u64,
    /// The pace, if the run is an emulation.
    pub emulation: Option<Emulation>,
    /// What is different, if the run is one of a check.
    pub check: Option<CheckRun>,
    /// Doubts about the result.
    pub warnings: Vec<String>,
}

/// What runs are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Simulated time.
    Simulated,
    /// Real time.
    Emulated,
    /// Simulated time, and checks.
    Checked,
}

impl Mode {
    /// The definition of the command line.
    pub fn command(self) -> clap::Command {
        match self {
            Mode::Simulated => RunArguments::command(),
            Mode::Emulated => EmulateArguments::command(),
            Mode::Checked => CheckArguments::command(),
        }
    }
}

impl Plan {
    /// Resolves the options of the programs of one run. Options that concern the whole run are taken from the first program.
    pub fn new(jobs: Vec<RunArguments>, typed: &[OsString], mode: Mode) -> Result<Plan, Failure> {
        let programs = programs(&jobs, mode)?;
        let mut arguments = jobs.into_iter().next().ok_or_else(|| usage("no program given"))?;
        repeat::apply_environment(&mut arguments);
        let ranks = programs.len() as u32;
        let universe = universe::size(&arguments, ranks, mode)?;
        if mode == Mode::Emulated && arguments.migration.balancer.is_some() {
            return Err(usage("--balancer: ranks of an emulation do not move; use `mpirage run`"));
        }
        let mut machine = Machine::new(&arguments.machine, universe)?;
        let compute = parse_compute(&arguments.compute)?;
        if compute == Compute::None {
            machine.model.without_computation();
        }
        let recording = match &compute {
            Compute::Recorded(file) if file.exists() => Some(costs::read(file, programs.len())?),
            _ => None,
        };
        let posix_io = choose("--io", &arguments.io, &[("mpi", false), ("posix", true)])?;
        let rank_mode = match mode {
            Mode::Simulated | Mode::Checked if posix_io => {
                rank_mode::only_processes(&arguments.ranks_as, POSIX_IO)?
            }
            Mode::Simulated if universe > ranks => rank_mode::only_processes(&arguments.ranks_as, UNIVERSE)?,
            Mode::Simulated | Mode::Checked => rank_mode::decide(&arguments.ranks_as, &programs)?,
            Mode::Emulated => rank_mode::of_emulation(&arguments.ranks_as)?,
        };
        if !rank_mode.folded {
            let named = if universe > ranks { "--universe-size" } else { "-n" };
            limits::check_ranks(&format!("{named} {universe}"), universe.into(), RankKind::Process)?;
        }
        let mut warnings = std::mem::take(&mut machine.warnings);
        warnings.extend(rank_mode.warnings.iter().cloned());
        warnings.extend(repetition::doubt(arguments.repeat, &machine));
        warnings.extend(arguments.mca.chunks(2).map(|mca| format!("--mca {} is ignored", mca.join(" "))));
        let host_speed = match (mode, &arguments.host_speed) {
            // A computation takes as long as it takes here.
            (Mode::Emulated, None) => machine.first_speed(),
            _ => speed_of_this_machine(&arguments, &compute, recording.as_ref())?,
        };
        if compute != Compute::None {
            warnings.extend(machine.computation_doubt(host_speed));
        }
        let repeated = match compute {
            Compute::Repeat(runs) => Some(repeat::measure(typed, runs, programs.len(), host_speed)?),
            _ => None,
        };
        warnings.extend(repeated.as_ref().and_then(Measured::warning));
        Ok(Plan {
            host_speed,
            recording: recording.or_else(|| repeated.as_ref().map(|measured| measured.recording.clone())),
            repeated,
            rank_mode,
            cores_here: arguments.cores.or(std::thread::available_parallelism().ok()).map_or(1, usize::from),
            data_plane: choose("--data-plane", &arguments.data_plane, &DATA_PLANES)?,
            run_ahead: choose("--run-ahead", &arguments.run_ahead, &RUN_AHEAD)?,
            simulated_clock: choose("--clock", &arguments.clock, &[("simulated", true), ("real", false)])?,
            posix_io,
            share_malloc: share_malloc::parse(arguments.share_malloc.as_deref())?,
            arguments,
            programs,
            machine,
            compute,
            emulation: None,
            check: None,
            warnings,
        })
    }
}

/// The program of each rank.
pub fn programs(jobs: &[RunArguments], mode: Mode) -> Result<Vec<Arc<Program>>, Failure> {
    check_number(jobs)?;
    let mut programs = Vec::new();
    let smallest_shared = share_malloc::parse(jobs.first().and_then(|job| job.share_malloc.as_deref()))?;
    for job in jobs {
        let (path, arguments) = job.program.split_first().ok_or_else(|| usage("no program given"))?;
        if path.to_str().is_some_and(|word| word.starts_with('-')) {
            return Err(usage(launcher::unknown_option(path, &mode.command())));
        }
        job.wdir.as_deref().map_or(Ok(()), program_file::check_folder)?;
        let mut environment = environment(job)?;
        let search_path =
            environment.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| &**value);
        let path = program_file::find(Path::new(path), job.wdir.as_deref(), search_path)?;
        share_malloc::add_variables(&mut environment, smallest_shared)?;
        let (arguments, folder) = (arguments.to_vec(), job.wdir.clone());
        let mut program = Program { path, arguments, environment, folder, interface: None };
        let interface = program.check().map_err(usage)?;
        fronts::add(&mut program, &job.mpi_abi, interface)?;
        let program = Arc::new(program);
        let ranks = job.n.unwrap_or(1);
        programs.extend((0..ranks).map(|_| Arc::clone(&program)));
    }
    if programs.is_empty() {
        return Err(usage("-n 0: there must be at least one rank"));
    }
    Ok(programs)
}

/// Refuses more ranks than this machine can hold, before anything is allocated for them.
fn check_number(jobs: &[RunArguments]) -> Result<(), Failure> {
    let ranks = jobs.iter().map(|job| u64::from(job.n.unwrap_or(1))).sum();
    limits::check_ranks(&format!("-n {ranks}"), ranks, RankKind::Folded)
}

fn environment(job: &RunArguments) -> Result<Vec<(OsString, OsString)>, Failure> {
    let mut variables = Vec::new();
    for export in &job.export {
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
    variables.extend(job.env.chunks(2).map(|pair| (pair[0].clone().into(), pair[1].clone().into())));
    Ok(variables)
}

fn parse_compute(text: &str) -> Result<Compute, Failure> {
    let wrong = || {
        usage(format!(
            "--compute {text}: expected measured, none, recorded:FILE or repeat:N (1 to 1000 runs)"
        ))
    };
    match text.split_once(':') {
        None if text == "measured" => Ok(Compute::Measured),
        None if text == "none" => Ok(Compute::None),
        Some(("recorded", file)) if !file.is_empty() => Ok(Compute::Recorded(file.into())),
        Some(("repeat", runs)) => repeat::parse(runs).map(Compute::Repeat).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

/// The speed that the user gives, or the one recorded with the costs, or a measurement.
fn speed_of_this_machine(
    arguments: &RunArguments,
    compute: &Compute,
    recording: Option<&Recording>,
) -> Result<f64, Failure> {
    Ok(match (host_speed::parse(arguments.host_speed.as_deref())?, recording, compute) {
        (Some(speed), _, _) => speed,
        (None, Some(recording), _) => recording.host_speed,
        (None, None, Compute::None) => 1.0,
        (None, None, _) => host_speed::measure(),
    })
}
