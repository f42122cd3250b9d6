//! A cache of schedules.
//!
//! Programs repeat their collectives. A schedule is kept under what it was made from; where ranks differ only in the
//! names of their peers ([`Symmetry`]), all of them use that of rank 0. Schedules made from counts of the
//! program, and those beyond a limit of memory, are made each time and forgotten.

use mpirage_call::{Collective, Member, Method, Peers};
use mpirage_collectives::{Schedule, Shape, Step, Symmetry, schedule, symmetry, working_set};
use rustc_hash::FxHashMap;

use super::comm::CommId;
use crate::ids::{PlanId, Table};
use crate::working_set::WorkingSet;

/// Steps that are kept in all: 64 MiB.
const KEPT_STEPS: usize = 4 << 20;

/// All schedules.
#[derive(Debug)]
pub(crate) struct Plans {
    known: FxHashMap<Made, PlanId>,
    all: Table<PlanId, Plan>,
    kept_steps: usize,
    /// Schedules that are no longer used, to be filled again.
    spare: Vec<Schedule>,
}

/// The inputs of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Made {
    bytes: u64,
    element: u64,
    /// The rank, unless all share it.
    rank: u32,
    size: u32,
    root: u32,
    kind: Collective,
    method: Method,
    commutative: bool,
    in_place: bool,
    /// Ranks on the first side of an inter-communicator.
    first_side: Option<u32>,
    /// The communicator, if it matters which of its ranks share a node.
    on_nodes_of: Option<CommId>,
}

#[derive(Debug)]
struct Plan {
    schedule: Schedule,
    symmetry: Symmetry,
    size: u32,
    working_set: WorkingSet,
    kept: bool,
}

impl Plans {
    pub(crate) fn new() -> Plans {
        Plans { known: FxHashMap::default(), all: Table::new(), kept_steps: 0, spare: Vec::new() }
    }

    /// The number of the plan that a rank of a communicator follows.
    pub(crate) fn choose(
        &mut self,
        comm: CommId,
        kind: Collective,
        method: Method,
        shape: &Shape<'_>,
    ) -> PlanId {
        let neighbors = matches!(shape.peers, Peers::Neighbors { .. });
        if neighbors || !(shape.send_counts.is_empty() && shape.recv_counts.is_empty()) {
            return self.make(kind, method, shape, Symmetry::None, false);
        }
        let symmetry = symmetry(kind, method.algorithm, shape);
        let rank = if symmetry == Symmetry::None { shape.rank } else { 0 };
        let shape = Shape { rank, ..*shape };
        let made = Made {
            bytes: shape.bytes,
            element: shape.element,
            rank,
            size: shape.size,
            root: shape.root,
            kind,
            method,
            commutative: shape.commutative,
            in_place: shape.in_place,
            first_side: match shape.peers {
                Peers::OtherSide { first } => Some(first),
                Peers::All | Peers::Neighbors { .. } => None,
            },
            on_nodes_of: shape.nodes.map(|_| comm),
        };
        if let Some(&id) = self.known.get(&made) {
            return id;
        }
        let keep = self.kept_steps < KEPT_STEPS;
        let id = self.make(kind, method, &shape, symmetry, keep);
        if keep {
            self.kept_steps += self.all[id].schedule.steps.len();
            self.known.insert(made, id);
        }
        id
    }

    /// Ranks have moved: plans that depend on who shares a node are not used again.
    pub(crate) fn forget_nodes(&mut self) {
        self.known.retain(|made, _| made.on_nodes_of.is_none());
    }

    /// Is a plan kept, and that of all ranks?
    pub(crate) fn is_common(&self, id: PlanId) -> bool {
        let plan = &self.all[id];
        plan.kept && plan.symmetry != Symmetry::None
    }

    /// The nth step of a plan, for a member.
    #[inline]
    pub(crate) fn step(&self, id: PlanId, nth: u32, member: u32) -> Option<Step> {
        let plan = &self.all[id];
        let step = *plan.schedule.steps.get(nth as usize)?;
        Some(plan.symmetry.turn(step, Member { rank: member, size: plan.size }))
    }

    /// The memory that a member walks through.
    #[inline]
    pub(crate) fn working_set(&self, id: PlanId) -> WorkingSet {
        self.all[id].working_set
    }

    /// A rank is done with a plan.
    pub(crate) fn release(&mut self, id: PlanId) {
        if !self.all[id].kept {
            self.spare.push(self.all.remove(id).schedule);
        }
    }

    fn make(
        &mut self,
        kind: Collective,
        method: Method,
        shape: &Shape<'_>,
        symmetry: Symmetry,
        kept: bool,
    ) -> PlanId {
        let mut steps = self.spare.pop().unwrap_or_default();
        schedule(kind, method, shape, &mut steps);
        let working_set = WorkingSet::of(working_set(kind, shape));
        self.all.insert(Plan { schedule: steps, symmetry, size: shape.size, working_set, kept })
    }
}
