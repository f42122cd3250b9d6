//! Profiles: values of hosts and links that change at dates (SimGrid's availability profiles).
//!
//! A profile is a list of dates and values. It may start again after its last date, for ever. Its text is SimGrid's:
//!
//! ```text
//! # date value
//! 0.0 1.0
//! 11.0 0.5
//! LOOPAFTER 5       starts again 5 s after the last date;  PERIODICITY 16 says the same of this profile
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::host::HostId;
use crate::link::LinkId;

/// Words of profiles whose dates or values are drawn at random.
const RANDOM: [&str; 10] =
    ["STOCHASTIC", "DET", "NORM", "NORMAL", "GAUSS", "GAUSSIAN", "EXP", "EXPONENTIAL", "UNIF", "UNIFORM"];

/// Rounds of fewer seconds would never end.
const SHORTEST_ROUND: f64 = 1e-9;

/// A value that changes at dates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Seconds since the change before, and the value from then on.
    changes: Arc<[(f64, f64)]>,
    /// Seconds from the last change to the start of the next round, if there is one.
    again_after: Option<f64>,
}

impl Profile {
    /// Reads SimGrid's text. `period` is that of the whole profile, if it is given elsewhere and is positive.
    pub(crate) fn parse(text: &str, period: f64) -> Result<Profile, String> {
        let (mut changes, mut last, mut after) = (Vec::<(f64, f64)>::new(), 0.0, None);
        let mut period = (period > 0.0).then_some(period);
        let lines = (1..).zip(text.split(['\n', '\r'])).map(|(number, line)| (number, line.trim()));
        for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '%'])) {
            let wrong = |what: &str| format!("line {number} (`{line}`): {what}");
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["PERIODICITY", seconds] => period = Some(number_of(seconds).map_err(|what| wrong(&what))?),
                ["LOOPAFTER", seconds] => after = Some(number_of(seconds).map_err(|what| wrong(&what))?),
                _ if words.iter().any(|word| RANDOM.contains(word)) => {
                    return Err(wrong("random profiles are not supported"));
                }
                [date, value, ..] => {
                    let date = number_of(date).map_err(|what| wrong(&what))?;
                    let value = number_of(value).map_err(|what| wrong(&what))?;
                    if date < last {
                        return Err(wrong("dates must not go back"));
                    }
                    changes.push((date - last, value));
                    last = date;
                }
                _ => return Err(wrong("a date and a value are needed")),
            }
        }
        let again_after = round_after(period, after, last)?;
        let round: f64 = changes.iter().map(|(seconds, _)| seconds).sum();
        if again_after.is_some_and(|seconds| seconds + round < SHORTEST_ROUND) && !changes.is_empty() {
            return Err("it starts again although no time has passed".to_owned());
        }
        Ok(Profile { changes: changes.into(), again_after })
    }

    /// The dates in seconds and the values, in order; without end if the profile starts again.
    pub fn dates(&self) -> Dates {
        Dates { profile: self.clone(), date: 0.0, next: 0, first_round: true }
    }

    /// All values.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.changes.iter().map(|(_, value)| *value)
    }
}

fn number_of(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(format!("`{text}` is not a number from 0 on")),
    }
}

/// Seconds from the last change to the next round.
fn round_after(period: Option<f64>, after: Option<f64>, last: f64) -> Result<Option<f64>, String> {
    match (period.filter(|period| *period > 0.0), after) {
        (Some(_), Some(after)) if after > 0.0 => Err("it has both a period and LOOPAFTER".to_owned()),
        (Some(period), _) if period < last => {
            Err(format!("its period of {period} s is over before its last date, {last} s"))
        }
        (Some(period), _) => Ok(Some(period - last)),
        (None, after) => Ok(after),
    }
}

/// The dates of a profile.
#[derive(Clone, Debug)]
pub struct Dates {
    profile: Profile,
    date: f64,
    next: usize,
    first_round: bool,
}

