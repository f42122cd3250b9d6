//! Observers of a run: the recorder, and ideal clocks if the recorder wants them.

use std::collections::HashMap;

use mpirage_call::wire::PlainCall;
use mpirage_call::{LineId, RankId, Reply, Stamp};
use mpirage_kernel::NetworkHistory;
use mpirage_record::{Details, MessageRecord, Record, Recorder};
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
    kept: Vec<MessageRecord>,
    wants_arguments: bool,
    wants_collectives_again: bool,
    ideal: Option<Box<IdealClocks>>,
    /// Counts that ranks ask for, kept from the first request on.
    figures: Option<Box<Figures>>,
    /// Lines beyond the first of their ranks, if there are any.
    threads: Option<Box<Threads>>,
}

/// The numbers of lines as threads of their ranks.
#[derive(Default)]
struct Threads {
    /// The number of each line that is not the first of its rank.
    numbers: HashMap<LineId, u32>,
    /// For each rank that has such lines, how many lines it has, and the thread that the recorder takes records to be of.
    ranks: HashMap<RankId, (u32, u32)>,
}

impl Threads {
    fn add(&mut self, line: LineId, rank: RankId) -> u32 {
        let (lines, current) = self.ranks.entry(rank).or_insert((1, 0));
        let number = *lines;
        (*lines, *current) = (number + 1, number);
        self.numbers.insert(line, number);
        number
    }

    fn number(&self, line: LineId) -> u32 {
        self.numbers.get(&line).copied().unwrap_or(0)
    }

    /// Turns to a line. Its number, if the last record of its rank was of another.
    fn turn_to(&mut self, line: LineId, rank: RankId) -> Option<u32> {
        let number = self.number(line);
        let (_, current) = self.ranks.get_mut(&rank)?;
        (std::mem::replace(current, number) != number).then_some(number)
    }
}

impl Observers {
    pub(crate) fn new(recorder: Box<dyn Recorder>) -> Observers {
        Observers {
            wants_arguments: recorder.wants_arguments(),
            wants_collectives_again: recorder.wants_collectives_again(),
            ideal: recorder.wants_ideal().then(Box::default),
            figures: None,
            threads: None,
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
    pub(crate) fn open_line(&mut self, line: LineId, rank: RankId) {
        self.flush();
        let number = self.threads.get_or_insert_default().add(line, rank);
        self.recorder.thread(rank.get(), number);
    }

    /// A line makes its next calls since the thread of another line of its rank, which was resumed, has woken its thread.
    pub(crate) fn woken(&mut self, line: LineId, by: LineId, rank: RankId) {
        if let Some(threads) = &self.threads {
            let (number, by) = (threads.number(line), threads.number(by));
            self.flush();
            self.recorder.woken(rank.get(), number, by);
        }
    }

    /// A line hands over its calls and goes on.
    pub(crate) fn handed_over(&mut self, line: LineId, rank: RankId) {
        if self.wants_arguments {
            self.flush();
            self.turn_to(line, rank);
            self.recorder.handed_over(rank.get());
        }
    }

    /// Records that follow are of this line.
    #[inline(always)]
    fn turn_to(&mut self, line: LineId, rank: RankId) {
        if let Some(threads) = &mut self.threads
            && let Some(number) = threads.turn_to(line, rank)
        {
            self.recorder.thread(rank.get(), number);
        }
    }

    /// A rank calls along a new path.
    pub(crate) fn call_path(&mut self, rank: RankId, site: u64, frames: &[u64]) {
        self.recorder.call_path(rank.get(), site, frames);
    }

    pub(crate) fn samples(&mut self, rank: RankId, path: u64, count: u32) {
        self.recorder.samples(rank.get(), path, count);
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

    /// Something happened that a line of this rank did.
    #[inline]
    pub(crate) fn record_of(&mut self, line: LineId, rank: RankId, record: &Record<'_>) {
        self.turn_to(line, rank);
        self.record(record);
    }

    /// An MPI function is over.
    #[inline(always)]
    pub(crate) fn call(
        &mut self,
        (line, rank): (LineId, RankId),
        stamp: &Stamp,
        (entered, left): (Time, Time),
        details: Option<Details<'_>>,
    ) {
        self.flush();
        self.turn_to(line, rank);
        self.recorder.call(rank.get(), stamp, entered, left, details);
    }

    /// The run is over, and a call of a further thread has not returned.
    pub(crate) fn never_returned(
        &mut self,
        (line, rank): (LineId, RankId),
        stamp: &Stamp,
        (since, until): (Time, Time),
    ) {
        self.flush();
        self.turn_to(line, rank);
        self.recorder.never_returned(rank.get(), stamp, since, until);
    }

    /// A send or a receive with a request is over; it took no time.
    #[inline]
    pub(crate) fn post(
        &mut self,
        (line, rank): (LineId, RankId),
        at: Time,
        call: &PlainCall<'_>,
        reply: &Reply,
    ) {
        self.flush();
        self.turn_to(line, rank);
        self.recorder.post(rank.get(), at, call, reply);
    }

    /// The counts of a rank since any rank first asked.
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
    pub(crate) fn message(&mut self, message: MessageRecord) {
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
