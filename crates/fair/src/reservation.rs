//! Bookings prove that a resource is not full without looking at it.
//!
//! Every flow has reserved a level at least as high as the one it runs at, and a shared resource knows the sum of
//! what is reserved on it (`reserve`). While the reserve fits its capacity, the resource cannot be full and does
//! not take part in solves, whatever its users do below their bookings.
//!
//! A large group books some headroom: its level may then rise with every member that leaves, and members'
//! other resources are told only when the headroom is used up (an incast of n tells them O(log n) times).
//!
//! If a reserve does not fit, the resource is a *suspect*: its true load is summed. Either it is overloaded,
//! and takes part in the solve, or its users' bookings are reduced to what they use.

use crate::above;
use crate::flow::{Bottleneck, Use};
use crate::resource::User;
use crate::sharing::{Kind, Sharing};

/// Groups up to this size book exactly what they use, and so do entangled ones: their members must be looked at
/// at every change anyway.
const SMALL_GROUP: usize = 8;
/// What a larger group books, as a multiple of its level.
const HEADROOM: f64 = 1.5;
/// A group that uses less than this part of its booking returns the rest.
const WASTE: f64 = 1.0 / 3.0;

/// What is reserved where nothing can be had, on a resource of capacity zero.
const NOTICEABLE: f64 = 1e-100;

impl Sharing {
    /// Books a level for a flow on all its resources. Active ones need no proof and sum their reserve later.
    pub(crate) fn reserve(&mut self, flow: u32, level: f64) {
        let entry = &mut self.accounts[flow as usize];
        // Twice what it could get is enough to be noticed, and small enough to be subtracted again.
        let level = level.min(2.0 * entry.alone.clamp(NOTICEABLE, f64::MAX / 4.0));
        let before = std::mem::replace(&mut entry.reserved, level);
        if level == before {
            return;
        }
        let count = self.count(flow);
        for nth in 0..self.use_count(flow) {
            let Use { resource: index, share } = self.nth_use(flow, nth);
            let resource = &mut self.resources[index as usize];
            if resource.active {
                continue;
            }
            resource.reserved_load += share * count * (level - before);
            let full_pipe = resource.kind == Kind::FatPipe && !above(resource.capacity, share * level);
            if full_pipe || self.is_overreserved(index) {
                self.suspect(index);
            }
        }
    }

    pub(crate) fn suspect(&mut self, index: u32) {
        if !std::mem::replace(&mut self.resource(index).suspect, true) {
            self.filling.suspects.push(index);
        }
    }

    pub(crate) fn is_overreserved(&self, index: u32) -> bool {
        let resource = &self.resources[index as usize];
        resource.kind == Kind::Shared && above(resource.reserved_load, resource.capacity)
    }

    pub(crate) fn is_overreserved_pipe(&self, index: u32) -> bool {
        let resource = &self.resources[index as usize];
        let mut reserved =
            resource.users.iter().map(|user| user.share * self.accounts[user.flow as usize].reserved);
        resource.kind == Kind::FatPipe && reserved.any(|load| !above(resource.capacity, load))
    }

    /// Books for a flow that has come to a group.
    pub(crate) fn reserve_for_member(&mut self, flow: u32, home: u32) {
        let group = self.resources[home as usize].reserved;
        self.reserve(flow, group);
    }

    /// Adapts the booking of a group to its level.
    pub(crate) fn reserve_for_members(&mut self, home: u32) {
        let resource = self.resource(home);
        let level = resource.clock.level;
        if level <= resource.reserved && level >= resource.reserved * WASTE {
            return;
        }
        let roomy = resource.members.len() > SMALL_GROUP && resource.entangled == 0;
        let reserved = if roomy { level * HEADROOM } else { level };
        resource.reserved = reserved;
        let mut crowd = self.take_members(home);
        crowd.drain(..).for_each(|flow| self.reserve(flow, reserved));
        self.filling.crowd = crowd;
    }

    /// Looks at the suspects of the last pass. True if some are overloaded and a pass with them must follow.
    pub(crate) fn convict_suspects(&mut self) -> bool {
        self.begin_pass();
        let mut convicted = false;
        while let Some(index) = self.filling.suspects.pop() {
            self.resource(index).suspect = false;
            let shared = self.resources[index as usize].kind == Kind::Shared;
            if self.resources[index as usize].active || shared && !self.is_overreserved(index) {
                continue;
            }
            self.looked_at += self.resources[index as usize].users.len() as u64;
            if self.is_overloaded(index) {
                self.activate(index);
                convicted = true;
            } else {
                self.reduce_reservations(index);
            }
        }
        convicted
    }

    fn is_overloaded(&self, index: u32) -> bool {
        let resource = &self.resources[index as usize];
        let loads =
            resource.users.iter().map(|user| user.share * self.count(user.flow) * self.level(user.flow));
        match resource.kind {
            Kind::Shared => above(loads.sum(), resource.capacity),
            Kind::FatPipe => self.is_full_pipe(index),
        }
    }

    /// One flow that needs all of a fat pipe stops the others on it, even if the flow was about to stop anyway.
    pub(crate) fn is_full_pipe(&self, index: u32) -> bool {
        let resource = &self.resources[index as usize];
        let mut loads = resource.users.iter().map(|user| user.share * self.level(user.flow));
        resource.kind == Kind::FatPipe && loads.any(|load| !above(resource.capacity, load))
    }

    pub(crate) fn reduce_reservations(&mut self, index: u32) {
        for nth in 0..self.resources[index as usize].users.len() {
            let flow = self.resources[index as usize].users[nth].flow;
            let level = self.level(flow);
            self.reserve(flow, level);
            if let Bottleneck::At(home) = self.flows[flow as usize].bottleneck {
                let home = self.resource(home);
                home.reserved = home.reserved.min(level);
            }
        }
        self.sum_reservations(index);
    }

    /// A newcomer books all it could get, so that whatever it might fill up becomes a suspect.
    pub(crate) fn reserve_for_newcomer(&mut self, flow: u32) {
        let (alone, ceiling) = (self.accounts[flow as usize].alone, self.flows[flow as usize].ceiling);
        self.reserve(flow, alone.min(ceiling));
    }

    /// After a change of capacity, what its users could get has changed.
    pub(crate) fn reserve_recapped(&mut self) {
        while let Some(index) = self.filling.recapped.pop() {
            for nth in 0..self.resources[index as usize].users.len() {
                self.measure_alone(self.resources[index as usize].users[nth].flow);
            }
            self.reduce_reservations(index);
            if !self.resources[index as usize].active {
                self.suspect(index);
            }
        }
    }

    pub(crate) fn sum_reservations(&mut self, index: u32) {
        let resource = &self.resources[index as usize];
        let load =
            |user: &User| user.share * self.count(user.flow) * self.accounts[user.flow as usize].reserved;
        let reserved_load = resource.users.iter().map(load).sum();
        self.resource(index).reserved_load = reserved_load;
    }
}
