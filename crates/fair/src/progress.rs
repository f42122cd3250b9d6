//! Completion dates: every home gives the date of its first member, every flow at its bound its own.
//!
//! Dates are whole picoseconds, so what is left of a flow at its date may be a little more or less than
//! nothing. Flows that belong together must end together: at a completion date, whoever has less left than
//! half a picosecond's or a 10⁻⁹th of its work is done, too.

use crate::class::Message;
use crate::flow::Bottleneck;
use crate::heap::{ABSENT, Heap};
use crate::resource::{Due, Resource};
use crate::sharing::Sharing;
use mpirage_units::{Duration, Time};

/// The part of a flow's work that may be left when it ends.
pub(crate) const NEGLIGIBLE: f64 = 1e-9;
pub(crate) const HALF_PICOSECOND: f64 = 0.5e-12;

/// Starts are close together if fewer than so many lie between two that end.
const SPARSE: u64 = 4;

/// What will end when.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// Resources by the date of their first member.
    dates: Heap<Time>,
    pub date_places: Vec<u32>,
    /// Flows at their bound, by date.
    pub solos: Heap<Time>,
    /// Tokens of flows that have ended and were not collected yet.
    pub finished: Vec<u64>,
    /// Start order and token of the flows that end at the date in hand.
    batch: Vec<(u64, u64)>,
    /// Where in the batch each start is, if they are close together.
    order: Vec<u32>,
}

impl Progress {
    /// A message ends at the date in hand.
    pub fn note_end(&mut self, sequence: u64, token: u64) {
        self.batch.push((sequence, token));
    }

    /// Moves the tokens of the batch to those finished, in order of start.
    fn hand_over_batch(&mut self) {
        if !self.batch.is_sorted() {
            self.sort_batch();
        }
        self.finished.extend(self.batch.drain(..).map(|(_, token)| token));
    }

    /// What ends together has mostly started together: then each goes straight to its place.
    fn sort_batch(&mut self) {
        let Progress { batch, order, finished, .. } = self;
        let starts = || batch.iter().map(|&(start, _)| start);
        let (first, last) = (starts().min().unwrap_or(0), starts().max().unwrap_or(0));
        if (last - first) / SPARSE >= batch.len() as u64 {
            return batch.sort_unstable();
        }
        order.clear();
        order.resize((last - first) as usize + 1, ABSENT);
        for (place, start) in starts().enumerate() {
            order[(start - first) as usize] = place as u32;
        }
        let places = order.iter().filter(|&&place| place != ABSENT);
        finished.extend(places.map(|&place| batch[place as usize].1));
        batch.clear();
    }
}

impl Sharing {
    /// The earliest date at which something ends.
    pub(crate) fn earliest(&self) -> Option<Time> {
        let first = |heap: &Heap<Time>| heap.first().map_or(Time::MAX, |(date, _)| date);
        let date =
            first(&self.components.dates).min(first(&self.progress.dates)).min(first(&self.progress.solos));
        (date < Time::MAX).then_some(date)
    }

    /// Ends the flows that are done now. Does not solve for the rest, as new flows often start at once.
    pub(crate) fn complete_now(&mut self) {
        self.solve();
        if self.earliest().is_some_and(|date| date <= self.now) {
            self.complete(self.now);
        }
    }

    /// Goes through all completions before `now`.
    pub(crate) fn complete_before(&mut self, now: Time) {
        self.solve();
        while let Some(date) = self.earliest().filter(|date| *date < now) {
            self.complete(date.max(self.now));
            self.solve();
        }
    }

    /// Ends all flows that are done at `date`.
    fn complete(&mut self, date: Time) {
        self.now = date;
        while let Some((next, id)) = self.components.dates.first()
            && self.end_component(id, next <= date)
        {}
        while let Some((next, index)) = self.progress.dates.first()
            && self.end_members(index, next <= date)
        {}
        while let Some((next, flow)) = self.progress.solos.first()
            && self.end_solo(flow, next <= date)
        {}
        self.progress.hand_over_batch();
    }

    fn end_solo(&mut self, flow: u32, due: bool) -> bool {
        let solo = &self.flows[flow as usize];
        let left =
            solo.left - solo.ceiling * self.now.since(self.accounts[flow as usize].since).as_secs_f64();
        let ends = due || left <= NEGLIGIBLE * solo.work;
        if ends {
            self.end(flow);
        }
        ends
    }

    /// Ends the members of a home that are done. The first one is if its date has come.
    fn end_members(&mut self, index: u32, due: bool) -> bool {
        let mut ended = false;
        while let Some((first, flow)) = self.resources[index as usize].members.first() {
            if !(due && !ended || self.is_done(index, first, flow)) {
                break;
            }
            self.end(flow);
            ended = true;
        }
        if ended {
            // Its next date comes with the solve that must follow.
            self.unschedule_group(index);
        }
        ended
    }

