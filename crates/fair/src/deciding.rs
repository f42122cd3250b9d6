//! What happens when a resource fills up: who is stopped by it, and at which level.
//!
//! ```text
//!   level of the users
//!      │        ▪ captive: at home elsewhere, above the level this resource can grant; taken over
//!      │  ══▪══▪══▪══▪══  the level decided: free flows, members of before, captives
//!      │     ▪  ▪         fixed elsewhere, below
//!      └────────────────▶ users
//! ```

use crate::filling::Captive;
use crate::flow::Bottleneck;
use crate::resource::Resource;
use crate::sharing::{Kind, Sharing};
use crate::{TOLERANCE, above};

impl Sharing {
    /// Finds the flows at home elsewhere at a higher level than this resource can grant, and the level they
    /// and all open users get then.
    pub(crate) fn capture(&mut self, index: u32, level: f64) -> f64 {
        self.filling.captured.clear();
        let resource = &self.resources[index as usize];
        if resource.kind == Kind::FatPipe {
            self.gather_captives(index, level);
            return level;
        }
        if !above(resource.highest_fixed, level) {
            return level;
        }
        let rest = self.gather_captives(index, level);
        self.let_go(index, rest)
    }

    /// Lists the users at home elsewhere above `level`; returns the load and the highest level of the others.
    fn gather_captives(&mut self, index: u32, level: f64) -> (f64, f64) {
        let (mut fixed, mut highest) = (0.0, 0.0_f64);
        self.looked_at += self.resources[index as usize].users.len() as u64;
        for user in &self.resources[index as usize].users {
            let flow = &self.flows[user.flow as usize];
            if flow.free || flow.bottleneck == Bottleneck::At(index) {
                continue;
            }
            let (current, share) = (self.level(user.flow), user.share * self.classes.count(flow));
            if above(current, level) {
                self.filling.captured.push(Captive { level: current, flow: user.flow, share });
            } else {
                fixed += share * current;
                highest = highest.max(current);
            }
        }
        (fixed, highest)
    }

    /// With all captives sharing, the level is higher than it seemed. Lets go those who do not reach it, from
    /// the lowest, as filling would; each leaves the rest a little more.
    fn let_go(&mut self, index: u32, (mut fixed, mut highest): (f64, f64)) -> f64 {
        let captured = &mut self.filling.captured;
        let resource = &mut self.resources[index as usize];
        let captive_share: f64 = captured.iter().map(|captive| captive.share).sum();
        let mut open_share = captive_share + if resource.open == 0 { 0.0 } else { resource.open_share };
        let full_at = |fixed: f64, open_share: f64| (resource.capacity - fixed).max(0.0) / open_share;
        captured.sort_unstable_by(|a, b| b.level.total_cmp(&a.level).then(b.flow.cmp(&a.flow)));
        let mut level = full_at(fixed, open_share);
        while let Some(&lowest) = captured.last().filter(|captive| !above(captive.level, level)) {
            captured.pop();
            fixed += lowest.share * lowest.level;
            open_share -= lowest.share;
            highest = highest.max(lowest.level);
            level = full_at(fixed, open_share);
        }
        // The captures may be put off, so those flows still count.
        resource.highest_fixed = captured.first().map_or(highest, |captive| captive.level);
        if captured.is_empty() && resource.open == 0 { f64::INFINITY } else { level }
    }

    /// A fat pipe is full when the open user with the largest share is. Users that other things stop at this
    /// very level count.
    pub(crate) fn fat_level(&self, index: u32) -> f64 {
        let resource = &self.resources[index as usize];
        let mut level = 0.0;
        loop {
            let open = resource.users.iter().filter(|user| {
                let flow = &self.flows[user.flow as usize];
                flow.free || flow.bottleneck == Bottleneck::At(index) || !above(level, self.level(user.flow))
            });
            let largest = open.map(|user| user.share).fold(0.0, f64::max);
            let next = if largest > 0.0 { resource.capacity / largest } else { f64::INFINITY };
            if next <= level || next.is_infinite() {
                return next;
            }
            level = next;
        }
    }

