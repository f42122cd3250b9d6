//! Writing time-independent traces, such that SimGrid replays them and that replay here takes the time of the run.
//!
//! Sizes are bytes, except in reductions, whose elements matter. The format knows the world only: messages of other
//! communicators get ranks of the world and tags of their own, and collectives of others become the messages they consist
//! of. What SimGrid has no word for is written as something it does not read: `wait 0 1 7 3` says that three lines are one
//! wait, `send 1 0 8 6 ssend` that the send is synchronous. What cannot be said at all becomes a warning.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use mpirage_call::{
    Blocks, Call, CollectiveCall, CommRequest, ContextId, Part, Payload, Reply, RequestId, SELF, SendMode,
    Stamp, WORLD, Work,
};
use mpirage_collectives::{Algorithm, Collective, Schedule, Shape, Step, default_algorithm, schedule};
use mpirage_units::Duration;

use crate::TraceError;
use crate::scribe::Scribe;

/// Bytes of lines under way, over all ranks, and of one rank at the least and at the most.
const UNDER_WAY: usize = 64 << 20;
const SMALLEST: usize = 1 << 10;
const LARGEST: usize = 64 << 10;
/// SimGrid's numbers for any source and any tag, and how a request for any source is named.
const ANY_SOURCE: i64 = -555;
const ANY_TAG: i64 = -444;
const ANY_NAMED: i64 = ANY_SOURCE - 1;
/// How a collective that does not block is named; SimGrid cannot replay them.
const COLLECTIVE_NAMED: i64 = -2;
/// Tags of messages outside the world, or that the library sends, start here.
const OTHER_TAGS: i64 = 1 << 30;
/// Bytes each rank contributes to agree on a new communicator.
const AGREEMENT: u64 = 8;

/// How the lines of ranks are laid out in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TiLayout {
    /// The path is a folder with one file per rank, and a list of them, `ranks.txt`.
    Folder,
    /// The path is a list of files, which are in a folder of the same name with `_files`; as SimGrid does it.
    List,
    /// The path is one file for all ranks.
    OneFile,
}

/// What the format cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Loss {
    Modes,
    NonBlocking,
    Probes,
    Cancels,
    Expanded,
    AnyTag,
    Order,
    Plans,
    Operators,
    Speed,
}

/// Writes a time-independent trace.
pub struct TiWriter {
    layout: TiLayout,
    path: PathBuf,
    files: Vec<PathBuf>,
    measured_on: Option<f64>,
    ranks: Vec<Rank>,
    full: usize,
    communicators: HashMap<ContextId, Vec<u32>>,
    tags: HashMap<(ContextId, i32), i64>,
    schedule: Schedule,
    lost: Vec<(Loss, u64)>,
    failed: Option<TraceError>,
    local_work: [f64; 2],
}

#[derive(Default)]
struct Rank {
    text: String,
    /// How many bytes have left for the file.
    flushed: u64,
    /// Where the last line starts, counted from the first.
    last: u64,
    began: bool,
    finalized: bool,
    /// How the algorithm of its last collective is called.
    algorithm: Option<Algorithm>,
    open: HashMap<RequestId, Open>,
    /// How many of each name were opened and waited for.
    order: HashMap<Named, (u64, u64)>,
    collectives: i64,
}

/// A request that nobody has waited for.
#[derive(Clone, Copy)]
struct Open {
    name: Named,
    /// Which of its name it is.
    number: u64,
    /// Where its line starts in what the rank has written.
    line: u64,
    /// The program has cancelled it.
    cancelled: bool,
}

/// Sender, receiver, tag.
type Named = (i64, i64, i64);

impl TiWriter {
    /// Starts the files. Bursts are measured on a machine of `measured_on` flops per second.
    pub fn create(
        path: &Path,
        layout: TiLayout,
        ranks: u32,
        measured_on: Option<f64>,
    ) -> Result<TiWriter, TraceError> {
        let files = lay_out(path, layout, ranks)?;
        Ok(TiWriter {
            layout,
            path: path.to_owned(),
            files,
            measured_on,
            ranks: (0..ranks).map(|_| Rank::default()).collect(),
            full: (UNDER_WAY / ranks.max(1) as usize).clamp(SMALLEST, LARGEST),
            communicators: HashMap::new(),
            tags: HashMap::new(),
            schedule: Schedule::default(),
            lost: Vec::new(),
            failed: None,
            local_work: [0.0; 2],
        })
    }

