//! Flows: what each has left to do and what it uses.
//!
//! Work is kept multiplied by the penalty (*virtual* work), so that a flow of level λ does λ of it per second.
//! Weights are kept divided by the penalty (*shares*), so that its load on a resource is share·λ.

use crate::above;
use crate::list::{Linked, NONE};
use crate::resource::ResourceId;
use mpirage_units::Duration;
use smallvec::SmallVec;

/// The part of a flow's work that may be left when it ends. Dates are whole picoseconds, so what is left of a flow at its date
/// may be a little more or less than nothing; and flows that belong together must end together.
pub(crate) const NEGLIGIBLE: f64 = 1e-9;
/// A flow that needs less time than this has ended too.
pub(crate) const HALF_PICOSECOND: f64 = 0.5e-12;

/// The order of start of a flow that has not started.
pub(crate) const NEVER: u64 = u64::MAX;

/// A flow of one [`Sharing`](crate::Sharing). Ids are never valid again after the flow has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// The algorithm that shares resources between this flow and others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solver {
    /// Not decided: the flow is new, or its component was taken apart.
    Undecided,
    /// Not decided, but its next component is too uneven to be solved whole.
    Uneven,
    /// The component with this number.
    Component(u32),
    /// Incremental sharing.
    Incremental,
    /// None: it is a message of another flow.
    MessageOf(u32),
}

/// One use of a resource by a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Use {
    pub resource: u32,
    /// Weight divided by penalty.
    pub share: f64,
}

/// So many uses are kept inside a flow.
const INSIDE: usize = 4;

/// The uses of a footprint: few enough to be kept inside, as a rule.
pub(crate) type Uses = SmallVec<[Use; INSIDE]>;

/// The demands of a flow on the resources of its route, independent of its size.
///
/// At level λ such a flow progresses at the rate λ/penalty; on contention it is proportional to that.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    pub(crate) penalty: f64,
    /// The level at which the bound is reached.
    pub(crate) ceiling: f64,
    /// The level it would have alone on its resources, whatever its bound.
    pub(crate) alone: f64,
    pub(crate) uses: Uses,
}

impl Footprint {
    /// Without the level alone, which only the sharing knows.
    pub(crate) fn new(penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        let mut footprint = Footprint::empty(penalty, bound, uses.len());
        uses.iter().for_each(|&(resource, weight)| footprint.add_use(resource.0, weight));
        footprint
    }

    /// The same of resources of which none is named twice.
    pub(crate) fn of_distinct(penalty: f64, bound: f64, uses: &[(ResourceId, f64)]) -> Footprint {
        let mut footprint = Footprint::empty(penalty, bound, uses.len());
        for &(ResourceId(resource), weight) in uses.iter().filter(|(_, weight)| *weight > 0.0) {
            debug_assert!(footprint.uses.iter().all(|used| used.resource != resource));
            footprint.uses.push(Use { resource, share: weight / penalty });
        }
        footprint
    }

    fn empty(penalty: f64, bound: f64, uses: usize) -> Footprint {
        assert!(penalty > 0.0 && bound >= 0.0, "penalty {penalty}, bound {bound}");
        let uses = Uses::with_capacity(uses);
        Footprint { penalty, ceiling: bound * penalty, alone: f64::INFINITY, uses }
    }

    /// Seconds that a flow of this much work takes if no other flow uses its resources and their capacities stay.
    pub fn span_alone(&self, work: f64) -> f64 {
        let left = work * self.penalty;
        if left > 0.0 { left / level_alone(self.alone, self.ceiling) } else { 0.0 }
    }

    /// The same on other resources, one for each of its own in order, and of the same capacity. Resources beyond those it uses
    /// are not asked for.
    #[inline]
    pub fn point_at(&mut self, resources: impl IntoIterator<Item = ResourceId>) {
        for (used, resource) in self.uses.iter_mut().zip(resources) {
            used.resource = resource.0;
        }
    }

    /// Adds a weight on a resource; a resource named twice carries the sum.
    fn add_use(&mut self, resource: u32, weight: f64) {
        assert!(weight >= 0.0, "a weight of {weight}");
        let share = weight / self.penalty;
        if share == 0.0 {
            return;
        }
        match self.uses.iter_mut().find(|u| u.resource == resource) {
            Some(known) => known.share += share,
            None => self.uses.push(Use { resource, share }),
        }
    }
}

/// The level of a flow that would have `alone` but for its ceiling.
pub(crate) fn level_alone(alone: f64, ceiling: f64) -> f64 {
    // Levels that differ by rounding only are equal: then a resource is full before the bound is met.
    if above(alone, ceiling) || alone.is_infinite() { ceiling } else { alone }
}

