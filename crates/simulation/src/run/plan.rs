//! Turns a request into everything that a run needs, and checks it.

use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use mpirage_platform::UNMEASURED_SPEED;
use mpirage_programs::rank_mode::{self, POSIX_IO, RankMode, UNIVERSE};
use mpirage_rank::{DataPlane, Interface, Program, RunAhead};

use super::measured::Measured;
use super::request::{Compute, RunRequest};
use super::workers;
use crate::check::CheckRun;
use crate::costs::{self, Recording};
use crate::emulation::Emulation;
use crate::failure::{Failure, usage};
use crate::host_speed::{self, HostSpeed};
use crate::limits::{self, RankKind};
use crate::machine::Machine;
use crate::repetition;
use crate::words::choose;

/// The purpose of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Simulated time.
    Simulated,
    /// Real time.
    Emulated,
    /// Simulated time, and checks.
    Checked,
}

/// Measures computation in so many runs of so many ranks, with this speed of the machine.
pub type Measure<'a> = dyn FnMut(u32, usize, f64) -> Result<Measured, Failure> + 'a;

/// Everything that a run needs, checked.
pub struct Run {
    /// The request: options that are used as they were given.
    pub(super) request: RunRequest,
    /// The program of each rank.
    pub(super) programs: Vec<Arc<Program>>,
    /// The machine, with ranks on it.
    pub(super) machine: Machine,
    /// Where computation times come from.
    pub(super) compute: Compute,
    /// Speed of this machine, or of the one that recorded.
    pub(super) host_speed: HostSpeed,
    /// The costs that an earlier run recorded, if this run reuses them.
    pub(super) recording: Option<Recording>,
    /// The result of the measuring runs of `--compute repeat:N`.
    pub(super) repeated: Option<Measured>,
    /// Whether ranks are processes or folded.
    pub(super) rank_mode: RankMode,
    /// How many processes hold folded ranks.
    pub(super) workers: workers::Choice,
    /// Cores of this machine that ranks may use.
    pub(super) cores_here: usize,
    /// How bytes move between processes.
    pub(super) data_plane: DataPlane,
    /// When ranks run ahead of simulated time.
    pub(super) run_ahead: RunAhead,
    /// True if the program's clocks show simulated time.
    pub(super) simulated_clock: bool,
    /// True if accesses to files without MPI take simulated time.
    pub(super) posix_io: bool,
    /// The pace, if the run is an emulation.
    pub(super) emulation: Option<Emulation>,
    /// The settings of this run, if it is one of the runs of a check.
    pub(super) check: Option<CheckRun>,
    /// Doubts about the result.
    pub(super) warnings: Vec<String>,
}

impl Run {
    /// Checks a request. `measure` runs the program before the simulation, if computation is to be repeated.
    pub fn new(mut request: RunRequest, purpose: Purpose, measure: &mut Measure<'_>) -> Result<Run, Failure> {
        let programs = request.resolve()?;
        let ranks = programs.len() as u32;
        let universe = request.universe(ranks, purpose)?;
        if purpose == Purpose::Emulated && request.migration.balancer.is_some() {
            return Err(usage("--balancer: ranks of an emulation do not move; use `mpirage run`"));
        }
        let interface = programs.first().and_then(|program| program.linked_interface());
        request.machine.mpich = interface == Some(Interface::Mpich);
        let mut machine = Machine::new(&request.machine, universe)?;
        let compute = Compute::parse(&request.compute)?;
        let recording = match &compute {
            Compute::Recorded(file) if file.exists() => Some(costs::read(file, programs.len())?),
            _ => None,
        };
        let posix_io = choose("--io", &request.io, &[("mpi", false), ("posix", true)])?;
        let rank_mode = match purpose {
            Purpose::Emulated => rank_mode::of_emulation(&request.ranks_as)?,
            _ if posix_io => rank_mode::only_processes(&request.ranks_as, POSIX_IO)?,
            _ if universe > ranks => rank_mode::only_processes(&request.ranks_as, UNIVERSE)?,
            _ => rank_mode::decide(&request.ranks_as, &programs)?,
        };
        let cores_here = request.cores.map_or_else(all_cores, usize::from);
        let workers = workers::choose(&request, purpose, &rank_mode, &programs, cores_here)?;
        if !rank_mode.folded {
            let named = if universe > ranks { "--universe-size" } else { "-n" };
            limits::check_ranks(&format!("{named} {universe}"), universe.into(), RankKind::Process)?;
        }
        let mut warnings = std::mem::take(&mut machine.warnings);
        warnings.extend(rank_mode.warnings.iter().cloned());
        warnings.extend(repetition::doubt(request.repeat, &machine));
        let host_speed = match (purpose, &request.host_speed) {
            // A computation takes as long as it takes here.
            (Purpose::Emulated, None) => HostSpeed { flops: machine.first_speed(), spread: None },
            _ => speed_of_this_machine(&request, &compute, recording.as_ref())?,
        };
        if compute != Compute::None {
            warnings.extend(machine.computation_doubt(host_speed.flops));
            let is_given = request.host_speed.as_deref().is_some_and(|speed| speed != host_speed::AGAIN);
            let doubt = || machine.host_speed_doubt().filter(|_| is_given && purpose != Purpose::Emulated);
            warnings.extend(doubt());
        }
        let repeated = match compute {
            Compute::Repeat(runs) => Some(measure(runs, programs.len(), host_speed.flops)?),
            _ => None,
        };
        warnings.extend(repeated.as_ref().and_then(Measured::warning));
        Ok(Run {
            host_speed,
            recording: recording.or_else(|| repeated.as_ref().map(|measured| measured.recording.clone())),
            repeated,
            rank_mode,
            workers,
            cores_here,
            data_plane: request.data_plane()?,
            run_ahead: request.run_ahead()?,
            simulated_clock: choose("--clock", &request.clock, &[("simulated", true), ("real", false)])?,
            posix_io,
            request,
            programs,
            machine,
            compute,
            emulation: None,
            check: None,
            warnings,
        })
    }

