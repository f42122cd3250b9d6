//! How components end: all at once as a rule, or some flows first and the rest is gathered anew.

use super::{Component, Components};
use crate::flow::Solver;
use crate::flows::Flows;
use crate::heap::ABSENT;
use crate::list::NONE;
use crate::messages::Messages;
use mpirage_units::{Duration, Time};

impl Components {
    /// The earliest date at which a flow ends; `Time::MAX` if none does.
    pub fn next_date(&self) -> Time {
        self.dates.first().map_or(Time::MAX, |(date, _)| date)
    }

    /// Ends all messages that are done now.
    pub fn end_due(&mut self, flows: &mut Flows, messages: &mut Messages) {
        while let Some((date, id)) = self.dates.first()
            && self.end(flows, messages, id, date <= self.now)
        {}
    }

    pub(super) fn schedule(&mut self, id: u32, span: f64) {
        let date = self.now + Duration::from_secs_f64(span);
        if date < Time::MAX {
            self.dates.push(date, id, &mut self.places);
        }
    }

    pub(super) fn unschedule(&mut self, id: u32) {
        let place = self.places[id as usize];
        if place != ABSENT {
            self.dates.remove(place, &mut self.places);
        }
    }

    /// Ends the flows of a component that are done: the first if its date has come, and all that end with it.
    fn end(&mut self, flows: &mut Flows, messages: &mut Messages, id: u32, due: bool) -> bool {
        let Component { since, first, flows: mut rest, .. } = self.all[id as usize];
        let passed = self.now.since(since);
        if !due && !flows[first as usize].is_done_after(passed) {
            return false;
        }
        let mut ended = 0;
        rest.retain(flows, |flows, flow| {
            let done = flow == first || flows[flow as usize].is_done_after(passed);
            let ends = done && end_messages(flows, messages, flow, passed);
            ended += u32::from(ends);
            !ends
        });
        self.all[id as usize].flows = rest;
        if rest.first == NONE {
            self.unschedule(id);
            self.vacate(id);
        } else {
            self.dissolve_rest(flows, id, ended);
        }
        true
    }

    /// Takes a solved component apart of which some flows have ended, unless the rest stays together.
    fn dissolve_rest(&mut self, flows: &mut Flows, id: u32, ended: u32) {
        let component = &mut self.all[id as usize];
        let worthwhile = component.is_worthwhile(component.size - ended, ended);
        if worthwhile && self.keeps_rest && 2 * (component.size - ended) >= component.most {
            component.size -= ended;
            component.is_loose = true;
            self.loosened.push(id);
            return self.take_progress(flows, id);
        }
        self.spare_solves = self.spare_solves.max(component.spare_solves);
        self.dissolve(flows, id, if worthwhile { Solver::Undecided } else { Solver::Uneven });
    }

    /// The load that flows of a component put on a resource.
    pub fn load(&self, flows: &Flows, messages: &Messages, resource: u32) -> f64 {
        let label = self.pools[resource as usize].component;
        let mut at = self.all.get(label as usize).map_or(NONE, |component| component.flows.first);
        let mut load = 0.0;
        while at != NONE {
            let flow = &flows[at as usize];
            let used = flow.uses().filter(|used| used.resource == resource);
            used.for_each(|used| load += used.share * messages.count(flow) * flow.level);
            at = flow.next;
        }
        load
    }
}

/// Ends the messages of a flow that are done, one at least. True if the flow has ended with them.
fn end_messages(flows: &mut Flows, messages: &mut Messages, flow: u32, passed: Duration) -> bool {
    loop {
        let left = flows[flow as usize].left;
        let Some((next, more)) = messages.end_first(flows, flow) else {
            messages.vacate(flows, flow);
            return true;
        };
        let now_first = &mut flows[flow as usize];
        (now_first.work, now_first.sequence, now_first.left) = (next.work, next.due.sequence, left + more);
        if !now_first.is_done_after(passed) {
            return false;
        }
    }
}
