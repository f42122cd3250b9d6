//! Why a timeline could not be written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that was not written.
#[derive(Debug, Error)]
pub enum TimelineError {
    /// An operation of the file system failed.
    #[error("{}: {error}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// No format has this ending.
    #[error("{}: no format of traces has this ending; there are {endings}, and for replay: .mpirage, .ti and .txt (SimGrid), .goal and .bin (LogGOPSim)", file.display())]
    Unknown {
        /// The file.
        file: PathBuf,
        /// The endings of all formats.
        endings: String,
    },
    /// This build does not contain the format.
    #[error(
        "{}: this build of mpirage leaves Parquet out, because it takes a third of the time to build; \
         `make build` or `make install` builds it in, or choose the ending .csv",
        file.display()
    )]
    LeftOut {
        /// The file.
        file: PathBuf,
    },
    /// Tables are written to a folder, but the path exists and is not a folder.
    #[error("{}: this is a file, but tables are written to a folder; remove it or choose another name", folder.display())]
    NotAFolder {
        /// The path.
        folder: PathBuf,
    },
    /// The folder of an archive cannot be made, because a file has its name.
    #[error(
        "{}: OTF2 needs a folder {}, but that is a file; remove it or choose another name",
        file.display(),
        folder.display()
    )]
    ArchiveFolder {
        /// The archive.
        file: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
}

impl TimelineError {
    /// An operation on a file failed.
    pub(crate) fn io(file: &Path, error: impl Into<io::Error>) -> TimelineError {
        TimelineError::Io { file: file.to_owned(), error: error.into() }
    }
}

/// The first error. After it, a writer writes nothing more.
#[derive(Debug, Default)]
pub(crate) struct Trouble(Option<io::Error>);

impl Trouble {
    /// Whether there was no error.
    pub fn none(&self) -> bool {
        self.0.is_none()
    }

    /// Remembers an error.
    pub fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.0.get_or_insert(error);
        }
    }

    /// Returns the error, if there was one.
    pub fn check(&mut self, file: &Path) -> Result<(), TimelineError> {
        match self.0.take() {
            Some(error) => Err(TimelineError::io(file, error)),
            None => Ok(()),
        }
    }
}
