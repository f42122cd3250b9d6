//! Paje: a text of events that describes its own fields, as SimGrid writes it; read by pajeng, `pj_dump` and others.
//!
//! ```text
//! platform ─┬─ host ─── rank ─┬─ thread        states: calls and computation; links: messages
//!           │                 └─ beside
//!           └─ link                            a variable: bytes per second
//! ```
//!
//! The container of a rank shows the first of its threads that called MPI, and is where messages begin and end; further threads have
//! containers of their own.
//!
//! Times are seconds with all twelve digits. Events are sorted by time. Definitions and containers come first, which is
//! possible since everything is sorted before it is written.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mpirage_call::Stamp;
use mpirage_record::{MessageRecord, Record, Recorder, Scope, Writer};
use mpirage_units::Time;

use crate::TimelineError;
use crate::error::Trouble;
use crate::lanes::Lanes;
use crate::sorted::Sorted;
use crate::text::{number, seconds};
use crate::threads::Threads;
use mpirage_files::{OutputFile, folder_of};
use mpirage_interpret::function::{FunctionKind, function, functions};
use mpirage_interpret::{LinkUse, RunInfo};

/// The names and fields of the events that are used, by number.
const EVENTS: [(&str, &[(&str, &str)]); 12] = [
    ("PajeDefineContainerType", &[("Alias", "string"), ("Type", "string"), ("Name", "string")]),
    (
        "PajeDefineVariableType",
        &[("Alias", "string"), ("Type", "string"), ("Name", "string"), ("Color", "color")],
    ),
    ("PajeDefineStateType", &[("Alias", "string"), ("Type", "string"), ("Name", "string")]),
    (
        "PajeDefineLinkType",
        &[
            ("Alias", "string"),
            ("Type", "string"),
            ("StartContainerType", "string"),
            ("EndContainerType", "string"),
            ("Name", "string"),
        ],
    ),
    (
        "PajeDefineEntityValue",
        &[("Alias", "string"), ("Type", "string"), ("Name", "string"), ("Color", "color")],
    ),
    (
        "PajeCreateContainer",
        &[
            ("Time", "date"),
            ("Alias", "string"),
            ("Type", "string"),
            ("Container", "string"),
            ("Name", "string"),
        ],
    ),
    ("PajeDestroyContainer", &[("Time", "date"), ("Type", "string"), ("Name", "string")]),
    (
        "PajeSetVariable",
        &[("Time", "date"), ("Type", "string"), ("Container", "string"), ("Value", "double")],
    ),
    ("PajePushState", &[("Time", "date"), ("Type", "string"), ("Container", "string"), ("Value", "string")]),
    ("PajePopState", &[("Time", "date"), ("Type", "string"), ("Container", "string")]),
    (
        "PajeStartLink",
        &[
            ("Time", "date"),
            ("Type", "string"),
            ("Container", "string"),
            ("Value", "string"),
            ("StartContainer", "string"),
            ("Key", "string"),
            ("Size", "int"),
        ],
    ),
    (
        "PajeEndLink",
        &[
            ("Time", "date"),
            ("Type", "string"),
            ("Container", "string"),
            ("Value", "string"),
            ("EndContainer", "string"),
            ("Key", "string"),
        ],
    ),
];
const DEFINE_CONTAINER: u32 = 0;
const DEFINE_VARIABLE: u32 = 1;
const DEFINE_STATE: u32 = 2;
const DEFINE_LINK: u32 = 3;
const DEFINE_VALUE: u32 = 4;
const CREATE: u32 = 5;
const DESTROY: u32 = 6;
const SET: u32 = 7;
const PUSH: u32 = 8;
const POP: u32 = 9;
const START: u32 = 10;
const END: u32 = 11;

