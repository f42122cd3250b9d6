//! The bytes of one rank's file, read once from front to back, a little at a time.
//!
//! ```text
//! magic │ … body: two time biases, then calls … │ header, sizes of datatypes, … │ index: magic, offsets
//! call: u16 function │ u8 mask │ u16 thread │ times │ counters │ arguments           all numbers big-endian
//! ```

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::layout::{END_OF_STREAM, Function};
use crate::{Place, TraceError};

const MAGIC: [u8; 8] = *b"\xff\xaa\xddDUMPI";
/// The oldest version whose records are what is read here.
const OLDEST: [u8; 3] = [0, 6, 9];

const STATUSES: u8 = 0b11;
const CPU_TIME: u8 = 1 << 2;
const WALL_TIME: u8 = 1 << 3;
const THREAD: u8 = 1 << 6;
const COUNTERS: u8 = 1 << 7;

/// Where a file's bytes come from.
#[derive(Debug)]
enum Bytes {
    /// Opened anew for each piece, so that thousands of ranks need no more files than are allowed.
    File,
    Memory(Vec<u8>),
}

/// One rank's file.
#[derive(Debug)]
pub(super) struct Stream {
    name: PathBuf,
    bytes: Bytes,
    length: u64,
    /// Where in the file the buffer begins.
    at: u64,
    buffer: Vec<u8>,
    /// How much of the buffer has been read.
    next: usize,
    capacity: usize,
}

/// When and what a call was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub function: usize,
    /// Where it is in the file.
    pub site: u64,
    /// Start and end in nanoseconds, of the wall clock or else of the processor's.
    pub times: Option<(u64, u64)>,
}

/// The arguments of a call, in order.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub numbers: Vec<i64>,
    items: Vec<i32>,
    ends: Vec<usize>,
}

impl Arguments {
    fn clear(&mut self) {
        self.numbers.clear();
        self.items.clear();
        self.ends.clear();
    }

    /// The n-th list.
    pub fn list(&self, n: usize) -> &[i32] {
        let begin = if n == 0 { 0 } else { self.ends.get(n - 1).copied().unwrap_or(0) };
        self.ends.get(n).map_or(&[], |&end| &self.items[begin..end])
    }
}

impl Stream {
    /// A file, read in pieces of this many bytes.
    pub fn open(path: &Path, capacity: usize) -> Result<Stream, TraceError> {
        let metadata = std::fs::metadata(path).map_err(|error| TraceError::io(path, error))?;
        Ok(Stream::new(path, Bytes::File, metadata.len(), capacity))
    }

    /// Bytes in memory.
    pub fn memory(name: &Path, bytes: Vec<u8>) -> Stream {
        let length = bytes.len() as u64;
        Stream::new(name, Bytes::Memory(bytes), length, 256)
    }

    fn new(name: &Path, bytes: Bytes, length: u64, capacity: usize) -> Stream {
        Stream { name: name.to_owned(), bytes, length, at: 0, buffer: Vec::new(), next: 0, capacity }
    }

    pub fn name(&self) -> &Path {
        &self.name
    }

    pub fn bad(&self, byte: u64, problem: impl Into<String>) -> TraceError {
        TraceError::bad(&self.name, Place::Byte(byte), problem)
    }

    /// Finds the calls; gives the sizes of datatypes, as far as the file knows them.
    pub fn begin(&mut self) -> Result<Vec<u64>, TraceError> {
        if self.take::<8>()? != MAGIC {
            return Err(self.bad(0, "this is no DUMPI file: it does not begin like one"));
        }
        let index = self.index()?;
        // The last four offsets have always been there; the one of the sizes came last, in front.
        let sizes_at = if self.length - index == 64 { index + 8 } else { 0 };
        self.seek(self.length - 32);
        let (header, body) = (self.u64()?, self.u64()?);
        self.seek(header);
        let version = self.take::<3>()?;
        if version < OLDEST {
            let [a, b, c] = version;
            return Err(self.bad(
                header,
                format!("it was written by DUMPI {a}.{b}.{c}; 0.6.9 is the oldest that can be read"),
            ));
        }
        let sizes = if sizes_at > 0 { self.sizes(sizes_at)? } else { Vec::new() };
        self.seek(body);
        // Only differences of times matter.
        self.take::<8>()?;
        Ok(sizes)
    }

    /// Where the index is: it has got longer from version to version.
    fn index(&mut self) -> Result<u64, TraceError> {
        for back in [64, 56, 48, 40] {
            if let Some(at) = self.length.checked_sub(back) {
                self.seek(at);
                if self.take::<8>()? == MAGIC {
                    return Ok(at);
                }
            }
        }
        Err(self.bad(self.length, "there is no index at its end; the file is not complete"))
    }

    fn sizes(&mut self, pointer: u64) -> Result<Vec<u64>, TraceError> {
        self.seek(pointer);
        let at = self.u64()?;
        if at == 0 {
            return Ok(Vec::new());
        }
        self.seek(at);
        let count = self.u32()?;
        let mut sizes = Vec::new();
        for _ in 0..count {
            sizes.push(u64::from(self.u32()?));
        }
        Ok(sizes)
    }

