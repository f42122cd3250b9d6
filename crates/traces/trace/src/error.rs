//! Errors of traces, with the place in the file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mpirage_files::InputError;
use thiserror::Error;

/// A place in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracePlace {
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
        /// The file.
        file: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A path does not name a readable file.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The contents of a file are wrong.
    #[error("{}{place}: {problem}", file.display())]
    Bad {
        /// The file.
        file: PathBuf,
        /// The place in the file.
        place: TracePlace,
        /// The mistake and, if known, how to correct it.
        problem: String,
    },
    /// The user stopped the conversion.
    #[error("interrupted")]
    Stopped,
    /// The workload that the user named does not exist, or cannot be used like this.
    #[error("{0}")]
    Spec(String),
}

impl TraceError {
    /// An error at a place of a file.
    pub fn bad(file: &Path, place: TracePlace, problem: impl Into<String>) -> TraceError {
        TraceError::Bad { file: file.to_owned(), place, problem: problem.into() }
    }

    /// A file cannot be read or written.
    pub fn io(file: &Path, error: io::Error) -> TraceError {
        TraceError::Io { file: file.to_owned(), error }
    }
}

impl fmt::Display for TracePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TracePlace::File => Ok(()),
            TracePlace::Line(line) => write!(f, ":{line}"),
            TracePlace::Byte(byte) => write!(f, ": at byte {byte}"),
        }
    }
}
