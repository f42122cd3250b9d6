//! The files that `mpirage calibrate` writes: opened before the fit, written after it.

use std::path::Path;

use mpirage_files::OutputFile;
use mpirage_simulation::Failures;
use serde_json::Value;

use crate::arguments::CalibrateArguments;
use crate::exit::{Failure, usage};
use crate::output::say;
use crate::results::{self, JsonOutput, write};

/// Opened outputs.
pub struct Files {
    model: Option<OutputFile>,
    plot: Option<OutputFile>,
    report: Option<OutputFile>,
    json: JsonOutput,
    quiet: bool,
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
            model: arguments
                .output
                .as_deref()
                .map(|file| results::open_new(file, arguments.force))
                .transpose()?,
            plot: arguments.plot.as_deref().map(results::open_plot).transpose()?,
            report: arguments
                .report
                .as_deref()
                .map(|file| results::open_report("--report", file))
                .transpose()?,
            json: JsonOutput::open(&arguments.json)?,
            quiet: arguments.quiet,
        })
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
