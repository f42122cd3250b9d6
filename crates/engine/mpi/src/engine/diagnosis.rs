//! Why a run does not go on, and what it leaves behind.

use std::collections::{BTreeMap, BTreeSet};

use mpirage_call::{ContextId, LineId, Peers, RankId, RequestId, Stamp};

use super::core::Core;
use crate::collective::instance::Instance;
use crate::ids::InstanceId;
use crate::origin::Origin;
use crate::ranks::line::Phase;
use crate::ranks::request::{Operation, Slot};
use crate::transport::matching::Key;
use crate::transport::message::{Message, Owner};
use crate::windows::state::WindowWanted;

/// One thing a blocked rank needs. Peers are ranks of the world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// A receive of its own message by `to`.
    Receiver {
        /// The rank that is to receive.
        to: u32,
        /// The tag.
        tag: i32,
        /// The communicator.
        context: ContextId,
    },
    /// A message.
    Message {
        /// The sender; none for `MPI_ANY_SOURCE`.
        from: Option<u32>,
        /// The tag; none for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// The communicator.
        context: ContextId,
    },
    /// Other ranks in a collective.
    Members {
        /// The function that those inside have called.
        what: &'static str,
        /// Ranks that have not entered; none if all have, and it waits for messages within it.
        missing: Vec<u32>,
        /// The communicator.
        context: ContextId,
    },
    /// A lock of a window.
    Lock {
        /// The rank whose memory is locked; none for all ranks of the window.
        target: Option<u32>,
        /// The ranks that hold it.
        holders: Vec<u32>,
        /// The window's communicator.
        context: ContextId,
    },
    /// Its accesses to windows, or a lock that is on its way.
    Accesses {
        /// The ranks that carry them out.
        targets: Vec<u32>,
        /// Those of them that are outside MPI and carry them out in their next call.
        away: Vec<u32>,
        /// The window's communicator.
        context: ContextId,
    },
    /// Work of the rank itself, which ends by itself.
    Own(OwnWork),
}

/// Work that ends without other ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnWork {
    /// A computation beside the rank.
    Computation,
    /// An access to a file.
    FileAccess,
    /// The rank moves to another core, or others do.
    Migration,
}

impl Want {
    /// Does it need other ranks?
    fn is_of_others(&self) -> bool {
        !matches!(self, Want::Own(_))
    }

    /// The ranks that could bring it about, or some of them if they are many.
    pub fn peers(&self) -> Vec<u32> {
        match self {
            Want::Receiver { to, .. } => vec![*to],
            Want::Message { from, .. } => from.iter().copied().collect(),
            Want::Members { missing: ranks, .. }
            | Want::Lock { holders: ranks, .. }
            | Want::Accesses { targets: ranks, .. } => ranks.iter().take(FOLLOWED).copied().collect(),
            Want::Own(_) => Vec::new(),
        }
    }
}

/// A rank, or one of its threads, that waits for something that does not come.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockedRank {
    /// The rank.
    pub rank: u32,
    /// The call it is in.
    pub stamp: Stamp,
    /// The things it waits for.
    pub wants: Vec<Want>,
}

/// Peers of one rank that are followed in search of a cycle. One missing member of a collective is as good as another.
const FOLLOWED: usize = 64;

/// Something that the program left behind at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// A message that was sent but not received.
    Message {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// Its tag.
        tag: i32,
        /// Its size.
        bytes: u64,
        /// The communicator.
        context: ContextId,
        /// The call that sent it.
        origin: Origin,
    },
    /// Requests that were never waited for or freed.
    Requests {
        /// The rank that opened them.
        rank: u32,
        /// How many.
        count: usize,
        /// One of them.
        example: Want,
        /// The call that opened that one.
        origin: Origin,
    },
    /// A collective that some ranks of its communicator never called.
    Collective {
        /// The function that others called.
        what: &'static str,
        /// One of those who called it.
        rank: u32,
        /// Ranks that did not call it.
        missing: Vec<u32>,
        /// The communicator.
        context: ContextId,
        /// The call of `rank`.
        origin: Origin,
    },
    /// Communicators, windows or files that were never freed or closed.
    Communicators {
        /// How many.
        count: usize,
        /// How many ranks the largest has.
        ranks: u32,
        /// Their purpose.
        purpose: CommunicatorPurpose,
        /// The call that made them.
        origin: Origin,
    },
}

