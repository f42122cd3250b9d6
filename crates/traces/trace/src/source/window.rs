//! A reader's place in a source: lines or numbers, from front to back.
//!
//! Whoever holds a window says where more bytes come from, each time: `more(at, into)` appends what is at byte `at` of whatever
//! is read, and gives the number of bytes, 0 at the end. So a window does not know whether it sees a file or parts of one.

use std::ops::Range;

use crate::TraceError;

/// A window that had to grow beyond this many times what it holds gives its room back.
const ROOMY: usize = 4;

/// Appends what is at a byte, and says how many.
type More<'m> = dyn FnMut(u64, &mut Vec<u8>) -> Result<usize, TraceError> + 'm;

/// A place, and some bytes from there on.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// Where `bytes[0]` is.
    start: u64,
    bytes: Vec<u8>,
    /// The position in `bytes` of the next byte to read.
    next: usize,
    ended: bool,
    lines: u64,
}

impl Window {
    /// Nothing seen yet, and this is where it begins.
    pub fn at(start: u64) -> Window {
        Window { start, ..Window::default() }
    }

    /// Where the next byte is.
    #[inline]
    pub fn position(&self) -> u64 {
        self.start + self.next as u64
    }

    /// How many lines have been seen.
    #[inline]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// A line that [`Window::line`] has found.
    #[inline]
    pub fn text(&self, line: Range<usize>) -> &[u8] {
        &self.bytes[line]
    }

    /// The next line without its end, as a part of the window; none at the end.
    #[inline]
    pub fn line(
        &mut self,
        mut more: impl FnMut(u64, &mut Vec<u8>) -> Result<usize, TraceError>,
    ) -> Result<Option<Range<usize>>, TraceError> {
        match memchr::memchr(b'\n', &self.bytes[self.next..]) {
            Some(length) => Ok(Some(self.line_of(length))),
            None => self.line_across(&mut more),
        }
    }

    #[inline]
    fn line_of(&mut self, length: usize) -> Range<usize> {
        let line = self.next..self.next + length;
        self.next = line.end + 1;
        self.lines += 1;
        line
    }

    /// The next line, of which only the beginning has been seen.
    #[cold]
    #[inline(never)]
    fn line_across(&mut self, more: &mut More<'_>) -> Result<Option<Range<usize>>, TraceError> {
        loop {
            let searched = self.bytes.len() - self.next;
            if self.ended {
                return Ok(self.last_line());
            }
            self.look_further(more)?;
            if let Some(length) = memchr::memchr(b'\n', &self.bytes[searched..]) {
                return Ok(Some(self.line_of(searched + length)));
            }
        }
    }

    /// The rest of the text behind the last end of a line.
    fn last_line(&mut self) -> Option<Range<usize>> {
        let line = self.next..self.bytes.len();
        self.next = line.end;
        if line.is_empty() {
            self.start = self.position();
            (self.bytes, self.next) = (Vec::new(), 0);
            return None;
        }
        self.lines += 1;
        Some(line)
    }

    /// The next bytes; none if there are not so many.
    #[inline]
    pub fn take<const N: usize>(
        &mut self,
        mut more: impl FnMut(u64, &mut Vec<u8>) -> Result<usize, TraceError>,
    ) -> Result<Option<[u8; N]>, TraceError> {
        loop {
            if let Some(&bytes) = self.bytes.get(self.next..).and_then(|rest| rest.first_chunk()) {
                self.next += N;
                return Ok(Some(bytes));
            }
            if self.ended {
                return Ok(None);
            }
            self.look_further(&mut more)?;
        }
    }

    /// Appends the next bytes; false if there are not so many.
    pub fn copy(
        &mut self,
        count: usize,
        into: &mut Vec<u8>,
        mut more: impl FnMut(u64, &mut Vec<u8>) -> Result<usize, TraceError>,
    ) -> Result<bool, TraceError> {
        let mut left = count;
        loop {
            let here = left.min(self.bytes.len() - self.next);
            into.extend_from_slice(&self.bytes[self.next..self.next + here]);
            self.next += here;
            left -= here;
            if left == 0 || self.ended {
                return Ok(left == 0);
            }
            self.look_further(&mut more)?;
        }
    }

