//! The account of a resource: what its users load on it.
//!
//! ```text
//!   capacity = fixed + level · open_share
//!               │               └ Σ share of the flows whose level this resource decides: its members, and free flows
//!               └ Σ share·λ of the flows whose level is decided elsewhere
//! ```
//!
//! The level at which the resource is full costs one division, however many users it has.

use crate::above;
use crate::resource::Kind;

/// One cache line: all that a solve needs of most resources.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Account {
    pub capacity: f64,
    pub fixed: f64,
    /// Of a fat pipe: an upper limit of the shares of its users.
    pub open_share: f64,
    /// An upper limit of the levels in `fixed`.
    pub highest_fixed: f64,
    /// The level of the members.
    pub level: f64,
    /// The level at which the resource stands in the agenda.
    pub queued: f64,
    /// How many flows have their bottleneck here.
    pub members: u32,
    /// How many users are free: no level has been decided for them.
    pub free: u32,
    /// Changes since the last sum.
    postings: u32,
    pub kind: Kind,
    /// The account has lost precision and must be summed again.
    pub stale: bool,
    /// The account has changed since the resource was last queued.
    pub dirty: bool,
    /// The date of the first member must be computed again.
    pub undated: bool,
}

impl Account {
    pub fn new(capacity: f64, kind: Kind) -> Account {
        Account {
            capacity,
            kind,
            fixed: 0.0,
            open_share: 0.0,
            highest_fixed: 0.0,
            level: 0.0,
            queued: f64::INFINITY,
            members: 0,
            free: 0,
            postings: 0,
            stale: false,
            dirty: false,
            undated: false,
        }
    }

    /// The share of a flow with `count` messages. A fat pipe limits each message alone.
    pub fn weigh(&self, share: f64, count: f64) -> f64 {
        if self.kind == Kind::FatPipe { share } else { share * count }
    }

    /// Notes that the account has changed.
    #[inline(always)]
    pub fn touch(&mut self, resource: u32, dirty: &mut Vec<u32>) {
        if !self.dirty {
            self.dirty = true;
            dirty.push(resource);
        }
    }

    /// A user's level is decided here, or may be.
    #[inline(always)]
    pub fn open(&mut self, share: f64) {
        match self.kind {
            Kind::Shared => self.open_share += share,
            Kind::FatPipe => self.open_share = self.open_share.max(share),
        }
        self.postings += 1;
    }

    /// It is decided elsewhere.
    #[inline(always)]
    pub fn close(&mut self, share: f64) {
        if self.kind == Kind::Shared {
            self.open_share -= share;
        }
        self.postings += 1;
    }

    /// A user whose level is decided elsewhere goes from one level to another.
    #[inline(always)]
    pub fn shift(&mut self, share: f64, from: f64, to: f64) {
        self.fixed += share * (to - from);
        self.highest_fixed = if to > self.highest_fixed { to } else { self.highest_fixed };
        self.postings += 1;
    }

    /// Forgets everything before users are summed.
    pub fn clear(&mut self) {
        (self.fixed, self.open_share, self.highest_fixed) = (0.0, 0.0, 0.0);
        self.finish_sum();
    }

    /// The sum is complete.
    pub fn finish_sum(&mut self) {
        (self.stale, self.postings) = (false, 0);
    }

    /// After as many changes as users, a new sum costs nothing more and drops the rounding errors.
    pub fn needs_sum(&self, users: usize) -> bool {
        self.stale || self.postings as usize > 64 + 4 * users
    }

    pub fn has_open(&self) -> bool {
        self.members + self.free > 0
    }

    /// A lower limit of the level at which the resource is full; exact if it is shared and no user has a higher level.
    #[inline]
    pub fn full_at(&self) -> f64 {
        if self.kind == Kind::FatPipe {
            return self.full_pipe_at();
        }
        if self.has_open() {
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

    /// The level at which the resource must be looked at, if that is full at `full` or above.
    pub fn turn(&self, full: f64) -> f64 {
        if self.stale {
            0.0
        } else if self.members == 0 {
            full
        } else if above(full, self.level) {
            self.level
        } else if self.is_settled_at(full) {
            f64::INFINITY
        } else {
            full
        }
    }

    fn is_settled_at(&self, full: f64) -> bool {
        let same = !above(self.level, full) && !above(self.highest_fixed, self.level);
        same && self.free == 0 && self.kind == Kind::Shared
    }
}