/// Writes Paje files.
pub(crate) struct Paje {
    path: PathBuf,
    draft: Option<OutputFile>,
    body: Sorted,
    run: RunInfo,
    called: Vec<bool>,
    lanes: Lanes,
    threads: Threads,
    links: LinkUse,
    messages: u64,
    /// Picoseconds.
    end: u64,
    trouble: Trouble,
}

impl Paje {
    pub fn create(path: &Path, run: &RunInfo) -> Result<Paje, TimelineError> {
        Ok(Paje {
            path: path.to_owned(),
            draft: Some(OutputFile::create(path).map_err(|error| TimelineError::io(path, error))?),
            body: Sorted::new(folder_of(path).to_owned()),
            run: run.clone(),
            called: vec![false; functions().len() + 1],
            lanes: Lanes::default(),
            threads: Threads::default(),
            links: LinkUse::new(run),
            messages: 0,
            end: 0,
            trouble: Trouble::default(),
        })
    }

    /// Writes a state of a rank or of a computation beside it. `value` names the rank's state; the container adds its suffix.
    fn state(&mut self, container: Container, span: [Time; 2], value: impl FnOnce(&mut Vec<u8>)) {
        let [start, end] = span.map(Time::as_picos);
        self.end = self.end.max(end);
        let pushed = self.body.push(start, |text| {
            event(text, PUSH, start);
            container.append_state(text);
            text.push(b' ');
            value(text);
            container.append_suffix(text);
            text.push(b'\n');
        });
        let popped = self.body.push(end, |text| {
            event(text, POP, end);
            container.append_state(text);
            text.push(b'\n');
        });
        self.trouble.note(pushed.and(popped));
    }

    /// The container of the thread that records of a rank are of.
    fn current(&self, rank: u32) -> Container {
        match self.threads.current(rank) {
            0 => Container::Rank(rank),
            thread => Container::Thread(rank, thread),
        }
    }

    fn call(&mut self, rank: u32, index: u16, span: [Time; 2]) {
        let place = usize::from(index).min(self.called.len() - 1);
        self.called[place] = true;
        self.state(self.current(rank), span, |text| {
            text.push(b'f');
            number(text, place);
        });
    }

    fn message(&mut self, message: &MessageRecord) {
        let (sent, delivered) = (message.sent.as_picos(), message.delivered.as_picos());
        self.end = self.end.max(delivered);
        if matches!(message.scope, Scope::Collective(_)) && !self.run.collective_messages {
            return;
        }
        self.messages += 1;
        let key = self.messages;
        let ends = |text: &mut Vec<u8>, rank: u32| {
            text.extend_from_slice(b" M p m ");
            Container::Rank(rank).append(text);
            text.extend_from_slice(b" k");
            number(text, key);
        };
        let started = self.body.push(sent, |text| {
            event(text, START, sent);
            ends(text, message.from);
            text.push(b' ');
            number(text, message.bytes);
            text.push(b'\n');
        });
        let ended = self.body.push(delivered, |text| {
            event(text, END, delivered);
            ends(text, message.to);
            text.push(b'\n');
        });
        self.trouble.note(started.and(ended));
    }

