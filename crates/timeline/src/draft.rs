//! A file that gets its name when it is whole.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::TimelineError;

/// A file under a name of its own beside `path`; gone if it is dropped before it is finished.
pub(crate) struct Draft {
    out: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Draft {
    /// A draft of the file `path`.
    pub fn create(path: &Path) -> Result<Draft, TimelineError> {
        let file = Builder::new()
            .prefix(".mpirage-")
            .suffix(".partial")
            // As of a file that is made without further ado: the user's mask applies.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder_of(path))
            .map_err(|error| TimelineError::io(path, error))?;
        Ok(Draft { out: BufWriter::with_capacity(1 << 18, file), path: path.to_owned() })
    }

    /// The name it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It is whole.
    pub fn finish(self) -> Result<(), TimelineError> {
        let Draft { out, path } = self;
        let file = out.into_inner().map_err(|error| TimelineError::io(&path, error.into_error()))?;
        file.persist(&path).map_err(|error| TimelineError::io(&path, error.error))?;
        Ok(())
    }
}

impl Write for Draft {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The folder a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_has_no_name_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.prv");
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"whole").unwrap();
        assert!(!path.exists());
        draft.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        drop(Draft::create(&folder.path().join("other")).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
