//! `--time-factor auto`: runs the program with the factors 1, 2, 4 … until the results stop changing.
//!
//! A factor is enough if the run with it and the run with twice that factor agree:
//!
//! | | they agree if |
//! |---|---|
//! | run time | it differs by 5 % of the longer one at most, or by the lag that is allowed |
//! | unexpected messages | their number differs by 2 % of all messages at most, and by 1 is always allowed |
//! | maxBehind | both are `--max-behind` at most; without it, 1 % of the run time or 50 µs |
//!
//! Each run is another mpirage process with the same arguments. Only the final run, with the factor that was found, prints and
//! writes files.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, anyhow};
use mpirage_simulation::{Interrupt, Try, allowed_lag, round_factor as round};
use mpirage_units::{Duration, counted};

use super::factor::Share;
use crate::arguments::{EmulateArguments, JsonArgument};
use crate::child;
use crate::exit::{self, Failure};
use crate::output::say;

/// The environment variables that make mpirage one of the runs: the file for its figures, and the factor.
const FILE_VARIABLE: &str = "MPIRAGE_TRY_INTO";
const FACTOR_VARIABLE: &str = "MPIRAGE_TRY_FACTOR";
/// The largest factor that is tried.
const MOST: f64 = 256.0;
/// How much run times may differ.
const RUN_TIME: f64 = 0.05;
/// How much numbers of unexpected messages may differ, as a share of all messages.
const UNEXPECTED: f64 = 0.02;

/// The factor that was found.
pub struct Found {
    pub factor: f64,
    pub tries: Vec<Try>,
}

/// A search for the smallest factor that is enough.
pub struct Search<'a> {
    /// The arguments of all runs.
    pub typed: &'a [OsString],
    /// How far the simulator may be behind, in seconds.
    pub limit: Option<f64>,
    /// Prints no table.
    pub quiet: bool,
    /// Ranks, and the cores for them.
    pub share: Share,
}

/// Turns this run into one of the runs of a search, if the environment says so.
pub fn apply_environment(arguments: &mut EmulateArguments) {
    if let (Some(file), Ok(factor)) = (std::env::var_os(FILE_VARIABLE), std::env::var(FACTOR_VARIABLE)) {
        arguments.time_factor = factor;
        let results = &mut arguments.run.results;
        (results.trace, results.report, results.quiet) = (Vec::new(), None, true);
        results.json = JsonArgument::into_file(file.into());
    }
}

impl Search<'_> {
    /// Runs the program until two runs agree.
    pub fn run(&self) -> Result<Found, Failure> {
        let interrupt = Interrupt::watch()?;
        let folder = tempfile::Builder::new()
            .prefix("mpirage-")
            .tempdir()
            .context("cannot make a temporary folder")?;
        let (mut tries, mut factor) = (Vec::new(), 1.0);
        self.say_head();
        while factor <= MOST {
            let one = self.try_factor(factor, &folder.path().join(format!("{factor}.json")), interrupt)?;
            self.say_row(&one);
            if let Some(before) = tries.last()
                && self.agree(before, &one)
            {
                let found = before.time_factor;
                tries.push(one);
                return Ok(Found { factor: found, tries });
            }
            tries.push(one);
            factor *= 2.0;
        }
        Err(self.never_settled())
    }

    fn agree(&self, one: &Try, two: &Try) -> bool {
        let longer = one.run_seconds.max(two.run_seconds);
        let lag = allowed_lag(self.limit, longer);
        let unexpected = one.unexpected_messages.abs_diff(two.unexpected_messages);
        (one.run_seconds - two.run_seconds).abs() <= (RUN_TIME * longer).max(lag)
            && unexpected as f64 <= (UNEXPECTED * one.messages.max(two.messages) as f64).max(1.0)
            && one.max_behind_seconds.max(two.max_behind_seconds) <= lag
    }

    fn try_factor(&self, factor: f64, file: &Path, interrupt: Interrupt) -> Result<Try, Failure> {
        let variables = [(FILE_VARIABLE, file.into()), (FACTOR_VARIABLE, factor.to_string().into())];
        let ended = child::run("emulate", self.typed, &variables, interrupt)?;
        if !ended.succeeded() {
            return Err(Failure {
                code: ended.code(),
                error: anyhow!("the run with time factor {factor} failed:\n{}", ended.said.trim_end()),
            });
        }
        read(factor, file)
            .with_context(|| format!("the run with time factor {factor} left no figures"))
            .map_err(Failure::from)
    }

    fn never_settled(&self) -> Failure {
        let Share { ranks, cores } = self.share;
        let cores = match ranks > cores {
            true => format!("; it has {} for {}", counted(cores, "core"), counted(ranks, "rank")),
            false => String::new(),
        };
        Failure {
            code: exit::BEHIND,
            error: anyhow!(
                "run time, unexpected messages and maxBehind still change at a time factor of {MOST}: this machine is too small or too \
                 busy for this program{cores}; choose a factor with --time-factor N, allow more with --max-behind, or use `mpirage run`"
            ),
        }
    }

    fn say_head(&self) {
        if !self.quiet {
            say!("mpirage: looking for the time factor");
            say!(
                "  {:>6}  {:>12}  {:>12}  {:>18}  {:>10}",
                "factor",
                "run time",
                "maxBehind",
                "unexpected",
                "real time"
            );
        }
    }

    fn say_row(&self, one: &Try) {
        if !self.quiet {
            let [run, behind] = [one.run_seconds, one.max_behind_seconds].map(Duration::from_secs_f64);
            let unexpected = format!("{} of {}", one.unexpected_messages, one.messages);
            let (factor, real) = (round(one.time_factor), one.real_seconds);
            say!(
                "  {factor:>6}  {:>12}  {:>12}  {unexpected:>18}  {real:>8.3} s",
                run.to_string(),
                behind.to_string()
            );
        }
    }
}

