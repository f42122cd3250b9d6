//! A folder whose files appear only when all of them are complete.
//!
//! The files are written to a temporary folder beside, which is removed with the value. They are moved when the folder is finished.
//! A folder of many thousand files cannot hold them open without names.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::file::temporary_name;
use super::place::{existing_folder, resolve};

/// Permissions of a new folder, before the user's mask applies.
const MODE: u32 = 0o777;

/// Files under construction for the folder `path`; deleted if it is dropped before it is finished.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    staging: TempDir,
}

impl OutputFolder {
    /// Opens a folder. It may exist: files of the same names are replaced, others stay.
    pub fn create(path: &Path) -> io::Result<OutputFolder> {
        let path = resolve(path)?;
        if path.exists() && !path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        let staging =
            temporary_name().permissions(Permissions::from_mode(MODE)).tempdir_in(existing_folder(&path))?;
        Ok(OutputFolder { path, staging })
    }

    /// Where the file `name` is until the folder is finished.
    pub fn temporary(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Moves all files to where they belong.
    pub fn finish(self) -> io::Result<()> {
        if !self.path.exists() {
            fs::create_dir_all(super::folder_of(&self.path))?;
            // From here on the folder is the user's, unless it cannot be moved.
            let staging = self.staging.keep();
            return fs::rename(&staging, &self.path).inspect_err(|_| drop(fs::remove_dir_all(&staging)));
        }
        for entry in fs::read_dir(self.staging.path())? {
            let entry = entry?;
            fs::rename(entry.path(), self.path.join(entry.file_name()))?;
        }
        self.staging.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_together_and_others_stay() {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("new/trace");
        for (text, other) in [("one", "a.txt"), ("two", "b.txt")] {
            let folder = OutputFolder::create(&path).unwrap();
            fs::write(folder.temporary("ranks.txt"), text).unwrap();
            fs::write(folder.temporary(other), text).unwrap();
            assert_ne!(fs::read_to_string(path.join("ranks.txt")).unwrap_or_default(), text);
            folder.finish().unwrap();
            assert_eq!(fs::read_to_string(path.join("ranks.txt")).unwrap(), text);
        }
        assert_eq!(names(&path), ["a.txt", "b.txt", "ranks.txt"]);
        drop(OutputFolder::create(&path).unwrap());
        assert_eq!((names(around.path()), names(&path).len()), (vec!["new".to_owned()], 3));
        assert!(OutputFolder::create(&path.join("a.txt")).is_err());
    }
}
