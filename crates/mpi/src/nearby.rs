//! What comes next is known: it is brought near while something else is done.
//!
//! Among thousands of ranks hardly anything of a rank is in a near cache when its turn comes, or when a message of its arrives.
//! The order of turns and of arrivals is known some steps ahead, though. Nothing here changes what happens.

use mpirage_collectives::Step;
use mpirage_kernel::Token;
use mpirage_prefetch::{fetch, fetch_slice};

use crate::engine::{Engine, Task, Turn};
use crate::memory::{FARTHEST, Memory};
use crate::message::Owner;
use crate::run::Run;
use crate::token::{self, Meaning};

/// How many arrivals ahead a message is fetched, and what it leads to.
const FAR: usize = 6;
const NEAR: usize = 3;
/// How many requests of a rank are fetched at most.
const REQUESTS: usize = 16;

impl<M: Memory> Engine<M> {
    /// A rank is about to run: fetches what the next ones will need, the nearer the more. What is behind a pointer is fetched
    /// one turn after the pointer.
    #[inline]
    pub(crate) fn fetch_next(&self) {
        for ahead in 0..=FARTHEST {
            let Some(&Turn::Resume(rank)) = self.ready.get(ahead) else { continue };
            self.memory.expect(rank, ahead);
            let state = &self.ranks[rank as usize];
            match ahead {
                0 => {
                    fetch_slice(&state.requests, REQUESTS);
                    fetch_slice(&state.inbox, 16);
                    fetch_slice(&state.reply.completions, REQUESTS);
                }
                1 => {
                    fetch(state);
                    fetch(&self.matching[rank as usize]);
                }
                _ => {}
            }
        }
    }

    /// A wait ends now: fetches what the next ones will need, since many end at once as a rule.
    #[inline]
    pub(crate) fn fetch_waits(&self) {
        if let Some(&Task::FinishWait(rank)) = self.tasks.get(NEAR) {
            fetch(&self.ranks[rank as usize]);
        }
        if let Some(&Task::FinishWait(rank)) = self.tasks.get(1) {
            let state = &self.ranks[rank as usize];
            fetch_slice(&state.wait.requests, REQUESTS);
            fetch_slice(&state.requests, REQUESTS);
            fetch_slice(&state.reply.completions, REQUESTS);
        }
    }

    /// The first of these ends now: fetches what later ones will need.
    #[inline]
    pub(crate) fn fetch_ending(&self, ended: &[Token]) {
        if let Some(&token) = ended.get(FAR)
            && let Meaning::Transfer(id) = token::read(token)
        {
            fetch(&self.messages[id]);
        }
        if let Some(&token) = ended.get(NEAR)
            && let Meaning::Transfer(id) = token::read(token)
        {
            let message = &self.messages[id];
            // Of a schedule's receives nothing is kept there.
            if let Some(receive) = self.receives.get(message.receive) {
                fetch(receive);
                fetch(&self.ranks[message.to as usize]);
            }
            self.fetch_owner(message.owner);
        }
        if let Some(&token) = ended.get(1)
            && let Meaning::Transfer(id) = token::read(token)
        {
            self.fetch_delivery(id);
        }
    }

    /// The receive of a message is near: so will be what it tells of.
    #[inline]
    fn fetch_delivery(&self, id: u32) {
        let message = &self.messages[id];
        // Of a step of a schedule there is nothing more than its run.
        let Some(receive) = self.receives.get(message.receive) else { return };
        self.fetch_owner(receive.owner);
    }

    /// A schedule that has much under way goes on: fetches what later steps will need.
    #[inline]
    pub(crate) fn fetch_steps(&self, run: &Run) {
        for (ahead, deep) in [(2 * NEAR, false), (NEAR, true)] {
            match run.step_ahead(&self.plans, ahead as u32) {
                Some(Step::Isend { to, slot, .. }) => {
                    let to = self.instances[run.instance as usize].world_of(to);
                    self.matching[to as usize].fetch(&run.sends(slot), deep);
                }
                // Its own queue is near; the message that waits there is not.
                Some(Step::Irecv { from, slot, .. }) if deep => {
                    let waiting = &self.matching[run.rank as usize].unexpected;
                    if let Some(message) = waiting.find_accepted(&run.receives(from, slot)) {
                        fetch(&self.messages[message]);
                    }
                }
                _ => {}
            }
        }
    }

    #[inline]
    fn fetch_owner(&self, owner: Owner) {
        if let Owner::Request { rank, id } = owner
            && let Some(slot) = self.ranks[rank as usize].requests.get(id.index())
        {
            fetch(slot);
        }
    }
}
