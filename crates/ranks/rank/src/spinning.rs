//! Lines that run without calling MPI, and when they are asked to pass their turn.
//!
//! The program of such a line may wait in a loop for memory that another rank or thread changes. Lines run one at a time, so the
//! simulator asks them after a while to pass their turn (`yielding.rs`). A line that only computes takes the time it would have taken.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mpirage_call::LineId;

/// How long a rank may compute before mpirage shows a notice.
pub(crate) const SLOW: Duration = Duration::from_secs(10);
/// Lines run for this long before they are asked for the first time. Without measured computation a line that computes must not be taken for
/// one that spins, since its computation takes no simulated time.
const FIRST_SLICE: Duration = Duration::from_millis(20);
const FIRST_UNMEASURED_SLICE: Duration = Duration::from_secs(1);
/// Lines that were asked run for this long before they are asked again. Shorter slices cost more signals; longer ones let threads spin
/// for longer than they would.
const SLICE: Duration = Duration::from_millis(1);
/// The same for threads of a rank if computation takes no time: a wait takes many turns then, of each of them, and only signals cost anything.
const UNMEASURED_SLICE: Duration = Duration::from_micros(300);

/// How long a line runs before it is asked for the first time.
pub(crate) fn first_slice(measured: bool) -> Duration {
    if measured { FIRST_SLICE } else { FIRST_UNMEASURED_SLICE }
}

/// The lines that passed their turn when they were asked.
#[derive(Default)]
pub(crate) struct Spinning {
    /// Those that have not called MPI since.
    now: BTreeMap<LineId, Spin>,
    /// How often each of the others has done so.
    before: BTreeMap<LineId, u32>,
}

struct Spin {
    since: Instant,
    reported: bool,
}

impl Spinning {
    /// How long a line runs before it is asked to pass its turn.
    pub(crate) fn slice(&self, line: LineId, measured: bool) -> Duration {
        match (self.now.contains_key(&line), self.any()) {
            (true, _) => SLICE,
            // The ranks of a program are alike.
            (false, true) => FIRST_SLICE,
            (false, false) => first_slice(measured),
        }
    }

    /// The same for a line of a rank with several. A thread that has spun is likely to spin again, at every barrier of its threads for example: each time
    /// halves how long it runs before it is asked.
    pub(crate) fn slice_of_thread(&self, line: LineId, measured: bool) -> Duration {
        if self.now.contains_key(&line) {
            return if measured { SLICE } else { UNMEASURED_SLICE };
        }
        let (first, times) = (self.slice(line, measured), self.before.get(&line).copied().unwrap_or(0));
        let least = if measured { SLICE } else { FIRST_SLICE };
        first.min(least.max(first / (1 << times.min(16))))
    }

    /// Is there any?
    #[inline]
    pub(crate) fn any(&self) -> bool {
        !self.now.is_empty()
    }

    /// A line has called MPI.
    #[inline]
    pub(crate) fn called(&mut self, line: LineId) {
        if !self.now.is_empty() && self.now.remove(&line).is_some() {
            *self.before.entry(line).or_default() += 1;
        }
    }

    /// Another line of its rank has called MPI: the rank does not hang.
    pub(crate) fn rank_called(&mut self, line: LineId) {
        if let Some(spin) = self.now.get_mut(&line) {
            spin.since = Instant::now();
        }
    }

    /// A line has ended.
    pub(crate) fn ended(&mut self, line: LineId) {
        self.now.remove(&line);
        self.before.remove(&line);
    }

    /// A line has passed its turn after it has run for so long. Returns how long it spins, and whether that is long and was not reported yet.
    pub(crate) fn yielded(&mut self, line: LineId, ran: Duration) -> (Duration, bool) {
        let now = Instant::now();
        let new = Spin { since: now.checked_sub(ran).unwrap_or(now), reported: false };
        let spin = self.now.entry(line).or_insert(new);
        let spun = spin.since.elapsed();
        let is_long = spun >= SLOW;
        (spun, is_long && !std::mem::replace(&mut spin.reported, is_long))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_has_spun_is_asked_sooner() {
        let (mut spinning, line) = (Spinning::default(), LineId::new(3));
        assert_eq!(spinning.slice_of_thread(line, true), FIRST_SLICE);
        assert_eq!(spinning.slice_of_thread(line, false), FIRST_UNMEASURED_SLICE);
        for times in 1..20 {
            spinning.yielded(line, FIRST_SLICE);
            assert_eq!(spinning.slice_of_thread(line, true), SLICE);
            assert_eq!(spinning.slice_of_thread(line, false), UNMEASURED_SLICE);
            spinning.called(line);
            assert_eq!(spinning.slice_of_thread(line, true), SLICE.max(FIRST_SLICE / (1 << times)));
        }
        assert_eq!(spinning.slice_of_thread(line, false), FIRST_SLICE);
        spinning.ended(line);
        assert_eq!(spinning.slice_of_thread(line, true), FIRST_SLICE);
    }
}
