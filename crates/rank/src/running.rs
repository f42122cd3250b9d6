//! The loop of a run: what the engine wants is done, rank by rank.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mpirage_mpi::{Engine, Segment, Turn};

use crate::ahead::Ahead;
use crate::crash::Death;
use crate::processes::PATIENCE;
use crate::program::Identity;
use crate::ranks::{Ranks, Stop};
use crate::session::{Outcome, Session, SessionError, Watch};
use crate::signals::Signals;

/// How long a rank may compute before somebody is told.
const SLOW: Duration = Duration::from_secs(30);
/// How often progress is shown.
const PROGRESS: Duration = Duration::from_millis(100);
/// How many switches between two looks at the clock.
const LOOK_EVERY: u32 = 512;

/// A run that goes on.
pub(crate) struct Running<'a> {
    session: &'a Session,
    pub engine: &'a mut Engine<Ranks>,
    watch: &'a mut dyn Watch,
    pub signals: Signals,
    pub ahead: Ahead,
    folded: bool,
    code: i32,
    ended: usize,
    switches: u32,
    shown: Instant,
}

impl<'a> Running<'a> {
    pub(crate) fn new(
        session: &'a Session,
        engine: &'a mut Engine<Ranks>,
        watch: &'a mut dyn Watch,
        signals: Signals,
        ahead: Ahead,
    ) -> Running<'a> {
        let (shown, folded) = (Instant::now(), !engine.memory().are_processes());
        Running { session, engine, watch, signals, ahead, folded, code: 0, ended: 0, switches: 0, shown }
    }

    pub(crate) fn run_to_the_end(&mut self) -> Result<Outcome, SessionError> {
        loop {
            let turn = self.engine.advance();
            if self.engine.memory().has_fault()
                && let Some(outcome) = self.fault()
            {
                return Ok(outcome);
            }
            match turn {
                Turn::Output(rank) => self.show(rank)?,
                Turn::End => return Ok(Outcome::of(self.engine.take_ending(), self.code)),
                Turn::Release(rank) => self.release(rank),
                Turn::Resume(rank) => {
                    if let Some(outcome) = self.resume(rank)? {
                        return Ok(outcome);
                    }
                }
            }
            self.look_around()?;
        }
    }

    /// A rank's memory could not be reached.
    fn fault(&mut self) -> Option<Outcome> {
        let (rank, text) = self.engine.memory().fault()?;
        Some(match self.engine.memory().death(rank) {
            Some(death) => Outcome::RankDied { rank, death },
            None => Outcome::Misuse { rank, text },
        })
    }

    /// Starts a rank, or gives it its reply: it runs.
    pub(crate) fn give_turn(&mut self, rank: u32) -> Result<Option<Outcome>, SessionError> {
        if self.engine.memory().started() == rank as usize {
            self.start(rank)?;
            return Ok(None);
        }
        let given = self.engine.give_reply(rank, |ranks, reply| ranks.answer(rank, reply));
        Ok(given.err().map(|text| Outcome::Misuse { rank, text }))
    }

    /// Simulated time is there: lets a rank run, unless it did so ahead of it, until it waits again or ends.
    fn resume(&mut self, rank: u32) -> Result<Option<Outcome>, SessionError> {
        if self.folded {
            return self.resume_folded(rank);
        }
        let mut ran_ahead = self.ahead.ran_ahead(rank);
        loop {
            if !ran_ahead && let Some(outcome) = self.run_here(rank)? {
                return Ok(Some(outcome));
            }
            match self.wait(rank)? {
                Ok(Stop::Waits) if ran_ahead && self.engine.memory().asks_when(rank) => ran_ahead = false,
                Ok(stop) => return Ok(self.stopped(rank, stop)),
                Err(outcome) => return Ok(Some(outcome)),
            }
        }
    }

    /// The same of a folded rank: nobody runs ahead, and a switch is all there is to it.
    fn resume_folded(&mut self, rank: u32) -> Result<Option<Outcome>, SessionError> {
        if let Some(outcome) = self.give_turn(rank)? {
            return Ok(Some(outcome));
        }
        match self.engine.memory().wait(rank, &[], PATIENCE) {
            Some(Stop::Waits) | None => {
                self.take_calls(rank, false);
                Ok(None)
            }
            Some(Stop::Ended(death)) => Ok(self.rank_ended(rank, death)),
            Some(Stop::Cancelled) => {
                self.signals.check()?;
                let seconds = self.session.rank_timeout.unwrap_or_default().as_secs_f64();
                Ok(Some(Outcome::RankHangs { rank, seconds }))
            }
        }
    }

    fn stopped(&mut self, rank: u32, stop: Stop) -> Option<Outcome> {
        self.back_in_time(rank);
        if let Stop::Ended(death) = stop {
            return self.rank_ended(rank, death);
        }
        self.note_addresses(rank);
        self.take_calls(rank, false);
        None
    }

    /// Once per program: where its code is, for explanations after its end.
    fn note_addresses(&mut self, rank: u32) {
        let programs = &self.session.programs;
        let first = rank == 0 || !Arc::ptr_eq(&programs[rank as usize], &programs[rank as usize - 1]);
        if first && self.engine.memory().note_addresses(rank) {
            self.watch.loaded(self.engine.memory());
            if !self.engine.memory().copies_directly(rank) {
                // Their memory can be reached with their help only, and only while they wait.
                self.engine.release_early(false);
            }
        }
    }

    fn start(&mut self, rank: u32) -> Result<(), SessionError> {
        let program = &self.session.programs[rank as usize];
        let (host, local, locals) = &self.session.hosts[rank as usize];
        let size = self.session.programs.len() as u32;
        let who = Identity { rank, size, local: (*local, *locals), host };
        let started = self.engine.memory().start(program, &who);
        started
            .map_err(|error| SessionError::Start { program: program.path.display().to_string(), error })?;
        // The second shows how far apart the others will be.
        if self.folded && (rank <= 1 || rank + 1 == size) {
            self.watch.loaded(self.engine.memory());
        }
        Ok(())
    }

    fn wait(&mut self, rank: u32) -> Result<Result<Stop, Outcome>, SessionError> {
        let mut began = self.ahead.is_possible().then(Instant::now);
        let mut told = false;
        let mut probation = self.ahead.probation(self.site(rank));
        loop {
            let others: Vec<u32> = self.ahead.running().filter(|&other| other != rank).collect();
            let stop = self.engine.memory().wait(rank, &others, probation.unwrap_or(PATIENCE));
            self.signals.check()?;
            if let Some(stop) = stop.filter(|&stop| stop != Stop::Cancelled) {
                began.inspect(|began| self.learn_from(rank, began.elapsed()));
                return Ok(Ok(stop));
            }
            self.engine.memory().look_for_other_mpi(rank);
            let waited = began.get_or_insert_with(Instant::now).elapsed();
            if probation.take_if(|span| waited >= *span).is_some() {
                self.proved_long(rank);
            }
            self.fill_cores();
            self.show_progress();
            if waited > SLOW && !told {
                told = true;
                self.watch.slow_rank(rank, waited.as_secs_f64());
            }
            let limit = self.session.rank_timeout;
            if limit.is_some_and(|limit| waited > limit) || stop == Some(Stop::Cancelled) {
                let seconds = limit.map_or(waited, |limit| limit.max(waited)).as_secs_f64();
                return Ok(Err(Outcome::RankHangs { rank, seconds }));
            }
        }
    }

    fn take_calls(&mut self, rank: u32, ended: bool) {
        self.engine.take_calls(rank, |ranks, calls| {
            ranks.calls(rank, calls);
            Segment { wrote: ranks.collect_output(rank), ended }
        });
    }

    /// A process is no more: fine if it never started MPI or finished with it, an end of the run otherwise.
    fn rank_ended(&mut self, rank: u32, death: Death) -> Option<Outcome> {
        self.take_calls(rank, true);
        self.ended += 1;
        let (initialized, finalized) = self.engine.lifecycle(rank);
        let too_early = initialized && !finalized;
        if too_early || !matches!(death, Death::Exit(_)) {
            return Some(Outcome::RankDied { rank, death });
        }
        if self.code == 0 {
            self.code = death.code();
        }
        None
    }

    fn show(&mut self, rank: u32) -> Result<(), SessionError> {
        let shown = self.engine.memory().show_output(rank, &mut *self.watch.output(rank));
        shown.map_err(SessionError::Output)
    }

    /// Now and then: does somebody want us to stop, is it time to show progress?
    fn look_around(&mut self) -> Result<(), SessionError> {
        self.switches += 1;
        if self.switches.is_multiple_of(LOOK_EVERY) {
            self.signals.check()?;
            self.show_progress();
        }
        Ok(())
    }

    fn show_progress(&mut self) {
        if self.shown.elapsed() > PROGRESS {
            self.shown = Instant::now();
            self.watch.progress(self.engine.now().as_secs_f64(), self.ended);
        }
    }
}

/// Whatever ends the run, nothing is lost that was written up to here. What a rank wrote ahead of time was not written yet.
impl Drop for Running<'_> {
    fn drop(&mut self) {
        let ranks = self.engine.memory();
        for rank in 0..ranks.started() as u32 {
            if !self.ahead.ran_ahead(rank) {
                ranks.collect_output(rank);
            }
            let _ = ranks.show_output(rank, &mut *self.watch.output(rank));
        }
    }
}
