//! OTF2: an archive for Vampir, Score-P's tools and the Python package `otf2`: `run.otf2`, `run.def` and the folder `run`.
//!
//! ```text
//! machine ─┬─ host-0 ─┬─ MPI Rank 0 ─┬─ Master thread      calls, computation, messages, collectives
//!          │          │              ├─ Thread 1           the same of a further thread that calls MPI
//!          │          │              └─ Background 1       computation that the rank does not wait for
//!          │          └─ MPI Rank 1 …
//!          └─ links ──── Links                             bytes per second of each link
//! ```
//!
//! Events of a location must be in order of time, which those of a thread are: its calls come one after the other. Ticks are picoseconds,
//! so no time is rounded.
//!
//! A send is recorded at the beginning of its call, and everything that completes at the end of the call that completes it.

mod archive;
mod definitions;
mod machine;
mod regions;
mod requests;
mod streams;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use archive::Archive;
use machine::Contents;
use mpirage_call::{
    Call, CollectiveCall, CommRequest, Completion, ContextId, Member, RequestId, SELF, STARTED, Stamp, WORLD,
};
use mpirage_files::folder_of;
use mpirage_interpret::comms::Comms;
use mpirage_interpret::{CallSites, LinkUse, RunInfo};
use mpirage_otf2::{CREATE_HANDLE, Event, MpiMessage, OperationEnd, RootCode, Sizes, TextAttribute, code_of};
use mpirage_record::{Details, Record, Recorder, Writer};
use mpirage_units::Time;
use regions::{COMPUTATION, PAUSE, Regions};
use requests::{Open, Requests};
use rustc_hash::FxHashMap;
use streams::Streams;

use crate::TimelineError;
use crate::error::Trouble;
use crate::lanes::Lanes;
use crate::threads::Threads;

/// The attribute of calls: their source line.
const SOURCE_LINE: u32 = 0;

/// Writes OTF2 archives.
pub(crate) struct Otf2 {
    path: PathBuf,
    archive: Option<Archive>,
    run: RunInfo,
    streams: Streams,
    threads: Threads,
    background: Lanes,
    /// The locations that are not a rank's own: rank, whether it is a background one, and its number from 1.
    further: FxHashMap<(u32, bool, u32), usize>,
    further_names: Vec<(u32, String)>,
    comms: Comms,
    /// The numbers of communicators in the archive.
    comm_numbers: FxHashMap<ContextId, u32>,
    contents: Contents,
    regions: Regions,
    requests: Requests,
    places: CallSites,
    links: LinkUse,
    end: Time,
    /// Calls of collectives that the format does not have.
    unrecorded: u64,
    trouble: Trouble,
}

impl Otf2 {
    pub fn create(path: &Path, run: &RunInfo) -> Result<Otf2, TimelineError> {
        let ranks = run.ranks();
        let mut otf2 = Otf2 {
            path: path.to_owned(),
            archive: Some(Archive::create(path)?),
            run: run.clone(),
            streams: Streams::new(folder_of(path).to_owned(), ranks as usize),
            threads: Threads::default(),
            background: Lanes::default(),
            further: FxHashMap::default(),
            further_names: Vec::new(),
            comms: Comms::new(ranks),
            comm_numbers: FxHashMap::default(),
            contents: Contents::new(),
            regions: Regions::new(),
            requests: Requests::new(ranks),
            places: CallSites::new(run.sites.clone()),
            links: LinkUse::new(run),
            end: Time::ZERO,
            unrecorded: 0,
            trouble: Trouble::default(),
        };
        otf2.contents.world(ranks);
        otf2.comm_numbers.extend([(WORLD, 0), (SELF, 1)]);
        Ok(otf2)
    }

    fn comm(&mut self, context: ContextId, members: &[u32]) {
        self.comms.add(context, members);
        let number = self.contents.communicator(self.run.ranks(), members);
        self.comm_numbers.insert(context, number);
    }

    /// The location for something that a rank does from `start` to `end`.
    fn location(&mut self, rank: u32, [start, end]: [Time; 2], beside: bool) -> usize {
        self.end = self.end.max(end);
        let number = match self.threads.current(rank) {
            _ if beside => self.background.put(rank, start, end) + 1,
            0 => return rank as usize,
            thread => thread,
        };
        let (streams, names) = (&mut self.streams, &mut self.further_names);
        *self.further.entry((rank, beside, number)).or_insert_with(|| {
            let name = if beside { "Background" } else { "Thread" };
            names.push((rank, format!("{name} {number}")));
            streams.add()
        })
    }

    #[inline]
    fn event(&mut self, location: usize, time: Time, event: Event) -> io::Result<()> {
        self.streams.push(location, time.as_picos(), |out| event.encode(out))
    }

