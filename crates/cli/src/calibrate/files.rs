//! The files that `mpirage calibrate` writes: opened before the fit, written after it.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use mpirage_files::OutputFile;
use mpirage_simulation::Failures;
use serde_json::Value;

use crate::arguments::{CalibrateArguments, STANDARD_OUTPUT};
use crate::exit::{Failure, usage};
use crate::output::{self, say};
use crate::results;

/// Opened outputs.
pub struct Files {
    model: Option<OutputFile>,
    plot: Option<OutputFile>,
    report: Option<OutputFile>,
    json: Json,
    quiet: bool,
}

/// Where the JSON object goes.
pub enum Json {
    /// Nowhere.
    None,
    /// To standard output.
    StandardOutput,
    /// Into a file.
    File(OutputFile),
}

impl Json {
    /// Opens what an option asks for.
    pub fn open(option: Option<&Path>) -> Result<Json, Failure> {
        match option {
            Some(file) if file.as_os_str() == STANDARD_OUTPUT => Ok(Json::StandardOutput),
            Some(file) => results::open(file).map(Json::File),
            None => Ok(Json::None),
        }
    }

    /// Writes the object.
    pub fn write(self, value: &Value) -> Result<(), Failure> {
        match self {
            Json::None => Ok(()),
            Json::StandardOutput => output::try_line(value),
            Json::File(file) => write(file, &format!("{value}\n")),
        }
    }
}

impl Files {
    /// Opens what the user asks for.
    pub fn open(arguments: &CalibrateArguments) -> Result<Files, Failure> {
        let ends = |file: &Path, ending: &str| file.extension().is_some_and(|known| known == ending);
        if let Some(file) =
            arguments.output.as_deref().filter(|file| !ends(file, "toml") && !mpirage_files::is_special(file))
        {
            let problem = "a model file ends in .toml, so that --model recognises it";
            return Err(usage(format!("-o {}: {problem}", file.display())));
        }
        Ok(Files {
            model: arguments.output.as_deref().map(results::open).transpose()?,
            plot: arguments.plot.as_deref().map(open_plot).transpose()?,
            report: arguments
                .report
                .as_deref()
                .map(|file| results::open_report("--report", file))
                .transpose()?,
            json: Json::open(arguments.json.as_deref())?,
            quiet: arguments.quiet,
        })
    }

    /// Does a JSON object take the place of the tables?
    pub fn json_on_standard_output(&self) -> bool {
        matches!(self.json, Json::StandardOutput)
    }

    /// Writes them all. A file that fails does not stop the others.
    pub fn write(self, model: &str, plot: &str, page: &str, json: &Value) -> Result<u8, Failure> {
        let mut failures = Failures::default();
        if let Some(file) = self.model {
            let name = file.path().to_owned();
            if failures.note(write(file, model)).is_some() && !self.quiet {
                say!(
                    "mpirage: wrote {}; use it with: mpirage run --model {} …",
                    name.display(),
                    name.display()
                );
            }
        }
        let drawings = [(self.plot, plot), (self.report, page)];
        for (file, text) in drawings {
            file.into_iter().for_each(|file| _ = failures.note(write(file, text)));
        }
        failures.note(self.json.write(json));
        Ok(failures.exit_code(0))
    }
}

/// Opens a plot, whose name must end in `.svg`.
pub fn open_plot(file: &Path) -> Result<OutputFile, Failure> {
    if file.extension().is_none_or(|ending| ending != "svg") && !mpirage_files::is_special(file) {
        let problem = "a plot is an SVG file; choose a name that ends in .svg";
        return Err(usage(format!("--plot {}: {problem}", file.display())));
    }
    results::open(file)
}

/// Writes a whole file.
pub fn write(mut file: OutputFile, text: &str) -> Result<(), Failure> {
    let name = file.path().display().to_string();
    let written = file.write_all(text.as_bytes()).and_then(|()| file.finish());
    Ok(written.with_context(|| format!("cannot write {name}"))?)
}
