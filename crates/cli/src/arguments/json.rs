//! The option `--json`, which all commands have that show a result.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::conflicts::Conflicts;

/// `--json -`: nothing but the object on standard output.
const ALONE: &str = "-";

/// Whether and where the result is written as one JSON object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct JsonArgument {
    /// Print the result as one JSON object: on standard output; with - alone there (what a program prints goes to standard error); or into FILE
    #[arg(long, value_name = "-|FILE", num_args = 0..=1, require_equals = true, help_heading = "Results")]
    json: Option<Option<PathBuf>>,
}

impl JsonArgument {
    /// The object goes into this file.
    pub fn into_file(file: PathBuf) -> JsonArgument {
        JsonArgument { json: Some(Some(file)) }
    }

    /// Is the object wanted anywhere?
    pub fn is_wanted(&self) -> bool {
        self.json.is_some()
    }

    /// Does standard output belong to the object alone?
    pub fn is_alone(&self) -> bool {
        matches!(&self.json, Some(Some(file)) if file.as_os_str() == ALONE)
    }

    /// Does the object go to standard output?
    pub fn is_shown(&self) -> bool {
        self.is_wanted() && self.file().is_none()
    }

    /// The file into which the object goes, if it is one.
    pub fn file(&self) -> Option<&Path> {
        self.json.as_ref()?.as_deref().filter(|file| file.as_os_str() != ALONE)
    }

    /// Adds the file, if there is one.
    pub fn add_to(&self, files: &mut Conflicts) {
        self.file().into_iter().for_each(|file| files.output("--json", file));
    }
}
