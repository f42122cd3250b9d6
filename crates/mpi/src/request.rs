//! Requests, and ranks that wait for them.
//!
//! A rank that waits marks its requests; each completion then costs one counter, so waiting for n
//! requests costs O(n) in all, never n².

use mpirage_call::{BLOCKING, Completing, Completion, ContextId, RequestId, STARTED};
use mpirage_units::{Duration, Time};

use crate::diagnosis::Origin;
use crate::engine::Engine;
use crate::matching::Key;
use crate::memory::Memory;
use crate::message::Owner;
use crate::rank::{Phase, RankState};

/// What an operation is, for whoever asks why it does not complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Operation {
    #[default]
    Unused,
    Send {
        context: ContextId,
        to: u32,
        tag: i32,
    },
    /// With `ANY_SOURCE` and `ANY_TAG` where anything will do.
    Recv {
        context: ContextId,
        from: u32,
        tag: i32,
    },
    Collective {
        instance: u32,
    },
    /// Something is computed beside the rank.
    Work,
}

/// Nothing stands behind a request.
pub(crate) const NOTHING: u32 = u32::MAX;

/// One request of a rank: one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Slot {
    pub operation: Operation,
    /// The call that opened it.
    pub origin: Origin,
    pub done: Option<Completion>,
    /// When it is complete by ideal clocks ([`crate::ideal`]), as far as that is known; at first, when it was opened.
    pub ideal: Time,
    /// The message it sent, or the receive behind it while that is not complete; else `NOTHING`.
    pub behind: u32,
    /// Are the bytes of its message still in this request's memory although the request is complete?
    pub lent: bool,
    /// Does the rank wait for it right now?
    awaited: bool,
    /// Of those, is it still open how it completes?
    pub uncertain: bool,
    /// Freed by the program before it completed.
    detached: bool,
}

impl Slot {
    pub(crate) const UNUSED: Slot = Slot {
        operation: Operation::Unused,
        origin: Origin::UNKNOWN,
        done: None,
        ideal: Time::ZERO,
        behind: NOTHING,
        lent: false,
        awaited: false,
        uncertain: false,
        detached: false,
    };

    /// Can the rank wait for it?
    pub(crate) fn is_open(&self) -> bool {
        self.operation != Operation::Unused && !self.detached
    }

    /// It was freed by the program, and is complete now. What it lends it goes on lending.
    #[cold]
    fn forget(&mut self) {
        *self = Slot { lent: self.lent, behind: self.behind, ..Slot::UNUSED };
    }

    /// The request may be used again.
    fn close(&mut self) {
        (self.operation, self.done, self.detached) = (Operation::Unused, None, false);
        (self.behind, self.lent) = (NOTHING, false);
    }
}

/// What a rank waits for.
#[derive(Debug)]
pub(crate) struct WaitState {
    pub how: Completing,
    pub requests: Vec<RequestId>,
    missing: usize,
    /// How many of them are uncertain.
    pub uncertain: usize,
}

impl Default for WaitState {
    fn default() -> Self {
        WaitState { how: Completing::All, requests: Vec::new(), missing: 0, uncertain: 0 }
    }
}

/// Consecutive polls that failed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Polling {
    failures: u32,
    since: Time,
}

impl<M: Memory> Engine<M> {
    /// A new operation uses request `id` of `rank`.
    pub(crate) fn open_request(&mut self, rank: u32, id: RequestId, operation: Operation) {
        let state = &mut self.ranks[rank as usize];
        if state.requests.len() <= id.index() {
            state.requests.resize(id.index() + 1, Slot::UNUSED);
        }
        let (origin, ideal) = (Origin::of(&state.stamp), state.ideal);
        state.requests[id.index()] = Slot { operation, origin, ideal, ..Slot::UNUSED };
    }

    /// The operation behind a request is complete; by ideal clocks not before `ideal`. Inlined, so that the completion is made in its slot: moved there, it would be
    /// read just after it was stored, which waits until the bytes of a message that was copied before have left the processor.
    #[inline(always)]
    pub(crate) fn request_done(&mut self, rank: u32, id: RequestId, completion: Completion, ideal: Time) {
        let state = &mut self.ranks[rank as usize];
        let slot = &mut state.requests[id.index()];
        if matches!(slot.operation, Operation::Recv { .. }) {
            slot.behind = NOTHING;
        }
        if slot.detached {
            return slot.forget();
        }
        slot.done = Some(completion);
        slot.ideal = slot.ideal.max(ideal);
        if !slot.awaited {
            return self.note_ripe(rank, id.get());
        }
        let uncertain = slot.uncertain;
        state.wait.missing -= usize::from(state.wait.missing > 0);
        let enough = state.wait.how != Completing::All || state.wait.missing == 0;
        if enough && state.phase == Phase::Waiting {
            state.phase = Phase::Woken;
            self.tasks.push_back(crate::engine::Task::FinishWait(rank));
        } else if uncertain {
            self.now_certain(Owner::Request { rank, id });
        }
    }

