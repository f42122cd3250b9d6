//! Runs written as traces of Dimemas.
//!
//! | call | record |
//! |---|---|
//! | computation | burst, in whole nanoseconds; what is left of one counts for the next |
//! | send | one that blocks or not, with or without a rendezvous; the format has no waits for sends |
//! | receive | one that blocks, or one that does not and the wait for it |
//! | collective | one that blocks, or one that does not and the wait for it |
//!
//! Records are grouped by task, so all of them are kept until the run ends.

mod losses;
mod record;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use mpirage_call::{
    Call, Collective, CollectiveCall, ContextId, Peers, Reply, RequestId, SELF, SendMode, Stamp, WORLD, Work,
};
use mpirage_files::OutputFile;
use mpirage_units::Duration;

use super::OPERATIONS;
use super::head::has_root;
use crate::communicators::Communicators;
use crate::losses::Losses;
use crate::writer::TraceWriter;
use crate::{Computation, TraceError};
use record::{Collected, DimMessage, Record};

/// Flops per second, if the trace does not say how fast its machine was.
const ASSUMED_SPEED: f64 = 1e9;
/// The number of the communicator of the first rank alone.
const ALONE: u32 = 1 << 30;

/// Writes a trace of Dimemas.
pub struct DimWriter {
    file: Option<OutputFile>,
    computation: Computation,
    ranks: Vec<DimRank>,
    communicators: Communicators,
    /// Communicators that were made: number in the trace, members.
    made: Vec<(u32, Vec<u32>)>,
    lost: Losses,
    refused: Option<TraceError>,
}

#[derive(Default)]
struct DimRank {
    records: Vec<Record>,
    /// Computation that has not been written.
    picos: u64,
    open: HashMap<RequestId, Open>,
    /// Has it used the communicator that it is alone in?
    is_alone: bool,
}

/// The operation of a request.
struct Open {
    started: Started,
    is_cancelled: bool,
}

/// A send, or the place of the record of something else.
#[derive(Clone, Copy)]
enum Started {
    Send,
    Receive(usize),
    Collective(usize),
}

impl DimWriter {
    /// Creates the file for the trace of a run that charges computation like this.
    pub fn create(path: &Path, ranks: u32, computation: Computation) -> Result<DimWriter, TraceError> {
        let file = OutputFile::create(path).map_err(|error| TraceError::io(path, error))?;
        Ok(DimWriter {
            file: Some(file),
            computation,
            ranks: (0..ranks).map(|_| DimRank::default()).collect(),
            communicators: Communicators::new(ranks),
            made: Vec::new(),
            lost: Losses::default(),
            refused: None,
        })
    }

    /// The number of a communicator of a rank in the trace.
    fn number(&mut self, rank: u32, context: ContextId) -> u32 {
        match context {
            SELF => {
                self.ranks[rank as usize].is_alone = true;
                ALONE + rank
            }
            other => other.get() + 1,
        }
    }

    fn send(&mut self, rank: u32, call: &Call<'_>) {
        let Call::Send { mode, context, to, tag, bytes, request, .. } = *call else { return };
        let blocks = request.is_none() && mode != SendMode::Buffered;
        let how = 2 * u32::from(!blocks) + u32::from(mode == SendMode::Synchronous);
        let peer = i64::from(self.communicators.world_rank(rank, context, to));
        let comm = self.number(rank, context);
        let state = &mut self.ranks[rank as usize];
        state.push(Record::Send(DimMessage { peer, bytes, tag: tag.into(), comm, how }));
        if let Some(request) = request {
            state.open(request, Started::Send);
        }
    }

    fn receive(&mut self, rank: u32, call: &Call<'_>, reply: &Reply) {
        let Call::Recv { context, from, tag, bytes, request, .. } = *call else { return };
        let came = reply.completions.first().filter(|came| request.is_none() && came.source >= 0);
        let from = from.or(came.map(|came| came.source as u32));
        let tag = tag.or(came.map(|came| came.tag)).map_or(-1, i64::from);
        let peer = from.map_or(-1, |from| self.communicators.world_rank(rank, context, from).into());
        let bytes = came.map_or(bytes, |came| came.bytes);
        let (comm, how) = (self.number(rank, context), u32::from(request.is_some()));
        let state = &mut self.ranks[rank as usize];
        state.push(Record::Receive(DimMessage { peer, bytes, tag, comm, how }));
        if let Some(request) = request {
            state.open(request, Started::Receive(state.records.len() - 1));
        }
    }

