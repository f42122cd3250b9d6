//! The progress line on a terminal. It uses no thread: signals must reach the thread that waits for ranks.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use mpirage_rank::{SoFar, Watch};
use mpirage_units::{Duration, counted};

use crate::output::say;

/// With less than this share done, what is left cannot be told.
const LEAST_SHARE: f64 = 0.01;

/// Shows the simulated time and the number of ranks that have ended.
pub struct Progress {
    bar: Option<ProgressBar>,
    ranks: usize,
}

impl Progress {
    /// A progress line, which is empty if standard error is no terminal or `quiet` is set.
    pub fn new(ranks: usize, quiet: bool) -> Progress {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(
                ProgressStyle::with_template("{spinner} {elapsed} {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar
        });
        Progress { bar, ranks }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Progress {
    fn progress(&mut self, so_far: SoFar) {
        if let Some(bar) = &self.bar {
            bar.set_message(describe(so_far, self.ranks, bar.elapsed().as_secs_f64()));
            bar.tick();
        }
    }

    fn slow_rank(&mut self, rank: u32, seconds: f64, place: Option<&str>) {
        let place = place.map_or(String::new(), |place| format!(" and is at {place}"));
        let say = || {
            say!(
                "mpirage: rank {rank} has computed for {seconds:.0} s without calling MPI{place}; --rank-timeout limits that"
            )
        };
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }
}

/// `simulated 1.204 s, 31 %, about 12 s left, 0 of 64 ranks ended`, after so many seconds here. If it is not known how much is left, the
/// simulated time of a second here stands there instead.
fn describe(SoFar { simulated, ended, share }: SoFar, ranks: usize, elapsed: f64) -> String {
    let pace = match share.filter(|&share| share > LEAST_SHARE) {
        Some(share) => {
            let left = elapsed * (1.0 / share.min(1.0) - 1.0);
            format!("{:.0} %, about {left:.0} s left", 100.0 * share.min(1.0))
        }
        None => format!("{} per second", Duration::from_secs_f64(simulated / elapsed.max(1e-3))),
    };
    format!("simulated {simulated:.6} s, {pace}, {ended} of {} ended", counted(ranks, "rank"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_known_length_says_what_is_left() {
        let so_far = SoFar { simulated: 1.5, ended: 0, share: Some(0.25) };
        assert_eq!(
            describe(so_far, 4, 10.0),
            "simulated 1.500000 s, 25 %, about 30 s left, 0 of 4 ranks ended"
        );
        let unknown = SoFar { share: None, ..so_far };
        assert_eq!(
            describe(unknown, 4, 10.0),
            "simulated 1.500000 s, 150.000 ms per second, 0 of 4 ranks ended"
        );
    }
}
