//! How a flow changes its state in a solve: freed from a home, settled in another, and what that does to the
//! accounts of its resources.
//!
//! ```text
//!            release of its home                    a resource fills up
//!   settled ─────────────────────▶ free ──────────────────────────────────▶ settled
//!      └──────────── captured by a resource that fills up at a lower level ────▲
//! ```
//!
//! A freed flow stays in its home's heap until it settles elsewhere: most come back to where they were.

use crate::flow::{Bottleneck, Use};
use crate::heap::ABSENT;
use crate::resource::{Clock, Due, Resource};
use crate::sharing::Sharing;
use crate::{TOLERANCE, above};

impl Sharing {
    pub(crate) fn resource(&mut self, index: u32) -> &mut Resource {
        &mut self.resources[index as usize]
    }

    pub(crate) fn nth_use(&self, flow: u32, nth: usize) -> Use {
        self.flows[flow as usize].nth_use(nth)
    }

    pub(crate) fn use_count(&self, flow: u32) -> usize {
        self.flows[flow as usize].use_count()
    }

    /// Decides a flow's level: at its bound, or at home on the resource that has just filled up.
    pub(crate) fn settle(&mut self, flow: u32, home: Bottleneck, level: f64) {
        self.post_settlement(flow, home, level);
        self.flows[flow as usize].free = false;
        if self.flows[flow as usize].bottleneck != home {
            self.leave_home(flow);
            self.enter_home(flow, home);
        }
        for nth in 0..self.use_count(flow) {
            let resource = self.nth_use(flow, nth).resource;
            if Bottleneck::At(resource) != home && self.resources[resource as usize].active {
                // Whoever stops growing, or is taken down to a lower level, leaves more to others.
                self.touch(resource);
                self.queue_later(resource);
            }
        }
    }

    fn post_settlement(&mut self, flow: u32, home: Bottleneck, level: f64) {
        let (free, old_home, old_level) =
            (self.flows[flow as usize].free, self.flows[flow as usize].bottleneck, self.level(flow));
        let count = self.count(flow);
        for nth in 0..self.use_count(flow) {
            let Use { resource: index, share } = self.nth_use(flow, nth);
            let share = share * count;
            let resource = self.resource(index);
            if !resource.active {
                continue;
            }
            let was_open = free || old_home == Bottleneck::At(index);
            let is_open = home == Bottleneck::At(index);
            match (was_open, is_open) {
                (true, false) => resource.close_account(share),
                (false, true) => resource.open_account(share),
                _ => {}
            }
            if !was_open {
                resource.unfix(share, old_level);
            }
            if !is_open {
                resource.fix(share, level);
            }
        }
    }

    /// Lets a settled member of `home` grow again.
    pub(crate) fn free(&mut self, flow: u32, home: u32) {
        let level = self.level(flow);
        if let Some((resource, level)) = self.obstacle(flow, home, level) {
            return self.settle(flow, Bottleneck::At(resource), level);
        }
        self.flows[flow as usize].free = true;
        let count = self.count(flow);
        for nth in 0..self.use_count(flow) {
            let Use { resource: index, share } = self.nth_use(flow, nth);
            let share = share * count;
            let resource = self.resource(index);
            if index == home {
                resource.freed.push(flow);
            } else if resource.active {
                self.touch(index);
                let resource = self.resource(index);
                resource.unfix(share, level);
                resource.open_account(share);
                resource.freed.push(flow);
                self.queue(index);
            }
        }
        self.queue_bound(flow);
    }

    /// A resource that has already filled up at the very level where the flow would start to grow.
    fn obstacle(&self, flow: u32, home: u32, level: f64) -> Option<(u32, f64)> {
        let pass = self.filling.pass;
        let others = self.flows[flow as usize].uses().filter(|u| u.resource != home);
        others.map(|u| (u.resource, &self.resources[u.resource as usize])).find_map(|(index, r)| {
            let full = r.active && r.visit.pass == pass && r.visit.done;
            (full && !above(r.clock.level, level * (1.0 + TOLERANCE))).then_some((index, r.clock.level))
        })
    }

    /// Lets a resource take part in the pass that begins.
    pub(crate) fn activate(&mut self, index: u32) {
        self.resource(index).active = true;
        self.touch(index);
        self.sum_account(index);
        for nth in 0..self.resources[index as usize].users.len() {
            let user = self.resources[index as usize].users[nth].flow;
            if self.flows[user as usize].free {
                self.resource(index).freed.push(user);
            }
            if let Bottleneck::At(home) = self.flows[user as usize].bottleneck {
                self.resource(home).entangled += 1;
                self.queue_if_visited(home);
            }
        }
        self.queue(index);
    }

    /// The members of a disturbed home have become entangled, so they may have to be released earlier.
    fn queue_if_visited(&mut self, home: u32) {
        if self.resources[home as usize].visit.pass == self.filling.pass {
            self.queue(home);
        }
    }

    /// A resource without members leaves the solve; from now on bookings must vouch for it.
    pub(crate) fn deactivate(&mut self, index: u32) {
        self.resource(index).active = false;
        for nth in 0..self.resources[index as usize].users.len() {
            let user = self.resources[index as usize].users[nth].flow;
            if let Bottleneck::At(home) = self.flows[user as usize].bottleneck {
                self.resource(home).entangled -= 1;
            }
        }
        self.sum_reservations(index);
        if self.is_overreserved(index) || self.is_overreserved_pipe(index) {
            self.reduce_reservations(index);
        }
    }

