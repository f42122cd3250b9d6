//! The figures of the closing summary.

use crate::{Message, Record, Recorder};

/// Counts what a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Messages delivered, those inside collectives included.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// MPI calls.
    pub calls: u64,
    /// Picoseconds computed, over all ranks.
    pub computed_picos: u64,
}

impl Recorder for Summary {
    #[inline]
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { .. } => self.calls += 1,
            Record::Burst { start, end, .. } => self.computed_picos += end.since(start).as_picos(),
            Record::Message(Message { bytes, .. }) => {
                self.messages += 1;
                self.bytes += bytes;
            }
            Record::Pause { .. } | Record::Comm { .. } | Record::Schedule { .. } | Record::End { .. } => {}
        }
    }
}