    /// A region without anything inside.
    fn region(&mut self, rank: u32, span: [Time; 2], region: u32, beside: bool) -> io::Result<()> {
        if span[0] == span[1] {
            return Ok(());
        }
        let location = self.location(rank, span, beside);
        self.event(location, span[0], Event::Enter { region })?;
        self.event(location, span[1], Event::Leave { region })
    }

    fn call(
        &mut self,
        rank: u32,
        index: u16,
        span: [Time; 2],
        site: u64,
        details: Option<&Details<'_>>,
    ) -> io::Result<()> {
        let (region, place) = (self.regions.of(index), self.places.number(rank, site));
        let location = self.location(rank, span, false);
        let enter = Event::Enter { region };
        if place == 0 {
            self.event(location, span[0], enter)?;
        } else {
            let text = self.contents.line(place, self.places.names());
            let line = TextAttribute { attribute: SOURCE_LINE, text };
            self.streams.push(location, span[0].as_picos(), |out| enter.encode_with(line, out))?;
        }
        if let Some(details) = details {
            self.communication(rank, location, span, details)?;
        }
        self.event(location, span[1], Event::Leave { region })
    }

    fn communication(
        &mut self,
        rank: u32,
        location: usize,
        [entered, left]: [Time; 2],
        details: &Details<'_>,
    ) -> io::Result<()> {
        let completions = &details.reply.completions;
        match *details.call {
            Call::Send { context, to, tag, bytes, request, .. } => {
                let Some(&communicator) = self.comm_numbers.get(&context) else { return Ok(()) };
                let message = MpiMessage { peer: to, communicator, tag: tag as u32, length: bytes };
                let event = match request {
                    None => Event::Send(message),
                    Some(request) => Event::Isend(message, self.requests.open(rank, request, Open::Send)),
                };
                self.event(location, entered, event)
            }
            Call::Recv { context, request, .. } => {
                let Some(&communicator) = self.comm_numbers.get(&context) else { return Ok(()) };
                let Some(request) = request else {
                    let came = completions.first().and_then(|came| received(came, communicator));
                    return came.map_or(Ok(()), |message| self.event(location, left, Event::Recv(message)));
                };
                let number = self.requests.open(rank, request, |number| Open::Recv(number, communicator));
                self.event(location, entered, Event::IrecvRequest(number))
            }
            Call::Wait { requests, .. } => completions.iter().try_for_each(|done| {
                let request = requests.get(done.index as usize);
                request.map_or(Ok(()), |&request| self.complete(rank, location, left, request, done))
            }),
            Call::TakeCompleted => {
                let ended = completions.iter().filter(|done| done.index & STARTED == 0);
                ended.into_iter().try_for_each(|done| {
                    self.complete(rank, location, left, RequestId::new(done.index), done)
                })
            }
            Call::Free { request } => {
                self.requests.close(rank, request);
                Ok(())
            }
            Call::Collective(ref call) => {
                let Some(end) = self.operation(rank, call) else {
                    self.unrecorded += 1;
                    return Ok(());
                };
                self.collective(rank, location, [entered, left], call.request, end)
            }
            Call::MakeComm { parent, how } => {
                // Only the members make it, so the operation is one of the new communicator.
                let of_members = matches!(how, CommRequest::CreateGroup { .. });
                let context = details.reply.context.filter(|_| of_members).unwrap_or(parent);
                let Some(&communicator) = self.comm_numbers.get(&context) else { return Ok(()) };
                let (operation, root) = (CREATE_HANDLE, RootCode::NONE);
                let end = OperationEnd { operation, communicator, root, sent: 0, received: 0 };
                self.collective(rank, location, [entered, left], how.request(), end)
            }
            _ => Ok(()),
        }
    }

    fn collective(
        &mut self,
        rank: u32,
        location: usize,
        [entered, left]: [Time; 2],
        request: Option<RequestId>,
        end: OperationEnd,
    ) -> io::Result<()> {
        let Some(request) = request else {
            self.event(location, entered, Event::CollectiveBegin)?;
            return self.event(location, left, Event::CollectiveEnd(end));
        };
        let number = self.requests.open(rank, request, |number| Open::Collective(number, end));
        self.event(location, entered, Event::CollectiveRequest(number))
    }

    /// The record of a collective; none if the format has no such operation.
    fn operation(&self, rank: u32, call: &CollectiveCall<'_>) -> Option<OperationEnd> {
        let operation = code_of(call.kind)?;
        let communicator = *self.comm_numbers.get(&call.context)?;
        let member =
            Member { rank: self.comms.rank_of(call.context, rank)?, size: self.comms.size(call.context) };
        let Sizes { sent, received } = Sizes::of(call, member);
        let root = match call.known_root() {
            _ if !call.kind.is_rooted() => RootCode::NONE,
            None => RootCode::THIS_GROUP,
            Some(root) if root == member.rank && call.kind.is_across() => RootCode::THIS,
            Some(root) => root,
        };
        Some(OperationEnd { operation, communicator, root, sent, received })
    }

