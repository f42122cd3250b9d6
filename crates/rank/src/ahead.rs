//! Who runs ahead of simulated time: where, and whether it is worth it.
//!
//! A rank that the engine has released may run before its calls are wanted. That pays where its next burst is long enough to
//! make up for a switch across cores; how long it will be is told by earlier bursts that began at the same place of the
//! program, in any rank. Each core has one rank at a time.
//!
//! ```text
//!          ┌───────── resumed, and its calls are taken ─────────────┐
//!          ▼                                                        │
//! Still ─► Released ─► Queued ─► Running ─► Stopped ────────────────┤
//!             └─ not worth it, or no core free: runs when resumed ──┘
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::cores::Cores;

/// A burst this long makes up for a switch across cores.
const LONG: Duration = Duration::from_micros(200);
/// Starting a program makes up for it if it takes this long: most of an ordinary start is the kernel's work, and ours.
const LONG_START: Duration = Duration::from_millis(4);
/// No burst counts for more, so that one interruption by somebody else is soon forgotten.
const LONGEST: Duration = Duration::from_millis(6);

/// The place where the first burst of every rank begins.
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

/// What the driver knows of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits, or its time has come.
    #[default]
    Still,
    /// It may run.
    Released,
    /// It is to run as soon as a core is free.
    Queued,
    /// It runs ahead.
    Running,
    /// It ran ahead and has stopped, or ended.
    Stopped,
}

/// A rank on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy {
    pub rank: u32,
    /// The processor time of its process when it was let go; none if it is not to be measured.
    pub since: Option<Duration>,
}

/// Ranks that run ahead.
pub(crate) struct Ahead {
    how: RunAhead,
    pub cores: Cores,
    lanes: Vec<Option<Busy>>,
    states: Vec<State>,
    /// Where the next burst of a released rank begins.
    sites: Vec<u64>,
    /// The core each rank was last put on.
    placed: Vec<Option<usize>>,
    queue: VecDeque<u32>,
    /// How long bursts last, by where they begin.
    spans: BTreeMap<u64, Duration>,
}

impl Ahead {
    pub(crate) fn new(how: RunAhead, cores: Cores, ranks: usize) -> Ahead {
        Ahead {
            how,
            lanes: vec![None; cores.count()],
            cores,
            states: vec![State::default(); ranks],
            sites: vec![0; ranks],
            placed: vec![None; ranks],
            queue: VecDeque::new(),
            spans: BTreeMap::new(),
        }
    }

    /// Can ranks run ahead at all?
    pub(crate) fn is_possible(&self) -> bool {
        match self.how {
            RunAhead::Always => true,
            RunAhead::Auto => self.lanes.len() > 1,
            RunAhead::Never => false,
        }
    }

    /// Has the rank been let go although its calls are not wanted yet?
    pub(crate) fn ran_ahead(&self, rank: u32) -> bool {
        matches!(self.state(rank), State::Running | State::Stopped)
    }

    pub(crate) fn state(&self, rank: u32) -> State {
        self.states[rank as usize]
    }

    pub(crate) fn set_state(&mut self, rank: u32, state: State) {
        self.states[rank as usize] = state;
    }

    /// The rank may run from here on; its burst begins at `site`.
    pub(crate) fn release(&mut self, rank: u32, site: u64) {
        self.sites[rank as usize] = site;
        self.set_state(rank, State::Released);
        self.enqueue_if_long(rank);
    }

    /// The next rank to let go, and a core for it.
    pub(crate) fn next(&mut self) -> Option<(u32, usize)> {
        let rank = *self.queue.front()?;
        let core = self.free_core(rank)?;
        self.queue.pop_front();
        Some((rank, core))
    }

    /// The rank is to run at once: it need not wait in the queue.
    pub(crate) fn take_out(&mut self, rank: u32) {
        if self.state(rank) == State::Queued {
            self.queue.retain(|&queued| queued != rank);
        }
        self.set_state(rank, State::Still);
    }

    /// A free core for the rank: the one it was on, any other but the simulator's, that one.
    pub(crate) fn free_core(&self, rank: u32) -> Option<usize> {
        let free = |core: &usize| self.lanes[*core].is_none();
        self.placed[rank as usize].filter(free).or_else(|| (0..self.lanes.len()).rev().find(free))
    }

    /// The rank is on a core. True if it was on another before.
    pub(crate) fn move_to(&mut self, rank: u32, core: usize) -> bool {
        self.placed[rank as usize].replace(core) != Some(core)
    }

    /// The core is the rank's until it stops.
    pub(crate) fn occupy(&mut self, core: usize, busy: Busy) {
        self.lanes[core] = Some(busy);
    }

    /// The rank has stopped: its core is free.
    pub(crate) fn vacate(&mut self, rank: u32) -> Option<Busy> {
        let is_its = |busy: &mut Busy| busy.rank == rank;
        self.lanes.iter_mut().find_map(|lane| lane.take_if(is_its))
    }

    /// The ranks that are on cores now.
    pub(crate) fn running(&self) -> impl Iterator<Item = u32> + '_ {
        self.lanes.iter().flatten().map(|busy| busy.rank)
    }

    /// Does nobody run ahead, and does nobody want to?
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.lanes.iter().all(Option::is_none)
    }

    /// Are bursts that begin here long?
    pub(crate) fn is_long(&self, site: u64) -> bool {
        self.how == RunAhead::Always || self.spans.get(&site).is_some_and(|&span| span >= enough(site))
    }

    /// How long to wait for a burst that begins here until it has proved to be long; none if that is known or does not matter.
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
        (0..self.states.len() as u32).for_each(|rank| self.enqueue_if_long(rank));
    }

    fn enqueue_if_long(&mut self, rank: u32) {
        if self.state(rank) == State::Released && self.is_long(self.sites[rank as usize]) {
            self.set_state(rank, State::Queued);
            self.queue.push_back(rank);
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

    fn on_two_cores(how: RunAhead) -> Ahead {
        let mut ahead = Ahead::new(how, Cores::new(Some(1)), 4);
        ahead.lanes = vec![None; 2];
        ahead
    }

    #[test]
    fn a_released_rank_is_queued_once_its_bursts_prove_long() {
        let mut ahead = on_two_cores(RunAhead::Auto);
        ahead.release(1, SITE);
        ahead.release(2, SITE);
        assert_eq!((ahead.state(1), ahead.next()), (State::Released, None));
        ahead.learn(SITE, Duration::from_micros(5));
        assert_eq!(ahead.probation(SITE), Some(LONG));
        ahead.found_long(SITE);
        assert_eq!((ahead.probation(SITE), ahead.state(2)), (None, State::Queued));
        assert_eq!(ahead.next().map(|(rank, _)| rank), Some(1));
    }

    #[test]
    fn each_core_has_one_rank_and_the_queue_waits() {
        let mut ahead = on_two_cores(RunAhead::Always);
        (0..3).for_each(|rank| ahead.release(rank, SITE));
        for rank in 0..2 {
            let (next, core) = ahead.next().unwrap();
            assert_eq!(next, rank);
            ahead.occupy(core, Busy { rank, since: None });
        }
        assert_eq!(ahead.next(), None);
        assert!(ahead.vacate(1).is_some() && ahead.vacate(1).is_none());
        assert_eq!(ahead.next().map(|(rank, _)| rank), Some(2));
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
