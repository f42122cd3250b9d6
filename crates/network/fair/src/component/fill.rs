//! The solve of one component from scratch: progressive filling as in the definition, over its own flows and resources only.
//!
//! Flows that behave alike are stopped together, so the level rises in few steps: one for a halo exchange or an
//! all-to-all, however many flows there are. A large component that needs many steps is not solved here.

use super::pool::Pool;
use super::{Components, SMALL};
use crate::above;
use crate::flow::{Flow, Solver, level_alone};
use crate::flows::Flows;
use crate::list::NONE;
use crate::messages::Messages;

/// How often the level of a component that is not small may rise.
const STEPS: u32 = 6;

/// The event that ends the current rise of the level.
enum Stop {
    /// Full resources, at this level.
    Full(f64),
    /// Bounds of flows, at this level or hardly above.
    Bounds(f64),
}

impl Components {
    /// Decides the level of every flow of a gathered component and gives the component its date. False if that takes too many
    /// steps; then nothing has been decided that counts.
    pub(super) fn solve_whole(&mut self, flows: &mut Flows, messages: &Messages, id: u32) -> bool {
        let component = &mut self.all[id as usize];
        (component.since, component.first) = (self.now, NONE);
        self.looked_at += u64::from(component.size);
        if component.size == 1 && flows[component.flows.first as usize].class == NONE {
            let flow = &flows[component.flows.first as usize];
            let level = level_alone(self.level_alone(flow.uses()), flow.ceiling);
            let span = self.stop_all(flows, id, level);
            self.schedule(id, span);
            return true;
        }
        let (level, all_full) = self.fill_resources(id);
        let component = &self.all[id as usize];
        // Levels that differ by rounding only are equal: then the resource is full before the bound is met.
        let full_first = !above(level, component.ceiling) && level.is_finite();
        let span = if all_full && full_first {
            Some(self.stop_all(flows, id, level))
        } else {
            self.rise_in_steps(flows, messages, id)
        };
        if let Some(span) = span {
            self.schedule(id, span);
        }
        span.is_some()
    }

    /// Opens the accounts of a component that was solved before to all its flows, and notes their lowest ceiling.
    pub(super) fn open_all(&mut self, flows: &Flows, messages: &Messages, id: u32) {
        let Components { pools, all, .. } = self;
        let mut at = all[id as usize].resources.first;
        while at != NONE {
            let pool = &mut pools[at as usize];
            pool.clear();
            at = pool.following();
        }
        let component = &mut all[id as usize];
        let (mut at, mut ceiling) = (component.flows.first, f64::INFINITY);
        while at != NONE {
            let flow = &flows[at as usize];
            ceiling = if flow.ceiling < ceiling { flow.ceiling } else { ceiling };
            let count = messages.count(flow);
            flow.each_use(|used| pools[used.resource as usize].open(used.share, count));
            at = flow.next;
        }
        component.ceiling = ceiling;
    }

    /// Tells each resource that it belongs here. Gives the lowest of the levels at which they are full, and says
    /// whether all of them are that low.
    fn fill_resources(&mut self, id: u32) -> (f64, bool) {
        let (mut lowest, mut highest) = (f64::INFINITY, 0.0);
        let mut at = self.all[id as usize].resources.first;
        while at != NONE {
            let pool = &mut self.pools[at as usize];
            pool.component = id;
            let level = pool.filled_at();
            lowest = if level < lowest { level } else { lowest };
            highest = if level > highest { level } else { highest };
            at = pool.following();
        }
        (lowest, !above(highest, lowest))
    }

    /// Stops all flows at one level; gives the time that the first of them needs.
    fn stop_all(&mut self, flows: &mut Flows, id: u32, level: f64) -> f64 {
        let component = &mut self.all[id as usize];
        let mut least = f64::INFINITY;
        let mut at = component.flows.first;
        component.first = at;
        while at != NONE {
            let flow = &mut flows[at as usize];
            (flow.level, flow.solver) = (level, Solver::Component(id));
            if flow.left < least {
                (least, component.first) = (flow.left, at);
            }
            at = flow.next;
        }
        if least > 0.0 { least / level } else { 0.0 }
    }

