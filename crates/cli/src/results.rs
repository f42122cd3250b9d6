//! Outputs of a run: opened before the run, written after it.
//!
//! A file that cannot be opened is refused before the run. An output that fails at the end does not stop the others.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use mpirage_files::{OutputFile, is_special};
use mpirage_simulation::{Failures, Figures};
pub use mpirage_simulation::{open, open_report};
use serde::Serialize;

use crate::arguments::{JsonArgument, ResultArguments};
use crate::exit::{Failure, usage};
use crate::output;
use crate::summary;

/// Opened outputs that are written when the run is over.
pub struct Results {
    json: JsonOutput,
    quiet: bool,
}

/// Where JSON goes.
pub enum JsonOutput {
    /// Nowhere.
    None,
    /// Standard output.
    StandardOutput,
    /// A file.
    File(OutputFile),
}

impl JsonOutput {
    /// Opens what the user asks for.
    pub fn open(wanted: &JsonArgument) -> Result<JsonOutput, Failure> {
        match wanted.file() {
            Some(file) => Ok(JsonOutput::File(open(file)?)),
            None if wanted.is_wanted() => Ok(JsonOutput::StandardOutput),
            None => Ok(JsonOutput::None),
        }
    }

    /// Writes a value on one line.
    pub fn write(self, value: &impl Serialize) -> Result<(), Failure> {
        self.write_after("", value)
    }

    /// Writes a value on one line, after `before` on standard output.
    pub fn write_after(self, before: &str, value: &impl Serialize) -> Result<(), Failure> {
        let text = || serde_json::to_string(value).context("cannot write JSON");
        match self {
            JsonOutput::None => Ok(()),
            JsonOutput::StandardOutput => output::try_line(format_args!("{before}{}", text()?)),
            JsonOutput::File(file) => write(file, &format!("{}\n", text()?)),
        }
    }
}

/// Writes a whole file.
pub fn write(mut file: OutputFile, text: &str) -> Result<(), Failure> {
    let name = file.path().display().to_string();
    let written = file.write_all(text.as_bytes()).and_then(|()| file.finish());
    Ok(written.with_context(|| format!("cannot write {name}"))?)
}

/// Opens a file on which people build or work further. If it exists, it is replaced only with `--force`.
pub fn open_new(file: &Path, force: bool) -> Result<OutputFile, Failure> {
    if file.is_file() && !force {
        return Err(usage(format!("-o {}: the file exists; --force replaces it", file.display())));
    }
    open(file)
}

/// Opens a plot, whose name must end in `.svg`.
pub fn open_plot(file: &Path) -> Result<OutputFile, Failure> {
    if file.extension().is_none_or(|ending| ending != "svg") && !is_special(file) {
        let problem = "a plot is an SVG file; choose a name that ends in .svg";
        return Err(usage(format!("--plot {}: {problem}", file.display())));
    }
    open(file)
}

impl Results {
    /// Opens the outputs that the user asks for.
    pub fn open(wanted: &ResultArguments) -> Result<Results, Failure> {
        let json = JsonOutput::open(&wanted.json)?;
        Ok(Results { json, quiet: wanted.quiet })
    }

    /// Prints the summary and writes the JSON object. `unfinished_line`: the program's output does not end with a newline.
    pub fn show(self, figures: &Figures, unfinished_line: bool) -> Result<(), Failure> {
        if !self.quiet {
            summary::print(figures);
        }
        // Warnings are shown with `--quiet` too: the result may be wrong.
        for warning in &figures.warnings {
            output::warn(warning);
        }
        self.json.write_after(if unfinished_line { "\n" } else { "" }, figures)
    }
}

/// Prints failures of outputs.
pub fn report(failures: &Failures) {
    failures.iter().for_each(output::report);
}

/// The exit code of a run that ended with `code`, after its failures were printed. `shown`: could its result be shown?
pub fn conclude(mut failures: Failures, shown: Result<(), Failure>, code: u8) -> u8 {
    if let Err(failure) = &shown {
        output::report(failure);
    }
    failures.note(shown);
    failures.exit_code(code)
}
