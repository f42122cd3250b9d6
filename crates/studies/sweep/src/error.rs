//! Errors: mistakes in a study file, shown at their line, and files that cannot be read or written.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use mpirage_files::InputError;
use mpirage_timeline::TimelineError;
use thiserror::Error;

/// Why a study cannot go on.
#[derive(Debug, Error)]
pub enum SweepError {
    /// The study file has a mistake.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A file that the study names cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A table of results cannot be written.
    #[error(transparent)]
    Results(#[from] TimelineError),
    /// An operation of the file system failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// Another process runs this study.
    #[error("another mpirage sweep works in {}; wait for it, or choose another folder with -o", folder.display())]
    Busy {
        /// The folder of the study.
        folder: PathBuf,
    },
    /// A case could not be started.
    #[error("cannot start mpirage for a case: {0}")]
    Start(io::Error),
    /// A command of the batch system failed.
    #[error("{0}")]
    Batch(String),
}

impl SweepError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> SweepError {
        move |error| SweepError::Io { path: path.to_owned(), error }
    }
}

/// A mistake in a study file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.render())]
pub struct StudyError {
    message: String,
    place: StudyPlace,
    help: Option<String>,
}

/// A line of a file, and the part of it that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StudyPlace {
    file: String,
    line: usize,
    text: String,
    marked: Range<usize>,
}

impl StudyError {
    /// Adds a remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> StudyError {
        self.help = Some(help.into());
        self
    }

    /// The mistake in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The line of the study file, counted from 1.
    pub fn line(&self) -> usize {
        self.place.line
    }

    fn render(&self) -> String {
        let snippet = Snippet::source(self.place.text.as_str())
            .path(self.place.file.as_str())
            .line_start(self.place.line)
            .annotation(AnnotationKind::Primary.span(self.place.marked.clone()));
        let mut report =
            Group::with_title(Level::ERROR.primary_title(self.message.as_str())).element(snippet);
        if let Some(help) = &self.help {
            report = report.element(Level::HELP.message(help.as_str()));
        }
        Renderer::plain().render(&[report])
    }
}

/// The text of a study file, which knows its name.
pub(crate) struct Source<'t> {
    file: String,
    text: &'t str,
}

impl<'t> Source<'t> {
    pub fn new(file: &Path, text: &'t str) -> Source<'t> {
        Source { file: file.display().to_string(), text }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// A mistake in these bytes. Of several lines, the first is shown.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> StudyError {
        let start = self.floor(span.start);
        let before = &self.text[..start];
        let first = before.rfind('\n').map_or(0, |newline| newline + 1);
        let text = self.text[first..].lines().next().unwrap_or_default();
        let from = (start - first).min(text.len());
        let to = (self.floor(span.end.max(start)) - first).clamp(from, text.len());
        let line = before.matches('\n').count() + 1;
        let place = StudyPlace { file: self.file.clone(), line, text: text.to_owned(), marked: from..to };
        StudyError { message: message.into(), place, help: None }
    }

    /// The closest character boundary at or before `at`.
    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_shows_file_line_and_remedy() {
        let source = Source::new(Path::new("s.toml"), "a = 1\nb = \"ü\"\n");
        let error = source.error(10..14, "no b").help("write c");
        assert_eq!(error.line(), 2);
        let shown = error.to_string();
        assert!(
            shown.contains("s.toml:2:5") && shown.contains("no b") && shown.contains("write c"),
            "{shown}"
        );
        // Beyond the end and inside a character.
        assert_eq!(source.error(99..200, "x").line(), 3);
        assert_eq!(source.error(12..13, "x").line(), 2);
    }
}
