//! Early release: a rank may go on as soon as its reply is final, before simulated time is there.
//!
//! What a program computes after a call depends on the call's answer and bytes, not on the date at which it returns. Once
//! these are certain, its process may run, on any core, while the engine works its way to that date. The calls it makes
//! meanwhile are taken at that date and no sooner, so the order in which calls are carried out stays that of simulated time.
//!
//! ```text
//! blocked ─► certain: bytes are moved ─► Turn::Release ─► the process runs ─┐
//!    └─────────► time passes as it would anyway ─► Turn::Resume ◄───────────┘ its calls are taken
//! ```
//!
//! | blocked in | certain when |
//! |---|---|
//! | a wait for all of some requests | every receive has its message and every send its receive: bytes may then move, because nobody may touch them before the wait is over |
//! | a collective, a new communicator | everybody has entered |
//! | a call that costs time | it has been carried out |
//! | the end of an instant | several ranks are ready: all of them |
//!
//! What depends on dates is never certain early: polls, probes, waits for any.

use mpirage_call::{BLOCKING, Completing, Completion, RequestId};

use crate::engine::{Engine, Turn};
use crate::memory::Memory;
use crate::message::{Held, Journey, Message, Owner, Receive, UNMATCHED, step_of};
use crate::rank::{Phase, RankState};
use crate::request::{NOTHING, Operation};

impl<M: Memory> Engine<M> {
    /// From here on, ranks are released as soon as their replies are final, or not any more. Simulated time is the same.
    pub fn release_early(&mut self, wanted: bool) {
        self.early = wanted;
        let at_start = self.ready.iter().filter_map(|turn| match turn {
            Turn::Resume(rank) if wanted => Some(*rank),
            _ => None,
        });
        self.releases = at_start.collect();
    }

    /// The next rank to release.
    pub(crate) fn next_release(&mut self) -> Option<Turn> {
        let rank = self.releases.pop_front()?;
        // Nobody else could run meanwhile.
        let alone = self.releases.is_empty() && self.ready.len() == 1;
        let resumed_now = alone && self.ready.front() == Some(&Turn::Resume(rank));
        (!resumed_now).then_some(Turn::Release(rank))
    }

    /// The rank's reply is final but for its date.
    pub(crate) fn release(&mut self, rank: u32) {
        if self.may_release(rank) {
            let state = &mut self.ranks[rank as usize];
            (state.released, state.reply.early) = (true, true);
            self.releases.push_back(rank);
        }
    }

    /// The rank's reply is final, date and all.
    pub(crate) fn release_ready(&mut self, rank: u32) {
        if self.early && self.ranks[rank as usize].may_run_ahead() {
            self.releases.push_back(rank);
        }
    }

    /// A rank waits for requests: is it certain how they complete?
    pub(crate) fn foresee_end_of_wait(&mut self, rank: u32) {
        if !self.early || self.ranks[rank as usize].wait.how != Completing::All {
            return;
        }
        let mut wait = std::mem::take(&mut self.ranks[rank as usize].wait);
        wait.uncertain = 0;
        for &id in &wait.requests {
            let uncertain = !self.is_certain(rank, id);
            self.ranks[rank as usize].requests[id.index()].uncertain = uncertain;
            wait.uncertain += usize::from(uncertain);
        }
        let certain = wait.uncertain == 0;
        self.ranks[rank as usize].wait = wait;
        if certain {
            self.release_waiting(rank);
        }
    }

    /// A message and a receive have found each other, and bytes have yet to travel.
    pub(crate) fn found_each_other(&mut self, id: u32, receive: u32) {
        let &Message { bytes, owner: sender, sender_waits, .. } = &self.messages[id];
        if step_of(receive).is_none()
            && let &Receive { room, owner: receiver, .. } = &self.receives[receive]
            && bytes <= room
        {
            let places = self.taken.len().max(receive as usize + 1);
            self.taken.resize(places, NOTHING);
            self.taken[receive as usize] = id;
            self.now_certain(receiver);
        }
        if sender_waits {
            self.now_certain(sender);
        }
    }

    /// It is known how a request completes. Perhaps its rank waits for just that.
    pub(crate) fn now_certain(&mut self, owner: Owner) {
        let Owner::Request { rank, id } = owner else { return };
        let state = &mut self.ranks[rank as usize];
        if !std::mem::take(&mut state.requests[id.index()].uncertain) {
            return;
        }
        state.wait.uncertain -= 1;
        if state.wait.uncertain == 0 && state.phase == Phase::Waiting {
            self.release_waiting(rank);
        }
    }

