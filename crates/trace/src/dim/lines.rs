//! Lines of a file, from any place on, with little memory.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::text::Line;
use crate::error::TraceError;

/// A place in a file, and some bytes from there on.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// Where `bytes[0]` is in the file.
    start: u64,
    bytes: Vec<u8>,
    /// The next line starts here in `bytes`.
    next: usize,
}

impl Window {
    /// Nothing read yet.
    pub fn at(start: u64) -> Window {
        Window { start, ..Window::default() }
    }

    /// Where the next line starts.
    pub fn position(&self) -> u64 {
        self.start + self.next as u64
    }

    /// The next line, without its end; none at the end of the file. Reads `chunk` bytes at a time.
    pub fn line<'a>(
        &'a mut self,
        file: &File,
        name: &'a Path,
        chunk: usize,
    ) -> Result<Option<Line<'a>>, TraceError> {
        let mut looked = self.next;
        let end = loop {
            if let Some(found) = self.bytes[looked..].iter().position(|&byte| byte == b'\n') {
                break looked + found;
            }
            looked = self.bytes.len() - self.next;
            if self.read_on(file, chunk).map_err(|error| TraceError::io(name, error))? == 0 {
                break self.bytes.len();
            }
        };
        let (from, at) = (self.next, self.position());
        if from == self.bytes.len() {
            return Ok(None);
        }
        self.next = (end + 1).min(self.bytes.len());
        Ok(Some(Line { file: name, text: self.bytes[from..end].trim_ascii_end(), at }))
    }

    /// Forgets what was used and reads on behind the rest.
    fn read_on(&mut self, file: &File, chunk: usize) -> std::io::Result<usize> {
        self.start += self.next as u64;
        self.bytes.drain(..self.next);
        self.next = 0;
        let had = self.bytes.len();
        self.bytes.resize(had + chunk, 0);
        let read = file.read_at(&mut self.bytes[had..], self.start + had as u64);
        self.bytes.truncate(had + *read.as_ref().unwrap_or(&0));
        read
    }
}
