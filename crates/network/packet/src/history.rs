//! Queues and connections over time, in bounded memory.
//!
//! Time has stretches of equal width, and a queue or a connection has one sample for each stretch in which something changed. When there are
//! too many samples, the width doubles and neighbours become one. So memory does not grow with the run, and what is kept does not
//! depend on anything but the run.

use mpirage_kernel::{ConnectionCounts, ConnectionSample, QueueSample};
use mpirage_units::{Duration, Time};

use crate::endpoint::EndState;
use crate::port::PortCounts;

/// The width of stretches at first: 100 ns, a frame of 1500 bytes at 120 Gbit/s.
const FIRST_WIDTH: u64 = 100_000;
/// Samples of all queues, or of all connections, at the most: 15 MiB.
const MOST: usize = 1 << 18;
/// The least that remains for each of them if they are very many.
const EACH: usize = 16;

/// Something at an instant. Two neighbours can become one.
pub trait Sample: Copy {
    fn at(&self) -> Time;
    /// A later sample of the same stretch becomes part of this one.
    fn join(&mut self, later: &Self);
    /// Would a later sample say the same?
    fn says(&self, later: &Self) -> bool;
}

impl Sample for QueueSample {
    fn at(&self) -> Time {
        self.at
    }

    fn join(&mut self, later: &QueueSample) {
        let fuller = if later.waiting > self.waiting { *later } else { *self };
        *self = QueueSample { at: fuller.at, waiting: fuller.waiting, ..*later };
    }

    fn says(&self, later: &QueueSample) -> bool {
        *self == QueueSample { at: self.at, ..*later }
    }
}

impl Sample for ConnectionSample {
    fn at(&self) -> Time {
        self.at
    }

    fn join(&mut self, later: &ConnectionSample) {
        *self = *later;
    }

    fn says(&self, later: &ConnectionSample) -> bool {
        *self == ConnectionSample { at: self.at, ..*later }
    }
}

/// Samples of many things, each of which has a number.
#[derive(Debug)]
pub struct Samples<S> {
    width: u64,
    most: usize,
    count: usize,
    series: Vec<Vec<S>>,
}

impl<S: Sample> Samples<S> {
    pub(crate) fn new() -> Samples<S> {
        Samples { width: FIRST_WIDTH, most: MOST, count: 0, series: Vec::new() }
    }

    /// The width of a stretch.
    pub(crate) fn width(&self) -> Duration {
        Duration::from_picos(self.width)
    }

    /// The last sample of a thing.
    pub(crate) fn last(&self, thing: usize) -> Option<&S> {
        self.series.get(thing)?.last()
    }

    /// A thing is like that now. Samples of a thing come in the order of time.
    pub(crate) fn note(&mut self, thing: usize, sample: S) {
        if self.series.len() <= thing {
            self.series.resize_with(thing + 1, Vec::new);
        }
        let (width, series) = (self.width, &mut self.series[thing]);
        match series.last_mut() {
            Some(last) if last.says(&sample) => {}
            Some(last) if stretch(last, width) == stretch(&sample, width) => last.join(&sample),
            _ => {
                series.push(sample);
                self.count += 1;
                self.thin();
            }
        }
    }

    /// Doubles the width until there are few samples.
    fn thin(&mut self) {
        if self.count <= self.most.max(EACH * self.series.len()) {
            return;
        }
        self.width *= 2;
        let width = self.width;
        for series in &mut self.series {
            series.dedup_by(|later, kept| {
                let same = stretch(later, width) == stretch(kept, width);
                if same {
                    kept.join(later);
                }
                same
            });
            series.shrink_to(2 * series.len());
        }
        self.count = self.series.iter().map(Vec::len).sum();
        self.thin();
    }

    /// The samples of each thing.
    pub(crate) fn take(&mut self) -> Vec<Vec<S>> {
        self.count = 0;
        std::mem::take(&mut self.series)
    }
}

fn stretch<S: Sample>(sample: &S, width: u64) -> u64 {
    sample.at().as_picos() / width
}

/// A queue while so many bytes wait.
pub(crate) fn queue_sample(at: Time, waiting: u64, counts: &PortCounts) -> QueueSample {
    let &PortCounts { frames, bytes, dropped, lost, marked, .. } = counts;
    QueueSample { at, waiting, left: waiting, frames, bytes, dropped, lost, marked }
}

/// An end of a connection.
pub(crate) fn connection_sample(at: Time, state: &EndState, counts: &ConnectionCounts) -> ConnectionSample {
    let &EndState { window, threshold, round_trip, in_flight } = state;
    ConnectionSample {
        at,
        window,
        threshold: (threshold != u64::MAX).then_some(threshold),
        round_trip: (round_trip > 0.0).then_some(round_trip),
        in_flight,
        retransmissions: counts.retransmissions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(at: u64, waiting: u64, dropped: u64) -> QueueSample {
        QueueSample { at: Time::from_picos(at), waiting, left: waiting, dropped, ..QueueSample::default() }
    }

    fn small(most: usize) -> Samples<QueueSample> {
        Samples { most, width: 10, ..Samples::new() }
    }

    #[test]
    fn a_stretch_keeps_its_fullest_instant_and_its_last_counts() {
        let mut samples = small(100);
        for (at, waiting, dropped) in [(1, 5, 0), (4, 9, 1), (8, 2, 3), (12, 1, 3)] {
            samples.note(0, queue(at, waiting, dropped));
        }
        let joined = QueueSample { left: 2, ..queue(4, 9, 3) };
        assert_eq!(samples.take(), [[joined, queue(12, 1, 3)]]);
    }

    #[test]
    fn what_does_not_change_needs_no_sample() {
        let mut samples = small(100);
        (0..50).for_each(|at| samples.note(3, queue(at * 10, 7, 0)));
        assert_eq!(samples.take()[3], [queue(0, 7, 0)]);
    }

    #[test]
    fn memory_is_bounded_and_maxima_and_counts_stay() {
        let mut samples = small(64);
        for at in 0..10_000_u64 {
            for thing in 0..2 {
                samples.note(thing, queue(at * 10, (at * 7919) % 1000, at / 100));
            }
            assert!(samples.count <= 64);
        }
        assert!(samples.width().as_picos() >= 10 * 10_000 * 2 / 64);
        for series in samples.take() {
            assert!(series.is_sorted_by_key(|sample| sample.at) && series.len() > 8, "{series:?}");
            assert_eq!(series.iter().map(|sample| sample.waiting).max(), Some(999));
            assert_eq!(series.last().map(|sample| sample.dropped), Some(99));
        }
    }

    #[test]
    fn very_many_things_keep_some_samples_each() {
        let mut samples = small(4);
        for at in 0..200 {
            (0..5).for_each(|thing| samples.note(thing, queue(at * 10, at, 0)));
        }
        assert!(samples.take().iter().all(|series| series.len() >= EACH / 4));
    }
}
