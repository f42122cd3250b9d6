//! A file that gets its name when it is whole.
//!
//! Until then it has none, so that nothing is left behind whatever happens to the simulator. File systems that know no
//! files without names get one with a name of its own, which goes when the draft does.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use tempfile::{Builder, TempPath};

use crate::TimelineError;

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 18;

/// What will be the file `path`; gone if it is dropped before it is finished.
pub(crate) struct Draft {
    out: BufWriter<File>,
    path: PathBuf,
    /// Its name, if it has to have one.
    name: Option<TempPath>,
}

impl Draft {
    /// A draft of the file `path`.
    pub fn create(path: &Path) -> Result<Draft, TimelineError> {
        let (file, name) = match nameless(folder_of(path)) {
            Ok(file) => (file, None),
            Err(_) => named(path).map(|(file, name)| (file, Some(name)))?,
        };
        Ok(Draft { out: BufWriter::with_capacity(BUFFER, file), path: path.to_owned(), name })
    }

    /// The name it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// It is whole.
    pub fn finish(self) -> Result<(), TimelineError> {
        let Draft { out, path, name } = self;
        let failed = |error: io::Error| TimelineError::io(&path, error);
        let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
        match name {
            Some(name) => name.persist(&path).map_err(|error| failed(error.error)),
            None => give_name(&file, &path).map_err(failed),
        }
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

/// A file without a name.
fn nameless(folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE.bits() as i32;
    OpenOptions::new().write(true).mode(0o666).custom_flags(flags).open(folder)
}

/// A file with a name nobody else has.
fn named(path: &Path) -> Result<(File, TempPath), TimelineError> {
    let made = Builder::new()
        .prefix(".mpirage-")
        .suffix(".partial")
        // As of a file that is made without further ado: the user's mask applies.
        .permissions(Permissions::from_mode(0o666))
        .make_in(folder_of(path), |name| {
            OpenOptions::new().write(true).create_new(true).mode(0o666).open(name)
        });
    made.map(tempfile::NamedTempFile::into_parts).map_err(|error| TimelineError::io(path, error))
}

/// Names a file that has none, in the place of whatever has the name now.
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    let link = |name: &Path| {
        let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(CWD, nameless, CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
    };
    match link(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // A link never replaces anything, but a move does.
            let beside =
                Builder::new().prefix(".mpirage-").suffix(".partial").make_in(folder_of(path), link)?;
            beside.into_temp_path().persist(path).map_err(|error| error.error)
        }
        linked => linked,
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
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_draft_has_no_name_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.prv");
        for text in ["whole", "another in its place"] {
            let mut draft = Draft::create(&path).unwrap();
            draft.write_all(text.as_bytes()).unwrap();
            assert_ne!(fs::read(&path).unwrap_or_default(), text.as_bytes());
            draft.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        }
        drop(Draft::create(&folder.path().join("other")).unwrap());
        assert_eq!(names(folder.path()), ["run.prv"]);
    }

    #[test]
    fn where_files_have_names_the_draft_has_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.prv");
        fs::write(&path, "old").unwrap();
        let (file, name) = named(&path).unwrap();
        let mut draft = Draft { out: BufWriter::new(file), path: path.clone(), name: Some(name) };
        draft.write_all(b"whole").unwrap();
        assert_eq!((names(folder.path()).len(), fs::read(&path).unwrap().as_slice()), (2, &b"old"[..]));
        draft.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        drop(named(&path).unwrap());
        assert_eq!(names(folder.path()), ["run.prv"]);
    }
}
