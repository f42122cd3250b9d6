//! From what a user typed to a platform: a built-in name, or a file in one of the formats.

use std::path::Path;

use crate::builtin;
use crate::error::{PlatformError, Source};
use crate::platform::Platform;
use crate::settings::ModelSettings;
use crate::{toml, xml};

/// The formats of platform files, told apart by content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Toml,
    SimGrid,
    Slurm,
}

impl Platform {
    /// Loads a built-in such as `fat-tree:4x4`, or a file. A built-in without its size, such as
    /// `cluster`, has a host for each of `ranks`.
    pub fn load(spec: &str, ranks: u32) -> Result<Self, PlatformError> {
        match builtin::text(spec, ranks) {
            Some(text) => Self::from_text(spec, &text?),
            None => Self::load_file(spec),
        }
    }

    /// Reads a platform from a text; `file` is what errors call it.
    pub fn from_text(file: &str, text: &str) -> Result<Self, PlatformError> {
        let source = Source::new(file, text);
        match recognise(text) {
            Format::SimGrid => xml::read(&source),
            Format::Toml => toml::read(&source, stem(source.file())),
            Format::Slurm => Err(PlatformError::new(format!(
                "{file} is a Slurm topology.conf, which cannot be read yet"
            ))
            .help(
                "describe the switches in a platform file: [cabinets] for two levels, [fat-tree] for more",
            )),
        }
    }

    fn load_file(path: &str) -> Result<Self, PlatformError> {
        Self::from_text(path, &read_text(path, builtin::unknown)?)
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
    mpirage_input::read_text(Path::new(path), mpirage_input::LONGEST_TEXT).map_err(|error| match error {
        mpirage_input::InputError::Missing { .. } => missing(path),
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