/// The purpose of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CommunicatorPurpose {
    /// The program has it.
    Communicator,
    /// It belongs to a window.
    Window,
    /// It belongs to an open file.
    File,
}

/// Why the ranks of a run wait, and what the run leaves behind.
pub struct Diagnosis<'a, M> {
    core: &'a Core<M>,
}

impl<'a, M> Diagnosis<'a, M> {
    pub(super) fn new(core: &'a Core<M>) -> Diagnosis<'a, M> {
        Diagnosis { core }
    }

    /// The ranks that wait, in order; those with several threads as often as their threads do.
    pub fn blocked(&self) -> Vec<BlockedRank> {
        let lines = self.core.ranks.lines();
        let mut blocked: Vec<BlockedRank> = lines.filter_map(|line| self.why_blocked(line)).collect();
        // Lines of further threads follow those of all ranks.
        blocked.sort_by_key(|one| one.rank);
        blocked
    }

    /// Has a rank had several threads inside MPI?
    pub fn has_threads(&self) -> bool {
        self.core.ranks.lines().count() > self.core.ranks.count()
    }

    /// After a deadlock of the only job: ranks that have not ended, although none of their threads is inside MPI.
    pub fn outside(&self) -> Vec<u32> {
        let is_outside = |&rank: &u32| {
            let rank = RankId::new(rank);
            self.core.ranks.line(LineId::first_of(rank)).phase.is(&Phase::Running)
                && self.core.ranks.is_away(rank)
        };
        if self.core.jobs.count() == 1 {
            (0..self.core.jobs.ranks()).filter(is_outside).collect()
        } else {
            Vec::new()
        }
    }

    /// Is a request of a rank complete?
    pub fn is_complete(&self, rank: RankId, request: RequestId) -> bool {
        self.core.ranks.requests(rank).get(request.index()).is_some_and(|slot| slot.done.is_some())
    }

    /// The purpose of a communicator.
    pub fn purpose(&self, context: ContextId) -> CommunicatorPurpose {
        match context {
            _ if self.core.windows.exposures.has(context) => CommunicatorPurpose::Window,
            _ if self.core.files.get(context).is_some() => CommunicatorPurpose::File,
            _ => CommunicatorPurpose::Communicator,
        }
    }

    /// How many ranks a communicator has, for messages about it.
    pub fn communicator_size(&self, context: ContextId) -> u32 {
        self.core.collectives.comms().size(context)
    }

    /// Where a rank has opened the sessions that it has not finalized.
    pub fn open_sessions(&self, rank: RankId) -> Vec<Origin> {
        self.core.ranks.sessions.of(rank).collect()
    }

    /// The objects that are left when all ranks have ended.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let mut all = Vec::new();
        for number in 0..self.core.jobs.ranks() {
            let rank = RankId::new(number);
            let slots = self.core.ranks.requests(rank).iter().zip(0..);
            let mut open = slots.filter(|(slot, _)| slot.is_open()).filter_map(|(slot, id)| {
                let owner = Owner::Request { rank, id: RequestId::new(id) };
                Some((self.want_of(rank, slot, owner).filter(|want| want.is_of_others())?, slot.origin))
            });
            if let Some((example, origin)) = open.next() {
                all.push(Leftover::Requests { rank: number, count: open.count() + 1, example, origin });
            }
        }
        all.extend(self.core.collectives.incomplete().into_iter().filter_map(left_collective));
        all.extend(self.unreceived());
        all.extend(self.unfreed());
        all
    }

    /// Messages that no receive has taken, by receiver and age.
    pub fn unreceived(&self) -> Vec<Leftover> {
        self.core.transport.unreceived().into_iter().filter_map(left_message).collect()
    }

