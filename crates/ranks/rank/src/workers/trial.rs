//! Whether workers pay, by how long ranks run between two calls that wait.
//!
//! A switch within a process takes a fraction of a microsecond, one to another process some: twice through the kernel, and copies of calls
//! and replies. With long bursts that does not matter, even if only one rank at a time has something to do.

use std::time::{Duration, Instant};

/// Bursts this long make up for switches between processes: those take less than a twentieth of it.
const LONG: Duration = Duration::from_micros(500);
/// No burst counts for more, so that other processes on this core, which interrupt one burst in many, do not decide.
const LONGEST: Duration = Duration::from_millis(2);
/// A trial ends when so many bursts took so long together.
const BURSTS: u32 = 8;
const ENOUGH: Duration = Duration::from_millis(15);
/// After the first trial only one burst in so many is timed.
const STRIDE: u32 = 64;

/// Times bursts.
#[derive(Default)]
pub(super) struct Trial {
    /// Bursts up to the next that is timed.
    skipped: u32,
    stride: u32,
    timed: u32,
    total: Duration,
    /// The mean of the last trial.
    mean: Option<Duration>,
}

impl Trial {
    /// Runs a burst.
    pub(super) fn time<T>(&mut self, burst: impl FnOnce() -> T) -> T {
        if self.skipped < self.stride {
            self.skipped += 1;
            return burst();
        }
        self.skipped = 0;
        let began = Instant::now();
        let result = burst();
        self.note(began.elapsed());
        result
    }

    fn note(&mut self, span: Duration) {
        self.timed += 1;
        self.total += span.min(LONGEST);
        if self.timed >= BURSTS && self.total >= ENOUGH {
            self.mean = Some(self.total / self.timed);
            (self.timed, self.total, self.stride) = (0, Duration::ZERO, STRIDE);
        }
    }

    /// Are bursts long?
    pub(super) fn pays(&self) -> bool {
        self.mean.is_some_and(|mean| mean >= LONG)
    }

    /// Why workers do not pay.
    pub(super) fn reason(&self) -> String {
        match self.mean {
            Some(mean) => {
                let micros = mean.as_secs_f64() * 1e6;
                format!(
                    "ranks run for {micros:.1} µs between switches, and workers pay from {} µs on",
                    LONG.as_micros()
                )
            }
            None => "the run was too short for workers".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(spans: impl IntoIterator<Item = Duration>) -> Trial {
        let mut trial = Trial::default();
        spans.into_iter().for_each(|span| trial.note(span));
        trial
    }

    #[test]
    fn long_bursts_pay_and_short_ones_do_not() {
        assert!(after([Duration::from_micros(1300); 12]).pays());
        assert!(!after([Duration::from_micros(1300); 11]).pays());
        let short = after([Duration::from_micros(100); 200]);
        assert!(!short.pays() && short.reason().contains("100.0 µs"));
        assert!(after([Duration::from_secs(1); 8]).pays());
    }

    #[test]
    fn interruptions_do_not_decide() {
        let span = |number| Duration::from_micros(if number % 20 == 0 { 12_000 } else { 140 });
        assert!(!after((0..200).map(span)).pays());
    }

    #[test]
    fn bursts_that_become_long_are_noticed() {
        let mut trial = after([Duration::from_micros(10); 4000]);
        assert!(!trial.pays() && trial.stride == STRIDE);
        (0..2020).for_each(|_| trial.note(Duration::from_millis(1)));
        assert!(trial.pays());
    }
}