    /// What combining and copying a byte costs in the run, in seconds. Collectives that are written as messages then have
    /// their local work too.
    pub fn local_work(mut self, reduce: f64, copy: f64) -> TiWriter {
        self.local_work = [reduce, copy];
        self
    }

    fn line(&mut self, rank: u32, text: std::fmt::Arguments<'_>) {
        let state = &mut self.ranks[rank as usize];
        state.last = state.flushed + state.text.len() as u64;
        // Writing to a string does not fail.
        let _ = writeln!(state.text, "{rank} {text}");
        if state.text.len() >= self.full {
            self.flush(rank);
        }
    }

    fn flush(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        let file = match self.layout {
            TiLayout::OneFile => &self.files[0],
            _ => &self.files[rank as usize],
        };
        if !state.text.is_empty() && self.failed.is_none() {
            let done = OpenOptions::new()
                .append(true)
                .open(file)
                .and_then(|mut file| file.write_all(state.text.as_bytes()));
            self.failed = done.err().map(|error| TraceError::io(file, error));
        }
        state.flushed += state.text.len() as u64;
        state.text.clear();
    }

    /// A request that was cancelled: its line becomes a comment, as if it had never been started.
    fn take_back(&mut self, rank: u32, request: RequestId) {
        let state = &mut self.ranks[rank as usize];
        let Some(Open { name, number, line, .. }) = state.open.remove(&request) else { return };
        for later in state.open.values_mut().filter(|open| open.name == name && open.number > number) {
            later.number -= 1;
        }
        if let Some((opened, closed)) = state.order.get_mut(&name) {
            *opened -= 1;
            if opened == closed {
                state.order.remove(&name);
            }
        }
        if let Some(at) = line.checked_sub(state.flushed) {
            let at = at as usize;
            state.text.replace_range(at..at + 1, "#");
        } else if self.layout == TiLayout::OneFile {
            self.lose(Loss::Cancels);
        } else if self.failed.is_none() {
            let file = &self.files[rank as usize];
            let done =
                OpenOptions::new().write(true).open(file).and_then(|open| open.write_all_at(b"#", line));
            self.failed = done.err().map(|error| TraceError::io(file, error));
        }
    }

    fn lose(&mut self, loss: Loss) {
        match self.lost.iter_mut().find(|(known, _)| *known == loss) {
            Some((_, times)) => *times += 1,
            None => self.lost.push((loss, 1)),
        }
    }

    /// The rank of the world that is `peer` in a communicator.
    fn world(&self, rank: u32, context: ContextId, peer: u32) -> u32 {
        match context {
            WORLD => peer,
            SELF => rank,
            other => self
                .communicators
                .get(&other)
                .and_then(|members| members.get(peer as usize))
                .copied()
                .unwrap_or(peer),
        }
    }

    fn tag(&mut self, context: ContextId, tag: i32) -> i64 {
        if context == WORLD && tag >= 0 {
            return i64::from(tag);
        }
        let next = OTHER_TAGS + self.tags.len() as i64;
        *self.tags.entry((context, tag)).or_insert(next)
    }

    fn open(&mut self, rank: u32, request: RequestId, name: Named) {
        let state = &mut self.ranks[rank as usize];
        let (opened, _) = state.order.entry(name).or_default();
        state.open.insert(request, Open { name, number: *opened, line: state.last, cancelled: false });
        *opened += 1;
    }

    /// The rank has waited for these requests, at once.
    fn waited(&mut self, rank: u32, requests: &[RequestId]) {
        let state = &mut self.ranks[rank as usize];
        let (mut names, mut swapped) = (Vec::new(), false);
        for Open { name, number, .. } in requests.iter().filter_map(|request| state.open.remove(request)) {
            names.push(name);
            if let Some((opened, closed)) = state.order.get_mut(&name) {
                swapped |= number != *closed;
                *closed += 1;
                if opened == closed {
                    state.order.remove(&name);
                }
            }
        }
        let all = state.open.is_empty() && names.len() > 1;
        if swapped && names.len() == 1 {
            self.lose(Loss::Order);
        }
        if all {
            return self.line(rank, format_args!("waitall {}", names.len()));
        }
        for (index, (from, to, tag)) in names.iter().enumerate() {
            match (index, names.len()) {
                (0, several @ 2..) => self.line(rank, format_args!("wait {from} {to} {tag} {several}")),
                _ => self.line(rank, format_args!("wait {from} {to} {tag}")),
            }
        }
    }