    /// Lets a home rise with all its members to the level where it fills up, if nothing can come between. That
    /// is cheaper than to release them and see them all come back.
    pub(crate) fn rise_together(&mut self, index: u32, level: f64) -> bool {
        let level = self.capture(index, level);
        let resource = &self.resources[index as usize];
        let (now, old) = (self.now, resource.clock.level);
        let alike = resource.kind == Kind::Shared && level < resource.lowest_ceiling;
        if !alike || self.next_turn() < level || self.is_anyone_stopped(index, level) {
            return false;
        }
        self.resource(index).clock.set_level(now, level);
        self.announce(index, old, level);
        if self.is_anyone_squeezed(index, level) {
            self.resource(index).clock.set_level(now, old);
            self.announce(index, level, old);
            return false;
        }
        self.reserve_for_members(index);
        self.decide(index, level);
        true
    }

    /// Is a member used to being stopped below `level` by another resource?
    fn is_anyone_stopped(&self, home: u32, level: f64) -> bool {
        self.any_neighbour(home, |other| !other.members.is_empty() && other.clock.level < level)
    }

    /// Does another resource, with what members of `home` have now, fill up below `level`?
    fn is_anyone_squeezed(&self, home: u32, level: f64) -> bool {
        self.any_neighbour(home, |other| {
            other.kind == Kind::FatPipe || other.stale || above(level, other.filled_at())
        })
    }

    /// Does any other active resource that members of `home` use satisfy the test?
    fn any_neighbour(&self, home: u32, test: impl Fn(&Resource) -> bool) -> bool {
        let members = &self.resources[home as usize].members;
        (0..members.len()).any(|place| {
            self.flows[members.item(place) as usize].uses().any(|used| {
                let other = &self.resources[used.resource as usize];
                used.resource != home && other.active && test(other)
            })
        })
    }

    pub(crate) fn decide(&mut self, index: u32, level: f64) {
        let mut freed = std::mem::take(&mut self.resource(index).freed);
        freed.retain(|&flow| self.flows[flow as usize].free);
        let resource = self.resource(index);
        resource.visit.done = true;
        let old = resource.clock.level;
        let same = (level - old).abs() <= TOLERANCE * old && !resource.members.is_empty();
        if !(same && freed.is_empty() && self.filling.captured.is_empty()) {
            self.set_level(index, level);
            for flow in freed.drain(..) {
                self.settle(flow, Bottleneck::At(index), level);
                self.reserve_for_member(flow, index);
            }
            let mut captured = std::mem::take(&mut self.filling.captured);
            for captive in captured.drain(..) {
                self.settle(captive.flow, Bottleneck::At(index), level);
                self.reserve_for_member(captive.flow, index);
            }
            self.filling.captured = captured;
        }
        freed.clear();
        self.resource(index).freed = freed;
    }

    /// Gives all members of a home a new level at once, and tells the other active resources they use.
    fn set_level(&mut self, index: u32, level: f64) {
        let now = self.now;
        let resource = self.resource(index);
        let old = resource.clock.level;
        resource.clock.set_level(now, level);
        resource.rebase();
        if resource.entangled > 0 && old != level {
            self.announce(index, old, level);
        }
        self.reserve_for_members(index);
    }

    fn announce(&mut self, home: u32, old: f64, level: f64) {
        let mut crowd = self.take_members(home);
        for flow in crowd.drain(..) {
            if !self.flows[flow as usize].free {
                self.announce_one(flow, home, old, level);
            }
        }
        self.filling.crowd = crowd;
    }

    fn announce_one(&mut self, flow: u32, home: u32, old: f64, level: f64) {
        let count = self.count(flow);
        for nth in 0..self.use_count(flow) {
            let used = self.nth_use(flow, nth);
            if used.resource != home && self.resources[used.resource as usize].active {
                self.touch(used.resource);
                let resource = self.resource(used.resource);
                resource.unfix(used.share * count, old);
                resource.fix(used.share * count, level);
                if level < old {
                    self.queue_later(used.resource);
                } else {
                    self.queue(used.resource);
                }
            }
        }
    }
}
