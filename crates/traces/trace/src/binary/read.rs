//! Reading: when a rank has used up its block, its next block is read from the file.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use mpirage_call::{
    BLOCKING, Call, CollectiveCall, ContextId, FIRST_MADE, FieldChecks, Member, Peers, Reply, RequestId,
    SELF, Stamp, WORLD, function_names,
    stored::{self, Lists, Outcome},
};

use super::entry::{self, Before};
use super::layout::{BLOCK, BlockHead, CallSite, Footer, HEADER, MAGIC, OLDEST, TRAILER, Trailer, VERSION};
use super::requests::Requests;
use super::threads::Threads;
use crate::{Calls, Computation, Step, ThreadSync, TraceError, TracePlace, Workload, varint};

/// Sites from here on are numbers of call sites whose file and line are known.
const KNOWN: u64 = 1 << 63;
/// Higher request numbers are a mistake.
const MOST_REQUESTS: u32 = 1 << 26;
/// Bytes of a distance between two blocks of a rank in the footer, about.
const BYTES_OF_DISTANCE: f64 = 3.0;

/// A trace in mpirage's own format.
pub struct BinaryTrace {
    path: PathBuf,
    file: File,
    /// Bytes of the file.
    length: u64,
    footer: Footer,
    shared: Shared,
    /// Positions of ranks, then of further threads.
    cursors: Vec<Cursor>,
    names: Vec<Names>,
    threads: Threads,
    /// Synchronisations of the last thread that was asked with other threads.
    syncs: Vec<ThreadSync>,
    lists: Lists,
    stored: Vec<u8>,
}

/// Tables that calls of all ranks need.
struct Shared {
    /// Function and site of each call site.
    stamps: Vec<Stamp>,
    /// How many ranks the communicators of the traced run had.
    sizes: HashMap<ContextId, usize>,
    /// Standard sends of fewer bytes are eager in this run.
    eager_limit: u64,
}

/// The position of a rank, or of a further thread of a rank.
#[derive(Default)]
struct Cursor {
    entries: Vec<u8>,
    at: usize,
    /// Where the block is in the file.
    block: u64,
    /// Position in the list of distances between blocks.
    next_gap: usize,
    /// The outcome of the last call in the traced run.
    awaited: Option<Outcome>,
    /// Its synchronisation with another thread before its next entry.
    sync: Option<ThreadSync>,
}

/// Numbers that a rank knows, whichever of its threads.
#[derive(Default)]
struct Names {
    /// Communicators of the traced run, and their numbers in this run.
    contexts: HashMap<ContextId, ContextId>,
    /// Messages taken by matched probes of the traced run, and their numbers in this run.
    messages: Vec<(u32, u32)>,
    /// The highest request so far.
    highest: RequestId,
    /// The numbers of requests in this run, if ranks have several threads; otherwise they are those of the traced run.
    requests: Option<Box<Requests>>,
}

impl BinaryTrace {
    /// Opens a file and reads its footer.
    pub fn open(path: &Path) -> Result<BinaryTrace, TraceError> {
        let file = mpirage_files::open(path)?;
        let (ranks, version) = header(path, &file)?;
        let length = file.metadata().map_err(|error| TraceError::io(path, error))?.len();
        let footer = footer(path, &file, length, version)?;
        let bad = |problem: &str| TraceError::bad(path, TracePlace::File, problem);
        if footer.ranks.len() != ranks as usize + footer.threads.len() {
            return Err(bad("the beginning and the end of the file disagree on the number of ranks"));
        }
        let threads = Threads::new(ranks, &footer.threads)
            .ok_or_else(|| bad("a thread belongs to a rank that does not exist"))?;
        let stamp = |(index, spot): (usize, &CallSite)| {
            let function = function_names().iter().position(|&name| name == spot.function);
            let site = if spot.source.is_empty() { spot.site } else { KNOWN + index as u64 };
            Stamp { function: function.unwrap_or(usize::from(u16::MAX)) as u16, site, ..Stamp::default() }
        };
        let stamps =
            std::iter::once(Stamp::default()).chain(footer.places.iter().enumerate().map(stamp)).collect();
        let own = [(WORLD, ranks as usize), (SELF, 1)];
        let sizes =
            footer.communicators.iter().map(|(context, members)| (*context, members.len())).chain(own);
        let cursors = footer.ranks.iter().map(|_| Cursor::default()).collect();
        let requests = || (!threads.are_none()).then(Box::default);
        let names = (0..ranks).map(|_| Names { requests: requests(), ..Names::default() }).collect();
        let (lists, stored) = (Lists::default(), Vec::new());
        let mut trace = BinaryTrace {
            path: path.to_owned(),
            length,
            shared: Shared { stamps, sizes: sizes.collect(), eager_limit: 0 },
            footer,
            file,
            cursors,
            names,
            threads,
            syncs: Vec::new(),
            lists,
            stored,
        };
        trace.number_communicators_from(FIRST_MADE);
        Ok(trace)
    }

