//! A simulation as a function: a machine, what runs on it, and what came of it.
//!
//! ```
//! use mpirage_simulation::{Machine, MachineRequest, Simulation, Unwatched, open_workload};
//!
//! let platform = Some("fat-tree:4x4".to_owned());
//! let machine = Machine::new(&MachineRequest { platform, ..MachineRequest::default() }, 16)?;
//! let mut workload = open_workload("gen:halo2d,ranks=16,bytes=1MiB")?;
//! let halo = Simulation::new(&machine).replay(workload.as_mut(), &mut Unwatched)?;
//! assert!(halo.seconds() > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Replay`] does the same with files, figures and a diagnosis. Nothing here prints.

mod balance;
mod balancing;
mod briefing;
mod captures;
pub mod check;
mod competition;
pub mod costs;
mod deadlock;
mod diagnosis;
mod disturbed;
pub mod door;
mod emulation;
mod energy;
pub mod failure;
mod figures;
mod findings;
mod governor;
pub mod host_speed;
pub mod hosts;
mod interrupt;
mod job_recorder;
pub mod jobs;
pub mod json;
pub mod limits;
mod live;
mod machine;
mod outputs;
mod pattern_times;
mod programs;
mod recordings;
pub mod repetition;
mod replay;
pub mod reporting;
mod run;
mod simulation;
mod source_lines;
mod spread;
mod traced;
mod traces;
mod trust;
mod wanted;
pub mod words;
pub mod workload;

pub use balance::{Case, CaseOutcome, Study, StudyRequest};
pub use balancing::{BalancingFigures, MigrationRequest, decisions, imbalance, plan as plan_migration};
pub use captures::Captures;
pub use competition::Competition;
pub use deadlock::{Awaited, BlockedCall, Deadlock, Source as CallSource};
pub use diagnosis::{Diagnosis, Explained, Places, SourcePlace};
pub use disturbed::DisturbedFigures;
pub use emulation::{Emulation, EmulationFigures, Try, allowed_lag, round as round_factor};
pub use energy::{EnergyFigures, HostEnergyFigures, PowerFigures, WaitingFigures, WaitingFunction};
pub use failure::Failure;
pub use figures::{Efficiency, Figures, FileFigures, outcome_name};
pub use interrupt::Interrupt;
pub use job_recorder::JobRecorder;
pub use live::{Live, Look};
pub use machine::{Machine, MachineRequest, VirtualProcessors, choice, load_platform, resolve_model};
pub use outputs::{Failures, OutputRequest, YES_OR_NO, open, open_report, scribe};
pub use pattern_times::{collective, ping_pong};
pub use programs::{
    Execution, LinesOfPrograms, ProgramJob, ProgramRun, Ran, RanPlaces, RankOptions, exit_code,
};
pub use recordings::{Recordings, Source, run_info};
pub use replay::{ReplayError, StopIf, Unwatched, Watch, run as run_workload};
pub use run::{CALLERS_IN_REPORTS, Measured, ProgramPart, Purpose, Run, RunRequest};
pub use simulation::{Charged, JobShape, Replayed, Simulation};
pub use source_lines::{PathRecorder, ProgramSymbols, SourceLines};
pub use spread::{Mode, Spread};
pub use traced::{Ended, Replay, ReplayRequest, TimedReplay};
pub use traces::{TraceJob, Traces};
pub use trust::{Measurement, Part as TrustPart, Trust, collective_error};

pub use mpirage_rank::SoFar;
pub use mpirage_trace::{Workload, open as open_workload};
