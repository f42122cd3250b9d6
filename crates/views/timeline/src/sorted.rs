//! Lines in order of time, more of them than fit into memory.
//!
//! Records come in the order in which things end, and files want them by when they begin. Lines are collected, sorted
//! when they have become many, and written as a piece to a nameless file beside the output. In the end the pieces are
//! merged. Lines of the same time keep the order in which they came.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Bytes of lines that are kept before they become a piece.
const PIECE: usize = 16 << 20;
/// How many pieces are merged at a time.
const FAN: usize = 64;
/// Bytes of each piece that are in memory while it is merged.
const WINDOW: usize = 128 << 10;
/// In front of each line of a piece: time and length.
const HEAD: usize = 12;

/// Lines that will be sorted.
pub(crate) struct Sorted {
    text: Vec<u8>,
    lines: Vec<Line>,
    folder: PathBuf,
    piece: usize,
    spilled: Option<Pieces>,
}

#[derive(Clone, Copy)]
struct Line {
    time: u64,
    start: u32,
    len: u32,
}

impl Sorted {
    /// Nothing yet. What does not fit into memory goes to `folder`.
    pub fn new(folder: PathBuf) -> Sorted {
        Sorted::with_pieces(folder, PIECE)
    }

    fn with_pieces(folder: PathBuf, piece: usize) -> Sorted {
        Sorted { text: Vec::new(), lines: Vec::new(), folder, piece, spilled: None }
    }

    /// Adds the line that `write` appends to the bytes it is given.
    #[inline]
    pub fn push(&mut self, time: u64, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let start = self.text.len();
        write(&mut self.text);
        self.lines.push(Line { time, start: start as u32, len: (self.text.len() - start) as u32 });
        if self.text.len() + HEAD * self.lines.len() >= self.piece { self.spill() } else { Ok(()) }
    }

    /// Writes all lines in order.
    pub fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.spilled.is_none() {
            self.lines.sort_by_key(|line| line.time);
            for line in &self.lines {
                out.write_all(text_of(&self.text, line))?;
            }
            return Ok(());
        }
        self.spill()?;
        let Some(mut pieces) = self.spilled.take() else { return Ok(()) };
        while pieces.ends.len() > FAN {
            pieces = pieces.merged_by(FAN, &self.folder)?;
        }
        let all = pieces.ranges(0, pieces.ends.len());
        merge(&pieces.file, all, |_, line| out.write_all(line))
    }

    /// Writes the lines in memory to the file, as a sorted piece.
    fn spill(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        self.lines.sort_by_key(|line| line.time);
        if self.spilled.is_none() {
            self.spilled = Some(Pieces::new(&self.folder)?);
        }
        let pieces = self.spilled.as_mut().expect("it was just made");
        let mut out = BufWriter::with_capacity(1 << 18, &pieces.file);
        for line in &self.lines {
            write_line(&mut out, line.time, text_of(&self.text, line))?;
        }
        out.flush()?;
        drop(out);
        let bytes = self.text.len() + HEAD * self.lines.len();
        pieces.end_piece(bytes as u64);
        self.text.clear();
        self.lines.clear();
        Ok(())
    }
}

fn text_of<'a>(text: &'a [u8], line: &Line) -> &'a [u8] {
    &text[line.start as usize..(line.start + line.len) as usize]
}

fn write_line(out: &mut impl Write, time: u64, line: &[u8]) -> io::Result<()> {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&time.to_le_bytes());
    head[8..].copy_from_slice(&(line.len() as u32).to_le_bytes());
    out.write_all(&head)?;
    out.write_all(line)
}

/// Sorted pieces, one after the other in a file.
struct Pieces {
    file: File,
    ends: Vec<u64>,
}

impl Pieces {
    fn new(folder: &PathBuf) -> io::Result<Pieces> {
        Ok(Pieces { file: tempfile::tempfile_in(folder)?, ends: Vec::new() })
    }

    /// So many bytes more are a piece.
    fn end_piece(&mut self, bytes: u64) {
        self.ends.push(self.ends.last().unwrap_or(&0) + bytes);
    }

    /// Where pieces `first` to `last` (exclusive) are.
    fn ranges(&self, first: usize, last: usize) -> Vec<(u64, u64)> {
        let start = |piece: usize| if piece == 0 { 0 } else { self.ends[piece - 1] };
        (first..last).map(|piece| (start(piece), self.ends[piece])).collect()
    }

