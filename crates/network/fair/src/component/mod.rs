//! Components: flows that share resources with each other and with no other flow.
//!
//! Most traffic falls apart into components that are small or regular: one message that shares no link, two ranks that
//! swap, a thousand neighbours that all do the same. A component is solved whole and from scratch (`fill`); it
//! has one date, that of the first flow that ends (`end`), and keeps nothing per resource between solves (`pool`).
//!
//! ```text
//!   launched ──▶ gathered by the resources they use ──▶ solved whole ──▶ all end at once: gone
//!                    ▲               │                     │  └──▶ some end: the rest is gathered anew, or stays together
//!                    └───────────────┼── a newcomer joins ─┘
//!                                    └──▶ large and uneven: handed over to incremental sharing
//! ```
//!
//! A resource is used by the flows of one component, or by flows that are shared incrementally, never by both.

mod end;
mod fill;
mod pool;

use crate::flow::{Flow, FlowId, Solver, Use};
use crate::flows::Flows;
use crate::heap::{ABSENT, Heap};
use crate::list::{IntrusiveList, NONE};
use crate::messages::Messages;
use crate::resource::SharingPolicy;
use mpirage_units::Time;
use pool::Pool;

/// Up to this size a component may be solved anew at every change.
const SMALL: u32 = 16;
/// A larger one only if at least one in so many of its flows has come or gone.
const WORTHWHILE: u32 = 64;
/// Or so many times at fewer changes: to keep accounts of all its flows costs more than a few solves.
const SPARE_SOLVES: u32 = 6;

/// All components, and the flows that look for one.
#[derive(Clone, Debug)]
pub(crate) struct Components {
    pools: Vec<Pool>,
    all: Vec<Component>,
    vacant: Vec<u32>,
    /// Flows to be gathered.
    fresh: Vec<FlowId>,
    /// Flows of solved components that have got another message.
    joined: Vec<FlowId>,
    /// Components of which some flows have ended, and whose rest stays together.
    loosened: Vec<u32>,
    /// Does the rest of a component stay together when some of its flows end?
    keeps_rest: bool,
    /// Components that the solve under way has gathered, those merged into others included.
    gathered: Vec<u32>,
    /// Components by the date at which something of them ends.
    dates: Heap<Time>,
    places: Vec<u32>,
    now: Time,
    /// The solve under way, or the last one.
    solve: u64,
    /// The spare solves that components used up which were taken apart since the last solve.
    spare_solves: u32,
    /// Reused list of flows.
    open: Vec<u32>,
    /// Without components everything is shared incrementally.
    enabled: bool,
    looked_at: u64,
}

/// Flows that share resources with each other.
#[derive(Clone, Debug)]
struct Component {
    /// The component it was merged into while gathering; itself otherwise.
    parent: u32,
    flows: IntrusiveList,
    resources: IntrusiveList,
    size: u32,
    /// The most flows it has had since it was gathered.
    most: u32,
    /// Have some of its flows ended since it was solved?
    is_loose: bool,
    /// The lowest ceiling of its flows.
    ceiling: f64,
    /// The solve that gathered it last.
    solve: u64,
    /// Some flow or resource of it is shared incrementally, so all of it must be.
    uneven: bool,
    /// How often its flows were solved anew for few changes.
    spare_solves: u32,
    /// When it was solved: its flows had `left` left then.
    since: Time,
    /// The flow that ends first.
    first: u32,
}

impl Default for Components {
    fn default() -> Components {
        Components {
            pools: Vec::new(),
            all: Vec::new(),
            vacant: Vec::new(),
            fresh: Vec::new(),
            joined: Vec::new(),
            loosened: Vec::new(),
            keeps_rest: false,
            gathered: Vec::new(),
            dates: Heap::new(),
            places: Vec::new(),
            now: Time::ZERO,
            solve: 0,
            spare_solves: 0,
            open: Vec::new(),
            enabled: true,
            looked_at: 0,
        }
    }
}

impl Components {
    /// From here on, everything is shared incrementally.
    pub fn disable(&mut self) {
        self.enabled = false;
    }

    /// From here on, the rest of a component stays together when some of its flows end. Its levels are the same but for rounding.
    pub fn keep_rest(&mut self) {
        self.keeps_rest = true;
    }

    pub fn add_resource(&mut self, capacity: f64, kind: SharingPolicy) {
        self.pools.push(Pool::new(capacity, kind));
    }

    /// Changes a capacity; what the component of the resource was solved to is wrong then.
    pub fn set_capacity(&mut self, flows: &mut Flows, resource: u32, capacity: f64) {
        let pool = &mut self.pools[resource as usize];
        pool.capacity = capacity;
        let component = pool.component;
        if component != NONE {
            self.dissolve(flows, component, Solver::Undecided);
        }
    }

    /// The level that a flow with these uses has alone.
    pub fn level_alone(&self, uses: impl Iterator<Item = Use>) -> f64 {
        let levels = uses.map(|used| self.pools[used.resource as usize].capacity / used.share);
        levels.fold(f64::INFINITY, f64::min)
    }

