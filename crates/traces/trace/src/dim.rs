//! Traces of Dimemas (`.dim`).
//!
//! ```text
//! #DIMEMAS:"name":1,<offset of the table>:<tasks>(<threads of each>),<communicators>
//! d:1:<communicator>:<size>:<tasks>
//! 1:<task>:<thread>:<seconds>                                                       computation
//! 2:<task>:<thread>:<to>:<its thread>:<bytes>:<tag>:<communicator>:<how>            send
//! 3:<task>:<thread>:<from>:<its thread>:<bytes>:<tag>:<communicator>:<how>          receive, or wait for one
//! 10:<task>:<thread>:<operation>:<communicator>:<root?>:<thread>:<sent>:<got>:<how> collective
//! 20:<task>:<thread>:<type>:<value>                                                 event, left aside
//! s:<task>:<offset of its records>
//! ```
//!
//! Each rank reads its own part of the file through a small window, so memory does not grow with the trace. Tasks have
//! one thread each. Sizes of collectives with a count for each rank are sums in the trace: they are taken to be even.

mod head;
mod pending;
mod text;
mod write;

use std::path::{Path, PathBuf};

use head::{Communicator, Head, WAIT, has_root};
use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completing, ContextId, FIRST_MADE, Operator, Part, Payload,
    Peers, Reduction, Reply, SendMode, Stamp, WORLD, Work,
};
use mpirage_data::{Basic, Op};
use pending::Pending;
pub(crate) use text::{Fields, Line};
pub use write::DimWriter;

use crate::error::{TraceError, TracePlace};
use crate::function::stamp_of;
use crate::source::{Source, Window};
use crate::{Calls, Step, Workload};

/// Bytes that the windows of all ranks may take together, unless that makes them too small.
const WINDOWS: usize = 64 << 20;

/// The collectives, by their numbers in traces, and the functions they stand for.
pub(crate) const OPERATIONS: [(Collective, &str, &str); 16] = [
    (Collective::Barrier, "MPI_Barrier", "MPI_Ibarrier"),
    (Collective::Bcast, "MPI_Bcast", "MPI_Ibcast"),
    (Collective::Gather, "MPI_Gather", "MPI_Igather"),
    (Collective::Gatherv, "MPI_Gatherv", "MPI_Igatherv"),
    (Collective::Scatter, "MPI_Scatter", "MPI_Iscatter"),
    (Collective::Scatterv, "MPI_Scatterv", "MPI_Iscatterv"),
    (Collective::Allgather, "MPI_Allgather", "MPI_Iallgather"),
    (Collective::Allgatherv, "MPI_Allgatherv", "MPI_Iallgatherv"),
    (Collective::Alltoall, "MPI_Alltoall", "MPI_Ialltoall"),
    (Collective::Alltoallv, "MPI_Alltoallv", "MPI_Ialltoallv"),
    (Collective::Reduce, "MPI_Reduce", "MPI_Ireduce"),
    (Collective::Allreduce, "MPI_Allreduce", "MPI_Iallreduce"),
    (Collective::ReduceScatter, "MPI_Reduce_scatter", "MPI_Ireduce_scatter"),
    (Collective::ReduceScatterBlock, "MPI_Reduce_scatter_block", "MPI_Ireduce_scatter_block"),
    (Collective::Scan, "MPI_Scan", "MPI_Iscan"),
    (Collective::Alltoallw, "MPI_Alltoallw", "MPI_Ialltoallw"),
];

/// A trace of Dimemas.
#[derive(Debug)]
pub struct DimTrace {
    source: Source,
    head: Head,
    /// The number of each communicator in the simulator.
    contexts: Vec<ContextId>,
    ranks: Vec<Reader>,
    /// Bytes that a rank reads at a time.
    chunk: usize,
    stamps: Stamps,
    /// Scratch for the blocks of a collective.
    blocks: [Vec<u64>; 2],
}

/// Where a rank is.
#[derive(Debug)]
struct Reader {
    window: Window,
    ended: bool,
    pending: Pending,
    /// How many collectives with a root it has been in, by communicator.
    rooted: Vec<(u32, u64)>,
}

/// The functions that calls stand for.
#[derive(Debug)]
struct Stamps {
    send: Stamp,
    ssend: Stamp,
    isend: Stamp,
    issend: Stamp,
    recv: Stamp,
    irecv: Stamp,
    wait: Stamp,
    free: Stamp,
    collectives: Vec<[Stamp; 2]>,
}