    /// Adds the use of links.
    fn set_links(&mut self) -> io::Result<()> {
        let width = self.links.width();
        let set = |body: &mut Sorted, link: u32, time: Time, value: f64| {
            let time = time.as_picos().min(self.end);
            body.push(time, |text| {
                event(text, SET, time);
                text.extend_from_slice(b" B l");
                number(text, link);
                text.extend_from_slice(format!(" {value:.3}\n").as_bytes());
            })
        };
        for used in self.links.used() {
            let mut until = None;
            for (start, end, bytes) in used.intervals(width) {
                if let Some(before) = until.replace(end).filter(|&before| before < start) {
                    set(&mut self.body, used.link.0, before, 0.0)?;
                }
                set(&mut self.body, used.link.0, start, bytes / width.as_secs_f64())?;
            }
            if let Some(end) = until {
                set(&mut self.body, used.link.0, end, 0.0)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, out: &mut OutputFile) -> io::Result<()> {
        self.set_links()?;
        self.write_definitions(out)?;
        self.write_containers(out)?;
        self.body.write_to(out)?;
        self.write_ends(out)
    }

    fn write_definitions(&self, out: &mut dyn Write) -> io::Result<()> {
        for (event, (name, fields)) in EVENTS.iter().enumerate() {
            writeln!(out, "%EventDef {name} {event}")?;
            for (field, kind) in *fields {
                writeln!(out, "%       {field} {kind}")?;
            }
            writeln!(out, "%EndEventDef")?;
        }
        for (alias, parent, name) in [
            ("P", "0", "PLATFORM"),
            ("H", "P", "HOST"),
            ("R", "H", "RANK"),
            ("A", "R", "BESIDE"),
            ("L", "P", "LINK"),
        ] {
            writeln!(out, "{DEFINE_CONTAINER} {alias} {parent} {name}")?;
        }
        let threads = self.threads.any();
        if threads {
            writeln!(out, "{DEFINE_CONTAINER} T R THREAD")?;
            writeln!(out, "{DEFINE_STATE} TS T \"MPI state of a thread\"")?;
        }
        let kinds = if threads { &[("S", ""), ("TS", "t")][..] } else { &[("S", "")] };
        writeln!(out, "{DEFINE_STATE} S R \"MPI state\"")?;
        writeln!(out, "{DEFINE_STATE} LS A \"computation beside\"")?;
        writeln!(out, "{DEFINE_VARIABLE} B L \"bytes per second\" \"0.5 0.5 0.5\"")?;
        writeln!(out, "{DEFINE_LINK} M P R R \"message\"")?;
        writeln!(out, "{DEFINE_VALUE} m M \"message\" \"0.2 0.2 0.2\"")?;
        for (kind, suffix) in kinds {
            writeln!(out, "{DEFINE_VALUE} c{suffix} {kind} \"computing\" \"0.0 0.6 0.0\"")?;
            writeln!(out, "{DEFINE_VALUE} p{suffix} {kind} \"pause\" \"0.8 0.8 0.8\"")?;
        }
        writeln!(out, "{DEFINE_VALUE} b LS \"computing\" \"0.0 0.6 0.0\"")?;
        for (index, _) in self.called.iter().enumerate().filter(|(_, called)| **called) {
            let function = function(index as u16);
            for (kind, suffix) in kinds {
                let (name, color) = (function.name, color(function.kind));
                writeln!(out, "{DEFINE_VALUE} f{index}{suffix} {kind} \"{name}\" \"{color}\"")?;
            }
        }
        Ok(())
    }

    fn write_containers(&self, out: &mut dyn Write) -> io::Result<()> {
        let (hosts, host_of_rank) = self.run.used_hosts();
        let platform = &self.run.platform;
        writeln!(out, "{CREATE} 0 p P 0 {}", quoted(platform.name()))?;
        for &host in &hosts {
            writeln!(out, "{CREATE} 0 h{} H p {}", host.0, quoted(&platform.host(host).name()))?;
        }
        for link in self.links.which() {
            writeln!(out, "{CREATE} 0 l{} L p {}", link.0, quoted(&platform.link(link).name()))?;
        }
        for (rank, &host) in host_of_rank.iter().enumerate() {
            writeln!(out, "{CREATE} 0 r{rank} R h{} \"rank {rank}\"", hosts[host as usize].0)?;
            for thread in 1..=self.threads.further(rank as u32) {
                writeln!(out, "{CREATE} 0 r{rank}t{thread} T r{rank} \"rank {rank} thread {thread}\"")?;
            }
            for lane in 0..self.lanes.count(rank as u32) {
                writeln!(out, "{CREATE} 0 r{rank}b{lane} A r{rank} \"rank {rank} beside {}\"", lane + 1)?;
            }
        }
        Ok(())
    }

    fn write_ends(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut time = Vec::new();
        seconds(&mut time, self.end);
        let time = String::from_utf8_lossy(&time);
        for rank in 0..self.run.ranks() {
            for thread in 1..=self.threads.further(rank) {
                writeln!(out, "{DESTROY} {time} T r{rank}t{thread}")?;
            }
            for lane in 0..self.lanes.count(rank) {
                writeln!(out, "{DESTROY} {time} A r{rank}b{lane}")?;
            }
            writeln!(out, "{DESTROY} {time} R r{rank}")?;
        }
        for link in self.links.which() {
            writeln!(out, "{DESTROY} {time} L l{}", link.0)?;
        }
        for host in self.run.used_hosts().0 {
            writeln!(out, "{DESTROY} {time} H h{}", host.0)?;
        }
        writeln!(out, "{DESTROY} {time} P p")
    }
}

impl Paje {
    fn complete(&mut self) -> Result<(), TimelineError> {
        self.trouble.check(&self.path)?;
        let Some(mut out) = self.draft.take() else { return Ok(()) };
        self.write(&mut out).map_err(|error| TimelineError::io(&self.path, error))?;
        out.finish().map_err(|error| TimelineError::io(&self.path, error))
    }
}

impl Recorder for Paje {
    fn record(&mut self, record: &Record<'_>) {
        if !self.trouble.none() {
            return;
        }
        match *record {
            Record::Call { rank, function, entered, left, .. } => self.call(rank, function, [entered, left]),
            Record::Burst { rank, start, end, beside: false, .. } => {
                self.state(self.current(rank), [start, end], |text| text.push(b'c'));
            }
            Record::Burst { rank, start, end, beside: true, .. } => {
                let lane = self.lanes.put(rank, start, end);
                self.state(Container::Beside(rank, lane), [start, end], |text| text.push(b'b'));
            }
            Record::Pause { rank, start, end } => {
                self.state(self.current(rank), [start, end], |text| text.push(b'p'));
            }
            Record::Message(ref message) => {
                self.links.record(record);
                self.message(message);
            }
            Record::End { rank, at, blocked, .. } => {
                self.end = self.end.max(at.as_picos());
                if let Some((since, function, _)) = blocked {
                    self.call(rank, function, [since, at]);
                }
            }
            Record::Comm { .. } | Record::Schedule { .. } => {}
        }
    }

    fn never_returned(&mut self, rank: u32, stamp: &Stamp, since: Time, until: Time) {
        if self.trouble.none() {
            self.call(rank, stamp.function, [since, until]);
        }
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        self.threads.turn_to(rank, thread);
    }
}

impl Writer for Paje {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.complete()?)
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A container that has states.
#[derive(Clone, Copy)]
enum Container {
    /// A rank, or the first of its threads.
    Rank(u32),
    /// A further thread of a rank.
    Thread(u32, u32),
    /// A computation beside a rank.
    Beside(u32, u32),
}

impl Container {
    fn append(self, text: &mut Vec<u8>) {
        let (rank, part) = match self {
            Container::Rank(rank) => (rank, None),
            Container::Thread(rank, thread) => (rank, Some((b't', thread))),
            Container::Beside(rank, lane) => (rank, Some((b'b', lane))),
        };
        text.push(b'r');
        number(text, rank);
        if let Some((letter, part)) = part {
            text.push(letter);
            number(text, part);
        }
    }

    /// Appends the type of its states, and its name.
    fn append_state(self, text: &mut Vec<u8>) {
        let kind = match self {
            Container::Rank(_) => " S ",
            Container::Thread(..) => " TS ",
            Container::Beside(..) => " LS ",
        };
        text.extend_from_slice(kind.as_bytes());
        self.append(text);
    }

    /// Values of states belong to one type each, so those of threads have names of their own.
    fn append_suffix(self, text: &mut Vec<u8>) {
        if let Container::Thread(..) = self {
            text.push(b't');
        }
    }
}

/// Appends the number of an event and its time.
fn event(text: &mut Vec<u8>, event: u32, time: u64) {
    number(text, event);
    text.push(b' ');
    seconds(text, time);
}

/// A name between quotes; Paje has no way to write a quote inside.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace(['"', '\n'], "'"))
}

fn color(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Send | FunctionKind::Isend | FunctionKind::Start => "0.0 0.3 0.9",
        FunctionKind::Recv | FunctionKind::Irecv => "0.9 0.1 0.1",
        FunctionKind::Sendrecv => "0.5 0.2 0.6",
        FunctionKind::Wait => "1.0 0.5 0.2",
        FunctionKind::Test => "0.9 0.8 0.1",
        FunctionKind::Barrier => "0.6 0.0 0.0",
        FunctionKind::Collective => "1.0 0.3 0.6",
        FunctionKind::OneSided => "0.0 0.7 0.7",
        FunctionKind::File => "0.6 0.4 0.2",
        FunctionKind::Other => "0.6 0.6 0.6",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::create;
    use crate::testing::{play, play_threads, run_on};
    use mpirage_record::Recorder;

    fn written(run: &RunInfo) -> String {
        written_by(run, play)
    }

    fn written_by(run: &RunInfo, play: fn(&mut dyn Recorder)) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.paje");
        let mut writer = create(&path, run).unwrap();
        play(&mut *writer);
        writer.finish().unwrap();
        std::fs::read_to_string(&path).unwrap()
    }

