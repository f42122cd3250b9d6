//! Measured bursts that took longer than others before the same call, and what they mean for the result.

use mpirage_channel::{Disturbed, LongerBursts};
use serde::Serialize;

use crate::words;

/// Unexplained time that could be more than this share of the result makes it unreliable.
const SMALL: f64 = 0.03;

/// Measured bursts that took longer than others before the same call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DisturbedFigures {
    /// Bursts that were interrupted. They count as others before the same call.
    pub interrupted_bursts: u64,
    /// Simulated seconds that they would have taken longer.
    pub interrupted_seconds: f64,
    /// Bursts that took far longer than others for no known reason. They count as measured.
    pub unusual_bursts: u64,
    /// Simulated seconds that they took longer.
    pub unusual_seconds: f64,
    /// The largest part of the simulated time that these seconds can be: that of ranks which all wait for each other.
    pub unusual_share: f64,
}

impl DisturbedFigures {
    /// Of a run of so many simulated seconds, where a measured second is `ratio` simulated ones.
    pub fn of(disturbed: Disturbed, ratio: f64, seconds: f64) -> Option<DisturbedFigures> {
        let Disturbed { interrupted, unusual } = disturbed;
        let length = |longer: LongerBursts| longer.nanos as f64 * 1e-9 * ratio;
        let share = if seconds > 0.0 { (length(unusual) / seconds).min(1.0) } else { 0.0 };
        (interrupted.bursts + unusual.bursts > 0).then(|| DisturbedFigures {
            interrupted_bursts: interrupted.bursts,
            interrupted_seconds: length(interrupted),
            unusual_bursts: unusual.bursts,
            unusual_seconds: length(unusual),
            unusual_share: share,
        })
    }

    /// Can unexplained time have changed the result?
    pub fn is_unreliable(&self) -> bool {
        self.unusual_share > SMALL
    }

    /// A warning if the result is not reliable.
    pub fn doubt(&self) -> Option<String> {
        self.is_unreliable().then(|| {
            format!(
                "up to {:.0} % of the simulated time may be noise of this machine: {} took over four times as long as nearly all others \
                 before the same call, {:.6} s in total. Waiting times and imbalance may be noise too. Repeat the run on a quieter \
                 machine, or take medians of five runs (--compute repeat:5); if the program computes so unevenly, the result is right",
                100.0 * self.unusual_share,
                words::count(self.unusual_bursts, "burst"),
                self.unusual_seconds
            )
        })
    }

    /// Its line of the summary.
    pub fn describe(&self) -> String {
        let interrupted = format!(
            "{} {} as others before the same call ({:.6} s less)",
            words::count(self.interrupted_bursts, "interrupted burst"),
            if self.interrupted_bursts == 1 { "counts" } else { "count" },
            self.interrupted_seconds
        );
        let unusual = format!(
            "{} as measured ({:.6} s more)",
            words::count(self.unusual_bursts, "unusual one"),
            self.unusual_seconds
        );
        match (self.interrupted_bursts, self.unusual_bursts) {
            (_, 0) => interrupted,
            (0, _) => unusual.replace("unusual one", "unusual burst"),
            _ => format!("{interrupted}; {unusual}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(interrupted: u64, unusual: u64, nanos: u64) -> DisturbedFigures {
        let longer = |bursts| LongerBursts { bursts, nanos: if bursts > 0 { nanos } else { 0 } };
        let disturbed = Disturbed { interrupted: longer(interrupted), unusual: longer(unusual) };
        DisturbedFigures::of(disturbed, 2.0, 0.1).expect("some are disturbed")
    }

    #[test]
    fn unexplained_time_makes_a_result_unreliable_if_it_can_matter() {
        assert!(!figures(3, 1, 1_000_000).is_unreliable());
        let many = figures(0, 5, 2_000_000);
        assert_eq!((many.unusual_seconds, many.unusual_share), (0.004, 0.04));
        assert!(many.doubt().expect("it matters").starts_with("up to 4 % of the simulated time"));
        assert_eq!(figures(0, 5, 900_000_000).unusual_share, 1.0);
        assert!(!figures(5, 0, 900_000_000).is_unreliable());
        assert_eq!(DisturbedFigures::of(Disturbed::default(), 1.0, 1.0), None);
    }

    #[test]
    fn the_summary_tells_what_counts_as_what() {
        assert_eq!(
            figures(1, 2, 1_000).describe(),
            "1 interrupted burst counts as others before the same call (0.000002 s less); 2 unusual ones as measured (0.000002 s more)"
        );
        assert_eq!(figures(0, 1, 1_000).describe(), "1 unusual burst as measured (0.000002 s more)");
    }
}
