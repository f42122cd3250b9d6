//! Lines of a file, and errors that name them.

use thiserror::Error;

/// Why a file of measurements cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReadError {
    /// A line is wrong.
    #[error("{file}:{line}: {problem}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1 on.
        line: usize,
        /// The mistake in it.
        problem: String,
    },
    /// The whole file is wrong.
    #[error("{file}: {problem}")]
    File {
        /// The file.
        file: String,
        /// The mistake in it.
        problem: String,
    },
}

impl ReadError {
    /// The whole file is wrong.
    pub(crate) fn file(file: &str, problem: impl Into<String>) -> ReadError {
        ReadError::File { file: file.to_owned(), problem: problem.into() }
    }
}

/// The lines of a file that are not empty.
pub(crate) struct Lines<'t> {
    file: &'t str,
    text: &'t str,
}

/// One line.
#[derive(Clone, Copy)]
pub(crate) struct Line<'t> {
    file: &'t str,
    number: usize,
    /// Without space around it.
    pub text: &'t str,
}

impl<'t> Lines<'t> {
    pub fn new(file: &'t str, text: &'t str) -> Lines<'t> {
        Lines { file, text }
    }

    pub fn file(&self) -> &'t str {
        self.file
    }

    pub fn iter(&self) -> impl Iterator<Item = Line<'t>> {
        let Lines { file, text } = *self;
        let line = move |(at, text): (usize, &'t str)| Line { file, number: at + 1, text: text.trim() };
        text.lines().enumerate().map(line).filter(|line| !line.text.is_empty())
    }
}

impl<'t> Line<'t> {
    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        ReadError::Line { file: self.file.to_owned(), line: self.number, problem: problem.into() }
    }

    /// Words between spaces.
    pub fn words(&self) -> Vec<&'t str> {
        self.text.split_whitespace().collect()
    }

    /// A message size.
    pub fn bytes(&self, text: &str) -> Result<u64, ReadError> {
        text.trim().parse().map_err(|_| self.error(format!("`{text}` is no message size in bytes")))
    }

    /// A positive number, such as a time or a rate; `what` says which.
    pub fn positive(&self, text: &str, what: &str) -> Result<f64, ReadError> {
        let text = text.trim();
        let number: f64 = text.parse().map_err(|_| {
            self.error(format!(
                "`{text}` is no {what}; numbers have no units, their unit is that of the column"
            ))
        })?;
        match number {
            number if number > 0.0 && number.is_finite() => Ok(number),
            number if number < 0.0 => Err(self.error(format!("a {what} is negative: {text}"))),
            0.0 => Err(self.error(format!("a {what} is zero"))),
            _ => Err(self.error(format!("a {what} is not finite: {text}"))),
        }
    }
}
