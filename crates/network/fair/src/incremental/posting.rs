//! How changes of a level reach the accounts of other resources.
//!
//! The members of a bottleneck *post* their level to the accounts of all other resources that they use. A
//! large group whose members use no other bottleneck posts more than its level: the level may then rise with
//! every member that leaves, and the other resources hear of it only when the headroom is used up (an incast of n
//! posts O(log n) times). Such a posting is *loose*; it becomes exact when one of these resources is about to be full.

use super::{AHEAD, Flow, Incremental, Stop};
use crate::virtual_date::VirtualDate;

/// Groups up to this size post exactly their level.
const SMALL_GROUP: u32 = 8;
/// The level that a larger group posts, as a multiple of its actual level.
const HEADROOM: f64 = 1.5;
/// A group posts anew when its level falls below this fraction of the level it has posted.
const WASTE: f64 = 1.0 / 3.0;
/// Replaces an infinite level in sums.
const HUGE: f64 = 1e250;

/// The level that a flow at its bound posts.
pub(super) fn posted_at_bound(ceiling: f64) -> f64 {
    ceiling.min(HUGE)
}

impl Incremental {
    /// The level that the accounts of a flow's resources know.
    pub(super) fn posted(&self, flow: u32) -> f64 {
        match self.stops[flow as usize] {
            Stop::Absent | Stop::Free => 0.0,
            Stop::Bound => posted_at_bound(self.flows[flow as usize].ceiling),
            Stop::At(resource) => self.bottlenecks[resource as usize].posted,
        }
    }

    /// Gives all members of a resource a new level.
    pub(super) fn set_level(&mut self, resource: u32, level: f64) {
        let old = self.accounts[resource as usize].level;
        self.count_change(resource);
        let limit = self.limit_of(resource, level);
        if self.accounts[resource as usize].set_level(level, limit) {
            self.sum(resource, level);
        }
        let (account, bottleneck) =
            (&mut self.accounts[resource as usize], &mut self.bottlenecks[resource as usize]);
        if account.members == 0 {
            bottleneck.vacate(self.now);
            bottleneck.posted = level;
            return;
        }
        bottleneck.stop_clock(self.now, old);
        self.note_undated(resource);
        self.post(resource);
    }

    /// Posts the level of a resource, loosely if possible.
    fn post(&mut self, resource: u32) {
        let (account, bottleneck) = (&self.accounts[resource as usize], &self.bottlenecks[resource as usize]);
        let (level, posted) = (account.level, bottleneck.posted);
        // Whether members use other bottlenecks is known of loose groups only; others find out now.
        if level == posted || bottleneck.loose && level < posted && level >= posted * WASTE {
            return;
        }
        let may_be_loose = !bottleneck.entangled && account.members > SMALL_GROUP;
        self.post_level(resource, if may_be_loose { level * HEADROOM } else { level });
        if self.bottlenecks[resource as usize].entangled {
            self.post_level(resource, level);
        }
    }

    /// Tells the other resources of all members a level, and finds out whether any of them has members.
    fn post_level(&mut self, resource: u32, level: f64) {
        let posted = std::mem::replace(&mut self.bottlenecks[resource as usize].posted, level);
        if posted == level {
            return;
        }
        self.note_loose(resource, level != self.accounts[resource as usize].level);
        let Incremental { bottlenecks, accounts, demands, dirty, looked_at, .. } = self;
        let bottleneck = &mut bottlenecks[resource as usize];
        let count = bottleneck.members.len();
        *looked_at += count as u64;
        let mut entangled = false;
        for place in 0..count {
            if place + 2 * AHEAD < count {
                demands.fetch_range(bottleneck.members.item(place + 2 * AHEAD));
            }
            if place + AHEAD < count {
                demands.fetch(bottleneck.members.item(place + AHEAD));
            }
            demands.each(bottleneck.members.item(place), |other, share| {
                if other != resource {
                    let account = &mut accounts[other as usize];
                    if account.shift(share, posted, level) {
                        account.touch(other, dirty);
                    }
                    entangled |= account.members > 0;
                }
            });
        }
        bottleneck.entangled = entangled;
    }

