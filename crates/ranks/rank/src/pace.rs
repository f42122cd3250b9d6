//! The pace of an emulation: real time, scaled real time, how far the simulator is behind, and what the time factor becomes.
//!
//! After Penoff, Wagner, Tüxen and Rüngeler, *MPI-NeTSim: A network simulation module for MPI* (2009), section IV. With a time
//! factor of *s*, the event of simulated instant *t* takes place *s* × *t* after the start, and real time *r* after the start is the
//! scaled real time *r* / *s*. A simulator that takes up an event later is behind by the difference, in scaled real time; the
//! largest such lag is *maxBehind*.
//!
//! ```text
//! scaled │         ╱ factor 2
//! real   │       ╱
//! time   │  ╭──╯ factor 8: the simulator was behind
//!        │╱ factor 1
//!        └──────────────── real time
//! ```
//!
//! A [`Pacer`] has no clock: it is told what time it is.

use std::time::Duration as RealDuration;

use mpirage_units::{Duration, Time};

/// The largest time factor.
pub const MOST_FACTOR: f64 = 10_000.0;
/// A dynamic factor falls at most once in this much real time.
const WINDOW: RealDuration = RealDuration::from_millis(20);
/// A dynamic factor rises by this when the simulator is too far behind.
const RISE: f64 = 2.0;
/// It falls by this after a window in which the simulator had little to do.
const FALL: f64 = 0.9;
/// The share of a window in which the simulator must have slept for the factor to fall.
const IDLE: f64 = 0.5;
/// Changes of the factor that are kept; if there are more, every other one is forgotten.
const MOST_CHANGES: usize = 1024;

/// How the time factor is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeFactor {
    /// It stays the same, 1 at least.
    Fixed(f64),
    /// It follows the load.
    Dynamic {
        /// The smallest factor, 1 at least.
        least: f64,
        /// The factor rises if the simulator is further behind than this, in scaled real time.
        limit: Duration,
    },
}

/// A time factor, and since when it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactorChange {
    /// The scaled real time.
    pub at: Time,
    /// The factor from there on.
    pub factor: f64,
}

/// Converts between real and scaled real time, and keeps the account of an emulation. Real times count from the start.
#[derive(Clone, Debug)]
pub struct Pacer {
    how: TimeFactor,
    factor: f64,
    /// Since when the factor holds, in real and in scaled real time.
    since: (RealDuration, Time),
    max_behind: Duration,
    changes: Vec<FactorChange>,
    window: Window,
    /// The real time of the last call of one of its methods.
    last: RealDuration,
}

/// The latest interval of observation, by which a dynamic factor is lowered.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    start: RealDuration,
    slept: RealDuration,
    behind: Duration,
}

impl Pacer {
    /// Nothing has happened yet.
    pub fn new(how: TimeFactor) -> Pacer {
        let factor = match how {
            TimeFactor::Fixed(factor) => factor,
            TimeFactor::Dynamic { least, .. } => least,
        };
        debug_assert!((1.0..=MOST_FACTOR).contains(&factor));
        Pacer {
            how,
            factor,
            since: (RealDuration::ZERO, Time::ZERO),
            max_behind: Duration::ZERO,
            changes: vec![FactorChange { at: Time::ZERO, factor }],
            window: Window::default(),
            last: RealDuration::ZERO,
        }
    }

    /// The scaled real time, which is the simulated time that the simulator is to have reached.
    pub fn scaled(&self, now: RealDuration) -> Time {
        let (real, scaled) = self.since;
        let picos = now.saturating_sub(real).as_nanos() as f64 * 1e3 / self.factor;
        scaled + Duration::from_picos(picos as u64)
    }

    /// The real time at which the event of an instant takes place.
    pub fn real(&self, instant: Time) -> RealDuration {
        let (real, scaled) = self.since;
        let seconds = instant.since(scaled).as_secs_f64() * self.factor;
        real + RealDuration::try_from_secs_f64(seconds).unwrap_or(RealDuration::MAX / 4)
    }

    /// The simulator takes up the event of an instant.
    pub fn take_up(&mut self, instant: Time, now: RealDuration) {
        self.last = now;
        let behind = self.scaled(now).since(instant);
        self.max_behind = self.max_behind.max(behind);
        self.window.behind = self.window.behind.max(behind);
        // An event that was due before the last change is late because of the old factor.
        if let TimeFactor::Dynamic { limit, .. } = self.how
            && behind > limit
            && instant >= self.since.1
        {
            self.change((self.factor * RISE).min(MOST_FACTOR), now);
        }
        self.look_at_window(now);
    }

    /// The simulator had nothing to do for a while, up to now.
    pub fn slept(&mut self, span: RealDuration, now: RealDuration) {
        self.last = now;
        self.window.slept += span;
        self.look_at_window(now);
    }

    /// The real time at which it was last used.
    pub fn elapsed(&self) -> RealDuration {
        self.last
    }

    /// The factor now.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The largest lag of the simulator so far, in scaled real time.
    pub fn max_behind(&self) -> Duration {
        self.max_behind
    }

