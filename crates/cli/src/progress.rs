//! The progress line on a terminal. It uses no thread: signals must reach the thread that waits for ranks.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use mpirage_rank::Watch;
use mpirage_units::counted;

use crate::output::say;

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
    fn progress(&mut self, simulated: f64, ended: usize) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!(
                "simulated {simulated:.6} s, {ended} of {} ended",
                counted(self.ranks, "rank")
            ));
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
