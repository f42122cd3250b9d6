//! Several programs and traces beside each other on one machine.

mod file;
mod plan;

pub use file::{CoreSharing, JobSpec, JobsFile, What};
pub use plan::{Job, JobsPlan, JobsRequest};
