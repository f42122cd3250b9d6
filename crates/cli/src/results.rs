//! Outputs of a run: opened before the run, written after it.
//!
//! A file that cannot be opened is refused before the run. An output that fails at the end does not stop the others.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use mpirage_files::{OutputFile, is_special};
pub use mpirage_simulation::open;
use mpirage_simulation::{Failures, Figures};
use serde::Serialize;

use crate::arguments::{ResultArguments, STANDARD_OUTPUT};
use crate::exit::{Failure, usage};
use crate::output::{self, say};
use crate::summary;

/// Opened outputs that are written when the run is over.
pub struct Results {
    json: Option<JsonOutput>,
    report: Option<OutputFile>,
    quiet: bool,
}

/// Where JSON goes.
pub enum JsonOutput {
    /// Standard output.
    StandardOutput,
    /// A file.
    File(OutputFile),
}

impl JsonOutput {
    /// Opens the file, unless it stands for standard output.
    pub fn open(file: &Path) -> Result<JsonOutput, Failure> {
        match file.as_os_str() == STANDARD_OUTPUT {
            true => Ok(JsonOutput::StandardOutput),
            false => Ok(JsonOutput::File(open(file)?)),
        }
    }

    /// Writes a value on one line, after `before` on standard output.
    pub fn write(self, value: &impl Serialize, before: &str) -> Result<(), Failure> {
        let text = serde_json::to_string(value).context("cannot write JSON")?;
        match self {
            JsonOutput::StandardOutput => output::try_line(format_args!("{before}{text}")),
            JsonOutput::File(mut file) => {
                let name = file.path().display().to_string();
                let written = writeln!(file, "{text}").and_then(|()| file.finish());
                Ok(written.with_context(|| format!("cannot write {name}"))?)
            }
        }
    }
}

impl Results {
    /// Opens the outputs that the user asks for.
    pub fn open(wanted: &ResultArguments) -> Result<Results, Failure> {
        let json = wanted.json.as_deref().map(JsonOutput::open).transpose()?;
        let report = wanted.report.as_deref().map(|file| open_report("--report", file)).transpose()?;
        Ok(Results { json, report, quiet: wanted.quiet })
    }

    /// The file of the report, if there is to be one.
    pub fn take_report(&mut self) -> Option<OutputFile> {
        self.report.take()
    }

    /// Prints the summary and writes the JSON object. `unfinished_line`: the program's output does not end with a newline.
    pub fn show(self, figures: &Figures, unfinished_line: bool) -> Result<(), Failure> {
        if !self.quiet {
            summary::print(figures);
        }
        // Warnings are shown with `--quiet` too: the result may be wrong.
        for warning in &figures.warnings {
            say!("mpirage: warning: {warning}");
        }
        let Some(json) = self.json else { return Ok(()) };
        json.write(figures, if unfinished_line { "\n" } else { "" })
    }
}

/// Opens a report, whose name must end in `.html`.
pub fn open_report(option: &str, file: &Path) -> Result<OutputFile, Failure> {
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_page = ["html", "htm"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    if !is_page && !is_special(file) {
        return Err(usage(format!(
            "{option} {}: a report is an HTML page; choose a name that ends in .html",
            file.display()
        )));
    }
    open(file)
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
