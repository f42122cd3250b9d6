//! `gen:NAME,key=value,…` as a user has typed it: keys that are known, each once, and their values.

use std::ops::RangeInclusive;

use mpirage_units::{FACTOR, Quantity, did_you_mean};

use crate::TraceError;

/// A pattern of communication, as it is listed for users.
#[derive(Clone, Copy, Debug)]
pub struct PatternInfo {
    /// Its name.
    pub name: &'static str,
    /// A description of an iteration.
    pub meaning: &'static str,
    /// The keys it knows besides those that all know.
    pub keys: &'static [&'static str],
}

/// A key that patterns know, as it is listed for users.
#[derive(Clone, Copy, Debug)]
pub struct KeyInfo {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

pub(super) const fn key(name: &'static str, default: &'static str, meaning: &'static str) -> KeyInfo {
    KeyInfo { name, default, meaning }
}

/// A specification, split into keys that its pattern knows.
pub(super) struct Typed<'a> {
    text: &'a str,
    name: &'static str,
    known: Vec<&'static KeyInfo>,
    /// Keys of all patterns, for defaults.
    all: &'static [KeyInfo],
    values: Vec<(&'a str, &'a str)>,
}

/// The name of the pattern that a user has typed.
pub(crate) fn name_of(text: &str) -> &str {
    text.strip_prefix("gen:").unwrap_or(text).split(',').next().unwrap_or_default().trim()
}

impl<'a> Typed<'a> {
    /// Splits the specification of the pattern `name`, which knows these keys.
    pub fn split(
        text: &'a str,
        name: &'static str,
        (known, all): (Vec<&'static KeyInfo>, &'static [KeyInfo]),
    ) -> Result<Typed<'a>, TraceError> {
        let mut typed = Typed { text, name, known, all, values: Vec::new() };
        for part in text.split(',').skip(1).map(str::trim) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(typed.bad(format!("`{part}` is not of the form key=value")));
            };
            let (key, value) = (key.trim(), value.trim());
            if !typed.keys().any(|known| known == key) {
                let known: Vec<_> = typed.keys().collect();
                let meant = did_you_mean(key, known.iter().copied());
                return Err(
                    typed.bad(format!("`{name}` knows no `{key}`; it knows {}{meant}", known.join(", ")))
                );
            }
            if typed.is_given(key) {
                return Err(typed.bad(format!("`{key}` is given twice")));
            }
            typed.values.push((key, value));
        }
        Ok(typed)
    }

    /// The name of the pattern.
    pub fn name(&self) -> &'static str {
        self.name
    }

    fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.known.iter().map(|key| key.name)
    }

    /// Has the user given this key?
    pub fn is_given(&self, key: &str) -> bool {
        self.values.iter().any(|&(given, _)| given == key)
    }

    pub fn bad(&self, problem: String) -> TraceError {
        TraceError::Spec(format!("{}: {problem}", self.text))
    }

    /// The value of a key, or its default.
    pub fn value(&self, key: &str) -> &str {
        let typed = self.values.iter().find(|(name, _)| *name == key).map(|&(_, value)| value);
        let default = || self.all.iter().find(|info| info.name == key).map_or("", |info| info.default);
        typed.unwrap_or_else(default)
    }

    pub fn number<T: std::str::FromStr>(&self, key: &str, what: &str) -> Result<T, TraceError> {
        let value = self.value(key);
        value.parse().map_err(|_| self.bad(format!("`{key}={value}`: that is not {what}")))
    }

    pub fn whole(&self, key: &str, range: RangeInclusive<u32>) -> Result<u32, TraceError> {
        let value = self.value(key);
        let number = value.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            self.bad(format!("`{key}={value}`: it must be a whole number from {least} to {most}"))
        })
    }

    pub fn real(&self, key: &str) -> Result<f64, TraceError> {
        self.quantity(&FACTOR, key)
    }

    pub fn quantity(&self, quantity: &Quantity, key: &str) -> Result<f64, TraceError> {
        let number = quantity.read(self.value(key)).map(|read| read.value());
        number.map_err(|error| self.bad(format!("{key}: {error}")))
    }

    pub fn yes_or_no(&self, key: &str) -> Result<bool, TraceError> {
        match self.value(key) {
            "yes" | "true" | "1" => Ok(true),
            "no" | "false" | "0" => Ok(false),
            other => Err(self.bad(format!("`{key}={other}`: say yes or no"))),
        }
    }
}
