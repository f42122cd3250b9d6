//! Files that a user names: opened and read so that a wrong name never costs all memory or waits for ever.
//!
//! A text may come from a regular file or from a pipe of this process (`-p <(generate)`, `/dev/stdin`), up to a limit. What is
//! read by position must be a regular file. Devices, sockets, folders and named pipes are refused before anything is read: some
//! of them never end, and opening a named pipe waits until another process writes to it.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Bytes of the longest text that describes something: a platform, a model, a list of hosts.
pub const LONGEST_TEXT: u64 = 1 << 30;

/// Why a file cannot be used.
#[derive(Debug, Error)]
pub enum InputError {
    /// There is none.
    #[error("there is no file {}", path.display())]
    Missing {
        /// As it was named.
        path: PathBuf,
    },
    /// It is something else than a file.
    #[error("{} is a {what}, not a file", path.display())]
    NotAFile {
        /// As it was named.
        path: PathBuf,
        /// The kind of thing that it is.
        what: &'static str,
    },
    /// It has more bytes than make sense.
    #[error("{} has more than {} MiB, which is more than can be meant", path.display(), most >> 20)]
    TooLong {
        /// As it was named.
        path: PathBuf,
        /// Bytes that would be read.
        most: u64,
    },
    /// It is not text.
    #[error("{} is not a text file in UTF-8", path.display())]
    NotText {
        /// As it was named.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable {
        /// As it was named.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Opens a regular file, to be read by position.
pub fn open(path: &Path) -> Result<File, InputError> {
    let kind = kind_of(path)?;
    match kind.is_file() {
        true => File::open(path).map_err(|error| failed(path, error)),
        false => Err(not_a_file(path, kind)),
    }
}

/// Refuses what is not a regular file, without opening it.
pub fn check(path: &Path) -> Result<(), InputError> {
    let kind = kind_of(path)?;
    if kind.is_file() { Ok(()) } else { Err(not_a_file(path, kind)) }
}

/// Reads all bytes of a file or a pipe, at most `most` of them.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, InputError> {
    let kind = kind_of(path)?;
    let readable = kind.is_file() || kind.is_fifo() && is_inherited(path);
    if !readable {
        return Err(not_a_file(path, kind));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| failed(path, error))?;
    if file.metadata().is_ok_and(|metadata| metadata.len() > most) {
        return Err(InputError::TooLong { path: path.to_owned(), most });
    }
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| failed(path, error))?;
    match bytes.len() as u64 > most {
        true => Err(InputError::TooLong { path: path.to_owned(), most }),
        false => Ok(bytes),
    }
}

/// Reads a text of at most `most` bytes.
pub fn read_text(path: &Path, most: u64) -> Result<String, InputError> {
    String::from_utf8(read(path, most)?).map_err(|_| InputError::NotText { path: path.to_owned() })
}

fn kind_of(path: &Path) -> Result<FileType, InputError> {
    let metadata = std::fs::metadata(path).map_err(|error| failed(path, error))?;
    Ok(metadata.file_type())
}

/// A pipe that this process was started with: opening it does not wait.
fn is_inherited(path: &Path) -> bool {
    ["/dev/fd", "/proc/self/fd", "/dev/stdin"].iter().any(|start| path.starts_with(start))
}

fn not_a_file(path: &Path, kind: FileType) -> InputError {
    let what = match kind {
        _ if kind.is_dir() => "folder",
        _ if kind.is_fifo() => "pipe",
        _ if kind.is_socket() => "socket",
        _ => "device",
    };
    InputError::NotAFile { path: path.to_owned(), what }
}

fn failed(path: &Path, error: io::Error) -> InputError {
    match error.kind() {
        io::ErrorKind::NotFound => InputError::Missing { path: path.to_owned() },
        _ => InputError::Unreadable { path: path.to_owned(), source: error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_folders_and_what_is_missing_are_refused() {
        for (path, said) in
            [("/dev/zero", "device"), ("/dev/null", "device"), ("/", "folder"), ("/nowhere", "no file")]
        {
            let path = Path::new(path);
            let errors = [open(path).unwrap_err(), check(path).unwrap_err(), read(path, 10).unwrap_err()];
            assert!(errors.iter().all(|error| error.to_string().contains(said)), "{errors:?}");
        }
    }

    #[test]
    fn files_are_read_up_to_a_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "twelve bytes").unwrap();
        assert_eq!(read_text(file.path(), 12).unwrap(), "twelve bytes");
        assert!(matches!(read_text(file.path(), 11), Err(InputError::TooLong { .. })));
        std::fs::write(file.path(), b"\xff").unwrap();
        assert!(matches!(read_text(file.path(), 11), Err(InputError::NotText { .. })));
    }

    #[test]
    fn a_named_pipe_is_refused_instead_of_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(read(&pipe, 10).unwrap_err().to_string().contains("is a pipe"));
        assert!(open(&pipe).unwrap_err().to_string().contains("is a pipe"));
    }
}
