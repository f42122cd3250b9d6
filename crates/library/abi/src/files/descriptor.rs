//! Descriptors of files, and what the system's errors mean to MPI.
//!
//! Folded ranks are one process, which may have fewer descriptors than ranks have files: those that open the same file in the same
//! way share a descriptor. It has no position that they could disagree about.

use core::ffi::c_int;
use std::ffi::CStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::constants::*;
use crate::ground::error::MpiError;

/// An open file, perhaps of several ranks.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor(Arc<File>);

/// How a file is opened; what `MPI_MODE_*` says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    pub read: bool,
    pub write: bool,
    pub create: bool,
    pub exclusive: bool,
}

/// Files that are open in this process.
static SHARED: Mutex<Vec<(bool, bool, Weak<File>)>> = Mutex::new(Vec::new());

/// Names of file systems that ROMIO takes in front of a path.
const PREFIXES: [&str; 12] =
    ["ufs", "nfs", "xfs", "gpfs", "lustre", "panfs", "pvfs2", "testfs", "daos", "ime", "quobyte", "gridftp"];

/// The path behind a name that a program gives: without the name of a file system in front of it, and absolute.
pub(crate) fn path_of(name: &CStr) -> PathBuf {
    let bytes = name.to_bytes();
    let known = |prefix: &&&str| {
        bytes.strip_prefix(prefix.as_bytes()).and_then(|rest| rest.strip_prefix(b":")).is_some()
    };
    let start = PREFIXES.iter().find(known).map_or(0, |prefix| prefix.len() + 1);
    let path = Path::new(std::ffi::OsStr::from_bytes(&bytes[start..]));
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Descriptor {
    /// Opens a file.
    pub(crate) fn open(path: &Path, how: Opening) -> io::Result<Descriptor> {
        let mut options = OpenOptions::new();
        options.read(how.read).write(how.write).mode(0o666);
        if how.create {
            options.custom_flags(libc::O_CREAT | if how.exclusive { libc::O_EXCL } else { 0 });
        } else if how.exclusive && path.symlink_metadata().is_ok() {
            return Err(io::Error::from_raw_os_error(libc::EEXIST));
        }
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.retain(|(.., file)| file.strong_count() > 0);
        if !(how.create && how.exclusive)
            && let Some(open) = find(&shared, path, how)
        {
            return Ok(Descriptor(open));
        }
        let file = Arc::new(options.open(path)?);
        if file.metadata()?.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        shared.push((how.read, how.write, Arc::downgrade(&file)));
        Ok(Descriptor(file))
    }

    /// Reads until the buffer is full or the file ends; gives the number of bytes.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.0.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Writes all bytes.
    pub(crate) fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    /// The file's size in bytes.
    pub(crate) fn size(&self) -> io::Result<u64> {
        self.0.metadata().map(|metadata| metadata.len())
    }

    /// Cuts the file off, or lets it grow.
    pub(crate) fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.0.set_len(bytes)
    }
}

/// An open descriptor of the file that is at this path now.
fn find(shared: &[(bool, bool, Weak<File>)], path: &Path, how: Opening) -> Option<Arc<File>> {
    let there = path.metadata().ok()?;
    let same = |file: &Arc<File>| file.metadata().is_ok_and(|open| same_file(&open, &there));
    shared
        .iter()
        .filter(|(read, write, _)| (*read, *write) == (how.read, how.write))
        .filter_map(|(.., file)| file.upgrade())
        .find(same)
}

fn same_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// The error class of a system's error: ROMIO's choice.
pub(crate) fn class_of(error: &io::Error) -> c_int {
    match error.raw_os_error() {
        Some(libc::EACCES) => MPI_ERR_ACCESS,
        Some(libc::ENAMETOOLONG | libc::EISDIR | libc::ENOTDIR | libc::ELOOP) => MPI_ERR_BAD_FILE,
        Some(libc::ENOENT) => MPI_ERR_NO_SUCH_FILE,
        Some(libc::EROFS) => MPI_ERR_READ_ONLY,
        Some(libc::EEXIST) => MPI_ERR_FILE_EXISTS,
        Some(libc::ENOSPC) => MPI_ERR_NO_SPACE,
        Some(libc::EDQUOT) => MPI_ERR_QUOTA,
        _ => MPI_ERR_IO,
    }
}

/// The system refuses something about a file.
pub(crate) fn refused(what: &str, path: &Path, error: &io::Error) -> MpiError {
    MpiError::new(class_of(error), format!("{what} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_system_is_no_part_of_the_path() {
        assert_eq!(path_of(c"ufs:/tmp/a"), Path::new("/tmp/a"));
        assert_eq!(path_of(c"/tmp/nfs:a"), Path::new("/tmp/nfs:a"));
        assert_eq!(path_of(c"other:a"), std::env::current_dir().unwrap().join("other:a"));
    }

    #[test]
    fn ranks_share_a_descriptor_of_the_same_file_only() {
        let name = std::env::temp_dir().join(format!("mpirage-descriptor-{}", std::process::id()));
        let how = Opening { read: true, write: true, create: true, exclusive: false };
        let one = Descriptor::open(&name, how).unwrap();
        let two = Descriptor::open(&name, Opening { create: false, ..how }).unwrap();
        assert!(Arc::ptr_eq(&one.0, &two.0));
        std::fs::remove_file(&name).unwrap();
        let other = Descriptor::open(&name, how).unwrap();
        assert!(!Arc::ptr_eq(&one.0, &other.0));
        one.write(b"old", 0).unwrap();
        assert_eq!((one.size().unwrap(), other.size().unwrap()), (3, 0));
        assert_eq!(
            class_of(&Descriptor::open(&name, Opening { exclusive: true, ..how }).unwrap_err()),
            MPI_ERR_FILE_EXISTS
        );
        std::fs::remove_file(&name).unwrap();
        assert_eq!(
            class_of(&Descriptor::open(&name, Opening { create: false, ..how }).unwrap_err()),
            MPI_ERR_NO_SUCH_FILE
        );
    }
}
