//! Statistics of several runs: the median, an interval, and whether there are two modes.

use serde::Serialize;

/// The simulated times of several runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Number of runs.
    pub runs: usize,
    /// The seed of the first run; those of the others follow.
    pub first_seed: u64,
    /// The simulated time of each run, in the order of seeds.
    pub seconds: Vec<f64>,
    /// The median.
    pub median_seconds: f64,
    /// The 5 % quantile.
    pub low_seconds: f64,
    /// The 95 % quantile.
    pub high_seconds: f64,
    /// Two groups of runs, the faster first, if the times have two modes.
    pub modes: Option<[Mode; 2]>,
}

/// A group of runs with similar times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// Number of runs.
    pub runs: usize,
    /// Their median.
    pub seconds: f64,
}

/// Fewer runs say nothing about modes.
const LEAST_RUNS: usize = 20;
/// A mode has this share of all runs at least, and three runs.
const LEAST_SHARE: f64 = 0.1;
/// The means of two modes are so many standard deviations apart at least (Ashman's D).
const LEAST_DISTANCE: f64 = 6.0;

impl Spread {
    /// The spread of these times.
    pub fn of(seconds: Vec<f64>, first_seed: u64) -> Spread {
        let mut sorted = seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let [low, median, high] = [0.05, 0.5, 0.95].map(|share| quantile(&sorted, share));
        Spread {
            runs: seconds.len(),
            first_seed,
            seconds,
            median_seconds: median,
            low_seconds: low,
            high_seconds: high,
            modes: modes(&sorted),
        }
    }
}

/// Linear between the two nearest times.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// Cuts sorted times where the two parts vary least, and asks how far apart these are.
fn modes(sorted: &[f64]) -> Option<[Mode; 2]> {
    let count = sorted.len();
    if count < LEAST_RUNS {
        return None;
    }
    let least = ((count as f64 * LEAST_SHARE).ceil() as usize).max(3);
    let varies = |cut: &usize| squares(&sorted[..*cut]) + squares(&sorted[*cut..]);
    let cut = (least..=count - least).min_by(|one, other| varies(one).total_cmp(&varies(other)))?;
    let (fast, slow) = sorted.split_at(cut);
    let mode = |part: &[f64]| Mode { runs: part.len(), seconds: quantile(part, 0.5) };
    (distance(fast, slow) > LEAST_DISTANCE).then(|| [mode(fast), mode(slow)])
}

/// Ashman's D of two groups: the distance of their means, over the root of the mean of their variances.
fn distance(fast: &[f64], slow: &[f64]) -> f64 {
    let variance = |part: &[f64]| squares(part) / part.len() as f64;
    let apart = mean(slow) - mean(fast);
    let spread = f64::midpoint(variance(fast), variance(slow)).sqrt();
    // Times that agree to the last digits are one mode.
    if apart > 1e-9 * mean(slow) { apart / spread } else { 0.0 }
}

fn squares(part: &[f64]) -> f64 {
    let mean = mean(part);
    part.iter().map(|time| (time - mean).powi(2)).sum()
}

fn mean(part: &[f64]) -> f64 {
    part.iter().sum::<f64>() / part.len() as f64
}

#[cfg(test)]
mod tests {
    use mpirage_units::{Consumer, Random};

    use super::*;

    /// How many of 1000 samples of `count` times have two modes.
    fn found(count: usize, mut time: impl FnMut(&mut Random) -> f64) -> usize {
        let mut random = Random::new(1, Consumer(0));
        let mut sample = || (0..count).map(|_| time(&mut random)).collect();
        (0..1000).filter(|_| Spread::of(sample(), 0).modes.is_some()).count()
    }

    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    #[test]
    fn quantiles_lie_between_times() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0, 5.0, 4.0], 7);
        assert_eq!((spread.median_seconds, spread.runs, spread.first_seed), (3.0, 5, 7));
        assert!((spread.low_seconds - 1.2).abs() < 1e-12 && (spread.high_seconds - 4.8).abs() < 1e-12);
        assert_eq!(Spread::of(vec![2.0], 0).median_seconds, 2.0);
    }

    #[test]
    fn one_mode_is_seldom_taken_for_two() {
        for count in [20, 50, 200] {
            assert!(found(count, |random| 100.0 + normal(random)) <= 30, "normal, {count}");
            assert!(found(count, |random| 100.0 + random.unit()) <= 30, "uniform, {count}");
        }
        // A long tail is no second mode.
        assert!(found(50, |random| 100.0 - (1.0 - random.unit()).ln()) <= 30);
        assert_eq!(Spread::of(vec![1.5; 40], 0).modes, None);
    }

    #[test]
    fn two_modes_are_found() {
        for count in [20, 50, 200] {
            let two = |random: &mut Random| if random.unit() < 0.4 { 108.0 } else { 100.0 } + normal(random);
            assert!(found(count, two) >= 900, "{count}");
        }
        let times: Vec<f64> =
            (0..20).map(|n| if n % 4 == 0 { 1.6 } else { 1.0 } + 1e-3 * f64::from(n)).collect();
        let [fast, slow] = Spread::of(times, 0).modes.unwrap();
        assert_eq!((fast.runs, slow.runs), (15, 5));
        assert!((slow.seconds - 1.608).abs() < 1e-9, "{slow:?}");
    }
}