    fn send(&mut self, rank: u32, call: &Call<'_>) {
        let Call::Send { mode, context, to, tag, bytes, request, .. } = *call else { return };
        let (to, tag) = (self.world(rank, context, to), self.tag(context, tag));
        let name = if request.is_some() { "isend" } else { "send" };
        let mark = match mode {
            SendMode::Standard => "",
            SendMode::Synchronous => " ssend",
            SendMode::Ready => " rsend",
            SendMode::Buffered => " bsend",
        };
        if !mark.is_empty() {
            self.lose(Loss::Modes);
        }
        self.line(rank, format_args!("{name} {to} {tag} {bytes} 6{mark}"));
        if let Some(request) = request {
            self.open(rank, request, (i64::from(rank), i64::from(to), tag));
        }
    }

    fn recv(&mut self, rank: u32, call: &Call<'_>, reply: &Reply) {
        let Call::Recv { context, from, tag, bytes, request, matched, .. } = *call else { return };
        // Any message is to be any of its communicator; if that is not the world, the one it was is named. So is one that a
        // probe has taken.
        let any_of_others = tag.is_none() && context != WORLD;
        let told =
            reply.completions.first().filter(|_| request.is_none() && (matched.is_some() || any_of_others));
        let from = from.or_else(|| told.and_then(|told| u32::try_from(told.source).ok()));
        let tag = tag.or_else(|| told.map(|told| told.tag));
        let source = from.map(|from| i64::from(self.world(rank, context, from)));
        if tag.is_none() && context != WORLD {
            self.lose(Loss::AnyTag);
        }
        let tag = tag.map_or(ANY_TAG, |tag| self.tag(context, tag));
        let name = if request.is_some() { "irecv" } else { "recv" };
        self.line(rank, format_args!("{name} {} {tag} {bytes} 6", source.unwrap_or(ANY_SOURCE)));
        if let Some(request) = request {
            self.open(rank, request, (source.unwrap_or(ANY_NAMED), i64::from(rank), tag));
        }
    }