    /// The rank has waited for requests, or tested them.
    fn waited(&mut self, rank: u32, requests: &[RequestId], reply: &Reply) {
        for done in &reply.completions {
            let Some(&request) = requests.get(done.index as usize) else { continue };
            let Some(open) = self.ranks[rank as usize].open.remove(&request) else { continue };
            match open.started {
                Started::Send => self.lost.add(losses::SENDS),
                Started::Receive(place) if done.cancelled => {
                    self.ranks[rank as usize].records[place] = Record::TakenBack;
                }
                Started::Receive(place) => {
                    // A receive from anyone names the message that came, if the run says which.
                    let context = self.context_of(rank, place);
                    let came = (done.source >= 0).then(|| {
                        let peer = self.communicators.world_rank(rank, context, done.source as u32);
                        (i64::from(peer), i64::from(done.tag), done.bytes)
                    });
                    self.ranks[rank as usize].wait_for(place, came);
                }
                Started::Collective(place) => self.ranks[rank as usize].wait_for(place, None),
            }
        }
    }

    /// The communicator of a message that has a record.
    fn context_of(&self, rank: u32, place: usize) -> ContextId {
        match self.ranks[rank as usize].records[place] {
            Record::Receive(DimMessage { comm: ALONE.., .. }) => SELF,
            Record::Receive(DimMessage { comm, .. }) => ContextId::new(comm - 1),
            _ => WORLD,
        }
    }

    fn collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        if call.peers != Peers::All {
            let text = "traces of Dimemas have no collectives among neighbours or of two groups; write FILE.mpirage instead";
            self.refused.get_or_insert(TraceError::Spec(text.to_owned()));
            return;
        }
        self.lost.add_if(call.kind == Collective::Exscan, losses::EXSCAN);
        let kind = if call.kind == Collective::Exscan { Collective::Scan } else { call.kind };
        let Some(operation) = OPERATIONS.iter().position(|(known, ..)| *known == kind) else { return };
        let operation = operation as u32;
        let members = self.communicators.members(rank, call.context);
        let is_root = has_root(operation) && members.rank_of(rank) == Some(call.root);
        let [sent, received] = [call.send, call.recv].map(|part| part.blocks.total(members.size() as usize));
        let (comm, how) = (self.number(rank, call.context), u32::from(call.request.is_none()));
        let state = &mut self.ranks[rank as usize];
        state.push(Record::Collective(Collected { operation, comm, is_root, sent, received, how }));
        if let Some(request) = call.request {
            state.open(request, Started::Collective(state.records.len() - 1));
        }
    }

    /// Picoseconds of so many floating-point operations.
    fn picos(&mut self, flops: f64) -> u64 {
        self.lost.add_if(self.computation.measured_on.is_none(), losses::SPEED);
        (flops / self.computation.measured_on.unwrap_or(ASSUMED_SPEED) * 1e12) as u64
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        let name = file.path().to_owned();
        let text = self.text(&name.file_stem().unwrap_or_default().to_string_lossy());
        file.write_all(text.as_bytes())
            .and_then(|()| file.finish())
            .map_err(|error| TraceError::io(&name, error))
    }

    /// The whole file.
    fn text(&mut self, name: &str) -> String {
        let ranks = self.ranks.len();
        let alone = (0..).zip(&self.ranks).filter(|(_, state)| state.is_alone).map(|(rank, _)| rank);
        let alone = alone.map(|rank: u32| (ALONE + rank, vec![rank]));
        let world = (WORLD.get() + 1, (0..ranks as u32).collect());
        let communicators: Vec<(u32, Vec<u32>)> =
            [world].into_iter().chain(self.made.drain(..)).chain(alone).collect();
        let mut body = String::new();
        for (number, members) in &communicators {
            let tasks: String = members.iter().map(|task| format!(":{task}")).collect();
            body += &format!("d:1:{number}:{}{tasks}\n", members.len());
        }
        let threads = vec!["1"; ranks].join(",");
        let name = name.replace(['"', '\n'], "_");
        let head = |table: usize| {
            format!("#DIMEMAS:\"{name}\":1,{table:012}:{ranks}({threads}),{}\n", communicators.len())
        };
        let before = head(0).len();
        let mut starts = String::new();
        for (task, state) in self.ranks.iter_mut().enumerate() {
            starts += &format!("s:{task}:{}\n", before + body.len());
            state.end();
            record::append(task, &state.records, &mut body);
            state.records = Vec::new();
        }
        head(before + body.len()) + &body + &starts
    }
}

