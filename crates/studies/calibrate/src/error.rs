//! The logarithmic error of Clauss et al. (2011), section 7.1: |ln X − ln R|, averaged, and shown as e^error − 1.

/// The errors of some predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogErrors {
    count: usize,
    sum: f64,
    worst: f64,
}

impl LogErrors {
    /// Errors of pairs of a predicted and a measured time.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> LogErrors {
        let mut errors = LogErrors::default();
        pairs.into_iter().for_each(|(predicted, measured)| errors.add((predicted / measured).ln()));
        errors
    }

    /// Counts the logarithm of a ratio.
    pub fn add(&mut self, log_ratio: f64) {
        self.count += 1;
        self.sum += log_ratio.abs();
        self.worst = self.worst.max(log_ratio.abs());
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mean, out of log space; zero if there is none.
    pub fn mean(&self) -> f64 {
        (self.sum / self.count.max(1) as f64).exp_m1()
    }

    /// The worst, out of log space.
    pub fn worst(&self) -> f64 {
        self.worst.exp_m1()
    }
}

/// `0.4 %`, `12 %`.
pub fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent.abs() < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_and_double_are_equally_wrong() {
        let errors = LogErrors::of([(2.0, 1.0), (1.0, 2.0)]);
        assert_eq!((errors.count(), errors.mean(), errors.worst()), (2, 1.0, 1.0));
        assert_eq!(LogErrors::default().mean(), 0.0);
        assert_eq!([0.004, 0.0995, 1.2].map(percent), ["0.4 %", "10 %", "120 %"]);
    }
}
