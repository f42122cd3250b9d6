//! Bytes of a trace, wherever they are: read by position, a page at a time.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::{Place, TraceError};

const PAGE: usize = 4096;
/// Pages that are kept: 64 MiB at most.
const PAGES: usize = 1 << 14;
const NO_PAGE: u64 = u64::MAX;

/// A file, or bytes in memory.
#[derive(Debug)]
pub(crate) struct Source {
    name: PathBuf,
    length: u64,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Memory(Vec<u8>),
    /// Page n is kept in slot n modulo the number of slots.
    File {
        file: File,
        slots: Vec<Slot>,
    },
}

#[derive(Debug, Clone)]
struct Slot {
    page: u64,
    bytes: Vec<u8>,
}

impl Source {
    /// A file; nothing is read yet.
    pub fn open(path: &Path) -> Result<Source, TraceError> {
        let io = |error| TraceError::io(path, error);
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let count = length.div_ceil(PAGE as u64).clamp(1, PAGES as u64) as usize;
        let slots = vec![Slot { page: NO_PAGE, bytes: Vec::new() }; count];
        Ok(Source { name: path.to_owned(), length, bytes: Bytes::File { file, slots } })
    }

    /// Bytes in memory, and what they are called in messages.
    pub fn memory(name: &Path, bytes: Vec<u8>) -> Source {
        Source { name: name.to_owned(), length: bytes.len() as u64, bytes: Bytes::Memory(bytes) }
    }

    /// What it is called.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Says what is wrong at a byte.
    pub fn bad(&self, byte: u64, problem: impl Into<String>) -> TraceError {
        TraceError::bad(&self.name, Place::Byte(byte), problem)
    }

    /// Fills `buffer` with the bytes from `at` on. All of them must be there.
    pub fn read(&mut self, at: u64, buffer: &mut [u8]) -> Result<(), TraceError> {
        let end = at.checked_add(buffer.len() as u64).filter(|&end| end <= self.length);
        if end.is_none() {
            return Err(self.bad(self.length, "the file ends too early; it is not complete"));
        }
        match &mut self.bytes {
            Bytes::Memory(bytes) => {
                buffer.copy_from_slice(&bytes[at as usize..at as usize + buffer.len()]);
                Ok(())
            }
            Bytes::File { file, slots } => {
                read_pages(file, slots, at, buffer).map_err(|error| TraceError::io(&self.name, error))
            }
        }
    }
}

fn read_pages(file: &File, slots: &mut [Slot], mut at: u64, mut buffer: &mut [u8]) -> std::io::Result<()> {
    while !buffer.is_empty() {
        let (page, offset) = (at / PAGE as u64, (at % PAGE as u64) as usize);
        let bytes = page_of(file, slots, page)?;
        let count = buffer.len().min(bytes.len().saturating_sub(offset));
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let (now, later) = buffer.split_at_mut(count);
        now.copy_from_slice(&bytes[offset..offset + count]);
        (buffer, at) = (later, at + count as u64);
    }
    Ok(())
}

fn page_of<'a>(file: &File, slots: &'a mut [Slot], page: u64) -> std::io::Result<&'a [u8]> {
    let count = slots.len() as u64;
    let slot = &mut slots[(page % count) as usize];
    if slot.page != page {
        slot.page = NO_PAGE;
        slot.bytes.resize(PAGE, 0);
        let mut filled = 0;
        while filled < PAGE {
            match file.read_at(&mut slot.bytes[filled..], page * PAGE as u64 + filled as u64)? {
                0 => break,
                read => filled += read,
            }
        }
        slot.bytes.truncate(filled);
        slot.page = page;
    }
    Ok(&slot.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_reads_like_memory() {
        let content: Vec<u8> = (0..3 * PAGE + 100).map(|n| (n * 7 % 251) as u8).collect();
        let path = std::env::temp_dir().join(format!("mpirage-source-{}", std::process::id()));
        std::fs::write(&path, &content).unwrap();
        let mut file = Source::open(&path).unwrap();
        let mut memory = Source::memory(&path, content);
        for (at, count) in [(0, 10), (PAGE - 3, 7), (PAGE - 1, 2 * PAGE + 2), (3 * PAGE + 90, 10), (5, 0)] {
            let (mut one, mut other) = (vec![0; count], vec![1; count]);
            file.read(at as u64, &mut one).unwrap();
            memory.read(at as u64, &mut other).unwrap();
            assert_eq!(one, other);
        }
        let mut beyond = [0; 4];
        assert!(file.read(3 * PAGE as u64 + 97, &mut beyond).is_err());
        assert!(memory.read(u64::MAX - 1, &mut beyond).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