    fn collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        if call.reduction.is_some_and(|reduction| !reduction.commutative) {
            self.lose(Loss::Operators);
        }
        if call.plan > 0 {
            self.lose(Loss::Plans);
        }
        if call.context == WORLD {
            return self.world_collective(rank, call);
        }
        let members = self.members(rank, call.context);
        self.expand(rank, call, &members);
        if let Some(request) = call.request {
            // It is over; a wait for it finds nothing.
            self.lose(Loss::NonBlocking);
            self.ranks[rank as usize].open.remove(&request);
        }
    }

    fn members(&self, rank: u32, context: ContextId) -> Vec<u32> {
        match context {
            WORLD => (0..self.ranks.len() as u32).collect(),
            SELF => vec![rank],
            other => self.communicators.get(&other).cloned().unwrap_or_default(),
        }
    }

    /// A collective of all ranks, for which the format has a word.
    fn world_collective(&mut self, rank: u32, call: &CollectiveCall<'_>) {
        use Collective as C;
        let bytes = call.shape_bytes(rank);
        let root = call.root;
        let (count, datatype) =
            call.reduction.map_or((0, 6), |reduction| counted(reduction.element, reduction.elements));
        let ordered =
            if call.reduction.is_some_and(|reduction| !reduction.commutative) { " ordered" } else { "" };
        let prefix = if call.request.is_some() { "i" } else { "" };
        let ranks = self.ranks.len();
        let line = match call.kind {
            C::Barrier => "barrier".to_owned(),
            C::Bcast => format!("bcast {bytes} {root} 6"),
            C::Reduce => format!("reduce {count} 0 {root} {datatype}"),
            C::Allreduce => format!("allreduce {count} 0 {datatype}"),
            C::Scan => format!("scan {count} 0 {datatype}"),
            C::Exscan => format!("exscan {count} 0 {datatype}"),
            C::Gather => format!("gather {bytes} {bytes} {root} 6 6"),
            C::Scatter => format!("scatter {bytes} {bytes} {root} 6 6"),
            C::Allgather => format!("allgather {bytes} {bytes} 6 6"),
            C::Alltoall => format!("alltoall {bytes} {bytes} 6 6"),
            C::Gatherv => format!("gatherv {bytes} {} {root} 6 6", lengths(&call.recv.blocks, ranks, 1)),
            C::Scatterv => format!("scatterv {} {bytes} {root} 6 6", lengths(&call.send.blocks, ranks, 1)),
            C::Allgatherv => {
                let own = call.recv.blocks.of(rank as usize).1;
                format!("allgatherv {own} {} 6 6", lengths(&call.recv.blocks, ranks, 1))
            }
            C::Alltoallv | C::Alltoallw => {
                let (send, recv) = (&call.send.blocks, &call.recv.blocks);
                let (gives, gets) = (lengths(send, ranks, 1), lengths(recv, ranks, 1));
                format!("alltoallv {} {gives} {} {gets} 6 6", send.total(ranks), recv.total(ranks))
            }
            C::ReduceScatter | C::ReduceScatterBlock => {
                let element = call.reduction.map_or(1, |reduction| u64::from(reduction.element.max(1)));
                let unit = if datatype == 6 { 1 } else { element };
                format!("reducescatter {} 0 {datatype}", lengths(&call.recv.blocks, ranks, unit))
            }
        };
        self.line(rank, format_args!("{prefix}{line}{ordered}"));
        if let Some(request) = call.request {
            self.lose(Loss::NonBlocking);
            let state = &mut self.ranks[rank as usize];
            let name = (COLLECTIVE_NAMED, i64::from(rank), state.collectives);
            state.collectives += 1;
            self.open(rank, request, name);
        }
    }

    /// A collective as the messages it consists of.
    fn expand(&mut self, rank: u32, call: &CollectiveCall<'_>, members: &[u32]) {
        let Some(seat) = members.iter().position(|&member| member == rank) else { return };
        if members.len() > 1 {
            self.lose(Loss::Expanded);
        }
        let (sends, recvs) = (counts(&call.send.blocks), counts(&call.recv.blocks));
        let mut shape = Shape::new(seat as u32, members.len() as u32).root(call.root);
        shape = shape.bytes(call.shape_bytes(seat as u32)).counts(&sends, &recvs);
        if let Some(reduction) = call.reduction {
            shape = shape.element(u64::from(reduction.element.max(1))).commutative(reduction.commutative);
        }
        let known = self.ranks[rank as usize].algorithm.filter(|&algorithm| call.kind.knows(algorithm));
        let algorithm = known.unwrap_or_else(|| default_algorithm(call.kind, &shape));
        let mut steps = std::mem::take(&mut self.schedule);
        schedule(call.kind, algorithm, &shape, &mut steps);
        self.write_steps(rank, call.context, members, &steps.steps);
        self.schedule = steps;
    }

    fn write_steps(&mut self, rank: u32, context: ContextId, members: &[u32], steps: &[Step]) {
        let us = i64::from(rank);
        // Requests of schedules have numbers that no program uses.
        let (first, mut next) = (RequestId::MAX / 2, RequestId::MAX / 2);
        for step in steps {
            match *step {
                Step::Send { to, bytes, slot } | Step::Isend { to, bytes, slot } => {
                    let (to, tag) = (members[to as usize], self.step_tag(context, slot));
                    let blocking = matches!(step, Step::Send { .. });
                    self.line(
                        rank,
                        format_args!("{} {to} {tag} {bytes} 6", if blocking { "send" } else { "isend" }),
                    );
                    if !blocking {
                        self.open(rank, next, (us, i64::from(to), tag));
                        next += 1;
                    }
                }
                Step::Recv { from, bytes, slot } | Step::Irecv { from, bytes, slot } => {
                    let (from, tag) = (members[from as usize], self.step_tag(context, slot));
                    let blocking = matches!(step, Step::Recv { .. });
                    self.line(
                        rank,
                        format_args!("{} {from} {tag} {bytes} 6", if blocking { "recv" } else { "irecv" }),
                    );
                    if !blocking {
                        self.open(rank, next, (i64::from(from), us, tag));
                        next += 1;
                    }
                }
                Step::WaitAll => {
                    let requests: Vec<RequestId> = (first..next).collect();
                    self.waited(rank, &requests);
                    next = first;
                }
                Step::Reduce { bytes } => self.work(rank, bytes, self.local_work[0]),
                Step::Copy { bytes } => self.work(rank, bytes, self.local_work[1]),
            }
        }
        let requests: Vec<RequestId> = (first..next).collect();
        self.waited(rank, &requests);
    }

    fn work(&mut self, rank: u32, bytes: u64, seconds_per_byte: f64) {
        self.paused(rank, Duration::from_secs_f64(bytes as f64 * seconds_per_byte));
    }

    /// Tags of schedules lie beside those of the library.
    fn step_tag(&mut self, context: ContextId, slot: u16) -> i64 {
        self.tag(context, i32::MIN + i32::from(slot))
    }

    /// To make a communicator its ranks have to agree, which is a collective among them.
    fn agree(&mut self, rank: u32, parent: ContextId, how: &CommRequest<'_>) {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Equal(AGREEMENT) };
        let (kind, context) = (Collective::Allgather, parent);
        let call = CollectiveCall {
            kind,
            context,
            root: 0,
            send: part,
            recv: part,
            reduction: None,
            request: None,
            plan: 0,
        };
        match how {
            CommRequest::CreateGroup { members, .. } => {
                let members: Vec<u32> =
                    members.iter().map(|&member| self.world(rank, parent, member)).collect();
                self.expand(rank, &call, &members);
            }
            CommRequest::DupLater { .. } => {
                self.lose(Loss::NonBlocking);
                self.collective(rank, &call);
            }
            _ => self.collective(rank, &call),
        }
    }

    fn finish_rank(&mut self, rank: u32) {
        let state = &self.ranks[rank as usize];
        if state.began && !state.finalized {
            self.line(rank, format_args!("finalize"));
        }
        self.flush(rank);
        self.ranks[rank as usize] = Rank::default();
    }
}

