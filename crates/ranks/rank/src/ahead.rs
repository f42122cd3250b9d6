//! Chooses the lines that run ahead of simulated time, and their cores.
//!
//! A line that the engine has released may run before the engine wants its calls. That pays if its next burst is long enough to
//! make up for a switch across cores. Earlier bursts that began at the same place of the program, in any line, predict its
//! length. Each core has one line at a time.
//!
//! ```text
//!          ┌───────── resumed, and its calls are taken ─────────────┐
//!          ▼                                                        │
//! Still ─► Released ─► Queued ─► Running ─► Stopped ────────────────┤
//!             └─ not worth it, or no core free: runs when resumed ──┘
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use mpirage_call::LineId;

use crate::cores::Cores;

/// A burst this long makes up for a switch across cores.
const LONG: Duration = Duration::from_micros(200);
/// Starting a program makes up for it if it takes this long: most of an ordinary start is work of the kernel and of the simulator.
const LONG_START: Duration = Duration::from_millis(4);
/// No burst counts for more, so that one interruption by another process is soon forgotten.
const LONGEST: Duration = Duration::from_millis(6);

/// The place where the first burst of every line begins.
const START: u64 = 0;

/// When ranks run ahead of simulated time. Results do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunAhead {
    /// Where it pays.
    #[default]
    Auto,
    /// Wherever it is possible, for tests.
    Always,
    /// Never.
    Never,
}

/// The state of a line, as the driver knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits, or its time has come.
    #[default]
    Still,
    /// It may run.
    Released,
    /// It runs as soon as a core is free.
    Queued,
    /// It runs ahead.
    Running,
    /// It ran ahead and has stopped, or ended.
    Stopped,
}

/// A line on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy {
    pub line: LineId,
    /// The processor time of its process when it started to run; none if it is not measured.
    pub since: Option<Duration>,
}

/// The lines that run ahead.
pub(crate) struct Ahead {
    how: RunAhead,
    pub cores: Cores,
    occupied: Vec<Option<Busy>>,
    states: Vec<State>,
    /// Where the next burst of a released line begins.
    sites: Vec<u64>,
    /// The core each line was last put on.
    placed: Vec<Option<usize>>,
    queue: VecDeque<LineId>,
    /// How long bursts last, by where they begin.
    spans: BTreeMap<u64, Duration>,
}

impl Ahead {
    pub(crate) fn new(how: RunAhead, cores: Cores, lines: usize) -> Ahead {
        Ahead {
            how,
            occupied: vec![None; cores.count()],
            cores,
            states: vec![State::default(); lines],
            sites: vec![0; lines],
            placed: vec![None; lines],
            queue: VecDeque::new(),
            spans: BTreeMap::new(),
        }
    }

    /// Can lines run ahead at all?
    pub(crate) fn is_possible(&self) -> bool {
        match self.how {
            RunAhead::Always => true,
            RunAhead::Auto => self.occupied.len() > 1,
            RunAhead::Never => false,
        }
    }

    /// Does the line run, or has it run, although the engine does not want its calls yet?
    pub(crate) fn ran_ahead(&self, line: LineId) -> bool {
        matches!(self.state(line), State::Running | State::Stopped)
    }

    /// The state of a line. Lines that threads got during the run never run ahead.
    pub(crate) fn state(&self, line: LineId) -> State {
        self.states.get(line.index()).copied().unwrap_or(State::Still)
    }

    pub(crate) fn set_state(&mut self, line: LineId, state: State) {
        self.states[line.index()] = state;
    }

    /// The line may run from here on; its burst begins at `site`.
    pub(crate) fn release(&mut self, line: LineId, site: u64) {
        self.sites[line.index()] = site;
        self.set_state(line, State::Released);
        self.enqueue_if_long(line);
    }

    /// The next line to run ahead, and a core for it.
    pub(crate) fn next(&mut self) -> Option<(LineId, usize)> {
        let line = *self.queue.front()?;
        let core = self.free_core(line)?;
        self.queue.pop_front();
        Some((line, core))
    }

    /// The line runs at once: it need not wait in the queue.
    pub(crate) fn take_out(&mut self, line: LineId) {
        if self.state(line) == State::Queued {
            self.queue.retain(|&queued| queued != line);
        }
        self.set_state(line, State::Still);
    }

    /// A free core for the line: the one it was on, else any other but the simulator's, else the simulator's.
    pub(crate) fn free_core(&self, line: LineId) -> Option<usize> {
        let free = |core: &usize| self.occupied[*core].is_none();
        self.placed[line.index()].filter(free).or_else(|| (0..self.occupied.len()).rev().find(free))
    }

    /// The line is on a core. True if it was on another before.
    pub(crate) fn move_to(&mut self, line: LineId, core: usize) -> bool {
        self.placed[line.index()].replace(core) != Some(core)
    }