    /// Reads the next block of a rank; false if there is none.
    fn next_block(&mut self, rank: u32) -> Result<bool, TraceError> {
        let state = &mut self.cursors[rank as usize];
        let blocks = &self.footer.ranks[rank as usize].1;
        if state.next_gap == blocks.len() {
            (state.entries, state.at) = (Vec::new(), 0);
            return Ok(false);
        }
        let bad = |offset, problem: &str| TraceError::bad(&self.path, TracePlace::Byte(offset), problem);
        let gap = varint::get(blocks, &mut state.next_gap)
            .ok_or_else(|| bad(state.block, "the list of blocks is damaged"))?;
        let offset =
            state.block.checked_add(gap).ok_or_else(|| bad(state.block, "the list of blocks is damaged"))?;
        let mut head = [0; BLOCK];
        let io = |error| TraceError::io(&self.path, error);
        self.file.read_exact_at(&mut head, offset).map_err(io)?;
        let BlockHead { rank: owner, packed } = BlockHead::read(&head);
        if owner != rank || !packed.is_plausible() {
            return Err(bad(
                offset,
                "there is no block of this rank where one is to be: the file is damaged",
            ));
        }
        if offset + (BLOCK as u64) + u64::from(packed.stored) > self.length {
            return Err(bad(offset, "the block goes beyond the end of the file: it is damaged"));
        }
        self.stored.resize(packed.stored as usize, 0);
        self.file.read_exact_at(&mut self.stored, offset + BLOCK as u64).map_err(io)?;
        if crc32fast::hash(&self.stored) != packed.checksum {
            return Err(bad(offset, "the block's checksum is wrong: the file is damaged"));
        }
        state.entries.resize(packed.raw as usize, 0);
        match lz4_flex::block::decompress_into(&self.stored, &mut state.entries) {
            Ok(length) if length == packed.raw as usize => {}
            _ => return Err(bad(offset, "the block cannot be decompressed: the file is damaged")),
        }
        (state.block, state.at) = (offset, 0);
        Ok(true)
    }

    /// Writes the next entry as a call. True if it needs an answer.
    #[inline]
    fn step(&mut self, thread: u32, calls: &mut Calls<'_>) -> Result<bool, Refusal> {
        let BinaryTrace { lists, cursors, names, threads, shared, .. } = self;
        let state = &mut cursors[thread as usize];
        let names = &mut names[threads.rank_of(thread) as usize];
        let mut at = state.at;
        let (waits, outcome) = match entry::code_at(&state.entries, at) {
            Some(stored::SEND) => {
                let (before, call) = entry::get_send(&state.entries, &mut at).ok_or(NO_ENTRY)?;
                (names.pass_on(thread, shared, (before, call), calls)?, Outcome::None)
            }
            Some(stored::RECEIVE) => {
                let (before, call) = entry::get_receive(&state.entries, &mut at).ok_or(NO_ENTRY)?;
                (names.pass_on(thread, shared, (before, call), calls)?, Outcome::None)
            }
            _ => {
                let (before, call, outcome) = entry::get(&state.entries, &mut at, lists).ok_or(NO_ENTRY)?;
                (names.pass_on(thread, shared, (before, call), calls)?, outcome)
            }
        };
        if waits {
            state.awaited = (outcome != Outcome::None).then_some(outcome);
        }
        state.at = at;
        Ok(waits)
    }

    /// An entry is not what it is to be.
    fn bad_entry(&self, thread: u32, refusal: &Refusal) -> TraceError {
        let (Refusal::Wrong(problem) | Refusal::Missing(problem)) = refusal;
        let (rank, offset) = (self.threads.rank_of(thread), self.cursors[thread as usize].block);
        let problem = format!("in the block that starts here, rank {rank}: {problem}");
        TraceError::bad(&self.path, TracePlace::Byte(offset), problem)
    }

