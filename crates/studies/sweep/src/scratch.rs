//! Standard output and standard error of the case that a thread runs.
//!
//! Most cases print nothing but their result. So a thread writes into the same two files again and again, and only what is worth keeping gets a
//! file in the folder of its case: making and removing files took more time than all else that a sweep does for a case.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::case::CaseSpec;
use crate::error::SweepError;
use crate::folder::{StudyFolder, WorkerId};

/// The name of a case's standard output in its folder.
pub(crate) const STDOUT: &str = "stdout";
/// The name of a case's standard error in its folder.
pub(crate) const STDERR: &str = "stderr";
/// Bytes that are read at once when the last line is looked for.
const STEP: u64 = 1 << 20;

/// The files of a thread.
pub(crate) struct Scratch {
    out: PathBuf,
    err: PathBuf,
}

impl Scratch {
    pub fn new(folder: &StudyFolder, worker: &WorkerId, thread: usize) -> Scratch {
        let file = |what: &str| folder.scratch(&format!("{}.{thread}.{what}", worker.name()));
        Scratch { out: file("out"), err: file("err") }
    }

    /// Opens both files, empty.
    pub fn open(&self) -> Result<(File, File), SweepError> {
        let open = |path: &Path| {
            File::options()
                .create(true)
                .append(true)
                .open(path)
                .and_then(|file| file.set_len(0).map(|()| file))
                .map_err(SweepError::io(path))
        };
        Ok((open(&self.out)?, open(&self.err)?))
    }

    /// Moves what the case printed into its folder, without the result, which is returned.
    pub fn keep(&self, folder: &Path) -> io::Result<Option<Value>> {
        let mut out = File::options().read(true).write(true).open(&self.out)?;
        let (start, line) = last_line(&mut out)?;
        let result: Option<Value> = serde_json::from_slice(&line).ok().filter(Value::is_object);
        if result.is_some() {
            out.set_len(start)?;
        }
        for (file, name) in [(&self.out, STDOUT), (&self.err, STDERR)] {
            if fs::metadata(file)?.len() > 0 {
                fs::create_dir_all(folder)?;
                fs::rename(file, folder.join(name))?;
            }
        }
        Ok(result)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.out);
        let _ = fs::remove_file(&self.err);
    }
}

/// The last line of a file, and where it begins.
fn last_line(file: &mut File) -> io::Result<(u64, Vec<u8>)> {
    let end = file.seek(SeekFrom::End(0))?;
    let mut start = end;
    let mut tail: Vec<u8> = Vec::new();
    while start > 0 {
        let step = STEP.min(start);
        start -= step;
        let mut piece = vec![0; step as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut piece)?;
        piece.append(&mut tail);
        tail = piece;
        // The newline that ends the last line does not begin it.
        let body = tail.len().saturating_sub(1);
        if let Some(newline) = tail[..body].iter().rposition(|&byte| byte == b'\n') {
            return Ok((start + newline as u64 + 1, tail.split_off(newline + 1)));
        }
    }
    Ok((0, tail))
}

impl CaseSpec {
    /// Makes the folder of the case as if it had never run. A case without files that does not mention its folder needs none.
    pub(crate) fn prepare(&self, folder: &Path) -> io::Result<()> {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
        if self.needs_folder() {
            fs::create_dir(folder)?;
        }
        self.files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(out: &str, err: &str) -> (Option<Value>, Option<String>, Option<String>) {
        let place = tempfile::tempdir().unwrap();
        let folder = StudyFolder::create(place.path()).unwrap();
        let scratch = Scratch::new(&folder, &WorkerId::new("w"), 0);
        drop(scratch.open().unwrap());
        fs::write(&scratch.out, out).unwrap();
        fs::write(&scratch.err, err).unwrap();
        let case = place.path().join("cases/0");
        let result = scratch.keep(&case).unwrap();
        let read = |name: &str| fs::read_to_string(case.join(name)).ok();
        (result, read(STDOUT), read(STDERR))
    }

    #[test]
    fn the_result_is_the_last_line() {
        let object = serde_json::json!({"a": 1});
        assert_eq!(kept("{\"a\":1}\n", ""), (Some(object.clone()), None, None));
        assert_eq!(
            kept("hello\n{\"a\":1}\n", "w"),
            (Some(object.clone()), Some("hello\n".to_owned()), Some("w".to_owned()))
        );
        assert_eq!(kept("hello\n3\n", ""), (None, Some("hello\n3\n".to_owned()), None));
        assert_eq!(kept("", "bad"), (None, None, Some("bad".to_owned())));
        let long = "x".repeat(3 << 20);
        let (result, out, _) = kept(&format!("{long}\n{{\"a\":1}}\n"), "");
        assert_eq!((result, out.map(|out| out.len())), (Some(object), Some(long.len() + 1)));
        let (result, ..) = kept(&format!("{{\"a\":\"{long}\"}}\n"), "");
        assert!(result.is_some());
    }
}