    /// A flow starts: it will be gathered.
    pub fn launch(&mut self, flow: FlowId) {
        self.fresh.push(flow);
    }

    /// A flow of a solved component has got another message.
    pub fn note_joined(&mut self, flow: FlowId) {
        self.joined.push(flow);
    }

    /// From here on, a flow is shared incrementally.
    pub fn lend(&mut self, flow: &Flow) {
        flow.each_use(|used| self.pools[used.resource as usize].incremental_users += 1);
    }

    /// A flow that was shared incrementally has ended.
    pub fn take_back(&mut self, flow: &Flow) {
        flow.each_use(|used| self.pools[used.resource as usize].incremental_users -= 1);
    }

    /// How many flows solves have looked at.
    #[cfg(test)]
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    #[cfg(test)]
    pub fn count_made(&self) -> usize {
        self.all.len()
    }

    #[cfg(test)]
    pub fn count_used(&self) -> usize {
        self.all.len() - self.vacant.len()
    }

    /// From here on it is `now`.
    pub fn set_now(&mut self, now: Time) {
        self.now = now;
    }

    /// Is there nothing to solve?
    pub fn is_settled(&self) -> bool {
        self.fresh.is_empty() && self.joined.is_empty() && self.loosened.is_empty()
    }

    /// Brings every flow that has none into a component, and solves these components. Flows of those that are too uneven are
    /// appended to `uneven`.
    pub fn solve(&mut self, flows: &mut Flows, messages: &Messages, uneven: &mut Vec<u32>) {
        self.solve += 1;
        while let Some(id) = self.loosened.pop() {
            if std::mem::take(&mut self.all[id as usize].is_loose) {
                self.regather(flows, messages, id);
            }
        }
        for nth in 0..self.fresh.len() {
            let flow = self.fresh[nth];
            if flows.exists(flow) {
                self.join(flows, messages, flow.index);
            }
        }
        for nth in 0..self.joined.len() {
            let flow = self.joined[nth];
            if let Solver::Component(id) = flows[flow.index as usize].solver
                && flows.exists(flow)
            {
                self.open(flows, messages, id);
            }
        }
        self.fresh.clear();
        self.joined.clear();
        let mut gathered = std::mem::take(&mut self.gathered);
        for id in gathered.drain(..) {
            if self.all[id as usize].parent != id {
                self.vacant.push(id);
            } else if self.all[id as usize].uneven || !self.solve_whole(flows, messages, id) {
                self.hand_over(flows, id, uneven);
            }
        }
        self.gathered = gathered;
        self.spare_solves = 0;
    }

    /// A flow looks for the component of its resources, or makes one.
    fn join(&mut self, flows: &mut Flows, messages: &Messages, flow: u32) {
        let component = self.component_for(flows, messages, flow);
        let Components { pools, all, .. } = self;
        let chosen = &mut all[component as usize];
        chosen.flows.push(flows, flow);
        let joining = &flows[flow as usize];
        chosen.size += 1;
        chosen.most = chosen.most.max(chosen.size);
        if joining.ceiling < chosen.ceiling {
            chosen.ceiling = joining.ceiling;
        }
        chosen.uneven |= joining.solver == Solver::Uneven;
        let count = messages.count(joining);
        joining.each_use(|Use { resource: index, share }| {
            let pool = &mut pools[index as usize];
            if pool.incremental_users > 0 {
                chosen.uneven = true;
            } else if pool.component == NONE {
                pool.component = component;
                pool.clear();
                pool.open(share, count);
                chosen.resources.push_front(pools, index);
            } else {
                pool.open(share, count);
            }
        });
    }

    /// The component that uses some resource of a flow, or a new one.
    fn component_for(&mut self, flows: &mut Flows, messages: &Messages, flow: u32) -> u32 {
        // The lowest number, and the highest plus one: there is no number above that of none.
        let (mut lowest, mut above) = (NONE, 0);
        flows[flow as usize].each_use(|used| {
            let found = self.pools[used.resource as usize].component;
            (lowest, above) = (lowest.min(found), above.max(found.wrapping_add(1)));
        });
        match lowest {
            NONE => self.add(),
            only if above == only + 1 => self.open(flows, messages, only),
            _ => self.unite(flows, messages, flow),
        }
    }

    /// Makes one component of all that use resources of a flow.
    fn unite(&mut self, flows: &mut Flows, messages: &Messages, flow: u32) -> u32 {
        let mut component = NONE;
        for nth in 0..flows[flow as usize].use_count() {
            let label = self.pools[flows[flow as usize].nth_use(nth).resource as usize].component;
            if label != component && label != NONE {
                let found = self.open(flows, messages, label);
                component = if component == NONE { found } else { self.merge(flows, component, found) };
            }
        }
        component
    }