    /// Notes the numbers that this run gave to what the last call made.
    #[inline]
    fn note_reply(&mut self, thread: u32, reply: &Reply) {
        if let Some(outcome) = self.cursors[thread as usize].awaited.take() {
            self.names[self.threads.rank_of(thread) as usize].note(outcome, reply);
        }
        if !self.threads.are_none()
            && let Some(requests) = &mut self.names[self.threads.rank_of(thread) as usize].requests
        {
            requests.returned(thread);
        }
    }

    /// The next calls of a thread, of a trace whose ranks have several.
    fn next_of_thread(&mut self, thread: u32, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        let start = calls.words().len();
        self.syncs.clear();
        loop {
            if !self.obey_sync(thread) {
                return Ok(Step::Sleeps);
            }
            let state = &self.cursors[thread as usize];
            if state.at == state.entries.len() && !self.next_block(thread)? {
                self.threads.end(thread);
                return Ok(Step::Ended);
            }
            let state = &self.cursors[thread as usize];
            if entry::code_at(&state.entries, state.at) == Some(stored::SYNC) {
                let before = self.take_sync(thread).map_err(|refusal| self.bad_entry(thread, &refusal))?;
                if before.takes_no_time() && calls.words().len() == start {
                    continue;
                }
                return Ok(pass(before, calls));
            }
            match self.step(thread, calls) {
                Ok(true) => {
                    self.threads.goes_on(thread);
                    return Ok(Step::Waits);
                }
                Ok(false) => {}
                // The calls made so far have to be carried out first.
                Err(Refusal::Missing(_)) if calls.words().len() > start => {
                    return Ok(pass(Before::default(), calls));
                }
                Err(Refusal::Missing(_)) if self.threads.is_stuck(thread) => return Ok(Step::Sleeps),
                Err(refusal) => return Err(self.bad_entry(thread, &refusal)),
            }
        }
    }

    /// Does what a thread is to do with another before its next entry. False if it sleeps.
    fn obey_sync(&mut self, thread: u32) -> bool {
        let Some(sync) = self.cursors[thread as usize].sync else { return true };
        match sync {
            ThreadSync::Wakes(other) => self.threads.wake(thread, other),
            ThreadSync::Awaits(other) if self.threads.is_awake(thread, other) => {}
            ThreadSync::Awaits(_) => return false,
        }
        self.cursors[thread as usize].sync = None;
        self.syncs.push(sync);
        true
    }

    /// Reads an entry about another thread, which is to be obeyed next.
    fn take_sync(&mut self, thread: u32) -> Result<Before, Refusal> {
        let state = &mut self.cursors[thread as usize];
        let (before, sync) = entry::get_sync(&state.entries, &mut state.at).ok_or(NO_ENTRY)?;
        if !self.threads.are_siblings(thread, sync.other()) {
            return Err("a thread that its rank does not have".into());
        }
        state.sync = Some(sync);
        Ok(before)
    }
}

/// Lets time pass before what follows.
fn pass(before: Before, calls: &mut Calls<'_>) -> Step {
    let stamp = Stamp { burst: before.burst, delay: before.delay, ..Stamp::default() };
    calls.push(&stamp, &Call::Flush);
    Step::Waits
}

