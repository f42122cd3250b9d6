//! Wait states and their causes.
//!
//! A call that takes time has up to three parts. Until another rank makes its call, the rank *waits* for it; then the bytes move; and if they
//! share links with other bytes, the last part is *contention*:
//!
//! ```text
//! entered          the other rank comes      alone it would have arrived       left
//!    │◄──── wait ────►│◄──────── transfer ────────►│◄──── contention ────►│
//! ```
//!
//! At every instant of a wait, the waiting rank blames the rank that it waits for. If that rank waits itself, the blame passes on to the rank
//! *it* waits for, and so on. The *delay cost* of a rank is the time that it is blamed for, by all ranks, divided among what it did
//! meanwhile ([`Waits::blame`]). Tallent, Adhianto and Mellor-Crummey (*Scalable identification of load imbalance in parallel executions using call path
//! profiles*, SC 2010) call this blame shifting; Böhme et al. (*Identifying the root causes of wait states in large-scale parallel
//! applications*, ICPP 2010) define delay costs in traces.
//!
//! Sums are kept while the run goes on. What a rank did is remembered for a while only ([`history`]); an older part of a wait counts as
//! computation of an unknown call.

mod blame;
mod findings;
mod history;
mod output;
mod state;
mod tables;

use rustc_hash::FxHashMap;

use crate::activity::NO_CALL;
use crate::calls::Calls;
use blame::{Blame, Share};
pub(crate) use history::NO_RANK;
use history::{Doing, History, NEXT_CALL, RecentCall, Span};
pub(crate) use output::Names;
pub(crate) use state::State;
use tables::{Cause, Line, Pair, Tables};

/// Spans that are looked at for one wait, at most.
const FUEL: usize = 256;

/// Why a call did not return earlier. Times are in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub state: State,
    /// How long, from its start on, the call waited for another rank.
    pub waited: u64,
    /// The rank that it waited for, or `NO_RANK`.
    pub cause: u32,
    /// How long the last message took longer because of other messages, as far as the call waited for it.
    pub contention: u64,
    /// The sender and the receiver of that message.
    pub route: (u32, u32),
}

impl Wait {
    /// No wait.
    pub const NONE: Wait =
        Wait { state: State::Other, waited: 0, cause: NO_RANK, contention: 0, route: (NO_RANK, NO_RANK) };
}

/// A call that has returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedCall {
    pub rank: u32,
    /// Its kind.
    pub call: u32,
    pub entered: u64,
    pub duration: u64,
    /// Whether it moves bytes between ranks.
    pub communicates: bool,
}

/// A cost whose call is not known yet.
#[derive(Clone)]
enum Pending {
    Cause(Doing, u64),
    /// A wait of this kind of call.
    Line(u32, State, u64),
}

/// The wait states of a run.
#[derive(Clone)]
pub(crate) struct Waits {
    history: History,
    tables: Tables,
    /// Costs that belong to the next call of a rank.
    pending: FxHashMap<u32, Vec<Pending>>,
}

impl Waits {
    pub fn new(ranks: usize) -> Waits {
        Waits { history: History::new(ranks), tables: Tables::new(ranks), pending: FxHashMap::default() }
    }

    /// A rank did something that is not a call.
    #[inline]
    pub fn spent(&mut self, rank: u32, start: u64, end: u64) {
        let span = Span { start, end, call: NEXT_CALL, cause: NO_RANK, doing: Doing::Computing };
        self.history.push(rank, span);
    }

    /// A call has returned.
    #[inline]
    pub fn returned(&mut self, call: &TimedCall, wait: &Wait, calls: &Calls) {
        let &TimedCall { rank, call: kind, entered, duration, .. } = call;
        if !self.pending.is_empty() {
            self.settle(rank, kind);
        }
        self.history.returned(rank, RecentCall { entered, left: entered + duration, call: kind });
        if duration > 0 {
            self.account(call, wait, calls);
        }
    }

