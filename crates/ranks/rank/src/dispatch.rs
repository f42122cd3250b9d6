//! Gives cores to lines that the engine has released.

use std::time::{Duration, Instant};

use mpirage_call::LineId;

use crate::ahead::{Busy, State};
use crate::processes::PATIENCE;
use crate::running::Running;
use crate::session::{Outcome, SessionError};

/// How long a line that the whole run waits for waits for a core of its own. The lines on cores may never stop.
const FAIR: Duration = Duration::from_secs(1);

impl Running<'_> {
    /// The engine does not need a line until it resumes it.
    pub(crate) fn release(&mut self, line: LineId) {
        if self.is_threaded(line) || self.simulation.ranks().shares_memory(line) {
            return;
        }
        self.simulation.ranks().goes_ahead(line);
        if !self.ahead.is_possible() {
            return;
        }
        match self.ahead.state(line) {
            State::Still => {
                let site = self.site(line);
                self.ahead.release(line, site);
            }
            State::Stopped => self.release_again(line),
            State::Released | State::Queued | State::Running => {}
        }
        self.fill_cores();
    }

    /// Runs lines that wait for a core, as long as cores are free.
    pub(crate) fn fill_cores(&mut self) {
        self.notice_stops();
        while let Some((line, core)) = self.ahead.next() {
            // An error is reported when the line is resumed, which tries again.
            let went = self.let_go(line, core);
            self.ahead.set_state(line, if went { State::Running } else { State::Released });
        }
    }

    /// Runs a line whose simulated time has come.
    pub(crate) fn run_here(&mut self, line: LineId) -> Result<Option<Outcome>, SessionError> {
        self.ahead.take_out(line);
        if !self.ahead.is_possible() {
            return self.give_turn(line);
        }
        let core = match self.ahead.is_long(self.site(line)) {
            true => self.wait_for_core(line)?,
            false => None,
        };
        let started = self.is_started(line);
        if started {
            self.place(line, core);
        }
        let outcome = self.give_turn(line)?;
        if !started {
            self.place(line, core);
        }
        if let Some(core) = core {
            self.ahead.occupy(core, Busy { line, since: None });
        }
        Ok(outcome)
    }

    /// The line computes for long. Other lines will too, from the same place.
    pub(crate) fn proved_long(&mut self, line: LineId) {
        self.ahead.found_long(self.site(line));
        if let Some(core) = self.ahead.free_core(line) {
            self.ahead.occupy(core, Busy { line, since: None });
        }
    }

    /// The line, for which the run waited, has stopped.
    pub(crate) fn learn_from(&mut self, line: LineId, span: Duration) {
        if self.ahead.is_possible() && self.ahead.state(line) == State::Still {
            self.ahead.learn(self.site(line), span);
        }
    }

    /// A line has stopped at its simulated time.
    pub(crate) fn back_in_time(&mut self, line: LineId) {
        let vacated = self.ahead.vacate(line);
        self.ahead.take_out(line);
        if let Some(busy) = vacated {
            self.learn_by_processor(busy);
            self.fill_cores();
        }
        self.simulation.ranks().caught_up(line);
    }

    /// A line may still run, but its simulated time has come.
    pub(crate) fn no_longer_ahead(&mut self, line: LineId) {
        self.ahead.vacate(line);
        self.ahead.take_out(line);
        self.fill_cores();
        self.simulation.ranks().caught_up(line);
    }

    /// Frees the cores of lines that have stopped or ended.
    fn notice_stops(&mut self) {
        let running: Vec<LineId> = self.ahead.running().collect();
        for line in running {
            if !self.simulation.ranks().has_stopped(line) {
                continue;
            }
            let Some(busy) = self.ahead.vacate(line) else { continue };
            if self.ahead.state(line) == State::Running {
                self.ahead.set_state(line, State::Stopped);
                self.learn_by_processor(busy);
                self.release_again(line);
            }
        }
    }

    /// A line has stopped to ask for a date: lets it go on if the date is known by now.
    fn release_again(&mut self, line: LineId) {
        if !self.simulation.reply(line).early && self.simulation.ranks().asks_when(line) {
            let site = self.site(line);
            self.ahead.release(line, site);
        }
    }

    fn let_go(&mut self, line: LineId, core: usize) -> bool {
        let started = self.is_started(line);
        if line.index() > self.simulation.ranks().started() {
            return false;
        }
        if started {
            self.place(line, Some(core));
        }
        let since = if started { self.simulation.ranks().processor_time(line) } else { Duration::ZERO };
        if !matches!(self.give_turn(line), Ok(None)) {
            return false;
        }
        if !started {
            self.place(line, Some(core));
        }
        self.ahead.occupy(core, Busy { line, since: Some(since) });
        true
    }

    /// Puts a line on a core of its own, or on the simulator's core if no line runs ahead.
    fn place(&mut self, line: LineId, core: Option<usize>) {
        let Some(process) = self.simulation.ranks().process(line) else { return };
        match core {
            Some(core) => {
                self.ahead.cores.leave_home();
                let moved = self.ahead.move_to(line, core);
                self.ahead.cores.place(process, core, moved);
            }
            None if self.ahead.is_idle() => {
                self.ahead.cores.go_home();
                if self.ahead.move_to(line, 0) {
                    self.ahead.cores.bring_home(process);
                }
            }
            None => {}
        }
    }

    fn wait_for_core(&mut self, line: LineId) -> Result<Option<usize>, SessionError> {
        let began = Instant::now();
        loop {
            self.notice_stops();
            let core = self.ahead.free_core(line);
            if core.is_some() || began.elapsed() > FAIR {
                return Ok(core);
            }
            let running: Vec<LineId> = self.ahead.running().collect();
            self.simulation.ranks().wait_any(&running, PATIENCE);
            self.signals.check()?;
        }
    }

    fn learn_by_processor(&mut self, busy: Busy) {
        let ranks = self.simulation.ranks();
        if let Some(since) = busy.since
            && !ranks.asks_when(busy.line)
        {
            let used = ranks.processor_time(busy.line).saturating_sub(since);
            self.ahead.learn(self.site(busy.line), used);
        }
    }

    /// Where in the program the line's burst begins.
    pub(crate) fn site(&self, line: LineId) -> u64 {
        self.simulation.site(line)
    }

    fn is_started(&mut self, line: LineId) -> bool {
        line.index() < self.simulation.ranks().started()
    }
}
