//! The request for a run of programs.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use mpirage_programs::{ProgramRequest, share_malloc};
use mpirage_rank::{DataPlane, Program, RunAhead};
use serde::Deserialize;

use super::measured;
use crate::balancing::MigrationRequest;
use crate::failure::{Failure, usage};
use crate::json::{self, Unknown};
use crate::limits::{self, RankKind};
use crate::machine::MachineRequest;
use crate::outputs::OutputRequest;
use crate::words::choose;

/// Callers of each call that reports show if the user says nothing.
pub const CALLERS_IN_REPORTS: u32 = 32;

const DATA_PLANES: [(&str, DataPlane); 2] = [("direct", DataPlane::Direct), ("mailbox", DataPlane::Mailbox)];
const RUN_AHEAD: [(&str, RunAhead); 3] =
    [("auto", RunAhead::Auto), ("always", RunAhead::Always), ("never", RunAhead::Never)];

/// A run that is asked for. Fields have the names of the options of `mpirage run`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct RunRequest {
    /// The programs, each with its ranks.
    pub programs: Vec<ProgramPart>,
    /// The machine.
    #[serde(flatten)]
    pub machine: MachineRequest,
    /// The files that it writes.
    #[serde(flatten)]
    pub outputs: OutputRequest,
    /// How ranks move between cores.
    #[serde(flatten)]
    pub migration: MigrationRequest,
    /// Where computation times come from: `measured`, `none`, `recorded:FILE` or `repeat:N`.
    pub compute: String,
    /// How ranks are executed: `auto`, `processes` or `folded`.
    pub ranks_as: String,
    /// How many processes hold the folded ranks.
    #[serde(deserialize_with = "json::word")]
    pub workers: String,
    /// The time that the program's clocks return: `simulated` or `real`.
    pub clock: String,
    /// The accesses to files that take simulated time: `mpi` or `posix`.
    pub io: String,
    /// Room for this many ranks in all, with those that ranks start.
    pub universe_size: Option<u32>,
    /// Cores of this machine to use at most.
    pub cores: Option<NonZero<usize>>,
    /// When ranks run ahead of simulated time: `auto`, `always` or `never`.
    pub run_ahead: String,
    /// How bytes move between processes: `direct` or `mailbox`.
    pub data_plane: String,
    /// The size of the smallest allocation that ranks share.
    pub share_malloc: Option<String>,
    /// Speed of this machine; by default it is measured once.
    pub host_speed: Option<String>,
    /// The longest that a rank may compute without calling MPI, in seconds.
    pub rank_timeout: Option<f64>,
    /// Runs with other random numbers, this one included.
    pub repeat: Option<u32>,
    /// Callers that tell calls apart.
    pub call_paths: Option<u32>,
    /// Settings that do not exist: [`crate::door::Request`] refuses them.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// A program and its ranks.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct ProgramPart {
    /// Its name and its arguments.
    #[serde(deserialize_with = "json::arguments")]
    pub words: Vec<OsString>,
    /// The number of its ranks.
    pub ranks: u32,
    /// The folder in which it runs.
    pub wdir: Option<PathBuf>,
    /// Variables of its environment besides those of this process.
    #[serde(deserialize_with = "json::variables")]
    pub environment: Vec<(OsString, OsString)>,
    /// For which MPI it was built: `auto`, `mpi5`, `mpich` or `openmpi`.
    pub mpi_abi: String,
}

impl Default for ProgramPart {
    fn default() -> ProgramPart {
        ProgramPart {
            words: Vec::new(),
            ranks: 1,
            wdir: None,
            environment: Vec::new(),
            mpi_abi: "auto".to_owned(),
        }
    }
}

impl Default for RunRequest {
    fn default() -> RunRequest {
        RunRequest {
            programs: Vec::new(),
            machine: MachineRequest::default(),
            outputs: OutputRequest::default(),
            migration: MigrationRequest::default(),
            compute: "measured".to_owned(),
            ranks_as: "auto".to_owned(),
            workers: "1".to_owned(),
            clock: "simulated".to_owned(),
            io: "mpi".to_owned(),
            universe_size: None,
            cores: None,
            run_ahead: "auto".to_owned(),
            data_plane: "direct".to_owned(),
            share_malloc: None,
            host_speed: None,
            rank_timeout: None,
            repeat: None,
            call_paths: None,
            unknown: Unknown::default(),
        }
    }
}

/// Where computation times come from.
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

impl Compute {
    /// Reads the value of `--compute`.
    pub fn parse(text: &str) -> Result<Compute, Failure> {
        let wrong = || {
            usage(format!(
                "--compute {text}: expected measured, none, recorded:FILE or repeat:N (1 to 1000 runs)"
            ))
        };
        match text.split_once(':') {
            None if text == "measured" => Ok(Compute::Measured),
            None if text == "none" => Ok(Compute::None),
            Some(("recorded", file)) if !file.is_empty() => Ok(Compute::Recorded(file.into())),
            Some(("repeat", runs)) => measured::number_of_runs(runs).map(Compute::Repeat).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }
}

impl RunRequest {
    /// The program of each rank.
    pub fn resolve(&self) -> Result<Vec<Arc<Program>>, Failure> {
        let ranks = self.programs.iter().map(|part| u64::from(part.ranks)).sum();
        // Before anything is allocated for them.
        limits::check_ranks(&format!("-n {ranks}"), ranks, RankKind::Folded)?;
        let mut programs = Vec::new();
        let smallest_shared = self.smallest_shared()?;
        for part in &self.programs {
            let request = ProgramRequest {
                words: &part.words,
                folder: part.wdir.clone(),
                environment: part.environment.clone(),
                interface: &part.mpi_abi,
                smallest_shared,
            };
            let program = Arc::new(request.resolve()?);
            programs.extend((0..part.ranks).map(|_| Arc::clone(&program)));
        }
        if programs.is_empty() {
            return Err(usage("-n 0: there must be at least one rank"));
        }
        Ok(programs)
    }

    /// Allocations of at least this many bytes share memory between ranks; zero: none does.
    pub(super) fn smallest_shared(&self) -> Result<u64, Failure> {
        Ok(share_malloc::parse(self.share_malloc.as_deref())?)
    }

    pub(super) fn data_plane(&self) -> Result<DataPlane, Failure> {
        choose("--data-plane", &self.data_plane, &DATA_PLANES)
    }

    pub(super) fn run_ahead(&self) -> Result<RunAhead, Failure> {
        choose("--run-ahead", &self.run_ahead, &RUN_AHEAD)
    }

    /// Callers of each call that are recorded. Recorded costs are those of as many calls: paths would be more.
    pub(super) fn callers(&self, compute: &Compute) -> u32 {
        let is_new = matches!(compute, Compute::Measured | Compute::None);
        let in_report = if is_new && self.outputs.has_report() { CALLERS_IN_REPORTS } else { 0 };
        self.call_paths.unwrap_or(in_report)
    }

    /// Do calls on different paths have different names?
    pub(super) fn tells_paths_apart(&self) -> bool {
        self.call_paths.is_some_and(|callers| callers > 0)
    }
}
