//! Bottlenecks: the flows whose level a resource decides share a virtual clock.
//!
//! ```text
//!     clock of r:  V_r(t) = ∫ μ_r dt          a flow joins at V and is done at  F = V + work·penalty
//!
//!     members ordered by F ──▶ only the first has a date:  now + (F − V_r)/μ_r
//! ```

use super::demand::UsePlace;
use crate::heap::Heap;
use crate::virtual_date::VirtualDate;
use mpirage_units::{Duration, Time};

/// A user of a resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct User {
    pub flow: u32,
    /// Where the flow's use of the resource stands.
    pub place: UsePlace,
    /// Of all messages of the flow if the resource is shared; of one if it is a fat pipe.
    pub share: f64,
}

/// State of a resource that a solve reads only if the level of its members changes.
#[derive(Clone, Debug)]
pub(super) struct Bottleneck {
    /// The virtual clock, as it was at `since`.
    value: f64,
    since: Time,
    /// Changes of level since the clock was set back to zero.
    ticks: u32,
    /// The date of the first member must be computed again.
    pub undated: bool,
    /// Changes of level in the solve under way.
    pub changes: u32,
    /// Some member may use another resource that has members.
    pub entangled: bool,
    /// More than the level of the members has been posted.
    pub loose: bool,
    /// The level that the other resources of the members account for; at least the level of the members.
    pub posted: f64,
    /// A lower limit of the members' ceilings.
    pub lowest_ceiling: f64,
    /// Members by virtual date of completion.
    pub members: Heap<VirtualDate>,
    pub users: Vec<User>,
    /// Users that are free, and some that were.
    pub free: Vec<u32>,
}

impl Bottleneck {
    pub fn new() -> Bottleneck {
        Bottleneck {
            value: 0.0,
            since: Time::ZERO,
            ticks: 0,
            undated: false,
            changes: 0,
            entangled: false,
            loose: false,
            posted: 0.0,
            lowest_ceiling: f64::INFINITY,
            members: Heap::new(),
            users: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The virtual clock's value now if it has run at `level`.
    pub fn clock(&self, now: Time, level: f64) -> f64 {
        self.value + level * now.since(self.since).as_secs_f64()
    }

    /// The clock has run at `level` until now and runs differently from here on. Sets it back to zero when that costs no
    /// more than the changes since the last time, so that the differences between dates on it stay precise.
    pub fn stop_clock(&mut self, now: Time, level: f64) {
        self.value = self.clock(now, level);
        self.since = now;
        self.ticks += 1;
        if self.ticks as usize > 16 + self.members.len() {
            let value = std::mem::take(&mut self.value);
            self.members.map_keys(|due| VirtualDate { at: due.at - value, ..due });
            self.ticks = 0;
        }
    }

    /// When the first member is done if the clock runs at `level`.
    pub fn date(&self, level: f64) -> Option<Time> {
        let (due, _) = self.members.first()?;
        let date = self.since + Duration::from_secs_f64((due.at - self.value) / level);
        (date < Time::MAX).then_some(date)
    }

    /// The last member is gone.
    pub fn vacate(&mut self, now: Time) {
        (self.value, self.since, self.ticks) = (0.0, now, 0);
        (self.lowest_ceiling, self.posted, self.entangled) = (f64::INFINITY, 0.0, false);
    }
}
