//! The solve: resources are repaired from the lowest level to the highest.

use super::agenda::Step;
use super::{AHEAD, Incremental, Stop};
use crate::above;
use crate::resource::SharingPolicy;

/// So many changes of a level in one solve may be necessary.
const MANY_CHANGES: u32 = 8;

impl Incremental {
    /// Brings all levels up to date.
    pub fn solve(&mut self) {
        if self.is_settled() {
            return;
        }
        self.queue_bounds();
        self.queue_dirty();
        while let Some((level, step)) = self.agenda.pop() {
            match step {
                Step::Bound(flow) => self.meet_bound(flow),
                Step::Resource(resource) => self.repair(resource, level),
            }
            self.queue_dirty();
        }
        while let Some(flow) = self.newcomers.pop() {
            for resource in self.demands.resources(flow) {
                self.bottlenecks[resource as usize].free.clear();
            }
        }
        self.schedule_changed();
    }

    /// Is there nothing to solve?
    pub fn is_settled(&self) -> bool {
        self.newcomers.is_empty() && self.dirty.is_empty() && self.undated.is_empty()
    }

    /// Puts the bounds of free flows on the agenda, of those that meet them before any shared resource stops them.
    fn queue_bounds(&mut self) {
        for &flow in &self.newcomers {
            let ceiling = self.flows[flow as usize].ceiling;
            let mut alone = f64::INFINITY;
            self.demands.each(flow, |resource, share| {
                let account = &self.accounts[resource as usize];
                if account.kind == SharingPolicy::Shared {
                    alone = alone.min(account.capacity / share);
                }
            });
            if ceiling < alone || alone.is_infinite() {
                self.agenda.push(ceiling, Step::Bound(flow));
            }
        }
    }

    fn meet_bound(&mut self, flow: u32) {
        if self.stops[flow as usize] == Stop::Free {
            self.stop(flow, Stop::Bound);
        }
    }

    /// Puts the resources on the agenda whose accounts have changed.
    fn queue_dirty(&mut self) {
        while let Some(resource) = self.dirty.pop() {
            let account = &mut self.accounts[resource as usize];
            account.clean();
            let turn =
                account.turn(account.full_at(), self.tolerances[resource as usize], self.rise_tolerance);
            self.queue(resource, turn);
        }
    }

    /// The highest level that is the same as `level` for a resource.
    pub(super) fn limit_of(&self, resource: u32, level: f64) -> f64 {
        level + level * self.tolerances[resource as usize]
    }

    /// The level of a resource changes. A level that changes again and again within one solve does so because of rounding: that
    /// it must change by more each time brings every solve to its end.
    pub(super) fn count_change(&mut self, resource: u32) {
        let bottleneck = &mut self.bottlenecks[resource as usize];
        bottleneck.changes += 1;
        if bottleneck.changes > MANY_CHANGES {
            self.tolerances[resource as usize] *= 1.5;
        }
        self.note_undated(resource);
    }

    /// Puts a resource on the agenda. An entry for a lower level may stay: then the level is computed again.
    fn queue(&mut self, resource: u32, level: f64) {
        let queued = &mut self.queued[resource as usize];
        if level < *queued {
            *queued = level;
            self.agenda.push(level, Step::Resource(resource));
        }
    }

    /// A resource is at its turn, unless something lower comes first.
    fn repair(&mut self, resource: u32, queued: f64) {
        if self.queued[resource as usize] != queued {
            return;
        }
        self.queued[resource as usize] = f64::INFINITY;
        let account = &self.accounts[resource as usize];
        let (old, members) = (account.level, account.members);
        if account.needs_sum(self.bottlenecks[resource as usize].users.len()) {
            self.sum(resource, if members > 0 { old } else { f64::INFINITY });
        }
        if members == 0 && self.loose > 0 && self.tighten_users(resource) {
            return self.touch(resource);
        }
        let full = self.full_at(resource);
        let tolerance = self.tolerances[resource as usize];
        if self.put_off(resource, self.accounts[resource as usize].turn(full, tolerance, self.rise_tolerance))
        {
            return;
        }
        let limit = self.limit_of(resource, old);
        let may_rise = members > 0 && full > limit;
        let level = if may_rise { full } else { self.find_captives(resource, full) };
        let rises = members > 0 && level > limit;
        if !may_rise && self.put_off(resource, if rises { old } else { level }) {
            return;
        }
        if rises {
            self.rise(resource, level);
        } else {
            self.decide(resource, level);
        }
    }

    /// Queues a resource again if something is to happen before it. True too if it needs no turn at all.
    fn put_off(&mut self, resource: u32, turn: f64) -> bool {
        let later = turn.is_infinite() || self.agenda.next_level() < turn;
        if later {
            self.queue(resource, turn);
        }
        later
    }

    /// Gives members, free users and captives the level at which a resource is full.
    fn decide(&mut self, resource: u32, level: f64) {
        let account = &self.accounts[resource as usize];
        let change = (level - account.level).abs();
        if account.members == 0 || change > self.tolerances[resource as usize] * account.level {
            self.set_level(resource, level);
        }
        let mut free = std::mem::take(&mut self.bottlenecks[resource as usize].free);
        for (nth, &flow) in free.iter().enumerate() {
            free.get(nth + AHEAD).inspect(|&&ahead| self.fetch(ahead));
            if self.stops[flow as usize] == Stop::Free {
                self.stop(flow, Stop::At(resource));
            }
        }
        free.clear();
        self.bottlenecks[resource as usize].free = free;
        let captives = std::mem::take(&mut self.captives);
        for (nth, captive) in captives.iter().enumerate() {
            captives.get(nth + AHEAD).inspect(|ahead| self.fetch(ahead.flow));
            self.stop(captive.flow, Stop::At(resource));
        }
        self.captives = captives;
    }

    /// Lets the members of a resource grow to the level at which it is full, except those that meet their bounds before.
    fn rise(&mut self, resource: u32, mut level: f64) {
        self.touch(resource);
        while self.stop_at_bounds(resource, level) {
            // Each that stays behind leaves more to the others.
            level = self.full_at(resource);
        }
        let account = &self.accounts[resource as usize];
        if account.members > 0 && level > self.limit_of(resource, account.level) {
            self.set_level(resource, level);
        }
    }

    /// Moves the members to their bounds that meet them below `level`.
    fn stop_at_bounds(&mut self, resource: u32, level: f64) -> bool {
        let bottleneck = &self.bottlenecks[resource as usize];
        if level <= bottleneck.lowest_ceiling {
            return false;
        }
        let mut moving = std::mem::take(&mut self.moving);
        let (mut lowest, count) = (f64::INFINITY, bottleneck.members.len());
        self.looked_at += count as u64;
        for place in 0..count {
            let flow = bottleneck.members.item(place);
            let ceiling = self.flows[flow as usize].ceiling;
            if above(level, ceiling) {
                moving.push(flow);
            } else {
                lowest = lowest.min(ceiling);
            }
        }
        self.bottlenecks[resource as usize].lowest_ceiling = lowest;
        let stopped = !moving.is_empty();
        for flow in moving.drain(..) {
            self.stop(flow, Stop::Bound);
        }
        self.moving = moving;
        stopped
    }
}