    /// Goes somewhere else.
    pub fn seek(&mut self, at: u64) {
        self.bytes.clear();
        (self.start, self.next, self.ended) = (at, 0, false);
    }

    /// Goes on so many bytes further; there need not be so many.
    #[inline]
    pub fn skip(&mut self, count: u64) {
        if count <= (self.bytes.len() - self.next) as u64 {
            self.next += count as usize;
        } else {
            self.seek(self.position().saturating_add(count));
        }
    }

    /// Forgets what was used and gets more behind the rest.
    #[cold]
    #[inline(never)]
    fn look_further(&mut self, more: &mut More<'_>) -> Result<(), TraceError> {
        self.start = self.position();
        self.bytes.drain(..self.next);
        self.next = 0;
        let end = self.start + self.bytes.len() as u64;
        self.ended = more(end, &mut self.bytes)? == 0;
        // A line longer than most leaves its room behind.
        if self.bytes.capacity() > ROOMY * self.bytes.len().max(1 << 10) {
            self.bytes.shrink_to(2 * self.bytes.len());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Source;
    use super::*;

    fn lines(text: &str, chunk: usize) -> Vec<String> {
        let source = Source::memory(Path::new("x"), text.into());
        let (mut window, mut lines) = (Window::default(), Vec::new());
        while let Some(line) = window.line(|at, into| source.append(at, chunk, into)).unwrap() {
            lines.push(String::from_utf8_lossy(window.text(line)).into_owned());
            assert_eq!(window.lines(), lines.len() as u64);
        }
        assert_eq!(window.position(), text.len() as u64);
        assert_eq!(window.line(|_, _| Ok(0)).unwrap(), None, "the end stays the end");
        lines
    }

    #[test]
    fn lines_are_the_same_in_pieces_of_any_size() {
        for text in ["", "\n", "one\ntwo two\n\nthree", "one\r\n", "a line that is longer than a piece\nb\n"]
        {
            let expected: Vec<&str> = text.split_terminator('\n').collect();
            for chunk in [1, 2, 3, 7, 100] {
                assert_eq!(lines(text, chunk), expected, "{text:?} in pieces of {chunk}");
            }
        }
    }

    #[test]
    fn numbers_are_taken_across_pieces_and_places() {
        let source = Source::memory(Path::new("x"), (0..100).collect());
        let mut window = Window::at(10);
        let more = |at, into: &mut Vec<u8>| source.append(at, 3, into);
        assert_eq!(window.take(more).unwrap(), Some([10, 11, 12, 13, 14, 15, 16, 17]));
        window.skip(1);
        assert_eq!(window.take(more).unwrap(), Some([19]));
        window.skip(70);
        assert_eq!((window.position(), window.take(more).unwrap()), (90, Some([90, 91])));
        window.seek(98);
        assert_eq!(window.take::<4>(more).unwrap(), None, "too few");
        window.seek(u64::MAX);
        window.skip(u64::MAX);
        assert_eq!(window.take::<1>(more).unwrap(), None);
        window.seek(0);
        assert_eq!(window.take(more).unwrap(), Some([0, 1]), "not at its end any more");
    }

    #[test]
    fn a_long_line_leaves_no_room_behind() {
        let text = format!("{}\nb\n{}", "a".repeat(1 << 20), "c\n".repeat(1 << 12));
        let source = Source::memory(Path::new("x"), text.into());
        let mut window = Window::default();
        while window.line(|at, into| source.append(at, 1 << 10, into)).unwrap().is_some() {
            assert!(window.lines() < 1000 || window.bytes.capacity() <= 8 << 10);
        }
        assert_eq!((window.lines(), window.bytes.capacity()), (4098, 0));
    }
}
