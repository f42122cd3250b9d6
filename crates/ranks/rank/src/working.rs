//! Runs lines of ranks that worker processes hold.

use std::time::{Duration, Instant};

use mpirage_call::LineId;

use crate::ranks::Ranks;
use crate::running::Running;
use crate::session::{Outcome, SessionError};
use crate::stop::Stop;
use crate::workers::Workers;

impl Running<'_> {
    fn workers(&mut self) -> Option<&mut Workers> {
        match self.simulation.ranks() {
            Ranks::Workers(workers) => Some(workers),
            Ranks::Folded(_) | Ranks::Processes(_) => None,
        }
    }

    /// The engine does not need the line until it resumes it: its worker may run it as soon as it likes.
    pub(crate) fn release_to_worker(&mut self, line: LineId) {
        let Some(workers) = self.workers() else { return };
        if workers.note_release(line) {
            return;
        }
        if workers.is_ahead(line) {
            self.answer_asking();
        } else {
            self.run_ahead(line);
        }
    }

    fn run_ahead(&mut self, line: LineId) {
        // An error is reported when the line is resumed, which tries again.
        if matches!(self.give_turn(line), Ok(None))
            && let Some(workers) = self.workers()
        {
            workers.set_ahead(line, true);
        }
    }

    /// Lines that ran ahead and asked for the date of their reply go on if it is known by now.
    fn answer_asking(&mut self) {
        let asking = self.workers().map(Workers::take_asking).unwrap_or_default();
        for line in asking {
            let asks =
                self.workers().is_some_and(|workers| workers.is_ahead(line) && workers.asks_when(line));
            if asks && !self.simulation.reply(line).early {
                self.run_ahead(line);
            }
        }
    }

    /// Simulated time has come: lets a line run, unless it ran ahead, until it waits again or ends.
    pub(crate) fn resume_in_worker(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        if !self.workers().is_some_and(Workers::are_at_work) {
            self.workers().into_iter().for_each(|workers| workers.forget_release(line));
            return self.resume_folded(line);
        }
        let released = self.workers().map(Workers::take_releases).unwrap_or_default();
        released.into_iter().for_each(|line| self.run_ahead(line));
        let mut ahead = self.workers().is_some_and(|workers| workers.is_ahead(line));
        self.workers().into_iter().for_each(|workers| workers.set_ahead(line, false));
        loop {
            if !ahead && let Some(outcome) = self.give_turn(line)? {
                return Ok(Some(outcome));
            }
            let stop = match self.wait_for_worker(line)? {
                Ok(stop) => stop,
                Err(outcome) => return Ok(Some(outcome)),
            };
            let asks = ahead && self.workers().is_some_and(|workers| workers.asks_when(line));
            if !asks {
                return self.folded_stopped(line, Some(stop));
            }
            ahead = false;
        }
    }

    fn wait_for_worker(&mut self, line: LineId) -> Result<Result<Stop, Outcome>, SessionError> {
        let began = Instant::now();
        loop {
            if let Some(stop) = self.workers().and_then(|workers| workers.wait(line)) {
                return Ok(Ok(stop));
            }
            if let Some(outcome) = self.lost_worker() {
                return Ok(Err(outcome));
            }
            if let Err(stopped) = self.signals.check() {
                self.workers().into_iter().for_each(|workers| workers.interrupt(line));
                return Err(stopped);
            }
            if self.is_given_up() {
                let rank = self.simulation.ranks().rank_of(line).get();
                return Ok(Err(Outcome::RankHangs { rank, seconds: seconds(began.elapsed()) }));
            }
            self.answer_asking();
            self.show_progress();
        }
    }

    /// The run cannot go on without a worker that has died.
    pub(crate) fn lost_worker(&mut self) -> Option<Outcome> {
        self.workers()?.lost().map(Outcome::WorkerDied)
    }
}

fn seconds(span: Duration) -> f64 {
    span.as_secs_f64()
}
