//! How a collective is performed: an algorithm and its parameters.
//!
//! A [`Method`] is written `k-nomial:radix=4:segment=32KiB`. Parameters that it does not name have the defaults of the
//! algorithm, which stand in the table of its collective.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::algorithm::Algorithm;
use crate::select::Selector;
use crate::shape::Shape;
use crate::size::{parse_size, written_size};
use crate::step::Schedule;

/// How a rank sends to several others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendStyle {
    /// By blocking sends, one after the other.
    InOrder,
    /// By non-blocking sends, with one wait for all of them.
    AtOnce,
}

/// The parameters of algorithms. An algorithm reads those that its entry in the table names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Algorithms that pipeline cut their vector into segments of about that many bytes; 0 leaves it whole.
    pub segment: u64,
    /// Children per node of a tree, chains from the root, partners per round.
    pub radix: u32,
    /// Operations that a rank has outstanding at most; 0 for any number.
    pub requests: u32,
    /// How a rank sends to its children.
    pub sends: SendStyle,
    /// The table that chooses the methods of collectives that this one is made of.
    pub parts: &'static str,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters { segment: 0, radix: 2, requests: 0, sends: SendStyle::InOrder, parts: "default" }
    }
}

/// Parameters of which some are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// See [`Parameters::segment`].
    pub segment: Option<u64>,
    /// See [`Parameters::radix`].
    pub radix: Option<u32>,
    /// See [`Parameters::requests`].
    pub requests: Option<u32>,
    /// See [`Parameters::sends`].
    pub sends: Option<SendStyle>,
    /// See [`Parameters::parts`].
    pub parts: Option<&'static str>,
}

impl Settings {
    const NONE: Settings = Settings { segment: None, radix: None, requests: None, sends: None, parts: None };

    /// These settings, and the defaults for what they do not say.
    pub fn or(self, defaults: Settings) -> Settings {
        Settings {
            segment: self.segment.or(defaults.segment),
            radix: self.radix.or(defaults.radix),
            requests: self.requests.or(defaults.requests),
            sends: self.sends.or(defaults.sends),
            parts: self.parts.or(defaults.parts),
        }
    }

    /// All parameters; those that are not given do not matter.
    pub fn parameters(self) -> Parameters {
        let default = Parameters::default();
        Parameters {
            segment: self.segment.unwrap_or(default.segment),
            radix: self.radix.unwrap_or(default.radix),
            requests: self.requests.unwrap_or(default.requests),
            sends: self.sends.unwrap_or(default.sends),
            parts: self.parts.unwrap_or(default.parts),
        }
    }

    /// Names of the parameters that are given.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("segment", self.segment.is_some()),
            ("radix", self.radix.is_some()),
            ("requests", self.requests.is_some()),
            ("sends", self.sends.is_some()),
            ("parts", self.parts.is_some()),
        ];
        given.into_iter().filter(|&(_, given)| given).map(|(name, _)| name)
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(segment) = self.segment {
            write!(f, ":segment={}", written_size(segment))?;
        }
        if let Some(radix) = self.radix {
            write!(f, ":radix={radix}")?;
        }
        if let Some(requests) = self.requests {
            write!(f, ":requests={requests}")?;
        }
        match self.sends {
            Some(SendStyle::InOrder) => f.write_str(":sends=in-order")?,
            Some(SendStyle::AtOnce) => f.write_str(":sends=at-once")?,
            None => {}
        }
        self.parts.map_or(Ok(()), |parts| write!(f, ":parts={parts}"))
    }
}

/// A way to perform a collective: an algorithm, and parameters where they are not its defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Method {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Its parameters, as far as they are given.
    pub settings: Settings,
}

impl From<Algorithm> for Method {
    fn from(algorithm: Algorithm) -> Self {
        Method { algorithm, settings: Settings::NONE }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.algorithm, self.settings)
    }
}

/// Why a text is no method.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MethodError {
    /// There is no algorithm of that name.
    #[error("there is no algorithm `{0}`")]
    UnknownAlgorithm(String),
    /// There is no such parameter.
    #[error(
        "`{0}` is no parameter; there are segment=SIZE, radix=K, requests=N, sends=in-order|at-once and parts=TABLE"
    )]
    UnknownParameter(String),
    /// The value does not fit the parameter.
    #[error("`{value}` is no value of {parameter}: {remedy}")]
    BadValue {
        /// The parameter.
        parameter: &'static str,
        /// The value as given.
        value: String,
        /// What to write instead.
        remedy: &'static str,
    },
}

