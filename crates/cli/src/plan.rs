//! Turns the arguments of `mpirage run` into everything a run needs, and checks it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::CommandFactory;
use mpirage_platform::UNMEASURED_SPEED;
use mpirage_rank::{DataPlane, Program, RunAhead};
use mpirage_simulation::{
    Emulation, Machine, OutputRequest, costs, costs::Recording, host_speed, host_speed::HostSpeed, limits,
    limits::RankKind, repetition, words::choose,
};

use crate::arguments::{CheckArguments, EmulateArguments, RunArguments};
use crate::check::CheckRun;
use crate::exit::{Failure, usage};
use crate::repeat::{self, Measured};
use crate::{launcher, universe};
use mpirage_programs::rank_mode::{self, POSIX_IO, RankMode, UNIVERSE};
use mpirage_programs::{ProgramRequest, share_malloc};

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
    /// Files that the run writes besides its figures.
    pub outputs: OutputRequest,
    /// Where computation times come from.
    pub compute: Compute,
    /// Speed of this machine, or of the one that recorded, in flops.
    pub host_speed: f64,
    /// How much rounds of its measurement differed, as a fraction; none if it was given.
    pub host_speed_spread: Option<f64>,
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
    /// The settings of this run, if it is one of the runs of a check.
    pub check: Option<CheckRun>,
    /// Doubts about the result.
    pub warnings: Vec<String>,
}

/// The purpose of a run.
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
        let mut machine = Machine::new(&arguments.machine.request(), universe)?;
        let compute = parse_compute(&arguments.compute)?;
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
        let HostSpeed { flops: host_speed, spread } = match (mode, &arguments.host_speed) {
            // A computation takes as long as it takes here.
            (Mode::Emulated, None) => HostSpeed { flops: machine.first_speed(), spread: None },
            _ => speed_of_this_machine(&arguments, &compute, recording.as_ref())?,
        };
        if compute != Compute::None {
            warnings.extend(machine.computation_doubt(host_speed));
            let is_given = arguments.host_speed.as_deref().is_some_and(|speed| speed != host_speed::AGAIN);
            warnings.extend(machine.host_speed_doubt().filter(|_| is_given && mode != Mode::Emulated));
        }
        let repeated = match compute {
            Compute::Repeat(runs) => Some(repeat::measure(typed, runs, programs.len(), host_speed)?),
            _ => None,
        };
        warnings.extend(repeated.as_ref().and_then(Measured::warning));
        Ok(Plan {
            host_speed,
            host_speed_spread: spread,
            recording: recording.or_else(|| repeated.as_ref().map(|measured| measured.recording.clone())),
            repeated,
            rank_mode,
            cores_here: arguments.cores.or(std::thread::available_parallelism().ok()).map_or(1, usize::from),
            data_plane: choose("--data-plane", &arguments.data_plane, &DATA_PLANES)?,
            run_ahead: choose("--run-ahead", &arguments.run_ahead, &RUN_AHEAD)?,
            simulated_clock: choose("--clock", &arguments.clock, &[("simulated", true), ("real", false)])?,
            posix_io,
            share_malloc: share_malloc::parse(arguments.share_malloc.as_deref())?,
            outputs: arguments.results.request()?,
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
        let path = job.program.first().ok_or_else(|| usage("no program given"))?;
        if path.to_str().is_some_and(|word| word.starts_with('-')) {
            return Err(usage(launcher::unknown_option(path, &mode.command())));
        }
        let request = ProgramRequest {
            words: &job.program,
            folder: job.wdir.clone(),
            environment: environment(job)?,
            interface: &job.mpi_abi,
            smallest_shared,
        };
        let program = Arc::new(request.resolve()?);
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
) -> Result<HostSpeed, Failure> {
    let known = |flops| Ok(HostSpeed { flops, spread: None });
    match (&arguments.host_speed, recording, compute) {
        (None, Some(recording), _) => known(recording.host_speed),
        (None, None, Compute::None) => known(UNMEASURED_SPEED),
        (option, ..) => host_speed::of_this_machine(option.as_deref()),
    }
}