/// Why an entry is no call of this run.
enum Refusal {
    /// It never will be.
    Wrong(&'static str),
    /// It needs what its rank does not have. Another thread of the rank may make it.
    Missing(&'static str),
}

impl From<&'static str> for Refusal {
    fn from(problem: &'static str) -> Refusal {
        Refusal::Wrong(problem)
    }
}

const NO_ENTRY: &str = "this is no entry";
const NO_REQUEST: &str = "a request that was never started";

impl Names {
    /// Passes a call of the traced run on as a call of this run. True if it needs an answer.
    #[inline(always)]
    fn pass_on(
        &mut self,
        thread: u32,
        shared: &Shared,
        (before, mut call): (Before, Call<'_>),
        calls: &mut Calls<'_>,
    ) -> Result<bool, Refusal> {
        let Before { place, burst, delay } = before;
        let stamp = shared.stamps.get(place as usize).ok_or("a call from nowhere")?;
        let stamp = Stamp { burst, delay, ..*stamp };
        call.check(&mut TraceChecks { highest: &mut self.highest, sizes: &shared.sizes })?;
        self.translate(&mut call, shared.eager_limit)?;
        match &mut self.requests {
            None => calls.push(&stamp, &call),
            Some(requests) => {
                let mut waited = Vec::new();
                let missing = |_| Refusal::Missing(NO_REQUEST);
                requests.rename(thread, &mut call, &mut waited).map_err(missing)?;
                match call {
                    Call::Wait { how, poll, .. } => {
                        calls.push(&stamp, &Call::Wait { how, poll, requests: &waited })
                    }
                    ref call => calls.push(&stamp, call),
                }
            }
        }
        Ok(call.needs_answer())
    }

    /// Notes the number that this run gave to what a call made.
    fn note(&mut self, outcome: Outcome, reply: &Reply) {
        match outcome {
            Outcome::Context(Some(traced)) => {
                if let Some(context) = reply.context {
                    self.contexts.insert(traced, context);
                }
            }
            Outcome::Message(traced) => {
                if let Some(message) = reply.message {
                    self.messages.push((traced, message));
                }
            }
            Outcome::None | Outcome::Context(None) => {}
        }
    }

    /// Replaces numbers of the traced run by those of this run.
    #[inline(always)]
    fn translate(&mut self, call: &mut Call<'_>, eager_limit: u64) -> Result<(), Refusal> {
        if let Call::Send { answer, mode, bytes, .. } = call {
            // It was eager where it was traced, but under this model it may have to wait.
            *answer |= *bytes >= mode.eager_limit(eager_limit);
        }
        if let Some(context) = call.context_mut()
            && *context > SELF
        {
            let missing = Refusal::Missing("a communicator that this rank has not made");
            *context = *self.contexts.get(context).ok_or(missing)?;
        }
        if let Call::Recv { matched: Some(message), .. } = call {
            let taken = self.messages.iter().position(|(traced, _)| traced == message);
            let taken = taken.ok_or(Refusal::Missing("a message that no probe has taken"))?;
            *message = self.messages.swap_remove(taken).1;
        }
        Ok(())
    }
}

/// Checks a call by the numbers of the traced run. The engine checks again what it does not trust a replay with.
struct TraceChecks<'a> {
    /// The highest request of the rank so far.
    highest: &'a mut RequestId,
    /// How many ranks the communicators had.
    sizes: &'a HashMap<ContextId, usize>,
}

impl FieldChecks for TraceChecks<'_> {
    type Objection = Refusal;

    #[inline(always)]
    fn opens(&mut self, request: Option<RequestId>) -> Result<(), Refusal> {
        if request.is_some_and(|request| request == BLOCKING || request.get() > MOST_REQUESTS) {
            return Err("a request with an impossible number".into());
        }
        *self.highest = request.unwrap_or(BLOCKING).max(*self.highest);
        Ok(())
    }

    fn waits(&mut self, requests: &[RequestId]) -> Result<(), Refusal> {
        let known = |&request: &RequestId| request > BLOCKING && request <= *self.highest;
        if requests.iter().all(known) {
            Ok(())
        } else {
            Err(Refusal::Missing("a wait for what was never started"))
        }
    }

    fn uses(&mut self, request: RequestId) -> Result<(), Refusal> {
        self.waits(&[request]).map_err(|_| Refusal::Missing(NO_REQUEST))
    }

    /// The root exists, and blocks are for all ranks.
    fn collective(&mut self, call: &CollectiveCall<'_>) -> Result<(), Refusal> {
        let size = *self.sizes.get(&call.context).ok_or("a collective on a communicator that never was")?;
        // The rank in the communicator is known only when it enters, so try each possibility: a rank of either side, or the root.
        let seats = match call.peers {
            Peers::OtherSide { first } => [0, first, call.root],
            Peers::All | Peers::Neighbors { .. } => [0; 3],
        };
        match seats.iter().any(|&seat| call.is_sound(Member { rank: seat, size: size as u32 })) {
            true => Ok(()),
            false => Err("a collective that does not fit its communicator".into()),
        }
    }
}

impl Workload for BinaryTrace {
    fn ranks(&self) -> u32 {
        self.names.len() as u32
    }

    fn communicators(&self) -> Vec<Vec<u32>> {
        let given = self.footer.communicators.iter().take(self.footer.given as usize);
        given.map(|(_, members)| members.clone()).collect()
    }

    fn number_communicators_from(&mut self, first: ContextId) {
        let given = self.footer.communicators.iter().take(self.footer.given as usize);
        let numbers = (first.get()..).map(ContextId::new);
        let contexts: HashMap<_, _> = given.map(|(context, _)| *context).zip(numbers).collect();
        self.names.iter_mut().for_each(|names| names.contexts.clone_from(&contexts));
    }

    fn computation(&self) -> Computation {
        self.footer.computation
    }

    fn traced_communicators(&self) -> Vec<(ContextId, Vec<u32>)> {
        self.footer.communicators.clone()
    }