    /// The next call; none at the end.
    pub fn call(
        &mut self,
        functions: &[Function],
        arguments: &mut Arguments,
    ) -> Result<Option<Head>, TraceError> {
        let site = self.at + self.next as u64;
        let function = usize::from(u16::from_be_bytes(self.take()?));
        if function == END_OF_STREAM {
            return Ok(None);
        }
        let Some(known) = functions.get(function) else {
            return Err(self.bad(site, format!("function {function} is none of DUMPI's")));
        };
        let [mask] = self.take()?;
        if mask & THREAD != 0 {
            self.take::<2>()?;
        }
        let cpu = if mask & CPU_TIME != 0 { Some(self.times()?) } else { None };
        let wall = if mask & WALL_TIME != 0 { Some(self.times()?) } else { None };
        if mask & COUNTERS != 0 {
            let [count] = self.take()?;
            self.skip(16 * u64::from(count));
        }
        self.arguments(known, mask, arguments).map_err(|error| match error {
            Trouble::Trace(error) => error,
            Trouble::Layout => self.bad(site, format!("what {} writes is not known", known.name)),
        })?;
        Ok(Some(Head { function, site, times: wall.or(cpu) }))
    }

    fn times(&mut self) -> Result<(u64, u64), TraceError> {
        Ok((self.time()?, self.time()?))
    }

    fn time(&mut self) -> Result<u64, TraceError> {
        let seconds = u64::from(u16::from_be_bytes(self.take()?));
        Ok(seconds * 1_000_000_000 + u64::from(self.u32()?))
    }

    fn arguments(&mut self, function: &Function, mask: u8, out: &mut Arguments) -> Result<(), Trouble> {
        out.clear();
        let (mut me, mut root, mut at_root_only) = (0, 0, false);
        for letter in function.layout.bytes() {
            if letter == b'?' {
                at_root_only = true;
                continue;
            }
            if std::mem::take(&mut at_root_only) && me != root {
                continue;
            }
            match letter {
                b'b' | b'h' | b'i' | b'l' | b'm' | b'o' => {
                    let number = self.number(letter)?;
                    me = if letter == b'm' { number } else { me };
                    root = if letter == b'o' { number } else { root };
                    out.numbers.push(number);
                }
                b'B' | b'H' | b'I' => {
                    self.list(letter.to_ascii_lowercase(), &mut out.items)?;
                    out.ends.push(out.items.len());
                }
                b'J' => {
                    for _ in 0..self.u32()? {
                        self.list(b'i', &mut out.items)?;
                    }
                    out.ends.push(out.items.len());
                }
                b'S' => self.string()?,
                b'Z' => {
                    for _ in 0..self.u32()? {
                        self.string()?;
                    }
                }
                b't' if mask & STATUSES == 0 => {}
                b't' => {
                    // Bytes, source, two flags, tag.
                    let count = u64::from(self.u32()?);
                    self.skip(14 * count);
                }
                b'-' => {}
                _ => return Err(Trouble::Layout),
            }
        }
        Ok(())
    }

    fn number(&mut self, letter: u8) -> Result<i64, TraceError> {
        Ok(match letter {
            b'b' => i8::from_be_bytes(self.take()?).into(),
            b'h' => i16::from_be_bytes(self.take()?).into(),
            b'l' => i64::from_be_bytes(self.take()?),
            _ => i32::from_be_bytes(self.take()?).into(),
        })
    }

    fn list(&mut self, letter: u8, items: &mut Vec<i32>) -> Result<(), TraceError> {
        for _ in 0..self.u32()? {
            items.push(self.number(letter)? as i32);
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), TraceError> {
        let length = self.u32()?;
        self.skip(length.into());
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, TraceError> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, TraceError> {
        self.take().map(u64::from_be_bytes)
    }

    fn seek(&mut self, at: u64) {
        self.buffer.clear();
        (self.at, self.next) = (at, 0);
    }

    /// Goes on so many bytes further. If that is beyond the end, the next look says so.
    fn skip(&mut self, count: u64) {
        match self.next.checked_add(count as usize).filter(|&next| next <= self.buffer.len()) {
            Some(next) => self.next = next,
            None => self.seek((self.at + self.next as u64).saturating_add(count)),
        }
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        if self.buffer.len() - self.next < N {
            self.refill(N)?;
        }
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.buffer[self.next..self.next + N]);
        self.next += N;
        Ok(bytes)
    }

    fn refill(&mut self, needed: usize) -> Result<(), TraceError> {
        let at = self.at + self.next as u64;
        let left = self.length.saturating_sub(at);
        if left < needed as u64 {
            return Err(self.bad(self.length, "the file ends too early; it is not complete"));
        }
        let count = left.min(self.capacity as u64) as usize;
        (self.at, self.next) = (at, 0);
        match &self.bytes {
            Bytes::Memory(bytes) => {
                self.buffer.clear();
                self.buffer.extend_from_slice(&bytes[at as usize..at as usize + count]);
                Ok(())
            }
            Bytes::File => {
                self.buffer.resize(count, 0);
                let file = File::open(&self.name);
                let read = file.and_then(|file| file.read_exact_at(&mut self.buffer, at));
                read.map_err(|error| TraceError::io(&self.name, error))
            }
        }
    }
}

/// Why arguments cannot be read.
enum Trouble {
    Trace(TraceError),
    Layout,
}

impl From<TraceError> for Trouble {
    fn from(error: TraceError) -> Trouble {
        Trouble::Trace(error)
    }
}