    /// Makes the account of a resource from its users.
    pub(crate) fn sum_account(&mut self, index: u32) {
        let mut resource = std::mem::replace(self.resource(index), Resource::placeholder());
        self.looked_at += resource.users.len() as u64;
        resource.clear_account();
        for nth in 0..resource.users.len() {
            let user = resource.users[nth];
            let flow = &self.flows[user.flow as usize];
            let share = user.share * self.classes.count(flow);
            if flow.free || flow.bottleneck == Bottleneck::At(index) {
                resource.open_account(share);
            } else {
                resource.fix(share, self.level(user.flow));
            }
        }
        (resource.postings, resource.stale) = (0, false);
        *self.resource(index) = resource;
    }

    /// Forgets a flow that ends in the accounts of its resources.
    pub(crate) fn strike_from_accounts(&mut self, flow: u32) {
        let (home, level, reserved) =
            (self.flows[flow as usize].bottleneck, self.level(flow), self.accounts[flow as usize].reserved);
        let count = self.count(flow);
        for nth in 0..self.use_count(flow) {
            let Use { resource: index, share } = self.nth_use(flow, nth);
            let share = share * count;
            let resource = self.resource(index);
            resource.reserved_load -= share * reserved;
            if home == Bottleneck::Unknown {
                resource.newcomers -= 1;
            } else if resource.active {
                if home == Bottleneck::At(index) {
                    resource.close_account(share);
                } else {
                    resource.unfix(share, level);
                }
                self.filling.disturbed.push(index);
            }
        }
    }

    /// A flow has got a message more (`sign` 1) or one less (-1): enters that into the accounts of its resources.
    pub(crate) fn post_message(&mut self, flow: u32, sign: f64) {
        let (bottleneck, level) = (self.flows[flow as usize].bottleneck, self.level(flow));
        let reserved = self.accounts[flow as usize].reserved;
        for nth in 0..self.use_count(flow) {
            let Use { resource: index, share } = self.nth_use(flow, nth);
            let resource = self.resource(index);
            resource.reserved_load += sign * share * reserved;
            if resource.active {
                resource.post_message(sign * share, level, bottleneck == Bottleneck::At(index));
            } else if self.is_overreserved(index) {
                self.suspect(index);
            }
            self.filling.disturbed.push(index);
        }
    }

    pub(crate) fn leave_home(&mut self, flow: u32) {
        let (now, place) = (self.now, self.places[flow as usize]);
        match self.flows[flow as usize].bottleneck {
            Bottleneck::Bound => self.leave_bound(flow, place),
            Bottleneck::At(home) => {
                let entangled = self.entanglement(flow);
                let resource = &mut self.resources[home as usize];
                resource.entangled -= entangled;
                let flow = &mut self.flows[flow as usize];
                flow.left = (resource.members.key(place).at - resource.clock.at(now)).max(0.0);
                resource.members.remove(place, &mut self.places);
                if resource.members.is_empty() {
                    resource.vacate(now);
                }
            }
            _ => return,
        }
        self.flows[flow as usize].bottleneck = Bottleneck::Unknown;
        self.accounts[flow as usize].since = now;
    }

    fn leave_bound(&mut self, flow: u32, place: u32) {
        let passed = self.now.since(self.accounts[flow as usize].since).as_secs_f64();
        let flow = &mut self.flows[flow as usize];
        if passed > 0.0 {
            flow.left = (flow.left - flow.ceiling * passed).max(0.0);
        }
        self.progress.solos.remove(place, &mut self.places);
    }

    fn enter_home(&mut self, flow: u32, home: Bottleneck) {
        let index = flow as usize;
        self.flows[index].bottleneck = home;
        debug_assert_eq!(self.places[index], ABSENT);
        if let Bottleneck::At(resource) = home {
            let entangled = self.entanglement(flow);
            let resource = &mut self.resources[resource as usize];
            let (left, sequence) = (self.flows[index].left, self.flows[index].sequence);
            resource.entangled += entangled;
            resource.lowest_ceiling = resource.lowest_ceiling.min(self.flows[index].ceiling);
            let due = Due { at: resource.clock.at(self.now) + left, sequence };
            resource.members.push(due, flow, &mut self.places);
        } else {
            self.schedule_solo(flow);
        }
    }

    /// How many active resources the flow uses beside its home.
    fn entanglement(&self, flow: u32) -> u32 {
        let flow = &self.flows[flow as usize];
        let active = |u: &Use| {
            self.resources[u.resource as usize].active && flow.bottleneck != Bottleneck::At(u.resource)
        };
        flow.uses().filter(active).count() as u32
    }
}

impl Resource {
    /// What stands in while a resource is out of its place for a moment; allocates nothing.
    fn placeholder() -> Resource {
        Resource::new(0.0, crate::Kind::Shared)
    }

    /// The level at which members must be released, because they might go different ways from there.
    pub(crate) fn release_level(&self) -> f64 {
        if self.visit.released || self.members.is_empty() {
            return f64::INFINITY;
        }
        let level = self.clock.level * (1.0 + TOLERANCE);
        let bound_together = self.entangled == 0 && self.kind == crate::Kind::Shared;
        if bound_together { level.max(self.lowest_ceiling) } else { level }
    }

    /// The last member is gone.
    fn vacate(&mut self, now: mpirage_units::Time) {
        self.clock = Clock { value: 0.0, since: now, level: self.clock.level };
        (self.lowest_ceiling, self.reserved, self.ticks) = (f64::INFINITY, 0.0, 0);
    }
}
