//! The records of one job of several: its own ranks, numbered from 0, and times since its start.

use std::ops::Range;

use mpirage_call::wire::PlainCall;
use mpirage_call::{Reply, Stamp};
use mpirage_kernel::NetworkHistory;
use mpirage_record::{Details, MessageRecord, Record, Recorder};
use mpirage_units::Time;

/// Passes on what concerns the ranks of a job.
pub struct JobRecorder<R> {
    ranks: Range<u32>,
    start: Time,
    recorder: R,
    messages: Vec<MessageRecord>,
}

impl<R> JobRecorder<R> {
    /// A recorder of these ranks of the run, which start at this time.
    pub fn new(ranks: Range<u32>, start: Time, recorder: R) -> JobRecorder<R> {
        JobRecorder { ranks, start, recorder, messages: Vec::new() }
    }

    /// The rank in its job.
    fn own(&self, rank: u32) -> Option<u32> {
        self.ranks.contains(&rank).then(|| rank - self.ranks.start)
    }

    /// The time since the start of the job.
    fn time(&self, at: Time) -> Time {
        Time::from_picos(at.as_picos().saturating_sub(self.start.as_picos()))
    }

    /// The same message, as the job sees it.
    fn message(&self, message: &MessageRecord) -> Option<MessageRecord> {
        let (from, to) = (self.own(message.from)?, self.own(message.to)?);
        let (sent, departed) = (self.time(message.sent), self.time(message.departed));
        let (arrived, delivered) = (self.time(message.arrived), self.time(message.delivered));
        Some(MessageRecord { from, to, sent, departed, arrived, delivered, ..*message })
    }

    /// The same record, as the job sees it; `members` holds the members of a communicator.
    fn own_record<'a>(&self, record: &Record<'a>, members: &'a mut Vec<u32>) -> Option<Record<'a>> {
        Some(match *record {
            Record::Call { rank, function, entered, left, site, details } => Record::Call {
                rank: self.own(rank)?,
                function,
                entered: self.time(entered),
                left: self.time(left),
                site,
                details,
            },
            Record::Burst { rank, start, end, work, beside } => Record::Burst {
                rank: self.own(rank)?,
                start: self.time(start),
                end: self.time(end),
                work,
                beside,
            },
            Record::Pause { rank, start, end } => {
                Record::Pause { rank: self.own(rank)?, start: self.time(start), end: self.time(end) }
            }
            Record::Message(message) => Record::Message(self.message(&message)?),
            Record::Comm { context, members: all } => {
                members.clear();
                for &member in all {
                    members.push(self.own(member)?);
                }
                Record::Comm { context, members }
            }
            Record::Schedule { rank, number, context, kind, method, entered, call } => Record::Schedule {
                rank: self.own(rank)?,
                number,
                context,
                kind,
                method,
                entered: self.time(entered),
                call,
            },
            Record::End { rank, at, blocked, ideal } => Record::End {
                rank: self.own(rank)?,
                at: self.time(at),
                blocked: blocked.map(|(since, function, site)| (self.time(since), function, site)),
                // Ideal clocks start with their ranks.
                ideal,
            },
        })
    }
}

impl<R: Recorder> Recorder for JobRecorder<R> {
    fn record(&mut self, record: &Record<'_>) {
        let mut members = Vec::new();
        if let Some(own) = self.own_record(record, &mut members) {
            self.recorder.record(&own);
        }
    }

    fn call(&mut self, rank: u32, stamp: &Stamp, entered: Time, left: Time, details: Option<Details<'_>>) {
        if let Some(rank) = self.own(rank) {
            self.recorder.call(rank, stamp, self.time(entered), self.time(left), details);
        }
    }

    fn post(&mut self, rank: u32, at: Time, call: &PlainCall<'_>, reply: &Reply) {
        if let Some(rank) = self.own(rank) {
            self.recorder.post(rank, self.time(at), call, reply);
        }
    }

    fn messages(&mut self, messages: &[MessageRecord]) {
        let mut own = std::mem::take(&mut self.messages);
        own.clear();
        own.extend(messages.iter().filter_map(|message| self.message(message)));
        if !own.is_empty() {
            self.recorder.messages(&own);
        }
        self.messages = own;
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        if let Some(rank) = self.own(rank) {
            self.recorder.thread(rank, thread);
        }
    }

    fn never_returned(&mut self, rank: u32, stamp: &Stamp, since: Time, until: Time) {
        if let Some(rank) = self.own(rank) {
            self.recorder.never_returned(rank, stamp, self.time(since), self.time(until));
        }
    }

    fn handed_over(&mut self, rank: u32) {
        if let Some(rank) = self.own(rank) {
            self.recorder.handed_over(rank);
        }
    }

    fn woken(&mut self, rank: u32, thread: u32, by: u32) {
        if let Some(rank) = self.own(rank) {
            self.recorder.woken(rank, thread, by);
        }
    }

    fn call_path(&mut self, rank: u32, site: u64, frames: &[u64]) {
        if let Some(rank) = self.own(rank) {
            self.recorder.call_path(rank, site, frames);
        }
    }

    fn samples(&mut self, rank: u32, path: u64, count: u32) {
        if let Some(rank) = self.own(rank) {
            self.recorder.samples(rank, path, count);
        }
    }

    fn network(&mut self, history: &NetworkHistory) {
        self.recorder.network(history);
    }

    fn wants_arguments(&self) -> bool {
        self.recorder.wants_arguments()
    }

    fn wants_collectives_again(&self) -> bool {
        self.recorder.wants_collectives_again()
    }

    fn wants_ideal(&self) -> bool {
        self.recorder.wants_ideal()
    }

    // Network records count from the start of the run, so a job that starts later cannot use them.
    fn wants_network(&self) -> bool {
        self.start == Time::ZERO && self.recorder.wants_network()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use mpirage_record::Summary;

    use super::*;

    #[test]
    fn ranks_of_other_jobs_are_left_out() {
        let summary = Rc::new(RefCell::new(Summary::default()));
        let mut recorder = JobRecorder::new(2..4, Time::from_picos(10), Rc::clone(&summary));
        for rank in 0..5 {
            let (start, end) = (Time::from_picos(10), Time::from_picos(15));
            let work = mpirage_call::Work::Nanos(1);
            recorder.record(&Record::Burst { rank, start, end, work, beside: false });
        }
        assert_eq!(summary.borrow().busy_picos, [5, 5]);
        assert_eq!(recorder.time(Time::from_picos(12)), Time::from_picos(2));
    }
}
