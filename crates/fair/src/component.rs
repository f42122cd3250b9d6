//! Components: flows that share resources with each other and with nobody else.
//!
//! Most traffic falls apart into pieces that are small or regular: a message alone on its way, two ranks that
//! swap, a thousand neighbours that all do the same. Such a piece is solved whole and from scratch (`whole`); it
//! has one date, that of the first flow that ends, and its resources keep no accounts.
//!
//! ```text
//!   launched ──▶ gathered by the resources they use ──▶ solved whole ──▶ all end at once: gone
//!                    ▲               │                     │  └──▶ some end: the rest is gathered anew
//!                    └───────────────┼── a newcomer joins ─┘
//!                                    └──▶ large and uneven: incremental from now on (`filling`)
//! ```
//!
//! A resource is used by the flows of one component, or by flows that are shared incrementally, never by both.

use crate::flow::{Bottleneck, Use};
use crate::heap::{ABSENT, Heap};
use crate::list::{IntrusiveList, NONE};
use crate::sharing::{FlowId, Sharing};
use mpirage_units::Time;

/// Up to this size a component may be solved anew at every change.
pub(crate) const SMALL: u32 = 16;
/// A larger one only if at least one in so many of its flows has come or gone.
const WORTHWHILE: u32 = 8;
/// Or so many times at fewer changes: to keep accounts of all its flows costs more than a few solves.
const SPARE_SOLVES: u32 = 6;

/// All components, and the flows that look for one.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    pub all: Vec<Component>,
    vacant: Vec<u32>,
    /// Flows to be gathered.
    pub fresh: Vec<FlowId>,
    /// Flows of solved components that have got another message.
    pub joined: Vec<FlowId>,
    /// Components that the solve under way has gathered, those merged into others included.
    gathered: Vec<u32>,
    /// Components by the date at which something of them ends.
    pub dates: Heap<Time>,
    pub places: Vec<u32>,
    /// What components that were taken apart since the last solve hand on.
    spare_solves: u32,
    /// Reused list of flows.
    pub open: Vec<u32>,
    /// Without components everything is shared incrementally.
    pub enabled: bool,
}

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// The component it was merged into while gathering; itself otherwise.
    parent: u32,
    pub flows: IntrusiveList,
    pub resources: IntrusiveList,
    pub size: u32,
    /// The lowest ceiling of its flows.
    pub ceiling: f64,
    /// The solve that gathered it last.
    solve: u64,
    /// Something about it is to be shared incrementally, so all of it is.
    general: bool,
    /// How often its flows were solved anew for few changes.
    spare_solves: u32,
    /// When it was solved: its flows had `left` left then.
    pub since: Time,
    /// The flow that ends first.
    pub first: u32,
}

impl Default for Components {
    fn default() -> Components {
        Components {
            all: Vec::new(),
            vacant: Vec::new(),
            fresh: Vec::new(),
            joined: Vec::new(),
            gathered: Vec::new(),
            dates: Heap::new(),
            places: Vec::new(),
            spare_solves: 0,
            open: Vec::new(),
            enabled: true,
        }
    }
}

impl Components {
    /// Is there nothing to solve?
    pub fn is_settled(&self) -> bool {
        self.fresh.is_empty() && self.joined.is_empty()
    }
}

impl Sharing {
    /// Brings every flow that has none into a component, and decides what becomes of these components.
    pub(crate) fn solve_components(&mut self) {
        let mut nth = 0;
        while let Some(&flow) = self.components.fresh.get(nth) {
            nth += 1;
            if self.exists(flow) {
                self.join_component(flow.index);
            }
        }
        nth = 0;
        while let Some(&flow) = self.components.joined.get(nth) {
            nth += 1;
            if let Bottleneck::Component(id) = self.flows[flow.index as usize].bottleneck
                && self.exists(flow)
            {
                self.open_component(id);
            }
        }
        self.components.fresh.clear();
        self.components.joined.clear();
        let mut gathered = std::mem::take(&mut self.components.gathered);
        for id in gathered.drain(..) {
            if self.components.all[id as usize].parent != id {
                self.components.vacant.push(id);
            } else if self.components.all[id as usize].general || !self.solve_whole(id) {
                self.share_incrementally(id);
            }
        }
        self.components.gathered = gathered;
        self.components.spare_solves = 0;
    }

