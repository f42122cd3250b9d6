//! Locks of windows: who holds them, who waits. First come, first served at each target.

use std::collections::{BTreeMap, VecDeque};

use mpirage_call::RankId;

use crate::ids::ActivityId;

/// A request for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub id: ActivityId,
    pub exclusive: bool,
}

/// The locks of one window.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    targets: BTreeMap<RankId, Lock>,
    /// Ranks that hold shared locks of all targets.
    holders_of_all: u32,
    waiting_for_all: VecDeque<ActivityId>,
}

#[derive(Debug, Default)]
struct Lock {
    shared: u32,
    exclusive: bool,
    waiting: VecDeque<Claim>,
}

impl Locks {
    /// A request for the lock of one target has come. Gives those that are granted now.
    pub(crate) fn claim(&mut self, target: RankId, claim: Claim) -> Vec<ActivityId> {
        let lock = self.targets.entry(target).or_default();
        lock.waiting.push_back(claim);
        lock.grant(self.holders_of_all)
    }

    /// A rank wants shared locks of all targets. True if it has them at once.
    pub(crate) fn claim_all(&mut self, id: ActivityId) -> bool {
        if self.some_is_exclusive() {
            self.waiting_for_all.push_back(id);
            return false;
        }
        self.holders_of_all += 1;
        true
    }

    /// The lock of a target is given up. Gives those that are granted now.
    pub(crate) fn release(&mut self, target: RankId) -> Vec<ActivityId> {
        let Some(lock) = self.targets.get_mut(&target) else { return Vec::new() };
        if !std::mem::take(&mut lock.exclusive) {
            lock.shared = lock.shared.saturating_sub(1);
        }
        let mut granted = Vec::new();
        if !self.some_is_exclusive() {
            self.holders_of_all += self.waiting_for_all.len() as u32;
            granted.extend(self.waiting_for_all.drain(..));
        }
        let holders_of_all = self.holders_of_all;
        granted.extend(self.targets.get_mut(&target).into_iter().flat_map(|lock| lock.grant(holders_of_all)));
        granted
    }

    /// The locks of all targets are given up. Gives those that are granted now.
    pub(crate) fn release_all(&mut self) -> Vec<ActivityId> {
        self.holders_of_all = self.holders_of_all.saturating_sub(1);
        let holders_of_all = self.holders_of_all;
        self.targets.values_mut().flat_map(|lock| lock.grant(holders_of_all)).collect()
    }

    fn some_is_exclusive(&self) -> bool {
        self.targets.values().any(|lock| lock.exclusive)
    }
}

impl Lock {
    fn grant(&mut self, holders_of_all: u32) -> Vec<ActivityId> {
        let mut granted = Vec::new();
        while let Some(&Claim { id, exclusive }) = self.waiting.front() {
            let free = match exclusive {
                true => self.shared + holders_of_all == 0 && !self.exclusive,
                false => !self.exclusive,
            };
            if !free {
                break;
            }
            self.waiting.pop_front();
            match exclusive {
                true => self.exclusive = true,
                false => self.shared += 1,
            }
            granted.push(id);
        }
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;

    const TARGET: RankId = RankId::new(3);

    fn id(number: usize) -> ActivityId {
        ActivityId::new(number)
    }

    fn claim(locks: &mut Locks, number: usize, exclusive: bool) -> Vec<ActivityId> {
        locks.claim(TARGET, Claim { id: id(number), exclusive })
    }

    #[test]
    fn an_exclusive_lock_is_alone() {
        let mut locks = Locks::default();
        assert_eq!(claim(&mut locks, 0, true), [id(0)]);
        assert!(claim(&mut locks, 1, false).is_empty());
        assert!(claim(&mut locks, 2, false).is_empty());
        assert!(claim(&mut locks, 3, true).is_empty());
        assert_eq!(locks.release(TARGET), [id(1), id(2)]);
        assert!(locks.release(TARGET).is_empty());
        assert_eq!(locks.release(TARGET), [id(3)]);
    }

    #[test]
    fn a_shared_lock_does_not_overtake_an_exclusive_one() {
        let mut locks = Locks::default();
        assert_eq!(claim(&mut locks, 0, false), [id(0)]);
        assert!(claim(&mut locks, 1, true).is_empty());
        assert!(claim(&mut locks, 2, false).is_empty());
        assert_eq!(locks.release(TARGET), [id(1)]);
        assert_eq!(locks.release(TARGET), [id(2)]);
    }

    #[test]
    fn locks_of_all_exclude_exclusive_ones() {
        let mut locks = Locks::default();
        assert_eq!(claim(&mut locks, 0, true), [id(0)]);
        assert!(!locks.claim_all(id(1)));
        assert_eq!(locks.release(TARGET), [id(1)]);
        assert_eq!(claim(&mut locks, 2, false), [id(2)]);
        assert!(claim(&mut locks, 3, true).is_empty());
        assert!(locks.release_all().is_empty());
        assert_eq!(locks.release(TARGET), [id(3)]);
    }
}