    fn note_loose(&mut self, resource: u32, loose: bool) {
        let was_loose = std::mem::replace(&mut self.bottlenecks[resource as usize].loose, loose);
        self.loose = self.loose + usize::from(loose) - usize::from(was_loose);
    }

    /// Makes the postings of all users of a resource exact. True if some were loose.
    pub(super) fn tighten_users(&mut self, resource: u32) -> bool {
        let before = self.loose;
        for nth in 0..self.bottlenecks[resource as usize].users.len() {
            if self.loose == 0 {
                break;
            }
            let user = self.bottlenecks[resource as usize].users[nth].flow;
            if let Stop::At(other) = self.stops[user as usize]
                && self.bottlenecks[other as usize].loose
            {
                self.tighten(other);
            }
        }
        self.loose < before
    }

    fn tighten(&mut self, resource: u32) {
        self.post_level(resource, self.accounts[resource as usize].level);
        self.note_loose(resource, false);
        self.bottlenecks[resource as usize].entangled = true;
    }

    /// Stops a flow at its bound or at a resource whose level has just been decided.
    pub(super) fn stop(&mut self, flow: u32, at: Stop) {
        let (before, old) = (self.stops[flow as usize], self.posted(flow));
        if before == Stop::Free {
            self.demands.resources(flow).for_each(|resource| self.accounts[resource as usize].free -= 1);
        } else {
            self.leave(flow);
        }
        self.stops[flow as usize] = at;
        let new = self.posted(flow);
        let Incremental { accounts, demands, dirty, .. } = self;
        let mut entangled = false;
        demands.each(flow, |resource, share| {
            let account = &mut accounts[resource as usize];
            let was_open = before == Stop::Free || before == Stop::At(resource);
            match (was_open, at == Stop::At(resource)) {
                (false, false) => {
                    account.leave(share, old);
                    account.enter(share, new);
                }
                (true, false) => {
                    account.close(share);
                    account.enter(share, new);
                }
                (false, true) => {
                    account.leave(share, old);
                    account.open(share);
                }
                (true, true) => {}
            }
            entangled |= account.members > 0 && at != Stop::At(resource);
            account.touch(resource, dirty);
        });
        self.enter(flow, at, entangled);
    }

    fn enter(&mut self, flow: u32, at: Stop, entangled: bool) {
        let Stop::At(resource) = at else { return self.schedule_bounded(flow) };
        let (account, bottleneck) =
            (&mut self.accounts[resource as usize], &mut self.bottlenecks[resource as usize]);
        let Flow { ceiling, left, sequence, .. } = self.flows[flow as usize];
        account.members += 1;
        bottleneck.lowest_ceiling = bottleneck.lowest_ceiling.min(ceiling);
        bottleneck.entangled |= entangled;
        let due = VirtualDate { at: bottleneck.clock(self.now, account.level) + left, sequence };
        bottleneck.members.push(due, flow, &mut self.places);
        let too_loose = bottleneck.loose && bottleneck.entangled;
        self.note_undated(resource);
        if too_loose {
            self.tighten(resource);
        }
    }

    /// Takes a flow from its bottleneck, or from those at their bounds; what it has left is known from here on.
    pub(super) fn leave(&mut self, flow: u32) {
        let (left, place) = (self.left(flow), self.places[flow as usize]);
        let leaving = &mut self.flows[flow as usize];
        (leaving.left, leaving.since) = (left, self.now);
        match self.stops[flow as usize] {
            Stop::Bound => self.bounded.remove(place, &mut self.places),
            Stop::At(resource) => {
                let bottleneck = &mut self.bottlenecks[resource as usize];
                bottleneck.members.remove(place, &mut self.places);
                self.accounts[resource as usize].members -= 1;
                if bottleneck.members.is_empty() {
                    self.note_loose(resource, false);
                    self.bottlenecks[resource as usize].vacate(self.now);
                }
                self.note_undated(resource);
            }
            Stop::Absent | Stop::Free => {}
        }
    }
}