impl DimTrace {
    /// Opens a trace.
    pub fn open(path: &Path) -> Result<DimTrace, TraceError> {
        let source = Source::open(path)?;
        let head = Head::read(&source)?;
        let ranks = head.starts.iter().map(|&start| Reader::new(start)).collect();
        let chunk = (WINDOWS / head.tasks as usize).clamp(512, 1 << 16);
        let (stamps, blocks) = (Stamps::new(), Default::default());
        let mut trace = DimTrace { source, head, contexts: Vec::new(), ranks, chunk, stamps, blocks };
        trace.number_communicators_from(FIRST_MADE);
        Ok(trace)
    }
}

impl Workload for DimTrace {
    fn ranks(&self) -> u32 {
        self.head.tasks
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        let own = self.head.communicators.iter().filter(|communicator| !communicator.is_world());
        own.map(|communicator| communicator.members.clone()).collect()
    }

    fn number_communicators_from(&mut self, first: ContextId) {
        let mut numbers = (first.get()..).map(ContextId::new);
        let number = |communicator: &Communicator| match communicator.is_world() {
            true => WORLD,
            false => numbers.next().expect("there are as many numbers as communicators"),
        };
        self.contexts = self.head.communicators.iter().map(number).collect();
    }

    fn share_done(&self) -> Option<f64> {
        let start = (*self.head.starts.first()?)?;
        let others = self.head.starts.iter().flatten().copied().filter(|&other| other > start);
        let end = others.min().unwrap_or_else(|| self.source.len());
        let read = self.ranks.first()?.window.position().saturating_sub(start);
        // A rank looks for further records of its own among those of others.
        Some((read as f64 / (end - start).max(1) as f64).min(1.0))
    }

    fn next(&mut self, rank: u32, _: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let DimTrace { source, head, contexts, ranks, chunk, stamps, blocks } = self;
        let reader = &mut ranks[rank as usize];
        while !reader.ended {
            let Reader { window, pending, rooted, .. } = reader;
            let Some(line) = Line::next(window, source, *chunk)? else { break };
            let record = Record { rank, line, head, contexts, stamps };
            match record.calls(pending, rooted, blocks, calls)? {
                Follows::More => {}
                Follows::Answer => return Ok(Step::Waits),
                Follows::End => break,
            }
        }
        reader.ended = true;
        Ok(Step::Ended)
    }

    /// The site of a call is the byte at which its record begins.
    fn place(&self, _: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        (site != 0).then(|| (self.source.name().to_owned(), TracePlace::Byte(site)))
    }
}

impl Reader {
    fn new(start: Option<u64>) -> Reader {
        let pending = Pending::default();
        let window = Window::at(start.unwrap_or(0));
        Reader { window, ended: start.is_none(), pending, rooted: Vec::new() }
    }
}

impl Stamps {
    fn new() -> Stamps {
        Stamps {
            send: stamp_of("MPI_Send"),
            ssend: stamp_of("MPI_Ssend"),
            isend: stamp_of("MPI_Isend"),
            issend: stamp_of("MPI_Issend"),
            recv: stamp_of("MPI_Recv"),
            irecv: stamp_of("MPI_Irecv"),
            wait: stamp_of("MPI_Wait"),
            free: stamp_of("MPI_Request_free"),
            collectives: OPERATIONS.map(|(_, name, later)| [stamp_of(name), stamp_of(later)]).to_vec(),
        }
    }
}

/// The next thing to read after the calls of a record.
enum Follows {
    /// The next record.
    More,
    /// An answer.
    Answer,
    /// The end: this record belongs to another task.
    End,
}

/// One record of a rank.
struct Record<'a> {
    rank: u32,
    line: Line<'a>,
    head: &'a Head,
    contexts: &'a [ContextId],
    stamps: &'a Stamps,
}

/// A message as a record has it.
struct Envelope {
    peer: i64,
    bytes: u64,
    tag: i64,
    /// Its communicator, by its place in the head.
    comm: usize,
    how: u32,
}

