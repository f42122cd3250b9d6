//! GOAL schedules, the input of LogGOPSim: per rank a graph of sends, receives and computations.
//!
//! An operation whose dependencies are met starts as a request. A harvest asks for completed operations, which may free others.
//! A processor of a rank computes one operation at a time, in the order in which they became free; several processors
//! compute at the same time. If the model orders the work of processors (LogGOPS), the rank hands over free operations at
//! once instead, and the harvest says when each started and will end.
//!
//! Text is compiled when it is opened and takes 39 bytes per operation and 4 per dependency, and 4 for its line. A compiled
//! file is read by position, through at most 64 MiB of pages. Besides, what is under way is remembered, and how many
//! dependencies are left of those operations that have had some met but not all. Nothing else grows with the schedule.

mod binary;
mod calls;
mod chain;
mod graph;
mod text;
mod write;

pub use binary::GoalBinaryWriter;
pub use calls::GoalWriter;
pub use graph::{Dependency, Op, OpKind, RankSchedule};
pub use write::GoalTextWriter;

use std::collections::{HashMap, VecDeque};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use mpirage_call::{Call, Payload, Reply, RequestId, STARTED, SendMode, Stamp, WORLD, Work};
use mpirage_units::{Duration, Time};

use crate::function::stamp_of;
use crate::source::Source;
use crate::{Calls, Step, TraceError, TracePlace, Workload};
use binary::{Compiled, Entry, Section};
use graph::ANY;
pub(crate) use graph::Successors;
use text::TextReader;

/// A schedule, as text or compiled.
#[derive(Debug)]
pub struct Goal {
    compiled: Compiled,
    /// Where text was: the line of each operation, and where those of each rank begin. Empty if there was no text.
    lines: Vec<u32>,
    first_lines: Vec<usize>,
    ranks: Vec<RankState>,
    /// Of operations that have had some of their dependencies met but not all, by rank and number.
    left: HashMap<u64, Left>,
    /// The operations that can start, of the rank that the engine asks.
    ready: VecDeque<Ready>,
    /// When the operations of the last harvest end.
    harvested: Time,
    /// Is everything handed over as soon as it is free?
    hands_over: bool,
    stamps: Stamps,
}

/// An operation that cannot start yet.
#[derive(Clone, Copy, Debug)]
struct Left {
    /// How many dependencies are not met.
    count: u32,
    /// When the last of those ends that are.
    met: Time,
}

/// An operation that can start.
#[derive(Clone, Copy, Debug)]
struct Ready {
    kind: OpKind,
    op: u32,
    /// How long after the end of the operation that freed it: another of its dependencies ends later.
    after: Duration,
}

#[derive(Debug)]
struct Stamps {
    send: Stamp,
    recv: Stamp,
    harvest: Stamp,
}

/// How far a rank is.
#[derive(Debug, Default)]
struct RankState {
    section: Section,
    begun: bool,
    started: u32,
    done: u32,
    /// The operation behind each request, from request 1 on.
    behind: Vec<u32>,
    /// Requests that are free.
    free: Vec<u32>,
    processors: Vec<Processor>,
}

/// A processor of a rank.
#[derive(Debug, Default)]
struct Processor {
    busy: bool,
    waiting: VecDeque<u32>,
}

impl Goal {
    /// Opens a schedule that is text, and compiles it.
    pub fn open_text(path: &Path) -> Result<Goal, TraceError> {
        Goal::text(Source::open(path)?)
    }

    /// A schedule that is text in memory. `name` is for messages.
    pub fn from_text(name: &Path, text: Vec<u8>) -> Result<Goal, TraceError> {
        Goal::text(Source::memory(name, text))
    }

    fn text(source: Source) -> Result<Goal, TraceError> {
        let name = source.name().to_owned();
        let mut reader = TextReader::new(source)?;
        let (mut lines, mut first_lines) = (Vec::new(), Vec::new());
        let (mut ends, mut bytes) = (vec![0], Vec::new());
        while let Some(schedule) = reader.next_rank()? {
            let successors = Successors::of(&schedule);
            if let Some(op) = successors.in_a_cycle() {
                return Err(reader.bad_op(op, CYCLE));
            }
            binary::encode(&schedule, &successors, &mut bytes);
            ends.push(bytes.len() as u64);
            first_lines.push(lines.len());
            lines.extend_from_slice(reader.lines());
        }
        let mut compiled = Compiled::headless(Source::memory(&name, bytes), reader.ranks());
        let sections = ends.windows(2).map(|ends| compiled.section_between(ends[0], ends[1]));
        let sections = sections.collect::<Result<_, _>>()?;
        Ok(Goal::over(compiled, sections, lines, first_lines))
    }

