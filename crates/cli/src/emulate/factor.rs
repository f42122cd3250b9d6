//! The time factor and the lag that are wanted.

use mpirage_rank::{MOST_FACTOR, TimeFactor};
use mpirage_units::{Duration, LAG};

use crate::exit::{Failure, usage};

/// How far the simulator may be behind before a dynamic factor rises.
const DYNAMIC_LIMIT: f64 = 100e-6;

/// The value of `--time-factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// This one.
    Fixed(f64),
    /// The smallest that is enough.
    Auto,
    /// Follows the load.
    Dynamic,
}

/// Ranks, and the cores of this machine that they and the simulator may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of cores.
    pub cores: usize,
}

/// Reads `--time-factor`.
pub fn parse(text: &str) -> Result<Wanted, Failure> {
    let refuse = |why: &str| Err(usage(format!("--time-factor {text}: {why}")));
    match (text, text.parse::<f64>()) {
        ("auto", _) => Ok(Wanted::Auto),
        ("dynamic", _) => Ok(Wanted::Dynamic),
        (_, Ok(factor)) if (1.0..=MOST_FACTOR).contains(&factor) => Ok(Wanted::Fixed(factor)),
        (_, Ok(factor)) if factor < 1.0 => {
            refuse("ranks cannot run faster than in real time; a factor is 1 or more")
        }
        (_, Ok(factor)) if factor > MOST_FACTOR && factor.is_finite() => {
            refuse(&format!("a factor is {MOST_FACTOR} at most"))
        }
        _ => refuse("expected a number from 1 on, auto or dynamic"),
    }
}

/// Reads `--max-behind`: seconds.
pub fn parse_limit(text: Option<&str>) -> Result<Option<f64>, Failure> {
    let read = text.map(|text| LAG.read(text)).transpose();
    Ok(read.map_err(|error| usage(format!("--max-behind: {error}")))?.map(|lag| lag.value()))
}

/// A factor that follows the load. It is never so small that ranks, if all of them compute, get less of a core than it assumes.
pub fn dynamic(limit: Option<f64>, share: Share) -> TimeFactor {
    let least = (share.ranks as f64 / share.cores as f64).clamp(1.0, MOST_FACTOR);
    TimeFactor::Dynamic { least, limit: Duration::from_secs_f64(limit.unwrap_or(DYNAMIC_LIMIT)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_from_one_to_ten_thousand() {
        let of = |text| parse(text).map_err(|failure| failure.error.to_string());
        assert_eq!(["1", "2.5", "10000"].map(|text| of(text).unwrap()), [1.0, 2.5, 1e4].map(Wanted::Fixed));
        assert_eq!((of("auto"), of("dynamic")), (Ok(Wanted::Auto), Ok(Wanted::Dynamic)));
        for (text, part) in [
            ("0.5", "faster than in real time"),
            ("0", "faster than in real time"),
            ("-3", "faster than in real time"),
            ("10001", "10000 at most"),
            ("1e300", "10000 at most"),
            ("inf", "expected a number"),
            ("NaN", "expected a number"),
            ("", "expected a number"),
            ("fast", "expected a number"),
        ] {
            assert!(of(text).unwrap_err().contains(part), "{text}: {:?}", of(text));
        }
    }

    #[test]
    fn lags_have_units_and_are_positive() {
        assert!(parse_limit(Some("50us")).unwrap().is_some_and(|lag| (lag - 50e-6).abs() < 1e-15));
        assert_eq!(parse_limit(None).unwrap(), None);
        assert!(
            ["0", "-1s", "inf", "NaN", "5 parsecs", ""]
                .map(|text| parse_limit(Some(text)).is_err())
                .iter()
                .all(|&err| err)
        );
    }

    #[test]
    fn a_dynamic_factor_leaves_each_rank_its_share_of_the_cores() {
        let least = |ranks, cores| match dynamic(None, Share { ranks, cores }) {
            TimeFactor::Dynamic { least, .. } => least,
            TimeFactor::Fixed(_) => unreachable!(),
        };
        assert_eq!((least(2, 8), least(16, 2)), (1.0, 8.0));
    }
}
