//! Where the lines of each rank come from.
//!
//! ```text
//! a folder, or a list of files      one file per rank, read in chunks
//! one file for all                  an index says which stretches are whose; ranks advance at different speeds
//! ```
//!
//! No file is ever in memory as a whole. What is kept per rank is a chunk, smaller the more ranks there are; of one file for
//! all also the index, two to four bytes for each stretch of lines of one rank.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::text::{Words, whole};
use crate::varint;
use crate::{Place, TraceError};

/// Bytes of chunks, over all ranks: more than that does not stay in caches.
const CHUNKS: usize = 8 << 20;
/// Bytes of one chunk.
const CHUNK: Range<usize> = 1 << 10..64 << 10;
/// So many files may stay open; more are opened for each chunk.
const OPEN_FILES: usize = 500;
/// Bytes of a page of a file for all, and how many pages are kept.
const PAGE: usize = 64 << 10;
const PAGES: usize = 512;
/// More ranks than that are a mistake.
const MOST_RANKS: u64 = 1 << 24;

/// The files of a trace.
pub(super) struct Files {
    kind: Kind,
    chunk: usize,
}

enum Kind {
    Each(Vec<Each>),
    All(All),
}

/// The file of one rank.
struct Each {
    path: PathBuf,
    /// Kept open if there are not too many.
    file: Option<File>,
}

/// The file of all ranks.
struct All {
    path: PathBuf,
    file: File,
    /// For each rank: how far after the end of its previous stretch each begins, and how long it is.
    stretches: Vec<Vec<u8>>,
    /// A few pages, each in the one place it may be.
    pages: Vec<(u64, Vec<u8>)>,
}

impl Files {
    /// Finds out what `path` is: a folder, a list of files, or a file for all ranks.
    pub(super) fn open(path: &Path) -> Result<Files, TraceError> {
        let kind = if path.is_dir() {
            Kind::Each(in_folder(path)?)
        } else {
            match first_line(path)? {
                Some(line) if starts_an_action(&line) => Kind::All(All::open(path)?),
                Some(_) => listed(path)?,
                None => return Err(TraceError::bad(path, Place::File, "is empty: there is no action in it")),
            }
        };
        let mut files = Files { kind, chunk: 0 };
        files.chunk = (CHUNKS / files.ranks()).clamp(CHUNK.start, CHUNK.end);
        Ok(files)
    }

    pub(super) fn ranks(&self) -> usize {
        match &self.kind {
            Kind::Each(files) => files.len(),
            Kind::All(all) => all.stretches.len(),
        }
    }

    /// The file of a rank, and the line in it that is the `nth` of the rank, from 1.
    pub(super) fn place(&self, rank: u32, nth: u64) -> (PathBuf, Place) {
        match &self.kind {
            Kind::Each(files) => (files[rank as usize].path.clone(), Place::Line(nth)),
            Kind::All(all) => (all.path.clone(), all.line(rank, nth).map_or(Place::File, Place::Line)),
        }
    }

    /// Appends what follows to `text`. False at the end.
    fn read(&mut self, rank: u32, next: &mut Next, text: &mut Vec<u8>) -> Result<bool, TraceError> {
        let (path, read) = match &mut self.kind {
            Kind::Each(files) => {
                let keep = files.len() <= OPEN_FILES;
                let each = &mut files[rank as usize];
                let read = each.read(next, self.chunk, keep, text);
                (&each.path, read)
            }
            Kind::All(all) => {
                let read = all.read(rank, next, self.chunk, text);
                (&all.path, read)
            }
        };
        read.map_err(|error| TraceError::io(path, error))
    }
}

/// How far a rank has been read: bytes of its file, or of its stretches.
#[derive(Default)]
struct Next {
    offset: u64,
    /// Of stretches: where the next one is told of.
    told: usize,
}

/// The lines of one rank, one after the other.
#[derive(Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    at: usize,
    next: Next,
    ended: bool,
    /// How many have been read.
    pub(super) count: u64,
}

