//! Decides the users that a resource takes from other bottlenecks, and the level they get.
//!
//! ```text
//!   level of the users
//!      │        ▪ captive: decided elsewhere, above the level that this resource can grant
//!      │  ══▪══▪══▪══▪══  the level decided: free flows, members, captives
//!      │     ▪  ▪         decided elsewhere, below
//!      └────────────────▶ users
//! ```

use super::account::Load;
use super::posting::posted_at_bound;
use super::{Incremental, Stop};
use crate::above;
use crate::resource::SharingPolicy;

/// A flow that the resource in hand takes from its bottleneck or bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Captive {
    pub flow: u32,
    level: f64,
    share: f64,
}

impl Incremental {
    /// The level at which a resource is full if no user is captured.
    pub(super) fn full_at(&self, resource: u32) -> f64 {
        match self.accounts[resource as usize].kind {
            SharingPolicy::Shared => self.accounts[resource as usize].full_at(),
            SharingPolicy::FatPipe => self.full_pipe_at(resource),
        }
    }

    /// A fat pipe is full when the open user with the largest share is. Users that something else stops at this
    /// very level count.
    fn full_pipe_at(&self, resource: u32) -> f64 {
        let users = &self.bottlenecks[resource as usize].users;
        let mut level = 0.0;
        loop {
            let open = users.iter().filter(|user| {
                let stop = self.stops[user.flow as usize];
                stop == Stop::Free || stop == Stop::At(resource) || !above(level, self.level(user.flow))
            });
            let largest = open.map(|user| user.share).fold(0.0, f64::max);
            let next = if largest > 0.0 {
                self.accounts[resource as usize].capacity / largest
            } else {
                f64::INFINITY
            };
            if next <= level || next.is_infinite() {
                return next;
            }
            level = next;
        }
    }

    /// Finds the users with higher levels than the resource can grant, and the level that they and all open users get;
    /// infinite if there are none of them.
    pub(super) fn find_captives(&mut self, resource: u32, full: f64) -> f64 {
        self.captives.clear();
        if !self.accounts[resource as usize].may_exceed(self.limit_of(resource, full)) {
            return full;
        }
        let mut load = self.list_captives(resource, full);
        let level = match self.accounts[resource as usize].kind {
            SharingPolicy::Shared => self.release_captives(resource, &mut load),
            SharingPolicy::FatPipe => full,
        };
        let some = self.accounts[resource as usize].has_open() || !self.captives.is_empty();
        let level = if some { level } else { f64::INFINITY };
        load.over = self.captives.len() as u32;
        let limit = self.limit_of(resource, level);
        self.accounts[resource as usize].set_load(&load, limit);
        level
    }

    /// Lists the users above `level` that are not open, and sums the others.
    fn list_captives(&mut self, resource: u32, level: f64) -> Load {
        let mut load = Load::default();
        let limit = self.limit_of(resource, level);
        let users = &self.bottlenecks[resource as usize].users;
        self.looked_at += users.len() as u64;
        for user in users {
            load.largest_share = load.largest_share.max(user.share);
            let current = match self.stops[user.flow as usize] {
                Stop::At(other) if other != resource => self.accounts[other as usize].level,
                Stop::Bound => posted_at_bound(self.flows[user.flow as usize].ceiling),
                _ => {
                    load.open_share += user.share;
                    continue;
                }
            };
            if current > limit {
                self.captives.push(Captive { level: current, flow: user.flow, share: user.share });
            } else {
                load.fix(user.share, current);
            }
        }
        load
    }

    /// With all captives sharing, the level is higher than it seemed. Releases those who do not reach it; each leaves the
    /// rest a little more.
    fn release_captives(&mut self, resource: u32, load: &mut Load) -> f64 {
        let capacity = self.accounts[resource as usize].capacity;
        let mut captives = std::mem::take(&mut self.captives);
        load.open_share += captives.iter().map(|captive| captive.share).sum::<f64>();
        let level = loop {
            let level = (capacity - load.fixed).max(0.0) / load.open_share;
            let (limit, before) = (self.limit_of(resource, level), captives.len());
            captives.retain(|captive| {
                let stays = captive.level > limit;
                if !stays {
                    load.fix(captive.share, captive.level);
                    load.open_share -= captive.share;
                }
                stays
            });
            if captives.len() == before {
                break level;
            }
        };
        self.captives = captives;
        level
    }

    /// Makes the account of a resource from its users, with the limit for members of this level.
    pub(super) fn sum(&mut self, resource: u32, level: f64) {
        let limit = self.limit_of(resource, level);
        let Incremental { accounts, bottlenecks, flows, stops, looked_at, .. } = self;
        let users = &bottlenecks[resource as usize].users;
        *looked_at += users.len() as u64;
        accounts[resource as usize].clear(limit);
        for user in users {
            let posted = match stops[user.flow as usize] {
                Stop::At(other) if other != resource => bottlenecks[other as usize].posted,
                Stop::Bound => posted_at_bound(flows[user.flow as usize].ceiling),
                _ => {
                    accounts[resource as usize].open(user.share);
                    continue;
                }
            };
            accounts[resource as usize].enter(user.share, posted);
        }
        accounts[resource as usize].finish_sum();
    }
}
