//! One file for all ranks: which stretches of it belong to which rank.
//!
//! The file is read once, to make the index: two to four bytes for each stretch of lines of one rank. Then each rank reads
//! its stretches, one after the other, through pages that all share.

use std::path::Path;

use super::text::{Words, whole};
use crate::source::{Pages, Source, Window};
use crate::varint;
use crate::{TraceError, TracePlace};

/// Bytes of a page, and how many are kept.
const PAGE: usize = 64 << 10;
const PAGES: usize = 512;
/// Bytes that are read at a time to make the index.
const CHUNK: usize = 1 << 20;
/// More ranks than that are a mistake.
const MOST_RANKS: u64 = 1 << 24;

/// The file of all ranks.
pub(super) struct Stretches {
    pages: Pages,
    /// For each rank: how far after the end of its previous stretch each begins, and how long it is.
    index: Vec<Vec<u8>>,
}

/// How far a rank has been read.
#[derive(Default)]
pub(super) struct Cursor {
    /// Where its last stretch ends.
    offset: u64,
    /// Where the index describes the next one.
    entry: usize,
}

impl Stretches {
    /// Reads the file and notes the stretches of each rank.
    pub(super) fn open(path: &Path) -> Result<Stretches, TraceError> {
        let source = Source::open(path)?;
        let index = Indexing::default().read(&source)?;
        if let Some(rank) = index.iter().position(Vec::is_empty) {
            let problem = format!("rank {rank} has no action, but rank {} has", index.len() - 1);
            return Err(TraceError::bad(path, TracePlace::File, problem));
        }
        Ok(Stretches { pages: Pages::new(source, PAGE, PAGES), index })
    }

    pub(super) fn ranks(&self) -> usize {
        self.index.len()
    }

    pub(super) fn source(&self) -> &Source {
        self.pages.source()
    }

    /// Appends the next stretches of a rank, `chunk` bytes or a little more.
    pub(super) fn append(
        &mut self,
        rank: u32,
        cursor: &mut Cursor,
        chunk: usize,
        into: &mut Vec<u8>,
    ) -> Result<usize, TraceError> {
        let start = into.len();
        let index = &self.index[rank as usize];
        while into.len() < start + chunk {
            let (Some(gap), Some(length)) =
                (varint::get(index, &mut cursor.entry), varint::get(index, &mut cursor.entry))
            else {
                break;
            };
            self.pages.append(cursor.offset + gap, length as usize, into)?;
            cursor.offset += gap + length;
        }
        Ok(into.len() - start)
    }

    /// How many of the stretches of a rank have been read, as a fraction.
    pub(super) fn share_read(&self, rank: u32, cursor: &Cursor) -> f64 {
        cursor.entry as f64 / self.index[rank as usize].len().max(1) as f64
    }

    /// The line of the file that is the `nth` of `rank`. Reads the file again: this is for messages.
    pub(super) fn line(&self, rank: u32, nth: u64) -> Option<u64> {
        let mut window = Window::default();
        let mut ours = 0;
        while let Some(line) = window.line(|at, into| self.source().append(at, CHUNK, into)).ok()? {
            let first = Words::of(window.text(line)).next();
            ours += u64::from(first.and_then(whole) == Some(u64::from(rank)));
            if ours == nth {
                return Some(window.lines());
            }
        }
        None
    }
}

/// Reads a file for all ranks once and notes the stretches of each rank.
#[derive(Default)]
struct Indexing {
    /// Ranks are fewer than this: each has a line.
    most: u64,
    index: Vec<Vec<u8>>,
    ends: Vec<u64>,
    /// The stretch that goes on: whose, from where to where.
    current: Option<(usize, u64, u64)>,
}

impl Indexing {
    fn read(mut self, source: &Source) -> Result<Vec<Vec<u8>>, TraceError> {
        self.most = MOST_RANKS.min(source.len());
        let (mut window, mut begin) = (Window::default(), 0);
        while let Some(line) = window.line(|at, into| source.append(at, CHUNK, into))? {
            let end = window.position();
            self.note(window.text(line), begin, end).map_err(|problem| {
                TraceError::bad(source.name(), TracePlace::Line(window.lines()), problem)
            })?;
            begin = end;
        }
        self.close();
        Ok(self.index)
    }

    /// A line, with its end between these bytes.
    fn note(&mut self, line: &[u8], begin: u64, end: u64) -> Result<(), String> {
        let Some(word) = Words::of(line).next().filter(|word| word[0] != b'#') else { return Ok(()) };
        let text = || String::from_utf8_lossy(word);
        let rank = whole(word)
            .ok_or_else(|| format!("a line starts with the number of a rank, not with `{}`", text()))?;
        if rank >= self.most {
            return Err(format!("rank {rank} is more than can be in a file of this size"));
        }
        let rank = rank as usize;
        match &mut self.current {
            Some((same, _, until)) if *same == rank && *until == begin => *until = end,
            _ => {
                self.close();
                self.current = Some((rank, begin, end));
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some((rank, start, end)) = self.current.take() else { return };
        if rank >= self.index.len() {
            self.index.resize_with(rank + 1, Vec::new);
            self.ends.resize(rank + 1, 0);
        }
        let index = &mut self.index[rank];
        varint::put(start - self.ends[rank], index);
        varint::put(end - start, index);
        self.ends[rank] = end;
    }
}
