//! The loop of a run: it carries out what the engine wants, line by line.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mpirage_call::{LineId, RankId};

use mpirage_mpi::{Ending, Turn};
use mpirage_units::Duration as Span;

use crate::ahead::Ahead;
use crate::border::Simulation;
use crate::crash::Death;
use crate::processes::PATIENCE;
use crate::program::{Identity, Program};
use crate::ranks::Ranks;
use crate::session::{Outcome, Session, SessionError, SoFar, Watch};
use crate::signals::Signals;
use crate::spinning::{SLOW, Spinning};
use crate::stop::Stop;

/// The time between two displays of progress.
const PROGRESS: Duration = Duration::from_millis(100);
/// In simulated time, how long a launcher takes to notice that a rank has exited.
const NOTICED_AFTER: Span = Span::from_nanos(1_000_000);
/// How long others may go on then in real time. gfortran looks up its backtrace of an `error stop` for half a second.
const MOST_PATIENCE: Duration = Duration::from_secs(10);
/// How many switches between two looks at the clock.
const LOOK_EVERY: u32 = 512;

/// A run under way.
pub(crate) struct Running<'a> {
    pub session: &'a Session,
    pub simulation: Simulation<'a>,
    pub watch: &'a mut dyn Watch,
    pub signals: Signals,
    pub ahead: Ahead,
    folded: bool,
    /// Folded ranks are to be held by several workers.
    has_workers: bool,
    pub code: i32,
    pub ended: usize,
    switches: u32,
    shown: Instant,
    pub spinning: Spinning,
    /// When a run that has failed waits for no rank any more.
    give_up_at: Option<Instant>,
    /// The programs of ranks that other ranks have started, in order.
    pub spawned: Vec<Arc<Program>>,
}