impl Record<'_> {
    fn calls(
        &self,
        pending: &mut Pending,
        rooted: &mut Vec<(u32, u64)>,
        blocks: &mut [Vec<u64>; 2],
        calls: &mut Calls<'_>,
    ) -> Result<Follows, TraceError> {
        if !self.line.text.first().is_some_and(u8::is_ascii_digit) {
            // The table of offsets, or an empty line.
            return Ok(if self.line.text.is_empty() { Follows::More } else { Follows::End });
        }
        let mut fields = self.line.fields();
        let kind: u32 = fields.whole("the kind of record")?;
        let task: u32 = fields.whole("the task")?;
        if task != self.rank {
            return Ok(Follows::End);
        }
        let thread: u32 = fields.whole("the thread")?;
        if thread != 0 {
            return Err(self.line.bad(format!("task {task} has no thread {thread}")));
        }
        match kind {
            0 | 20 => Ok(Follows::More),
            1 | 11 => {
                let work = Work::Nanos(fields.nanos("the length of the burst")?);
                calls.push(&self.here(Stamp::default()), &Call::Compute { work, request: None });
                Ok(Follows::More)
            }
            2 => self.send(self.envelope(&mut fields)?, pending, calls),
            3 => self.receive(self.envelope(&mut fields)?, pending, calls),
            10 => self.collective(&mut fields, pending, rooted, blocks, calls),
            other => Err(self
                .line
                .bad(format!("records of kind {other} are not known; there are 0, 1, 2, 3, 10, 11 and 20"))),
        }
    }

    fn here(&self, stamp: Stamp) -> Stamp {
        Stamp { site: self.line.at, ..stamp }
    }

    /// Peer, its thread (which may be left out), bytes, tag, communicator, how.
    fn envelope(&self, fields: &mut Fields<'_>) -> Result<Envelope, TraceError> {
        let peer = fields.whole("the other task")?;
        if fields.left() > 4 {
            fields.next();
        }
        Ok(Envelope {
            peer,
            bytes: fields.whole("the size")?,
            tag: fields.whole("the tag")?,
            comm: self.communicator(fields)?,
            how: fields.whole("how")?,
        })
    }

    fn communicator(&self, fields: &mut Fields<'_>) -> Result<usize, TraceError> {
        let comm: i64 = fields.whole("the communicator")?;
        let known = self.head.by_id.get(&comm).map(|&place| place as usize);
        let known = known.filter(|&place| self.head.communicators[place].rank_of(self.rank).is_some());
        known.ok_or_else(|| self.line.bad(format!("task {} is in no communicator {comm}", self.rank)))
    }

    fn peer(&self, envelope: &Envelope) -> Result<u32, TraceError> {
        let task = u32::try_from(envelope.peer).ok();
        let rank = task.and_then(|task| self.head.communicators[envelope.comm].rank_of(task));
        rank.ok_or_else(|| self.line.bad(format!("task {} is not in this communicator", envelope.peer)))
    }

    fn tag(&self, envelope: &Envelope) -> Result<i32, TraceError> {
        i32::try_from(envelope.tag).map_err(|_| self.line.bad(format!("{} is too large a tag", envelope.tag)))
    }

    fn send(
        &self,
        envelope: Envelope,
        pending: &mut Pending,
        calls: &mut Calls<'_>,
    ) -> Result<Follows, TraceError> {
        let (mode, immediate, stamp) = match envelope.how {
            0 => (SendMode::Standard, false, &self.stamps.send),
            1 => (SendMode::Synchronous, false, &self.stamps.ssend),
            2 => (SendMode::Standard, true, &self.stamps.isend),
            3 => (SendMode::Synchronous, true, &self.stamps.issend),
            other => return Err(self.line.bad(format!("a send cannot be of kind {other}, only of 0 to 3"))),
        };
        let request = immediate.then(|| pending.open());
        let (to, tag) = (self.peer(&envelope)?, self.tag(&envelope)?);
        let (context, bytes, payload) = (self.contexts[envelope.comm], envelope.bytes, Payload::Absent);
        calls.push(
            &self.here(*stamp),
            &Call::Send { mode, context, to, tag, bytes, payload, request, answer: true },
        );
        if let Some(request) = request {
            // Traces never wait for it.
            calls.push(&self.here(self.stamps.free), &Call::Free { request });
            pending.close(request);
        }
        Ok(if immediate { Follows::More } else { Follows::Answer })
    }

    fn receive(
        &self,
        envelope: Envelope,
        pending: &mut Pending,
        calls: &mut Calls<'_>,
    ) -> Result<Follows, TraceError> {
        let key = (envelope.peer, envelope.tag, envelope.comm as u32);
        let request = match envelope.how {
            0 => None,
            1 => Some(pending.open_for(key)),
            2 => return self.wait(key, "receive", pending, calls),
            other => {
                return Err(self.line.bad(format!("a receive cannot be of kind {other}, only of 0 to 2")));
            }
        };
        let from = if envelope.peer < 0 { None } else { Some(self.peer(&envelope)?) };
        let tag = if envelope.tag < 0 { None } else { Some(self.tag(&envelope)?) };
        let (context, bytes) = (self.contexts[envelope.comm], envelope.bytes);
        let stamp = if request.is_some() { &self.stamps.irecv } else { &self.stamps.recv };
        calls.push(
            &self.here(*stamp),
            &Call::Recv { context, from, tag, bytes, address: 0, request, matched: None },
        );
        Ok(if request.is_some() { Follows::More } else { Follows::Answer })
    }

    fn wait(
        &self,
        key: pending::Key,
        what: &str,
        pending: &mut Pending,
        calls: &mut Calls<'_>,
    ) -> Result<Follows, TraceError> {
        let request = pending.close_first(key);
        let request = request.ok_or_else(|| self.line.bad(format!("no such {what} was begun before")))?;
        let (how, poll, requests) = (Completing::All, false, &[request][..]);
        calls.push(&self.here(self.stamps.wait), &Call::Wait { how, poll, requests });
        Ok(Follows::Answer)
    }

    fn collective(
        &self,
        fields: &mut Fields<'_>,
        pending: &mut Pending,
        rooted: &mut Vec<(u32, u64)>,
        blocks: &mut [Vec<u64>; 2],
        calls: &mut Calls<'_>,
    ) -> Result<Follows, TraceError> {
        let operation: u32 = fields.whole("the operation")?;
        let comm = self.communicator(fields)?;
        fields.next();
        fields.next();
        let (sent, received): (u64, u64) =
            (fields.whole("the bytes sent")?, fields.whole("the bytes received")?);
        let how: u32 = if fields.left() > 0 { fields.whole("how")? } else { 1 };
        let Some(&(kind, ..)) = OPERATIONS.get(operation as usize) else {
            return Err(self.line.bad(format!("there is no operation {operation}, only 0 to 15")));
        };
        // Receives name tasks from -1 up.
        let key = (-2 - i64::from(operation), 0, comm as u32);
        if how == WAIT {
            return self.wait(key, "collective", pending, calls);
        }
        let communicator = &self.head.communicators[comm];
        let root = if has_root(operation) { communicator.root(count_up(rooted, comm as u32)) } else { 0 };
        let request = (how == 0).then(|| pending.open_for(key));
        let me = communicator.rank_of(self.rank) == Some(root);
        let (send, recv) = cut(kind, me, communicator.members.len(), (sent, received), blocks);
        let part = |blocks| Part { payload: Payload::Absent, blocks };
        let call = CollectiveCall {
            kind,
            context: self.contexts[comm],
            root,
            peers: Peers::All,
            send: part(send),
            recv: part(recv),
            reduction: reduction(kind, sent.max(received)),
            request,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        };
        let stamp = &self.stamps.collectives[operation as usize][usize::from(request.is_some())];
        calls.push(&self.here(*stamp), &Call::Collective(call));
        Ok(if request.is_some() { Follows::More } else { Follows::Answer })
    }
}

