//! The interface: resources and flows are added, completions come out.
//!
//! Changes are only noted when they are made; the first question asked afterwards (or the first change at a
//! later date) solves for all of them at once.

use crate::class::Classes;
use crate::component::Components;
use crate::filling::Filling;
use crate::flow::{Account, Bottleneck, Footprint, NEVER, Use};
use crate::flows::Flows;
use crate::heap::{ABSENT, Heap};
use crate::list::NONE;
use crate::progress::Progress;
use crate::resource::{Resource, User};
use mpirage_prefetch::fetch;
use mpirage_units::Time;

/// How many flows ahead the place of a new one is fetched.
const AHEAD: usize = 3;

/// How the users of a resource share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The weighted rates of all users together stay below the capacity.
    Shared,
    /// The weighted rate of each user stays below the capacity, whatever the others do.
    FatPipe,
}

/// A resource of one [`Sharing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub(crate) u32);

/// A flow of one [`Sharing`]. Ids are never valid again after the flow has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// Flows that progress at max-min fair rates on shared resources.
///
/// Dates given to it must not go back.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    pub(crate) resources: Vec<Resource>,
    pub(crate) flows: Flows,
    /// What incremental sharing keeps of each; no longer than it must be.
    pub(crate) accounts: Vec<Account>,
    pub(crate) penalties: Vec<f64>,
    /// Where each flow is in the heap of its home.
    pub(crate) places: Vec<u32>,
    pub(crate) now: Time,
    pub(crate) filling: Filling,
    pub(crate) progress: Progress,
    pub(crate) components: Components,
    pub(crate) classes: Classes,
    vacant: Vec<u32>,
    started: u64,
    /// How many flows solves have looked at; tests see from it how costs grow.
    pub(crate) looked_at: u64,
    /// Capacities have changed, so that footprints made before may be wrong.
    pub(crate) recapped: bool,
}

impl Sharing {
    /// Nothing to share yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing to share yet, and no components ever: to test incremental sharing, or to measure it.
    pub fn without_components() -> Self {
        let mut sharing = Self::default();
        sharing.components.enabled = false;
        sharing
    }

    /// Adds a resource that carries `capacity` units per second (may be infinite).
    pub fn add_resource(&mut self, capacity: f64, kind: Kind) -> ResourceId {
        assert!(capacity >= 0.0, "a capacity of {capacity}");
        self.resources.push(Resource::new(capacity, kind));
        self.progress.date_places.push(ABSENT);
        ResourceId(self.resources.len() as u32 - 1)
    }

    /// From `now` on, `resource` carries `capacity` units per second.
    pub fn set_capacity(&mut self, now: Time, resource: ResourceId, capacity: f64) {
        assert!(capacity >= 0.0, "a capacity of {capacity}");
        self.reach(now);
        self.recapped = true;
        let changed = &mut self.resources[resource.0 as usize];
        // What rounding was under the old capacity may be much under the new one.
        (changed.capacity, changed.stale) = (capacity, true);
        match changed.component {
            NONE => {
                self.filling.disturbed.push(resource.0);
                self.filling.recapped.push(resource.0);
            }
            component => self.dissolve(component, false),
        }
    }

    /// Starts a flow: `work` units are to be done at a rate (units per second) of at most `bound`, which on
    /// contention is proportional to 1/`penalty`. `token` comes back from [`Sharing::collect`].
    pub fn start(
        &mut self,
        now: Time,
        work: f64,
        penalty: f64,
        bound: f64,
        uses: &[(ResourceId, f64)],
        token: u64,
    ) -> FlowId {
        let footprint = self.footprint(penalty, bound, uses);
        let flow = self.prepare(&footprint, work, token);
        self.launch(now, flow);
        flow
    }

    /// What flows ask that progress at a rate of at most `bound` units per second, on contention proportional to
    /// 1/`penalty`, with a weight on each resource. Good for any number of flows.
    pub fn footprint(&self, penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        self.measured(Footprint::new(penalty, bound, uses))
    }

    /// The same of resources of which none is named twice.
    pub fn footprint_of_distinct(&self, penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        self.measured(Footprint::of_distinct(penalty, bound, uses))
    }

