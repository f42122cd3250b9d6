//! Why a run does not go on, and what it leaves behind.

use mpirage_call::{ContextId, Stamp};

use crate::engine::Engine;
use crate::memory::Memory;
use crate::rank::Phase;
use crate::request::{Operation, Slot};

/// One thing a blocked rank needs. Peers are ranks of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// A receive of its own message by `to`.
    Receiver {
        /// Who is to receive.
        to: u32,
        /// With which tag.
        tag: i32,
        /// In which communicator.
        context: ContextId,
    },
    /// A message.
    Message {
        /// From whom; none for anybody.
        from: Option<u32>,
        /// With which tag; none for any.
        tag: Option<i32>,
        /// In which communicator.
        context: ContextId,
    },
    /// Other ranks in a collective.
    Members {
        /// What the collective is.
        what: &'static str,
        /// Who has not entered; none if all have, and it waits for messages within it.
        missing: Vec<u32>,
        /// In which communicator.
        context: ContextId,
    },
}

/// A rank that waits for something that does not come.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockedRank {
    /// Which.
    pub rank: u32,
    /// The call it is in.
    pub stamp: Stamp,
    /// What it needs. One of them suffices if `any`.
    pub wants: Vec<Want>,
}

/// Something nobody will ever take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// A message that was sent but not received.
    Message {
        /// From.
        from: u32,
        /// To.
        to: u32,
        /// Its tag.
        tag: i32,
        /// Its size.
        bytes: u64,
        /// In which communicator.
        context: ContextId,
    },
    /// Requests that were never waited for or freed.
    Requests {
        /// Whose.
        rank: u32,
        /// How many.
        count: usize,
        /// One of them.
        example: Want,
    },
}

impl<M: Memory> Engine<M> {
    /// The ranks that wait, in order.
    pub fn blocked(&self) -> Vec<BlockedRank> {
        let ranks = 0..self.ranks.len() as u32;
        ranks.filter_map(|rank| self.why_blocked(rank)).collect()
    }

    /// How many ranks a communicator has, for messages about it.
    pub fn communicator_size(&self, context: ContextId) -> u32 {
        self.comms.size(context)
    }

    /// The ranks in a circle of waiting, if there is one: each waits for the next, the last for the first.
    pub fn cycle(blocked: &[BlockedRank]) -> Option<Vec<u32>> {
        let next = |rank: u32| blocked.iter().find(|b| b.rank == rank).and_then(|b| b.wants.iter().find_map(first_peer));
        for start in blocked {
            let mut path = vec![start.rank];
            while let Some(peer) = path.last().copied().and_then(next) {
                if let Some(at) = path.iter().position(|&rank| rank == peer) {
                    return Some(path.split_off(at));
                }
                path.push(peer);
            }
        }
        None
    }

    /// What is left when all ranks have ended.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut all = Vec::new();
        for rank in 0..self.ranks.len() as u32 {
            let open: Vec<Want> = self.open_requests(rank).filter_map(|(_, slot)| self.want_of(rank, slot)).collect();
            if let Some(example) = open.first().cloned() {
                all.push(Leftover::Requests { rank, count: open.len(), example });
            }
            all.extend(self.ranks[rank as usize].unexpected.values().filter_map(|id| self.left_message(id)));
        }
        all
    }

    fn left_message(&self, id: u32) -> Option<Leftover> {
        let message = &self.messages[id as usize];
        let context = ContextId::try_from(message.key.context).ok()?;
        let (from, to, bytes) = (message.from, message.to, message.bytes);
        Some(Leftover::Message { from, to, tag: message.key.tag.unwrap_or(0), bytes, context })
    }

    fn why_blocked(&self, rank: u32) -> Option<BlockedRank> {
        let state = &self.ranks[rank as usize];
        let wants = match state.phase {
            Phase::Waiting => {
                let slots = state.wait.requests.iter().map(|&id| &state.requests[id as usize]);
                slots.filter(|slot| slot.done.is_none()).filter_map(|slot| self.want_of(rank, slot)).collect()
            }
            Phase::Probing(probing) => {
                let context = probing.key.context as ContextId;
                vec![self.message_wanted(rank, context, probing.key.source, probing.key.tag)]
            }
            Phase::InCollective(instance) => vec![self.members_wanted(instance)],
            _ => return None,
        };
        Some(BlockedRank { rank, stamp: state.stamp, wants })
    }

    fn want_of(&self, rank: u32, slot: &Slot) -> Option<Want> {
        match slot.operation {
            Operation::Unused => None,
            Operation::Send { context, to, tag } => {
                Some(Want::Receiver { to: self.comms.world_of(context, rank, to)?, tag, context })
            }
            Operation::Recv { context, from, tag } => Some(self.message_wanted(rank, context, from, tag)),
            Operation::Collective { instance } => {
                self.instances.contains(instance as usize).then(|| self.members_wanted(instance))
            }
        }
    }

    fn message_wanted(&self, rank: u32, context: ContextId, from: Option<u32>, tag: Option<i32>) -> Want {
        let from = from.and_then(|from| self.comms.world_of(context, rank, from));
        Want::Message { from, tag, context }
    }

    fn members_wanted(&self, instance: u32) -> Want {
        let what = self.kind_name(instance);
        let instance = &self.instances[instance as usize];
        Want::Members { what, missing: instance.missing(), context: instance.context }
    }
}

fn first_peer(want: &Want) -> Option<u32> {
    match want {
        Want::Receiver { to, .. } => Some(*to),
        Want::Message { from, .. } => *from,
        Want::Members { missing, .. } => missing.first().copied(),
    }
}
