//! Several programs and traces beside each other on one machine.

mod ending;
mod figures;
mod file;
mod plan;
mod run;

pub use figures::{JobFigures, JobsFigures};
pub use file::{CoreSharing, JobSpec, JobsFile, What};
pub use plan::{Job, JobsPlan, JobsRequest};
pub use run::{Alone, JobsEnded, JobsRun};
