//! Paraver: `run.prv` with what happened, `run.pcf` with what the numbers mean, `run.row` with names.
//!
//! ```text
//! 1:cpu:1:task:thread:begin:end:state                a rank was in a state
//! 2:cpu:1:task:thread:time:type:value…               a call began (value: which) or ended (0)
//! 3:sender:log-send:phys-send:receiver:log-recv:phys-recv:bytes:tag
//! ```
//!
//! Tasks are ranks, nodes are the hosts that have any, all numbered from 1. Thread 1 is the rank, or the first of its threads that
//! called MPI; further threads are its others, or what is computed beside it. Messages name thread 1: the simulator does not know which thread
//! of the receiver a message is for before it is received. Times are nanoseconds, rounded down. Values of MPI functions are those of Extrae where it has
//! one, so that its configurations for Paraver work. Logical send and receive are when the message was sent and when it
//! was received; physical ones when its bytes left and had arrived. The date in the header is constant, so that equal runs give equal
//! files.

mod names;
mod values;

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use mpirage_call::{ContextId, Stamp, WORLD};
use mpirage_record::{Details, MessageRecord, Record, Recorder, Scope, Writer};
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use crate::TimelineError;
use crate::error::Trouble;
use crate::lanes::Lanes;
use crate::sorted::Sorted;
use crate::text::{fields, number};
use crate::threads::Threads;
use mpirage_files::{OutputFile, SealedFile, folder_of};
use mpirage_interpret::CallSites;
use mpirage_interpret::RunInfo;
use mpirage_interpret::arguments::Arguments;
use mpirage_interpret::comms::Comms;
use mpirage_interpret::function::{FunctionKind, function};
use names::{Machine, write_row};
use values::{Meaning, write_pcf};

/// The first thread of a task: the rank itself.
const RANK: u64 = 1;

/// Writes Paraver files.
pub(crate) struct Paraver {
    path: PathBuf,
    draft: Option<OutputFile>,
    body: Sorted,
    comm_lines: Sorted,
    machine: Machine,
    collective_messages: bool,
    comms: Comms,
    /// The numbers of communicators in the file, which have no gaps.
    comm_numbers: FxHashMap<ContextId, u64>,
    meaning: Meaning,
    places: CallSites,
    threads: Threads,
    lanes: Lanes,
    /// Nanoseconds.
    end: u64,
    trouble: Trouble,
}

impl Paraver {
    pub fn create(path: &Path, run: &RunInfo) -> Result<Paraver, TimelineError> {
        let folder = folder_of(path).to_owned();
        let mut paraver = Paraver {
            path: path.to_owned(),
            draft: Some(open(path)?),
            body: Sorted::new(folder.clone()),
            comm_lines: Sorted::new(folder),
            machine: Machine::of(run),
            collective_messages: run.collective_messages,
            comms: Comms::new(run.ranks()),
            comm_numbers: FxHashMap::default(),
            meaning: Meaning::default(),
            places: CallSites::new(run.sites.clone()),
            threads: Threads::default(),
            lanes: Lanes::default(),
            end: 0,
            trouble: Trouble::default(),
        };
        let world: Vec<u32> = (0..run.ranks()).collect();
        paraver.comm(WORLD, &world);
        Ok(paraver)
    }

    fn nanos(&mut self, time: Time) -> u64 {
        let nanos = time.as_picos() / 1_000;
        self.end = self.end.max(nanos);
        nanos
    }

    fn comm(&mut self, context: ContextId, members: &[u32]) {
        self.comms.add(context, members);
        let comm = self.comm_numbers.len() as u64 + 1;
        self.comm_numbers.insert(context, comm);
        let written = self.comm_lines.push(comm, |text| {
            text.extend_from_slice(b"c:1");
            fields(text, [comm, members.len() as u64]);
            for &member in members {
                fields(text, [u64::from(member) + 1]);
            }
            text.push(b'\n');
        });
        self.trouble.note(written);
    }

    fn state(&mut self, rank: u32, lane: Option<u32>, start: Time, end: Time, state: u64) {
        let (start, end) = (self.nanos(start), self.nanos(end));
        // Paraver ignores states that take no time.
        if start == end {
            return;
        }
        // Workloads that compute beside their ranks have no threads.
        let (who, thread) = (
            self.machine.who(rank),
            RANK + u64::from(lane.map_or(self.threads.current(rank), |lane| lane + 1)),
        );
        let written = self.body.push(start, |text| {
            text.push(b'1');
            text.extend_from_slice(who);
            fields(text, [thread, start, end, state]);
            text.push(b'\n');
        });
        self.trouble.note(written);
    }

    fn call(&mut self, rank: u32, index: u16, span: [Time; 2], site: u64, details: Option<&Details<'_>>) {
        let kind = function(index).kind;
        self.state(rank, None, span[0], span[1], values::state_of(kind));
        let (group, value) = self.meaning.value(index);
        let place = u64::from(self.places.number(rank, site));
        let sizes = match details {
            Some(details) if matches!(kind, FunctionKind::Barrier | FunctionKind::Collective) => {
                self.sizes(rank, details)
            }
            _ => None,
        };
        let (start, end) = (self.nanos(span[0]), self.nanos(span[1]));
        let (who, thread) = (self.machine.who(rank), RANK + u64::from(self.threads.current(rank)));
        let begun = self.body.push(start, |text| {
            event(text, who, thread, start);
            fields(text, [group, value]);
            if place != 0 {
                fields(text, [values::LINE, place]);
            }
            if let Some([sent, received, root, comm]) = sizes {
                fields(text, [values::SENT, sent, values::RECEIVED, received, values::ROOT, root]);
                fields(text, [values::COMM, comm]);
            }
            text.push(b'\n');
        });
        let ended = self.body.push(end, |text| {
            event(text, who, thread, end);
            fields(text, [group, 0]);
            if place != 0 {
                fields(text, [values::LINE, 0]);
            }
            text.push(b'\n');
        });
        self.trouble.note(begun.and(ended));
    }

