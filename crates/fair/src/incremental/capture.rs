//! Which users a resource takes from other bottlenecks, and at which level.
//!
//! ```text
//!   level of the users
//!      │        ▪ captive: decided elsewhere, above the level that this resource can grant
//!      │  ══▪══▪══▪══▪══  the level decided: free flows, members, captives
//!      │     ▪  ▪         decided elsewhere, below
//!      └────────────────▶ users
//! ```

use super::{Incremental, Stop};
use crate::above;
use crate::resource::Kind;

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
            Kind::Shared => self.accounts[resource as usize].full_at(),
            Kind::FatPipe => self.full_pipe_at(resource),
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
        let account = &self.accounts[resource as usize];
        if account.kind == Kind::Shared && !above(account.highest_fixed, full) {
            return full;
        }
        let rest = self.list_captives(resource, full);
        if self.accounts[resource as usize].kind == Kind::Shared {
            return self.release_captives(resource, rest);
        }
        let some = self.accounts[resource as usize].has_open() || !self.captives.is_empty();
        if some { full } else { f64::INFINITY }
    }

    /// Lists the users above `level` that are not open; gives the load and the highest level of the others.
    fn list_captives(&mut self, resource: u32, level: f64) -> (f64, f64) {
        let (mut fixed, mut highest, mut largest) = (0.0, 0.0_f64, 0.0_f64);
        let users = &self.bottlenecks[resource as usize].users;
        self.looked_at += users.len() as u64;
        for user in users {
            largest = largest.max(user.share);
            let current = match self.stops[user.flow as usize] {
                Stop::At(other) if other != resource => self.accounts[other as usize].level,
                Stop::Bound => self.flows[user.flow as usize].ceiling,
                _ => continue,
            };
            if above(current, level) {
                self.captives.push(Captive { level: current, flow: user.flow, share: user.share });
            } else {
                fixed += user.share * current;
                highest = highest.max(current);
            }
        }
        let account = &mut self.accounts[resource as usize];
        if account.kind == Kind::FatPipe {
            let captive = self.captives.iter().map(|captive| captive.level).fold(0.0, f64::max);
            (account.open_share, account.highest_fixed) = (largest, highest.max(captive));
        }
        (fixed, highest)
    }

    /// With all captives sharing, the level is higher than it seemed. Releases those who do not reach it, from
    /// the lowest, as filling would; each leaves the rest a little more.
    fn release_captives(&mut self, resource: u32, (mut fixed, mut highest): (f64, f64)) -> f64 {
        let captives = &mut self.captives;
        let account = &mut self.accounts[resource as usize];
        let captive_share: f64 = captives.iter().map(|captive| captive.share).sum();
        let mut open_share = captive_share + if account.has_open() { account.open_share } else { 0.0 };
        let full_at = |fixed: f64, open_share: f64| (account.capacity - fixed).max(0.0) / open_share;
        captives.sort_unstable_by(|a, b| b.level.total_cmp(&a.level).then(b.flow.cmp(&a.flow)));
        let mut level = full_at(fixed, open_share);
        while let Some(&lowest) = captives.last().filter(|captive| !above(captive.level, level)) {
            captives.pop();
            fixed += lowest.share * lowest.level;
            open_share -= lowest.share;
            highest = highest.max(lowest.level);
            level = full_at(fixed, open_share);
        }
        // The captures may be put off, so those flows still count.
        account.highest_fixed = captives.first().map_or(highest, |captive| captive.level);
        if captives.is_empty() && !account.has_open() { f64::INFINITY } else { level }
    }
}
