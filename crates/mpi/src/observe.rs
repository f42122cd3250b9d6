//! Observers of a run: the recorder, and ideal clocks if the recorder wants them.

use mpirage_call::wire::NonblockingCall;
use mpirage_call::{RankId, Reply, Stamp};
use mpirage_kernel::NetworkHistory;
use mpirage_record::{Details, Message, Record, Recorder};
use mpirage_units::{Duration, Time};

use crate::figures::{Figures, RankFigures};
use crate::ideal::IdealClocks;

/// Messages that are kept before the recorder gets them: so few that they are still in a near cache then.
const KEPT: usize = 16;

/// Hands records to the recorder.
///
/// Messages are delivered one after the other, each with a copy of its bytes, and a store between two copies waits for the
/// first of them (store forwarding). So delivered messages are kept and handed over in batches, or before any other record:
/// the recorder sees everything in order.
pub(crate) struct Observers {
    recorder: Box<dyn Recorder>,
    kept: Vec<Message>,
    wants_arguments: bool,
    wants_collectives_again: bool,
    ideal: Option<Box<IdealClocks>>,
    /// What ranks ask for, from the first time on that one has asked.
    figures: Option<Box<Figures>>,
}

impl Observers {
    pub(crate) fn new(recorder: Box<dyn Recorder>) -> Observers {
        Observers {
            wants_arguments: recorder.wants_arguments(),
            wants_collectives_again: recorder.wants_collectives_again(),
            ideal: recorder.wants_ideal().then(Box::default),
            figures: None,
            kept: Vec::with_capacity(KEPT),
            recorder,
        }
    }

    /// Does the recorder want the arguments of calls?
    #[inline]
    pub(crate) fn wants_arguments(&self) -> bool {
        self.wants_arguments
    }

    /// Does it want those of collectives when they are over, too?
    #[inline]
    pub(crate) fn wants_collectives_again(&self) -> bool {
        self.wants_collectives_again
    }

    /// The ideal clocks of schedules, if the recorder wants to know what they say.
    #[inline]
    pub(crate) fn ideal(&mut self) -> Option<&mut IdealClocks> {
        self.ideal.as_deref_mut()
    }

    /// Are there ideal clocks?
    #[inline]
    pub(crate) fn has_ideal(&self) -> bool {
        self.ideal.is_some()
    }

    /// Does the recorder want to see the network over time?
    pub(crate) fn wants_network(&self) -> bool {
        self.recorder.wants_network()
    }

    /// A further thread of a rank calls MPI.
    pub(crate) fn thread(&mut self, rank: RankId) {
        self.recorder.thread(rank.get());
    }

    /// A rank calls along a new path.
    pub(crate) fn call_path(&mut self, rank: RankId, site: u64, frames: &[u64]) {
        self.recorder.call_path(rank.get(), site, frames);
    }

    /// The network over time.
    pub(crate) fn network(&mut self, history: &NetworkHistory) {
        self.flush();
        self.recorder.network(history);
    }

    /// Something happened.
    #[inline]
    pub(crate) fn record(&mut self, record: &Record<'_>) {
        self.flush();
        self.recorder.record(record);
    }

    /// An MPI function is over.
    #[inline]
    pub(crate) fn call(
        &mut self,
        rank: RankId,
        stamp: &Stamp,
        (entered, left): (Time, Time),
        details: Option<Details<'_>>,
    ) {
        self.flush();
        self.recorder.call(rank.get(), stamp, entered, left, details);
    }

    /// A send or a receive with a request is over; it took no time.
    #[inline]
    pub(crate) fn post(&mut self, rank: RankId, at: Time, call: &NonblockingCall, reply: &Reply) {
        self.flush();
        self.recorder.post(rank.get(), at, call, reply);
    }

    /// What has been counted for a rank since a rank first asked.
    pub(crate) fn figures(&mut self, rank: RankId) -> RankFigures {
        self.flush();
        self.figures.get_or_insert_default().of(rank)
    }

    /// A rank computes this long.
    #[inline]
    pub(crate) fn computes(&mut self, rank: RankId, seconds: f64) {
        if let Some(figures) = &mut self.figures {
            figures.computes(rank, Duration::from_secs_f64(seconds));
        }
    }

    /// A message was delivered.
    #[inline]
    pub(crate) fn message(&mut self, message: Message) {
        if self.kept.len() == KEPT {
            self.flush();
        }
        self.kept.push(message);
    }

    /// Hands over the messages that are kept.
    #[inline]
    pub(crate) fn flush(&mut self) {
        if !self.kept.is_empty() {
            if let Some(figures) = &mut self.figures {
                figures.messages(&self.kept);
            }
            self.recorder.messages(&self.kept);
            self.kept.clear();
        }
    }
}

impl Drop for Observers {
    fn drop(&mut self) {
        self.flush();
    }
}