    fn measured(&self, mut footprint: Footprint) -> Footprint {
        footprint.alone = self.level_alone(footprint.uses.iter().copied());
        footprint
    }

    /// Makes a flow that has not started: it uses nothing until [`Sharing::launch`].
    pub fn prepare(&mut self, footprint: &Footprint, work: f64, token: u64) -> FlowId {
        assert!(work >= 0.0, "work {work}");
        let index = self.vacancy();
        let flow = &mut self.flows[index as usize];
        (flow.token, flow.ceiling) = (token, footprint.ceiling);
        (flow.work, flow.left) = (work * footprint.penalty, work * footprint.penalty);
        flow.set_uses(&footprint.uses);
        self.penalties[index as usize] = footprint.penalty;
        FlowId { index, generation: flow.generation }
    }

    /// Starts a flow that was prepared.
    pub fn launch(&mut self, now: Time, flow: FlowId) {
        self.reach(now);
        let prepared = &mut self.flows[flow.index as usize];
        debug_assert!(prepared.generation == flow.generation && prepared.sequence == NEVER);
        prepared.sequence = self.started;
        self.started += 1;
        match self.find_alike(flow.index) {
            Some(alike) => self.join_class(alike, flow.index),
            None => self.components.fresh.push(flow),
        }
    }

    /// Ends a flow without completing it. An id that is no longer valid is ignored.
    pub fn cancel(&mut self, now: Time, flow: FlowId) {
        self.reach(now);
        if !self.is_alive(flow) {
            return;
        }
        let (message, carrier) = (flow.index, self.carrier(flow.index));
        if let Bottleneck::Component(component) = self.flows[carrier as usize].bottleneck {
            self.dissolve(component, false);
        }
        if self.has_class(carrier) { self.withdraw(carrier, message) } else { self.remove(carrier) }
    }

    /// Is there no flow at all?
    pub fn is_idle(&self) -> bool {
        self.vacant.len() == self.flows.len() && self.progress.finished.is_empty()
    }

    /// Date of the next completion if nothing changes before; never earlier than `now`. `None` if no flow
    /// will complete.
    pub fn next_completion(&mut self, now: Time) -> Option<Time> {
        self.reach(now);
        if !self.progress.finished.is_empty() {
            return Some(now);
        }
        self.solve();
        self.earliest().map(|date| date.max(now))
    }

    /// Appends to `done` the tokens of the flows that complete at or before `now`, by date and then in order of
    /// start, and forgets these flows. What they leave behind may let others complete at `now`, too:
    /// [`Sharing::next_completion`] says so.
    pub fn collect(&mut self, now: Time, done: &mut Vec<u64>) {
        self.reach(now);
        self.complete_now();
        done.append(&mut self.progress.finished);
    }

    /// The same without a list: `take` gets the tokens one by one.
    pub fn collect_each(&mut self, now: Time, take: impl FnMut(u64)) {
        self.reach(now);
        self.complete_now();
        self.progress.finished.drain(..).for_each(take);
    }

    /// The rate of a flow, in units per second; zero if it has ended.
    pub fn rate(&mut self, flow: FlowId) -> f64 {
        self.solve();
        if !self.is_alive(flow) {
            return 0.0;
        }
        let carrier = self.carrier(flow.index);
        self.level(carrier) / self.penalties[flow.index as usize]
    }

    /// What a resource carries: the weighted sum of its users' rates.
    pub fn load(&mut self, resource: ResourceId) -> f64 {
        self.solve();
        let users = &self.resources[resource.0 as usize].users;
        let load = |user: &User| user.share * self.count(user.flow) * self.level(user.flow);
        let listed: f64 = users.iter().map(load).sum();
        listed + self.component_load(resource.0)
    }

    /// The level of a flow as last decided.
    pub(crate) fn level(&self, flow: u32) -> f64 {
        self.flows[flow as usize].level_among(&self.resources)
    }

    /// Computes the level a flow would have alone.
    pub(crate) fn measure_alone(&mut self, flow: u32) {
        self.accounts[flow as usize].alone = self.level_alone(self.flows[flow as usize].uses());
    }

