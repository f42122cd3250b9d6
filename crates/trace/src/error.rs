//! What is wrong with a trace, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mpirage_input::InputError;
use thiserror::Error;

/// Where in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the file as a whole.
    File,
    /// In this line, counted from 1.
    Line(u64),
    /// At this byte, counted from 0.
    Byte(u64),
}

/// A trace that cannot be used.
#[derive(Debug, Error)]
pub enum TraceError {
    /// A file cannot be read or written.
    #[error("{}: {error}", file.display())]
    Io {
        /// Which.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file is none that can be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A file says something that is wrong.
    #[error("{}{place}: {problem}", file.display())]
    Bad {
        /// Which.
        file: PathBuf,
        /// Where.
        place: Place,
        /// What is wrong and, if it is known, what would be right.
        problem: String,
    },
    /// The user stopped the conversion.
    #[error("interrupted")]
    Stopped,
    /// What was asked for is no workload.
    #[error("{0}")]
    Spec(String),
}

impl TraceError {
    /// Something is wrong at a place of a file.
    pub fn bad(file: &Path, place: Place, problem: impl Into<String>) -> TraceError {
        TraceError::Bad { file: file.to_owned(), place, problem: problem.into() }
    }

    /// A file cannot be read or written.
    pub fn io(file: &Path, error: io::Error) -> TraceError {
        TraceError::Io { file: file.to_owned(), error }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(f, ":{line}"),
            Place::Byte(byte) => write!(f, ": at byte {byte}"),
        }
    }
}