    /// Raises the level from stop to stop. None if there are too many.
    fn rise_in_steps(&mut self, flows: &mut Flows, messages: &Messages, id: u32) -> Option<f64> {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        self.list_open(flows, id, &mut open);
        let steps = if self.all[id as usize].size <= SMALL { SMALL } else { STEPS };
        let mut span = f64::INFINITY;
        for _ in 0..steps {
            let stop = self.next_stop(flows, messages, id, &open);
            self.stop_flows(flows, id, stop, &mut open, &mut span);
            if open.is_empty() {
                break;
            }
            self.fix_stopped(flows, messages, id);
        }
        let stopped = open.is_empty();
        self.open = open;
        stopped.then_some(span)
    }

    /// All flows are open, all resources are empty.
    fn list_open(&mut self, flows: &mut Flows, id: u32, open: &mut Vec<u32>) {
        let component = &self.all[id as usize];
        let mut at = component.flows.first;
        while at != NONE {
            let flow = &mut flows[at as usize];
            flow.solver = Solver::Undecided;
            open.push(at);
            at = flow.next;
        }
        let mut at = component.resources.first;
        while at != NONE {
            let pool = &mut self.pools[at as usize];
            pool.close();
            at = pool.following();
        }
    }

    /// Finds the first event that stops the rise of the open flows; notes for each resource the level at which it is full.
    fn next_stop(&mut self, flows: &Flows, messages: &Messages, id: u32, open: &[u32]) -> Stop {
        let Components { pools, all, .. } = self;
        let mut ceiling = f64::INFINITY;
        for &flow in open {
            let flow = &flows[flow as usize];
            ceiling = ceiling.min(flow.ceiling);
            let count = messages.count(flow);
            flow.each_use(|used| pools[used.resource as usize].open(used.share, count));
        }
        let mut level = f64::INFINITY;
        let mut at = all[id as usize].resources.first;
        while at != NONE {
            let pool = &mut pools[at as usize];
            level = level.min(pool.fill());
            at = pool.following();
        }
        // Levels that differ by rounding only are equal: then the resource is full before the bound is met.
        if above(level, ceiling) || level.is_infinite() { Stop::Bounds(ceiling) } else { Stop::Full(level) }
    }

    /// Takes from `open` the flows that are stopped, and lowers `span` to the time the first of them needs.
    fn stop_flows(&mut self, flows: &mut Flows, id: u32, stop: Stop, open: &mut Vec<u32>, span: &mut f64) {
        let Components { pools, all, .. } = self;
        let component = &mut all[id as usize];
        open.retain(|&index| {
            let flow = &mut flows[index as usize];
            let Some(level) = stop.level_of(flow, pools) else { return true };
            (flow.level, flow.solver) = (level, Solver::Component(id));
            let needs = if flow.left > 0.0 { flow.left / level } else { 0.0 };
            if needs < *span || component.first == NONE {
                (*span, component.first) = (needs, index);
            }
            false
        });
    }

    /// Writes down what the flows stopped so far use, before the level rises on.
    fn fix_stopped(&mut self, flows: &Flows, messages: &Messages, id: u32) {
        let Components { pools, all, .. } = self;
        let component = &all[id as usize];
        let mut at = component.resources.first;
        while at != NONE {
            let pool = &mut pools[at as usize];
            pool.clear();
            at = pool.following();
        }
        let mut at = component.flows.first;
        while at != NONE {
            let flow = &flows[at as usize];
            if flow.solver != Solver::Undecided {
                let level = flow.level * messages.count(flow);
                flow.each_use(|used| pools[used.resource as usize].fixed += used.share * level);
            }
            at = flow.next;
        }
    }
}

impl Stop {
    /// The level at which it stops a flow, if it does.
    fn level_of(&self, flow: &Flow, pools: &[Pool]) -> Option<f64> {
        match *self {
            Stop::Bounds(ceiling) => (!above(flow.ceiling, ceiling)).then_some(flow.ceiling),
            Stop::Full(level) => {
                let full = |resource: u32| !above(pools[resource as usize].full_at, level);
                flow.uses().any(|used| full(used.resource)).then_some(level)
            }
        }
    }
}
