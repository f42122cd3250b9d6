//! The smoothed round trip and the retransmission timeout.
//!
//! RFC 6298 with Linux's differences: the mean deviation rises at once and falls slowly, once per round trip; a deviation that
//! comes from a faster round trip counts an eighth; the least value (200 ms) is one of the deviation, so that the timeout is
//! the round trip plus at least that.

use mpirage_units::{Duration, Time};

use super::settings::TcpSettings;

/// The estimate of the round-trip time.
#[derive(Clone, Debug)]
pub(super) struct RoundTrip {
    /// Eight times the smoothed round trip, in picoseconds; zero before the first.
    smoothed: i64,
    /// Four times the mean deviation.
    deviation: i64,
    /// The largest `deviation` of this round trip.
    largest: i64,
    /// The margin added to the smoothed round trip for the timeout.
    margin: i64,
    /// The deviation is looked at again when this byte is acknowledged.
    round_end: u64,
    least: Duration,
    backoff: u32,
    minimum: i64,
    initial: Duration,
    maximum: Duration,
}

impl RoundTrip {
    pub(super) fn new(settings: &TcpSettings) -> Self {
        RoundTrip {
            smoothed: 0,
            deviation: 0,
            largest: 0,
            margin: 0,
            round_end: 0,
            least: Duration::MAX,
            backoff: 0,
            minimum: settings.minimum_rto.as_picos() as i64,
            initial: settings.initial_rto,
            maximum: settings.maximum_rto,
        }
    }

    /// A round trip was measured, when `acknowledged` was the first unacknowledged byte and `next` the next to be sent.
    pub(super) fn measured(&mut self, sample: Duration, acknowledged: u64, next: u64) {
        let sample = Duration::from_picos(sample.as_picos().max(1));
        self.least = self.least.min(sample);
        self.backoff = 0;
        let sample = sample.as_picos() as i64;
        match self.smoothed {
            0 => self.first(sample, next),
            _ => self.another(sample, acknowledged, next),
        }
    }

    fn first(&mut self, sample: i64, next: u64) {
        self.smoothed = sample << 3;
        self.deviation = sample << 1;
        self.margin = self.deviation.max(self.minimum);
        self.largest = self.margin;
        self.round_end = next;
    }

    fn another(&mut self, sample: i64, acknowledged: u64, next: u64) {
        let error = sample - (self.smoothed >> 3);
        self.smoothed = (self.smoothed + error).max(1);
        let change = error.abs() - (self.deviation >> 2);
        self.deviation += if error < 0 && change > 0 { change >> 3 } else { change };
        self.largest = self.largest.max(self.deviation);
        self.margin = self.margin.max(self.largest);
        if acknowledged > self.round_end {
            self.margin -= (self.margin - self.largest).max(0) >> 2;
            self.round_end = next;
            self.largest = self.minimum;
        }
    }

    /// The smoothed round trip, if one was measured.
    pub(super) fn smoothed(&self) -> Option<Duration> {
        (self.smoothed > 0).then(|| Duration::from_picos((self.smoothed >> 3) as u64))
    }

    /// The least round trip; the longest possible before the first.
    pub(super) fn least(&self) -> Duration {
        self.least
    }

    /// The retransmission timeout with its backoff.
    pub(super) fn timeout(&self) -> Duration {
        let picos = self.unscaled_timeout().as_picos();
        let doubled = picos.checked_shl(self.backoff.min(40)).filter(|d| d >> self.backoff.min(40) == picos);
        Duration::from_picos(doubled.unwrap_or(u64::MAX)).min(self.maximum)
    }

    /// The retransmission timeout without backoff.
    pub(super) fn unscaled_timeout(&self) -> Duration {
        match self.smoothed {
            0 => self.initial,
            _ => Duration::from_picos(((self.smoothed >> 3) + self.margin) as u64).min(self.maximum),
        }
    }

    /// The timeout has passed: the next one is twice as long.
    pub(super) fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Forgets the backoff.
    pub(super) fn forget_backoff(&mut self) {
        self.backoff = 0;
    }

    /// When something sent at `sent` times out.
    pub(super) fn due(&self, sent: Time) -> Time {
        sent + self.timeout()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_picos(milliseconds * MS)
    }

    #[test]
    fn the_timeout_is_the_round_trip_plus_at_least_the_minimum() {
        let mut trip = RoundTrip::new(&TcpSettings::default());
        assert_eq!(trip.timeout(), ms(1000));
        trip.measured(ms(10), 1, 2);
        assert_eq!(trip.timeout(), ms(210));
        for byte in 2..100 {
            trip.measured(ms(10), byte, byte + 1);
        }
        assert_eq!(trip.timeout(), ms(210));
    }

    #[test]
    fn a_long_first_round_trip_counts_three_times() {
        let mut trip = RoundTrip::new(&TcpSettings::default());
        trip.measured(ms(300), 1, 2);
        assert_eq!(trip.timeout(), ms(900));
    }

    #[test]
    fn each_timeout_doubles_the_next_until_a_round_trip_is_measured() {
        let mut trip = RoundTrip::new(&TcpSettings::default());
        for expected in [1, 2, 4, 8, 16, 32, 64, 120, 120] {
            assert_eq!(trip.timeout(), ms(1000 * expected));
            trip.back_off();
        }
        trip.measured(ms(10), 1, 2);
        assert_eq!(trip.timeout(), ms(210));
    }
}
