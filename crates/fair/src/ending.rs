//! How clumps end: all at once as a rule, or some flows first and the rest is gathered anew.

use crate::chain::{Chain, NONE};
use crate::clump::{Clump, is_worthwhile};
use crate::heap::ABSENT;
use crate::sharing::Sharing;
use mpirage_units::{Duration, Time};

impl Sharing {
    pub(crate) fn schedule_clump(&mut self, id: u32, span: f64) {
        let date = self.now + Duration::from_secs_f64(span);
        if date < Time::MAX {
            self.clumps.dates.push(date, id, &mut self.clumps.places);
        }
    }

    pub(crate) fn unschedule_clump(&mut self, id: u32) {
        let place = self.clumps.places[id as usize];
        if place != ABSENT {
            self.clumps.dates.remove(place, &mut self.clumps.places);
        }
    }

    /// Ends the flows of a clump that are done: the first if its date has come, and whoever is done with it.
    pub(crate) fn end_clump(&mut self, id: u32, due: bool) -> bool {
        let Clump { since, first, size, mut flows, .. } = self.clumps.all[id as usize];
        let passed = self.now.since(since);
        if !due && !self.flows[first as usize].is_done_after(passed) {
            return false;
        }
        let mut rest = Chain::EMPTY;
        let mut ended = 0;
        while flows.first != NONE {
            let at = flows.first;
            let flow = &self.flows[at as usize];
            flows.first = flow.next;
            if at == first || flow.is_done_after(passed) {
                ended += 1;
                self.end_clumped(at);
            } else {
                rest.push(&mut self.flows, at);
            }
        }
        self.clumps.all[id as usize].flows = rest;
        if rest.first == NONE {
            self.unschedule_clump(id);
            self.vacate_clump(id);
        } else {
            self.dissolve(id, !is_worthwhile(size - ended, ended));
        }
        true
    }

    /// The load that flows of a clump put on a resource.
    pub(crate) fn clump_load(&self, resource: u32) -> f64 {
        let label = self.resources[resource as usize].clump;
        let mut at = self.clumps.all.get(label as usize).map_or(NONE, |clump| clump.flows.first);
        let mut load = 0.0;
        while at != NONE {
            let flow = &self.flows[at as usize];
            let used = flow.uses().filter(|used| used.resource == resource);
            used.for_each(|used| load += used.share * flow.level);
            at = flow.next;
        }
        load
    }
}