    /// The core belongs to the line until it stops.
    pub(crate) fn occupy(&mut self, core: usize, busy: Busy) {
        self.occupied[core] = Some(busy);
    }

    /// The line has stopped: its core is free.
    pub(crate) fn vacate(&mut self, line: LineId) -> Option<Busy> {
        let is_its = |busy: &mut Busy| busy.line == line;
        self.occupied.iter_mut().find_map(|core| core.take_if(is_its))
    }

    /// The lines that are on cores now.
    pub(crate) fn running(&self) -> impl Iterator<Item = LineId> + '_ {
        self.occupied.iter().flatten().map(|busy| busy.line)
    }

    /// Does no line run ahead or wait for a core?
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.occupied.iter().all(Option::is_none)
    }

    /// Are bursts that begin here long?
    pub(crate) fn is_long(&self, site: u64) -> bool {
        self.how == RunAhead::Always || self.spans.get(&site).is_some_and(|&span| span >= enough(site))
    }

    /// How long to wait for a burst that begins here until it counts as long. None if that is known or does not matter.
    pub(crate) fn probation(&self, site: u64) -> Option<Duration> {
        (self.is_possible() && !self.is_long(site)).then(|| enough(site))
    }

    /// A burst that began at `site` took so long, or takes so long already.
    pub(crate) fn learn(&mut self, site: u64, span: Duration) {
        let (span, enough) = (span.min(LONGEST), enough(site));
        let known = self.spans.entry(site).or_default();
        let before = *known;
        *known = if before.is_zero() { span } else { (before * 3 + span) / 4 };
        if before < enough && *known >= enough {
            self.enqueue_all_that_are_long();
        }
    }

    /// A burst that began at `site` has outlasted its probation.
    pub(crate) fn found_long(&mut self, site: u64) {
        if !self.is_long(site) {
            self.spans.insert(site, enough(site));
            self.enqueue_all_that_are_long();
        }
    }

    fn enqueue_all_that_are_long(&mut self) {
        (0..self.states.len() as u32).map(LineId::new).for_each(|line| self.enqueue_if_long(line));
    }

    fn enqueue_if_long(&mut self, line: LineId) {
        if self.state(line) == State::Released && self.is_long(self.sites[line.index()]) {
            self.set_state(line, State::Queued);
            self.queue.push_back(line);
        }
    }
}

/// How long a burst that begins here must be.
fn enough(site: u64) -> Duration {
    if site == START { LONG_START } else { LONG }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: u64 = 0x1000;

    fn line(number: u32) -> LineId {
        LineId::new(number)
    }

    fn on_two_cores(how: RunAhead) -> Ahead {
        let mut ahead = Ahead::new(how, Cores::new(Some(1)), 4);
        ahead.occupied = vec![None; 2];
        ahead
    }

    #[test]
    fn a_released_rank_is_queued_once_its_bursts_prove_long() {
        let mut ahead = on_two_cores(RunAhead::Auto);
        ahead.release(line(1), SITE);
        ahead.release(line(2), SITE);
        assert_eq!((ahead.state(line(1)), ahead.next()), (State::Released, None));
        ahead.learn(SITE, Duration::from_micros(5));
        assert_eq!(ahead.probation(SITE), Some(LONG));
        ahead.found_long(SITE);
        assert_eq!((ahead.probation(SITE), ahead.state(line(2))), (None, State::Queued));
        assert_eq!(ahead.next().map(|(line, _)| line), Some(line(1)));
    }

    #[test]
    fn each_core_has_one_rank_and_the_queue_waits() {
        let mut ahead = on_two_cores(RunAhead::Always);
        (0..3).for_each(|number| ahead.release(line(number), SITE));
        for number in 0..2 {
            let (next, core) = ahead.next().unwrap();
            assert_eq!(next, line(number));
            ahead.occupy(core, Busy { line: next, since: None });
        }
        assert_eq!(ahead.next(), None);
        assert!(ahead.vacate(line(1)).is_some() && ahead.vacate(line(1)).is_none());
        assert_eq!(ahead.next().map(|(line, _)| line), Some(line(2)));
    }

    #[test]
    fn one_interruption_is_soon_forgotten() {
        let mut ahead = on_two_cores(RunAhead::Auto);
        ahead.learn(SITE, Duration::from_secs(1));
        assert!(ahead.is_long(SITE));
        (0..12).for_each(|_| ahead.learn(SITE, Duration::from_micros(5)));
        assert!(!ahead.is_long(SITE));
    }

    #[test]
    fn nobody_runs_ahead_on_one_core_unless_told_to() {
        let possible = |how| Ahead::new(how, Cores::new(Some(1)), 1).is_possible();
        assert_eq!([RunAhead::Auto, RunAhead::Always, RunAhead::Never].map(possible), [false, true, false]);
    }
}
