//! The interface that all writers of traces without dates implement.
//!
//! A run reaches a [`TraceWriter`] as records ([`TraceRecorder`]). A workload that is not run reaches it as calls
//! ([`crate::convert`]). The writer does not know which of the two it is.

use std::collections::HashMap;
use std::error::Error;

use mpirage_call::{Call, Collective, ContextId, Method, Reply, Stamp, Work, function_name};
use mpirage_record::{Record, Recorder, Writer};
use mpirage_units::Duration;

use crate::{ThreadSync, TraceError};

/// Writes what ranks do to a trace. Events of one rank come in the order of its program.
///
/// If several threads of a rank call MPI, each thread but the first has a number of its own ([`TraceWriter::open_thread`]), which stands
/// for the rank in the events of the thread.
pub trait TraceWriter {
    /// A rank computed.
    fn computed(&mut self, rank: u32, work: Work);

    /// A rank did nothing while this time passed.
    fn paused(&mut self, rank: u32, span: Duration);

    /// A rank made a call that took `span`, if that is known. `reply` means nothing if the call needs no answer. Of the
    /// stamp, only function and site are valid: burst and delay have been passed to `computed` and `paused`.
    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration);

    /// A communicator exists from the start. `members` are ranks of the world. These calls come before all others.
    fn given_communicator(&mut self, context: ContextId, members: &[u32]) {
        self.communicator(context, members);
    }

    /// A communicator was made. `members` are ranks of the world.
    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        let _ = (context, members);
    }

    /// The rank performs the collective that it is in, or that it starts next, with this algorithm.
    fn scheduled(&mut self, rank: u32, context: ContextId, kind: Collective, method: Method) {
        let _ = (rank, context, kind, method);
    }

    /// A further thread of a rank calls MPI: the number of the thread, or none if the format cannot store threads.
    fn open_thread(&mut self, rank: u32) -> Option<u32> {
        let _ = rank;
        None
    }

    /// A thread, all calls of which so far have returned, wakes another thread of its rank, or is woken by it and goes on then.
    fn synchronized(&mut self, thread: u32, sync: ThreadSync) {
        let _ = (thread, sync);
    }

    /// A rank, all calls of which so far have returned, gave others the turn and went on at the same instant.
    fn handed_over(&mut self, rank: u32) {
        let _ = rank;
    }

    /// Asks `source` for the file and line (`halo.c:12`) of each call site. Called once, before `finish`.
    fn name_sites(&mut self, source: &mut dyn FnMut(u64) -> Option<String>) {
        let _ = source;
    }

    /// Can the format store accesses to windows and files? A run that has some is refused if not.
    fn stores_accesses(&self) -> bool;

    /// Completes the trace. Also reports errors of earlier calls.
    fn finish(&mut self) -> Result<(), TraceError>;

    /// Warnings about properties of the run that the format cannot express, so that the trace is less exact than the run.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<S: TraceWriter + ?Sized> TraceWriter for Box<S> {
    fn computed(&mut self, rank: u32, work: Work) {
        (**self).computed(rank, work);
    }

    fn paused(&mut self, rank: u32, span: Duration) {
        (**self).paused(rank, span);
    }

    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration) {
        (**self).called(rank, stamp, call, reply, span);
    }

    fn given_communicator(&mut self, context: ContextId, members: &[u32]) {
        (**self).given_communicator(context, members);
    }

    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        (**self).communicator(context, members);
    }

    fn scheduled(&mut self, rank: u32, context: ContextId, kind: Collective, method: Method) {
        (**self).scheduled(rank, context, kind, method);
    }

    fn open_thread(&mut self, rank: u32) -> Option<u32> {
        (**self).open_thread(rank)
    }

    fn handed_over(&mut self, rank: u32) {
        (**self).handed_over(rank);
    }

    fn synchronized(&mut self, thread: u32, sync: ThreadSync) {
        (**self).synchronized(thread, sync);
    }

    fn name_sites(&mut self, source: &mut dyn FnMut(u64) -> Option<String>) {
        (**self).name_sites(source);
    }

    fn stores_accesses(&self) -> bool {
        (**self).stores_accesses()
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        (**self).finish()
    }

    fn warnings(&self) -> Vec<String> {
        (**self).warnings()
    }
}

/// Why the format of a writer cannot store a call; none if it can.
pub(crate) fn beyond_format(
    writer: &(impl TraceWriter + ?Sized),
    stamp: &Stamp,
    call: &Call<'_>,
) -> Option<String> {
    let accesses = match call {
        _ if writer.stores_accesses() => return None,
        _ if call.is_one_sided() => "one-sided communication",
        _ if call.is_about_files() => "accesses to files",
        _ => return None,
    };
    let function = function_name(stamp.function);
    Some(format!("this format cannot store {accesses}, such as {function}; FILE.mpirage can"))
}

