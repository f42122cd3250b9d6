//! The files that `mpirage tune` writes: opened before the search, written after it.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use mpirage_collectives::Rule;
use mpirage_outfile::OutputFile;
use mpirage_tune::svg;

use super::show::{Results, sections};
use crate::arguments::{STANDARD_OUTPUT, TuneArguments};
use crate::exit::{Failure, usage};
use crate::output::{self, say};
use crate::results::{self, Failures};
use crate::words;

/// A library that reads rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// mpirage itself: `--coll FILE`.
    Mpirage,
}

const LIBRARIES: [(&str, Library); 1] = [("mpirage", Library::Mpirage)];

impl Library {
    /// The library that the user names, or that reads files with this ending.
    pub fn of(arguments: &TuneArguments) -> Result<Option<Library>, Failure> {
        let Some(file) = &arguments.output else { return Ok(None) };
        if let Some(format) = &arguments.format {
            let choices = LIBRARIES.map(|(name, _)| name);
            let known = LIBRARIES.iter().find(|(name, _)| name == format).map(|(_, library)| *library);
            let meant = words::did_you_mean(format, choices.into_iter());
            let unknown = || usage(format!("--format {format}: expected {}{meant}", choices.join(", ")));
            return known.ok_or_else(unknown).map(Some);
        }
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("rules") => Ok(Some(Library::Mpirage)),
            _ => Err(usage(format!(
                "-o {}: the ending does not say which library reads the file; use --format {}",
                file.display(),
                LIBRARIES.map(|(name, _)| name).join("|")
            ))),
        }
    }

    /// The text of its file.
    fn text(self, rules: &[Rule], results: &Results<'_>) -> Result<String, Failure> {
        match self {
            Library::Mpirage => Ok(own_rules(rules, results)),
        }
    }

    /// How a user hands the file to the library.
    fn usage(self, file: &Path) -> String {
        match self {
            Library::Mpirage => format!("mpirage run --coll {} …", file.display()),
        }
    }
}

/// Our own format: one rule per line.
fn own_rules(rules: &[Rule], results: &Results<'_>) -> String {
    let mut text = format!("# {}\n", results.title());
    rules.iter().for_each(|rule| text.push_str(&format!("{rule}\n")));
    text
}

/// Opened outputs.
pub struct Files {
    rules: Option<(OutputFile, Library)>,
    plot: Option<OutputFile>,
    json: Option<Json>,
}

enum Json {
    StandardOutput,
    File(OutputFile),
}

impl Files {
    /// Opens what the user asks for. An existing file of rules is replaced only if the user says so: it may be the work of a
    /// person.
    pub fn open(arguments: &TuneArguments) -> Result<Files, Failure> {
        let library = Library::of(arguments)?;
        if let Some(file) = arguments.output.as_ref().filter(|file| file.is_file() && !arguments.force) {
            return Err(usage(format!("-o {}: the file exists; --force replaces it", file.display())));
        }
        let rules = arguments.output.as_deref().map(results::open).transpose()?.zip(library);
        let plot = arguments.plot.as_deref().map(open_plot).transpose()?;
        let json = match &arguments.json {
            Some(file) if file.as_os_str() == STANDARD_OUTPUT => Some(Json::StandardOutput),
            Some(file) => Some(Json::File(results::open(file)?)),
            None => None,
        };
        Ok(Files { rules, plot, json })
    }

    /// Does a JSON object take the place of the table?
    pub fn json_on_standard_output(&self) -> bool {
        matches!(self.json, Some(Json::StandardOutput))
    }

    /// Writes them all. A file that fails does not stop the others.
    pub fn write(self, results: &Results<'_>) -> Result<u8, Failure> {
        let mut failures = Failures::default();
        if let Some((file, library)) = self.rules {
            let name = file.path().to_owned();
            let text = library.text(&results.rules, results);
            if failures.note(text.and_then(|text| write(file, &text))).is_some() && !results.quiet {
                say!("mpirage: wrote {}; use it with: {}", name.display(), library.usage(&name));
            }
        }
        if let Some(file) = self.plot {
            let panels: Vec<_> =
                sections(results.rows).map(|rows| (results.heading(rows), rows.iter().collect())).collect();
            failures.note(write(file, &svg(&results.title(), &results.base, &panels)));
        }
        match self.json {
            Some(Json::StandardOutput) => drop(failures.note(output::try_line(results.json()))),
            Some(Json::File(file)) => drop(failures.note(write(file, &format!("{}\n", results.json())))),
            None => {}
        }
        Ok(failures.exit_code(0))
    }
}

fn open_plot(file: &Path) -> Result<OutputFile, Failure> {
    if file.extension().is_none_or(|ending| ending != "svg") && !mpirage_outfile::is_special(file) {
        return Err(usage(format!(
            "--plot {}: a plot is an SVG file; choose a name that ends in .svg",
            file.display()
        )));
    }
    results::open(file)
}

fn write(mut file: OutputFile, text: &str) -> Result<(), Failure> {
    let name = file.path().display().to_string();
    let written = file.write_all(text.as_bytes()).and_then(|()| file.finish());
    Ok(written.with_context(|| format!("cannot write {name}"))?)
}