    /// A request that nobody waits for by name is complete.
    fn note_ripe(&mut self, rank: u32, id: u32) {
        let state = &mut self.ranks[rank as usize];
        let Some(ripe) = &mut state.harvest else { return };
        ripe.push(id);
        if state.phase == Phase::Harvesting {
            state.phase = Phase::Woken;
            self.tasks.push_back(crate::engine::Task::FinishTakeCompleted(rank));
        }
    }

    /// The operation behind a request has started, and its rank, which harvests, wants to know.
    pub(crate) fn note_started(&mut self, rank: u32, id: RequestId) {
        self.note_ripe(rank, id.get() | STARTED);
    }

    /// The rank harvests. True if something is ripe. From the first time on, requests are noted as they complete.
    pub(crate) fn start_harvest(&mut self, rank: u32) -> bool {
        let RankState { harvest, requests, .. } = &mut self.ranks[rank as usize];
        let ripe = harvest.get_or_insert_with(|| {
            let done = |(_, slot): &(usize, &Slot)| slot.done.is_some();
            let ripe = requests.iter().enumerate().filter(done).map(|(id, _)| id as u32);
            ripe.collect()
        });
        !ripe.is_empty()
    }

    /// Puts what is ripe into the reply and frees those requests. Gives what receiving costs the rank.
    pub(crate) fn gather_harvest(&mut self, rank: u32) -> Duration {
        let RankState { harvest, requests, reply, ideal, .. } = &mut self.ranks[rank as usize];
        let mut cost = Duration::ZERO;
        for id in harvest.iter_mut().flat_map(|ripe| ripe.drain(..)) {
            if id & STARTED != 0 {
                reply.completions.push(Completion::empty(id));
                continue;
            }
            let slot = &mut requests[id as usize];
            let Some(completion) = slot.done else { continue };
            if matches!(slot.operation, Operation::Recv { .. }) {
                cost += self.protocol.recv_overhead.of(completion.bytes);
            }
            slot.close();
            *ideal = (*ideal).max(slot.ideal);
            reply.completions.push(Completion { index: id, ..completion });
        }
        cost
    }

    /// The rank waits for requests. True if it need not.
    pub(crate) fn start_wait(&mut self, rank: u32, how: Completing, requests: &[RequestId]) -> bool {
        let state = &mut self.ranks[rank as usize];
        state.wait.how = how;
        state.wait.requests.clear();
        state.wait.requests.extend_from_slice(requests);
        state.wait.missing = 0;
        for &id in requests {
            let slot = &mut state.requests[id.index()];
            slot.awaited = true;
            state.wait.missing += usize::from(slot.done.is_none());
        }
        let complete = requests.len() - state.wait.missing;
        match how {
            Completing::All => complete == requests.len(),
            Completing::Any | Completing::Some => complete > 0,
        }
    }

    /// The rank only asked: forget that it waited.
    pub(crate) fn stop_waiting(&mut self, rank: u32) {
        let state = &mut self.ranks[rank as usize];
        for &id in &state.wait.requests {
            state.requests[id.index()].awaited = false;
        }
    }

    /// Puts what is complete into the reply and frees those requests. Gives what receiving costs the rank.
    pub(crate) fn gather_completions(&mut self, rank: u32) -> Duration {
        self.reclaim_awaited(rank);
        let RankState { wait, requests, reply, ideal, .. } = &mut self.ranks[rank as usize];
        // A rank that was released early has been told already, and is told the same.
        reply.completions.clear();
        let mut cost = Duration::ZERO;
        for (index, &id) in wait.requests.iter().enumerate() {
            let slot = &mut requests[id.index()];
            slot.awaited = false;
            let Some(completion) = slot.done else { continue };
            if wait.how == Completing::Any && !reply.completions.is_empty() {
                continue;
            }
            if matches!(slot.operation, Operation::Recv { .. }) && !completion.cancelled {
                cost += self.protocol.recv_overhead.of(completion.bytes);
            }
            slot.close();
            *ideal = (*ideal).max(slot.ideal);
            reply.completions.push(Completion { index: index as u32, ..completion });
        }
        cost
    }

