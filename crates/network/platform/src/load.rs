//! From what a user typed to a platform: a built-in name, or a file in one of the formats.

use std::path::Path;

use crate::builtin;
use crate::error::{PlatformError, Source};
use crate::platform::Platform;
use crate::settings::ModelSettings;
use crate::{toml, xml};

/// The formats of platform files, which their content shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    SimGrid,
    Slurm,
}

/// Networks by name, such as `hdr200`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NetworkNames<'n> {
    /// The one that the user names.
    pub named: Option<&'n str>,
    /// The one of built-in platforms of which only the shape is named. `None`: cables of gigabit Ethernet.
    pub assumed: Option<&'n str>,
}

impl Platform {
    /// Loads a built-in such as `fat-tree:4x4`, or a file. A built-in without its size, such as
    /// `cluster`, has a host for each of `ranks`.
    pub fn load(spec: &str, ranks: u32) -> Result<Self, PlatformError> {
        Self::load_with(spec, ranks, NetworkNames::default())
    }

    /// The same with networks by name for cables of which the platform itself says nothing.
    pub fn load_with(spec: &str, ranks: u32, net: NetworkNames<'_>) -> Result<Self, PlatformError> {
        let Some(built_in) = builtin::text(spec, ranks, net) else {
            return Self::read_text(spec, &read_text(spec, builtin::unknown)?, net.named);
        };
        let built_in = built_in?;
        let platform = Self::from_text(spec, &built_in.text)?;
        Ok(if built_in.assumed { platform.with_assumed_network() } else { platform })
    }

    /// Reads a platform from a text; `file` is what errors call it.
    pub fn from_text(file: &str, text: &str) -> Result<Self, PlatformError> {
        Self::read_text(file, text, None)
    }

    fn read_text(file: &str, text: &str, net: Option<&str>) -> Result<Self, PlatformError> {
        let source = Source::new(file, text);
        match (recognise(text), net) {
            (Format::SimGrid, None) => xml::read(&source),
            (Format::SimGrid, Some(_)) => Err(PlatformError::new(format!(
                "{file} has rates for all its links; --net cannot change them"
            ))),
            (Format::Toml, net) => toml::read(&source, stem(source.file()), net),
            (Format::Slurm, _) => Err(PlatformError::new(format!(
                "{file} is a Slurm topology.conf, which has no rates, latencies and speeds"
            ))
            .help(format!(
                "make a platform file of it: mpirage platform import {file} --net NAME --speed SPEED"
            ))),
        }
    }
}

impl ModelSettings {
    /// Reads a model file: a TOML file with nothing but the tables `[model]` and `[packet]`.
    pub fn load(path: &str) -> Result<Self, PlatformError> {
        let missing = |path: &str| PlatformError::new(format!("there is no file {path}"));
        Self::from_text(path, &read_text(path, missing)?)
    }

    /// Reads the text of a model file; `file` is what errors call it.
    pub fn from_text(file: &str, text: &str) -> Result<Self, PlatformError> {
        toml::read_model(&Source::new(file, text))
    }
}

fn read_text(path: &str, missing: impl Fn(&str) -> PlatformError) -> Result<String, PlatformError> {
    mpirage_files::read_text(Path::new(path), mpirage_files::LONGEST_TEXT).map_err(|error| match error {
        mpirage_files::InputError::Missing { .. } => missing(path),
        error => PlatformError::new(error.to_string()),
    })
}

fn recognise(text: &str) -> Format {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let slurm = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        line.starts_with("switchname=") || line.starts_with("blockname=")
    };
    match text.starts_with('<') {
        true => Format::SimGrid,
        false if text.lines().any(slurm) => Format::Slurm,
        false => Format::Toml,
    }
}

fn stem(file: &str) -> &str {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    stem.filter(|stem| !stem.is_empty()).unwrap_or("platform")
}