/// Why a format without threads cannot store a workload.
pub(crate) const NO_THREADS: &str =
    "this format cannot store calls of several threads of a rank; FILE.mpirage can";

/// The threads of a rank that has several.
struct RankThreads {
    /// The number of each in the trace.
    numbers: Vec<u32>,
    /// The one that records are of.
    current: u32,
}

/// Passes the records of a run to a trace writer.
pub struct TraceRecorder<S> {
    writer: S,
    /// Ranks of which several threads call MPI.
    threads: HashMap<u32, RankThreads>,
    /// Has a rank done anything? Communicators recorded before that exist from the start.
    begun: bool,
    /// A feature that the run used and no trace can store.
    beyond: Option<String>,
}

impl<S: TraceWriter> TraceRecorder<S> {
    /// Passes records to `writer`.
    pub fn new(writer: S) -> TraceRecorder<S> {
        TraceRecorder { writer, threads: HashMap::new(), begun: false, beyond: None }
    }

    /// The run did something that the trace cannot store.
    fn refuse(&mut self, what: impl FnOnce() -> String) {
        self.beyond.get_or_insert_with(what);
    }

    /// The number in the trace of the thread that records of this rank are of.
    #[inline]
    fn number(&self, rank: u32) -> u32 {
        if self.threads.is_empty() {
            return rank;
        }
        self.threads.get(&rank).map_or(rank, |threads| threads.current)
    }

    /// The number in the trace of a thread of this rank. None if it has none, since the format has no threads.
    fn thread_number(&mut self, rank: u32, thread: u32) -> Option<u32> {
        let threads =
            self.threads.entry(rank).or_insert_with(|| RankThreads { numbers: vec![rank], current: rank });
        if threads.numbers.len() <= thread as usize {
            threads.numbers.push(self.writer.open_thread(rank)?);
        }
        threads.numbers.get(thread as usize).copied()
    }

    /// The trace writer.
    pub fn writer(&mut self) -> &mut S {
        &mut self.writer
    }
}

impl<S: TraceWriter> Recorder for TraceRecorder<S> {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { rank, function, entered, left, site, details: Some(details) } => {
                let stamp = Stamp { function, site, ..Stamp::default() };
                match beyond_format(&self.writer, &stamp, details.call) {
                    Some(what) => self.refuse(|| what),
                    None => {
                        let rank = self.number(rank);
                        self.writer.called(rank, &stamp, details.call, details.reply, left.since(entered));
                    }
                }
            }
            Record::Burst { rank, work, .. } => self.writer.computed(self.number(rank), work),
            Record::Pause { rank, start, end } => self.writer.paused(self.number(rank), end.since(start)),
            Record::Comm { context, members } if self.begun => self.writer.communicator(context, members),
            Record::Comm { context, members } => self.writer.given_communicator(context, members),
            Record::Schedule { rank, context, kind, method: Some(method), .. } => {
                self.writer.scheduled(self.number(rank), context, kind, method);
            }
            Record::Call { .. } | Record::Schedule { .. } | Record::Message(_) | Record::End { .. } => {}
        }
        self.begun |= !matches!(record, Record::Comm { .. });
    }

    fn thread(&mut self, rank: u32, thread: u32) {
        match self.thread_number(rank, thread) {
            Some(number) => {
                if let Some(threads) = self.threads.get_mut(&rank) {
                    threads.current = number;
                }
            }
            None => self.refuse(|| NO_THREADS.to_owned()),
        }
    }

    fn handed_over(&mut self, rank: u32) {
        self.writer.handed_over(self.number(rank));
    }

    fn woken(&mut self, rank: u32, thread: u32, by: u32) {
        if let (Some(woken), Some(thread)) = (self.thread_number(rank, thread), self.thread_number(rank, by))
        {
            self.writer.synchronized(thread, ThreadSync::Wakes(woken));
            self.writer.synchronized(woken, ThreadSync::Awaits(thread));
        }
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}

impl<S: TraceWriter> Writer for TraceRecorder<S> {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if let Some(what) = &self.beyond {
            return Err(TraceError::Spec(format!("a trace for replay: {what}")).into());
        }
        Ok(self.writer.finish()?)
    }

    fn warnings(&self) -> Vec<String> {
        self.writer.warnings()
    }
}
