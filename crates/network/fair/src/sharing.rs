//! The interface: resources and flows are added, completions come out.
//!
//! Changes are only noted when they are made; the first question asked afterwards (or the first change at a
//! later date) solves for all of them at once.

use crate::component::Components;
use crate::flow::{FlowId, Footprint, NEVER, Solver};
use crate::flows::Flows;
use crate::incremental::{First, Incremental};
use crate::messages::{ClassMessage, Messages, Withdrawn};
use crate::resource::{ResourceId, SharingPolicy};
use mpirage_units::Time;

/// Flows that progress at max-min fair rates on shared resources.
///
/// Dates given to it must not go back.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    flows: Flows,
    messages: Messages,
    components: Components,
    incremental: Incremental,
    now: Time,
    resources: u32,
    started: u64,
    /// Flows that end keep their place until the caller ends them or lets them go on.
    keeps_ended: bool,
    /// Reused list of flows on their way from components to incremental sharing.
    uneven: Vec<u32>,
}

impl Sharing {
    /// Nothing to share yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing to share yet, and no components ever: to test incremental sharing, or to measure it.
    pub fn without_components() -> Self {
        let mut sharing = Self::default();
        sharing.components.disable();
        sharing
    }

    /// The same with a tolerance; 0 is exact. Where many flows depend on each other, the users of a bottleneck leave up to this part of
    /// what they could get unused, so that most changes end there instead of reaching all flows; and a flow that has no more than
    /// this part of its work left when another ends may end with it. No resource carries more than its capacity.
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        assert!((0.0..1.0).contains(&tolerance), "a tolerance of {tolerance}");
        self.incremental.set_tolerance(tolerance);
        self
    }

    /// A flow that has no more than this part of its work left when another ends may end with it. Flows that depended on each other are
    /// solved together as long as most of them are there.
    pub fn ending_together(mut self, part: f64) -> Self {
        self.incremental.set_negligible(part);
        self.components.keep_rest();
        self
    }

    /// The same where most flows go on when they have done their work. Where possible, a flow whose token was collected keeps its place: the caller
    /// says at the same date whether it goes on ([`Sharing::go_on`]) or ends ([`Sharing::cancel`]).
    pub fn keeping_ended(mut self) -> Self {
        self.keeps_ended = true;
        self
    }

    /// Adds a resource that carries `capacity` units per second (may be infinite).
    pub fn add_resource(&mut self, capacity: f64, kind: SharingPolicy) -> ResourceId {
        assert!(capacity >= 0.0, "a capacity of {capacity}");
        self.components.add_resource(capacity, kind);
        self.incremental.add_resource(capacity, kind);
        self.resources += 1;
        ResourceId(self.resources - 1)
    }

    /// From `now` on, `resource` carries `capacity` units per second. Footprints that were made before are wrong then.
    pub fn set_capacity(&mut self, now: Time, resource: ResourceId, capacity: f64) {
        assert!(capacity >= 0.0, "a capacity of {capacity}");
        self.reach(now);
        self.components.set_capacity(&mut self.flows, resource.0, capacity);
        self.incremental.set_capacity(resource.0, capacity);
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

    /// The footprint of flows whose rate is at most `bound` units per second and on contention proportional to
    /// 1/`penalty`, with a weight on each resource. Any number of flows can use it.
    pub fn footprint(&self, penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        self.measured(Footprint::new(penalty, bound, uses))
    }

    /// The same for resources none of which is named twice.
    pub fn footprint_of_distinct(&self, penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        self.measured(Footprint::of_distinct(penalty, bound, uses))
    }

    fn measured(&self, mut footprint: Footprint) -> Footprint {
        footprint.alone = self.components.level_alone(footprint.uses.iter().copied());
        footprint
    }

    /// Makes a flow that has not started: it uses nothing until [`Sharing::launch`].
    #[inline(always)]
    pub fn prepare(&mut self, footprint: &Footprint, work: f64, token: u64) -> FlowId {
        assert!(work >= 0.0, "work {work}");
        self.flows.prepare(footprint, work, token)
    }

    /// Starts a flow that was prepared.
    #[inline(always)]
    pub fn launch(&mut self, now: Time, flow: FlowId) {
        self.reach(now);
        let prepared = &mut self.flows[flow.index as usize];
        debug_assert!(prepared.generation == flow.generation && prepared.sequence == NEVER);
        prepared.sequence = self.started;
        self.started += 1;
        match self.messages.find_alike(&self.flows, flow.index) {
            Some(alike) => self.join(alike, flow.index),
            None => self.components.launch(flow),
        }
    }

    /// A flow whose token was collected has more work to do. False if it has not kept its place: then it must start anew.
    pub fn go_on(&mut self, flow: FlowId, work: f64) -> bool {
        let is_incremental = |index: u32| self.flows[index as usize].solver == Solver::Incremental;
        let stays = self.flows.exists(flow)
            && is_incremental(flow.index)
            && self.incremental.is_suspended(flow.index);
        if stays {
            self.incremental.go_on(flow.index, work * self.flows.penalty(flow.index));
        }
        stays
    }

    /// A message that starts joins a flow that is under way.
    #[inline(never)]
    fn join(&mut self, flow: u32, message: u32) {
        let left = self.left(flow);
        if left.is_infinite() {
            // The other flow has ended, and keeps its place for its own message.
            return self.components.launch(self.flows.id(message));
        }
        let first = self.messages.join(&mut self.flows, flow, left, message);
        match self.flows[flow as usize].solver {
            Solver::Component(_) => self.components.note_joined(self.flows.id(flow)),
            Solver::Incremental => self.recount(flow),
            _ => {}
        }
        if let Some(first) = first {
            self.set_first(flow, first, first.work - left);
            self.flows[flow as usize].left = first.work;
        }
    }

    /// The work left of a flow's first message.
    fn left(&mut self, flow: u32) -> f64 {
        match self.flows[flow as usize].solver {
            Solver::Component(id) => self.components.take_progress(&mut self.flows, id),
            Solver::Incremental => return self.incremental.left(flow),
            _ => {}
        }
        self.flows[flow as usize].left
    }

    /// The flow's first message changed; the new one has `more` work left than the old one.
    fn set_first(&mut self, flow: u32, message: ClassMessage, more: f64) {
        let first = &mut self.flows[flow as usize];
        (first.work, first.sequence) = (message.work, message.due.sequence);
        match first.solver {
            Solver::Incremental => {
                let first = First { work: message.work, sequence: message.due.sequence };
                self.incremental.set_first(flow, first, more);
            }
            _ => first.left += more,
        }
    }

    /// Tells incremental sharing how many messages a flow has.
    fn recount(&mut self, flow: u32) {
        let changed = &self.flows[flow as usize];
        self.incremental.set_count(flow, changed.uses(), self.messages.count(changed));
    }

    /// Ends a flow without completing it. An id that is no longer valid is ignored.
    pub fn cancel(&mut self, now: Time, flow: FlowId) {
        self.reach(now);
        if !self.is_alive(flow) {
            return;
        }
        let (message, carrier) = (flow.index, self.flows.carrier(flow.index));
        if let Solver::Component(component) = self.flows[carrier as usize].solver {
            self.components.dissolve(&mut self.flows, component, Solver::Undecided);
        }
        match self.messages.withdraw(&mut self.flows, carrier, message) {
            Withdrawn::Last => return self.remove(carrier),
            Withdrawn::SameFirst => {}
            Withdrawn::NewFirst(first, more) => self.set_first(carrier, first, more),
        }
        if self.flows[carrier as usize].solver == Solver::Incremental {
            self.recount(carrier);
        }
    }

    /// Removes a flow; its share is given to others at the next solve.
    fn remove(&mut self, flow: u32) {
        if self.flows[flow as usize].solver == Solver::Incremental {
            self.incremental.remove(flow);
            self.components.take_back(&self.flows[flow as usize]);
        }
        self.messages.vacate(&mut self.flows, flow);
    }

    /// Is there no flow at all?
    pub fn is_idle(&self) -> bool {
        self.flows.are_none() && self.messages.ended.is_empty()
    }

    /// Date of the next completion if nothing changes before; never earlier than `now`. `None` if no flow
    /// will complete.
    pub fn next_completion(&mut self, now: Time) -> Option<Time> {
        self.reach(now);
        if !self.messages.ended.is_empty() {
            return Some(now);
        }
        self.solve();
        let date = self.next_date();
        (date < Time::MAX).then_some(date.max(now))
    }

    /// Appends to `done` the tokens of the flows that complete at or before `now`, by date and then in order of
    /// start, and forgets these flows. What they leave behind may let others complete at `now`, too:
    /// [`Sharing::next_completion`] says so.
    pub fn collect(&mut self, now: Time, done: &mut Vec<u64>) {
        self.collect_each(now, |token| done.push(token));
    }

    /// The same without a list: `take` gets the tokens one by one.
    pub fn collect_each(&mut self, now: Time, take: impl FnMut(u64)) {
        self.reach(now);
        self.solve();
        // Does not solve for the rest, as new flows often start at once.
        if self.next_date() <= now {
            self.end_due();
        }
        self.messages.ended.drain().for_each(take);
    }

    /// The rate of a flow, in units per second; zero if it has ended.
    pub fn rate(&mut self, flow: FlowId) -> f64 {
        self.solve();
        if !self.is_alive(flow) {
            return 0.0;
        }
        let carrier = self.flows.carrier(flow.index);
        let level = match self.flows[carrier as usize].solver {
            Solver::Incremental => self.incremental.level(carrier),
            _ => self.flows[carrier as usize].level,
        };
        level / self.flows.penalty(flow.index)
    }

    /// The work that is left of a flow that was launched; zero if it has ended.
    pub fn work_left(&mut self, now: Time, flow: FlowId) -> f64 {
        self.reach(now);
        if !self.is_alive(flow) {
            return 0.0;
        }
        let carrier = self.flows.carrier(flow.index);
        let first = self.left(carrier);
        let behind = self.messages.behind_first(&self.flows, carrier, flow.index);
        (first + behind) / self.flows.penalty(flow.index)
    }

    /// The load of a resource: the weighted sum of its users' rates.
    pub fn load(&mut self, resource: ResourceId) -> f64 {
        self.solve();
        self.incremental.load(resource.0) + self.components.load(&self.flows, &self.messages, resource.0)
    }

    /// Is the message under way that this flow was made for?
    fn is_alive(&self, id: FlowId) -> bool {
        self.flows.exists(id) && !self.messages.has_own_ended(&self.flows[id.index as usize])
    }

    /// Comes to the date `now`, through all completions before it.
    #[inline]
    fn reach(&mut self, now: Time) {
        assert!(now >= self.now, "the date goes back from {} to {now}", self.now);
        if now > self.now {
            self.pass_completions(now);
            self.set_now(now);
        }
    }

    #[inline(never)]
    fn pass_completions(&mut self, now: Time) {
        self.solve();
        while self.next_date() < now {
            self.set_now(self.next_date().max(self.now));
            self.end_due();
            self.solve();
        }
    }

    fn set_now(&mut self, now: Time) {
        self.now = now;
        self.components.set_now(now);
        self.incremental.set_now(now);
    }

    fn next_date(&self) -> Time {
        self.components.next_date().min(self.incremental.next_date())
    }

    /// Ends all messages that are done now.
    fn end_due(&mut self) {
        self.components.end_due(&mut self.flows, &mut self.messages);
        while let Some(flow) = self.incremental.next_ended() {
            if self.keeps_ended && self.keep_place(flow) {
                continue;
            }
            match self.messages.end_first(&mut self.flows, flow) {
                None => self.remove(flow),
                Some((next, more)) => {
                    self.set_first(flow, next, more);
                    self.recount(flow);
                }
            }
        }
        self.messages.ended.finish_batch();
    }

    /// A flow has ended and keeps its place, if it has one message and others limit it.
    fn keep_place(&mut self, flow: u32) -> bool {
        let stays = self.messages.is_alone(&self.flows[flow as usize]) && self.incremental.suspend(flow);
        if stays {
            self.messages.note_ended(&self.flows[flow as usize]);
        }
        stays
    }

    /// Brings all rates up to date.
    #[inline]
    fn solve(&mut self) {
        if !self.components.is_settled() {
            self.solve_components();
        }
        self.incremental.solve();
    }

    #[inline(never)]
    fn solve_components(&mut self) {
        self.components.solve(&mut self.flows, &self.messages, &mut self.uneven);
        for flow in self.uneven.drain(..) {
            let uneven = &self.flows[flow as usize];
            let (count, first) =
                (self.messages.count(uneven), First { work: uneven.work, sequence: uneven.sequence });
            self.incremental.add(flow, uneven.uses(), uneven.ceiling, count, uneven.left, first);
        }
    }

    /// How many flows solves have looked at; tests see from it how costs grow.
    #[cfg(test)]
    fn looked_at(&self) -> u64 {
        self.components.looked_at() + self.incremental.looked_at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_units::Duration;

    /// Host 0 sends many messages, to `peers` hosts in turn, faster than its link carries them. Gives how many flows were looked at.
    fn flood(mut sharing: Sharing, messages: u64, peers: usize, bound: f64) -> u64 {
        let links: Vec<ResourceId> =
            (0..2 * peers + 2).map(|_| sharing.add_resource(1e9, SharingPolicy::Shared)).collect();
        let (mut now, mut done) = (Time::ZERO, vec![]);
        for nth in 0..messages {
            let peer = 1 + nth as usize % peers;
            let uses =
                [(links[0], 1.0), (links[2 * peer], 1.0), (links[2 * peer + 1], 0.05), (links[1], 0.05)];
            let size = 100.0 + (nth * 7919 % 1000) as f64;
            sharing.start(now, size, 1e-4, bound, &uses, nth);
            sharing.next_completion(now);
            now += Duration::from_nanos(300);
            sharing.collect(now, &mut done);
        }
        while let Some(date) = sharing.next_completion(now) {
            now = date;
            sharing.collect(now, &mut done);
        }
        done.sort_unstable();
        assert!(done.into_iter().eq(0..messages));
        sharing.looked_at()
    }

    /// A flow that goes on where it is ends like one that had all the work from the beginning.
    #[test]
    fn a_flow_that_goes_on_keeps_its_place() {
        let mut sharing = Sharing::without_components().keeping_ended();
        let link = sharing.add_resource(1e9, SharingPolicy::Shared);
        let other = sharing.add_resource(1e9, SharingPolicy::Shared);
        let first = sharing.start(Time::ZERO, 1000.0, 1.0, 1e12, &[(link, 1.0)], 1);
        sharing.start(Time::ZERO, 5000.0, 1.0, 1e12, &[(link, 1.0), (other, 1.0)], 2);
        let mut done = vec![];
        let date = sharing.next_completion(Time::ZERO).unwrap();
        sharing.collect(date, &mut done);
        assert!(done == [1] && sharing.go_on(first, 1000.0));
        let again = sharing.next_completion(date).unwrap();
        assert_eq!(again.since(date), date.since(Time::ZERO));
        sharing.collect(again, &mut done);
        sharing.cancel(again, first);
        assert!(done == [1, 1] && !sharing.go_on(first, 1.0));
    }

    /// The work left of each flow, whether it shares its footprint with others or not.
    #[test]
    fn the_work_that_is_left_is_known() {
        for mut sharing in [Sharing::new(), Sharing::without_components()] {
            let link = sharing.add_resource(1e9, SharingPolicy::Shared);
            let sizes = [(1000.0, 2.0), (2000.0, 2.0), (500.0, 2.0), (3000.0, 1.0)];
            let start = |&(work, penalty): &(f64, f64)| {
                sharing.start(Time::ZERO, work, penalty, 1e12, &[(link, 1.0)], 0)
            };
            let flows: Vec<FlowId> = sizes.iter().map(start).collect();
            let now = Time::ZERO + Duration::from_nanos(1000);
            // Penalties of 2, 2, 2 and 1 share 1000 bytes per µs.
            let expected = [800.0, 1800.0, 300.0, 2600.0];
            for (flow, left) in flows.iter().zip(expected) {
                let found = sharing.work_left(now, *flow);
                assert!((found - left).abs() < 1e-6, "{found} instead of {left}");
            }
            // The third ends at 2.5 µs.
            assert_eq!(sharing.work_left(now + Duration::from_nanos(2000), flows[2]), 0.0);
        }
    }

    /// However many messages are under way between the same hosts, one that comes or goes costs the same.
    #[test]
    fn a_flood_costs_as_much_per_message_as_a_few() {
        for sharing in [Sharing::new(), Sharing::without_components()] {
            for (peers, bound) in [(1, 1e9), (1, f64::INFINITY), (1, 1e5), (3, 1e9), (40, 1e9), (40, 1e6)] {
                let [few, many] =
                    [2000, 16_000].map(|messages| flood(sharing.clone(), messages, peers, bound));
                let linear = many < 10 * few.max(2000);
                assert!(
                    linear,
                    "{peers} peers, bound {bound}: {few} flows for 2,000 messages, {many} for 16,000"
                );
            }
        }
    }

    #[test]
    fn messages_of_one_flow_end_one_by_one_and_can_be_cancelled() {
        for mut sharing in [Sharing::new(), Sharing::without_components()] {
            let link = sharing.add_resource(1e6, SharingPolicy::Shared);
            let mut start = |work, token| sharing.start(Time::ZERO, work, 1.0, 1e6, &[(link, 1.0)], token);
            let [first, second, third] =
                [(1e6, 1), (3e6, 2), (2e6, 3)].map(|(work, token)| start(work, token));
            let is_a_third = |rate: f64| (rate - 1e6 / 3.0).abs() < 1e-3;
            assert!([first, second, third].into_iter().all(|flow| is_a_third(sharing.rate(flow))));
            assert_eq!(sharing.load(link), 1e6);
            let seconds = |seconds: u64| Time::from_picos(seconds * 1_000_000_000_000);
            let mut done = vec![];
            assert_eq!(sharing.next_completion(Time::ZERO), Some(seconds(3)));
            sharing.collect(seconds(3), &mut done);
            assert_eq!((done.as_slice(), sharing.rate(first)), (&[1][..], 0.0));
            sharing.cancel(seconds(4), third);
            assert_eq!(sharing.rate(third), 0.0);
            // The second has done 1 of 3 after three seconds, and half of 1 in the fourth.
            assert_eq!(sharing.next_completion(seconds(4)), Some(Time::from_picos(5_500_000_000_000)));
            sharing.collect(seconds(6), &mut done);
            assert_eq!(done, [1, 2]);
            assert!(sharing.is_idle() && sharing.messages.has_no_classes());
        }
    }

    /// Every host of a torus sends to four neighbours, in an order that differs from round to round.
    #[test]
    fn components_are_used_again() {
        let mut sharing = Sharing::new();
        let links: Vec<_> = (0..128).map(|_| sharing.add_resource(1e6, SharingPolicy::Shared)).collect();
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
            assert_eq!(sharing.components.count_used(), 0);
        }
        assert_eq!(done.len(), 40 * 256);
        assert!(sharing.components.count_made() <= 64, "{}", sharing.components.count_made());
    }
}
