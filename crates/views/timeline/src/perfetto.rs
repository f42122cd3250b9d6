//! Perfetto: a file for <https://ui.perfetto.dev>, where it is opened without leaving the machine.
//!
//! ```text
//! program ─┬─ host-0 ─── rank 0 ─┬─ rank 0 thread 1   slices: calls, computation; arrows: messages
//!          │                     └─ beside rank 0     computation that the rank does not wait for
//!          └─ links ──── link 1                        bytes per second over time
//! ```
//!
//! The track of a rank is that of its first thread that called MPI; further threads have tracks below it.
//!
//! Packets are written as records come. A call becomes a beginning and an end; the arrow of a message starts at the
//! beginning of the call that sent it and ends at the end of the call that received it, so that it never points into the
//! past. A message inside a collective is an arrow between two instants, its send and its delivery, because the call of its sender may be
//! over when it is delivered. Times are nanoseconds, rounded down.

mod schema;

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use mpirage_call::{Call, Stamp, function_names};
use mpirage_platform::Platform;
use mpirage_record::{Details, MessageRecord, Record, Recorder, Scope, Writer};
use mpirage_units::Time;
use prost::Message as _;

use crate::TimelineError;
use crate::error::Trouble;
use crate::flows::{Flows, Sending};
use crate::lanes::Lanes;
use crate::threads::Threads;
use mpirage_files::OutputFile;
use mpirage_interpret::CallSites;
use mpirage_interpret::arguments::Arguments;
use mpirage_interpret::comms::{CommRank, Comms};
use mpirage_interpret::function::function;
use mpirage_interpret::links::Used;
use mpirage_interpret::{LinkUse, RunInfo};
use schema::*;

/// All packets are of one sequence.
const SEQUENCE: u32 = 1;

/// Categories.
const MPI: u64 = 1;
const COMPUTATION: u64 = 2;

/// Names of annotations, by number from 1.
const ANNOTATIONS: [&str; 9] = [
    "peer",
    "sent bytes",
    "received bytes",
    "tag",
    "communicator",
    "line",
    "flops",
    "nanoseconds",
    "never returned",
];
const PEER: u64 = 1;
const SENT: u64 = 2;
const RECEIVED: u64 = 3;
const TAG: u64 = 4;
const COMMUNICATOR: u64 = 5;
const LINE: u64 = 6;
const FLOPS: u64 = 7;
const NANOSECONDS: u64 = 8;
const NEVER_RETURNED: u64 = 9;

/// Names of slices and instants: these, then functions by index.
const NAMES: [&str; 4] = ["computing", "pause", "sends in a collective", "receives in a collective"];
const COMPUTING: u64 = 1;
const PAUSE: u64 = 2;
const SENDS_INSIDE: u64 = 3;
const RECEIVES_INSIDE: u64 = 4;
const FIRST_FUNCTION: u64 = 5;

/// Tracks: the program, hosts, ranks, and far apart the others.
const PROGRAM: u64 = 1;
const FIRST_HOST: u64 = 2;
const FIRST_LANE: u64 = 1 << 40;
const FIRST_THREAD: u64 = 1 << 56;
const TRACKS_PER_RANK: u64 = 1 << 20;
const LINKS: u64 = 1 << 61;

/// Writes Perfetto files.
pub(crate) struct Perfetto {
    out: Option<OutputFile>,
    run: RunInfo,
    first_rank: u64,
    /// The packet that is being written. The memory is reused.
    packet: TracePacket,
    bytes: Vec<u8>,
    comms: Comms,
    flows: Flows,
    places: CallSites,
    lanes: Lanes,
    threads: Threads,
    known_functions: Vec<bool>,
    known_places: usize,
    known_lanes: Vec<u32>,
    links: LinkUse,
    trouble: Trouble,
}