    /// A request of a rank is complete.
    fn complete(
        &mut self,
        rank: u32,
        location: usize,
        at: Time,
        request: RequestId,
        done: &Completion,
    ) -> io::Result<()> {
        let event = match self.requests.close(rank, request) {
            None => return Ok(()),
            Some(Open::Send(number) | Open::Recv(number, _)) if done.cancelled => {
                Event::RequestCancelled(number)
            }
            Some(Open::Send(number)) => Event::IsendComplete(number),
            Some(Open::Recv(number, communicator)) => match received(done, communicator) {
                Some(message) => Event::Irecv(message, number),
                None => Event::RequestCancelled(number),
            },
            Some(Open::Collective(number, end)) => Event::CollectiveComplete(end, number),
        };
        self.event(location, at, event)
    }

    fn take(&mut self, record: &Record<'_>) -> io::Result<()> {
        match *record {
            Record::Call { rank, function, entered, left, site, ref details } => {
                self.call(rank, function, [entered, left], site, details.as_ref())
            }
            Record::Burst { rank, start, end, beside, .. } => {
                self.region(rank, [start, end], COMPUTATION, beside)
            }
            Record::Pause { rank, start, end } => self.region(rank, [start, end], PAUSE, false),
            Record::Message(_) => {
                self.links.record(record);
                Ok(())
            }
            Record::Comm { context, members } => {
                self.comm(context, members);
                Ok(())
            }
            Record::Schedule { .. } => Ok(()),
            Record::End { rank, at, blocked, .. } => {
                self.end = self.end.max(at);
                match blocked {
                    Some((since, function, site)) => self.call(rank, function, [since, at], site, None),
                    None => Ok(()),
                }
            }
        }
    }

    /// The use of links, as metrics of one location.
    fn write_links(&mut self) -> io::Result<Option<usize>> {
        let links = std::mem::replace(&mut self.links, LinkUse::new(&self.run));
        let (width, used) = (links.width(), links.used());
        if used.is_empty() {
            return Ok(None);
        }
        // A gap between intervals is an empty bin at least, so there is room for all values.
        let bins: usize = used.iter().map(|link| link.bytes.len() + 1).sum();
        let mut values: Vec<(Time, u32, f64)> = Vec::with_capacity(bins);
        for (class, link) in (0..).zip(&used) {
            self.contents.link(&self.run.platform.link(link.link).name());
            let mut until = None;
            for (start, end, bytes) in link.intervals(width) {
                let gap = until.replace(end).filter(|&before| before < start);
                values.extend(gap.map(|before| (before, class, 0.0)));
                values.push((start, class, bytes / width.as_secs_f64()));
            }
            values.extend(until.map(|end| (end, class, 0.0)));
        }
        values.sort_unstable_by_key(|&(time, class, _)| (time, class));
        let location = self.streams.add();
        for (time, class, value) in values {
            self.end = self.end.max(time);
            self.event(location, time, Event::Metric { class, value })?;
        }
        Ok(Some(location))
    }

    fn complete_files(&mut self) -> Result<(), TimelineError> {
        self.trouble.check(&self.path)?;
        let Some(archive) = self.archive.take() else { return Ok(()) };
        let links = self.write_links().map_err(|error| TimelineError::io(&self.path, error))?;
        let contents = std::mem::replace(&mut self.contents, Contents::new());
        let definitions = contents.definitions(&machine::Written {
            run: &self.run,
            regions: self.regions.list(),
            further: &self.further_names,
            links,
            streams: &self.streams,
            end: self.end,
        });
        archive.finish(machine::about(&self.run), &definitions, &mut self.streams)
    }
}

/// The message that a receive got; none if it got none.
fn received(done: &Completion, communicator: u32) -> Option<MpiMessage> {
    let peer = u32::try_from(done.source).ok().filter(|_| !done.cancelled)?;
    Some(MpiMessage { peer, communicator, tag: done.tag as u32, length: done.bytes })
}

impl Recorder for Otf2 {
    fn record(&mut self, record: &Record<'_>) {
        if self.trouble.none() {
            let written = self.take(record);
            self.trouble.note(written);
        }
    }

    fn never_returned(&mut self, rank: u32, stamp: &Stamp, since: Time, until: Time) {
        if self.trouble.none() {
            let written = self.call(rank, stamp.function, [since, until], stamp.site, None);
            self.trouble.note(written);
        }
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        self.threads.turn_to(rank, thread);
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}

impl Writer for Otf2 {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.complete_files()?)
    }

    fn warnings(&self) -> Vec<String> {
        let calls = self.unrecorded;
        let warning = format!(
            "{calls} calls of collectives among neighbours appear as regions only: OTF2 has no records for them"
        );
        if calls == 0 { Vec::new() } else { vec![warning] }
    }
}

#[cfg(test)]
mod tests;
