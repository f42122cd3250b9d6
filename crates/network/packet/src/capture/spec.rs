//! Where to capture, as the command line says it: `HOST=FILE`, `LINK=FILE`, `SWITCH=FILE` or `SWITCH:PORT=FILE`.
//!
//! A name alone does not say what it names; [`CapturePlace::resolve`] asks whoever knows the platform.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// A place of the network and the file for what is captured there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureSpec {
    place: CapturePlace,
    file: PathBuf,
}

/// A name as typed, with the port that may follow it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CapturePlace {
    name: String,
    port: Option<u32>,
}

/// An error in a capture specification.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CaptureSpecError {
    /// The file is missing.
    #[error("`{0}` names no file; write for example host0=host0.pcapng")]
    NoFile(String),
    /// The place is missing.
    #[error("`{0}` names no host, link or switch; write for example host0=host0.pcapng")]
    NoPlace(String),
    /// The text after the colon is not a port number.
    #[error("`{port}` is not the number of a port; write for example switch0:3=port3.pcapng")]
    BadPort {
        /// The text after the colon.
        port: String,
    },
    /// Nothing has this name.
    #[error("there is no host, link or switch `{name}`{}", help(.near))]
    Unknown {
        /// The name as typed.
        name: String,
        /// The names that are most like it.
        near: Vec<String>,
    },
    /// It exists, but has no such port.
    #[error("`{name}` has no port {port}; its ports are 0 to {}", .ports - 1)]
    NoSuchPort {
        /// The name as typed.
        name: String,
        /// The port as typed.
        port: u32,
        /// How many there are.
        ports: u32,
    },
    /// It exists, but is not a switch.
    #[error("`{name}` is not a switch, so it has no port {port}; write {name}=FILE")]
    NotASwitch {
        /// The name as typed.
        name: String,
        /// The port as typed.
        port: u32,
    },
}

impl CaptureSpec {
    /// Where to capture.
    pub fn place(&self) -> &CapturePlace {
        &self.place
    }

    /// The file to write.
    pub fn file(&self) -> &Path {
        &self.file
    }
}

impl FromStr for CaptureSpec {
    type Err = CaptureSpecError;

    /// The first `=` ends the place: files may have more of them in their names.
    fn from_str(text: &str) -> Result<CaptureSpec, CaptureSpecError> {
        let (place, file) = text.split_once('=').ok_or_else(|| CaptureSpecError::NoFile(text.to_owned()))?;
        if file.is_empty() {
            return Err(CaptureSpecError::NoFile(text.to_owned()));
        }
        if place.is_empty() || place.starts_with(':') {
            return Err(CaptureSpecError::NoPlace(text.to_owned()));
        }
        Ok(CaptureSpec { place: place.parse()?, file: PathBuf::from(file) })
    }
}

impl FromStr for CapturePlace {
    type Err = CaptureSpecError;

    fn from_str(text: &str) -> Result<CapturePlace, CaptureSpecError> {
        let Some((name, port)) = text.rsplit_once(':') else {
            return Ok(CapturePlace { name: text.to_owned(), port: None });
        };
        match port.parse() {
            Ok(number) => Ok(CapturePlace { name: name.to_owned(), port: Some(number) }),
            Err(_) => Err(CaptureSpecError::BadPort { port: port.to_owned() }),
        }
    }
}

impl fmt::Display for CapturePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The device that a name of the platform stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<T> {
    /// A host or a link: it is captured as a whole.
    Whole(T),
    /// A switch with so many ports.
    Switch(T, u32),
}

/// A place that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved<T> {
    /// All of a host, link or switch.
    All(T),
    /// A port of a switch.
    Port(T, u32),
}

impl CapturePlace {
    /// The name, without the port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port.
    pub fn port(&self) -> Option<u32> {
        self.port
    }