/// Two cache lines: first how far it is, then what it uses.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct Flow {
    pub generation: u32,
    /// The next of its component.
    pub next: u32,
    pub solver: Solver,
    /// Order of start, which breaks ties.
    pub sequence: u64,
    pub token: u64,
    /// Virtual work left when its component was solved.
    pub left: f64,
    /// All the virtual work of this flow.
    pub work: f64,
    /// The level at which its component was solved.
    pub level: f64,
    /// The level at which the bound is reached.
    pub ceiling: f64,

    resources: [u32; INSIDE],
    shares: [f64; INSIDE],
    /// All uses, if they are too many to be inside. The memory stays for the next flow of this number.
    #[expect(clippy::box_collection, reason = "one word of the cache line instead of three")]
    more: Option<Box<Vec<Use>>>,
    /// Its messages, if it has others than its own.
    pub class: u32,
    uses: u16,
}

impl Linked for Flow {
    fn next(&mut self) -> &mut u32 {
        &mut self.next
    }
}

impl Flow {
    pub fn vacant() -> Flow {
        Flow {
            generation: 0,
            next: NONE,
            sequence: NEVER,
            token: 0,
            solver: Solver::Undecided,
            class: NONE,
            ceiling: 0.0,
            work: 0.0,
            left: 0.0,
            level: 0.0,
            resources: [0; INSIDE],
            shares: [0.0; INSIDE],
            more: None,
            uses: 0,
        }
    }

    /// Sets what it uses.
    #[inline]
    pub fn set_uses(&mut self, uses: &[Use]) {
        self.uses = uses.len() as u16;
        if uses.len() > INSIDE {
            let more = self.more.get_or_insert_default();
            more.clear();
            return more.extend_from_slice(uses);
        }
        for (nth, used) in uses.iter().enumerate() {
            (self.resources[nth], self.shares[nth]) = (used.resource, used.share);
        }
    }

    #[inline]
    pub fn use_count(&self) -> usize {
        self.uses as usize
    }

    #[inline]
    pub fn nth_use(&self, nth: usize) -> Use {
        match &self.more {
            Some(more) if self.use_count() > INSIDE => more[nth],
            _ => Use { resource: self.resources[nth], share: self.shares[nth] },
        }
    }

    /// Shows each of its uses; for where an iterator costs more than what is done.
    #[inline(always)]
    pub fn each_use(&self, mut show: impl FnMut(Use)) {
        if let Some(more) = &self.more
            && self.use_count() > INSIDE
        {
            return more.iter().for_each(|&used| show(used));
        }
        for (&resource, &share) in self.resources.iter().zip(&self.shares).take(self.use_count()) {
            show(Use { resource, share });
        }
    }

    /// Its uses of resources.
    #[inline]
    pub fn uses(&self) -> impl Iterator<Item = Use> + Clone + '_ {
        let count = self.use_count();
        let (inside, more) = match &self.more {
            Some(more) if count > INSIDE => (0, &more[..]),
            _ => (count, &[][..]),
        };
        let pairs = self.resources[..inside].iter().zip(&self.shares);
        pairs.map(|(&resource, &share)| Use { resource, share }).chain(more.iter().copied())
    }

    /// Of a flow in a component: what is left when so much time has passed since the component was solved.
    pub fn left_after(&self, passed: Duration) -> f64 {
        // An infinite level has done everything, in no time at all.
        if passed.is_zero() { self.left } else { self.left - self.level * passed.as_secs_f64() }
    }

    /// Is it as good as nothing?
    pub fn is_done_after(&self, passed: Duration) -> bool {
        let left = self.left_after(passed);
        left <= NEGLIGIBLE * self.work || left <= HALF_PICOSECOND * self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_two_cache_lines() {
        assert_eq!(size_of::<Flow>(), 128);
    }

    #[test]
    fn many_uses_are_kept_as_few_are() {
        let mut flow = Flow::vacant();
        for count in [3, 7, 2, 4, 5] {
            let uses: Vec<Use> =
                (0..count).map(|nth| Use { resource: nth, share: f64::from(nth) + 0.5 }).collect();
            flow.set_uses(&uses);
            let kept = |used: Use| (used.resource, used.share);
            assert!(flow.uses().map(kept).eq(uses.iter().copied().map(kept)));
            let mut shown = Vec::new();
            flow.each_use(|used| shown.push(kept(used)));
            assert!(shown.into_iter().eq(flow.uses().map(kept)));
            assert!((0..flow.use_count()).map(|nth| kept(flow.nth_use(nth))).eq(flow.uses().map(kept)));
        }
    }
}