    /// The lines of one event, without their numbers.
    fn lines(text: &str, event: u32) -> Vec<&str> {
        let wanted = format!("{event} ");
        text.lines().filter_map(|line| line.strip_prefix(&wanted)).collect()
    }

    #[test]
    fn a_small_run_is_sorted_and_balanced() {
        let text = written(&run_on("cluster:2", 2));
        let body: Vec<&str> = text.lines().filter(|line| !line.starts_with('%')).collect();
        let times: Vec<f64> = body
            .iter()
            .filter(|line| line.split(' ').next().unwrap().parse::<u32>().unwrap() >= CREATE)
            .map(|line| line.split(' ').nth(1).unwrap().parse().unwrap())
            .collect();
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(lines(&text, PUSH).len(), lines(&text, POP).len());
        assert_eq!(lines(&text, CREATE).len(), lines(&text, DESTROY).len());
        assert_eq!(lines(&text, PUSH)[1], "0.000000000500 S r0 c");
        assert_eq!(lines(&text, START), ["0.000000010500 M p m r0 k1 4096"]);
        assert_eq!(lines(&text, END), ["0.000000030500 M p m r1 k1"]);
        assert!(lines(&text, PUSH).contains(&"0.000000012500 LS r0b1 b"));
    }

    #[test]
    fn threads_have_containers_of_their_own() {
        let text = written_by(&run_on("cluster:2", 2), play_threads);
        assert!(lines(&text, CREATE).contains(&"0 r0t1 T r0 \"rank 0 thread 1\""), "{text}");
        let pushed: Vec<&str> =
            lines(&text, PUSH).iter().map(|line| line.split_once(' ').unwrap().1).collect();
        let [alone, first, then, computing] = pushed[..] else { panic!("{pushed:?}") };
        assert!(alone.starts_with("TS r0t1 f") && alone.ends_with('t'), "{alone}");
        assert!(first.starts_with("S r0 f") && first == then && computing == "S r0 c", "{pushed:?}");
        assert!(!written(&run_on("cluster:2", 2)).contains("THREAD"));
    }

    #[test]
    fn messages_of_collectives_are_there_if_asked_for() {
        let run = RunInfo { collective_messages: true, ..run_on("cluster:2", 2) };
        assert_eq!(lines(&written(&run), START).len(), 2);
    }
}