impl DimRank {
    /// Appends a record, after the computation before it. Dimemas misreads tasks that do not begin with a burst.
    fn push(&mut self, record: Record) {
        let nanos = self.picos / 1000;
        if nanos > 0 || self.records.is_empty() {
            self.picos %= 1000;
            self.records.push(Record::Burst(nanos));
        }
        self.records.push(record);
    }

    /// Appends the computation that is left.
    fn end(&mut self) {
        self.records.push(Record::Burst(self.picos / 1000));
    }

    fn open(&mut self, request: RequestId, started: Started) {
        self.open.insert(request, Open { started, is_cancelled: false });
    }

    /// Appends the wait for what the record at `place` has started; `came` has peer, tag and size of the message that came.
    fn wait_for(&mut self, place: usize, came: Option<(i64, i64, u64)>) {
        if let (Record::Receive(message), Some((peer, tag, bytes))) = (&mut self.records[place], came) {
            (message.peer, message.tag, message.bytes) = (peer, tag, bytes);
        }
        let wait = self.records[place].wait();
        self.push(wait);
    }

    /// A freed receive that was cancelled.
    fn free(&mut self, request: RequestId) {
        if let Some(Open { started: Started::Receive(place), is_cancelled: true }) =
            self.open.remove(&request)
        {
            self.records[place] = Record::TakenBack;
        }
    }
}

impl TraceWriter for DimWriter {
    fn computed(&mut self, rank: u32, work: Work) {
        let picos = match work {
            Work::Nanos(_) | Work::Threads(_) if self.computation.free => 0,
            Work::Nanos(nanos) => nanos.saturating_mul(1000),
            // Tasks have one thread: a computation takes as long as if each of its threads had a core.
            Work::Threads(burst) => burst.elapsed(f64::INFINITY).saturating_mul(1000),
            Work::Flops(flops) => self.picos(flops),
            Work::Roofline { flops, .. } => {
                self.lost.add(losses::MEMORY);
                self.picos(flops)
            }
        };
        let state = &mut self.ranks[rank as usize];
        state.picos = state.picos.saturating_add(picos);
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        self.lost.add_if(!span.is_zero(), losses::PAUSES);
        let state = &mut self.ranks[rank as usize];
        state.picos = state.picos.saturating_add(span.as_picos());
    }

    fn called(&mut self, rank: u32, _: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        let failed = reply.completions.is_empty();
        match *call {
            Call::Send { .. } => self.send(rank, call),
            Call::Recv { .. } => self.receive(rank, call, reply),
            Call::Wait { poll: true, requests, .. } if failed && !requests.is_empty() => {
                self.paused(rank, span)
            }
            Call::Wait { requests, .. } => self.waited(rank, requests, reply),
            Call::Probe { poll, .. } => {
                self.lost.add(losses::PROBES);
                if poll && failed {
                    self.paused(rank, span);
                }
            }
            Call::FailedPoll { span } => self.paused(rank, span),
            Call::Cancel { request } => {
                if let Some(open) = self.ranks[rank as usize].open.get_mut(&request) {
                    open.is_cancelled = true;
                }
            }
            Call::Free { request } => self.ranks[rank as usize].free(request),
            Call::Collective(ref call) => self.collective(rank, call),
            Call::MakeComm { .. } => self.lost.add(losses::COMMUNICATORS),
            Call::Migrate { .. } => self.lost.add(losses::MIGRATIONS),
            // No other call takes part in communication.
            _ => {}
        }
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        self.communicators.add(context, members);
        let number = context.get() + 1;
        if self.made.iter().all(|(known, _)| *known != number) {
            self.made.push((number, members.to_vec()));
        }
    }

    fn stores_accesses(&self) -> bool {
        false
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        match self.refused.take() {
            Some(refused) => Err(refused),
            None => self.write(),
        }
    }

    fn warnings(&self) -> Vec<String> {
        self.lost.warnings()
    }
}