    fn is_done(&self, home: u32, due: Due, flow: u32) -> bool {
        let clock = &self.resources[home as usize].clock;
        let left = due.at - clock.at(self.now);
        left <= (NEGLIGIBLE * self.flows[flow as usize].work).max(HALF_PICOSECOND * clock.level)
    }

    /// Ends the first message of a flow that is shared incrementally, and the flow if there is no other.
    fn end(&mut self, flow: u32) {
        match self.end_first(flow) {
            None => self.remove(flow),
            Some((next, more)) => {
                self.post_message(flow, -1.0);
                self.postpone(flow, next, more);
            }
        }
    }

    /// The next message of a flow, which had so much more to do than the first, is the first now.
    fn postpone(&mut self, flow: u32, message: Message, more: f64) {
        let (sequence, place) = (message.due.sequence, self.places[flow as usize]);
        let first = &mut self.flows[flow as usize];
        (first.work, first.sequence) = (message.work, sequence);
        match first.bottleneck {
            Bottleneck::At(index) => {
                let members = &mut self.resources[index as usize].members;
                let due = Due { at: members.key(place).at + more, sequence };
                members.set(due, flow, &mut self.places);
            }
            _ => {
                first.left += more;
                self.progress.solos.remove(place, &mut self.places);
                self.schedule_solo(flow);
            }
        }
    }

    /// What is left of the first message of a flow.
    pub(crate) fn left_now(&mut self, flow: u32) -> f64 {
        let place = self.places[flow as usize];
        match self.flows[flow as usize].bottleneck {
            Bottleneck::Component(id) => self.take_progress(id),
            Bottleneck::At(index) => {
                let resource = &self.resources[index as usize];
                return (resource.members.key(place).at - resource.clock.at(self.now)).max(0.0);
            }
            Bottleneck::Bound => {
                let passed = self.now.since(self.accounts[flow as usize].since).as_secs_f64();
                let flow = &self.flows[flow as usize];
                return if passed > 0.0 { (flow.left - flow.ceiling * passed).max(0.0) } else { flow.left };
            }
            _ => {}
        }
        self.flows[flow as usize].left
    }

    /// Another message of a flow is the first now, and has so much left.
    pub(crate) fn set_first(&mut self, flow: u32, message: Message, left: f64) {
        let sequence = message.due.sequence;
        let first = &mut self.flows[flow as usize];
        (first.work, first.sequence, first.left) = (message.work, sequence, left);
        match first.bottleneck {
            Bottleneck::At(index) => {
                let resource = &mut self.resources[index as usize];
                let due = Due { at: resource.clock.at(self.now) + left, sequence };
                resource.members.set(due, flow, &mut self.places);
            }
            Bottleneck::Bound => {
                self.accounts[flow as usize].since = self.now;
                self.progress.solos.remove(self.places[flow as usize], &mut self.places);
                self.schedule_solo(flow);
            }
            _ => {}
        }
    }

    /// Gives a home the date of its first member.
    pub(crate) fn schedule_group(&mut self, index: u32) {
        let resource = &self.resources[index as usize];
        let date = resource.members.first().map_or(Time::MAX, |(due, _)| resource.clock.date(due.at));
        if date == Time::MAX {
            return self.unschedule_group(index);
        }
        self.progress.dates.set(date.max(self.now), index, &mut self.progress.date_places);
    }

    pub(crate) fn unschedule_group(&mut self, index: u32) {
        let place = self.progress.date_places[index as usize];
        if place != ABSENT {
            self.progress.dates.remove(place, &mut self.progress.date_places);
        }
    }

    /// Gives a flow at its bound a date.
    pub(crate) fn schedule_solo(&mut self, flow: u32) {
        let solo = &self.flows[flow as usize];
        debug_assert_eq!(solo.bottleneck, Bottleneck::Bound);
        let date = self.accounts[flow as usize].since + Duration::from_secs_f64(solo.left / solo.ceiling);
        self.progress.solos.push(date.max(self.now), flow, &mut self.places);
    }
}

impl Resource {
    /// Sets the clock back to zero when that costs no more than the changes of level since the last time, so
    /// that the differences between dates on it stay precise.
    pub(crate) fn rebase(&mut self) {
        self.ticks += 1;
        if self.ticks as usize > 16 + self.members.len() {
            let value = std::mem::take(&mut self.clock.value);
            self.members.map_keys(|due| Due { at: due.at - value, ..due });
            self.ticks = 0;
        }
    }
}