    /// Runs in real time at this pace.
    #[must_use]
    pub fn at_pace(self, emulation: Emulation) -> Run {
        Run { emulation: Some(emulation), ..self }
    }

    /// Runs as one of the runs of a check.
    #[must_use]
    pub fn checked(mut self, check: CheckRun) -> Run {
        check.settings.apply(&mut self.machine);
        Run { check: Some(check), ..self }
    }

    /// Adds a doubt about the result.
    #[must_use]
    pub fn doubted(mut self, doubts: impl IntoIterator<Item = String>) -> Run {
        self.warnings.extend(doubts);
        self
    }

    /// The request.
    pub fn request(&self) -> &RunRequest {
        &self.request
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Number of ranks that start with the run.
    pub fn ranks(&self) -> usize {
        self.programs.len()
    }

    /// Speed of this machine in flops.
    pub fn host_speed(&self) -> f64 {
        self.host_speed.flops
    }

    /// The files of the programs.
    pub fn program_files(&self) -> Vec<&Path> {
        let mut files: Vec<&Path> = self.programs.iter().map(|program| program.path.as_path()).collect();
        files.dedup();
        files
    }

    /// The file of costs that the run reads.
    pub fn costs_read(&self) -> Option<&Path> {
        self.costs_file().filter(|_| self.recording.is_some())
    }

    /// The file of costs that the run writes.
    pub fn costs_written(&self) -> Option<&Path> {
        self.costs_file().filter(|_| self.recording.is_none())
    }

    fn costs_file(&self) -> Option<&Path> {
        match &self.compute {
            Compute::Recorded(file) => Some(file),
            Compute::Measured | Compute::None | Compute::Repeat(_) => None,
        }
    }
}

impl RunRequest {
    /// How many ranks the run has room for, if so many start with it.
    fn universe(&self, ranks: u32, purpose: Purpose) -> Result<u32, Failure> {
        let Some(size) = self.universe_size else { return Ok(ranks) };
        if size < ranks {
            return Err(usage(format!("--universe-size {size}: {ranks} ranks start with the run")));
        }
        match self.needs_all_ranks(purpose) {
            Some(other) if size > ranks => Err(usage(format!(
                "--universe-size {size}: ranks cannot start others in a run with {other} yet; leave one of the two out"
            ))),
            _ => Ok(size),
        }
    }

    /// The first feature in use that needs to know all ranks before the run.
    fn needs_all_ranks(&self, purpose: Purpose) -> Option<&'static str> {
        let cases = [
            (purpose == Purpose::Checked, "checks"),
            (purpose == Purpose::Emulated, "a pace in real time"),
            (!self.outputs.trace.is_empty(), "--trace"),
            (self.outputs.has_report(), "--report"),
            (self.repeat.is_some(), "--repeat"),
            (!matches!(self.compute.as_str(), "measured" | "none"), "recorded or repeated computation"),
            (self.machine.on_cores.is_some(), "--on-cores"),
            (self.data_plane != "direct", "--data-plane mailbox"),
        ];
        cases.into_iter().find_map(|(is, name)| is.then_some(name))
    }
}

/// The speed that the user gives, or the one recorded with the costs, or a measurement.
fn speed_of_this_machine(
    request: &RunRequest,
    compute: &Compute,
    recording: Option<&Recording>,
) -> Result<HostSpeed, Failure> {
    let known = |flops| Ok(HostSpeed { flops, spread: None });
    match (&request.host_speed, recording, compute) {
        (None, Some(recording), _) => known(recording.host_speed),
        (None, None, Compute::None) => known(UNMEASURED_SPEED),
        (option, ..) => host_speed::of_this_machine(option.as_deref()),
    }
}

fn all_cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}