impl FromStr for Method {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        let mut words = text.split(':').map(str::trim);
        // `Recursive_Doubling` is as good as `recursive-doubling`.
        let name = words.next().unwrap_or_default().to_ascii_lowercase().replace('_', "-");
        let algorithm = Algorithm::from_name(&name).ok_or(MethodError::UnknownAlgorithm(name))?;
        let mut settings = Settings::NONE;
        for word in words {
            let (name, value) =
                word.split_once('=').ok_or_else(|| MethodError::UnknownParameter(word.to_owned()))?;
            settings.read(name.trim(), value.trim())?;
        }
        Ok(Method { algorithm, settings })
    }
}

impl Settings {
    fn read(&mut self, name: &str, value: &str) -> Result<(), MethodError> {
        let bad = |parameter, remedy| MethodError::BadValue { parameter, value: value.to_owned(), remedy };
        match name {
            "segment" => {
                let size = parse_size(value)
                    .ok_or_else(|| bad("segment", "write a size, as in 64KiB; 0 means whole"))?;
                self.segment = Some(size);
            }
            "radix" => {
                let radix = value.parse().ok().filter(|&radix| radix >= 1);
                self.radix = Some(radix.ok_or_else(|| bad("radix", "write a whole number from 1 on"))?);
            }
            "requests" => {
                let limit = value.parse().ok();
                self.requests =
                    Some(limit.ok_or_else(|| bad("requests", "write a whole number; 0 means no limit"))?);
            }
            "sends" => {
                self.sends = Some(match value {
                    "in-order" => SendStyle::InOrder,
                    "at-once" => SendStyle::AtOnce,
                    _ => return Err(bad("sends", "write in-order or at-once")),
                });
            }
            "parts" => {
                let table = Selector::names().map(|(name, _)| name).find(|&name| name == value);
                self.parts =
                    Some(table.ok_or_else(|| bad("parts", "write the name of a table, as in openmpi-4.1"))?);
            }
            _ => return Err(MethodError::UnknownParameter(name.to_owned())),
        }
        Ok(())
    }
}

/// Writes the steps of one rank.
pub(crate) type Build = fn(&Shape, &mut Schedule);

/// An algorithm of one collective.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub algorithm: Algorithm,
    pub build: Build,
    /// The parameters that it reads, with their defaults.
    pub defaults: Settings,
    /// Can it perform a call of this shape? All ranks must answer alike.
    pub fits: fn(&Shape) -> bool,
}

/// The algorithms of one collective. This is the only place that says which are valid.
pub(crate) type Table = &'static [Entry];

/// An algorithm without parameters, for calls of any shape.
pub(crate) const fn entry(algorithm: Algorithm, build: Build) -> Entry {
    Entry { algorithm, build, defaults: Settings::NONE, fits: |_| true }
}

impl Entry {
    /// It cuts its vector into segments, of so many bytes unless told otherwise.
    pub const fn segment(mut self, bytes: u64) -> Entry {
        self.defaults.segment = Some(bytes);
        self
    }

    /// It has a radix, this one unless told otherwise.
    pub const fn radix(mut self, radix: u32) -> Entry {
        self.defaults.radix = Some(radix);
        self
    }

    /// It limits the number of outstanding operations, to this unless told otherwise.
    pub const fn requests(mut self, requests: u32) -> Entry {
        self.defaults.requests = Some(requests);
        self
    }

    /// It sends in either style, in this one unless told otherwise.
    pub const fn sends(mut self, sends: SendStyle) -> Entry {
        self.defaults.sends = Some(sends);
        self
    }

    /// It is made of other collectives, whose methods this table chooses unless told otherwise.
    pub const fn parts(mut self, table: &'static str) -> Entry {
        self.defaults.parts = Some(table);
        self
    }

    /// It performs only calls of which this is true.
    pub const fn only_if(mut self, fits: fn(&Shape) -> bool) -> Entry {
        self.fits = fits;
        self
    }

    /// It combines operands in any order, so it is for operations that commute.
    pub const fn any_order(self) -> Entry {
        self.only_if(|shape| shape.commutative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_written_as_they_are_read() {
        for text in ["ring", "chain:segment=64KiB", "batched:requests=0", "binomial:sends=at-once"] {
            assert_eq!(text.parse::<Method>().unwrap().to_string(), text);
        }
        assert_eq!("chain: segment = 1000".parse::<Method>().unwrap().to_string(), "chain:segment=1000B");
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |text: &str| text.parse::<Method>().unwrap_err().to_string();
        assert_eq!(error("rong"), "there is no algorithm `rong`");
        assert_eq!(
            error("ring:4"),
            "`4` is no parameter; there are segment=SIZE, radix=K, requests=N, sends=in-order|at-once and parts=TABLE"
        );
        assert_eq!(error("ring:radix=0"), "`0` is no value of radix: write a whole number from 1 on");
        assert_eq!(
            error("chain:segment=x"),
            "`x` is no value of segment: write a size, as in 64KiB; 0 means whole"
        );
    }
}