    /// Finds the place. `find` knows the platform's names; `known` lists them for an error's help, and is only called then.
    pub fn resolve<T, I: IntoIterator<Item = String>>(
        &self,
        find: impl Fn(&str) -> Option<Named<T>>,
        known: impl FnOnce() -> I,
    ) -> Result<Resolved<T>, CaptureSpecError> {
        let name = self.name.clone();
        match (find(&self.name), self.port) {
            (None, _) => Err(CaptureSpecError::Unknown { near: nearest(&name, known()), name }),
            (Some(Named::Whole(it) | Named::Switch(it, _)), None) => Ok(Resolved::All(it)),
            (Some(Named::Whole(_)), Some(port)) => Err(CaptureSpecError::NotASwitch { name, port }),
            (Some(Named::Switch(it, ports)), Some(port)) if port < ports => Ok(Resolved::Port(it, port)),
            (Some(Named::Switch(_, ports)), Some(port)) => {
                Err(CaptureSpecError::NoSuchPort { name, port, ports })
            }
        }
    }
}

/// How many near names an error shows.
const SHOWN: usize = 3;

/// The known names that are most like what was written, if any is like it at all.
fn nearest(written: &str, known: impl IntoIterator<Item = String>) -> Vec<String> {
    let written = written.to_lowercase();
    let length = written.chars().count();
    // Something of what was written must be left: `c` is not a typo of `a`.
    let far_enough = (length / 3 + 1).min(length.saturating_sub(1));
    let mut near: Vec<_> = known
        .into_iter()
        .map(|name| (strsim::osa_distance(&written, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= far_enough)
        .collect();
    near.sort();
    near.dedup(); // Each link of a switch gives the name of the switch.
    near.truncate(SHOWN);
    near.into_iter().map(|(_, name)| name).collect()
}

fn help(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean `{}`?", near.join("`, `")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Option<Named<u32>> {
        match name {
            "host1" => Some(Named::Whole(1)),
            "leaf2" => Some(Named::Switch(2, 8)),
            _ => None,
        }
    }

    fn resolve(place: &str) -> Result<Resolved<u32>, CaptureSpecError> {
        let place: CapturePlace = place.parse().unwrap();
        place.resolve(find, || ["host1", "leaf2", "host10", "host1"].map(str::to_owned))
    }

    #[test]
    fn a_place_and_a_file_are_read() {
        let spec: CaptureSpec = "leaf2:3=out/a=b.pcapng".parse().unwrap();
        assert_eq!((spec.place().name(), spec.place().port()), ("leaf2", Some(3)));
        assert_eq!(spec.file(), Path::new("out/a=b.pcapng"));
        assert_eq!(spec.place().to_string(), "leaf2:3");
        let spec: CaptureSpec = "host1=x.pcapng".parse().unwrap();
        assert_eq!((spec.place().name(), spec.place().port()), ("host1", None));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |text: &str| text.parse::<CaptureSpec>().unwrap_err();
        assert_eq!(error("host1"), CaptureSpecError::NoFile("host1".into()));
        assert_eq!(error("host1="), CaptureSpecError::NoFile("host1=".into()));
        assert_eq!(error("=x"), CaptureSpecError::NoPlace("=x".into()));
        assert_eq!(error(":1=x"), CaptureSpecError::NoPlace(":1=x".into()));
        assert_eq!(error("leaf2:up=x"), CaptureSpecError::BadPort { port: "up".into() });
        assert_eq!(error("leaf2:-1=x"), CaptureSpecError::BadPort { port: "-1".into() });
        assert_eq!(error("leaf2:=x"), CaptureSpecError::BadPort { port: String::new() });
    }

    #[test]
    fn names_are_found() {
        assert_eq!(resolve("host1"), Ok(Resolved::All(1)));
        assert_eq!(resolve("leaf2"), Ok(Resolved::All(2)));
        assert_eq!(resolve("leaf2:7"), Ok(Resolved::Port(2, 7)));
    }

    #[test]
    fn an_unknown_name_shows_near_ones() {
        let message = resolve("hots1").unwrap_err().to_string();
        assert_eq!(message, "there is no host, link or switch `hots1`; did you mean `host1`, `host10`?");
        let message = resolve("spine").unwrap_err().to_string();
        assert_eq!(message, "there is no host, link or switch `spine`");
    }

    #[test]
    fn a_port_that_does_not_exist_is_an_error() {
        assert_eq!(
            resolve("leaf2:8").unwrap_err().to_string(),
            "`leaf2` has no port 8; its ports are 0 to 7"
        );
        let message = resolve("host1:0").unwrap_err().to_string();
        assert_eq!(message, "`host1` is not a switch, so it has no port 0; write host1=FILE");
    }
}
