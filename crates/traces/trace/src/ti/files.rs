//! Where the lines of each rank come from.
//!
//! ```text
//! a folder, or a list of files      one file per rank, read in chunks
//! one file for all                  an index gives the stretches of each rank; ranks advance at different speeds
//! ```
//!
//! Each rank keeps one chunk, which is smaller the more ranks there are. One file for all ranks also needs its index.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::stretches::{Cursor, Stretches};
use super::text::{Words, whole};
use crate::source::{Source, Window};
use crate::{Computation, TraceError, TracePlace};

/// Bytes of chunks, over all ranks: more than that does not stay in caches.
const CHUNKS: usize = 8 << 20;
/// Bytes of one chunk.
const CHUNK: Range<usize> = 1 << 10..64 << 10;
/// The first line is looked for so far.
const HEAD: u64 = 1 << 20;
const HEAD_CHUNK: usize = 4 << 10;

/// Comments above the first action that say how the traced run charged computation.
pub(super) const FREE: &str = "# computation: none\n";
pub(super) const CHARGED: &str = "# computation: charged\n";

/// The files of a trace.
pub(super) struct Files {
    kind: RankFiles,
    chunk: usize,
}

enum RankFiles {
    Each(Vec<Source>),
    All(Stretches),
}

impl Files {
    /// Finds out what `path` is: a folder, a list of files, or a file for all ranks.
    pub(super) fn open(path: &Path) -> Result<Files, TraceError> {
        let kind = if path.is_dir() {
            RankFiles::Each(each(in_folder(path)?)?)
        } else {
            match first_line(path)? {
                Some(line) if starts_an_action(&line) => RankFiles::All(Stretches::open(path)?),
                Some(_) => listed(path)?,
                None => {
                    return Err(TraceError::bad(
                        path,
                        TracePlace::File,
                        "is empty: there is no action in it",
                    ));
                }
            }
        };
        let mut files = Files { kind, chunk: 0 };
        files.chunk = (CHUNKS / files.ranks()).clamp(CHUNK.start, CHUNK.end);
        Ok(files)
    }

    pub(super) fn ranks(&self) -> usize {
        match &self.kind {
            RankFiles::Each(files) => files.len(),
            RankFiles::All(all) => all.ranks(),
        }
    }

    /// The settings of computation in the comments above the first action.
    pub(super) fn computation(&self) -> Result<Computation, TraceError> {
        let source = match &self.kind {
            RankFiles::Each(files) => &files[0],
            RankFiles::All(all) => all.source(),
        };
        let mut window = Window::default();
        while let Some(line) = window.line(|at, into| source.append(at, HEAD_CHUNK, into))? {
            let line = window.text(line);
            match line.first() {
                Some(b'#') if line == FREE.trim_end().as_bytes() => {
                    return Ok(Computation { free: true, ..Computation::default() });
                }
                Some(b'#') | None => {}
                Some(_) => break,
            }
        }
        Ok(Computation::default())
    }

    /// The file of a rank, and the line in it that is the `nth` of the rank, from 1.
    pub(super) fn place(&self, rank: u32, nth: u64) -> (PathBuf, TracePlace) {
        match &self.kind {
            RankFiles::Each(files) => (files[rank as usize].name().to_owned(), TracePlace::Line(nth)),
            RankFiles::All(all) => (
                all.source().name().to_owned(),
                all.line(rank, nth).map_or(TracePlace::File, TracePlace::Line),
            ),
        }
    }

    /// Appends what follows of a rank.
    fn read(
        &mut self,
        rank: u32,
        at: u64,
        cursor: &mut Cursor,
        into: &mut Vec<u8>,
    ) -> Result<usize, TraceError> {
        match &mut self.kind {
            RankFiles::Each(files) => files[rank as usize].append(at, self.chunk, into),
            RankFiles::All(all) => all.append(rank, cursor, self.chunk, into),
        }
    }
}

/// The lines of one rank, one after the other.
#[derive(Default)]
pub(super) struct Lines {
    window: Window,
    cursor: Cursor,
}

impl Lines {
    /// The next line, as a part of [`Lines::text`]; none at the end.
    #[inline]
    pub(super) fn next(&mut self, rank: u32, files: &mut Files) -> Result<Option<Range<usize>>, TraceError> {
        let Lines { window, cursor } = self;
        window.line(|at, into| files.read(rank, at, cursor, into))
    }

