//! Governors by name: `ondemand`, `slack:period=1ms`.

use mpirage_models::Governor;
use mpirage_units::{Duration, TIMEOUT};

use crate::failure::{Failure, usage};
use crate::words;

/// All names.
const NAMES: [&str; 5] = ["performance", "powersave", "conservative", "ondemand", "slack"];
/// Time between two looks, unless it is given: as long as Linux waits, as a rule.
const PERIOD: f64 = 10e-3;

/// The governor that a user asks for.
pub(crate) fn parse(text: &str) -> Result<Governor, Failure> {
    let (name, option) = match text.split_once(':') {
        Some((name, option)) => (name, Some(option)),
        None => (text, None),
    };
    let wrong = |why: String| usage(format!("--governor {text}: {why}"));
    let period = match option.map(|option| option.split_once('=').unwrap_or((option, ""))) {
        None => PERIOD,
        Some(("period", time)) => TIMEOUT.read(time).map_err(|error| wrong(error.to_string()))?.value(),
        Some((other, _)) => {
            return Err(wrong(format!(
                "there is no option `{other}`; there is period, as in {name}:period=10ms"
            )));
        }
    };
    let period = Duration::from_secs_f64(period);
    match (name, option) {
        ("performance" | "powersave", Some(_)) => {
            Err(wrong(format!("{name} has no options: it changes nothing")))
        }
        ("performance", None) => Ok(Governor::Performance),
        ("powersave", None) => Ok(Governor::Powersave),
        ("conservative", _) => Ok(Governor::Conservative(period)),
        ("ondemand", _) => Ok(Governor::Ondemand(period)),
        ("slack", _) => Ok(Governor::Slack(period)),
        _ => {
            let meant = words::did_you_mean(name, NAMES);
            Err(wrong(format!("there is no such governor; there are {}{meant}", NAMES.join(", "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn governors_have_names_and_periods() {
        assert_eq!(parse("powersave").unwrap(), Governor::Powersave);
        assert_eq!(parse("slack:period=1ms").unwrap(), Governor::Slack(Duration::from_secs_f64(1e-3)));
        let refused = |text| parse(text).unwrap_err().to_string();
        assert!(refused("ondemnd").contains("did you mean"), "{}", refused("ondemnd"));
        assert!(refused("ondemand:up=3").contains("no option `up`"));
        assert!(refused("slack:period=0").contains("no time at all"));
        assert!(refused("powersave:period=1s").contains("no options"));
    }
}
