//! The account of a resource: what its users load on it.
//!
//! ```text
//!   level of the users
//!      │        ▪  ▪      above the limit
//!      │  ══▪══▪═══════   the limit: as a rule the level of the members
//!      │     ▪  ▪         fixed: decided elsewhere, below
//!      └────────────────▶ users
//!
//!   capacity = fixed + level · open_share
//!               │               └ Σ share of members, free flows and users above the limit
//!               └ Σ share·λ of the other users
//! ```
//!
//! The level at which the resource is full costs one division, however many users it has. Whatever the limit is, this level is
//! a lower bound; it is exact if the limit is right.

use crate::above;
use crate::resource::SharingPolicy;

/// One cache line: all that a solve needs of most resources.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Account {
    pub capacity: f64,
    fixed: f64,
    /// Of a fat pipe: an upper limit of the shares of its users.
    open_share: f64,
    /// An upper limit of the levels in `fixed`; of a fat pipe, of all levels that are decided elsewhere.
    highest_fixed: f64,
    /// Levels above this are not in `fixed`.
    limit: f64,
    /// The level of the members.
    pub level: f64,
    /// How many flows have their bottleneck here.
    pub members: u32,
    /// How many users are free: no level has been decided for them.
    pub free: u32,
    /// How many users that are decided elsewhere are above the limit.
    over: u32,
    /// Changes since the last sum; `STALE` if the account has lost precision.
    postings: u16,
    pub kind: SharingPolicy,
    /// The account has changed since the resource was last queued.
    dirty: bool,
}

/// An account with so many postings must be summed again.
const STALE: u16 = u16::MAX;

/// The load of a resource's users, summed from scratch.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub fixed: f64,
    pub open_share: f64,
    highest_fixed: f64,
    pub largest_share: f64,
    pub over: u32,
}

impl Load {
    /// Adds a user whose level is decided elsewhere.
    pub fn fix(&mut self, share: f64, level: f64) {
        self.fixed += share * level;
        self.highest_fixed = self.highest_fixed.max(level);
    }
}

impl Account {
    pub fn new(capacity: f64, kind: SharingPolicy) -> Account {
        Account {
            capacity,
            kind,
            fixed: 0.0,
            open_share: 0.0,
            highest_fixed: 0.0,
            limit: f64::INFINITY,
            level: 0.0,
            members: 0,
            free: 0,
            over: 0,
            postings: 0,
            dirty: false,
        }
    }

    pub fn set_capacity(&mut self, capacity: f64) {
        // A load that was rounding under the old capacity may be much under the new one.
        (self.capacity, self.postings) = (capacity, STALE);
    }

    /// The share of a flow with `count` messages. A fat pipe limits each message alone.
    pub fn weigh(&self, share: f64, count: f64) -> f64 {
        if self.kind == SharingPolicy::FatPipe { share } else { share * count }
    }

    /// Notes that the account has changed.
    #[inline(always)]
    pub fn touch(&mut self, resource: u32, dirty: &mut Vec<u32>) {
        if !self.dirty {
            self.dirty = true;
            dirty.push(resource);
        }
    }

    /// The resource is about to be queued.
    pub fn clean(&mut self) {
        self.dirty = false;
    }

    /// A user's level is decided here, or may be.
    #[inline(always)]
    pub fn open(&mut self, share: f64) {
        match self.kind {
            SharingPolicy::Shared => self.open_share += share,
            SharingPolicy::FatPipe => self.open_share = self.open_share.max(share),
        }
        self.post();
    }

    /// It is decided elsewhere.
    #[inline(always)]
    pub fn close(&mut self, share: f64) {
        if self.kind == SharingPolicy::Shared {
            self.open_share -= share;
        }
        self.post();
    }

    fn post(&mut self) {
        self.postings = self.postings.saturating_add(1);
    }

    /// A user whose level is decided elsewhere goes from one level to another. True if the resource may need a repair.
    #[inline(always)]
    pub fn shift(&mut self, share: f64, from: f64, to: f64) -> bool {
        if self.kind == SharingPolicy::FatPipe {
            self.highest_fixed = self.highest_fixed.max(to);
            return true;
        }
        match (from > self.limit, to > self.limit) {
            (false, false) => self.fixed += share * (to - from),
            (true, true) => return false,
            (false, true) => {
                self.fixed -= share * from;
                self.rise_over(share);
            }
            (true, false) => {
                debug_assert!(self.over > 0, "a user above the limit was not counted");
                self.over -= 1;
                self.close(share);
                self.fixed += share * to;
            }
        }
        if to > self.highest_fixed && to <= self.limit {
            self.highest_fixed = to;
        }
        self.post();
        self.members + self.free + self.over > 0 || self.fixed > self.capacity
    }

    fn rise_over(&mut self, share: f64) {
        self.over += 1;
        self.open(share);
    }

