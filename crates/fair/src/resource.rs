//! Resources: a clock for the flows at home here, and an account of what is carried.
//!
//! The account splits the users of an *active* resource (one that takes part in the solve) in two:
//!
//! ```text
//!   capacity = fixed + level · open_share
//!               │               └ Σ share of those whose level this resource decides (or may: free flows)
//!               └ Σ share·λ of those whose level was decided elsewhere, at a lower level
//! ```
//!
//! so the level at which it fills up costs one division, however many users there are.

use crate::heap::Heap;
use crate::list::NONE;
use crate::sharing::Kind;
use mpirage_units::{Duration, Time};
use std::cmp::Ordering;

/// A date on a virtual clock, with the flow's start order to break ties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub at: f64,
    pub sequence: u64,
}

impl Ord for Due {
    fn cmp(&self, other: &Due) -> Ordering {
        self.at.total_cmp(&other.at).then(self.sequence.cmp(&other.sequence))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Due {}

/// Virtual work done by every member since the clock was reset; it runs at `level` per second.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    pub value: f64,
    pub since: Time,
    pub level: f64,
}

impl Clock {
    pub fn at(&self, now: Time) -> f64 {
        self.value + self.level * now.since(self.since).as_secs_f64()
    }

    pub fn set_level(&mut self, now: Time, level: f64) {
        self.value = self.at(now);
        self.since = now;
        self.level = level;
    }

    /// When the clock will show `due`.
    pub fn date(&self, due: f64) -> Time {
        self.since + Duration::from_secs_f64((due - self.value) / self.level)
    }
}

/// A flow on a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    pub flow: u32,
    /// Which of the flow's uses this is.
    pub nth: u32,
    pub share: f64,
}

/// The order of the fields is kept: a solve reads the first cache line of many resources and the second of
/// some; the rest is for those whose level changes.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Resource {
    pub capacity: f64,
    pub fixed: f64,
    pub open_share: f64,
    pub open: u32,
    pub postings: u32,
    /// An upper limit of the levels in `fixed`.
    pub highest_fixed: f64,
    /// Σ share·reserved over all users; while it fits, the resource cannot be full.
    pub reserved_load: f64,
    /// The component whose flows use it, and the next resource of that component.
    pub component: u32,
    pub next: u32,
    /// How many users there are.
    pub listed: u32,
    pub kind: Kind,
    /// Takes part in the solve: it has members, or might get some in the solve under way.
    pub active: bool,
    /// The account has lost precision and must be summed anew.
    pub stale: bool,
    /// The bookings do not prove that it is not full.
    pub suspect: bool,

    pub clock: Clock,
    pub visit: Visit,
    /// How often members use other active resources: if never, their level concerns nobody else.
    pub entangled: u32,

    /// The level at which it is full, in the solve of a component.
    pub full_at: f64,
    /// A lower limit of the members' ceilings.
    pub lowest_ceiling: f64,
    /// Every member has at least this level reserved.
    pub reserved: f64,
    /// Flows at home here, by virtual date of completion.
    pub members: Heap<Due>,
    /// Users freed in this pass; some may be settled again.
    pub freed: Vec<u32>,
    pub users: Vec<User>,
    /// Users that started since the last solve.
    pub newcomers: u32,
    /// Changes of level since the clock was last set back to zero.
    pub ticks: u32,
}

/// What the current solve knows of a resource.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Visit {
    pub pass: u64,
    /// The level at which it stands in the agenda.
    pub queued: f64,
    /// The level is decided.
    pub done: bool,
    /// The members of before have been freed.
    pub released: bool,
    pub solve: u64,
}

impl Resource {
    pub fn new(capacity: f64, kind: Kind) -> Resource {
        Resource {
            capacity,
            kind,
            users: Vec::new(),
            newcomers: 0,
            members: Heap::new(),
            clock: Clock::default(),
            ticks: 0,
            lowest_ceiling: f64::INFINITY,
            entangled: 0,
            reserved: 0.0,
            active: false,
            fixed: 0.0,
            open_share: 0.0,
            open: 0,
            highest_fixed: 0.0,
            stale: false,
            postings: 0,
            reserved_load: 0.0,
            suspect: false,
            component: NONE,
            next: NONE,
            listed: 0,
            full_at: 0.0,
            visit: Visit::default(),
            freed: Vec::new(),
        }
    }

    /// A user's level is decided here, or may be.
    pub fn open_account(&mut self, share: f64) {
        self.open += 1;
        self.open_share += share;
        self.post();
    }

    /// It was decided elsewhere.
    pub fn close_account(&mut self, share: f64) {
        self.open -= 1;
        self.open_share -= share;
        self.post();
    }

    pub fn fix(&mut self, share: f64, level: f64) {
        self.fixed += share * level;
        self.highest_fixed = self.highest_fixed.max(level);
        self.post();
    }

    pub fn unfix(&mut self, share: f64, level: f64) {
        // A load above the capacity is provisional and huge; subtracting it leaves noise.
        self.stale |= share * level > self.capacity;
        self.fixed -= share * level;
        self.post();
    }

    /// A user has got more messages, or fewer, of so much share together.
    pub fn post_message(&mut self, share: f64, level: f64, open: bool) {
        if open {
            self.open_share += share;
        } else {
            self.fixed += share * level;
        }
        self.post();
    }

    /// After as many postings as users, a new sum costs nothing more and drops what rounding has gathered.
    fn post(&mut self) {
        self.postings += 1;
        self.stale |= self.postings as usize > 64 + 4 * self.users.len();
    }

    /// Is an account worth the sum at the mere suspicion of a newcomer? If not, the next pass will tell.
    pub fn is_quickly_summed(&self) -> bool {
        self.users.len() <= 64 || 4 * self.newcomers as usize > self.users.len()
    }

    /// The level at which a shared resource is full, if its account is right.
    pub fn filled_at(&self) -> f64 {
        if self.open > 0 {
            (self.capacity - self.fixed).max(0.0) / self.open_share
        } else if crate::above(self.fixed, self.capacity) {
            0.0 // a lower limit: which level it is depends on who will be captured
        } else {
            f64::INFINITY
        }
    }

    pub fn clear_account(&mut self) {
        (self.fixed, self.open_share, self.open) = (0.0, 0.0, 0);
        (self.highest_fixed, self.stale, self.postings) = (0.0, false, 0);
    }
}