    /// Opens a compiled schedule.
    pub fn open_binary(path: &Path) -> Result<Goal, TraceError> {
        Goal::compiled(Source::open(path)?)
    }

    /// A compiled schedule that is in memory. `name` is for messages.
    pub fn from_bytes(name: &Path, bytes: Vec<u8>) -> Result<Goal, TraceError> {
        Goal::compiled(Source::memory(name, bytes))
    }

    fn compiled(source: Source) -> Result<Goal, TraceError> {
        let mut compiled = Compiled::new(source)?;
        let sections = (0..compiled.ranks()).map(|rank| compiled.section(rank));
        let sections = sections.collect::<Result<_, _>>()?;
        Ok(Goal::over(compiled, sections, Vec::new(), Vec::new()))
    }

    fn over(compiled: Compiled, sections: Vec<Section>, lines: Vec<u32>, first_lines: Vec<usize>) -> Goal {
        let state = |section| RankState { section, ..RankState::default() };
        let ranks = sections.into_iter().map(state).collect();
        let stamps = Stamps {
            send: stamp_of("MPI_Isend"),
            recv: stamp_of("MPI_Irecv"),
            harvest: stamp_of("MPI_Waitsome"),
        };
        let (left, ready) = (HashMap::new(), VecDeque::new());
        let (harvested, hands_over) = (Time::ZERO, false);
        Goal { compiled, lines, first_lines, ranks, left, ready, harvested, hands_over, stamps }
    }

    fn begin(&mut self, rank: u32) -> Result<(), TraceError> {
        let section = self.ranks[rank as usize].section;
        for root in 0..section.roots {
            let op = self.compiled.root(&section, root)?;
            let kind = self.compiled.entry(&section, op)?.op.kind;
            self.ready.push_back(Ready { kind, op, after: Duration::ZERO });
        }
        self.ranks[rank as usize].begun = true;
        Ok(())
    }

    /// Takes note of an operation that has started, or is complete.
    fn harvested(&mut self, rank: u32, index: u32, calls: &mut Calls<'_>) -> Result<(), TraceError> {
        let request = index & !STARTED;
        let state = &mut self.ranks[rank as usize];
        let Some(&op) = request.checked_sub(1).and_then(|index| state.behind.get(index as usize)) else {
            return Ok(());
        };
        let entry = self.compiled.entry(&state.section, op)?;
        if index != request {
            return self.release(rank, entry.at_start);
        }
        state.free.push(request);
        if entry.op.kind == OpKind::Calc && !self.hands_over {
            let processor = usize::from(entry.op.cpu);
            state.processors[processor].busy = false;
            self.finish(rank, &entry)?;
            return self.keep_busy(rank, processor, calls);
        }
        self.finish(rank, &entry)
    }

    /// Starts what is ready, and what becomes so.
    fn start_all(&mut self, rank: u32, calls: &mut Calls<'_>) -> Result<(), TraceError> {
        while let Some(Ready { op, .. }) = self.ready.pop_front() {
            let section = self.ranks[rank as usize].section;
            let entry = self.compiled.entry(&section, op)?;
            if entry.op.kind == OpKind::Calc {
                let processor = usize::from(entry.op.cpu);
                let processors = &mut self.ranks[rank as usize].processors;
                if processors.len() <= processor {
                    processors.resize_with(processor + 1, Processor::default);
                }
                processors[processor].waiting.push_back(op);
                self.keep_busy(rank, processor, calls)?;
            } else {
                let request = self.start(rank, op, &entry, true)?;
                self.communicate(&entry.op, self.site(rank, op), request, calls);
            }
        }
        Ok(())
    }

