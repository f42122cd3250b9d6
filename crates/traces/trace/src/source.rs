//! The bytes of a trace: the one way in which all readers come by them.
//!
//! ```text
//! Source   a file, or bytes in memory; read by position
//! Window   one reader's place in it: a piece from there on, seen as lines or as numbers      read front to back
//! Pages    some pages of it, for readers that jump or that read what lies scattered         read anywhere
//! ```
//!
//! A source has no place of its own, so any number of ranks read the same file, each through its window. No file is in memory
//! as a whole, and of a trace with many files few are open.

mod pages;
mod window;

pub(crate) use pages::Pages;
pub(crate) use window::Window;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::{TraceError, TracePlace};

/// A trace of no more files than this keeps them open; of others each is opened for each piece.
const OPEN_FILES: usize = 500;

/// A piece of more bytes than this is none: the file is not text.
const LONGEST: usize = 256 << 20;

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
    Open(File),
    /// Opened for each piece.
    Closed,
}

impl Source {
    /// A file; nothing is read yet.
    pub fn open(path: &Path) -> Result<Source, TraceError> {
        Source::one_of(path, 1)
    }

    /// One of so many files that are read at a time; nothing is read yet.
    pub fn one_of(path: &Path, files: usize) -> Result<Source, TraceError> {
        let io = |error| TraceError::io(path, error);
        let (metadata, bytes) = if files <= OPEN_FILES {
            let file = mpirage_files::open(path)?;
            (file.metadata(), Bytes::Open(file))
        } else {
            mpirage_files::check(path)?;
            (std::fs::metadata(path), Bytes::Closed)
        };
        Ok(Source { name: path.to_owned(), length: metadata.map_err(io)?.len(), bytes })
    }

    /// Bytes in memory, and what they are called in messages.
    pub fn memory(name: &Path, bytes: Vec<u8>) -> Source {
        Source { name: name.to_owned(), length: bytes.len() as u64, bytes: Bytes::Memory(bytes) }
    }

    /// Its name.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Says what is wrong at a byte.
    pub fn bad(&self, byte: u64, problem: impl Into<String>) -> TraceError {
        TraceError::bad(&self.name, TracePlace::Byte(byte), problem)
    }

    /// Says that there should be more of it.
    #[cold]
    pub fn too_short(&self) -> TraceError {
        self.bad(self.length, "the file ends too early; it is not complete")
    }

    /// Appends the bytes from `at` on, up to `most` of them, and says how many; none at the end.
    pub fn append(&self, at: u64, most: usize, into: &mut Vec<u8>) -> Result<usize, TraceError> {
        let most = self.length.saturating_sub(at).min(most as u64) as usize;
        if most == 0 {
            return Ok(0);
        }
        let had = self.room(at, into)?;
        if let Bytes::Memory(bytes) = &self.bytes {
            into.extend_from_slice(&bytes[at as usize..at as usize + most]);
            return Ok(most);
        }
        into.resize(had + most, 0);
        let read = self.fill(at, &mut into[had..]);
        into.truncate(had + *read.as_ref().unwrap_or(&0));
        read.map_err(|error| TraceError::io(&self.name, error))
    }

    /// How much a piece holds, which is no end of a line: some time there has to be one.
    fn room(&self, at: u64, piece: &[u8]) -> Result<usize, TraceError> {
        if piece.len() < LONGEST {
            return Ok(piece.len());
        }
        let begin = at.saturating_sub(piece.len() as u64);
        Err(self.bad(begin, format!("a line of more than {} MiB: this is no text", LONGEST >> 20)))
    }

    /// Fills a buffer as far as the file goes.
    fn fill(&self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.bytes {
            Bytes::Memory(_) => Ok(0),
            Bytes::Open(file) => fill_from(file, at, buffer),
            Bytes::Closed => fill_from(&File::open(&self.name)?, at, buffer),
        }
    }
}

fn fill_from(file: &File, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], at.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this content, which is gone when the test is over.
    pub(super) struct Sample(pub PathBuf);

    impl Sample {
        pub fn new(name: &str, content: &[u8]) -> Sample {
            let path = std::env::temp_dir().join(format!("mpirage-source-{name}-{}", std::process::id()));
            std::fs::write(&path, content).unwrap();
            Sample(path)
        }
    }

    impl Drop for Sample {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn files_read_like_memory_open_or_not() {
        let content: Vec<u8> = (0..1000u32).map(|n| (n * 7 % 251) as u8).collect();
        let sample = Sample::new("append", &content);
        let sources = [
            Source::memory(&sample.0, content.clone()),
            Source::open(&sample.0).unwrap(),
            Source::one_of(&sample.0, OPEN_FILES + 1).unwrap(),
        ];
        assert!(matches!(sources[2].bytes, Bytes::Closed), "one of too many");
        for source in &sources {
            assert_eq!(source.len(), 1000);
            let mut into = b"before".to_vec();
            assert_eq!(source.append(10, 20, &mut into).unwrap(), 20);
            assert_eq!(source.append(990, 20, &mut into).unwrap(), 10);
            assert_eq!(source.append(u64::MAX, 20, &mut into).unwrap(), 0);
            assert_eq!(into, [b"before", &content[10..30], &content[990..]].concat());
        }
        assert!(Source::open(Path::new("/nowhere")).is_err());
    }
}