impl Lines {
    /// The next line, as a part of [`Lines::text`]; none at the end.
    #[inline]
    pub(super) fn next(&mut self, rank: u32, files: &mut Files) -> Result<Option<Range<usize>>, TraceError> {
        let mut searched = 0;
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.text[self.at + searched..]) {
                let line = self.at..self.at + searched + length;
                self.at = line.end + 1;
                self.count += 1;
                return Ok(Some(line));
            }
            searched = self.text.len() - self.at;
            if self.ended {
                let line = self.at..self.text.len();
                self.at = self.text.len();
                self.count += u64::from(!line.is_empty());
                return Ok((!line.is_empty()).then_some(line));
            }
            self.refill(rank, files)?;
        }
    }

    pub(super) fn text(&self, line: Range<usize>) -> &[u8] {
        &self.text[line]
    }

    fn refill(&mut self, rank: u32, files: &mut Files) -> Result<(), TraceError> {
        self.text.drain(..self.at);
        self.at = 0;
        // A line longer than a chunk leaves its room behind.
        if self.text.capacity() > 4 * files.chunk && self.text.len() < files.chunk {
            self.text.shrink_to(2 * files.chunk);
        }
        self.ended = !files.read(rank, &mut self.next, &mut self.text)?;
        if self.ended && self.at == self.text.len() {
            self.text = Vec::new();
        }
        Ok(())
    }
}

impl Each {
    fn read(&mut self, next: &mut Next, chunk: usize, keep: bool, text: &mut Vec<u8>) -> io::Result<bool> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        let read = append(&file, next.offset, chunk, text)?;
        next.offset += read as u64;
        self.file = keep.then_some(file);
        Ok(read > 0)
    }
}

/// Appends up to `most` bytes of a file, from `offset` on.
fn append(file: &File, offset: u64, most: usize, text: &mut Vec<u8>) -> io::Result<usize> {
    let mut from = At { file, offset };
    from.by_ref().take(most as u64).read_to_end(text)
}

/// A file from some byte on, whoever else reads it.
struct At<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl All {
    fn open(path: &Path) -> Result<All, TraceError> {
        let file = File::open(path).map_err(|error| TraceError::io(path, error))?;
        let stretches = Indexing::default().read(path, &file)?;
        if let Some(rank) = stretches.iter().position(Vec::is_empty) {
            let problem = format!("rank {rank} has no action, but rank {} has", stretches.len() - 1);
            return Err(TraceError::bad(path, Place::File, problem));
        }
        Ok(All { path: path.to_owned(), file, stretches, pages: vec![(u64::MAX, Vec::new()); PAGES] })
    }

    fn read(&mut self, rank: u32, next: &mut Next, chunk: usize, text: &mut Vec<u8>) -> io::Result<bool> {
        let wanted = text.len() + chunk;
        let start = text.len();
        while text.len() < wanted {
            let told = &self.stretches[rank as usize];
            let (Some(gap), Some(length)) =
                (varint::get(told, &mut next.told), varint::get(told, &mut next.told))
            else {
                break;
            };
            self.copy(next.offset + gap, length as usize, text)?;
            next.offset += gap + length;
        }
        Ok(text.len() > start)
    }

    fn copy(&mut self, mut offset: u64, mut length: usize, text: &mut Vec<u8>) -> io::Result<()> {
        while length > 0 {
            let number = offset / PAGE as u64;
            let (held, page) = &mut self.pages[number as usize % PAGES];
            if *held != number {
                page.clear();
                while page.len() < PAGE
                    && append(&self.file, number * PAGE as u64 + page.len() as u64, PAGE - page.len(), page)?
                        > 0
                {}
                *held = number;
            }
            let from = (offset % PAGE as u64) as usize;
            let part = page.get(from..page.len().min(from + length)).filter(|part| !part.is_empty());
            let part =
                part.ok_or_else(|| io::Error::other("the file has become shorter while it was read"))?;
            text.extend_from_slice(part);
            offset += part.len() as u64;
            length -= part.len();
        }
        Ok(())
    }

    /// Which line of the file is the `nth` of `rank`. Reads the file again: this is for messages.
    fn line(&self, rank: u32, nth: u64) -> Option<u64> {
        let lines = BufReader::new(File::open(&self.path).ok()?).split(b'\n');
        let ours = |line: &[u8]| Words::of(line).next().and_then(whole) == Some(u64::from(rank));
        let numbered = lines.map_while(Result::ok).enumerate();
        let mut ours = numbered.filter(|(_, line)| ours(line)).map(|(index, _)| index as u64 + 1);
        ours.nth(usize::try_from(nth.checked_sub(1)?).ok()?)
    }
}