impl Perfetto {
    pub fn create(path: &Path, run: &RunInfo) -> Result<Perfetto, TimelineError> {
        let (hosts, host_of_rank) = run.used_hosts();
        let mut perfetto = Perfetto {
            out: Some(OutputFile::create(path).map_err(|error| TimelineError::io(path, error))?),
            run: run.clone(),
            first_rank: FIRST_HOST + hosts.len() as u64,
            packet: TracePacket {
                trusted_packet_sequence_id: Some(SEQUENCE),
                sequence_flags: Some(NEEDS_STATE),
                ..TracePacket::default()
            },
            bytes: Vec::new(),
            comms: Comms::new(run.ranks()),
            flows: Flows::new(),
            places: CallSites::new(run.sites.clone()),
            lanes: Lanes::default(),
            threads: Threads::default(),
            known_functions: vec![false; function_names().len() + 1],
            known_places: 0,
            known_lanes: Vec::new(),
            links: LinkUse::new(run),
            trouble: Trouble::default(),
        };
        let written = perfetto.begin().and_then(|()| {
            for (host, position) in hosts.iter().zip(0..) {
                let name = run.platform.host(*host).name();
                perfetto.describe(grouping(FIRST_HOST + position, PROGRAM, name, position))?;
            }
            for (rank, &host) in (0..).zip(&host_of_rank) {
                let (uuid, name) = (perfetto.first_rank + rank, format!("rank {rank}"));
                perfetto.describe(grouping(uuid, FIRST_HOST + u64::from(host), name, rank))?;
            }
            Ok(())
        });
        written.map_err(|error| TimelineError::io(path, error))?;
        Ok(perfetto)
    }

    /// The first packets: names that are always there, and the root of all tracks.
    fn begin(&mut self) -> io::Result<()> {
        let named = |(name, iid): (&&str, u64)| Named::new(iid, name);
        let first = TracePacket {
            timestamp: Some(0),
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(STATE_CLEARED),
            interned_data: Some(InternedData {
                event_categories: ["MPI", "computation"].iter().zip(MPI..).map(named).collect(),
                event_names: NAMES.iter().zip(COMPUTING..).map(named).collect(),
                debug_annotation_names: ANNOTATIONS.iter().zip(PEER..).map(named).collect(),
                debug_annotation_string_values: Vec::new(),
            }),
            ..TracePacket::default()
        };
        self.write(&first)?;
        let facts: Vec<String> =
            self.run.facts.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
        let name = format!("{} on {}{facts}", self.run.program, self.run.platform.name());
        self.describe(TrackDescriptor { parent_uuid: None, ..grouping(PROGRAM, PROGRAM, name, 0) })
    }

