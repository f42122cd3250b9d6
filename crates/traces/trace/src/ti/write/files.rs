//! The files of a trace that is being written. Files of ranks are opened for each piece, so that any number of ranks will do.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use mpirage_files::{OutputFile, OutputFolder};

use crate::TraceError;

/// The list of files inside a folder.
const LIST: &str = "ranks.txt";

/// How the lines of ranks are laid out in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TiLayout {
    /// The path is a folder with one file per rank, and a list of them, `ranks.txt`.
    Folder,
    /// The path is a list of files, which are in a folder of the same name with `_files`; as SimGrid does it.
    List,
    /// The path is one file for all ranks.
    OneFile,
}

/// Where the lines of ranks go.
#[derive(Debug)]
pub(super) struct Files {
    path: PathBuf,
    lines: Lines,
    /// The first failure; nothing is written after it.
    failed: Option<TraceError>,
}

/// None once it is finished.
#[derive(Debug)]
enum Lines {
    /// All ranks in one file.
    Together(Option<OutputFile>),
    /// A file for each rank, and their list if it is not in the same folder.
    Apart(Option<(OutputFolder, Option<OutputFile>)>),
}

impl Files {
    /// Opens the outputs, with nothing but `head` in the files of ranks, and their list.
    pub fn create(path: &Path, layout: TiLayout, ranks: u32, head: &str) -> Result<Files, TraceError> {
        let lines = Lines::create(path, layout, ranks, head).map_err(|error| TraceError::io(path, error))?;
        Ok(Files { path: path.to_owned(), lines, failed: None })
    }

    /// Does each rank have a file of its own?
    pub fn one_each(&self) -> bool {
        matches!(self.lines, Lines::Apart(_))
    }

    /// Appends lines of a rank.
    pub fn append(&mut self, rank: u32, text: &str) {
        self.change(|lines| match lines {
            Lines::Together(Some(file)) => file.write_all(text.as_bytes()),
            Lines::Apart(Some((folder, _))) => {
                let file = folder.temporary(&file_name(rank));
                OpenOptions::new().append(true).open(file)?.write_all(text.as_bytes())
            }
            Lines::Together(None) | Lines::Apart(None) => Ok(()),
        });
    }

    /// Makes a line of a rank a comment, by where it starts; the rank has a file of its own.
    pub fn comment_out(&mut self, rank: u32, line: u64) {
        self.change(|lines| match lines {
            Lines::Apart(Some((folder, _))) => {
                let file = folder.temporary(&file_name(rank));
                OpenOptions::new().write(true).open(file)?.write_all_at(b"#", line)
            }
            _ => Ok(()),
        });
    }

    fn change(&mut self, how: impl FnOnce(&mut Lines) -> io::Result<()>) {
        if self.failed.is_none() {
            let (path, changed) = (&self.path, how(&mut self.lines));
            self.failed = changed.err().map(|error| TraceError::io(path, error));
        }
    }

    /// Completes all files. If anything has failed, none appears.
    pub fn finish(&mut self) -> Result<(), TraceError> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.lines.finish().map_err(|error| TraceError::io(&self.path, error)),
        }
    }
}

impl Lines {
    fn create(path: &Path, layout: TiLayout, ranks: u32, head: &str) -> io::Result<Lines> {
        let (name, list) = match layout {
            TiLayout::OneFile => {
                let mut file = OutputFile::create(path)?;
                file.write_all(head.as_bytes())?;
                return Ok(Lines::Together(Some(file)));
            }
            TiLayout::Folder => (path.to_owned(), None),
            TiLayout::List => (folder_of_list(path), Some(OutputFile::create(path)?)),
        };
        let folder = OutputFolder::create(&name)?;
        for rank in 0..ranks {
            File::create_new(folder.temporary(&file_name(rank)))?.write_all(head.as_bytes())?;
        }
        let list = match list {
            Some(mut list) => {
                write_list(&mut list, Path::new(name.file_name().unwrap_or_default()), ranks)?;
                Some(list)
            }
            None => {
                let mut list = io::BufWriter::new(File::create_new(folder.temporary(LIST))?);
                write_list(&mut list, Path::new(""), ranks)?;
                None
            }
        };
        Ok(Lines::Apart(Some((folder, list))))
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Lines::Together(file) => file.take().map_or(Ok(()), OutputFile::finish),
            Lines::Apart(apart) => {
                let Some((folder, list)) = apart.take() else { return Ok(()) };
                let list = list.map(OutputFile::seal).transpose()?;
                folder.finish()?;
                list.map_or(Ok(()), |list| list.publish())
            }
        }
    }
}

fn file_name(rank: u32) -> String {
    format!("ti_trace{rank}.txt")
}

/// The folder of the files that a list names.
fn folder_of_list(list: &Path) -> PathBuf {
    let mut name = list.as_os_str().to_owned();
    name.push("_files");
    PathBuf::from(name)
}

/// Paths as seen from the folder of the list, so that the trace can be moved. smpirun takes them as seen from its working directory.
fn write_list(out: &mut dyn io::Write, folder: &Path, ranks: u32) -> io::Result<()> {
    for rank in 0..ranks {
        writeln!(out, "{}", folder.join(file_name(rank)).display())?;
    }
    out.flush()
}
