//! The files of a trace that is being written: opened for each piece, so that any number of ranks will do.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::TraceError;

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
    layout: TiLayout,
    /// What the user has named.
    path: PathBuf,
    /// One, or one for each rank.
    files: Vec<PathBuf>,
    /// The first failure; nothing is written after it.
    failed: Option<TraceError>,
}

impl Files {
    /// Makes the files, with nothing but `head` in them, and their list.
    pub fn create(path: &Path, layout: TiLayout, ranks: u32, head: &str) -> Result<Files, TraceError> {
        let files = lay_out(path, layout, ranks, head)?;
        Ok(Files { layout, path: path.to_owned(), files, failed: None })
    }

    /// Does each rank have a file of its own?
    pub fn one_each(&self) -> bool {
        self.layout != TiLayout::OneFile
    }

    /// Appends lines of a rank.
    pub fn append(&mut self, rank: u32, text: &str) {
        self.change(rank, |file| OpenOptions::new().append(true).open(file)?.write_all(text.as_bytes()));
    }

    /// Makes a line of a rank a comment, by where it starts; the rank has a file of its own.
    pub fn comment_out(&mut self, rank: u32, line: u64) {
        self.change(rank, |file| OpenOptions::new().write(true).open(file)?.write_all_at(b"#", line));
    }

    fn change(&mut self, rank: u32, how: impl FnOnce(&Path) -> io::Result<()>) {
        let file = &self.files[if self.one_each() { rank as usize } else { 0 }];
        if self.failed.is_none() {
            self.failed = how(file).err().map(|error| TraceError::io(file, error));
        }
    }

    /// Everything has been written. If that has failed, nothing stays.
    pub fn finish(&mut self) -> Result<(), TraceError> {
        let Some(error) = self.failed.take() else { return Ok(()) };
        self.files.iter().chain([&self.path]).for_each(|file| drop(fs::remove_file(file)));
        Err(error)
    }
}

fn lay_out(path: &Path, layout: TiLayout, ranks: u32, head: &str) -> Result<Vec<PathBuf>, TraceError> {
    let begin = |file: &Path| fs::write(file, head).map_err(|error| TraceError::io(file, error));
    let folder = match layout {
        TiLayout::OneFile => {
            begin(path)?;
            return Ok(vec![path.to_owned()]);
        }
        TiLayout::Folder => path.to_owned(),
        TiLayout::List => {
            let mut name = path.as_os_str().to_owned();
            name.push("_files");
            PathBuf::from(name)
        }
    };
    fs::create_dir_all(&folder).map_err(|error| TraceError::io(&folder, error))?;
    let files: Vec<PathBuf> = (0..ranks).map(|rank| folder.join(format!("ti_trace{rank}.txt"))).collect();
    files.iter().try_for_each(|file| begin(file))?;
    let list = if layout == TiLayout::List { path.to_owned() } else { folder.join("ranks.txt") };
    write_list(&list, &files).map_err(|error| TraceError::io(&list, error))?;
    Ok(files)
}

/// Paths as seen from where we are, as smpirun reads them.
fn write_list(list: &Path, files: &[PathBuf]) -> io::Result<()> {
    let mut out = io::BufWriter::new(File::create(list)?);
    for file in files {
        writeln!(out, "{}", file.display())?;
    }
    out.flush()
}
