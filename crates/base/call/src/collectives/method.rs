//! How a collective is performed: an algorithm and its parameters.
//!
//! A [`Method`] is written `k-nomial:radix=4:segment=32KiB`. Parameters that it does not name have the defaults of the
//! algorithm, which stand in the table of its collective.

use std::fmt;

use mpirage_units::parse_size;
use thiserror::Error;

use super::algorithm::Algorithm;
use super::parameters::{SendStyle, Settings, WireProtocol};

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
        "`{0}` is no parameter; there are segment=SIZE, radix=K, requests=N, sends=in-order|at-once, parts=TABLE, protocol=ll|ll128|simple and channels=N"
    )]
    UnknownParameter(String),
    /// The value does not fit the parameter.
    #[error("`{value}` is no value of {parameter}: {remedy}")]
    BadValue {
        /// The parameter.
        parameter: &'static str,
        /// The value as given.
        value: String,
        /// The correct form of the value.
        remedy: &'static str,
    },
}

impl Method {
    /// Reads a method. `tables` are the names that `parts=TABLE` may give.
    pub fn parse(
        text: &str,
        tables: impl Iterator<Item = &'static str> + Clone,
    ) -> Result<Self, MethodError> {
        let mut words = text.split(':').map(str::trim);
        // `Recursive_Doubling` is as good as `recursive-doubling`.
        let name = words.next().unwrap_or_default().to_ascii_lowercase().replace('_', "-");
        let algorithm = Algorithm::from_name(&name).ok_or(MethodError::UnknownAlgorithm(name))?;
        let mut settings = Settings::NONE;
        for word in words {
            let (name, value) =
                word.split_once('=').ok_or_else(|| MethodError::UnknownParameter(word.to_owned()))?;
            settings.read(name.trim(), value.trim(), tables.clone())?;
        }
        Ok(Method { algorithm, settings })
    }
}

impl Settings {
    fn read(
        &mut self,
        name: &str,
        value: &str,
        mut tables: impl Iterator<Item = &'static str>,
    ) -> Result<(), MethodError> {
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
                let table = tables.find(|&name| name == value);
                self.parts =
                    Some(table.ok_or_else(|| bad("parts", "write the name of a table, as in openmpi-4.1"))?);
            }
            "protocol" => {
                let protocol = WireProtocol::ALL.into_iter().find(|protocol| protocol.name() == value);
                self.protocol = Some(protocol.ok_or_else(|| bad("protocol", "write ll, ll128 or simple"))?);
            }
            "channels" => {
                let channels = value.parse().ok().filter(|&channels| channels <= 32);
                self.channels = Some(
                    channels.ok_or_else(|| bad("channels", "write a whole number up to 32; 0 means all"))?,
                );
            }
            _ => return Err(MethodError::UnknownParameter(name.to_owned())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Method, MethodError> {
        Method::parse(text, std::iter::empty())
    }

    #[test]
    fn methods_are_written_as_they_are_read() {
        for text in [
            "ring",
            "chain:segment=64KiB",
            "batched:requests=0",
            "binomial:sends=at-once",
            "nccl/tree:protocol=ll128:channels=4",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        assert_eq!(parse("chain: segment = 1000").unwrap().to_string(), "chain:segment=1000B");
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(error("rong"), "there is no algorithm `rong`");
        assert_eq!(
            error("ring:4"),
            "`4` is no parameter; there are segment=SIZE, radix=K, requests=N, sends=in-order|at-once, parts=TABLE, protocol=ll|ll128|simple and channels=N"
        );
        assert_eq!(error("ring:radix=0"), "`0` is no value of radix: write a whole number from 1 on");
        assert_eq!(
            error("chain:segment=x"),
            "`x` is no value of segment: write a size, as in 64KiB; 0 means whole"
        );
    }
}
