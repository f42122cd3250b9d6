//! Instants and durations in integer picoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

const PICOS_PER_SECOND: f64 = 1e12;

/// An instant of simulated time, in integer picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of simulated time, in integer picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens (213 days).
    pub const MAX: Time = Time(u64::MAX);

    /// The instant `picos` picoseconds after the start.
    pub const fn from_picos(picos: u64) -> Time {
        Time(picos)
    }

    /// Picoseconds since the start.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PICOS_PER_SECOND
    }

    /// The span from `earlier` to `self`; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// The date a span before; the start if there is none.
    pub fn before(self, span: Duration) -> Time {
        Time(self.0.saturating_sub(span.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// Longer than any run.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `picos` picoseconds.
    pub const fn from_picos(picos: u64) -> Duration {
        Duration(picos)
    }

    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos.saturating_mul(1_000))
    }

    /// The nearest whole number of picoseconds; negative and NaN become zero, too long becomes `MAX`.
    pub fn from_secs_f64(seconds: f64) -> Duration {
        // `as` saturates at both ends and maps NaN to zero. Rounding half away from zero, without a call.
        let picos = seconds * PICOS_PER_SECOND;
        let whole = picos as u64;
        Duration(whole.saturating_add(u64::from(picos - whole as f64 >= 0.5)))
    }

    /// The span in picoseconds.
    pub const fn as_picos(self) -> u64 {
        self.0
    }

    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / PICOS_PER_SECOND
    }

    /// Is this no time at all?
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Add for Duration {
    type Output = Duration;
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Duration;
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration(self.0).fmt(f)
    }
}

/// Three to six significant digits with the unit a person would choose.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.as_secs_f64();
        let (value, unit) = match self.0 {
            0 => return f.write_str("0 s"),
            p if p < 1_000 => (p as f64, "ps"),
            p if p < 1_000_000 => (seconds * 1e9, "ns"),
            p if p < 1_000_000_000 => (seconds * 1e6, "µs"),
            p if p < 1_000_000_000_000 => (seconds * 1e3, "ms"),
            _ => (seconds, "s"),
        };
        write!(f, "{value:.3} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_round_to_the_nearest_picosecond() {
        assert_eq!(Duration::from_secs_f64(1.4e-12).as_picos(), 1);
        assert_eq!(Duration::from_secs_f64(1.6e-12).as_picos(), 2);
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::INFINITY), Duration::MAX);
    }

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Time::MAX + Duration::from_picos(1), Time::MAX);
        assert_eq!(Time::ZERO.since(Time::from_picos(5)), Duration::ZERO);
    }

    #[test]
    fn display_picks_a_unit() {
        assert_eq!(Duration::from_picos(1_500_000).to_string(), "1.500 µs");
        assert_eq!(Duration::from_secs_f64(2.5).to_string(), "2.500 s");
        assert_eq!(Duration::ZERO.to_string(), "0 s");
    }
}