    /// Fewer and longer pieces: each is made of `fan` of these.
    fn merged_by(&self, fan: usize, folder: &PathBuf) -> io::Result<Pieces> {
        let mut merged = Pieces::new(folder)?;
        let mut ends = Vec::new();
        let mut out = BufWriter::with_capacity(1 << 18, &merged.file);
        for first in (0..self.ends.len()).step_by(fan) {
            let last = (first + fan).min(self.ends.len());
            merge(&self.file, self.ranges(first, last), |time, line| write_line(&mut out, time, line))?;
            ends.push(self.ends[last - 1]);
        }
        out.flush()?;
        drop(out);
        merged.ends = ends;
        Ok(merged)
    }
}

/// Hands out the lines of several pieces in order of time, then of pieces.
fn merge(
    file: &File,
    ranges: Vec<(u64, u64)>,
    mut each: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut readers: Vec<Reader<'_>> = ranges.into_iter().map(|range| Reader::new(file, range)).collect();
    let mut next = BinaryHeap::new();
    for (piece, reader) in readers.iter_mut().enumerate() {
        next.extend(reader.next_time()?.map(|time| Reverse((time, piece))));
    }
    while let Some(Reverse((time, piece))) = next.pop() {
        let reader = &mut readers[piece];
        each(time, reader.line()?)?;
        // Neighbours in time are often neighbours in a piece.
        loop {
            match reader.next_time()? {
                Some(time) if next.peek().is_none_or(|&Reverse(first)| (time, piece) < first) => {
                    each(time, reader.line()?)?;
                }
                Some(time) => break next.push(Reverse((time, piece))),
                None => break,
            }
        }
    }
    Ok(())
}

/// Reads one piece.
struct Reader<'f> {
    file: &'f File,
    /// The range of the piece that has not been read yet.
    range: (u64, u64),
    window: Vec<u8>,
    at: usize,
}

impl<'f> Reader<'f> {
    fn new(file: &'f File, range: (u64, u64)) -> Reader<'f> {
        Reader { file, range, window: Vec::new(), at: 0 }
    }

    /// The time of the next line, if there is one.
    fn next_time(&mut self) -> io::Result<Option<u64>> {
        if self.at == self.window.len() && self.range.0 == self.range.1 {
            return Ok(None);
        }
        let head = self.bytes(HEAD)?;
        Ok(Some(u64::from_le_bytes(head[..8].try_into().expect("eight bytes"))))
    }

    /// The next line; it is over then.
    fn line(&mut self) -> io::Result<&[u8]> {
        let head = self.bytes(HEAD)?;
        let len = u32::from_le_bytes(head[8..HEAD].try_into().expect("four bytes")) as usize;
        self.bytes(HEAD + len)?;
        let start = self.at + HEAD;
        self.at = start + len;
        Ok(&self.window[start..start + len])
    }

    /// The next bytes, without going on.
    fn bytes(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.window.len() - self.at < count {
            self.window.drain(..self.at);
            self.at = 0;
            let held = self.window.len();
            let more = (self.range.1 - self.range.0).min(WINDOW.max(count) as u64) as usize;
            self.window.resize(held + more, 0);
            self.file.read_exact_at(&mut self.window[held..], self.range.0)?;
            self.range.0 += more as u64;
            if self.window.len() < count {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(&self.window[self.at..self.at + count])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times that go up and down, many of them equal.
    fn times() -> Vec<u64> {
        (0..20_000u64).map(|i| (i / 7).wrapping_sub(i * i % 31 * 100) % 2_000).collect()
    }

    fn sorted_with(piece: usize) -> String {
        let mut sorted = Sorted::with_pieces(std::env::temp_dir(), piece);
        for (i, time) in times().into_iter().enumerate() {
            sorted.push(time, |text| writeln!(text, "{time} {i}").unwrap()).unwrap();
        }
        let mut out = Vec::new();
        sorted.write_to(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn pieces_give_the_same_as_memory() {
        let mut expected: Vec<(u64, usize)> = times().into_iter().zip(0..).collect();
        expected.sort();
        let expected: String = expected.iter().map(|(time, i)| format!("{time} {i}\n")).collect();
        // In memory; in a few pieces; in so many that they are merged twice over.
        for piece in [PIECE, 100_000, 50] {
            assert!(sorted_with(piece) == expected, "pieces of {piece} bytes");
        }
    }

    #[test]
    fn no_lines_are_nothing() {
        let mut out = Vec::new();
        Sorted::new(std::env::temp_dir()).write_to(&mut out).unwrap();
        assert!(out.is_empty());
    }
}