    /// The events of a collective: bytes, whether the rank is the root, and the communicator, unless it is `MPI_COMM_SELF`, which Paraver
    /// does not know.
    fn sizes(&self, rank: u32, details: &Details<'_>) -> Option<[u64; 4]> {
        let Arguments { peer, sent, received, context, .. } = Arguments::of(rank, details, &self.comms);
        let comm = *self.comm_numbers.get(&context?)?;
        Some([sent.unwrap_or(0), received.unwrap_or(0), u64::from(peer == Some(rank)), comm])
    }

    fn message(&mut self, message: &MessageRecord) {
        if matches!(message.scope, Scope::Collective(_)) && !self.collective_messages {
            return;
        }
        let times = [message.sent, message.departed, message.delivered, message.arrived];
        let [sent, departed, delivered, arrived] = times.map(|time| self.nanos(time));
        let (from, to) = (self.machine.who(message.from), self.machine.who(message.to));
        let written = self.body.push(sent, |text| {
            text.push(b'3');
            text.extend_from_slice(from);
            fields(text, [RANK, sent, departed]);
            text.extend_from_slice(to);
            fields(text, [RANK, delivered, arrived, message.bytes]);
            text.push(b':');
            number(text, message.tag);
            text.push(b'\n');
        });
        self.trouble.note(written);
    }

    fn write_header(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let machine = &self.machine;
        write!(out, "#Paraver (01/01/2000 at 00:00):{}_ns:", self.end)?;
        write!(out, "{}(", machine.nodes())?;
        write_list(out, (0..machine.nodes()).map(|node| machine.cpus(node).to_string()))?;
        write!(out, "):1:{}(", machine.ranks())?;
        let rows = |rank| 1 + self.threads.further(rank) + self.lanes.count(rank);
        let threads = |rank| format!("{}:{}", rows(rank), machine.node(rank) + 1);
        write_list(out, (0..machine.ranks()).map(threads))?;
        writeln!(out, "),{}", self.comm_numbers.len())
    }

    fn write_prv(&mut self, out: &mut OutputFile) -> std::io::Result<()> {
        self.write_header(out)?;
        self.comm_lines.write_to(out)?;
        self.body.write_to(out)
    }
}

impl Paraver {
    fn complete(&mut self) -> Result<(), TimelineError> {
        self.trouble.check(&self.path)?;
        let Some(mut prv) = self.draft.take() else { return Ok(()) };
        let mut pcf = open(&self.path.with_extension("pcf"))?;
        let mut row = open(&self.path.with_extension("row"))?;
        let io =
            |path: &Path, result: std::io::Result<()>| result.map_err(|error| TimelineError::io(path, error));
        io(&self.path.clone(), self.write_prv(&mut prv))?;
        io(&self.path, write_pcf(&mut pcf, &self.meaning, self.places.names()))?;
        io(&self.path, write_row(&mut row, &self.machine, &self.threads, &self.lanes))?;
        // All three are complete before the first of them appears.
        let sealed = [pcf, row, prv].map(OutputFile::seal);
        let published = sealed.into_iter().collect::<Result<Vec<_>, _>>();
        io(&self.path, published.and_then(|files| files.into_iter().try_for_each(SealedFile::publish)))
    }
}

impl Recorder for Paraver {
    fn record(&mut self, record: &Record<'_>) {
        if !self.trouble.none() {
            return;
        }
        match *record {
            Record::Call { rank, function, entered, left, site, ref details } => {
                self.call(rank, function, [entered, left], site, details.as_ref());
            }
            Record::Burst { rank, start, end, beside, .. } => {
                let lane = beside.then(|| self.lanes.put(rank, start, end));
                self.state(rank, lane, start, end, values::RUNNING);
            }
            Record::Pause { rank, start, end } => self.state(rank, None, start, end, values::IDLE),
            Record::Message(ref message) => self.message(message),
            Record::Comm { context, members } => self.comm(context, members),
            Record::Schedule { .. } => {}
            Record::End { rank, at, blocked, .. } => {
                self.nanos(at);
                if let Some((since, function, site)) = blocked {
                    self.call(rank, function, [since, at], site, None);
                }
            }
        }
    }

    fn never_returned(&mut self, rank: u32, stamp: &Stamp, since: Time, until: Time) {
        if self.trouble.none() {
            self.call(rank, stamp.function, [since, until], stamp.site, None);
        }
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        self.threads.turn_to(rank, thread);
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}

impl Writer for Paraver {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.complete()?)
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

fn open(path: &Path) -> Result<OutputFile, TimelineError> {
    OutputFile::create(path).map_err(|error| TimelineError::io(path, error))
}

/// Appends the beginning of an event.
fn event(text: &mut Vec<u8>, who: &[u8], thread: u64, time: u64) {
    text.push(b'2');
    text.extend_from_slice(who);
    fields(text, [thread, time]);
}

fn write_list(out: &mut dyn Write, items: impl Iterator<Item = String>) -> std::io::Result<()> {
    for (position, item) in items.enumerate() {
        let comma = if position == 0 { "" } else { "," };
        write!(out, "{comma}{item}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