    /// A flow looks for the component of its resources, or makes one.
    fn join_component(&mut self, flow: u32) {
        let component = self.component_for(flow);
        let Sharing { flows, resources, components, classes, .. } = self;
        let chosen = &mut components.all[component as usize];
        chosen.flows.push(flows, flow);
        let joining = &flows[flow as usize];
        chosen.size += 1;
        if joining.ceiling < chosen.ceiling {
            chosen.ceiling = joining.ceiling;
        }
        chosen.general |= joining.bottleneck == Bottleneck::Uneven;
        let count = classes.count(joining);
        joining.each_use(|Use { resource: index, share }| {
            let resource = &mut resources[index as usize];
            if resource.listed > 0 {
                chosen.general = true;
            } else if resource.component == NONE {
                (resource.component, resource.fixed, resource.open_share) = (component, 0.0, 0.0);
                resource.open_whole(share, count);
                chosen.resources.push_front(resources, index);
            } else {
                resource.open_whole(share, count);
            }
        });
    }

    /// The component that uses some resource of a flow, or a new one.
    fn component_for(&mut self, flow: u32) -> u32 {
        let (mut label, mut others) = (NONE, false);
        self.flows[flow as usize].each_use(|used| {
            let found = self.resources[used.resource as usize].component;
            if found != label && found != NONE {
                others |= label != NONE;
                label = found;
            }
        });
        match label {
            NONE => self.new_component(),
            _ if others => self.unite_components(flow),
            only => self.open_component(only),
        }
    }

    /// Makes one component of all that use resources of a flow.
    fn unite_components(&mut self, flow: u32) -> u32 {
        let mut component = NONE;
        for nth in 0..self.use_count(flow) {
            let label = self.resources[self.nth_use(flow, nth).resource as usize].component;
            if label != component && label != NONE {
                let found = self.open_component(label);
                component = if component == NONE { found } else { self.merge(component, found) };
            }
        }
        component
    }

    /// The component that `label` belongs to, ready to be joined.
    fn open_component(&mut self, label: u32) -> u32 {
        let mut id = label;
        while self.components.all[id as usize].parent != id {
            id = self.components.all[id as usize].parent;
        }
        if self.components.all[id as usize].solve != self.filling.solve {
            self.reopen(id);
        }
        id
    }

    /// A component that was solved before is gathered again.
    fn reopen(&mut self, id: u32) {
        self.take_progress(id);
        let newcomers = (self.components.fresh.len() + self.components.joined.len()) as u32;
        let component = &mut self.components.all[id as usize];
        component.solve = self.filling.solve;
        component.general = !component.is_worthwhile(component.size, newcomers);
        self.components.gathered.push(id);
        self.open_all(id);
    }

    fn merge(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let Sharing { flows, resources, components, .. } = self;
        let larger = if components.all[a as usize].size < components.all[b as usize].size { b } else { a };
        let smaller = a ^ b ^ larger;
        let other = components.all[smaller as usize].clone();
        components.all[smaller as usize].parent = larger;
        let component = &mut components.all[larger as usize];
        component.flows.append(flows, other.flows);
        component.resources.append(resources, other.resources);
        component.size += other.size;
        component.ceiling = component.ceiling.min(other.ceiling);
        component.general |= other.general;
        component.spare_solves = component.spare_solves.max(other.spare_solves);
        larger
    }

    fn new_component(&mut self) -> u32 {
        let id = self.components.vacant.pop().unwrap_or(self.components.all.len() as u32);
        let component = Component {
            parent: id,
            flows: IntrusiveList::EMPTY,
            resources: IntrusiveList::EMPTY,
            size: 0,
            ceiling: f64::INFINITY,
            solve: self.filling.solve,
            general: !self.components.enabled,
            spare_solves: self.components.spare_solves,
            since: self.now,
            first: NONE,
        };
        match self.components.all.get_mut(id as usize) {
            Some(vacant) => *vacant = component,
            None => {
                self.components.all.push(component);
                self.components.places.push(ABSENT);
            }
        }
        self.components.gathered.push(id);
        id
    }