/// The figures that a run has written.
fn read(factor: f64, file: &Path) -> anyhow::Result<Try> {
    let figures: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let number = |value: &serde_json::Value| value.as_f64().context("a number is missing");
    let count = |value: &serde_json::Value| value.as_u64().context("a count is missing");
    Ok(Try {
        time_factor: factor,
        run_seconds: number(&figures["simulated_seconds"])?,
        max_behind_seconds: number(&figures["emulation"]["max_behind_seconds"])?,
        unexpected_messages: count(&figures["unexpected_messages"])?,
        messages: count(&figures["messages"])?,
        real_seconds: number(&figures["emulation"]["real_seconds"])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Try = Try {
        time_factor: 8.0,
        run_seconds: 1.0,
        max_behind_seconds: 0.001,
        unexpected_messages: 10,
        messages: 1000,
        real_seconds: 8.0,
    };

    fn agree(limit: Option<f64>, two: Try) -> bool {
        Search { typed: &[], limit, quiet: true, share: Share { ranks: 2, cores: 2 } }.agree(&GOOD, &two)
    }

    #[test]
    fn runs_agree_if_nothing_changes_any_more() {
        assert!(agree(None, GOOD));
        assert!(agree(
            None,
            Try { run_seconds: 0.96, max_behind_seconds: 0.009, unexpected_messages: 30, ..GOOD }
        ));
        assert!(!agree(None, Try { run_seconds: 0.94, ..GOOD }));
        assert!(!agree(None, Try { unexpected_messages: 31, ..GOOD }));
        assert!(!agree(None, Try { max_behind_seconds: 0.011, ..GOOD }));
        let short = Try { run_seconds: 0.0005, max_behind_seconds: 49e-6, ..GOOD };
        let search = Search { typed: &[], limit: None, quiet: true, share: Share { ranks: 2, cores: 2 } };
        assert!(search.agree(&short, &Try { run_seconds: 0.00054, ..short }));
        assert!(!search.agree(&short, &Try { max_behind_seconds: 51e-6, ..short }));
        assert!(agree(Some(0.02), Try { max_behind_seconds: 0.011, ..GOOD }));
        assert!(agree(Some(0.1), Try { run_seconds: 0.94, ..GOOD }));
        assert!(!agree(Some(0.0005), GOOD));
    }

    #[test]
    fn a_machine_that_is_too_small_is_named() {
        let failure = Search { typed: &[], limit: None, quiet: true, share: Share { ranks: 9, cores: 2 } }
            .never_settled();
        let text = failure.error.to_string();
        assert!(
            text.contains("too small or too busy") && text.contains("it has 2 cores for 9 ranks"),
            "{text}"
        );
    }
}