    fn account(&mut self, call: &TimedCall, wait: &Wait, calls: &Calls) {
        let &TimedCall { rank, call: kind, entered, duration, communicates } = call;
        let waited = wait.waited.min(duration);
        let (until, left) = (entered + waited, entered + duration);
        if waited > 0 {
            self.waits(call, wait, until, calls);
        }
        if left > until {
            self.history.push(
                rank,
                Span { start: until, end: left, call: kind, cause: NO_RANK, doing: Doing::InCall },
            );
        }
        if communicates {
            let contention = wait.contention.min(left - until);
            self.tables.add(call, State::Transfer, left - until - contention);
            if contention > 0 {
                self.tables.add(call, State::Contention, contention);
                self.tables.add_contention(wait.route, contention);
            }
        }
    }

    /// A call waited for another rank until then.
    fn waits(&mut self, call: &TimedCall, wait: &Wait, until: u64, calls: &Calls) {
        let &TimedCall { rank, call: kind, entered, .. } = call;
        let &Wait { state, cause, .. } = wait;
        let picos = until - entered;
        self.tables.add(call, state, picos);
        self.history
            .push(rank, Span { start: entered, end: until, call: kind, cause, doing: Doing::Waiting });
        if cause == NO_RANK {
            return;
        }
        self.tables.pairs.add(Pair { waiter: rank, cause, state }, picos);
        match self.ending_call(cause, until, |of| calls.ends_wait(of, (cause, rank), state)) {
            Some(of) => self.tables.lines.add(Line { waiter: kind, cause: of, state }, picos),
            None => self.pend(cause, Pending::Line(kind, state, picos)),
        }
        self.blame(Blame { rank: cause, from: entered, until });
    }

    /// The kind of the call by which a rank ended a wait at `time`, preferably one that `fits`; none if it has not returned yet.
    fn ending_call(&self, rank: u32, time: u64, fits: impl Fn(u32) -> bool) -> Option<u32> {
        let calls = || self.history.calls(rank);
        let entered_then = || calls().filter(|call| call.entered == time);
        let found = entered_then().find(|call| fits(call.call)).or_else(|| entered_then().next());
        let found = found.or_else(|| calls().find(|call| call.entered < time && time < call.left));
        match found {
            Some(call) => Some(call.call),
            // It made the call later than all that have returned, or so long ago that it is not known any more.
            None if calls().next().is_none_or(|last| last.left <= time) => None,
            None => Some(NO_CALL),
        }
    }

    /// Divides a wait among what the blamed rank did meanwhile, and the ranks that it waited for.
    fn blame(&mut self, blame: Blame) {
        let (mut blames, mut shares, mut fuel) = (vec![blame], Vec::new(), FUEL);
        while let Some(blame) = blames.pop() {
            blame::divide(blame, self.history.spans(blame.rank), &mut fuel, &mut shares);
            for share in shares.drain(..) {
                match share {
                    Share::Own { call, doing, picos } => self.charge(blame.rank, call, doing, picos),
                    Share::Passed(blame) => blames.push(blame),
                }
            }
        }
    }

    fn charge(&mut self, rank: u32, call: u32, doing: Doing, picos: u64) {
        if call == NEXT_CALL {
            self.pend(rank, Pending::Cause(doing, picos));
        } else {
            self.tables.causes.add(Cause { rank, call, doing }, picos);
        }
    }

    fn pend(&mut self, rank: u32, cost: Pending) {
        self.pending.entry(rank).or_default().push(cost);
    }

    /// The next call of a rank is known.
    fn settle(&mut self, rank: u32, call: u32) {
        for cost in self.pending.remove(&rank).into_iter().flatten() {
            match cost {
                Pending::Cause(doing, picos) => self.tables.causes.add(Cause { rank, call, doing }, picos),
                Pending::Line(waiter, state, picos) => {
                    self.tables.lines.add(Line { waiter, cause: call, state }, picos);
                }
            }
        }
    }

    /// The run is over: ranks make no further calls.
    pub fn finish(&mut self) {
        let mut ranks: Vec<u32> = self.pending.keys().copied().collect();
        ranks.sort_unstable();
        ranks.into_iter().for_each(|rank| self.settle(rank, NO_CALL));
    }
}

#[cfg(test)]
mod tests;