    /// The factor over time; of many changes, some.
    pub fn changes(&self) -> &[FactorChange] {
        &self.changes
    }

    /// At the end of a window, the factor falls if the simulator had little to do.
    fn look_at_window(&mut self, now: RealDuration) {
        let TimeFactor::Dynamic { least, limit } = self.how else { return };
        let Window { start, slept, behind } = self.window;
        let length = now.saturating_sub(start);
        if length < WINDOW {
            return;
        }
        let idle = slept.as_secs_f64() >= IDLE * length.as_secs_f64();
        if idle && behind + behind <= limit && self.factor > least {
            self.change((self.factor * FALL).max(least), now);
        }
        self.window = Window { start: now, ..Window::default() };
    }

    fn change(&mut self, factor: f64, now: RealDuration) {
        if factor == self.factor {
            return;
        }
        self.since = (now, self.scaled(now));
        self.factor = factor;
        self.window = Window { start: now, ..Window::default() };
        if self.changes.len() == MOST_CHANGES {
            let mut nth = 0;
            self.changes.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
        }
        self.changes.push(FactorChange { at: self.since.1, factor });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_nanos(100_000);
    const DYNAMIC: TimeFactor = TimeFactor::Dynamic { least: 1.0, limit: LIMIT };

    fn micros(micros: u64) -> RealDuration {
        RealDuration::from_micros(micros)
    }

    fn at(micros: u64) -> Time {
        Time::from_picos(micros * 1_000_000)
    }

    #[test]
    fn an_event_takes_place_at_factor_times_its_instant() {
        let pacer = Pacer::new(TimeFactor::Fixed(4.0));
        assert_eq!((pacer.real(at(7)), pacer.scaled(micros(28))), (micros(28), at(7)));
        assert!(pacer.real(Time::MAX) > micros(u64::MAX / 1_000_000));
    }

    #[test]
    fn the_largest_lag_counts_in_scaled_real_time() {
        let mut pacer = Pacer::new(TimeFactor::Fixed(4.0));
        for (instant, now) in [(5, 20), (6, 32), (7, 30), (100, 404)] {
            pacer.take_up(at(instant), micros(now));
        }
        assert_eq!(pacer.max_behind(), Duration::from_nanos(2_000));
        assert_eq!(pacer.changes(), [FactorChange { at: Time::ZERO, factor: 4.0 }]);
    }

    #[test]
    fn a_dynamic_factor_rises_at_once_and_time_goes_on_from_where_it_was() {
        let mut pacer = Pacer::new(DYNAMIC);
        pacer.take_up(at(50), micros(100));
        assert_eq!(pacer.factor(), 1.0);
        pacer.take_up(at(60), micros(200));
        assert_eq!(
            (pacer.factor(), pacer.scaled(micros(200)), pacer.scaled(micros(300))),
            (2.0, at(200), at(250))
        );
        // An event that was due before the change does not count again, but one that is late after it does.
        pacer.take_up(at(70), micros(210));
        assert_eq!(pacer.factor(), 2.0);
        pacer.take_up(at(201), micros(500));
        assert_eq!(pacer.factor(), 4.0);
        assert_eq!((pacer.scaled(micros(500)), pacer.scaled(micros(540))), (at(350), at(360)));
    }

    #[test]
    fn a_dynamic_factor_falls_while_the_simulator_sleeps_and_never_below_the_least() {
        let mut pacer = Pacer::new(DYNAMIC);
        pacer.take_up(at(0), micros(900));
        assert_eq!(pacer.factor(), 2.0);
        let mut now = micros(900);
        let mut factors = Vec::new();
        for _ in 0..12 {
            now += micros(20_000);
            pacer.slept(micros(15_000), now);
            factors.push(pacer.factor());
        }
        assert_eq!(factors[..2], [1.8, 1.8 * 0.9]);
        assert!(factors.windows(2).all(|pair| pair[1] <= pair[0]));
        assert_eq!(factors[11], 1.0);
    }

    #[test]
    fn a_busy_simulator_keeps_its_factor() {
        let mut pacer = Pacer::new(DYNAMIC);
        pacer.take_up(at(0), micros(900));
        for window in 1..5_u64 {
            pacer.slept(micros(5_000), micros(900 + window * 20_000));
        }
        assert_eq!(pacer.factor(), 2.0);
    }

    #[test]
    fn scaled_real_time_never_runs_backwards() {
        let mut pacer = Pacer::new(DYNAMIC);
        let (mut last, mut now) = (Time::ZERO, RealDuration::ZERO);
        for step in 0..20_000_u64 {
            now += RealDuration::from_nanos(1 + step * 7919 % 100_000);
            match step % 3 {
                0 => pacer.take_up(last, now),
                1 => pacer.slept(micros(40), now),
                _ => {}
            }
            let scaled = pacer.scaled(now);
            assert!(scaled >= last && pacer.real(scaled) <= now + RealDuration::from_nanos(20));
            last = scaled;
        }
        assert!(pacer.changes().len() <= MOST_CHANGES);
    }
}