    fn traced_context(&self, rank: u32) -> Option<Option<ContextId>> {
        match self.cursors[rank as usize].awaited {
            Some(Outcome::Context(made)) => Some(made),
            _ => None,
        }
    }

    fn eager_limit(&mut self, bytes: u64) {
        self.shared.eager_limit = bytes;
    }

    fn share_done(&self) -> Option<f64> {
        let (state, blocks) = (self.cursors.first()?, &self.footer.ranks.first()?.1);
        let of_block = state.at as f64 / state.entries.len().max(1) as f64;
        let begun = state.next_gap as f64;
        Some((begun - begun.min(BYTES_OF_DISTANCE) * (1.0 - of_block)) / blocks.len().max(1) as f64)
    }

    fn next(&mut self, rank: u32, reply: &Reply, calls: &mut Calls<'_>) -> Result<Step, TraceError> {
        self.note_reply(rank, reply);
        if !self.threads.are_none() {
            return self.next_of_thread(rank, calls);
        }
        loop {
            let state = &self.cursors[rank as usize];
            if state.at == state.entries.len() && !self.next_block(rank)? {
                return Ok(Step::Ended);
            }
            match self.step(rank, calls) {
                Ok(true) => return Ok(Step::Waits),
                Ok(false) => {}
                Err(refusal) => return Err(self.bad_entry(rank, &refusal)),
            }
        }
    }

    fn threads(&self) -> &[u32] {
        self.threads.further()
    }

    fn take_woken(&mut self, woken: &mut Vec<u32>) {
        self.threads.take_woken(woken);
    }

    fn take_syncs(&mut self, syncs: &mut Vec<ThreadSync>) {
        syncs.append(&mut self.syncs);
    }

    fn sources(&self) -> Vec<(u64, String)> {
        let known = (KNOWN..).zip(&self.footer.places).filter(|(_, spot)| !spot.source.is_empty());
        known.map(|(site, spot)| (site, spot.source.clone())).collect()
    }

    fn place(&self, _rank: u32, site: u64) -> Option<(PathBuf, TracePlace)> {
        let spot = self.footer.places.get(usize::try_from(site.checked_sub(KNOWN)?).ok()?)?;
        Some(match spot.source.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
            Some((file, line)) => (file.into(), TracePlace::Line(line)),
            None => ((&spot.source).into(), TracePlace::File),
        })
    }
}

/// The number of ranks and the version of the format.
fn header(path: &Path, file: &File) -> Result<(u32, u32), TraceError> {
    let mut header = [0; HEADER];
    let short = |_| TraceError::bad(path, TracePlace::Byte(0), "is too short to be a trace");
    file.read_exact_at(&mut header, 0).map_err(short)?;
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if header[..8] != MAGIC[..] {
        return Err(TraceError::bad(path, TracePlace::Byte(0), "does not start as a trace of mpirage does"));
    }
    if !(OLDEST..=VERSION).contains(&word(8)) {
        let problem = format!(
            "has version {} of the format, but this mpirage reads versions {OLDEST} to {VERSION}",
            word(8)
        );
        return Err(TraceError::bad(path, TracePlace::Byte(8), problem));
    }
    Ok((word(12), word(8)))
}

fn footer(path: &Path, file: &File, length: u64, version: u32) -> Result<Footer, TraceError> {
    let cut_off = || {
        let problem = "the file has no end: it was cut off, or the run that wrote it did not come to its end";
        TraceError::bad(path, TracePlace::Byte(length), problem)
    };
    let at = length.checked_sub(TRAILER as u64).filter(|&at| at >= HEADER as u64).ok_or_else(cut_off)?;
    let mut bytes = [0; TRAILER];
    file.read_exact_at(&mut bytes, at).map_err(|error| TraceError::io(path, error))?;
    let Trailer { offset, packed } = Trailer::read(&bytes).ok_or_else(cut_off)?;
    let damaged = || TraceError::bad(path, TracePlace::Byte(offset), "the index at the end is damaged");
    if offset.checked_add(u64::from(packed.stored)) != Some(at) || !packed.is_plausible() {
        return Err(damaged());
    }
    let mut stored = vec![0; packed.stored as usize];
    file.read_exact_at(&mut stored, offset).map_err(|error| TraceError::io(path, error))?;
    if crc32fast::hash(&stored) != packed.checksum {
        return Err(damaged());
    }
    let raw = lz4_flex::block::decompress(&stored, packed.raw as usize).map_err(|_| damaged())?;
    Footer::read(&raw, version).filter(|_| raw.len() == packed.raw as usize).ok_or_else(damaged)
}
