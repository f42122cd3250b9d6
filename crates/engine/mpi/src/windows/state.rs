//! All windows of a run: what is exposed, what is under way, who waits.

use std::collections::{BTreeSet, HashMap, VecDeque};

use mpirage_call::{ContextId, RankId};
use mpirage_units::{Duration, Time};

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
        window: ContextId,
        owner: Owner,
    },
    /// A lock is given up.
    Release {
        way: Way,
    },
}

impl Activity {
    /// Its origin and target, if it has one target.
    fn way(&self) -> Option<Way> {
        match self {
            Activity::Access(access) => Some(access.way),
            Activity::Lock { way, .. } | Activity::Release { way } => Some(*way),
            Activity::LockAll { .. } => None,
        }
    }
}

/// The accesses of a rank to one window.
#[derive(Debug, Default)]
struct Open {
    count: u32,
    /// The operations that wait for accesses to one target, or to all.
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
    /// Until when a target is busy with accesses that take it time.
    busy: HashMap<RankId, Time>,
    /// Activities that have come to targets that carry them out in their next call.
    held_up: HashMap<RankId, Vec<ActivityId>>,
}

/// Something of a window that a call or a request waits for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WindowWanted {
    /// A lock; that of all targets if none is named.
    Lock { window: ContextId, target: Option<RankId>, holders: BTreeSet<RankId> },
    /// Service by these ranks of activities that come to them; those in the second set serve them in their next call.
    Service { window: ContextId, targets: BTreeSet<RankId>, away: BTreeSet<RankId> },
}

impl Windows {
    pub(crate) fn new() -> Windows {
        Windows {
            exposures: Exposures::default(),
            activities: Table::new(),
            locks: HashMap::new(),
            open: HashMap::new(),
            lanes: HashMap::new(),
            busy: HashMap::new(),
            held_up: HashMap::new(),
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

    /// The next access of a way, if it is at the target: the target carries it out.
    pub(crate) fn serve_next(&mut self, way: Way) -> Option<ActivityId> {
        let &id = self.lanes.get(&way)?.order.front()?;
        match &mut self.activities[id] {
            Activity::Access(access) if access.state == AccessState::Arrived => {
                access.state = AccessState::Served;
                Some(id)
            }
            _ => None,
        }
    }

    /// The target has carried out the first access of a way.
    pub(crate) fn end_service(&mut self, way: Way) {
        if let Some(lane) = self.lanes.get_mut(&way) {
            lane.order.pop_front();
        }
    }

    /// A target is busy for `cost`, after what came before. Gives how long it is until that is over.
    pub(crate) fn occupy(&mut self, target: RankId, now: Time, cost: Duration) -> Duration {
        let busy = self.busy.entry(target).or_insert(now);
        *busy = (*busy).max(now) + cost;
        busy.since(now)
    }

    /// Something has come to a target that carries it out in its next call.
    pub(crate) fn hold_up(&mut self, target: RankId, id: ActivityId) {
        self.held_up.entry(target).or_default().push(id);
    }

    /// A target makes a call: what it carries out now, in the order in which it came.
    pub(crate) fn take_held_up(&mut self, target: RankId) -> Vec<ActivityId> {
        if self.held_up.is_empty() { Vec::new() } else { self.held_up.remove(&target).unwrap_or_default() }
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
    pub(crate) fn claim_all(&mut self, window: ContextId, origin: RankId, owner: Owner) -> bool {
        let id = self.activities.insert(Activity::LockAll { window, owner });
        let granted = self.locks.entry(window).or_default().claim_all(id, origin);
        if granted {
            self.activities.remove(id);
        }
        granted
    }

    /// A rank gives the lock of a target up. Gives those that are granted now.
    pub(crate) fn release(&mut self, way: Way) -> Vec<ActivityId> {
        self.locks.get_mut(&way.window).map_or(Vec::new(), |locks| locks.release(way.target, way.origin))
    }

    /// A rank gives the locks of all targets up. Gives those that are granted now.
    pub(crate) fn release_all(&mut self, window: ContextId, origin: RankId) -> Vec<ActivityId> {
        self.locks.get_mut(&window).map_or(Vec::new(), |locks| locks.release_all(origin))
    }

    /// The lock or service that `owner` waits for.
    pub(crate) fn wanted(&self, owner: Owner) -> Option<WindowWanted> {
        self.activity_wanted(owner).or_else(|| self.accesses_wanted(owner))
    }

    fn activity_wanted(&self, wanted: Owner) -> Option<WindowWanted> {
        self.activities.iter().find_map(|activity| match activity {
            Activity::Access(access) if access.owner == wanted => {
                Some(self.service(access.way.window, &[access.way]))
            }
            &Activity::Lock { way, owner, .. } if owner == wanted => Some(self.lock_wanted(way)),
            &Activity::LockAll { window, owner, .. } if owner == wanted => {
                Some(WindowWanted::Lock { window, target: None, holders: self.holders(window, None) })
            }
            _ => None,
        })
    }

    /// A request for a lock waits for those who hold it, or is on its way.
    fn lock_wanted(&self, way: Way) -> WindowWanted {
        let (window, target) = (way.window, Some(way.target));
        let holders = self.holders(window, target);
        match holders.is_empty() || self.is_held_up(way) {
            true => self.service(window, &[way]),
            false => WindowWanted::Lock { window, target, holders },
        }
    }

    fn holders(&self, window: ContextId, target: Option<RankId>) -> BTreeSet<RankId> {
        self.locks.get(&window).map_or_else(BTreeSet::new, |locks| locks.holders(target))
    }

    /// The accesses to one target or to all that a call waits for.
    fn accesses_wanted(&self, owner: Owner) -> Option<WindowWanted> {
        self.open.iter().find_map(|(&(window, origin), open)| {
            let &(target, _) = open.waiting.iter().find(|(_, waiting)| *waiting == owner)?;
            let of_it = |way: &&Way| (way.window, way.origin) == (window, origin);
            let ways = self.lanes.keys().filter(of_it).filter(|way| target.is_none_or(|it| it == way.target));
            Some(self.service(window, &ways.copied().collect::<Vec<Way>>()))
        })
    }

    /// The service that the activities on these ways wait for.
    fn service(&self, window: ContextId, ways: &[Way]) -> WindowWanted {
        WindowWanted::Service {
            window,
            targets: ways.iter().map(|way| way.target).collect(),
            away: ways.iter().filter(|way| self.is_held_up(**way)).map(|way| way.target).collect(),
        }
    }

    /// True if an activity that arrived this way waits for the next call of its target.
    fn is_held_up(&self, way: Way) -> bool {
        let mut here = self.held_up.get(&way.target).into_iter().flatten();
        here.any(|&id| self.activities.get(id).is_some_and(|activity| activity.way() == Some(way)))
    }
}
