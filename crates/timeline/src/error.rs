//! Why a timeline could not be written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that was not written.
#[derive(Debug, Error)]
pub enum TimelineError {
    /// The file system says no.
    #[error("{}: {error}", file.display())]
    Io {
        /// Which file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Nobody writes such files.
    #[error("{}: no timeline format has this ending; there are {endings}", file.display())]
    Unknown {
        /// Which file.
        file: PathBuf,
        /// What there is.
        endings: String,
    },
    /// This build does not contain the format.
    #[error(
        "{}: this build of mpirage leaves Parquet out, because it takes a third of the time to build; \
         `make build` or `make install` builds it in, or choose the ending .csv",
        file.display()
    )]
    LeftOut {
        /// Which file.
        file: PathBuf,
    },
    /// Tables go to a folder, and there is something else.
    #[error("{}: this is a file, but tables are written to a folder; remove it or choose another name", folder.display())]
    NotAFolder {
        /// Where the folder was to be.
        folder: PathBuf,
    },
}

impl TimelineError {
    /// The file system says no.
    pub(crate) fn io(file: &Path, error: impl Into<io::Error>) -> TimelineError {
        TimelineError::Io { file: file.to_owned(), error: error.into() }
    }
}

/// The first thing that went wrong; after it, nothing is tried any more.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<io::Error>);

impl Trouble {
    /// Has nothing gone wrong so far?
    pub fn none(&self) -> bool {
        self.0.is_none()
    }

    /// Remembers what went wrong, if something has.
    pub fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.0.get_or_insert(error);
        }
    }

    /// Hands out what went wrong.
    pub fn check(&mut self, file: &Path) -> Result<(), TimelineError> {
        match self.0.take() {
            Some(error) => Err(TimelineError::io(file, error)),
            None => Ok(()),
        }
    }
}
