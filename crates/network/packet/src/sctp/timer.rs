//! How long to wait for an acknowledgement (RFC 9260, section 6.3).

use mpirage_units::{Duration, Time};

use super::settings::SctpSettings;

/// The retransmission timeout, and the timer that runs while something is in flight.
#[derive(Debug)]
pub(super) struct RetransmissionTimer {
    least: u64,
    longest: u64,
    /// Smoothed round-trip time and its variation, in picoseconds, once there was a measurement.
    smoothed: Option<(u64, u64)>,
    timeout: u64,
    deadline: Option<Time>,
}

impl RetransmissionTimer {
    pub fn new(settings: &SctpSettings) -> RetransmissionTimer {
        RetransmissionTimer {
            least: settings.least_timeout.as_picos(),
            longest: settings.longest_timeout.max(settings.least_timeout).as_picos(),
            smoothed: None,
            timeout: settings.initial_timeout.as_picos(),
            deadline: None,
        }
    }

    /// The timeout.
    pub fn timeout(&self) -> Duration {
        Duration::from_picos(self.timeout)
    }

    /// The smoothed round trip, after the first measurement.
    pub fn round_trip(&self) -> Option<Duration> {
        self.smoothed.map(|(mean, _)| Duration::from_picos(mean))
    }

    /// When it expires.
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Starts it anew.
    pub fn restart(&mut self, now: Time) {
        self.deadline = Some(now + self.timeout());
    }

    /// Starts it if it does not run.
    pub fn start(&mut self, now: Time) {
        if self.deadline.is_none() {
            self.restart(now);
        }
    }

    pub fn stop(&mut self) {
        self.deadline = None;
    }

    /// Has it expired? Then it is stopped, and the next one takes twice as long (rule E2).
    pub fn expire(&mut self, now: Time) -> bool {
        let expired = self.deadline.is_some_and(|deadline| deadline <= now);
        if expired {
            self.deadline = None;
            self.timeout = self.timeout.saturating_mul(2).min(self.longest);
        }
        expired
    }

    /// Something that was sent once has been acknowledged after `span` (rules C2, C3, C6 and C7).
    pub fn measure(&mut self, span: Duration) {
        let measured = span.as_picos();
        let (mean, variation) = match self.smoothed {
            None => (measured, measured / 2),
            Some((mean, variation)) => {
                (mean - mean / 8 + measured / 8, variation - variation / 4 + mean.abs_diff(measured) / 4)
            }
        };
        self.smoothed = Some((mean, variation));
        self.timeout = mean.saturating_add(variation.saturating_mul(4)).clamp(self.least, self.longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(count: u64) -> Duration {
        Duration::from_nanos(count * 1_000_000)
    }

    #[test]
    fn the_timeout_follows_the_measurements() {
        let settings = SctpSettings { least_timeout: millis(1), ..SctpSettings::default() };
        let mut timer = RetransmissionTimer::new(&settings);
        assert_eq!(timer.timeout(), millis(3_000));
        timer.measure(millis(100));
        assert_eq!(timer.timeout(), millis(100 + 4 * 50));
        timer.measure(millis(100));
        assert_eq!(timer.timeout(), Duration::from_nanos(100_000_000 + 4 * 37_500_000));
    }

    #[test]
    fn it_doubles_up_to_the_longest() {
        let mut timer = RetransmissionTimer::new(&SctpSettings::default());
        let mut now = Time::ZERO;
        for expected in [6, 12, 24, 48, 60, 60] {
            timer.start(now);
            now = timer.deadline().unwrap();
            assert!(timer.expire(now));
            assert_eq!(timer.timeout(), millis(expected * 1_000));
        }
    }
}