impl Scribe for TiWriter {
    fn computed(&mut self, rank: u32, work: Work) {
        let flops = match (work, self.measured_on) {
            (Work::Flops(flops), _) => flops,
            (Work::Nanos(nanos), Some(speed)) => nanos as f64 * 1e-9 * speed,
            (Work::Nanos(nanos), None) => {
                self.lose(Loss::Speed);
                nanos as f64
            }
        };
        if flops > 0.0 {
            self.line(rank, format_args!("compute {flops}"));
        }
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        let picos = span.as_picos();
        if picos > 0 {
            self.line(
                rank,
                format_args!("sleep {}.{:012}", picos / 1_000_000_000_000, picos % 1_000_000_000_000),
            );
        }
    }

    fn called(&mut self, rank: u32, _: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        match *call {
            Call::Init => {
                self.ranks[rank as usize].began = true;
                self.line(rank, format_args!("init"));
            }
            Call::Finalize => {
                self.ranks[rank as usize].finalized = true;
                self.line(rank, format_args!("finalize"));
            }
            Call::Send { .. } => self.send(rank, call),
            Call::Recv { .. } => self.recv(rank, call, reply),
            Call::Wait { requests, poll, .. } => {
                let told = reply.completions.iter();
                let failed = reply.completions.is_empty() && poll && !requests.is_empty();
                for done in told.clone().filter(|done| done.cancelled) {
                    self.take_back(rank, requests[done.index as usize]);
                }
                let done = told.filter(|done| !done.cancelled);
                let done: Vec<RequestId> =
                    done.filter_map(|done| requests.get(done.index as usize)).copied().collect();
                match failed {
                    true => self.paused(rank, span),
                    false => self.waited(rank, &done),
                }
            }
            Call::Probe { poll, .. } => {
                self.lose(Loss::Probes);
                if poll && reply.completions.is_empty() {
                    self.paused(rank, span);
                }
            }
            Call::Cancel { request } => {
                if let Some(open) = self.ranks[rank as usize].open.get_mut(&request) {
                    open.cancelled = true;
                }
            }
            // Nobody will be told whether it was in time; most are.
            Call::Free { request } => {
                let open = self.ranks[rank as usize].open.get(&request);
                if open.is_some_and(|open| open.cancelled) {
                    self.take_back(rank, request);
                }
            }
            Call::Collective(ref collective) => self.collective(rank, collective),
            Call::MakeComm { parent, ref how } => self.agree(rank, parent, how),
            _ => {}
        }
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        self.communicators.insert(context, members.to_vec());
    }

