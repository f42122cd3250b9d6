//! A budget of memory for cases that run at the same time.
//!
//! How much a case needs is known when it has run. A new case is expected to need as much as the largest one so far. If running cases
//! outgrow the budget all the same, the youngest is stopped and waits until there is room.

use std::fs;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes that cases may take together.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: u64,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The largest case so far.
    largest: u64,
    running: Vec<Share>,
    admitted: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    ticket: Ticket,
    bytes: u64,
}

/// The number of an admitted case; later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

/// The decision about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// There is room.
    GoOn,
    /// Others need the room: stop, and run again later.
    Yield,
    /// It does not fit although it runs alone.
    TooLarge,
}

impl Budget {
    pub fn new(bytes: u64) -> Budget {
        Budget { bytes, state: Mutex::default(), freed: Condvar::new() }
    }

    /// Waits until a case fits, at most so long. A case that runs alone always does.
    pub fn admit(&self, patience: Duration) -> Option<Ticket> {
        let state = self.state();
        let full = |state: &mut State| {
            let taken: u64 = state.running.iter().map(|share| share.bytes.max(state.largest)).sum();
            !state.running.is_empty() && taken.saturating_add(state.largest) > self.bytes
        };
        let (mut state, waited) =
            self.freed.wait_timeout_while(state, patience, full).unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        state.admitted += 1;
        let ticket = Ticket(state.admitted);
        state.running.push(Share { ticket, bytes: 0 });
        Some(ticket)
    }

    /// Says how much a case takes now.
    pub fn report(&self, ticket: Ticket, bytes: u64) -> Verdict {
        let mut state = self.state();
        state.largest = state.largest.max(bytes);
        if let Some(share) = state.running.iter_mut().find(|share| share.ticket == ticket) {
            share.bytes = bytes;
        }
        let taken: u64 = state.running.iter().map(|share| share.bytes).sum();
        let youngest = state.running.iter().map(|share| share.ticket).max();
        match (taken > self.bytes, state.running.len()) {
            (true, 1) => Verdict::TooLarge,
            (true, _) if youngest == Some(ticket) => Verdict::Yield,
            _ => Verdict::GoOn,
        }
    }

    /// Says that a case has ended, and how much it took at its peak.
    pub fn leave(&self, ticket: Ticket, peak: u64) {
        let mut state = self.state();
        state.largest = state.largest.max(peak);
        state.running.retain(|share| share.ticket != ticket);
        drop(state);
        self.freed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of memory that a process and those it has started hold.
pub(crate) fn held_by(process: u32) -> u64 {
    let page = rustix::param::page_size() as u64;
    let pages = |text: String| text.split(' ').nth(1)?.parse::<u64>().ok();
    let own = fs::read_to_string(format!("/proc/{process}/statm")).ok().and_then(pages).unwrap_or(0) * page;
    let started = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    own + started.split_whitespace().filter_map(|child| child.parse().ok()).map(held_by).sum::<u64>()
}

/// Bytes of memory that are free on this machine, if the system says it.
pub fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Duration = Duration::ZERO;

    #[test]
    fn cases_wait_for_room() {
        let budget = Budget::new(100);
        let first = budget.admit(AT_ONCE).unwrap();
        assert_eq!(budget.report(first, 60), Verdict::GoOn);
        assert_eq!(budget.admit(AT_ONCE), None);
        budget.leave(first, 40);
        let second = budget.admit(AT_ONCE).unwrap();
        assert_eq!(budget.admit(AT_ONCE), None, "the largest so far took 60");
        assert_eq!(budget.report(second, 101), Verdict::TooLarge);
    }

    #[test]
    fn the_youngest_gives_way() {
        let budget = Budget::new(100);
        let [old, young] = [(); 2].map(|()| budget.admit(AT_ONCE).unwrap());
        assert_eq!(budget.report(old, 40), Verdict::GoOn);
        assert_eq!(budget.report(young, 70), Verdict::Yield);
        assert_eq!(budget.report(old, 50), Verdict::GoOn);
        budget.leave(young, 70);
        assert_eq!(budget.report(old, 80), Verdict::GoOn);
    }

    #[test]
    fn memory_of_a_process_is_found() {
        assert!(held_by(std::process::id()) > 1 << 20);
        assert!(available_memory().unwrap() > 1 << 20);
    }
}
