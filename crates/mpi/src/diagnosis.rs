//! Why a run does not go on, and what it leaves behind.

use std::collections::HashMap;
use std::fmt;

use mpirage_call::{ContextId, Stamp};

use crate::engine::Engine;
use crate::matching::Key;
use crate::memory::Memory;
use crate::message::Message;
use crate::rank::Phase;
use crate::request::{Operation, Slot};

/// The call that something comes from: one word, since every message and request has one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(u64);

/// Where the index of the function begins in an origin; addresses are shorter.
const FUNCTION: u32 = 53;

impl Origin {
    /// Nobody's.
    pub const UNKNOWN: Origin = Origin(0);

    /// Of a stamped call. Rotated rather than shifted: of a shifted index the compiler reads more bytes than it has, and such a
    /// read has to wait until the stamp, which has often just been stored, has left the processor.
    #[inline]
    pub fn of(stamp: &Stamp) -> Origin {
        Origin(stamp.site & ((1 << FUNCTION) - 1) | u64::from(stamp.function).rotate_left(FUNCTION))
    }

    /// The address it returns to; zero if unknown.
    pub fn site(self) -> u64 {
        self.0 & ((1 << FUNCTION) - 1)
    }

    /// The function, by its index.
    pub fn function(self) -> u16 {
        (self.0 >> FUNCTION) as u16
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {} at {:#x}", self.function(), self.site())
    }
}

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
        /// The function that those inside have called.
        what: &'static str,
        /// Who has not entered; none if all have, and it waits for messages within it.
        missing: Vec<u32>,
        /// In which communicator.
        context: ContextId,
    },
}

impl Want {
    /// The ranks that could bring it about, or some of them if they are many.
    pub fn peers(&self) -> Vec<u32> {
        match self {
            Want::Receiver { to, .. } => vec![*to],
            Want::Message { from, .. } => from.iter().copied().collect(),
            Want::Members { missing, .. } => missing.iter().take(FOLLOWED).copied().collect(),
        }
    }
}

/// A rank that waits for something that does not come.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockedRank {
    /// Which.
    pub rank: u32,
    /// The call it is in.
    pub stamp: Stamp,
    /// What it needs.
    pub wants: Vec<Want>,
}

