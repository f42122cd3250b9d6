//! Released ranks get cores.

use std::time::{Duration, Instant};

use crate::ahead::{Busy, State};
use crate::processes::PATIENCE;
use crate::running::Running;
use crate::session::{Outcome, SessionError};

/// How long the rank everything waits for waits for a core of its own. Others may never stop.
const FAIR: Duration = Duration::from_secs(1);

impl Running<'_> {
    /// The engine needs a rank no longer until it says so.
    pub(crate) fn release(&mut self, rank: u32) {
        self.engine.memory().goes_ahead(rank);
        if !self.ahead.is_possible() {
            return;
        }
        match self.ahead.state(rank) {
            State::Still => {
                let site = self.site(rank);
                self.ahead.release(rank, site);
            }
            State::Stopped => self.release_again(rank),
            State::Released | State::Queued | State::Running => {}
        }
        self.fill_cores();
    }

    /// Lets ranks go that wait for a core, as far as there are any.
    pub(crate) fn fill_cores(&mut self) {
        self.notice_stops();
        while let Some((rank, core)) = self.ahead.next() {
            // What goes wrong is told when the rank is resumed, which tries again.
            let went = self.let_go(rank, core);
            self.ahead.set_state(rank, if went { State::Running } else { State::Released });
        }
    }

    /// Lets a rank go that simulated time is there for.
    pub(crate) fn run_here(&mut self, rank: u32) -> Result<Option<Outcome>, SessionError> {
        self.ahead.take_out(rank);
        if !self.ahead.is_possible() {
            return self.give_turn(rank);
        }
        let core = match self.ahead.is_long(self.site(rank)) {
            true => self.wait_for_core(rank)?,
            false => None,
        };
        let started = self.is_started(rank);
        if started {
            self.place(rank, core);
        }
        let outcome = self.give_turn(rank)?;
        if !started {
            self.place(rank, core);
        }
        if let Some(core) = core {
            self.ahead.occupy(core, Busy { rank, since: None });
        }
        Ok(outcome)
    }

    /// The rank computes for long. So will others from the same place.
    pub(crate) fn proved_long(&mut self, rank: u32) {
        self.ahead.found_long(self.site(rank));
        if let Some(core) = self.ahead.free_core(rank) {
            self.ahead.occupy(core, Busy { rank, since: None });
        }
    }

    /// The rank, which ran while all waited for it, has stopped.
    pub(crate) fn learn_from(&mut self, rank: u32, span: Duration) {
        if self.ahead.is_possible() && self.ahead.state(rank) == State::Still {
            self.ahead.learn(self.site(rank), span);
        }
    }

    /// A rank has stopped, and simulated time is where it is.
    pub(crate) fn back_in_time(&mut self, rank: u32) {
        let vacated = self.ahead.vacate(rank);
        self.ahead.take_out(rank);
        if let Some(busy) = vacated {
            self.learn_by_processor(busy);
            self.fill_cores();
        }
        self.engine.memory().caught_up(rank);
    }

    /// Frees the cores of ranks that have stopped or ended.
    fn notice_stops(&mut self) {
        let running: Vec<u32> = self.ahead.running().collect();
        for rank in running {
            if !self.engine.memory().has_stopped(rank) {
                continue;
            }
            let Some(busy) = self.ahead.vacate(rank) else { continue };
            if self.ahead.state(rank) == State::Running {
                self.ahead.set_state(rank, State::Stopped);
                self.learn_by_processor(busy);
                self.release_again(rank);
            }
        }
    }

    /// A rank has stopped to ask for a date: is it known by now?
    fn release_again(&mut self, rank: u32) {
        if !self.engine.reply(rank).early && self.engine.memory().asks_when(rank) {
            let site = self.site(rank);
            self.ahead.release(rank, site);
        }
    }

    fn let_go(&mut self, rank: u32, core: usize) -> bool {
        let started = self.is_started(rank);
        if rank as usize > self.engine.memory().started() {
            return false;
        }
        if started {
            self.place(rank, Some(core));
        }
        let since = if started { self.engine.memory().processor_time(rank) } else { Duration::ZERO };
        if !matches!(self.give_turn(rank), Ok(None)) {
            return false;
        }
        if !started {
            self.place(rank, Some(core));
        }
        self.ahead.occupy(core, Busy { rank, since: Some(since) });
        true
    }

    /// Puts a rank on a core of its own, or home if nobody else is anywhere.
    fn place(&mut self, rank: u32, core: Option<usize>) {
        let Some(process) = self.engine.memory().process(rank) else { return };
        match core {
            Some(core) => {
                self.ahead.cores.leave_home();
                let moved = self.ahead.move_to(rank, core);
                self.ahead.cores.place(process, core, moved);
            }
            None if self.ahead.is_idle() => {
                self.ahead.cores.go_home();
                if self.ahead.move_to(rank, 0) {
                    self.ahead.cores.bring_home(process);
                }
            }
            None => {}
        }
    }

    fn wait_for_core(&mut self, rank: u32) -> Result<Option<usize>, SessionError> {
        let began = Instant::now();
        loop {
            self.notice_stops();
            let core = self.ahead.free_core(rank);
            if core.is_some() || began.elapsed() > FAIR {
                return Ok(core);
            }
            let running: Vec<u32> = self.ahead.running().collect();
            self.engine.memory().wait_any(&running, PATIENCE);
            self.signals.check()?;
        }
    }

    fn learn_by_processor(&mut self, busy: Busy) {
        let ranks = self.engine.memory();
        if let Some(since) = busy.since
            && !ranks.asks_when(busy.rank)
        {
            let used = ranks.processor_time(busy.rank).saturating_sub(since);
            self.ahead.learn(self.site(busy.rank), used);
        }
    }

    /// Where in the program the rank's burst begins.
    pub(crate) fn site(&self, rank: u32) -> u64 {
        self.engine.last_call(rank).site
    }

    fn is_started(&mut self, rank: u32) -> bool {
        (rank as usize) < self.engine.memory().started()
    }
}
