//! Errors in platform files, shown with the line where they occur.
//!
//! A reader keeps a [`Source`] and complains about a byte span of it; the result is a
//! [`PlatformError`] that owns the one line it shows, so it outlives the file.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use thiserror::Error;

/// No more doubts than a reader reads.
const DOUBTS_SHOWN: usize = 5;

/// A platform that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.render())]
pub struct PlatformError {
    message: String,
    place: Option<FilePlace>,
    help: Option<String>,
}

impl PlatformError {
    /// An error that belongs to no line, such as an unknown built-in.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, help: None }
    }

    /// Adds what would be right.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds what would be right, when there is something to say.
    pub(crate) fn maybe_help(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// The suggested correction, if one is known.
    pub(crate) fn advice(&self) -> Option<String> {
        self.help.clone()
    }

    /// The problem, in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where it was written, unless the platform did not come from a file.
    pub fn place(&self) -> Option<&FilePlace> {
        self.place.as_ref()
    }

    /// The whole report: file and line, the line itself with the culprit marked, and what would be right.
    pub fn render(&self) -> String {
        let mut report = Group::with_title(Level::ERROR.primary_title(self.message.as_str()));
        if let Some(place) = &self.place {
            report = report.element(place.snippet());
        }
        if let Some(help) = &self.help {
            report = report.element(Level::HELP.message(help.as_str()));
        }
        Renderer::plain().render(&[report])
    }
}

/// A spot in a file: one line of it, and the part of that line that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlace {
    file: Arc<str>,
    line: usize,
    text: String,
    marked: Range<usize>,
}

impl FilePlace {
    /// The file, as it was named.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// An error about what is written here, for those who interpret it later.
    pub fn error(&self, message: impl Into<String>) -> PlatformError {
        PlatformError { message: message.into(), place: Some(self.clone()), help: None }
    }

    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        Snippet::source(self.text.as_str())
            .path(&*self.file)
            .line_start(self.line)
            .annotation(AnnotationKind::Primary.span(self.marked.clone()))
    }
}

/// The text of a platform file, which knows its name.
#[derive(Clone, Debug)]
pub struct Source<'t> {
    file: Arc<str>,
    text: &'t str,
    /// The offset of each line.
    lines: Vec<usize>,
    /// Warnings about valid but probably unintended input, in order of reading.
    doubts: RefCell<Vec<String>>,
}

impl<'t> Source<'t> {
    /// A file of this name with this text.
    pub fn new(file: &str, text: &'t str) -> Self {
        let after_newlines = text.match_indices('\n').map(|(newline, _)| newline + 1);
        let lines = std::iter::once(0).chain(after_newlines).collect();
        Self { file: file.into(), text, lines, doubts: RefCell::default() }
    }

    /// The name of the file.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Warns that the text in `span` is valid but probably unintended.
    pub fn doubt(&self, span: Range<usize>, doubt: String) {
        let (file, line) = (&self.file, self.place(span).line);
        self.doubts.borrow_mut().push(format!("{file}:{line}: {doubt}"));
    }

    /// The warnings so far; if there are many, the first ones.
    pub fn take_doubts(&self) -> Vec<String> {
        let mut doubts = self.doubts.take();
        doubts.dedup();
        if doubts.len() > DOUBTS_SHOWN {
            let more = doubts.len() - DOUBTS_SHOWN;
            doubts.truncate(DOUBTS_SHOWN);
            doubts.push(format!("{}: {more} more quantities look like these", self.file));
        }
        doubts
    }

    /// An error about the bytes in `span`.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> PlatformError {
        self.place(span).error(message)
    }

    /// The place of a span. A span of several lines is cut at the end of its first.
    pub fn place(&self, span: Range<usize>) -> FilePlace {
        let start = self.floor(span.start);
        let line = self.lines.partition_point(|first| *first <= start);
        let line_start = self.lines[line - 1];
        let line_end = self.lines.get(line).copied().unwrap_or(self.text.len());
        let text = self.text[line_start..line_end].trim_end();
        let from = (start - line_start).min(text.len());
        let to = (self.floor(span.end.max(start)) - line_start).clamp(from, text.len());
        FilePlace { file: self.file.clone(), line, text: text.to_owned(), marked: from..to }
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
    fn an_error_shows_file_line_and_what_would_be_right() {
        let source = Source::new("my.toml", "name = \"x\"\n[cluster]\nhosts = -1\n");
        let rendered = source.error(29..31, "too few hosts").help("write a positive number").to_string();
        assert!(rendered.contains("my.toml:3:9"), "{rendered}");
        assert!(rendered.contains("hosts = -1"), "{rendered}");
        assert!(rendered.contains("write a positive number"), "{rendered}");
    }

    #[test]
    fn spans_out_of_range_or_inside_a_character_are_tolerated() {
        let source = Source::new("f", "é\r\nzwei");
        for span in [0..1, 1..1, 3..900, 900..901] {
            source.error(span, "m").to_string();
        }
    }
}
