//! Runs as files for viewers and for analysis: everything that has dates.
//!
//! ```text
//!             ┌─► Paraver    .prv .pcf .row    sorted by time: sorted pieces in a file, merged at the end
//! records ────┼─► Perfetto   .pftrace          one packet after the other
//!             ├─► Paje       .paje             sorted like Paraver
//!             └─► tables     .parquet/ .csv/   columns, flushed by the row group
//! ```
//!
//! Each writer is a [`mpirage_record::Recorder`] that streams: its memory grows with ranks, communicators and messages
//! that are under way, not with the length of the run. Files appear only when complete ([`mpirage_record::Writer::finish`], `mpirage_outfile`).
//!
//! [`LinkUse`] tells how much of each link was used when; several writers and the report have it. So have they
//! [`arguments`], [`comms`], [`function`] and [`Places`]: what calls mean.

pub mod arguments;
pub mod comms;
mod create;
mod error;
mod flows;
pub mod function;
mod lanes;
pub mod links;
mod paje;
mod paraver;
mod perfetto;
mod run_info;
mod sites;
mod sorted;
mod tables;
#[cfg(test)]
mod testing;
mod text;

pub use create::{EXTENSIONS, create};
pub use error::TimelineError;
pub use links::LinkUse;
pub use run_info::RunInfo;
pub use sites::{Copies, Places, Sites};