    pub(crate) fn level_alone(&self, uses: impl Iterator<Item = Use>) -> f64 {
        let levels = uses.map(|used| self.resources[used.resource as usize].capacity / used.share);
        levels.fold(f64::INFINITY, f64::min)
    }

    /// Is the message under way that this flow was made for?
    fn is_alive(&self, id: FlowId) -> bool {
        self.exists(id) && !self.has_own_ended(id.index)
    }

    /// Is the flow under way, with its own message or others?
    pub(crate) fn exists(&self, id: FlowId) -> bool {
        self.flows[id.index as usize].generation == id.generation
    }

    pub(crate) fn id(&self, index: u32) -> FlowId {
        FlowId { index, generation: self.flows[index as usize].generation }
    }

    fn vacancy(&mut self) -> u32 {
        // Its last use is long ago, as a rule.
        if let Some(&later) = self.vacant.len().checked_sub(1 + AHEAD).and_then(|at| self.vacant.get(at)) {
            fetch(&self.flows[later as usize]);
        }
        self.vacant.pop().unwrap_or_else(|| {
            self.places.push(ABSENT);
            self.penalties.push(1.0);
            self.flows.add()
        })
    }

    /// From now on a flow is shared incrementally.
    pub(crate) fn open_books(&mut self, index: u32) {
        if self.accounts.len() <= index as usize {
            self.accounts.resize(index as usize + 1, Account::default());
        }
        let account = &mut self.accounts[index as usize];
        (account.since, account.reserved) = (self.now, 0.0);
        self.measure_alone(index);
    }

    /// Puts a flow on the lists of its resources.
    pub(crate) fn enlist(&mut self, index: u32) {
        self.flows[index as usize].listed = true;
        let slots = &mut self.accounts[index as usize].slots;
        slots.clear();
        for (nth, used) in self.flows[index as usize].uses().enumerate() {
            let resource = &mut self.resources[used.resource as usize];
            slots.push(resource.users.len() as u32);
            resource.users.push(User { flow: index, nth: nth as u32, share: used.share });
            resource.listed += 1;
            resource.newcomers += 1;
        }
    }

    /// Takes a flow out of everything; what it leaves behind is shared at the next solve.
    pub(crate) fn remove(&mut self, index: u32) {
        if self.flows[index as usize].listed {
            self.strike_from_accounts(index);
            self.leave_home(index);
            self.strike_from_lists(index);
        }
        self.vacate(index);
    }

    fn strike_from_lists(&mut self, index: u32) {
        for nth in 0..self.use_count(index) {
            let used = self.nth_use(index, nth);
            let slot = self.accounts[index as usize].slots[nth];
            let resource = &mut self.resources[used.resource as usize];
            resource.listed -= 1;
            resource.users.swap_remove(slot as usize);
            if let Some(moved) = resource.users.get(slot as usize) {
                self.accounts[moved.flow as usize].slots[moved.nth as usize] = slot;
            }
            if self.resources[used.resource as usize].listed == 0 {
                self.rest(used.resource);
            }
        }
    }

    /// No flow uses a resource any more: it is free for any component.
    fn rest(&mut self, index: u32) {
        let resource = self.resource(index);
        (resource.active, resource.reserved_load) = (false, 0.0);
        self.unschedule_group(index);
    }

    /// Makes room for another flow.
    #[inline]
    pub(crate) fn vacate(&mut self, index: u32) {
        let flow = &mut self.flows[index as usize];
        flow.generation = flow.generation.wrapping_add(1);
        (flow.sequence, flow.bottleneck) = (NEVER, Bottleneck::Unknown);
        (flow.free, flow.listed) = (false, false);
        if flow.class != NONE {
            self.vacate_class(index);
        }
        self.vacant.push(index);
    }

    /// Comes to the date `now`, through all completions before it.
    #[inline]
    fn reach(&mut self, now: Time) {
        assert!(now >= self.now, "the date goes back from {} to {now}", self.now);
        if now > self.now {
            self.complete_before(now);
            self.now = now;
        }
    }
}

impl Default for Heap<Time> {
    fn default() -> Self {
        Heap::new()
    }
}