    /// How much of the lines of `rank`, whose these are, has been read.
    pub(super) fn share_read(&self, rank: u32, files: &Files) -> f64 {
        match &files.kind {
            RankFiles::Each(sources) => {
                self.window.position() as f64 / sources[rank as usize].len().max(1) as f64
            }
            RankFiles::All(all) => all.share_read(rank, &self.cursor),
        }
    }

    #[inline]
    pub(super) fn text(&self, line: Range<usize>) -> &[u8] {
        self.window.text(line)
    }

    /// How many have been read.
    #[inline]
    pub(super) fn count(&self) -> u64 {
        self.window.lines()
    }
}

/// The first line that is neither empty nor a comment.
fn first_line(path: &Path) -> Result<Option<Vec<u8>>, TraceError> {
    let source = Source::open(path)?;
    let mut window = Window::default();
    let head = |at, into: &mut Vec<u8>| match at {
        0..HEAD => source.append(at, HEAD_CHUNK, into),
        _ => Ok(0),
    };
    while let Some(line) = window.line(head)? {
        let line = window.text(line);
        if Words::of(line).next().is_some_and(|word| word[0] != b'#') {
            return Ok(Some(line.to_owned()));
        }
    }
    Ok(None)
}

/// A rank and a word, rather than the name of a file.
fn starts_an_action(line: &[u8]) -> bool {
    let mut words = Words::of(line);
    let rank = words.next().and_then(whole);
    rank.is_some() && words.next().is_some_and(|word| word[0].is_ascii_alphabetic())
}

fn each(paths: Vec<PathBuf>) -> Result<Vec<Source>, TraceError> {
    paths.iter().map(|path| Source::one_of(path, paths.len())).collect()
}

/// The files of a folder, by the rank that their first line names.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, TraceError> {
    let failed = |error| TraceError::io(folder, error);
    let mut by_rank = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            continue;
        }
        // Other things may lie beside the traces.
        let Some(line) = first_line(&path)?.filter(|line| starts_an_action(line)) else { continue };
        let rank = Words::of(&line).next().and_then(whole).unwrap_or_default();
        if let Some(other) = by_rank.insert(rank, path.clone()) {
            let problem = format!("is a second file of rank {rank}, beside {}", other.display());
            return Err(TraceError::bad(&path, TracePlace::Line(1), problem));
        }
    }
    if by_rank.is_empty() {
        return Err(TraceError::bad(
            folder,
            TracePlace::File,
            "has no trace in it: no file starts with a rank and an action",
        ));
    }
    if let Some((missing, _)) = (0..).zip(by_rank.keys()).find(|(expected, rank)| expected != *rank) {
        return Err(TraceError::bad(folder, TracePlace::File, format!("has no file of rank {missing}")));
    }
    Ok(by_rank.into_values().collect())
}

/// The files in a list: one for each rank, or one for all.
fn listed(list: &Path) -> Result<RankFiles, TraceError> {
    let text = mpirage_files::read(list, mpirage_files::LONGEST_TEXT)?;
    let text = String::from_utf8(text).map_err(|_| {
        TraceError::bad(list, TracePlace::File, "is neither a trace nor a list of traces: it is not text; `mpirage info traces` lists the formats that can be read")
    })?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (index, line) in
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let name = Path::new(line.trim());
        // Beside the list, or as seen from here, as smpirun does it.
        let path = [folder.join(name), name.to_owned()].into_iter().find(|path| path.is_file());
        let missing = || {
            if name.to_string_lossy().starts_with(['<', '{', '[']) {
                let problem = "is neither a trace nor a list of traces: it looks like a web page, XML or JSON; `mpirage info traces` lists the formats that can be read";
                return TraceError::bad(list, TracePlace::File, problem);
            }
            let problem = format!(
                "there is no file `{}`: a list names one trace per line, and a trace starts with a rank",
                name.display()
            );
            TraceError::bad(list, TracePlace::Line(index as u64 + 1), problem)
        };
        files.push(path.ok_or_else(missing)?);
    }
    match files.as_slice() {
        [only] => Ok(RankFiles::All(Stretches::open(only)?)),
        _ => Ok(RankFiles::Each(each(files)?)),
    }
}