    /// Takes over the bytes of requests that the rank is about to be told are complete.
    fn reclaim_awaited(&mut self, rank: u32) {
        for nth in 0..self.ranks[rank as usize].wait.requests.len() {
            let RankState { wait, requests, .. } = &self.ranks[rank as usize];
            let id = wait.requests[nth];
            let slot = &requests[id.index()];
            if slot.lent && slot.done.is_some() {
                self.reclaim(rank, id);
            }
        }
    }

    /// `MPI_Request_free`.
    pub(crate) fn free_request(&mut self, rank: u32, id: RequestId) {
        let slot = &mut self.ranks[rank as usize].requests[id.index()];
        if slot.done.is_some() {
            self.reclaim(rank, id);
            self.ranks[rank as usize].requests[id.index()] = Slot::UNUSED;
            return;
        }
        if matches!(slot.operation, Operation::Collective { .. } | Operation::Work) {
            return slot.detached = true;
        }
        // The rank may use the number again at once, so what is under way must not know it any more.
        let (mine, behind, opened) = (Owner::Request { rank, id }, slot.behind, slot.ideal);
        let receives = matches!(slot.operation, Operation::Recv { .. });
        *slot = Slot::UNUSED;
        if let Some(ideal) = &mut self.ideal
            && receives
        {
            ideal.orphan(behind, opened);
        }
        let owner = match behind {
            NOTHING => None,
            _ if receives => Some(&mut self.receives[behind].owner),
            _ => Some(&mut self.messages[behind].owner),
        };
        let later = self.later.iter_mut().map(|(_, owner)| owner);
        later.chain(owner).filter(|owner| **owner == mine).for_each(|owner| *owner = Owner::Nobody);
    }

    /// `MPI_Cancel`: a send or receive that has not matched completes as cancelled; anything else goes on.
    pub(crate) fn cancel_request(&mut self, rank: u32, id: RequestId) {
        let slot = self.ranks[rank as usize].requests[id.index()];
        let taken_back = match slot.operation {
            _ if slot.behind == NOTHING => false,
            Operation::Recv { .. } => self.cancel_receive(rank, slot.behind),
            _ => self.cancel_send(rank, id, slot.behind),
        };
        if taken_back {
            let cancelled = Completion { cancelled: true, ..Completion::empty(0) };
            self.request_done(rank, id, cancelled, Time::ZERO);
        }
    }

    fn cancel_receive(&mut self, rank: u32, receive: u32) -> bool {
        let key = self.receives[receive].key;
        let posted = self.matching[rank as usize].posted.take_value(&key, receive);
        if posted {
            self.receives.release(receive);
        }
        posted
    }

    /// A poll failed: what it costs.
    pub(crate) fn poll_failed(&mut self, rank: u32) -> Duration {
        let now = self.kernel.now();
        let polling = &mut self.ranks[rank as usize].polling;
        if polling.failures == 0 {
            polling.since = now;
        }
        polling.failures = polling.failures.saturating_add(1);
        self.protocol.poll.of(now.since(polling.since))
    }

    /// A poll succeeded, or the rank did something else.
    pub(crate) fn poll_over(&mut self, rank: u32) {
        self.ranks[rank as usize].polling.failures = 0;
    }

    /// The rank's one blocking operation, to be waited for at once.
    pub(crate) fn wait_for_blocking(&mut self, rank: u32) -> bool {
        self.start_wait(rank, Completing::All, &[BLOCKING])
    }

    /// Does the rank have operations under way, or complete but never waited for?
    pub(crate) fn open_requests(&self, rank: u32) -> impl Iterator<Item = (RequestId, &Slot)> {
        let slots = self.ranks[rank as usize].requests.iter().enumerate();
        slots
            .filter(|(_, slot)| slot.operation != Operation::Unused && !slot.detached)
            .map(|(id, slot)| (RequestId::new(id as u32), slot))
    }
}

/// The key a receive or probe matches by.
pub(crate) fn key_of(context: ContextId, source: Option<u32>, tag: Option<i32>) -> Key {
    Key::new(u64::from(context.get()), source, tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_cache_line() {
        assert_eq!(size_of::<Slot>(), 64);
    }
}