    fn scheduled(&mut self, rank: u32, _: ContextId, _: Collective, algorithm: Algorithm) {
        self.ranks[rank as usize].algorithm = Some(algorithm);
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        for rank in 0..self.ranks.len() as u32 {
            self.finish_rank(rank);
        }
        match self.failed.take() {
            Some(error) => {
                self.files.iter().chain([&self.path]).for_each(|file| drop(fs::remove_file(file)));
                Err(error)
            }
            None => Ok(()),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut lost = self.lost.clone();
        lost.sort_unstable();
        lost.iter().map(|(loss, times)| format!("{} ({times} times)", loss.text())).collect()
    }
}

impl Loss {
    fn text(self) -> &'static str {
        match self {
            Loss::Modes => {
                "synchronous, ready and buffered sends are marked as such; SimGrid takes them for standard sends"
            }
            Loss::NonBlocking => {
                "collectives that do not block: SimGrid cannot replay them, and outside of MPI_COMM_WORLD they are written as if they did, which may be a deadlock; a trace FILE.mpirage is exact"
            }
            Loss::Probes => "probes have no word in this format and are left out",
            Loss::Cancels => {
                "requests that were cancelled have no word in this format: a replay will wait for them"
            }
            Loss::Expanded => {
                "collectives outside of MPI_COMM_WORLD are written as the messages they consist of"
            }
            Loss::AnyTag => {
                "receives with any tag outside of MPI_COMM_WORLD may take messages of other communicators"
            }
            Loss::Order => {
                "waits for a later one of several requests with the same peer and tag are written as waits for the first"
            }
            Loss::Plans => "persistent collectives are taken to be started in the same order by all ranks",
            Loss::Operators => {
                "operators that do not commute are marked as such; SimGrid takes them for operators that do"
            }
            Loss::Speed => {
                "the speed of the machine that computation was measured on is not known: 1 Gf is assumed"
            }
        }
    }
}

/// A number of elements and the datatype that has their size; bytes if none has.
fn counted(element: u32, elements: u64) -> (u64, u32) {
    match element {
        8 => (elements, 0),
        4 => (elements, 1),
        2 => (elements, 3),
        16 => (elements, 14),
        other => (elements * u64::from(other), 6),
    }
}

/// The length of the block of each rank, in units.
fn lengths(blocks: &Blocks<'_>, ranks: usize, unit: u64) -> String {
    let length = |rank| match blocks {
        // Of a side that there is not.
        Blocks::Whole(0) => 0,
        blocks => blocks.of(rank).1 / unit,
    };
    let mut text = String::new();
    for rank in 0..ranks {
        let _ = write!(text, "{}{}", if rank > 0 { " " } else { "" }, length(rank));
    }
    text
}

fn counts(blocks: &Blocks<'_>) -> Vec<u64> {
    match blocks {
        Blocks::Each(list) => list.iter().skip(1).step_by(2).copied().collect(),
        _ => Vec::new(),
    }
}

/// Makes the files, empty, and their list.
fn lay_out(path: &Path, layout: TiLayout, ranks: u32) -> Result<Vec<PathBuf>, TraceError> {
    let empty = |file: &Path| File::create(file).map(drop).map_err(|error| TraceError::io(file, error));
    let folder = match layout {
        TiLayout::OneFile => {
            empty(path)?;
            return Ok(vec![path.to_owned()]);
        }
        TiLayout::Folder => path.to_owned(),
        TiLayout::List => {
            let mut name = path.as_os_str().to_owned();
            name.push("_files");
            PathBuf::from(name)
        }
    };
    fs::create_dir_all(&folder).map_err(|error| TraceError::io(&folder, error))?;
    let files: Vec<PathBuf> = (0..ranks).map(|rank| folder.join(format!("ti_trace{rank}.txt"))).collect();
    files.iter().try_for_each(|file| empty(file))?;
    let list = if layout == TiLayout::List { path.to_owned() } else { folder.join("ranks.txt") };
    write_list(&list, &files).map_err(|error| TraceError::io(&list, error))?;
    Ok(files)
}

/// Paths as seen from where we are, as smpirun reads them.
fn write_list(list: &Path, files: &[PathBuf]) -> io::Result<()> {
    let mut out = io::BufWriter::new(File::create(list)?);
    for file in files {
        writeln!(out, "{}", file.display())?;
    }
    out.flush()
}
