//! Locks of windows: who holds them, who waits. First come, first served at each target.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mpirage_call::RankId;

use crate::ids::ActivityId;

/// A request for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub id: ActivityId,
    pub origin: RankId,
    pub exclusive: bool,
}

/// The locks of one window.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    targets: BTreeMap<RankId, Lock>,
    /// Ranks that hold shared locks of all targets.
    holders_of_all: BTreeSet<RankId>,
    waiting_for_all: VecDeque<(ActivityId, RankId)>,
}

#[derive(Debug, Default)]
struct Lock {
    shared: BTreeSet<RankId>,
    exclusive: Option<RankId>,
    waiting: VecDeque<Claim>,
}

impl Locks {
    /// A request for the lock of one target has come. Gives those that are granted now.
    pub(crate) fn claim(&mut self, target: RankId, claim: Claim) -> Vec<ActivityId> {
        let lock = self.targets.entry(target).or_default();
        lock.waiting.push_back(claim);
        lock.grant(self.holders_of_all.is_empty())
    }

    /// A rank wants shared locks of all targets. True if it has them at once.
    pub(crate) fn claim_all(&mut self, id: ActivityId, origin: RankId) -> bool {
        if self.some_is_exclusive() {
            self.waiting_for_all.push_back((id, origin));
            return false;
        }
        self.holders_of_all.insert(origin);
        true
    }

    /// A rank gives the lock of a target up. Gives those that are granted now.
    pub(crate) fn release(&mut self, target: RankId, origin: RankId) -> Vec<ActivityId> {
        let Some(lock) = self.targets.get_mut(&target) else { return Vec::new() };
        if lock.exclusive.take_if(|holder| *holder == origin).is_none() {
            lock.shared.remove(&origin);
        }
        let mut granted = Vec::new();
        if !self.some_is_exclusive() {
            for (id, origin) in self.waiting_for_all.drain(..) {
                self.holders_of_all.insert(origin);
                granted.push(id);
            }
        }
        let nobody_has_all = self.holders_of_all.is_empty();
        granted.extend(self.targets.get_mut(&target).into_iter().flat_map(|lock| lock.grant(nobody_has_all)));
        granted
    }

    /// A rank gives the locks of all targets up. Gives those that are granted now.
    pub(crate) fn release_all(&mut self, origin: RankId) -> Vec<ActivityId> {
        self.holders_of_all.remove(&origin);
        let nobody_has_all = self.holders_of_all.is_empty();
        self.targets.values_mut().flat_map(|lock| lock.grant(nobody_has_all)).collect()
    }

    /// The ranks that hold the lock of a target; if none is named, those that hold one of any target for themselves.
    pub(crate) fn holders(&self, target: Option<RankId>) -> BTreeSet<RankId> {
        let exclusive = |lock: &Lock| lock.exclusive;
        let Some(target) = target else { return self.targets.values().filter_map(exclusive).collect() };
        let mut all = self.holders_of_all.clone();
        if let Some(lock) = self.targets.get(&target) {
            all.extend(lock.shared.iter().copied().chain(lock.exclusive));
        }
        all
    }

    fn some_is_exclusive(&self) -> bool {
        self.targets.values().any(|lock| lock.exclusive.is_some())
    }
}

impl Lock {
    fn grant(&mut self, nobody_has_all: bool) -> Vec<ActivityId> {
        let mut granted = Vec::new();
        while let Some(&Claim { id, origin, exclusive }) = self.waiting.front() {
            let free = match exclusive {
                true => nobody_has_all && self.shared.is_empty() && self.exclusive.is_none(),
                false => self.exclusive.is_none(),
            };
            if !free {
                break;
            }
            self.waiting.pop_front();
            match exclusive {
                true => self.exclusive = Some(origin),
                false => drop(self.shared.insert(origin)),
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

    fn rank(number: u32) -> RankId {
        RankId::new(number)
    }

    /// Rank N claims with activity N.
    fn claim(locks: &mut Locks, number: u32, exclusive: bool) -> Vec<ActivityId> {
        locks.claim(TARGET, Claim { id: id(number as usize), origin: rank(number), exclusive })
    }

    #[test]
    fn an_exclusive_lock_is_alone() {
        let mut locks = Locks::default();
        assert_eq!(claim(&mut locks, 0, true), [id(0)]);
        assert!(claim(&mut locks, 1, false).is_empty());
        assert!(claim(&mut locks, 2, false).is_empty());
        assert!(claim(&mut locks, 3, true).is_empty());
        assert_eq!(locks.release(TARGET, rank(0)), [id(1), id(2)]);
        assert!(locks.release(TARGET, rank(1)).is_empty());
        assert_eq!(locks.release(TARGET, rank(2)), [id(3)]);
    }

    #[test]
    fn a_shared_lock_does_not_overtake_an_exclusive_one() {
        let mut locks = Locks::default();
        assert_eq!(claim(&mut locks, 0, false), [id(0)]);
        assert!(claim(&mut locks, 1, true).is_empty());
        assert!(claim(&mut locks, 2, false).is_empty());
        assert_eq!(locks.release(TARGET, rank(0)), [id(1)]);
        assert_eq!(locks.release(TARGET, rank(1)), [id(2)]);
    }

    #[test]
    fn locks_of_all_exclude_exclusive_ones() {
        let mut locks = Locks::default();
        assert_eq!(claim(&mut locks, 0, true), [id(0)]);
        assert!(!locks.claim_all(id(1), rank(1)));
        assert_eq!(locks.holders(None), BTreeSet::from([rank(0)]));
        assert_eq!(locks.release(TARGET, rank(0)), [id(1)]);
        assert_eq!(claim(&mut locks, 2, false), [id(2)]);
        assert!(claim(&mut locks, 3, true).is_empty());
        assert_eq!(locks.holders(Some(TARGET)), BTreeSet::from([rank(1), rank(2)]));
        assert!(locks.release_all(rank(1)).is_empty());
        assert_eq!(locks.release(TARGET, rank(2)), [id(3)]);
    }
}