    /// Hands over what is ready: first sends, then receives, then computations.
    fn hand_over_all(&mut self, rank: u32, calls: &mut Calls<'_>) -> Result<(), TraceError> {
        self.ready.make_contiguous().sort_by_key(|ready| ready.kind);
        while let Some(Ready { op, after, .. }) = self.ready.pop_front() {
            let section = self.ranks[rank as usize].section;
            let entry = self.compiled.entry(&section, op)?;
            let request = self.open(rank, op, true)?;
            let (Op { cpu, nic, size, kind, .. }, tell) = (entry.op, entry.at_start.1 > 0);
            if (cpu, nic, tell) != (0, 0, false) || !after.is_zero() {
                calls.push(&Stamp::default(), &Call::ExecutionUnit { cpu, nic, after, tell });
            }
            let site = self.site(rank, op);
            if kind == OpKind::Calc {
                let (work, request) = (Work::Nanos(size), Some(RequestId::new(request)));
                calls.push(&Stamp { site, ..Stamp::default() }, &Call::Compute { work, request });
            } else {
                self.communicate(&entry.op, site, request, calls);
            }
        }
        Ok(())
    }

    /// An idle processor starts the next computation that waits for it. One that takes no time ends at once.
    fn keep_busy(&mut self, rank: u32, processor: usize, calls: &mut Calls<'_>) -> Result<(), TraceError> {
        loop {
            let state = &mut self.ranks[rank as usize];
            let section = state.section;
            let processor = &mut state.processors[processor];
            if processor.busy {
                return Ok(());
            }
            let Some(op) = processor.waiting.pop_front() else { return Ok(()) };
            let entry = self.compiled.entry(&section, op)?;
            processor.busy = entry.op.size > 0;
            let request = self.start(rank, op, &entry, entry.op.size > 0)?;
            if entry.op.size == 0 {
                self.finish(rank, &entry)?;
                continue;
            }
            let (work, request) = (Work::Nanos(entry.op.size), Some(RequestId::new(request)));
            let stamp = Stamp { site: self.site(rank, op), ..Stamp::default() };
            calls.push(&stamp, &Call::Compute { work, request });
        }
    }

    /// An operation starts: gives it a request if it needs one, and frees what waited for its start.
    fn start(&mut self, rank: u32, op: u32, entry: &Entry, needs_request: bool) -> Result<u32, TraceError> {
        let request = self.open(rank, op, needs_request)?;
        self.release(rank, entry.at_start)?;
        Ok(request)
    }

    /// Gives an operation a request if it needs one.
    fn open(&mut self, rank: u32, op: u32, needs_request: bool) -> Result<u32, TraceError> {
        let state = &mut self.ranks[rank as usize];
        let section = state.section;
        state.started += 1;
        if state.started > section.ops {
            let problem = "more operations wait for it than it says that it waits for";
            return Err(self.compiled.bad(section.place(op), problem));
        }
        let mut request = 0;
        if needs_request {
            request = state.free.pop().unwrap_or_else(|| {
                state.behind.push(0);
                state.behind.len() as u32
            });
            state.behind[request as usize - 1] = op;
        }
        Ok(request)
    }

    fn finish(&mut self, rank: u32, entry: &Entry) -> Result<(), TraceError> {
        self.ranks[rank as usize].done += 1;
        self.release(rank, entry.at_end)
    }

    /// One dependency less for those at these places of the list of successors.
    fn release(&mut self, rank: u32, (first, count): (u32, u32)) -> Result<(), TraceError> {
        let section = self.ranks[rank as usize].section;
        for place in first..first.saturating_add(count) {
            let op = self.compiled.successor(&section, place)?;
            let Entry { waits_for, op: Op { kind, .. }, .. } = self.compiled.entry(&section, op)?;
            if waits_for <= 1 {
                self.ready.push_back(Ready { kind, op, after: Duration::ZERO });
                continue;
            }
            let key = u64::from(rank) << 32 | u64::from(op);
            let left = self.left.entry(key).or_insert(Left { count: waits_for, met: Time::ZERO });
            left.count -= 1;
            left.met = left.met.max(self.harvested);
            if left.count == 0 {
                let after = left.met.since(self.harvested);
                self.left.remove(&key);
                self.ready.push_back(Ready { kind, op, after });
            }
        }
        Ok(())
    }

    fn communicate(&self, op: &Op, site: u64, request: u32, calls: &mut Calls<'_>) {
        let (bytes, request) = (op.size, Some(RequestId::new(request)));
        if op.kind == OpKind::Send {
            let (mode, payload, tag) = (SendMode::Standard, Payload::Absent, op.tag as i32);
            let call =
                Call::Send { mode, context: WORLD, to: op.peer, tag, bytes, payload, request, answer: true };
            return calls.push(&Stamp { site, ..self.stamps.send }, &call);
        }
        let from = (op.peer != ANY).then_some(op.peer);
        let tag = (op.tag != ANY).then_some(op.tag as i32);
        let call = Call::Recv { context: WORLD, from, tag, bytes, address: 0, request, matched: None };
        calls.push(&Stamp { site, ..self.stamps.recv }, &call);
    }

