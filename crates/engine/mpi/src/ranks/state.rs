//! The state of all ranks and lines: requests, waits, wake-ups.
//!
//! A line that waits marks its requests; each completion then costs one counter, so waiting for n requests costs O(n) in
//! all, never n².

use mpirage_call::{BLOCKING, Completing, Completion, LineId, RankId, RequestId, STARTED};
use mpirage_prefetch::{fetch, fetch_slice};
use mpirage_units::{Duration, Time};

use super::line::{Line, Phase, Polling, Wait};
use super::receiving::Receiving;
use super::request::{Operation, Slot};
use super::sessions::OpenSessions;
use crate::ids::MessageId;
use crate::origin::Origin;
use crate::protocol::Overhead;
use crate::transport::message::Owner;

/// How many requests of a rank are prefetched at most.
const REQUESTS: usize = 16;

/// The effect of a request's completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wakeup {
    None,
    /// The wait of a line is over.
    Waited(LineId),
    /// A line that takes completed requests has one to take.
    Completed(LineId),
    /// It is certain how all requests complete that a line waits for.
    Certain(LineId),
}

/// The state of one rank: two cache lines.
#[derive(Debug)]
#[repr(align(64))]
struct RankState {
    /// By number; the first is unused, since blocking calls have a request of their line.
    requests: Vec<Slot>,
    /// Numbers of requests that are complete, of a rank that takes them as such; with `STARTED`, of those that have started.
    completed: Option<Vec<u32>>,
    /// Collectives under way that may still call a function of its program.
    callbacks: u32,
    /// Files that it has open: it reads and writes them when simulated time is there, not before.
    files: u32,
    /// The lines besides the first.
    other_lines: Vec<LineId>,
    initialized: bool,
    finalized: bool,
    /// Its program has written something that is not shown yet.
    wrote: bool,
    /// When it finalized, or made its last call.
    end: Time,
}

/// All ranks and lines of a run.
#[derive(Debug)]
pub(crate) struct Ranks {
    lines: Vec<Line>,
    ranks: Vec<RankState>,
    /// The cost of a receive for a line.
    overhead: Overhead,
    /// Has any request ever lent its memory?
    lend: bool,
    /// Sessions that ranks have opened and not finalized.
    pub sessions: OpenSessions,
}

impl Ranks {
    /// So many ranks with one line each.
    pub(crate) fn new(count: usize, overhead: Overhead) -> Ranks {
        let rank = |_| RankState {
            requests: vec![Slot::UNUSED],
            completed: None,
            callbacks: 0,
            files: 0,
            other_lines: Vec::new(),
            initialized: false,
            finalized: false,
            wrote: false,
            end: Time::ZERO,
        };
        let line = |number| Line::new(RankId::new(number));
        let (lines, ranks) = ((0..count as u32).map(line).collect(), (0..count).map(rank).collect());
        Ranks { lines, ranks, overhead, lend: false, sessions: OpenSessions::default() }
    }

    /// A further line of a rank, which is about to run.
    pub(crate) fn open_line(&mut self, rank: RankId) -> LineId {
        let line = LineId::new(self.lines.len() as u32);
        self.lines.push(Line::new(rank));
        self.ranks[rank.index()].other_lines.push(line);
        line
    }

    /// Has a rank more than one line?
    pub(crate) fn have_threads(&self) -> bool {
        self.lines.len() != self.ranks.len()
    }

