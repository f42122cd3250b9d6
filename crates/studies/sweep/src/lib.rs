//! Studies of parameters: one command with many values, run in parallel, killed and resumed, shown as tables and one page.
//!
//! ```text
//! STUDY.toml ── study ──► design ──► case          what to run: combinations, command lines, keys
//!                                     │
//!                folder: todo ─rename─► running ─► done, failed      worker: one process of mpirage for each case
//!                                     │                              slurm: workers as jobs of a batch system
//!                                   table ──► results.csv, .parquet; host; failures
//!                                     │
//!                                   page ──► index.html: ranking, main effects, small multiples, Pareto front
//! ```
//!
//! Nothing here prints. The command gives a [`Launcher`], which starts processes, and a [`Watch`], which shows what happens.

mod analysis;
mod case;
mod design;
mod document;
mod error;
mod expression;
mod folder;
pub mod measure;
mod memory;
mod outcome;
mod page;
mod parameter;
mod plots;
mod ranking;
mod read_values;
mod roles;
mod scaling;
mod scratch;
mod slurm;
mod speed_up;
mod study;
mod table;
mod template;
mod verdict;
mod worker;

pub use analysis::{Analysis, Group};
pub use case::{Case, CaseKey, CaseSpec};
pub use error::{StudyError, SweepError};
pub use folder::{Claim, DriverLock, StudyFolder, WorkerId};
pub use memory::available_memory;
pub use mpirage_system::quoted;
pub use outcome::{Ending, Outcome};
pub use page::write_page;
pub use parameter::{Level, Parameter};
pub use ranking::{Problem, Ranked};
pub use slurm::{Slurm, SlurmPlan, SlurmWatch};
pub use study::Study;
pub use table::{Results, Row, unfinished};
pub use worker::{Launcher, Limits, Watch, Worker, command_line};