/// Reads a file for all ranks once and notes which stretches are whose.
#[derive(Default)]
struct Indexing {
    stretches: Vec<Vec<u8>>,
    ends: Vec<u64>,
    /// The stretch that goes on: whose, from where to where.
    current: Option<(usize, u64, u64)>,
    lines: u64,
}

impl Indexing {
    fn read(mut self, path: &Path, file: &File) -> Result<Vec<Vec<u8>>, TraceError> {
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let (mut offset, mut line) = (0u64, Vec::new());
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(|error| TraceError::io(path, error))?;
            if read == 0 {
                break;
            }
            self.lines += 1;
            self.note(&line, offset)
                .map_err(|problem| TraceError::bad(path, Place::Line(self.lines), problem))?;
            offset += read as u64;
        }
        self.close();
        Ok(self.stretches)
    }

    fn note(&mut self, line: &[u8], offset: u64) -> Result<(), String> {
        let Some(word) = Words::of(line).next().filter(|word| word[0] != b'#') else { return Ok(()) };
        let text = || String::from_utf8_lossy(word);
        let rank = whole(word)
            .ok_or_else(|| format!("a line starts with the number of a rank, not with `{}`", text()))?;
        if rank >= MOST_RANKS {
            return Err(format!("rank {rank} is more than can be"));
        }
        let (rank, end) = (rank as usize, offset + line.len() as u64);
        match &mut self.current {
            Some((same, _, until)) if *same == rank && *until == offset => *until = end,
            _ => {
                self.close();
                self.current = Some((rank, offset, end));
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some((rank, start, end)) = self.current.take() else { return };
        if rank >= self.stretches.len() {
            self.stretches.resize_with(rank + 1, Vec::new);
            self.ends.resize(rank + 1, 0);
        }
        let told = &mut self.stretches[rank];
        varint::put(start - self.ends[rank], told);
        varint::put(end - start, told);
        self.ends[rank] = end;
    }
}

/// The first line that is neither empty nor a comment.
fn first_line(path: &Path) -> Result<Option<Vec<u8>>, TraceError> {
    let file = File::open(path).map_err(|error| TraceError::io(path, error))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut some = Read::take(&mut reader, 1 << 20);
        let read = some.read_until(b'\n', &mut line).map_err(|error| TraceError::io(path, error))?;
        if read == 0 {
            return Ok(None);
        }
        if Words::of(&line).next().is_some_and(|word| word[0] != b'#') {
            return Ok(Some(line));
        }
    }
}

/// A rank and a word, rather than the name of a file.
fn starts_an_action(line: &[u8]) -> bool {
    let mut words = Words::of(line);
    let rank = words.next().and_then(whole);
    rank.is_some() && words.next().is_some_and(|word| word[0].is_ascii_alphabetic())
}

/// The files of a folder, by the rank that their first line names.
fn in_folder(folder: &Path) -> Result<Vec<Each>, TraceError> {
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
            return Err(TraceError::bad(&path, Place::Line(1), problem));
        }
    }
    if by_rank.is_empty() {
        return Err(TraceError::bad(
            folder,
            Place::File,
            "has no trace in it: no file starts with a rank and an action",
        ));
    }
    if let Some((missing, _)) = (0..).zip(by_rank.keys()).find(|(expected, rank)| expected != *rank) {
        return Err(TraceError::bad(folder, Place::File, format!("has no file of rank {missing}")));
    }
    Ok(by_rank.into_values().map(|path| Each { path, file: None }).collect())
}

/// What a list of files names: one for each rank, or one for all.
fn listed(list: &Path) -> Result<Kind, TraceError> {
    let text = std::fs::read(list).map_err(|error| TraceError::io(list, error))?;
    let text = String::from_utf8(text).map_err(|_| {
        TraceError::bad(list, Place::File, "is neither a trace nor a list of files: it is not text")
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
            let problem = format!(
                "there is no file `{}`: a list names one trace per line, and a trace starts with a rank",
                name.display()
            );
            TraceError::bad(list, Place::Line(index as u64 + 1), problem)
        };
        files.push(Each { path: path.ok_or_else(missing)?, file: None });
    }
    match files.as_slice() {
        [only] => Ok(Kind::All(All::open(&only.path)?)),
        _ => Ok(Kind::Each(files)),
    }
}
