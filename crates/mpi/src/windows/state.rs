//! All windows of a run: what is exposed, what is under way, who waits.

use std::collections::{HashMap, VecDeque};

use mpirage_call::{ContextId, RankId};

use super::access::{Access, AccessState, Way};
use super::exposure::Exposures;
use super::lock::{Claim, Locks};
use crate::ids::{ActivityId, Table};
use crate::transport::message::Owner;

/// Something of a window that is under way.
#[derive(Debug)]
pub(crate) enum Activity {
    Access(Box<Access>),
    /// A request for a lock, or its grant.
    Lock {
        way: Way,
        exclusive: bool,
        granted: bool,
        owner: Owner,
    },
    /// A request for the locks of all targets, which waits.
    LockAll {
        owner: Owner,
    },
    /// A lock is given up.
    Release {
        way: Way,
    },
}

/// The accesses of a rank to one window.
#[derive(Debug, Default)]
struct Open {
    count: u32,
    /// What waits for those to one target, or to all.
    waiting: Vec<(Option<RankId>, Owner)>,
}

/// The accesses on one way.
#[derive(Debug, Default)]
struct Lane {
    /// Those that are not applied yet, in order.
    order: VecDeque<ActivityId>,
    /// Those that are not complete.
    open: u32,
}

/// The windows of a run.
#[derive(Debug)]
pub(crate) struct Windows {
    pub exposures: Exposures,
    activities: Table<ActivityId, Activity>,
    locks: HashMap<ContextId, Locks>,
    open: HashMap<(ContextId, RankId), Open>,
    lanes: HashMap<Way, Lane>,
}

impl Windows {
    pub(crate) fn new() -> Windows {
        Windows {
            exposures: Exposures::default(),
            activities: Table::new(),
            locks: HashMap::new(),
            open: HashMap::new(),
            lanes: HashMap::new(),
        }
    }

    pub(crate) fn activity(&mut self, id: ActivityId) -> &mut Activity {
        &mut self.activities[id]
    }

    pub(crate) fn add(&mut self, activity: Activity) -> ActivityId {
        self.activities.insert(activity)
    }

    pub(crate) fn remove(&mut self, id: ActivityId) -> Activity {
        self.activities.remove(id)
    }

    /// An access sets out.
    pub(crate) fn add_access(&mut self, access: Access) -> ActivityId {
        let way = access.way;
        let id = self.add(Activity::Access(Box::new(access)));
        let lane = self.lanes.entry(way).or_default();
        lane.order.push_back(id);
        lane.open += 1;
        self.open.entry((way.window, way.origin)).or_default().count += 1;
        id
    }

    /// The next access of a way, if it is at the target: it is to be applied.
    pub(crate) fn next_arrived(&mut self, way: Way) -> Option<ActivityId> {
        let lane = self.lanes.get_mut(&way)?;
        let &id = lane.order.front()?;
        match &self.activities[id] {
            Activity::Access(access) if access.state == AccessState::Arrived => {
                lane.order.pop_front();
                Some(id)
            }
            _ => None,
        }
    }

    /// An access is complete. Gives what waited for that.
    pub(crate) fn access_complete(&mut self, way: Way) -> Vec<Owner> {
        let mut to_target = 0;
        if let Some(lane) = self.lanes.get_mut(&way) {
            lane.open -= 1;
            to_target = lane.open;
            if lane.open == 0 {
                self.lanes.remove(&way);
            }
        }
        let Some(open) = self.open.get_mut(&(way.window, way.origin)) else { return Vec::new() };
        open.count -= 1;
        let count = open.count;
        let done = |(target, _): &mut (Option<RankId>, Owner)| match target {
            None => count == 0,
            Some(target) => *target == way.target && to_target == 0,
        };
        let ready = open.waiting.extract_if(.., done).map(|(_, owner)| owner).collect();
        if count == 0 && open.waiting.is_empty() {
            self.open.remove(&(way.window, way.origin));
        }
        ready
    }

    /// Are accesses of a rank under way, to one target or to any?
    pub(crate) fn is_open(&self, window: ContextId, origin: RankId, target: Option<RankId>) -> bool {
        match target {
            None => self.open.get(&(window, origin)).is_some_and(|open| open.count > 0),
            Some(target) => self.lanes.contains_key(&Way { window, origin, target }),
        }
    }

    /// `owner` completes when the accesses of a rank are, to one target or to all.
    pub(crate) fn wait_for(
        &mut self,
        window: ContextId,
        origin: RankId,
        target: Option<RankId>,
        owner: Owner,
    ) {
        self.open.entry((window, origin)).or_default().waiting.push((target, owner));
    }

    /// A request for a lock has come to its target. Gives those that are granted now.
    pub(crate) fn claim(&mut self, way: Way, claim: Claim) -> Vec<ActivityId> {
        self.locks.entry(way.window).or_default().claim(way.target, claim)
    }

    /// A rank wants shared locks of all targets. True if it has them at once; `owner` completes later if not.
    pub(crate) fn claim_all(&mut self, window: ContextId, owner: Owner) -> bool {
        let id = self.activities.insert(Activity::LockAll { owner });
        let granted = self.locks.entry(window).or_default().claim_all(id);
        if granted {
            self.activities.remove(id);
        }
        granted
    }

    /// A lock is given up; none for those of all targets. Gives those that are granted now.
    pub(crate) fn release(&mut self, window: ContextId, target: Option<RankId>) -> Vec<ActivityId> {
        let Some(locks) = self.locks.get_mut(&window) else { return Vec::new() };
        match target {
            Some(target) => locks.release(target),
            None => locks.release_all(),
        }
    }
}