    /// The level of a user is decided elsewhere from here on.
    #[inline(always)]
    pub fn enter(&mut self, share: f64, level: f64) {
        if self.kind == SharingPolicy::FatPipe {
            self.open(share);
        }
        self.shift(share, 0.0, level);
    }

    /// The level of a user was decided elsewhere.
    #[inline(always)]
    pub fn leave(&mut self, share: f64, level: f64) {
        if share * level > self.capacity {
            // Such a load is provisional and huge; to subtract it leaves noise.
            self.postings = STALE - 1;
        }
        self.shift(share, level, 0.0);
    }

    /// A user that is decided elsewhere has got so much more share.
    pub fn grow(&mut self, more: f64, level: f64) {
        if level > self.limit {
            self.open(more);
        } else {
            self.fixed += more * level;
            self.post();
        }
    }

    /// Forgets all users, before they are summed; levels above `limit` will be over it.
    pub fn clear(&mut self, limit: f64) {
        (self.fixed, self.open_share, self.highest_fixed) = (0.0, 0.0, 0.0);
        (self.over, self.limit, self.postings) = (0, limit, 0);
    }

    /// All users have been summed.
    pub fn finish_sum(&mut self) {
        self.postings = 0;
    }

    /// All users have been counted; those above `limit` are over it.
    pub fn set_load(&mut self, load: &Load, limit: f64) {
        (self.fixed, self.highest_fixed, self.postings) = (load.fixed, load.highest_fixed, 0);
        match self.kind {
            SharingPolicy::Shared => {
                self.limit = limit.max(load.highest_fixed);
                (self.open_share, self.over) = (load.open_share, load.over);
            }
            // The captures may be put off, so those flows still count.
            SharingPolicy::FatPipe => {
                self.open_share = load.largest_share;
                if load.over > 0 {
                    self.highest_fixed = f64::INFINITY;
                }
            }
        }
    }

    /// After as many changes as users, a new sum costs nothing more and drops the rounding errors.
    pub fn needs_sum(&self, users: usize) -> bool {
        self.postings as usize > (64 + 4 * users).min(usize::from(STALE) / 2)
    }

    pub fn has_open(&self) -> bool {
        self.members + self.free > 0
    }

    /// Gives the members a level, with a new limit. True if the users must be summed, because some are between both limits.
    pub fn set_level(&mut self, level: f64, limit: f64) -> bool {
        self.level = level;
        // A user that was not captured because it differs by rounding is no reason to sum.
        let nearly = self.highest_fixed <= limit + 4.0 * (limit - level);
        let limit = if nearly { limit.max(self.highest_fixed) } else { limit };
        let between = self.limit != limit && (self.over > 0 || self.highest_fixed > limit);
        if !between {
            self.limit = limit;
        }
        between && self.kind == SharingPolicy::Shared
    }

    /// May users that are decided elsewhere have higher levels than `limit`?
    pub fn may_exceed(&self, limit: f64) -> bool {
        self.kind == SharingPolicy::FatPipe || self.over > 0 || self.highest_fixed > limit
    }

    /// A lower limit of the level at which the resource is full; exact if it is shared and the limit is right.
    #[inline]
    pub fn full_at(&self) -> f64 {
        if self.kind == SharingPolicy::FatPipe {
            return self.full_pipe_at();
        }
        if self.members + self.free + self.over > 0 {
            (self.capacity - self.fixed).max(0.0) / self.open_share
        } else if above(self.fixed, self.capacity) {
            0.0
        } else {
            f64::INFINITY
        }
    }

    fn full_pipe_at(&self) -> f64 {
        let full = self.has_open() || !above(self.capacity, self.open_share * self.highest_fixed);
        if full && self.open_share > 0.0 { self.capacity / self.open_share } else { f64::INFINITY }
    }

    /// The level at which the resource must be looked at if it is full at `full`; infinite if all is well. Levels are the same if
    /// they differ by less than `tolerance`, relatively. Where all users are members or
    /// below them, members rise by more than `rise_tolerance` or not at all.
    #[inline]
    pub fn turn(&self, full: f64, tolerance: f64, rise_tolerance: f64) -> f64 {
        let others = self.over + self.free > 0 || self.kind == SharingPolicy::FatPipe;
        let rising = if others { tolerance } else { tolerance.max(rise_tolerance) };
        if self.postings >= STALE - 1 {
            0.0
        } else if self.members == 0 {
            full
        } else if full > self.level + self.level * rising {
            self.level
        } else if self.is_settled_at(full, tolerance) {
            f64::INFINITY
        } else {
            full
        }
    }

    fn is_settled_at(&self, full: f64, tolerance: f64) -> bool {
        let same = self.level <= full + full * tolerance;
        same && self.over == 0 && self.free == 0 && self.kind == SharingPolicy::Shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_one_cache_line() {
        assert_eq!(size_of::<Account>(), 64);
    }
}
