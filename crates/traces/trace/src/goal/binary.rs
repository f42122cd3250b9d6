//! GOAL compiled: what LogGOPSim's `txt2bin` writes.
//!
//! ```text
//! u64 4223 │ u32 ranks │ u8 highest cpu │ u8 highest nic │ per rank: u64 begin, u64 end (from byte 8 on) │ ranks
//! rank: u32 operations │ u32 roots │ u32 root … │ 39 bytes per operation │ u32 successor …
//! ```

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use mpirage_units::counted;

use super::graph::{ANY, Dependency, Op, OpKind, RankSchedule, Successors};
use crate::TraceError;
use crate::source::{Pages, Source};

pub(crate) const MAGIC: u64 = 4223;
/// Where positions count from.
const ORIGIN: u64 = 8;
const HEAD: u64 = ORIGIN + 6;
const OP_BYTES: u64 = 39;
/// Bytes of a page that is read, and how many are kept: 64 MiB at most.
const PAGE: usize = 4 << 10;
const PAGES: usize = 1 << 14;

/// An operation, and where in the list of successors those are that wait for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub op: Op,
    /// How many dependencies it has.
    pub waits_for: u32,
    /// First and number of those that wait for its end.
    pub at_end: (u32, u32),
    /// First and number of those that wait for its start.
    pub at_start: (u32, u32),
}

/// Where a rank's schedule is in the file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Section {
    /// Where its operations begin, in the file.
    ops_at: u64,
    pub ops: u32,
    pub roots: u32,
    successors: u64,
}

impl Section {
    /// Where an operation is in the file.
    pub fn place(&self, op: u32) -> u64 {
        self.ops_at + OP_BYTES * u64::from(op)
    }

    fn successors_at(&self) -> u64 {
        self.place(self.ops)
    }
}

/// A compiled schedule, read by position.
#[derive(Debug)]
pub(crate) struct Compiled {
    pages: Pages,
    ranks: u32,
}

impl Compiled {
    /// Looks at the head.
    pub fn new(source: Source) -> Result<Compiled, TraceError> {
        let mut compiled = Compiled::headless(source, 0);
        let magic = compiled.u64_at(0)?;
        if magic != MAGIC {
            return Err(
                compiled.bad(0, format!("a compiled schedule begins with {MAGIC}, this with {magic}"))
            );
        }
        let ranks = compiled.u32_at(ORIGIN)?;
        if ranks == 0 || HEAD + 16 * u64::from(ranks) > compiled.pages.source().len() {
            let problem =
                format!("a schedule of {} is not what this file has room for", counted(ranks, "rank"));
            return Err(compiled.bad(ORIGIN, problem));
        }
        compiled.ranks = ranks;
        Ok(compiled)
    }

    /// Ranks alone, without a head.
    pub fn headless(source: Source, ranks: u32) -> Compiled {
        Compiled { pages: Pages::new(source, PAGE, PAGES), ranks }
    }

    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    pub fn bad(&self, byte: u64, problem: impl Into<String>) -> TraceError {
        self.pages.source().bad(byte, problem)
    }

    pub fn name(&self) -> &Path {
        self.pages.source().name()
    }

    /// Where a rank is, by the table in the head.
    pub fn section(&mut self, rank: u32) -> Result<Section, TraceError> {
        let entry = HEAD + 16 * u64::from(rank);
        let (begin, end) = (self.u64_at(entry)?, self.u64_at(entry + 8)?);
        if begin.checked_add(8).is_none_or(|least| end < least) || end > self.pages.source().len() - ORIGIN {
            return Err(self.bad(entry, format!("rank {rank} is said to be at bytes {begin} to {end}")));
        }
        self.section_between(begin + ORIGIN, end + ORIGIN)
    }

