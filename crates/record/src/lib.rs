//! What happened, as one stream of records.
//!
//! The simulator writes [`Record`]s; everything that shows or stores a run reads them: the summary
//! here, and later the trace formats and the report. Nothing else observes a run, and nobody who
//! reads can change it.

mod summary;

pub use summary::Summary;

use mpirage_units::Time;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record {
    /// A rank was in an MPI function.
    Call {
        /// Which rank of the world.
        rank: u32,
        /// Index of the function in the table.
        function: u16,
        /// When it was called.
        entered: Time,
        /// When it returned.
        left: Time,
        /// The instruction it returned to.
        site: u64,
    },
    /// A rank computed.
    Burst {
        /// Which rank of the world.
        rank: u32,
        /// From when.
        start: Time,
        /// Until when.
        end: Time,
    },
    /// A message was delivered.
    Message {
        /// From which rank of the world.
        from: u32,
        /// To which rank of the world.
        to: u32,
        /// How many bytes.
        bytes: u64,
        /// Its tag.
        tag: i32,
        /// When it was sent.
        sent: Time,
        /// When it had arrived and was matched.
        delivered: Time,
        /// Is it a part of a collective?
        collective: bool,
    },
}

/// Somebody who wants to know.
pub trait Recorder {
    /// Takes note of a record. Records come in the order in which they end.
    fn record(&mut self, record: &Record);
}

/// Several consumers of one stream.
impl Recorder for Vec<Box<dyn Recorder>> {
    fn record(&mut self, record: &Record) {
        for recorder in self {
            recorder.record(record);
        }
    }
}
