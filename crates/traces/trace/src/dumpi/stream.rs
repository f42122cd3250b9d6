//! The bytes of one rank's file, read once from front to back, a little at a time.
//!
//! ```text
//! magic │ … body: two time biases, then calls … │ header, sizes of datatypes, … │ index: magic, offsets
//! call: u16 function │ u8 mask │ u16 thread │ times │ counters │ arguments           all numbers big-endian
//! ```

use super::layout::{END_OF_STREAM, Function};
use crate::TraceError;
use crate::source::{Source, Window};

const MAGIC: [u8; 8] = *b"\xff\xaa\xddDUMPI";
/// The oldest version whose records are what is read here.
const OLDEST: [u8; 3] = [0, 6, 9];

const STATUSES: u8 = 0b11;
const CPU_TIME: u8 = 1 << 2;
const WALL_TIME: u8 = 1 << 3;
const THREAD: u8 = 1 << 6;
const COUNTERS: u8 = 1 << 7;

/// One rank's file.
#[derive(Debug)]
pub(super) struct Stream {
    source: Source,
    window: Window,
    /// Bytes that are read at a time.
    chunk: usize,
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
    pub fn new(source: Source, chunk: usize) -> Stream {
        Stream { source, window: Window::default(), chunk }
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// How much of the file has been read.
    pub fn share_read(&self) -> f64 {
        self.window.position() as f64 / self.source.len().max(1) as f64
    }

    /// Finds the calls; gives the sizes of datatypes, as far as the file knows them.
    pub fn begin(&mut self) -> Result<Vec<u64>, TraceError> {
        if self.take::<8>()? != MAGIC {
            return Err(self.source.bad(0, "this is no DUMPI file: it does not begin like one"));
        }
        let index = self.index()?;
        // The last four offsets have always been there; the one of the sizes came last, in front.
        let sizes_at = if self.source.len() - index == 64 { index + 8 } else { 0 };
        self.window.seek(self.source.len() - 32);
        let (header, body) = (self.u64()?, self.u64()?);
        self.window.seek(header);
        let version = self.take::<3>()?;
        if version < OLDEST {
            let [a, b, c] = version;
            return Err(self.source.bad(
                header,
                format!("it was written by DUMPI {a}.{b}.{c}; 0.6.9 is the oldest that can be read"),
            ));
        }
        let sizes = if sizes_at > 0 { self.sizes(sizes_at)? } else { Vec::new() };
        self.window.seek(body);
        // Only differences of times matter.
        self.take::<8>()?;
        Ok(sizes)
    }

    /// Where the index is: it has got longer from version to version.
    fn index(&mut self) -> Result<u64, TraceError> {
        for back in [64, 56, 48, 40] {
            if let Some(at) = self.source.len().checked_sub(back) {
                self.window.seek(at);
                if self.take::<8>()? == MAGIC {
                    return Ok(at);
                }
            }
        }
        Err(self.source.bad(self.source.len(), "there is no index at its end; the file is not complete"))
    }

    fn sizes(&mut self, pointer: u64) -> Result<Vec<u64>, TraceError> {
        self.window.seek(pointer);
        let at = self.u64()?;
        if at == 0 {
            return Ok(Vec::new());
        }
        self.window.seek(at);
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
        let site = self.window.position();
        let function = usize::from(u16::from_be_bytes(self.take()?));
        if function == END_OF_STREAM {
            return Ok(None);
        }
        let Some(known) = functions.get(function) else {
            return Err(self.source.bad(site, format!("function {function} is none of DUMPI's")));
        };
        let [mask] = self.take()?;
        if mask & THREAD != 0 {
            self.take::<2>()?;
        }
        let cpu = if mask & CPU_TIME != 0 { Some(self.times()?) } else { None };
        let wall = if mask & WALL_TIME != 0 { Some(self.times()?) } else { None };
        if mask & COUNTERS != 0 {
            let [count] = self.take()?;
            self.window.skip(16 * u64::from(count));
        }
        self.arguments(known, mask, arguments).map_err(|error| match error {
            Trouble::Trace(error) => error,
            Trouble::Layout => self.source.bad(site, format!("what {} writes is not known", known.name)),
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
                    self.window.skip(14 * count);
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
        self.window.skip(length.into());
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, TraceError> {
        self.take().map(u32::from_be_bytes)
    }

    fn u64(&mut self) -> Result<u64, TraceError> {
        self.take().map(u64::from_be_bytes)
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        let taken = self.window.take(|at, into| self.source.append(at, self.chunk, into))?;
        taken.ok_or_else(|| self.source.too_short())
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