    fn unfreed(&self) -> Vec<Leftover> {
        let unfreed = self.core.collectives.comms().unfreed();
        let mut all: Vec<(Origin, CommunicatorPurpose, u32)> =
            unfreed.map(|(context, origin, ranks)| (origin, self.purpose(context), ranks)).collect();
        all.sort_unstable();
        let together = |made: &[(Origin, CommunicatorPurpose, u32)]| Leftover::Communicators {
            count: made.len(),
            ranks: made.iter().map(|&(.., ranks)| ranks).max().unwrap_or(0),
            purpose: made[0].1,
            origin: made[0].0,
        };
        all.chunk_by(|a, b| a.0 == b.0).map(together).collect()
    }

    fn why_blocked(&self, line: LineId) -> Option<BlockedRank> {
        let state = self.core.ranks.line(line);
        let rank = state.rank;
        let wants = match state.phase {
            Phase::Waiting => {
                let ids = state.wait.requests.iter().copied();
                let slots = ids.map(|id| (self.core.ranks.slot(line, id), self.core.ranks.owner(line, id)));
                self.wants_of(rank, slots)
            }
            Phase::TakingCompleted => {
                let owner = |id| Owner::Request { rank, id: RequestId::new(id) };
                let slots = self.core.ranks.requests(rank).iter().zip((0..).map(owner));
                self.wants_of(rank, slots)
            }
            Phase::Probing(probe) => vec![self.message_wanted(rank, probe.key)],
            Phase::InCollective(instance) => self.members_wanted(rank, instance).into_iter().collect(),
            Phase::Migrating => vec![Want::Own(OwnWork::Migration)],
            _ => return None,
        };
        Some(BlockedRank { rank: rank.get(), stamp: state.stamp, wants })
    }

    fn wants_of<'s>(&self, rank: RankId, slots: impl Iterator<Item = (&'s Slot, Owner)>) -> Vec<Want> {
        let open = slots.filter(|(slot, _)| slot.done.is_none());
        open.filter_map(|(slot, owner)| self.want_of(rank, slot, owner)).collect()
    }

    fn want_of(&self, rank: RankId, slot: &Slot, owner: Owner) -> Option<Want> {
        match slot.operation {
            Operation::Unused => None,
            Operation::Work => Some(Want::Own(OwnWork::Computation)),
            Operation::Window => self.window_wanted(owner),
            Operation::File => Some(self.file_members_wanted(rank).unwrap_or(Want::Own(OwnWork::FileAccess))),
            Operation::Send { context, to, tag, .. } => {
                let to = self.core.collectives.comms().resolve(context, rank, to)?.get();
                Some(Want::Receiver { to, tag, context })
            }
            Operation::Recv { context, from, tag, .. } => {
                Some(self.message_wanted(rank, Key { context: u64::from(context.get()), source: from, tag }))
            }
            Operation::Collective { instance } => self.members_wanted(rank, instance),
        }
    }

    /// The ranks that have not entered a collective access; none if the rank waits for a disk.
    fn file_members_wanted(&self, rank: RankId) -> Option<Want> {
        let (context, members) = self.core.files.missing(rank)?;
        let resolve = |member| self.core.collectives.comms().resolve(context, rank, member);
        let missing = members.into_iter().filter_map(resolve).map(RankId::get).collect();
        Some(Want::Members { what: "a collective access to a file", missing, context })
    }

    /// None if the access is complete.
    fn window_wanted(&self, owner: Owner) -> Option<Want> {
        let numbers = |ranks: BTreeSet<RankId>| ranks.into_iter().map(RankId::get).collect();
        Some(match self.core.windows.wanted(owner)? {
            WindowWanted::Lock { window, target, holders } => {
                Want::Lock { target: target.map(RankId::get), holders: numbers(holders), context: window }
            }
            WindowWanted::Service { window, targets, away } => {
                Want::Accesses { targets: numbers(targets), away: numbers(away), context: window }
            }
        })
    }

    fn message_wanted(&self, rank: RankId, key: Key) -> Want {
        let context = ContextId::new(key.context as u32);
        let resolve = |from| self.core.collectives.comms().resolve(context, rank, from);
        Want::Message { from: key.source().and_then(resolve).map(RankId::get), tag: key.tag(), context }
    }

    /// A rank waits for those that have not entered; among neighbours, for those of its own.
    fn members_wanted(&self, rank: RankId, instance: InstanceId) -> Option<Want> {
        let instance = self.core.collectives.instance(instance)?;
        let member = instance.group.rank_of(rank.get())?;
        let missing = match instance.participants[member as usize].peers.peers() {
            Peers::Neighbors { sources, destinations } => {
                instance.missing_of(sources.iter().chain(destinations).copied())
            }
            Peers::All | Peers::OtherSide { .. } => instance.missing(),
        };
        Some(Want::Members { what: instance.function(), missing, context: instance.context() })
    }
}