    pub(crate) fn count(&self) -> usize {
        self.ranks.len()
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = LineId> + use<> {
        (0..self.lines.len() as u32).map(LineId::new)
    }

    #[inline]
    pub(crate) fn line(&self, line: LineId) -> &Line {
        &self.lines[line.index()]
    }

    #[inline]
    pub(crate) fn line_mut(&mut self, line: LineId) -> &mut Line {
        &mut self.lines[line.index()]
    }

    /// The rank of a line.
    #[inline]
    pub(crate) fn rank_of(&self, line: LineId) -> RankId {
        self.lines[line.index()].rank
    }

    /// The requests of a rank, by number.
    #[inline]
    pub(crate) fn requests(&self, rank: RankId) -> &[Slot] {
        &self.ranks[rank.index()].requests
    }

    /// A request of a line, or of its rank.
    #[inline]
    pub(crate) fn slot(&self, line: LineId, id: RequestId) -> &Slot {
        match id {
            BLOCKING => &self.lines[line.index()].blocking,
            _ => &self.ranks[self.lines[line.index()].rank.index()].requests[id.index()],
        }
    }

    #[inline(always)]
    pub(crate) fn slot_mut(&mut self, line: LineId, id: RequestId) -> &mut Slot {
        match id {
            BLOCKING => &mut self.lines[line.index()].blocking,
            _ => &mut self.ranks[self.lines[line.index()].rank.index()].requests[id.index()],
        }
    }

    /// The owner of what completes with a request of a line.
    #[inline]
    pub(crate) fn owner(&self, line: LineId, id: RequestId) -> Owner {
        match id {
            BLOCKING => Owner::Blocking(line),
            _ => Owner::Request { rank: self.rank_of(line), id },
        }
    }

    /// The request that completes with something, if it is one.
    #[inline]
    fn owned_slot(&mut self, owner: Owner) -> Option<&mut Slot> {
        match owner {
            Owner::Request { rank, id } => self.ranks[rank.index()].requests.get_mut(id.index()),
            Owner::Blocking(line) => Some(&mut self.lines[line.index()].blocking),
            Owner::Step { .. } | Owner::None => None,
        }
    }

    /// A new operation uses a request of a line.
    #[inline(always)]
    pub(crate) fn open_request(&mut self, line: LineId, id: RequestId, operation: Operation) {
        self.open(line, id, operation, None);
    }

    /// The same for an operation that may be complete at once.
    #[inline(always)]
    pub(crate) fn open(
        &mut self,
        line: LineId,
        id: RequestId,
        operation: Operation,
        done: Option<Completion>,
    ) -> Wakeup {
        let state = &mut self.lines[line.index()];
        let (origin, complete) = (Origin::of(&state.stamp), done.is_some());
        let slot = Slot { operation, origin, done, ideal: state.ideal, ..Slot::UNUSED };
        if id == BLOCKING {
            state.blocking = slot;
            return Wakeup::None;
        }
        let rank = state.rank;
        let RankState { requests, completed, .. } = &mut self.ranks[rank.index()];
        if requests.len() <= id.index() {
            requests.resize(id.index() + 1, Slot::UNUSED);
        }
        requests[id.index()] = slot;
        if complete && completed.is_some() { self.note_completed(rank, id.get()) } else { Wakeup::None }
    }

    /// The operation behind a request, or behind a blocking call, is complete; by ideal clocks not before `ideal`.
    #[inline(always)]
    pub(crate) fn complete(
        &mut self,
        owner: Owner,
        completion: Completion,
        ideal: Time,
        now: Time,
    ) -> Wakeup {
        if !self.overhead.is_none() && !completion.cancelled {
            self.arrive(owner, now, self.overhead.of(completion.bytes));
        }
        match owner {
            Owner::Request { rank, id } => {
                let slot = &mut self.ranks[rank.index()].requests[id.index()];
                if slot.detached {
                    *slot = Slot::UNUSED;
                    return Wakeup::None;
                }
                slot.complete(completion, ideal);
                if !slot.awaited {
                    return self.note_completed(rank, id.get());
                }
                let uncertain = slot.uncertain;
                self.one_less(self.waiter(rank, id), owner, uncertain)
            }
            Owner::Blocking(line) => {
                let slot = &mut self.lines[line.index()].blocking;
                slot.complete(completion, ideal);
                let (awaited, uncertain) = (slot.awaited, slot.uncertain);
                if awaited { self.one_less(line, owner, uncertain) } else { Wakeup::None }
            }
            Owner::Step { .. } | Owner::None => Wakeup::None,
        }
    }

    /// A line waits for one request less.
    #[inline(always)]
    fn one_less(&mut self, line: LineId, owner: Owner, uncertain: bool) -> Wakeup {
        let state = &mut self.lines[line.index()];
        state.wait.missing -= usize::from(state.wait.missing > 0);
        let enough = state.wait.how != Completing::All || state.wait.missing == 0;
        if enough && state.phase.is(&Phase::Waiting) {
            state.phase = Phase::Woken;
            Wakeup::Waited(line)
        } else if uncertain {
            self.now_certain(owner)
        } else {
            Wakeup::None
        }
    }

    /// Is a rank in no call of MPI, and not past its last one?
    pub(crate) fn is_away(&self, rank: RankId) -> bool {
        let away = |line: &LineId| {
            let Line { phase, in_function, .. } = &self.lines[line.index()];
            let looks = phase.is(&Phase::TakingCompleted) || phase.is(&Phase::Gone);
            !(looks || phase.is_in_call() && *in_function)
        };
        away(&LineId::first_of(rank)) && self.ranks[rank.index()].other_lines.iter().all(away)
    }

    /// The line that waits for a request.
    #[inline]
    fn waiter(&self, rank: RankId, id: RequestId) -> LineId {
        let first = LineId::first_of(rank);
        let others = &self.ranks[rank.index()].other_lines;
        if others.is_empty() {
            return first;
        }
        let waits = |line: &&LineId| {
            let state = &self.lines[line.index()];
            state.phase.is(&Phase::Waiting) && state.wait.requests.contains(&id)
        };
        others.iter().find(waits).copied().unwrap_or(first)
    }

    /// A request is complete that no line waits for by number.
    #[inline(always)]
    fn note_completed(&mut self, rank: RankId, number: u32) -> Wakeup {
        let Some(completed) = &mut self.ranks[rank.index()].completed else { return Wakeup::None };
        completed.push(number);
        let line = LineId::first_of(rank);
        let phase = &mut self.lines[line.index()].phase;
        if phase.is(&Phase::TakingCompleted) {
            *phase = Phase::Woken;
            return Wakeup::Completed(line);
        }
        Wakeup::None
    }

    /// The operation behind a request has started, and its rank, which takes completed requests, wants to know.
    pub(crate) fn note_started(&mut self, owner: Owner) -> Wakeup {
        match owner {
            Owner::Request { rank, id } => self.note_completed(rank, id.get() | STARTED),
            _ => Wakeup::None,
        }
    }

    /// It is known how a request completes. Its line may wait for just that.
    pub(crate) fn now_certain(&mut self, owner: Owner) -> Wakeup {
        let certain = |slot: &mut Slot| std::mem::take(&mut slot.uncertain);
        if !self.owned_slot(owner).is_some_and(certain) {
            return Wakeup::None;
        }
        let line = match owner {
            Owner::Request { rank, id } => self.waiter(rank, id),
            Owner::Blocking(line) => line,
            Owner::Step { .. } | Owner::None => return Wakeup::None,
        };
        let state = &mut self.lines[line.index()];
        state.wait.uncertain -= 1;
        let all = state.wait.uncertain == 0 && state.phase.is(&Phase::Waiting);
        if all { Wakeup::Certain(line) } else { Wakeup::None }
    }

    /// Do completed requests wait to be taken? From the first time on, requests are noted as they complete.
    pub(crate) fn has_completed(&mut self, rank: RankId) -> bool {
        let RankState { completed, requests, .. } = &mut self.ranks[rank.index()];
        let completed = completed.get_or_insert_with(|| {
            let done = |(_, slot): &(usize, &Slot)| slot.done.is_some();
            requests.iter().enumerate().filter(done).map(|(id, _)| id as u32).collect()
        });
        !completed.is_empty()
    }

    /// Puts completed requests into the reply and frees them. Gives what receiving costs the line.
    pub(crate) fn take_completed(&mut self, line: LineId) -> Duration {
        let Line { rank, reply, ideal, .. } = &mut self.lines[line.index()];
        let RankState { completed, requests, .. } = &mut self.ranks[rank.index()];
        let mut cost = Duration::ZERO;
        for number in completed.iter_mut().flat_map(|completed| completed.drain(..)) {
            if number & STARTED != 0 {
                reply.completions.push(Completion::empty(number));
                continue;
            }
            let slot = &mut requests[number as usize];
            let Some(completion) = slot.done else { continue };
            cost += slot.receiving_cost(&self.overhead);
            slot.close();
            *ideal = (*ideal).max(slot.ideal);
            reply.completions.push(Completion { index: number, ..completion });
        }
        cost
    }

    /// A line waits for requests. True if it need not.
    #[inline(always)]
    pub(crate) fn start_wait(
        &mut self,
        line: LineId,
        how: Completing,
        requests: &[RequestId],
        now: Time,
    ) -> bool {
        let mut missing = 0;
        let Line { rank, wait, blocking, .. } = &mut self.lines[line.index()];
        let slots = &mut self.ranks[rank.index()].requests;
        for &id in requests {
            let slot = if id == BLOCKING { &mut *blocking } else { &mut slots[id.index()] };
            slot.awaited = true;
            missing += usize::from(slot.done.is_none());
        }
        (wait.how, wait.missing, wait.receiving) = (how, missing, Receiving::default());
        wait.requests.clear();
        match requests {
            // The commonest: without a call to copy them.
            &[only] => wait.requests.push(only),
            several => wait.requests.extend_from_slice(several),
        }
        if !self.overhead.is_none() {
            self.begin_receiving(line, now);
        }
        let complete = requests.len() - missing;
        match how {
            Completing::All => complete == requests.len(),
            Completing::Any | Completing::Some => complete > 0,
        }
    }

    /// A line takes what has arrived of the messages that it has begun to wait for.
    fn begin_receiving(&mut self, line: LineId, now: Time) {
        let Line { rank, wait, blocking, .. } = &mut self.lines[line.index()];
        let requests = &self.ranks[rank.index()].requests;
        let slots =
            wait.requests.iter().map(|&id| if id == BLOCKING { &*blocking } else { &requests[id.index()] });
        let cost = slots
            .map(|slot| slot.receiving_cost(&self.overhead))
            .fold(Duration::ZERO, |sum, cost| sum + cost);
        wait.receiving = Receiving::begin(now, cost);
    }

    /// A message arrives, which takes a line that waits for it so long.
    fn arrive(&mut self, owner: Owner, now: Time, cost: Duration) {
        if !self.owned_slot(owner).is_some_and(|slot| slot.awaited && slot.receives()) {
            return;
        }
        let line = match owner {
            Owner::Request { rank, id } => self.waiter(rank, id),
            Owner::Blocking(line) => line,
            Owner::Step { .. } | Owner::None => return,
        };
        self.lines[line.index()].wait.receiving.arrive(now, cost);
    }

    /// The line only asked: it does not wait.
    pub(crate) fn stop_waiting(&mut self, line: LineId) {
        for nth in 0..self.lines[line.index()].wait.requests.len() {
            let id = self.lines[line.index()].wait.requests[nth];
            self.slot_mut(line, id).awaited = false;
        }
    }

    /// A request of the line's wait that is complete although its message still needs the rank's memory; none after the last.
    #[inline]
    pub(crate) fn next_lent(&mut self, line: LineId, from: &mut usize) -> Option<MessageId> {
        if self.lend { self.find_lent(line, from) } else { None }
    }

    #[inline(never)]
    fn find_lent(&mut self, line: LineId, from: &mut usize) -> Option<MessageId> {
        while let Some(&id) = self.lines[line.index()].wait.requests.get(*from) {
            *from += 1;
            let slot = self.slot_mut(line, id);
            if slot.lent && slot.done.is_some() {
                slot.lent = false;
                return slot.message();
            }
        }
        None
    }

    /// Puts the completed requests of the line's wait into the reply and frees them. Gives what receiving costs the line.
    pub(crate) fn gather_completions(&mut self, line: LineId, now: Time) -> Duration {
        let Line { rank, wait, blocking, reply, ideal, .. } = &mut self.lines[line.index()];
        let requests = &mut self.ranks[rank.index()].requests;
        let free = self.overhead.is_none();
        // A line that was released early has got these already, and gets the same again.
        reply.completions.clear();
        let mut cost = Duration::ZERO;
        for (index, &id) in wait.requests.iter().enumerate() {
            let slot = if id == BLOCKING { &mut *blocking } else { &mut requests[id.index()] };
            slot.awaited = false;
            let Some(completion) = slot.done else { continue };
            if wait.how == Completing::Any && !reply.completions.is_empty() {
                continue;
            }
            if !free {
                cost += slot.receiving_cost(&self.overhead);
            }
            slot.close();
            *ideal = (*ideal).max(slot.ideal);
            reply.completions.push(Completion { index: index as u32, ..completion });
        }
        if wait.how == Completing::All { wait.receiving.left(now) } else { cost }
    }

    /// The message of a request is over; one that was delivered before it was copied out leaves a request behind that is not
    /// complete.
    pub(crate) fn message_over(&mut self, owner: Owner, over: MessageId) {
        if let Some(slot) = self.owned_slot(owner)
            && slot.done.is_none()
            && let Operation::Send { message, .. } = &mut slot.operation
            && *message == Some(over)
        {
            *message = None;
        }
    }

    /// A request lends its memory to its message.
    #[inline]
    pub(crate) fn lend(&mut self, rank: RankId, id: RequestId) {
        self.ranks[rank.index()].requests[id.index()].lent = true;
        self.lend = true;
    }

    /// The message of a request no longer needs its memory.
    #[inline]
    pub(crate) fn end_loan(&mut self, rank: RankId, id: RequestId, message: MessageId) {
        self.ranks[rank.index()].requests[id.index()].end_loan(message);
    }

    /// Adds to the ideal time of a request.
    pub(crate) fn pass_request_ideal(&mut self, rank: RankId, id: RequestId, span: Duration) {
        self.ranks[rank.index()].requests[id.index()].ideal += span;
    }

    /// A collective is over for a line at this ideal time: it was the line's call, or its request is complete.
    pub(crate) fn leave_ideal(&mut self, line: LineId, request: RequestId, at: Time) {
        let clock = match request {
            BLOCKING => &mut self.lines[line.index()].ideal,
            _ => &mut self.slot_mut(line, request).ideal,
        };
        *clock = (*clock).max(at);
    }

    /// Ideal time passes in a line; no more once its rank has finalized, for that is its end.
    pub(crate) fn pass_ideal(&mut self, line: LineId, span: Duration) {
        let state = &mut self.lines[line.index()];
        if !self.ranks[state.rank.index()].finalized {
            state.ideal += span;
        }
    }

    /// A poll of a line failed; gives how long it has polled without success.
    pub(crate) fn poll_failed(&mut self, line: LineId, now: Time) -> Duration {
        let polling = &mut self.lines[line.index()].polling;
        if polling.failures == 0 {
            *polling = Polling { since: now, ..Polling::default() };
        }
        polling.failures = polling.failures.saturating_add(1);
        polling.counted = polling.failures;
        now.since(polling.since)
    }

    /// The line's last action was a poll after all.
    pub(crate) fn still_polls(&mut self, line: LineId) {
        let polling = &mut self.lines[line.index()].polling;
        polling.failures = polling.counted;
    }

    /// A poll succeeded, or the line did something else.
    #[inline]
    pub(crate) fn poll_over(&mut self, line: LineId) {
        self.lines[line.index()].polling.failures = 0;
    }

    /// Takes what a line waits for; [`Ranks::put_wait`] puts it back.
    pub(crate) fn take_wait(&mut self, line: LineId) -> Wait {
        std::mem::take(&mut self.lines[line.index()].wait)
    }

    pub(crate) fn put_wait(&mut self, line: LineId, wait: Wait) {
        self.lines[line.index()].wait = wait;
    }

    /// A rank has called `MPI_Init`, or opened a session while it had none. True if it is the first time.
    pub(crate) fn initialize(&mut self, rank: RankId) -> bool {
        let rank = &mut self.ranks[rank.index()];
        rank.finalized = false;
        !std::mem::replace(&mut rank.initialized, true)
    }

    /// A rank has called `MPI_Finalize`.
    pub(crate) fn finalize(&mut self, rank: RankId, now: Time) {
        let rank = &mut self.ranks[rank.index()];
        (rank.finalized, rank.end) = (true, now);
    }

    /// A line of a rank has ended.
    pub(crate) fn note_end(&mut self, rank: RankId, now: Time) {
        let rank = &mut self.ranks[rank.index()];
        if !rank.finalized {
            rank.end = now;
        }
    }

    /// Has the rank called `MPI_Init`, and `MPI_Finalize`?
    pub(crate) fn lifecycle(&self, rank: RankId) -> (bool, bool) {
        let rank = &self.ranks[rank.index()];
        (rank.initialized, rank.finalized)
    }

    /// When the rank ended.
    pub(crate) fn end(&self, rank: RankId) -> Time {
        self.ranks[rank.index()].end
    }

    /// The program of a rank has written, or what it has written is shown.
    pub(crate) fn set_wrote(&mut self, rank: RankId, wrote: bool) -> bool {
        std::mem::replace(&mut self.ranks[rank.index()].wrote, wrote)
    }

    /// A collective that may call a function of the rank's program begins.
    pub(crate) fn begin_callbacks(&mut self, rank: RankId) {
        self.ranks[rank.index()].callbacks += 1;
    }

    /// Such a collective is over.
    pub(crate) fn end_callbacks(&mut self, rank: RankId) {
        self.ranks[rank.index()].callbacks -= 1;
    }

    /// The rank opens a file: it does not run ahead of simulated time.
    pub(crate) fn keep_in_time(&mut self, rank: RankId) {
        self.ranks[rank.index()].files += 1;
    }

    /// It closes one.
    pub(crate) fn let_run_ahead(&mut self, rank: RankId) {
        self.ranks[rank.index()].files -= 1;
    }

    /// May the rank run before simulated time is there? Not if its program may have to compute for others: it must stay where
    /// it can be asked. Nor while it has a file open, nor at its end: others may still need its memory.
    pub(crate) fn may_run_ahead(&self, rank: RankId) -> bool {
        let rank = &self.ranks[rank.index()];
        rank.callbacks == 0 && rank.files == 0 && !rank.finalized
    }

    /// Prefetches a line.
    #[inline]
    pub(crate) fn fetch_line(&self, line: LineId) {
        fetch(&self.lines[line.index()]);
        // The first line of a rank has the rank's number.
        if let Some(rank) = self.ranks.get(line.index()) {
            fetch(rank);
        }
    }

    /// Prefetches what a line needs to run.
    #[inline]
    pub(crate) fn fetch_for_run(&self, line: LineId) {
        let state = &self.lines[line.index()];
        fetch_slice(&self.ranks[state.rank.index()].requests, REQUESTS);
        fetch_slice(state.inbox.words(), 16);
        fetch_slice(&state.reply.completions, REQUESTS);
    }

    /// Prefetches what is needed at the end of a line's wait.
    #[inline]
    pub(crate) fn fetch_for_wait(&self, line: LineId) {
        let state = &self.lines[line.index()];
        fetch_slice(&state.wait.requests, REQUESTS);
        fetch_slice(&self.ranks[state.rank.index()].requests, REQUESTS);
        fetch_slice(&state.reply.completions, REQUESTS);
    }

    /// Prefetches a request that will complete.
    #[inline]
    pub(crate) fn fetch_owner(&self, owner: Owner) {
        if let Owner::Request { rank, id } = owner
            && let Some(slot) = self.ranks[rank.index()].requests.get(id.index())
        {
            fetch(slot);
        }
    }
}
