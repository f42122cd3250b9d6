//! Runs as files for viewers and for analysis: everything that has dates.
//!
//! ```text
//!             ┌─► Paraver    .prv .pcf .row    sorted by time: sorted pieces in a file, merged at the end
//! records ────┼─► Perfetto   .pftrace          one packet after the other
//!             ├─► Paje       .paje             sorted like Paraver
//!             ├─► OTF2       .otf2 .def folder blocks of all locations in a file, split at the end
//!             └─► tables     .parquet/ .csv/   columns, flushed by the row group
//! ```
//!
//! Each writer is a [`mpirage_record::Recorder`] that streams: its memory grows with ranks, communicators and messages
//! that are under way, not with the length of the run. Files appear only when complete ([`mpirage_record::Writer::finish`], `mpirage_files`).
//!
//! [`write_columns`] writes a table that is in memory already, such as the results of a study.
//!
//! The meaning of calls and the use of links come from `mpirage_interpret`.

mod columns;
mod create;
mod error;
mod flows;
mod lanes;
mod otf2;
mod paje;
mod paraver;
mod perfetto;
mod sorted;
mod tables;
#[cfg(test)]
mod testing;
mod text;
mod threads;

pub use columns::{Column, Values, write_columns};
pub use create::{EXTENSIONS, create};
pub use error::TimelineError;
