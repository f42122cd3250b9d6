//! Probes: looking at messages that nobody has received yet.

use mpirage_call::Completion;

use crate::engine::{Engine, Task};
use crate::matching::Key;
use crate::memory::Memory;
use crate::rank::{Phase, RankState};

/// What a rank looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probing {
    pub key: Key,
    pub take: bool,
}

impl<M: Memory> Engine<M> {
    /// Looks for a message; puts it into the reply if there is one.
    pub(crate) fn probe(&mut self, rank: u32, probing: &Probing) -> bool {
        let queue = &mut self.matching[rank as usize].unexpected;
        let found =
            if probing.take { queue.take_accepted(probing.key) } else { queue.find_accepted(&probing.key) };
        let Some(id) = found else { return false };
        let message = &self.messages[id];
        let completion = Completion {
            source: message.key.source as i32,
            tag: message.key.tag,
            bytes: message.bytes,
            ..Completion::empty(0)
        };
        let RankState { reply, ideal, .. } = &mut self.ranks[rank as usize];
        *ideal = (*ideal).max(message.ideal);
        reply.completions.push(completion);
        reply.message = probing.take.then_some(id);
        true
    }

    /// A message nobody waited for has come: does the rank probe for it?
    pub(crate) fn wake_prober(&mut self, rank: u32, key: &Key) {
        let state = &mut self.ranks[rank as usize];
        if let Phase::Probing(probing) = state.phase
            && probing.key.accepts(key)
        {
            state.phase = Phase::Woken;
            self.tasks.push_back(Task::FinishProbe(rank, probing));
        }
    }
}