    /// Once everybody has entered a collective, everybody gets what is its.
    pub(crate) fn settle_if_complete(&mut self, id: u32) {
        if !self.early || !self.instances[id as usize].is_complete() {
            return;
        }
        let mut instance = self.instances.remove(id as usize);
        instance.settled = true;
        let inside: Vec<u32> =
            (0..instance.size() as u32).filter(|&seat| !instance.seats[seat as usize].left).collect();
        for &seat in &inside {
            self.give(&mut instance, seat);
        }
        for seat in inside {
            let (rank, request) = (instance.world_of(seat), instance.seats[seat as usize].request);
            match request {
                BLOCKING => self.release(rank),
                id => self.now_certain(Owner::Request { rank, id }),
            }
        }
        self.put_back(id, instance);
    }

    fn may_release(&self, rank: u32) -> bool {
        let state = &self.ranks[rank as usize];
        self.early && !state.released && state.may_run_ahead()
    }

    fn is_certain(&self, rank: u32, id: RequestId) -> bool {
        let slot = &self.ranks[rank as usize].requests[id.index()];
        let is_settled = |instance: u32| self.instances.get(instance as usize).is_some_and(|one| one.settled);
        slot.done.is_some()
            || match slot.operation {
                Operation::Unused | Operation::Work => true,
                _ if slot.behind == NOTHING => false,
                Operation::Send { .. } => self.messages[slot.behind].receive != UNMATCHED,
                Operation::Recv { .. } => self.taken_by(slot.behind).is_some(),
                Operation::Collective { instance } => is_settled(instance),
            }
    }

    /// The message that a receive has taken and has room for, while its bytes travel.
    fn taken_by(&self, receive: u32) -> Option<u32> {
        // What was noted may be of an earlier receive of this number.
        let still = |message: &u32| {
            let message = &self.messages[*message];
            message.receive == receive && message.journey != Journey::Over
        };
        self.taken.get(receive as usize).copied().filter(|&id| id != NOTHING).filter(still)
    }

    /// Every request that the rank waits for is certain: moves the bytes and says how they complete.
    fn release_waiting(&mut self, rank: u32) {
        if !self.may_release(rank) {
            return;
        }
        let wait = std::mem::take(&mut self.ranks[rank as usize].wait);
        let mut completions = std::mem::take(&mut self.ranks[rank as usize].reply.completions);
        completions.clear();
        for (index, &id) in wait.requests.iter().enumerate() {
            let completion = self.complete_early(rank, id);
            completions.push(Completion { index: index as u32, ..completion });
        }
        let state = &mut self.ranks[rank as usize];
        (state.wait, state.reply.completions) = (wait, completions);
        self.release(rank);
    }

    fn complete_early(&mut self, rank: u32, id: RequestId) -> Completion {
        let slot = self.ranks[rank as usize].requests[id.index()];
        let message = match slot.operation {
            Operation::Recv { .. } if slot.done.is_none() => self.taken_by(slot.behind),
            Operation::Send { .. } if slot.behind != NOTHING && (slot.done.is_none() || slot.lent) => {
                Some(slot.behind)
            }
            _ => None,
        };
        if let Some(message) = message {
            self.pass_on(message);
        }
        match (slot.done, slot.operation, message) {
            (Some(done), ..) => done,
            (None, Operation::Recv { .. }, Some(message)) => self.messages[message].completion(),
            _ => Completion::empty(0),
        }
    }

    /// Moves the bytes of a message, before it is delivered, to where they will be wanted; to us if that is not known yet.
    fn pass_on(&mut self, id: u32) {
        let message = &mut self.messages[id];
        if let (true, Owner::Request { rank, id: request }) = (message.lent, message.owner) {
            message.lent = false;
            let slot = &mut self.ranks[rank as usize].requests[request.index()];
            // The request may be another one's by now.
            slot.lent &= slot.behind != id;
        }
        let receive = message.receive;
        if receive == UNMATCHED || message.bytes > self.receives[receive].room {
            return self.take_over(id);
        }
        self.copy_payload(id, receive);
        if let Held::Buffer(buffer) = std::mem::take(&mut self.messages[id].held) {
            self.buffers.push(buffer);
        }
    }
}

impl RankState {
    /// Not if its program may have to compute for others: it must stay where it can be asked. Nor at its end: others may still
    /// need its memory.
    fn may_run_ahead(&self) -> bool {
        self.on_call == 0 && !self.finalized
    }
}