    /// Where an operation is: its line, or its place in the compiled file.
    fn site(&self, rank: u32, op: u32) -> u64 {
        match self.first_lines.get(rank as usize) {
            Some(first) => self.lines.get(first + op as usize).copied().unwrap_or(0).into(),
            None => self.ranks[rank as usize].section.place(op),
        }
    }

    /// Nothing is under way.
    fn end(&self, rank: u32) -> Result<Step, TraceError> {
        let state = &self.ranks[rank as usize];
        if state.done == state.section.ops {
            return Ok(Step::Ended);
        }
        let left = state.section.ops - state.done;
        let problem = format!("rank {rank}: {left} operations never start: {CYCLE}");
        Err(self.compiled.bad(state.section.place(0), problem))
    }
}

const CYCLE: &str = "this operation waits for itself, through the operations that it requires";

impl Workload for Goal {
    fn ranks(&self) -> u32 {
        self.compiled.ranks()
    }

    fn is_graph(&self) -> bool {
        true
    }

    fn names_processors(&self) -> bool {
        true
    }

    fn leave_order_to_processors(&mut self) {
        self.hands_over = true;
    }

    fn share_done(&self) -> Option<f64> {
        let first = self.ranks.first().filter(|rank| rank.begun)?;
        Some(f64::from(first.done) / f64::from(first.section.ops.max(1)))
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        self.ready.clear();
        self.harvested = reply.now;
        if self.ranks[rank as usize].begun {
            for completion in &reply.completions {
                self.harvested(rank, completion.index, calls)?;
            }
        } else {
            self.begin(rank)?;
        }
        if self.hands_over {
            self.hand_over_all(rank, calls)?;
        } else {
            self.start_all(rank, calls)?;
        }
        let state = &self.ranks[rank as usize];
        if state.free.len() == state.behind.len() {
            return self.end(rank);
        }
        calls.push(&self.stamps.harvest, &Call::TakeCompleted);
        Ok(Step::Waits)
    }

    fn place(&self, _: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        let place = if self.first_lines.is_empty() { TracePlace::Byte(site) } else { TracePlace::Line(site) };
        (site > 0).then(|| (self.compiled.name().to_owned(), place))
    }
}

/// The schedules of a file, one rank after the other, for whoever converts them.
pub struct GoalSchedules(Schedules);

enum Schedules {
    Text(TextReader),
    Binary(Compiled, u32),
}

impl GoalSchedules {
    /// Opens a schedule, text or compiled.
    pub fn open(path: &Path) -> Result<GoalSchedules, TraceError> {
        let source = Source::open(path)?;
        let mut head = Vec::new();
        source.append(0, 8, &mut head)?;
        Ok(GoalSchedules(if head == binary::MAGIC.to_le_bytes() {
            Schedules::Binary(Compiled::new(source)?, 0)
        } else {
            Schedules::Text(TextReader::new(source)?)
        }))
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        match &self.0 {
            Schedules::Text(reader) => reader.ranks(),
            Schedules::Binary(compiled, _) => compiled.ranks(),
        }
    }

    /// The next rank; none after the last.
    pub fn next_rank(&mut self) -> Result<Option<RankSchedule>, TraceError> {
        match &mut self.0 {
            Schedules::Text(reader) => {
                let Some(schedule) = reader.next_rank()? else { return Ok(None) };
                match Successors::of(&schedule).in_a_cycle() {
                    Some(op) => Err(reader.bad_op(op, CYCLE)),
                    None => Ok(Some(schedule)),
                }
            }
            Schedules::Binary(compiled, next) if *next < compiled.ranks() => {
                *next += 1;
                compiled.schedule(*next - 1).map(Some)
            }
            Schedules::Binary(..) => Ok(None),
        }
    }
}

/// Compiles a schedule that is in memory, as text.
pub fn compile_goal(name: &Path, text: &[u8]) -> Result<Vec<u8>, TraceError> {
    let mut reader = TextReader::new(Source::memory(name, text.into()))?;
    let mut writer = GoalBinaryWriter::new(name, Cursor::new(Vec::new()), reader.ranks())?;
    while let Some(schedule) = reader.next_rank()? {
        writer.rank(&schedule)?;
    }
    Ok(writer.finish()?.into_inner())
}