    /// The rank that is between these bytes.
    pub(crate) fn section_between(&mut self, at: u64, end: u64) -> Result<Section, TraceError> {
        let (ops, roots) = (self.u32_at(at)?, self.u32_at(at + 4)?);
        let room = end - at - 8;
        let needed = 4 * u64::from(roots) + OP_BYTES * u64::from(ops);
        if needed > room || roots > ops {
            let problem = format!("there is no room for {ops} operations, {roots} of which wait for nothing");
            return Err(self.bad(at, problem));
        }
        Ok(Section { ops_at: at + 8 + 4 * u64::from(roots), ops, roots, successors: (room - needed) / 4 })
    }

    /// The n-th operation that waits for nothing.
    pub fn root(&mut self, section: &Section, n: u32) -> Result<u32, TraceError> {
        let at = section.ops_at - 4 * u64::from(section.roots) + 4 * u64::from(n);
        self.op_number(section, at)
    }

    /// An operation.
    pub fn entry(&mut self, section: &Section, op: u32) -> Result<Entry, TraceError> {
        let at = section.place(op);
        let mut bytes = [0; OP_BYTES as usize];
        self.pages.read(at, &mut bytes)?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let size = u64::from(word(9)) | u64::from(word(13)) << 32;
        let kind = match bytes[4] {
            1 => OpKind::Send,
            2 => OpKind::Recv,
            3 => OpKind::Calc,
            other => {
                return Err(self.bad(at + 4, format!("an operation of kind {other}; there are 1, 2 and 3")));
            }
        };
        let op = Op { kind, size, peer: word(5), tag: word(17), cpu: bytes[21], nic: bytes[22] };
        self.check(&op, at)?;
        let entry =
            Entry { op, waits_for: word(0), at_end: (word(27), word(23)), at_start: (word(35), word(31)) };
        for (first, count) in [entry.at_end, entry.at_start] {
            if count > 0 && u64::from(first) + u64::from(count) > section.successors {
                return Err(self.bad(at + 23, "it is waited for by operations beyond the end of the rank"));
            }
        }
        Ok(entry)
    }

    /// The number of an operation that waits for another: the entry at this place of the list.
    pub fn successor(&mut self, section: &Section, place: u32) -> Result<u32, TraceError> {
        self.op_number(section, section.successors_at() + 4 * u64::from(place))
    }

    fn op_number(&mut self, section: &Section, at: u64) -> Result<u32, TraceError> {
        let op = self.u32_at(at)?;
        if op >= section.ops {
            return Err(self.bad(at, format!("there is no operation {op} among {}", section.ops)));
        }
        Ok(op)
    }

    fn check(&self, op: &Op, at: u64) -> Result<(), TraceError> {
        let receives = op.kind == OpKind::Recv;
        if op.kind == OpKind::Calc {
            return Ok(());
        }
        if op.peer >= self.ranks && !(receives && op.peer == ANY) {
            return Err(self.bad(at + 5, format!("there is no rank {} among {}", op.peer, self.ranks)));
        }
        if op.tag > i32::MAX as u32 && !(receives && op.tag == ANY) {
            return Err(self.bad(at + 17, format!("the tag {} is larger than {}", op.tag, i32::MAX)));
        }
        Ok(())
    }

    /// The whole schedule of a rank.
    pub fn schedule(&mut self, rank: u32) -> Result<RankSchedule, TraceError> {
        let section = self.section(rank)?;
        let mut schedule = RankSchedule::default();
        for op in 0..section.ops {
            let entry = self.entry(&section, op)?;
            schedule.ops.push(entry.op);
            for ((first, count), start) in [(entry.at_end, false), (entry.at_start, true)] {
                for place in first..first.saturating_add(count) {
                    let later = self.successor(&section, place)?;
                    schedule.dependencies.push(Dependency { later, earlier: op, start });
                }
            }
            if schedule.dependencies.len() as u64 > section.successors {
                return Err(self.bad(section.place(op), "more operations wait than are listed"));
            }
        }
        Ok(schedule)
    }