/// Counts up the collectives with a root in a communicator, and gives the number of this one.
fn count_up(rooted: &mut Vec<(u32, u64)>, comm: u32) -> u64 {
    let place = rooted.binary_search_by_key(&comm, |&(comm, _)| comm).unwrap_or_else(|place| {
        rooted.insert(place, (comm, 0));
        place
    });
    rooted[place].1 += 1;
    rooted[place].1 - 1
}

/// How a rank's bytes are cut into blocks, if they are cut evenly.
pub(crate) fn cut<'b>(
    kind: Collective,
    root: bool,
    size: usize,
    (sent, received): (u64, u64),
    blocks: &'b mut [Vec<u64>; 2],
) -> (Blocks<'b>, Blocks<'b>) {
    use Collective as C;
    let [out, into] = blocks;
    let equal = |bytes: u64| Blocks::Equal(bytes.div_ceil(size as u64));
    match kind {
        C::Gather if root => (Blocks::Whole(sent), equal(received)),
        C::Gatherv if root => (Blocks::Whole(sent), each(received, size, into)),
        C::Scatter if root => (equal(sent), Blocks::Whole(received)),
        C::Scatterv if root => (each(sent, size, out), Blocks::Whole(received)),
        C::Allgather => (Blocks::Whole(sent), equal(received)),
        C::Allgatherv => (Blocks::Whole(sent), each(received, size, into)),
        C::Alltoall => (equal(sent), equal(received)),
        C::Alltoallv | C::Alltoallw => (each(sent, size, out), each(received, size, into)),
        _ => (Blocks::Whole(sent), Blocks::Whole(received)),
    }
}

/// Blocks as even as can be that add up to `bytes`.
fn each(bytes: u64, size: usize, list: &mut Vec<u64>) -> Blocks<'_> {
    list.clear();
    let (even, more) = (bytes / size as u64, bytes % size as u64);
    let mut offset = 0;
    for rank in 0..size as u64 {
        let length = even + u64::from(rank < more);
        list.extend([offset, length]);
        offset += length;
    }
    Blocks::Each(list)
}

pub(crate) fn reduction(kind: Collective, bytes: u64) -> Option<Reduction> {
    use Collective as C;
    let reduces = matches!(
        kind,
        C::Reduce | C::Allreduce | C::ReduceScatter | C::ReduceScatterBlock | C::Scan | C::Exscan
    );
    let operator = Operator::Predefined { op: Op::Sum.code(), basic: Basic::Byte.code() };
    reduces.then_some(Reduction { operator, commutative: true, element: 1, elements: bytes })
}
