//! What all writers of traces without dates implement.
//!
//! A run reaches a [`TraceWriter`] as records ([`TraceRecorder`]). A workload that is not run reaches it as calls
//! ([`crate::convert`]). The writer does not know which of the two it is.

use std::error::Error;

use mpirage_call::{Call, ContextId, Reply, Stamp, Work, function_name};
use mpirage_collectives::{Collective, Method};
use mpirage_record::{Record, Recorder, Writer};
use mpirage_units::Duration;

use crate::TraceError;

/// Writes what ranks do to a trace. Events of one rank come in the order of its program.
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

    /// Asks `source` for the file and line (`halo.c:12`) of each call site. Called once, before `finish`.
    fn name_sites(&mut self, source: &mut dyn FnMut(u64) -> Option<String>) {
        let _ = source;
    }

    /// Can the format store accesses to windows and files? A run that has some is refused if not.
    fn stores_accesses(&self) -> bool;

    /// Completes the trace. Also reports errors of earlier calls.
    fn finish(&mut self) -> Result<(), TraceError>;

    /// What the format cannot express, so that the trace is less exact than the run.
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

/// Passes the records of a run to a trace writer.
pub struct TraceRecorder<S> {
    writer: S,
    /// Has a rank done anything? Communicators recorded before that exist from the start.
    begun: bool,
    /// What the run did that no trace can store.
    beyond: Option<String>,
}

impl<S: TraceWriter> TraceRecorder<S> {
    /// Passes records to `writer`.
    pub fn new(writer: S) -> TraceRecorder<S> {
        TraceRecorder { writer, begun: false, beyond: None }
    }

    /// The run did something that the trace cannot store.
    fn refuse(&mut self, what: impl FnOnce() -> String) {
        self.beyond.get_or_insert_with(what);
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
                        self.writer.called(rank, &stamp, details.call, details.reply, left.since(entered));
                    }
                }
            }
            Record::Burst { rank, work, .. } => self.writer.computed(rank, work),
            Record::Pause { rank, start, end } => self.writer.paused(rank, end.since(start)),
            Record::Comm { context, members } if self.begun => self.writer.communicator(context, members),
            Record::Comm { context, members } => self.writer.given_communicator(context, members),
            Record::Schedule { rank, context, kind, method: Some(method), .. } => {
                self.writer.scheduled(rank, context, kind, method);
            }
            Record::Call { .. } | Record::Schedule { .. } | Record::Message(_) | Record::End { .. } => {}
        }
        self.begun |= !matches!(record, Record::Comm { .. });
    }

    fn thread(&mut self, rank: u32) {
        self.refuse(|| format!("it cannot store several threads of a rank inside MPI, as rank {rank} had"));
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