/// Peers of one rank that are followed in search of a cycle. One missing member of a collective is as good as another.
const FOLLOWED: usize = 64;

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
        /// Who sent it.
        origin: Origin,
    },
    /// Requests that were never waited for or freed.
    Requests {
        /// Whose.
        rank: u32,
        /// How many.
        count: usize,
        /// One of them.
        example: Want,
        /// Who opened that one.
        origin: Origin,
    },
    /// Communicators that were never freed.
    Communicators {
        /// How many.
        count: usize,
        /// How many ranks the largest has.
        ranks: u32,
        /// Who made them.
        origin: Origin,
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
        let index: HashMap<u32, usize> =
            blocked.iter().enumerate().map(|(at, rank)| (rank.rank, at)).collect();
        let awaited = |at: usize| {
            let peers = blocked[at].wants.iter().flat_map(Want::peers).take(FOLLOWED);
            peers.filter_map(|peer| index.get(&peer).copied()).collect::<Vec<usize>>()
        };
        let mut seen = vec![false; blocked.len()];
        for start in 0..blocked.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let (mut path, mut open) = (vec![start], vec![awaited(start).into_iter()]);
            while let Some(branch) = open.last_mut() {
                match branch.next() {
                    Some(next) => {
                        if let Some(at) = path.iter().position(|&on_path| on_path == next) {
                            return Some(path[at..].iter().map(|&at| blocked[at].rank).collect());
                        }
                        if !std::mem::replace(&mut seen[next], true) {
                            path.push(next);
                            open.push(awaited(next).into_iter());
                        }
                    }
                    None => {
                        open.pop();
                        path.pop();
                    }
                }
            }
        }
        None
    }

    /// What is left when all ranks have ended.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut all = Vec::new();
        for rank in 0..self.ranks.len() as u32 {
            let mut open = self
                .open_requests(rank)
                .filter_map(|(_, slot)| Some((self.want_of(rank, slot)?, slot.origin)));
            if let Some((example, origin)) = open.next() {
                all.push(Leftover::Requests { rank, count: open.count() + 1, example, origin });
            }
        }
        all.extend(self.unreceived());
        all.extend(self.unfreed());
        all
    }

    /// Messages that no receive has taken, by receiver and age.
    pub fn unreceived(&self) -> Vec<Leftover> {
        let mut messages: Vec<_> =
            self.messages.iter().filter(|(_, message)| message.is_unreceived()).collect();
        messages.sort_by_key(|(id, message)| (message.to, message.sent, message.from, *id));
        messages.into_iter().filter_map(|(_, message)| left_message(message)).collect()
    }

    fn unfreed(&self) -> Vec<Leftover> {
        let mut all: Vec<(Origin, u32)> = self.comms.unfreed().collect();
        all.sort_unstable();
        let together = |made: &[(Origin, u32)]| Leftover::Communicators {
            count: made.len(),
            ranks: made.iter().map(|&(_, ranks)| ranks).max().unwrap_or(0),
            origin: made[0].0,
        };
        all.chunk_by(|a, b| a.0 == b.0).map(together).collect()
    }

    fn why_blocked(&self, rank: u32) -> Option<BlockedRank> {
        let state = &self.ranks[rank as usize];
        let wants = match state.phase {
            Phase::Waiting => {
                let slots = state.wait.requests.iter().map(|&id| &state.requests[id.index()]);
                slots.filter(|slot| slot.done.is_none()).filter_map(|slot| self.want_of(rank, slot)).collect()
            }
            Phase::Harvesting => {
                let slots = state.requests.iter().filter(|slot| slot.done.is_none());
                slots.filter_map(|slot| self.want_of(rank, slot)).collect()
            }
            Phase::Probing(probing) => {
                let context = ContextId::new(probing.key.context as u32);
                vec![self.message_wanted(rank, context, probing.key.source(), probing.key.tag())]
            }
            Phase::InCollective(instance) => vec![self.members_wanted(instance)],
            _ => return None,
        };
        Some(BlockedRank { rank, stamp: state.stamp, wants })
    }

    fn want_of(&self, rank: u32, slot: &Slot) -> Option<Want> {
        match slot.operation {
            Operation::Unused | Operation::Work => None,
            Operation::Send { context, to, tag } => {
                Some(Want::Receiver { to: self.comms.world_of(context, rank, to)?, tag, context })
            }
            Operation::Recv { context, from, tag } => {
                let key = Key { context: u64::from(context.get()), source: from, tag };
                Some(self.message_wanted(rank, context, key.source(), key.tag()))
            }
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
        let what = self.called(instance);
        let instance = &self.instances[instance as usize];
        Want::Members { what, missing: instance.missing(), context: instance.context }
    }
}

fn left_message(message: &Message) -> Option<Leftover> {
    let context = u32::try_from(message.key.context).ok().map(ContextId::new)?;
    let &Message { from, to, bytes, origin, .. } = message;
    Some(Leftover::Message { from, to, tag: message.key.tag, bytes, context, origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nowhere;

    impl Memory for Nowhere {
        fn read(&mut self, _: u32, _: u64, _: &mut [u8]) {}
        fn write(&mut self, _: u32, _: u64, _: &[u8]) {}
        fn reduce(&mut self, _: u32, _: u64, _: u64, _: u64, _: &[u8], _: &mut [u8]) {}
    }

    fn waits(rank: u32, froms: &[u32]) -> BlockedRank {
        let wants = froms
            .iter()
            .map(|&from| Want::Message { from: Some(from), tag: None, context: ContextId::new(0) })
            .collect();
        BlockedRank { rank, stamp: Stamp::default(), wants }
    }

    #[test]
    fn a_cycle_is_found_behind_dead_ends_and_branches() {
        let cycle = |blocked: &[BlockedRank]| Engine::<Nowhere>::cycle(blocked);
        assert_eq!(cycle(&[waits(0, &[1]), waits(1, &[0])]), Some(vec![0, 1]));
        assert_eq!(cycle(&[waits(0, &[1]), waits(1, &[2])]), None);
        let branches = [waits(0, &[9, 1, 2]), waits(1, &[9]), waits(2, &[1, 3]), waits(3, &[2])];
        assert_eq!(cycle(&branches), Some(vec![2, 3]));
        assert_eq!(cycle(&[waits(4, &[4])]), Some(vec![4]));
    }
}
