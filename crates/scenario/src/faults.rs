//! The faults of the `[packet]` table: a list, with names that only the platform knows.

use mpirage_packet::{Fault, FaultKind};
use mpirage_platform::{LinkId, NetworkPlace, Platform, Value};
use mpirage_units::{FACTOR, Time};

use crate::values::{field, list, quantity, seconds, table};

/// A fault as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FaultSpec {
    place: String,
    from: Time,
    until: Time,
    effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    Down,
    Lossy(f64),
    /// The part of the rate that is left.
    Rate(f64),
    /// How many times as long software takes.
    Slow(f64),
}

const KEYS: [&str; 7] = ["at", "from", "until", "down", "loss", "rate", "slow"];

/// Names that an error looks through for one that is meant.
const NAMES: usize = 100_000;

impl FaultSpec {
    /// Reads the list.
    pub(crate) fn read_all(value: &Value) -> Result<Vec<FaultSpec>, String> {
        list(value)?.iter().map(FaultSpec::read).collect()
    }

    fn read(value: &Value) -> Result<FaultSpec, String> {
        let fields = table(value, &KEYS)?;
        let place = match field(fields, "at") {
            Some(Value::Text(place)) => place.clone(),
            _ => return Err("a fault needs `at`, the name of a host, link or switch".to_owned()),
        };
        let date = |name, otherwise| field(fields, name).map_or(Ok(otherwise), date);
        let (from, until) = (date("from", Time::ZERO)?, date("until", Time::MAX)?);
        if from >= until {
            return Err(format!("the fault at {place} is over before it begins"));
        }
        Ok(FaultSpec { place, from, until, effect: Effect::read(fields)? })
    }

    /// The fault on this platform.
    pub(crate) fn resolve(&self, platform: &Platform) -> Result<Fault, String> {
        let place = place_named(&self.place, platform)?;
        let kind = match (self.effect, &place) {
            (Effect::Slow(factor), NetworkPlace::Host(host)) => FaultKind::SlowHost(*host, factor),
            (Effect::Slow(_), _) => return Err(format!("`slow` is for hosts; `{}` is none", self.place)),
            (Effect::Down, _) => FaultKind::Down(links_of(&place, platform)),
            (Effect::Lossy(share), _) => FaultKind::Lossy(links_of(&place, platform), share),
            (Effect::Rate(share), _) => FaultKind::SlowLinks(links_of(&place, platform), share),
        };
        Ok(Fault { from: self.from, until: self.until, kind })
    }

    /// As it would be written.
    pub(crate) fn describe(&self) -> String {
        let effect = match self.effect {
            Effect::Down => "down = true".to_owned(),
            Effect::Lossy(share) => format!("loss = {share}"),
            Effect::Rate(share) => format!("rate = {share}"),
            Effect::Slow(factor) => format!("slow = {factor}"),
        };
        let until = match self.until {
            Time::MAX => String::new(),
            until => format!(", until = \"{}s\"", until.as_secs_f64()),
        };
        let from = self.from.as_secs_f64();
        format!("{{ at = {:?}, from = \"{from}s\"{until}, {effect} }}", self.place)
    }
}

impl Effect {
    fn read(fields: &[(String, Value)]) -> Result<Effect, String> {
        let mut effects = Vec::new();
        for (key, value) in fields {
            effects.extend(match key.as_str() {
                "down" if *value == Value::Boolean(true) => Some(Effect::Down),
                "down" => return Err("`down` is true or left out".to_owned()),
                "loss" => Some(Effect::Lossy(share(value)?)),
                "rate" => Some(Effect::Rate(share(value).and_then(positive)?)),
                "slow" => Some(Effect::Slow(quantity(value, &FACTOR).and_then(at_least_one)?)),
                _ => None,
            });
        }
        match effects[..] {
            [effect] => Ok(effect),
            _ => Err("a fault needs one of `down = true`, `loss`, `rate`, `slow`".to_owned()),
        }
    }
}

/// The place of that name.
pub(crate) fn place_named(name: &str, platform: &Platform) -> Result<NetworkPlace, String> {
    platform.find_place(name).ok_or_else(|| {
        let near = platform.place_names(NAMES);
        let near = near.iter().find(|known| known.eq_ignore_ascii_case(name));
        let help = near.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        format!("there is no host, link or switch `{name}`{help}")
    })
}

/// All links of a place.
pub(crate) fn links_of(place: &NetworkPlace, platform: &Platform) -> Vec<LinkId> {
    match place {
        NetworkPlace::Host(host) => platform.links_of_host(*host),
        NetworkPlace::Links(links) => links.clone(),
        NetworkPlace::Switch(ports) => {
            ports.iter().flat_map(|port| port.leaving.iter().chain(&port.entering)).copied().collect()
        }
    }
}

fn date(value: &Value) -> Result<Time, String> {
    Ok(Time::ZERO + mpirage_units::Duration::from_secs_f64(seconds(value)?))
}

fn share(value: &Value) -> Result<f64, String> {
    let share = quantity(value, &FACTOR)?;
    if share <= 1.0 { Ok(share) } else { Err(format!("{share} is more than 1")) }
}

fn positive(share: f64) -> Result<f64, String> {
    if share > 0.0 { Ok(share) } else { Err("a link without any rate is `down = true`".to_owned()) }
}

fn at_least_one(factor: f64) -> Result<f64, String> {
    if factor >= 1.0 { Ok(factor) } else { Err(format!("slow = {factor} would make the host faster")) }
}

#[cfg(test)]
mod tests {
    use mpirage_platform::ModelSettings;

    use super::*;

    fn faults(text: &str) -> Result<Vec<FaultSpec>, String> {
        let settings = ModelSettings::from_text("f", &format!("[packet]\nfaults = [{text}]\n")).unwrap();
        FaultSpec::read_all(&settings.get("packet.faults").unwrap().value)
    }

    #[test]
    fn faults_are_read_and_described_alike() {
        let text = r#"{ at = "host-1", from = "1s", until = "2s", down = true }, { at = "host-2", loss = 0.1 }, { at = "host-3", slow = 4 }"#;
        let read = faults(text).unwrap();
        let again = read.iter().map(FaultSpec::describe).collect::<Vec<_>>().join(", ");
        assert_eq!(faults(&again).unwrap(), read);
        let platform = Platform::load("cluster:4", 4).unwrap();
        let resolved: Vec<Fault> = read.iter().map(|fault| fault.resolve(&platform).unwrap()).collect();
        assert!(matches!(&resolved[0].kind, FaultKind::Down(links) if links.len() == 2));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (text, part) in [
            (r#"{ from = "1s", down = true }"#, "needs `at`"),
            (r#"{ at = "x" }"#, "one of"),
            (r#"{ at = "x", down = true, loss = 0.5 }"#, "one of"),
            (r#"{ at = "x", from = "2s", until = "1s", down = true }"#, "before it begins"),
            (r#"{ at = "x", loss = 1.5 }"#, "more than 1"),
            (r#"{ at = "x", rate = 0 }"#, "down = true"),
            (r#"{ at = "x", slow = 0.5 }"#, "faster"),
            (r#"{ at = "x", sloww = 2 }"#, "sloww"),
        ] {
            let error = faults(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let platform = Platform::load("cluster:4", 4).unwrap();
        let error = faults(r#"{ at = "nowhere", down = true }"#).unwrap()[0].resolve(&platform).unwrap_err();
        assert!(error.contains("there is no host, link or switch `nowhere`"), "{error}");
    }
}
