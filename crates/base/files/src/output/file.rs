//! A file that appears under its name only when it is complete.
//!
//! Until then it has no name (`O_TMPFILE`), so that nothing is left behind however the simulator ends. File systems
//! without such files get a temporary name beside the final one, which is removed with the value.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use tempfile::{Builder, TempPath};

use super::place::{existing_folder, folder_of, is_special, resolve};

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 18;
/// Permissions of a new file, before the user's mask applies.
const MODE: u32 = 0o666;

/// A file under construction for `path`; deleted if it is dropped before it is published.
#[derive(Debug)]
pub struct OutputFile {
    out: BufWriter<File>,
    target: Target,
}

/// A complete file that does not have its name yet.
#[derive(Debug)]
pub struct SealedFile {
    file: File,
    target: Target,
}

/// How a complete file gets its name.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    name: Name,
}

#[derive(Debug)]
enum Name {
    /// It has none yet.
    None,
    /// It has a temporary one.
    Temporary(TempPath),
    /// It is what existed before: a device or a pipe.
    Final,
}

impl OutputFile {
    /// Opens an output in a folder that must exist.
    pub fn create(path: &Path) -> io::Result<OutputFile> {
        if is_special(path) {
            return OutputFile::direct(path);
        }
        let path = resolve(path)?;
        let folder = folder_of(&path).to_owned();
        OutputFile::create_from(&path, &folder)
    }

    /// Opens an output in a folder that is made when the file is published, if it does not exist by then.
    pub fn create_with_folder(path: &Path) -> io::Result<OutputFile> {
        let path = resolve(path)?;
        let folder = existing_folder(folder_of(&path)).to_owned();
        OutputFile::create_from(&path, &folder)
    }

    fn create_from(path: &Path, folder: &Path) -> io::Result<OutputFile> {
        if path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if !folder.is_dir() {
            return Err(no_folder(folder));
        }
        if path.exists() {
            // A rename would replace a file that the user has protected against writing.
            OpenOptions::new().write(true).open(path)?;
        }
        let (file, name) = if let Ok(file) = nameless(folder) {
            (file, Name::None)
        } else {
            let (file, name) = named(folder)?;
            (file, Name::Temporary(name))
        };
        let target = Target { path: path.to_owned(), name };
        Ok(OutputFile { out: BufWriter::with_capacity(BUFFER, file), target })
    }

    /// Writes to what exists: at its end, where a shell's `>` has begun a file.
    fn direct(path: &Path) -> io::Result<OutputFile> {
        let file = OpenOptions::new().append(true).open(path)?;
        let target = Target { path: path.to_owned(), name: Name::Final };
        Ok(OutputFile { out: BufWriter::with_capacity(BUFFER, file), target })
    }

    /// The name it will have.
    pub fn path(&self) -> &Path {
        &self.target.path
    }

    /// Hands all bytes to the file system.
    pub fn seal(self) -> io::Result<SealedFile> {
        let file = self.out.into_inner().map_err(|error| error.into_error())?;
        Ok(SealedFile { file, target: self.target })
    }

    /// Completes the file: it has its name.
    pub fn finish(self) -> io::Result<()> {
        self.seal()?.publish()
    }
}

impl Write for OutputFile {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

impl SealedFile {
    /// Gives the file its name, in the place of the file that has the name now.
    pub fn publish(self) -> io::Result<()> {
        let Target { path, name } = self.target;
        if matches!(name, Name::Final) {
            return Ok(());
        }
        std::fs::create_dir_all(folder_of(&path))?;
        match name {
            Name::Temporary(name) => name.persist(&path).map_err(|error| error.error),
            _ => give_name(&self.file, &path),
        }
    }
}

fn no_folder(folder: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", folder.display()))
}

/// A file without a name.
fn nameless(folder: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE.bits() as i32;
    OpenOptions::new().write(true).mode(MODE).custom_flags(flags).open(folder)
}

/// A file with a name that nothing else has.
fn named(folder: &Path) -> io::Result<(File, TempPath)> {
    let made = temporary_name()
        .permissions(Permissions::from_mode(MODE))
        .make_in(folder, |name| OpenOptions::new().write(true).create_new(true).mode(MODE).open(name));
    made.map(tempfile::NamedTempFile::into_parts)
}

/// Names a file that has none, in the place of whatever has the name now.
fn give_name(file: &File, path: &Path) -> io::Result<()> {
    let link = |name: &Path| {
        let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(CWD, nameless, CWD, name, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
    };
    match link(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            // A link never replaces a file, but a rename does.
            let beside = temporary_name().make_in(folder_of(path), link)?;
            beside.into_temp_path().persist(path).map_err(|error| error.error)
        }
        linked => linked,
    }
}

/// Temporary names say whose they are and that they can be deleted.
pub(crate) fn temporary_name() -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".mpirage-").suffix(".partial");
    builder
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_has_no_name_until_it_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.prv");
        for text in ["whole", "another in its place"] {
            let mut file = OutputFile::create(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_ne!(fs::read(&path).unwrap_or_default(), text.as_bytes());
            file.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
        }
        drop(OutputFile::create(&folder.path().join("other")).unwrap());
        assert_eq!(names(folder.path()), ["run.prv"]);
    }

    #[test]
    fn where_files_need_names_the_output_has_a_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.prv");
        fs::write(&path, "old").unwrap();
        let (file, name) = named(folder.path()).unwrap();
        let target = Target { path: path.clone(), name: Name::Temporary(name) };
        let mut output = OutputFile { out: BufWriter::new(file), target };
        output.write_all(b"whole").unwrap();
        assert_eq!((names(folder.path()).len(), fs::read(&path).unwrap().as_slice()), (2, &b"old"[..]));
        output.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        drop(named(folder.path()).unwrap());
        assert_eq!(names(folder.path()), ["run.prv"]);
    }

    #[test]
    fn bad_places_are_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let error = OutputFile::create(&folder.path().join("no/such/run.prv")).unwrap_err();
        assert!(error.to_string().contains("there is no folder"), "{error}");
        let error = OutputFile::create(folder.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        let later = OutputFile::create_with_folder(&folder.path().join("a/b/run.csv")).unwrap();
        assert!(names(folder.path()).is_empty());
        later.finish().unwrap();
        assert!(folder.path().join("a/b/run.csv").is_file());
    }

    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (link, path) = (folder.path().join("link"), folder.path().join("run.prv"));
        symlink("run.prv", &link).unwrap();
        for text in ["into nothing", "over a file"] {
            let mut file = OutputFile::create(&link).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        let null = folder.path().join("null");
        symlink("/dev/null", &null).unwrap();
        let mut file = OutputFile::create(&null).unwrap();
        file.write_all(b"nothing").unwrap();
        file.finish().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