/// The ranks in a circle of waiting, if there is one: each waits for the next, the last for the first.
pub fn waiting_cycle(blocked: &[BlockedRank]) -> Option<Vec<u32>> {
    // Threads of a rank wait together: any of them may be in the circle.
    let mut wants: BTreeMap<u32, Vec<&Want>> = BTreeMap::new();
    blocked.iter().for_each(|rank| wants.entry(rank.rank).or_default().extend(&rank.wants));
    let index: BTreeMap<u32, usize> = wants.keys().copied().zip(0..).collect();
    let (ranks, wants): (Vec<u32>, Vec<Vec<&Want>>) = wants.into_iter().unzip();
    let awaited = |at: usize| {
        let peers = wants[at].iter().flat_map(|want| want.peers()).take(FOLLOWED);
        peers.filter_map(|peer| index.get(&peer).copied()).collect::<Vec<usize>>()
    };
    let mut seen = vec![false; ranks.len()];
    for start in 0..ranks.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut path, mut open) = (vec![start], vec![awaited(start).into_iter()]);
        while let Some(branch) = open.last_mut() {
            match branch.next() {
                Some(next) => {
                    if let Some(at) = path.iter().position(|&on_path| on_path == next) {
                        return Some(path[at..].iter().map(|&at| ranks[at]).collect());
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

fn left_collective(instance: &Instance) -> Option<Leftover> {
    let first = instance.first()?;
    let origin = Origin::of(&instance.participants[first as usize].stamp);
    Some(Leftover::Collective {
        what: instance.function(),
        rank: instance.rank_of(first).get(),
        missing: instance.missing(),
        context: instance.context(),
        origin,
    })
}

fn left_message(message: &Message) -> Option<Leftover> {
    let context = u32::try_from(message.key.context).map(ContextId::new).ok()?;
    let (from, to) = (message.from.get(), message.to.get());
    let (tag, bytes, origin) = (message.key.tag, message.bytes, message.origin);
    Some(Leftover::Message { from, to, tag, bytes, context, origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(rank: u32, froms: &[u32]) -> BlockedRank {
        let wants = froms
            .iter()
            .map(|&from| Want::Message { from: Some(from), tag: None, context: ContextId::new(0) })
            .collect();
        BlockedRank { rank, stamp: Stamp::default(), wants }
    }

    #[test]
    fn a_cycle_is_found_behind_dead_ends_and_branches() {
        let cycle = |blocked: &[BlockedRank]| waiting_cycle(blocked);
        assert_eq!(cycle(&[waits(0, &[1]), waits(1, &[0])]), Some(vec![0, 1]));
        assert_eq!(cycle(&[waits(0, &[1]), waits(1, &[2])]), None);
        let branches = [waits(0, &[9, 1, 2]), waits(1, &[9]), waits(2, &[1, 3]), waits(3, &[2])];
        assert_eq!(cycle(&branches), Some(vec![2, 3]));
        assert_eq!(cycle(&[waits(4, &[4])]), Some(vec![4]));
        // Two threads of rank 0.
        assert_eq!(cycle(&[waits(0, &[1]), waits(1, &[0]), waits(0, &[9])]), Some(vec![0, 1]));
    }
}