    fn describe(&mut self, track: TrackDescriptor) -> io::Result<()> {
        let packet = TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            track_descriptor: Some(track),
            ..TracePacket::default()
        };
        self.write(&packet)
    }

    fn write(&mut self, packet: &TracePacket) -> io::Result<()> {
        write_packet(&mut self.out, &mut self.bytes, packet)
    }

    /// Writes the current packet with an event of this type, and empties it.
    fn event(&mut self, kind: EventType, track: u64, time: Time) -> io::Result<()> {
        self.packet.timestamp = Some(time.as_picos() / 1_000);
        let event = self.at_hand();
        event.r#type = Some(kind as i32);
        event.track_uuid = Some(track);
        let written = write_packet(&mut self.out, &mut self.bytes, &self.packet);
        if self.packet.interned_data.is_some() {
            self.packet.interned_data = None;
        }
        let event = self.at_hand();
        event.category_iids.clear();
        event.debug_annotations.clear();
        event.flow_ids.clear();
        event.terminating_flow_ids.clear();
        (event.name_iid, event.double_counter_value) = (None, None);
        written
    }

    fn at_hand(&mut self) -> &mut TrackEvent {
        self.packet.track_event.get_or_insert_default()
    }

    fn annotate(&mut self, name: u64, value: Option<u64>) {
        if value.is_some() {
            let annotation =
                DebugAnnotation { name_iid: Some(name), uint_value: value, ..DebugAnnotation::default() };
            self.at_hand().debug_annotations.push(annotation);
        }
    }

    fn slice(&mut self, track: u64, category: u64, name: u64, span: [Time; 2]) -> io::Result<()> {
        let event = self.at_hand();
        event.category_iids.push(category);
        event.name_iid = Some(name);
        self.event(EventType::SliceBegin, track, span[0])?;
        self.event(EventType::SliceEnd, track, span[1])
    }

    fn call(
        &mut self,
        rank: u32,
        index: u16,
        span: [Time; 2],
        site: u64,
        details: Option<&Details<'_>>,
    ) -> io::Result<()> {
        let name = self.name_of(index);
        self.place(rank, site);
        if let Some(details) = details {
            let arguments = Arguments::of(rank, details, &self.comms);
            self.annotate(PEER, arguments.peer.map(u64::from));
            self.annotate(SENT, arguments.sent);
            self.annotate(RECEIVED, arguments.received);
            self.annotate(COMMUNICATOR, arguments.context.map(|context| context.get().into()));
            if let Some(tag) = arguments.tag {
                let (name_iid, int_value) = (Some(TAG), Some(i64::from(tag)));
                let annotation = DebugAnnotation { name_iid, int_value, ..DebugAnnotation::default() };
                self.at_hand().debug_annotations.push(annotation);
            }
            self.start_arrow(rank, details);
        }
        let track = self.track(rank);
        let event = self.at_hand();
        event.category_iids.push(MPI);
        event.name_iid = Some(name);
        self.event(EventType::SliceBegin, track, span[0])?;
        if let Some(details) = details {
            self.end_arrows(rank, details);
        }
        self.event(EventType::SliceEnd, track, span[1])
    }

    /// A call of the current thread that lasts to the end of the run.
    fn never_returned(&mut self, rank: u32, function: u16, span: [Time; 2], site: u64) -> io::Result<()> {
        self.annotate(NEVER_RETURNED, Some(1));
        self.call(rank, function, span, site, None)
    }

    fn start_arrow(&mut self, rank: u32, details: &Details<'_>) {
        if let Call::Send { context, to, tag, bytes, .. } = *details.call
            && let Some(to) = self.comms.world_of(context, rank, CommRank(to))
        {
            let number = self.flows.send(Sending { from: rank, to, tag, context, bytes });
            self.at_hand().flow_ids.push(number);
        }
    }

    fn end_arrows(&mut self, rank: u32, details: &Details<'_>) {
        let receives = matches!(details.call, Call::Recv { request: None, .. } | Call::Wait { .. });
        if receives {
            for completion in &details.reply.completions {
                if let Some(number) = self.flows.receive(rank, completion) {
                    self.at_hand().terminating_flow_ids.push(number);
                }
            }
        }
    }

    fn message(&mut self, message: &MessageRecord) -> io::Result<()> {
        match message.scope {
            Scope::Comm(context) => {
                if let Some(source) = self.comms.rank_of(context, message.from) {
                    self.flows.deliver(message, context, source);
                }
                Ok(())
            }
            Scope::Collective(_) if self.run.collective_messages => self.message_inside(message),
            _ => Ok(()),
        }
    }

    /// The arrow of a message inside a collective.
    fn message_inside(&mut self, message: &MessageRecord) -> io::Result<()> {
        let &MessageRecord { from, to, bytes, sent, delivered, .. } = message;
        let number = self.flows.next();
        self.annotate(PEER, Some(to.into()));
        self.annotate(SENT, Some(bytes));
        self.at_hand().flow_ids.push(number);
        self.instant(from, SENDS_INSIDE, sent)?;
        self.annotate(PEER, Some(from.into()));
        self.annotate(RECEIVED, Some(bytes));
        self.at_hand().terminating_flow_ids.push(number);
        self.instant(to, RECEIVES_INSIDE, delivered)
    }

    fn instant(&mut self, rank: u32, name: u64, at: Time) -> io::Result<()> {
        let event = self.at_hand();
        event.category_iids.push(MPI);
        event.name_iid = Some(name);
        self.event(EventType::Instant, self.first_rank + u64::from(rank), at)
    }

    /// The number of a function's name, which is written at its first use.
    fn name_of(&mut self, index: u16) -> u64 {
        let place = usize::from(index).min(self.known_functions.len() - 1);
        let number = FIRST_FUNCTION + place as u64;
        if !std::mem::replace(&mut self.known_functions[place], true) {
            self.interned().event_names.push(Named::new(number, function(index).name));
        }
        number
    }

    /// Annotates the line a call comes from.
    fn place(&mut self, rank: u32, site: u64) {
        let number = self.places.number(rank, site);
        if number == 0 {
            return;
        }
        if number as usize > self.known_places {
            self.known_places = number as usize;
            let name = Named::new(u64::from(number), &self.places.names()[number as usize - 1]);
            self.interned().debug_annotation_string_values.push(name);
        }
        let (name_iid, string_value_iid) = (Some(LINE), Some(u64::from(number)));
        let annotation = DebugAnnotation { name_iid, string_value_iid, ..DebugAnnotation::default() };
        self.at_hand().debug_annotations.push(annotation);
    }

    fn interned(&mut self) -> &mut InternedData {
        self.packet.interned_data.get_or_insert_default()
    }

    fn burst(
        &mut self,
        rank: u32,
        span: [Time; 2],
        work: mpirage_call::Work,
        beside: bool,
    ) -> io::Result<()> {
        let track = if beside { self.lane(rank, span)? } else { self.track(rank) };
        match work {
            mpirage_call::Work::Nanos(nanos) => self.annotate(NANOSECONDS, Some(nanos)),
            mpirage_call::Work::Threads(burst) => self.annotate(NANOSECONDS, Some(burst.nanos())),
            mpirage_call::Work::Flops(flops) | mpirage_call::Work::Roofline { flops, .. } => {
                let (name_iid, double_value) = (Some(FLOPS), Some(flops));
                let annotation = DebugAnnotation { name_iid, double_value, ..DebugAnnotation::default() };
                self.at_hand().debug_annotations.push(annotation);
            }
        }
        self.slice(track, COMPUTATION, COMPUTING, span)
    }

    /// The track of the thread that records of a rank are of.
    fn track(&self, rank: u32) -> u64 {
        match self.threads.current(rank) {
            0 => self.first_rank + u64::from(rank),
            thread => FIRST_THREAD + u64::from(rank) * TRACKS_PER_RANK + u64::from(thread),
        }
    }

    /// Records of a rank that follow are of this thread. Its track is described before its first event.
    fn turn_to(&mut self, rank: u32, thread: u32) -> io::Result<()> {
        let is_new = thread > self.threads.further(rank);
        self.threads.turn_to(rank, thread);
        if !is_new {
            return Ok(());
        }
        let (track, parent) = (self.track(rank), self.first_rank + u64::from(rank));
        self.describe(grouping(track, parent, format!("rank {rank} thread {thread}"), u64::from(thread)))
    }

    /// The track of a rank's background computation. The lanes of a rank have the same name, so that Perfetto shows them as one.
    fn lane(&mut self, rank: u32, span: [Time; 2]) -> io::Result<u64> {
        let lane = self.lanes.put(rank, span[0], span[1]);
        if self.known_lanes.is_empty() {
            self.known_lanes = vec![0; self.run.placement.len()];
        }
        let track = FIRST_LANE + u64::from(rank) * TRACKS_PER_RANK + u64::from(lane);
        let known = &mut self.known_lanes[rank as usize];
        if lane >= *known {
            *known = lane + 1;
            let parent = self.first_rank + u64::from(rank);
            self.describe(grouping(track, parent, format!("beside rank {rank}"), u64::from(lane)))?;
        }
        Ok(track)
    }

    /// The use of links, as counters.
    fn write_links(&mut self) -> io::Result<()> {
        let links = std::mem::replace(&mut self.links, LinkUse::new(&self.run));
        let width = links.width();
        let (platform, used) = (self.run.platform.clone(), links.used());
        if !used.is_empty() {
            self.describe(grouping(LINKS, PROGRAM, "links".to_owned(), i32::MAX as u64))?;
        }
        for (position, link) in (0..).zip(used) {
            self.describe(counter(&platform, &link, position))?;
            let track = LINKS + 1 + u64::from(link.link.0);
            let mut until = None;
            for (start, end, bytes) in link.intervals(width) {
                if let Some(before) = until.replace(end).filter(|&before| before < start) {
                    self.count(track, before, 0.0)?;
                }
                self.count(track, start, bytes / width.as_secs_f64())?;
            }
            if let Some(end) = until {
                self.count(track, end, 0.0)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, track: u64, time: Time, value: f64) -> io::Result<()> {
        self.at_hand().double_counter_value = Some(value);
        self.event(EventType::Counter, track, time)
    }

    fn take(&mut self, record: &Record<'_>) -> io::Result<()> {
        match *record {
            Record::Call { rank, function, entered, left, site, ref details } => {
                self.call(rank, function, [entered, left], site, details.as_ref())
            }
            Record::Burst { rank, start, end, work, beside } => self.burst(rank, [start, end], work, beside),
            Record::Pause { rank, start, end } => {
                self.slice(self.track(rank), COMPUTATION, PAUSE, [start, end])
            }
            Record::Message(ref message) => {
                self.links.record(record);
                self.message(message)
            }
            Record::Comm { context, members } => {
                self.comms.add(context, members);
                Ok(())
            }
            Record::End { rank, at, blocked: Some((since, function, site)), .. } => {
                self.never_returned(rank, function, [since, at], site)
            }
            Record::Schedule { .. } | Record::End { blocked: None, .. } => Ok(()),
        }
    }
}

impl Perfetto {
    fn complete(&mut self) -> Result<(), TimelineError> {
        if self.trouble.none() {
            let written = self.write_links();
            self.trouble.note(written);
        }
        let Some(out) = self.out.take() else { return Ok(()) };
        let path = out.path().to_owned();
        self.trouble.check(&path)?;
        out.finish().map_err(|error| TimelineError::io(&path, error))
    }
}

impl Recorder for Perfetto {
    fn record(&mut self, record: &Record<'_>) {
        if self.trouble.none() {
            let written = self.take(record);
            self.trouble.note(written);
        }
    }

    fn never_returned(&mut self, rank: u32, stamp: &Stamp, since: Time, until: Time) {
        if self.trouble.none() {
            let written = Perfetto::never_returned(self, rank, stamp.function, [since, until], stamp.site);
            self.trouble.note(written);
        }
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        if self.trouble.none() {
            let written = self.turn_to(rank, thread);
            self.trouble.note(written);
        }
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}

impl Writer for Perfetto {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.complete()?)
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A trace is a message whose field 1 is repeated: its tag, the length, the packet.
fn write_packet(out: &mut Option<OutputFile>, bytes: &mut Vec<u8>, packet: &TracePacket) -> io::Result<()> {
    let Some(out) = out else { return Ok(()) };
    bytes.clear();
    bytes.push(0x0a);
    packet.encode_length_delimited(bytes).expect("a vector grows");
    out.write_all(bytes)
}

/// A track that may have others below it, in their order.
fn grouping(uuid: u64, parent: u64, name: String, position: u64) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        parent_uuid: Some(parent),
        name: Some(name),
        child_ordering: Some(ChildOrdering::Explicit as i32),
        sibling_order_rank: Some(i32::try_from(position).unwrap_or(i32::MAX)),
        ..TrackDescriptor::default()
    }
}

/// The track of a link.
fn counter(platform: &Platform, used: &Used, position: u64) -> TrackDescriptor {
    let name = platform.link(used.link).name();
    TrackDescriptor {
        counter: Some(CounterDescriptor { unit_name: Some("B/s".to_owned()) }),
        child_ordering: None,
        ..grouping(LINKS + 1 + u64::from(used.link.0), LINKS, name, position)
    }
}

#[cfg(test)]
mod tests;