    /// Takes off from each flow what it has done since the component was solved, and the component from the calendar.
    pub(crate) fn take_progress(&mut self, id: u32) {
        let Sharing { flows, components, now, looked_at, .. } = self;
        let component = &mut components.all[id as usize];
        let passed = now.since(std::mem::replace(&mut component.since, *now));
        *looked_at += u64::from(component.size);
        let mut at = if passed.is_zero() { NONE } else { component.flows.first };
        while at != NONE {
            let flow = &mut flows[at as usize];
            flow.left = flow.left_after(passed).max(0.0);
            at = flow.next;
        }
        self.unschedule_component(id);
    }

    /// Takes a solved component of which some flows have ended apart.
    pub(crate) fn dissolve_rest(&mut self, id: u32, ended: u32) {
        let component = &mut self.components.all[id as usize];
        let worthwhile = component.is_worthwhile(component.size - ended, ended);
        let spare_solves = component.spare_solves;
        self.components.spare_solves = self.components.spare_solves.max(spare_solves);
        self.dissolve(id, !worthwhile);
    }

    /// Takes a solved component apart: its flows are to be gathered anew, or shared incrementally if `hard`.
    pub(crate) fn dissolve(&mut self, id: u32, hard: bool) {
        self.take_progress(id);
        let mut at = self.components.all[id as usize].flows.first;
        while at != NONE {
            let flow = &mut self.flows[at as usize];
            flow.bottleneck = if hard { Bottleneck::Uneven } else { Bottleneck::Unknown };
            self.components.fresh.push(FlowId { index: at, generation: flow.generation });
            at = flow.next;
        }
        self.vacate_component(id);
    }

    /// Hands all flows of a component over to incremental sharing.
    fn share_incrementally(&mut self, id: u32) {
        let mut at = self.components.all[id as usize].flows.first;
        self.vacate_component(id);
        while at != NONE {
            let flow = &mut self.flows[at as usize];
            let next = flow.next;
            (flow.bottleneck, flow.free) = (Bottleneck::Unknown, true);
            self.filling.newcomers.push((at, flow.sequence));
            self.open_books(at);
            self.enlist(at);
            at = next;
        }
    }

    /// The component has no flows any more.
    pub(crate) fn vacate_component(&mut self, id: u32) {
        let mut at = self.components.all[id as usize].resources.first;
        while at != NONE {
            let resource = &mut self.resources[at as usize];
            resource.component = NONE;
            at = resource.next;
        }
        self.components.vacant.push(id);
    }
}

impl Component {
    /// Is it worth to solve its `size` flows anew when so many have come or gone? If not, a spare solve is used up.
    fn is_worthwhile(&mut self, size: u32, changed: u32) -> bool {
        if size <= SMALL || size / WORTHWHILE <= changed {
            return true;
        }
        self.spare_solves += 1;
        self.spare_solves <= SPARE_SOLVES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    /// Every host of a torus sends to four neighbours, in an order that differs from round to round.
    #[test]
    fn components_are_used_again() {
        let mut sharing = Sharing::new();
        let links: Vec<_> = (0..128).map(|_| sharing.add_resource(1e6, Kind::Shared)).collect();
        let mut now = Time::ZERO;
        let mut done = Vec::new();
        for round in 0..40 {
            for nth in 0..256 {
                let (from, step) = ((nth / 4 * (2 * round + 1)) % 64, [1, 8, 63, 56][nth % 4]);
                let uses = [(links[from], 1.0), (links[64 + (from + step) % 64], 1.0)];
                sharing.start(now, 1e3, 1.0, 1e6, &uses, 0);
            }
            while let Some(date) = sharing.next_completion(now) {
                now = date;
                sharing.collect(now, &mut done);
            }
            assert_eq!(sharing.components.vacant.len(), sharing.components.all.len());
        }
        assert_eq!(done.len(), 40 * 256);
        assert!(sharing.components.all.len() <= 64, "{}", sharing.components.all.len());
    }
}