    fn u32_at(&mut self, at: u64) -> Result<u32, TraceError> {
        let mut bytes = [0; 4];
        self.pages.read(at, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64_at(&mut self, at: u64) -> Result<u64, TraceError> {
        let mut bytes = [0; 8];
        self.pages.read(at, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// Appends the schedule of a rank. Does not look for cycles.
pub(crate) fn encode(schedule: &RankSchedule, successors: &Successors, out: &mut Vec<u8>) {
    let word = |out: &mut Vec<u8>, word: u32| out.extend_from_slice(&word.to_le_bytes());
    word(out, schedule.ops.len() as u32);
    word(out, successors.roots().count() as u32);
    successors.roots().for_each(|root| word(out, root));
    for (number, op) in schedule.ops.iter().enumerate() {
        let (end, start) = (successors.of_end(number), successors.of_start(number));
        word(out, successors.counts[number]);
        out.push(match op.kind {
            OpKind::Send => 1,
            OpKind::Recv => 2,
            OpKind::Calc => 3,
        });
        word(out, op.peer);
        out.extend_from_slice(&op.size.to_le_bytes());
        word(out, op.tag);
        out.extend_from_slice(&[op.cpu, op.nic]);
        for range in [end, start] {
            word(out, range.end - range.start);
            word(out, range.start);
        }
    }
    successors.list.iter().for_each(|&op| word(out, op));
}

/// Writes a compiled schedule, rank by rank. What it holds is one rank, and 16 bytes for each.
pub struct GoalBinaryWriter<W> {
    name: PathBuf,
    out: W,
    ranks: u32,
    table: Vec<u8>,
    /// Where the next rank begins.
    at: u64,
    highest: (u8, u8),
    bytes: Vec<u8>,
}

impl<W: Write + Seek> GoalBinaryWriter<W> {
    /// Begins a schedule of this many ranks. `name` is for messages.
    pub fn new(name: &Path, mut out: W, ranks: u32) -> Result<GoalBinaryWriter<W>, TraceError> {
        let at = HEAD + 16 * u64::from(ranks);
        out.seek(SeekFrom::Start(at)).map_err(|error| TraceError::io(name, error))?;
        let table = Vec::new();
        Ok(GoalBinaryWriter {
            name: name.to_owned(),
            out,
            ranks,
            table,
            at,
            highest: (0, 0),
            bytes: Vec::new(),
        })
    }

    /// Writes the next rank.
    pub fn rank(&mut self, schedule: &RankSchedule) -> Result<(), TraceError> {
        self.bytes.clear();
        encode(schedule, &Successors::of(schedule), &mut self.bytes);
        self.out.write_all(&self.bytes).map_err(|error| TraceError::io(&self.name, error))?;
        let end = self.at + self.bytes.len() as u64;
        for position in [self.at, end] {
            self.table.extend_from_slice(&(position - ORIGIN).to_le_bytes());
        }
        self.at = end;
        for op in &schedule.ops {
            self.highest = (self.highest.0.max(op.cpu), self.highest.1.max(op.nic));
        }
        Ok(())
    }

    /// Writes the head: all ranks have been written. Gives back what was written to.
    pub fn finish(mut self) -> Result<W, TraceError> {
        let written = (self.table.len() / 16) as u32;
        if written != self.ranks {
            let problem = format!("{written} of {} were written", counted(self.ranks, "rank"));
            return Err(TraceError::bad(&self.name, crate::TracePlace::File, problem));
        }
        let mut head = MAGIC.to_le_bytes().to_vec();
        head.extend_from_slice(&self.ranks.to_le_bytes());
        head.extend_from_slice(&[self.highest.0, self.highest.1]);
        head.append(&mut self.table);
        let io = |error| TraceError::io(&self.name, error);
        self.out.seek(SeekFrom::Start(0)).map_err(io)?;
        self.out.write_all(&head).map_err(io)?;
        self.out.flush().map_err(io)?;
        Ok(self.out)
    }
}