    /// The component that `label` belongs to, ready to be joined.
    fn open(&mut self, flows: &mut Flows, messages: &Messages, label: u32) -> u32 {
        let mut id = label;
        while self.all[id as usize].parent != id {
            id = self.all[id as usize].parent;
        }
        if self.all[id as usize].solve != self.solve {
            self.reopen(flows, messages, id);
        }
        id
    }

    /// A component that was solved before is gathered again.
    fn reopen(&mut self, flows: &mut Flows, messages: &Messages, id: u32) {
        self.take_progress(flows, id);
        let newcomers = (self.fresh.len() + self.joined.len()) as u32;
        let component = &mut self.all[id as usize];
        component.solve = self.solve;
        component.uneven = !component.is_worthwhile(component.size, newcomers);
        self.gathered.push(id);
        self.open_all(flows, messages, id);
    }

    /// The rest of a component is gathered as it is, with the resources that its flows use.
    fn regather(&mut self, flows: &mut Flows, messages: &Messages, id: u32) {
        self.take_progress(flows, id);
        self.open_all(flows, messages, id);
        let Components { pools, all, gathered, .. } = self;
        let component = &mut all[id as usize];
        (component.solve, component.uneven) = (self.solve, false);
        gathered.push(id);
        component.resources.retain(pools, |pools, resource| {
            let pool = &mut pools[resource as usize];
            if !pool.is_open() {
                pool.component = NONE;
            }
            pool.is_open()
        });
    }

    fn merge(&mut self, flows: &mut Flows, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let Components { pools, all, .. } = self;
        let larger = if all[a as usize].size < all[b as usize].size { b } else { a };
        let smaller = a ^ b ^ larger;
        let other = all[smaller as usize].clone();
        all[smaller as usize].parent = larger;
        let component = &mut all[larger as usize];
        component.flows.append(flows, other.flows);
        component.resources.append(pools, other.resources);
        component.size += other.size;
        component.most = component.most.max(component.size);
        component.ceiling = component.ceiling.min(other.ceiling);
        component.uneven |= other.uneven;
        component.spare_solves = component.spare_solves.max(other.spare_solves);
        larger
    }

    fn add(&mut self) -> u32 {
        let id = self.vacant.pop().unwrap_or(self.all.len() as u32);
        let component = Component {
            parent: id,
            flows: IntrusiveList::EMPTY,
            resources: IntrusiveList::EMPTY,
            size: 0,
            most: 0,
            is_loose: false,
            ceiling: f64::INFINITY,
            solve: self.solve,
            uneven: !self.enabled,
            spare_solves: self.spare_solves,
            since: self.now,
            first: NONE,
        };
        match self.all.get_mut(id as usize) {
            Some(vacant) => *vacant = component,
            None => {
                self.all.push(component);
                self.places.push(ABSENT);
            }
        }
        self.gathered.push(id);
        id
    }

    /// Takes off from each flow what it has done since the component was solved, and the component from the calendar.
    pub fn take_progress(&mut self, flows: &mut Flows, id: u32) {
        let component = &mut self.all[id as usize];
        let passed = self.now.since(std::mem::replace(&mut component.since, self.now));
        self.looked_at += u64::from(component.size);
        let mut at = if passed.is_zero() { NONE } else { component.flows.first };
        while at != NONE {
            let flow = &mut flows[at as usize];
            flow.left = flow.left_after(passed).max(0.0);
            at = flow.next;
        }
        self.unschedule(id);
    }

    /// Takes a solved component apart. Its flows are to be gathered anew; `solver` says how.
    pub fn dissolve(&mut self, flows: &mut Flows, id: u32, solver: Solver) {
        self.take_progress(flows, id);
        let mut at = self.all[id as usize].flows.first;
        while at != NONE {
            let flow = &mut flows[at as usize];
            flow.solver = solver;
            self.fresh.push(FlowId { index: at, generation: flow.generation });
            at = flow.next;
        }
        self.vacate(id);
    }

    /// Hands all flows of a component over to incremental sharing.
    fn hand_over(&mut self, flows: &mut Flows, id: u32, uneven: &mut Vec<u32>) {
        let mut at = self.all[id as usize].flows.first;
        self.vacate(id);
        while at != NONE {
            let flow = &mut flows[at as usize];
            flow.solver = Solver::Incremental;
            uneven.push(at);
            self.lend(flow);
            at = flow.next;
        }
    }

    /// The component has no flows any more.
    fn vacate(&mut self, id: u32) {
        self.all[id as usize].is_loose = false;
        let mut at = self.all[id as usize].resources.first;
        while at != NONE {
            let pool = &mut self.pools[at as usize];
            pool.component = NONE;
            at = pool.following();
        }
        self.vacant.push(id);
    }
}

impl Component {
    /// Is it worth solving its `size` flows anew when so many have come or gone? If not, a spare solve is used up.
    fn is_worthwhile(&mut self, size: u32, changed: u32) -> bool {
        if size <= SMALL || size / WORTHWHILE <= changed {
            return true;
        }
        self.spare_solves += 1;
        self.spare_solves <= SPARE_SOLVES
    }
}