impl Iterator for Dates {
    type Item = (f64, f64);

    fn next(&mut self) -> Option<(f64, f64)> {
        if self.next == self.profile.changes.len() {
            self.profile.again_after?;
            (self.next, self.first_round) = (0, false);
        }
        let &(seconds, value) = self.profile.changes.get(self.next)?;
        // SimGrid adds in this order.
        let pause = if self.next == 0 && !self.first_round { self.profile.again_after? } else { 0.0 };
        self.date += seconds + pause;
        self.next += 1;
        Some((self.date, value))
    }
}

/// The property of a host or link that a profile changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changing {
    /// The speed of a host's cores: a factor.
    Speed(HostId),
    /// Whether a host is on: not if the value is 0.
    HostState(HostId),
    /// The bandwidth of a link, in bytes per second.
    Bandwidth(LinkId),
    /// The latency of a link, in seconds.
    Latency(LinkId),
    /// Whether a link is on: not if the value is 0.
    LinkState(LinkId),
}

impl Changing {
    /// Does it concern messages? A host that is off neither sends nor receives.
    pub fn is_of_network(self) -> bool {
        !matches!(self, Changing::Speed(_))
    }
}

/// All profiles of a platform.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    profiles: BTreeMap<Changing, Profile>,
}

impl Profiles {
    /// Adds a profile, unless there is one of the same quantity.
    pub(crate) fn add(&mut self, what: Changing, profile: Profile) -> Result<(), String> {
        let zero = profile.values().any(|value| value == 0.0);
        if matches!(what, Changing::Bandwidth(_)) && zero {
            return Err("a link without bandwidth is one that is off: give it a `state_file`".to_owned());
        }
        match self.profiles.insert(what, profile) {
            None => Ok(()),
            Some(_) => Err("there is a profile of this quantity already".to_owned()),
        }
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.profiles.is_empty()
    }

    /// Does any of them concern messages?
    pub fn are_of_network(&self) -> bool {
        self.profiles.keys().any(|what| what.is_of_network())
    }

    /// Does any of them concern computation?
    pub fn are_of_cores(&self) -> bool {
        self.profiles.keys().any(|what| !what.is_of_network())
    }

    /// All of them, hosts first.
    pub fn iter(&self) -> impl Iterator<Item = (Changing, &Profile)> {
        self.profiles.iter().map(|(what, profile)| (*what, profile))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(text: &str, period: f64) -> Vec<(f64, f64)> {
        Profile::parse(text, period).unwrap().dates().take(5).collect()
    }

    #[test]
    fn rounds_begin_after_a_pause_or_a_period() {
        assert_eq!(dates("0 1\n2 3", -1.0), [(0.0, 1.0), (2.0, 3.0)]);
        let twice = [(1.0, 1.0), (2.0, 3.0), (6.0, 1.0), (7.0, 3.0), (11.0, 1.0)];
        assert_eq!(dates("# x\n1 1\r\n2 3\nLOOPAFTER 3\n", -1.0), twice);
        let period = [(1.0, 1.0), (2.0, 3.0), (5.0, 1.0), (6.0, 3.0), (9.0, 1.0)];
        assert_eq!(dates("1 1\n2 3", 4.0), period);
        assert_eq!(dates("PERIODICITY 4\n1 1\n2 3", -1.0), period);
        assert_eq!(dates("", 4.0), []);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (text, part) in [
            ("0", "a date and a value"),
            ("2 1\n1 1", "must not go back"),
            ("0 -1", "not a number"),
            ("nan 1", "not a number"),
            ("STOCHASTIC", "random"),
            ("0 NORM 1 2", "random"),
            ("0 1\nLOOPAFTER 0", "no time has passed"),
            ("0 1\n5 1\nPERIODICITY 4", "is over before"),
            ("0 1\nPERIODICITY 4\nLOOPAFTER 4", "both"),
        ] {
            let error = Profile::parse(text, -1.0).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
