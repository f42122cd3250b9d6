//! Noise: random differences between runs of the same program on the same machine.
//!
//! Draws are named by rank and date, not taken from a sequence, so they do not depend on the order in which ranks are simulated.

use std::f64::consts::TAU;

use mpirage_call::RankId;
use mpirage_units::{Duration, Time, draw};

/// How much runs differ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// The spread of computation: the standard deviation of the logarithm of its length.
    pub computation: f64,
    /// The mean extra time of a message, in seconds.
    pub message: f64,
    /// The largest delay of a rank's start.
    pub start: Duration,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// Draws for different purposes have different seeds.
const FOR_LENGTHS: u64 = 0x6c65_6e67_7468;
const FOR_ANGLES: u64 = 0x616e_676c_6573;
const FOR_STARTS: u64 = 0x7374_6172_7473;

impl Noise {
    /// Does nothing differ?
    pub fn is_none(&self) -> bool {
        self.computation == 0.0 && self.message == 0.0 && self.start.is_zero()
    }

    /// The factor on the length of a computation that a rank begins at `date`: log-normal with median 1.
    pub(crate) fn stretch(&self, rank: RankId, date: Time) -> f64 {
        if self.computation == 0.0 {
            return 1.0;
        }
        let unit = |purpose| draw(self.seed ^ purpose, [rank.get().into(), date.as_picos()]);
        // Box and Muller; 1 - u is never 0.
        let normal = (-2.0 * (1.0 - unit(FOR_LENGTHS)).ln()).sqrt() * (TAU * unit(FOR_ANGLES)).cos();
        (self.computation * normal).exp()
    }

    /// How late a rank starts: anything up to the limit.
    pub(crate) fn late_start(&self, rank: RankId) -> Duration {
        let share = draw(self.seed ^ FOR_STARTS, [rank.get().into(), 0]);
        Duration::from_picos((self.start.as_picos() as f64 * share) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computation_is_spread_as_said_and_its_median_stays() {
        let noise = Noise { computation: 0.1, seed: 7, ..Noise::default() };
        let mut logs: Vec<f64> =
            (0..10_000).map(|n| noise.stretch(RankId::new(3), Time::from_picos(n)).ln()).collect();
        let mean = logs.iter().sum::<f64>() / 1e4;
        let deviation = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 1e4).sqrt();
        assert!((deviation - 0.1).abs() < 0.003, "{deviation}");
        logs.sort_by(f64::total_cmp);
        assert!(logs[5000].abs() < 0.005, "{}", logs[5000]);
    }

    #[test]
    fn seeds_and_ranks_differ_and_nothing_else() {
        let noise = |seed| Noise { computation: 0.1, start: Duration::from_nanos(100), seed, message: 0.0 };
        let stretch = |seed, rank| noise(seed).stretch(RankId::new(rank), Time::from_picos(5));
        assert_eq!(stretch(1, 2), stretch(1, 2));
        assert_ne!(stretch(1, 2), stretch(2, 2));
        assert_ne!(stretch(1, 2), stretch(1, 3));
        assert_ne!(noise(1).late_start(RankId::new(1)), noise(1).late_start(RankId::new(2)));
        assert!(noise(1).late_start(RankId::new(1)) < Duration::from_nanos(100));
        assert_eq!(Noise::default().stretch(RankId::new(0), Time::ZERO), 1.0);
        assert!(Noise { seed: 9, ..Noise::default() }.is_none());
    }
}
