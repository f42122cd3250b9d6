//! How components end: all at once as a rule, or some flows first and the rest is gathered anew.

use crate::component::Component;
use crate::heap::ABSENT;
use crate::list::{IntrusiveList, NONE};
use crate::sharing::Sharing;
use mpirage_units::{Duration, Time};

impl Sharing {
    pub(crate) fn schedule_component(&mut self, id: u32, span: f64) {
        let date = self.now + Duration::from_secs_f64(span);
        if date < Time::MAX {
            self.components.dates.push(date, id, &mut self.components.places);
        }
    }

    pub(crate) fn unschedule_component(&mut self, id: u32) {
        let place = self.components.places[id as usize];
        if place != ABSENT {
            self.components.dates.remove(place, &mut self.components.places);
        }
    }

    /// Ends the flows of a component that are done: the first if its date has come, and all that end with it.
    pub(crate) fn end_component(&mut self, id: u32, due: bool) -> bool {
        let Component { since, first, mut flows, .. } = self.components.all[id as usize];
        let passed = self.now.since(since);
        if !due && !self.flows[first as usize].is_done_after(passed) {
            return false;
        }
        let mut rest = IntrusiveList::EMPTY;
        let mut ended = 0;
        while flows.first != NONE {
            let at = flows.first;
            let flow = &self.flows[at as usize];
            flows.first = flow.next;
            if (at == first || flow.is_done_after(passed)) && self.end_messages(at, passed) {
                ended += 1;
            } else {
                rest.push(&mut self.flows, at);
            }
        }
        self.components.all[id as usize].flows = rest;
        if rest.first == NONE {
            self.unschedule_component(id);
            self.vacate_component(id);
        } else {
            self.dissolve_rest(id, ended);
        }
        true
    }

    /// Ends the messages of a flow that are done, one at least. True if the flow has ended with them.
    fn end_messages(&mut self, flow: u32, passed: Duration) -> bool {
        loop {
            let left = self.flows[flow as usize].left;
            let Some((next, more)) = self.end_first(flow) else {
                self.vacate(flow);
                return true;
            };
            let now_first = &mut self.flows[flow as usize];
            (now_first.work, now_first.sequence, now_first.left) =
                (next.work, next.due.sequence, left + more);
            if !now_first.is_done_after(passed) {
                return false;
            }
        }
    }

    /// The load that flows of a component put on a resource.
    pub(crate) fn component_load(&self, resource: u32) -> f64 {
        let label = self.resources[resource as usize].component;
        let mut at = self.components.all.get(label as usize).map_or(NONE, |component| component.flows.first);
        let mut load = 0.0;
        while at != NONE {
            let flow = &self.flows[at as usize];
            let used = flow.uses().filter(|used| used.resource == resource);
            used.for_each(|used| load += used.share * self.classes.count(flow) * flow.level);
            at = flow.next;
        }
        load
    }
}
