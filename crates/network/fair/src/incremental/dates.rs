//! Completion dates: every bottleneck gives the date of its first member, every flow at its bound its own.

use super::{Incremental, Stop};
use crate::TOLERANCE;
use crate::flow::{HALF_PICOSECOND, NEGLIGIBLE};
use crate::heap::{ABSENT, Heap};
use mpirage_units::{Duration, Time};

impl Incremental {
    /// The earliest date at which a flow ends; `Time::MAX` if none does.
    pub fn next_date(&self) -> Time {
        let first = |heap: &Heap<Time>| heap.first().map_or(Time::MAX, |(date, _)| date);
        first(&self.dates).min(first(&self.bounded))
    }

    /// From here on it is `now`.
    pub fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// A flow whose first message ends now. The caller removes the flow or gives it another first message.
    pub fn next_ended(&mut self) -> Option<u32> {
        if let Some(flow) = self.ending.and_then(|resource| self.done_member(resource, false)) {
            return Some(flow);
        }
        self.ending = None;
        if let Some((date, resource)) = self.dates.first()
            && let Some(flow) = self.done_member(resource, date <= self.now)
        {
            // Its next date comes with the solve that must follow.
            self.unschedule(resource);
            self.note_undated(resource);
            self.ending = Some(resource);
            return Some(flow);
        }
        let (date, flow) = self.bounded.first()?;
        let negligible = self.negligible(flow);
        (date <= self.now || self.left_at_bound(flow) <= negligible).then_some(flow)
    }

    /// The first member of a resource, if it is due or has nothing left to speak of.
    fn done_member(&self, resource: u32, due: bool) -> Option<u32> {
        let (account, bottleneck) = (&self.accounts[resource as usize], &self.bottlenecks[resource as usize]);
        let (first, flow) = bottleneck.members.first()?;
        let left = first.at - bottleneck.clock(self.now, account.level);
        let negligible = self.negligible(flow).max(HALF_PICOSECOND * account.level);
        (due || left <= negligible).then_some(flow)
    }

    /// So little work of a flow may be left when it ends.
    fn negligible(&self, flow: u32) -> f64 {
        NEGLIGIBLE.max(self.negligible) * self.flows[flow as usize].work
    }

    /// The virtual work that is left of the first message of a flow.
    pub fn left(&self, flow: u32) -> f64 {
        match self.stops[flow as usize] {
            Stop::Absent | Stop::Free => self.flows[flow as usize].left,
            Stop::Bound => self.left_at_bound(flow).max(0.0),
            Stop::At(resource) => {
                let (account, bottleneck) =
                    (&self.accounts[resource as usize], &self.bottlenecks[resource as usize]);
                let due = bottleneck.members.key(self.places[flow as usize]);
                (due.at - bottleneck.clock(self.now, account.level)).max(0.0)
            }
        }
    }

    fn left_at_bound(&self, flow: u32) -> f64 {
        let flow = &self.flows[flow as usize];
        let passed = self.now.since(flow.since);
        // An infinite level has done everything, in no time at all.
        if passed.is_zero() { flow.left } else { flow.left - flow.ceiling * passed.as_secs_f64() }
    }

    /// Gives a flow at its bound a date.
    pub(super) fn schedule_bounded(&mut self, flow: u32) {
        let bounded = &self.flows[flow as usize];
        let date = bounded.since + Duration::from_secs_f64(bounded.left / bounded.ceiling);
        self.bounded.push(date.max(self.now), flow, &mut self.places);
    }

    pub(super) fn note_undated(&mut self, resource: u32) {
        if !std::mem::replace(&mut self.bottlenecks[resource as usize].undated, true) {
            self.undated.push(resource);
        }
    }

    /// Gives every bottleneck that has changed the date of its first member.
    pub(super) fn schedule_changed(&mut self) {
        let mut undated = std::mem::take(&mut self.undated);
        for resource in undated.drain(..) {
            let bottleneck = &mut self.bottlenecks[resource as usize];
            (bottleneck.undated, bottleneck.changes) = (false, 0);
            self.tolerances[resource as usize] = TOLERANCE;
            match bottleneck.date(self.accounts[resource as usize].level) {
                Some(date) => self.dates.set(date.max(self.now), resource, &mut self.date_places),
                None => self.unschedule(resource),
            }
        }
        self.undated = undated;
    }

    fn unschedule(&mut self, resource: u32) {
        let place = self.date_places[resource as usize];
        if place != ABSENT {
            self.dates.remove(place, &mut self.date_places);
        }
    }
}
