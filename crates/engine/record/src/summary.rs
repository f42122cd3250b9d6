//! The figures of the summary that ends a run.

use mpirage_call::wire::PlainCall;
use mpirage_call::{Reply, Stamp, Work};
use mpirage_units::Time;

use crate::{Details, MessageRecord, Record, Recorder, Scope};

/// Counts what a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Messages delivered, including those inside collectives.
    pub messages: u64,
    /// Those that reached their receivers before the receives were posted.
    pub unexpected: u64,
    /// Those that are part of collectives.
    pub collective: u64,
    /// Bytes of all messages.
    pub bytes: u64,
    /// MPI calls.
    pub calls: u64,
    /// Picoseconds of simulated computation, summed over all ranks.
    pub computed_picos: u128,
    /// Nanoseconds of measured computation, summed over all ranks.
    pub measured_nanos: u128,
    /// Picoseconds in which each rank did nothing but compute; shorter than the ranks if the last ones did not compute.
    pub busy_picos: Vec<u64>,
}

impl Summary {
    fn add_busy(&mut self, rank: usize, picos: u64) {
        if rank >= self.busy_picos.len() {
            self.busy_picos.resize(rank + 1, 0);
        }
        self.busy_picos[rank] += picos;
    }

    /// Counts any record but a call.
    #[inline(never)]
    fn count_other(&mut self, record: &Record<'_>) {
        match *record {
            Record::Burst { rank, start, end, work, beside } => {
                let picos = end.since(start).as_picos();
                self.computed_picos += u128::from(picos);
                if !beside {
                    self.add_busy(rank as usize, picos);
                }
                if let Work::Nanos(nanos) = work {
                    self.measured_nanos += u128::from(nanos);
                }
            }
            Record::Message(message) => self.messages(&[message]),
            Record::Call { .. }
            | Record::Pause { .. }
            | Record::Comm { .. }
            | Record::Schedule { .. }
            | Record::End { .. } => {}
        }
    }
}

impl Recorder for Summary {
    #[inline]
    fn record(&mut self, record: &Record<'_>) {
        // Calls are the most frequent records, and a jump table costs more than the count.
        match record {
            Record::Call { .. } => self.calls += 1,
            _ => self.count_other(record),
        }
    }

    #[inline]
    fn call(&mut self, _: u32, _: &Stamp, _: Time, _: Time, _: Option<Details<'_>>) {
        self.calls += 1;
    }

    #[inline]
    fn post(&mut self, _: u32, _: Time, _: &PlainCall<'_>, _: &Reply) {
        self.calls += 1;
    }

    #[inline]
    fn messages(&mut self, messages: &[MessageRecord]) {
        self.messages += messages.len() as u64;
        self.bytes += messages.iter().map(|message| message.bytes).sum::<u64>();
        self.unexpected += messages.iter().map(|message| u64::from(message.unexpected)).sum::<u64>();
        let is_collective = |message: &&MessageRecord| matches!(message.scope, Scope::Collective(_));
        self.collective += messages.iter().filter(is_collective).count() as u64;
    }
}
