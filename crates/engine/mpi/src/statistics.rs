//! The mean of measured values, and how well it is known.

/// Values seen so far, by Welford's method.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    count: u64,
    mean: f64,
    /// Sum of the squares of the distances from the mean.
    squares: f64,
}

impl Statistics {
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Zero if there is no value.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error of the mean, relative to it. A mean of zero is exact: computation takes no time.
    pub(crate) fn relative_error(&self) -> f64 {
        match (self.count, self.mean) {
            (_, 0.0) => 0.0,
            (0 | 1, _) => f64::INFINITY,
            (count, mean) => {
                let variance = self.squares / (count - 1) as f64;
                (variance / count as f64).sqrt() / mean
            }
        }
    }

    /// Half the 95 % confidence interval of the mean, relative to it, if the values are normally distributed.
    pub(crate) fn relative_interval(&self) -> f64 {
        match self.relative_error() {
            0.0 => 0.0,
            error => error * student(self.count.saturating_sub(1)),
        }
    }
}

/// The quantile 0.975 of Student's distribution, to 0.2 %.
fn student(freedom: u64) -> f64 {
    const SMALL: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => SMALL[freedom as usize - 1],
        _ => {
            let inverse = 1.0 / freedom as f64;
            1.95996 + 2.3723 * inverse + 2.8225 * inverse * inverse
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Statistics {
        let mut statistics = Statistics::default();
        values.iter().for_each(|&value| statistics.add(value));
        statistics
    }

    #[test]
    fn mean_and_errors_are_those_of_the_textbook() {
        let statistics = of(&[8.0, 10.0, 12.0]);
        assert_eq!((statistics.count(), statistics.mean()), (3, 10.0));
        let error = 2.0 / 3f64.sqrt() / 10.0;
        assert!((statistics.relative_error() - error).abs() < 1e-12);
        assert!((statistics.relative_interval() - 4.303 * error).abs() < 1e-12);
    }

    #[test]
    fn one_value_says_nothing_of_the_error_and_zero_is_exact() {
        assert_eq!(of(&[3.0]).relative_error(), f64::INFINITY);
        assert_eq!(of(&[3.0]).relative_interval(), f64::INFINITY);
        assert_eq!(of(&[0.0, 0.0]).relative_interval(), 0.0);
        assert_eq!(of(&[]).mean(), 0.0);
    }

    #[test]
    fn students_quantiles_are_those_of_the_tables() {
        for (freedom, quantile) in
            [(1, 12.706), (10, 2.228), (11, 2.201), (20, 2.086), (60, 2.000), (1000, 1.962)]
        {
            assert!((student(freedom) / quantile - 1.0).abs() < 2e-3, "{freedom}: {}", student(freedom));
        }
    }
}