impl<'a> Running<'a> {
    pub(crate) fn new(
        session: &'a Session,
        mut simulation: Simulation<'a>,
        watch: &'a mut dyn Watch,
        signals: Signals,
        ahead: Ahead,
    ) -> Running<'a> {
        let (shown, folded) = (Instant::now(), !simulation.ranks().are_processes());
        let has_workers = matches!(simulation.ranks(), Ranks::Workers(_));
        Running {
            session,
            simulation,
            watch,
            signals,
            ahead,
            folded,
            has_workers,
            code: 0,
            ended: 0,
            switches: 0,
            shown,
            spinning: Spinning::default(),
            give_up_at: None,
            spawned: Vec::new(),
        }
    }

    pub(crate) fn run_to_the_end(&mut self) -> Result<Outcome, SessionError> {
        loop {
            let turn = self.simulation.advance();
            if self.simulation.ranks().has_fault()
                && let Some(outcome) = self.fault()
            {
                return Ok(outcome);
            }
            match turn {
                Turn::Output(rank) => self.show(rank)?,
                Turn::End => return Ok(Outcome::of(self.simulation.take_ending(), self.code)),
                Turn::Release(line) if self.has_workers => self.release_to_worker(line),
                Turn::Release(line) => self.release(line),
                Turn::Resume(line) => {
                    if let Some(outcome) = self.resume(line)? {
                        if matches!(outcome, Outcome::RankDied { death: Death::Exit(_), .. }) {
                            self.let_others_go_on()?;
                        }
                        return Ok(outcome);
                    }
                }
            }
            self.look_around()?;
        }
    }

    /// A rank has exited too early. A launcher ends the others a moment later, so they go on for that long: if all ranks stop, each has
    /// printed its last lines.
    fn let_others_go_on(&mut self) -> Result<(), SessionError> {
        let (until, end) = (self.simulation.now() + NOTICED_AFTER, Instant::now() + MOST_PATIENCE);
        self.give_up_at = Some(end);
        self.simulation.ranks().set_limit(MOST_PATIENCE);
        while Instant::now() < end && !self.simulation.ranks().has_fault() {
            match self.simulation.next_turn() {
                Some(Turn::Output(rank)) => self.show(rank)?,
                Some(Turn::Release(_)) => {}
                // Threads have no limit of their own.
                Some(Turn::Resume(line)) if !self.folded && self.is_threaded(line) => break,
                Some(Turn::Resume(line)) => {
                    if let Some(Outcome::RankHangs { .. }) = self.resume(line)? {
                        break;
                    }
                }
                None if self.simulation.next_instant().is_some_and(|next| next <= until) => {
                    self.simulation.pass_to_next_instant();
                }
                Some(Turn::End) | None => break,
            }
        }
        Ok(())
    }

    /// A rank's memory could not be reached.
    pub(crate) fn fault(&mut self) -> Option<Outcome> {
        if let Some(lost) = self.lost_worker() {
            return Some(lost);
        }
        let (rank, text) = self.simulation.ranks().fault()?;
        Some(match self.simulation.ranks().death(rank) {
            Some(death) => Outcome::RankDied { rank: rank.get(), death },
            None => Outcome::Ended(Ending::Misuse { rank: rank.get(), text }),
        })
    }

    /// Starts the rank of a line, or gives the line its reply: it runs.
    pub(crate) fn give_turn(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        let rank = self.simulation.ranks().rank_of(line);
        if self.simulation.ranks().started() == rank.index() {
            self.start(rank)?;
            return Ok(None);
        }
        let given = self.simulation.give_reply(line);
        Ok(given.err().map(|text| Outcome::Ended(Ending::Misuse { rank: rank.get(), text })))
    }

    /// Simulated time has come: lets a line run, unless it ran ahead, until it waits again or ends.
    pub(crate) fn resume(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        if self.folded {
            return if self.has_workers { self.resume_in_worker(line) } else { self.resume_folded(line) };
        }
        let mut ran_ahead = self.ahead.ran_ahead(line);
        loop {
            if !ran_ahead && self.is_threaded(line) {
                return self.resume_thread(line);
            }
            if !ran_ahead && let Some(outcome) = self.run_here(line)? {
                return Ok(Some(outcome));
            }
            match self.wait(line)? {
                Ok(Stop::Waits) if ran_ahead && self.simulation.ranks().asks_when(line) => ran_ahead = false,
                Ok(_) if self.is_threaded(line) => return self.threads_begin(line),
                Ok(Stop::Interrupted(place)) => {
                    let ended = self.stopped(line, Stop::Waits);
                    return Ok(ended.or_else(|| self.interrupted(line, place)));
                }
                Ok(stop) => return Ok(self.stopped(line, stop)),
                Err(outcome) => return Ok(Some(outcome)),
            }
        }
    }

    /// The same for a folded rank of this process, which never runs ahead: a switch of stacks is enough.
    pub(crate) fn resume_folded(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        if let Some(outcome) = self.give_turn(line)? {
            return Ok(Some(outcome));
        }
        if self.spinning.any() {
            self.set_slice(line);
        }
        let stop = self.simulation.ranks().wait(line, &[], PATIENCE);
        self.folded_stopped(line, stop)
    }

    /// A folded rank has stopped.
    #[inline(always)]
    pub(crate) fn folded_stopped(
        &mut self,
        line: LineId,
        stop: Option<Stop>,
    ) -> Result<Option<Outcome>, SessionError> {
        match stop {
            Some(Stop::Waits) | None => {
                if self.spinning.any() {
                    self.spinning.called(line);
                    self.set_slice(line);
                }
                self.simulation.take_calls(line, false);
                Ok(None)
            }
            Some(Stop::Interrupted(place)) => {
                self.simulation.take_calls(line, false);
                Ok(self.interrupted(line, place))
            }
            Some(Stop::Ended(death)) => Ok(self.rank_ended(line, death)),
            Some(Stop::Cancelled) => {
                self.signals.check()?;
                let seconds = self.session.rank_timeout.unwrap_or_default().as_secs_f64();
                let rank = self.simulation.ranks().rank_of(line).get();
                Ok(Some(Outcome::RankHangs { rank, seconds }))
            }
            Some(Stop::HasThreads) => unreachable!("a folded rank has one thread"),
        }
    }

    pub(crate) fn stopped(&mut self, line: LineId, stop: Stop) -> Option<Outcome> {
        self.back_in_time(line);
        if let Stop::Ended(death) = stop {
            return self.rank_ended(line, death);
        }
        let rank = self.simulation.ranks().rank_of(line);
        self.note_addresses(rank);
        self.simulation.take_calls(line, false);
        None
    }

    /// Once per program: where its code is, for explanations after its end.
    pub(crate) fn note_addresses(&mut self, rank: RankId) {
        let before = rank.get().checked_sub(1).map(|before| self.program(RankId::new(before)));
        let first = before.is_none_or(|before| !Arc::ptr_eq(self.program(rank), before));
        if first && self.simulation.ranks().note_addresses(rank) {
            self.watch.loaded(self.simulation.ranks());
            if !self.simulation.ranks().copies_directly(rank) {
                // The simulator reaches their memory only with their help, and only while they wait.
                self.simulation.release_early(false);
            }
        }
    }

    fn start(&mut self, rank: RankId) -> Result<(), SessionError> {
        let (program, first, size) = match self.session.world_of(rank) {
            Some((first, size)) => (self.prepare_first(rank, first, size), first, size),
            None => self.prepare_spawned(rank),
        };
        let (host, local, locals) = &self.session.hosts[rank.index()];
        let who = Identity { rank, first, size, local: (*local, *locals), host };
        let started = self.simulation.ranks().start(&program, &who);
        started
            .map_err(|error| SessionError::Start { program: program.path.display().to_string(), error })?;
        // The second shows how far apart the others will be.
        if self.folded && (rank.get() <= 1 || rank.get() + 1 == size) {
            self.watch.loaded(self.simulation.ranks());
        }
        Ok(())
    }

    fn wait(&mut self, line: LineId) -> Result<Result<Stop, Outcome>, SessionError> {
        let mut began = self.ahead.is_possible().then(Instant::now);
        let (mut asked, mut reported) = (false, false);
        let rank = self.simulation.ranks().rank_of(line);
        let mut probation = self.ahead.probation(self.site(line));
        let slice = self.slice_of_sharing(line);
        let patience = slice.map_or(PATIENCE, |slice| slice.min(PATIENCE));
        loop {
            let others: Vec<LineId> = self.ahead.running().filter(|&other| other != line).collect();
            let stop = self.simulation.ranks().wait(line, &others, probation.unwrap_or(patience));
            self.signals.check()?;
            if let Some(stop) = stop.filter(|&stop| stop != Stop::Cancelled) {
                began.inspect(|began| self.learn_from(line, began.elapsed()));
                return Ok(Ok(self.called_or_yielded(line, stop, slice.is_some() && asked)));
            }
            if stop.is_none() && self.is_threaded(line) {
                return Ok(Ok(Stop::HasThreads));
            }
            self.simulation.look_for_other_mpi(rank);
            let waited = began.get_or_insert_with(Instant::now).elapsed();
            if probation.take_if(|span| waited >= *span).is_some() {
                self.proved_long(line);
            }
            self.fill_cores();
            self.show_progress();
            if waited > SLOW && asked && !std::mem::replace(&mut reported, true) {
                let place = self.simulation.ranks().take_interruption(line);
                self.report_slow(rank, waited, place);
            }
            if slice.is_some_and(|slice| waited >= slice) || waited > SLOW && !reported {
                asked = true;
                self.simulation.ranks().ask_to_yield(line);
            }
            let limit = self.session.rank_timeout;
            if limit.is_some_and(|limit| waited > limit)
                || self.is_given_up()
                || stop == Some(Stop::Cancelled)
            {
                let seconds = limit.map_or(waited, |limit| limit.max(waited)).as_secs_f64();
                return Ok(Err(Outcome::RankHangs { rank: rank.get(), seconds }));
            }
        }
    }

    /// Has the run failed, and does it wait for no rank any more?
    pub(crate) fn is_given_up(&self) -> bool {
        self.give_up_at.is_some_and(|end| Instant::now() >= end)
    }

    /// The rank of a line has ended. That ends the run if the rank has initialized MPI and not finalized it.
    pub(crate) fn rank_ended(&mut self, line: LineId, death: Death) -> Option<Outcome> {
        self.simulation.take_calls(line, true);
        self.ended += 1;
        let rank = self.simulation.ranks().rank_of(line);
        let (initialized, finalized) = self.simulation.lifecycle(rank);
        let too_early = initialized && !finalized;
        if too_early || !matches!(death, Death::Exit(_)) {
            return Some(Outcome::RankDied { rank: rank.get(), death });
        }
        if self.code == 0 {
            self.code = death.code();
        }
        None
    }

    pub(crate) fn show(&mut self, rank: RankId) -> Result<(), SessionError> {
        let shown = self.simulation.ranks().show_output(rank, &mut *self.watch.output(rank.get()));
        shown.map_err(SessionError::Output)
    }

    /// Now and then: checks for signals that end the run, and shows progress.
    pub(crate) fn look_around(&mut self) -> Result<(), SessionError> {
        self.switches += 1;
        if self.switches.is_multiple_of(LOOK_EVERY) {
            self.signals.check()?;
            self.show_progress();
        }
        Ok(())
    }

    pub(crate) fn show_progress(&mut self) {
        if self.shown.elapsed() > PROGRESS {
            self.shown = Instant::now();
            let (simulated, share) = (self.simulation.now().as_secs_f64(), self.simulation.share_done());
            self.watch.progress(SoFar { simulated, ended: self.ended, share });
        }
    }
}

/// At the end of a run, however it ends, all output of the ranks is shown. Output that a rank wrote ahead of simulated time does not
/// exist yet.
impl Drop for Running<'_> {
    fn drop(&mut self) {
        let ranks = self.simulation.ranks();
        for rank in (0..ranks.started() as u32).map(RankId::new) {
            let line = LineId::first_of(rank);
            if !self.ahead.ran_ahead(line) && !ranks.ran_ahead_in_worker(line) {
                ranks.collect_output(rank);
            }
            let _ = ranks.show_output(rank, &mut *self.watch.output(rank.get()));
        }
    }
}
