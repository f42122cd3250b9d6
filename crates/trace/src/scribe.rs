//! Taking down what ranks do, whoever tells.
//!
//! A run tells of its ranks in records ([`Transcript`]); a workload that is not run tells by yielding calls
//! ([`crate::convert`]). Writers of traces without dates are [`Scribe`]s and need not know which it is.

use std::error::Error;

use mpirage_call::{Call, ContextId, Reply, Stamp, Work};
use mpirage_collectives::{Algorithm, Collective};
use mpirage_record::{Record, Recorder, Writer};
use mpirage_units::Duration;

use crate::TraceError;

/// Somebody who takes down what ranks do. What one rank does comes in the order of its program.
pub trait Scribe {
    /// A rank computed.
    fn computed(&mut self, rank: u32, work: Work);

    /// Time passed in a rank that did nothing.
    fn paused(&mut self, rank: u32, span: Duration);

    /// A rank has made a call and was told `reply`; of calls that need no answer, an old one. It took `span`, if that is
    /// known. Of the stamp, function and site count: burst and delay have been told.
    fn called(&mut self, rank: u32, stamp: &Stamp, call: &Call<'_>, reply: &Reply, span: Duration);

    /// A communicator was there from the start, as ranks of the world. All of them come first.
    fn given_communicator(&mut self, context: ContextId, members: &[u32]) {
        self.communicator(context, members);
    }

    /// A communicator was made, as ranks of the world.
    fn communicator(&mut self, context: ContextId, members: &[u32]) {
        let _ = (context, members);
    }

    /// The collective that the rank is in, or starts, is done this way.
    fn scheduled(&mut self, rank: u32, context: ContextId, kind: Collective, algorithm: Algorithm) {
        let _ = (rank, context, kind, algorithm);
    }

    /// Asks for the file and line (`halo.c:12`) of each site that calls came from. Comes last, before `finish`.
    fn name_sites(&mut self, source: &mut dyn FnMut(u64) -> Option<String>) {
        let _ = source;
    }

    /// There is nothing more. What went wrong before is told here too.
    fn finish(&mut self) -> Result<(), TraceError>;

    /// What the trace says less exactly than was told.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<S: Scribe + ?Sized> Scribe for Box<S> {
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

    fn scheduled(&mut self, rank: u32, context: ContextId, kind: Collective, algorithm: Algorithm) {
        (**self).scheduled(rank, context, kind, algorithm);
    }

    fn name_sites(&mut self, source: &mut dyn FnMut(u64) -> Option<String>) {
        (**self).name_sites(source);
    }

    fn finish(&mut self) -> Result<(), TraceError> {
        (**self).finish()
    }

    fn warnings(&self) -> Vec<String> {
        (**self).warnings()
    }
}

/// A scribe who listens to a run.
pub struct Transcript<S> {
    scribe: S,
    /// Has a rank done anything?
    begun: bool,
}

impl<S: Scribe> Transcript<S> {
    /// Tells `scribe` what happens.
    pub fn new(scribe: S) -> Transcript<S> {
        Transcript { scribe, begun: false }
    }

    /// The scribe.
    pub fn scribe(&mut self) -> &mut S {
        &mut self.scribe
    }
}

impl<S: Scribe> Recorder for Transcript<S> {
    fn record(&mut self, record: &Record<'_>) {
        match *record {
            Record::Call { rank, function, entered, left, site, details: Some(details) } => {
                let stamp = Stamp { function, site, ..Stamp::default() };
                self.scribe.called(rank, &stamp, details.call, details.reply, left.since(entered));
            }
            Record::Burst { rank, work, .. } => self.scribe.computed(rank, work),
            Record::Pause { rank, start, end } => self.scribe.paused(rank, end.since(start)),
            Record::Comm { context, members } if self.begun => self.scribe.communicator(context, members),
            Record::Comm { context, members } => self.scribe.given_communicator(context, members),
            Record::Schedule { rank, context, kind, algorithm: Some(algorithm), .. } => {
                self.scribe.scheduled(rank, context, kind, algorithm);
            }
            Record::Call { .. } | Record::Schedule { .. } | Record::Message(_) | Record::End { .. } => {}
        }
        self.begun |= !matches!(record, Record::Comm { .. });
    }

    fn wants_arguments(&self) -> bool {
        true
    }
}

impl<S: Scribe> Writer for Transcript<S> {
    fn finish(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.scribe.finish()?)
    }

    fn warnings(&self) -> Vec<String> {
        self.scribe.warnings()
    }
}
