//! Schedules that are known already, so that nobody writes the same one twice.
//!
//! Programs repeat their collectives. A schedule is kept under what it was made from; where ranks differ only in the
//! names of their peers ([`Symmetry`]), all of them use that of rank 0. Those made from counts of the
//! program, and those beyond a limit of memory, are made each time and forgotten.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use mpirage_collectives::{
    Algorithm, Choice, Collective, Schedule, Shape, Step, Symmetry, schedule, symmetry,
};
use slab::Slab;

use crate::long_queue::KeyHasher;

/// Steps that are kept in all: 64 MiB.
const KEPT_STEPS: usize = 4 << 20;

/// All schedules.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    known: HashMap<Made, u32, BuildHasherDefault<KeyHasher>>,
    all: Slab<Plan>,
    kept_steps: usize,
    /// Schedules that are done with, to be filled again.
    spare: Vec<Schedule>,
}

/// What a schedule was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Made {
    bytes: u64,
    element: u64,
    /// The rank, unless all share it.
    rank: u32,
    size: u32,
    root: u32,
    kind: u8,
    algorithm: u8,
    commutative: bool,
}

#[derive(Debug)]
struct Plan {
    schedule: Schedule,
    algorithm: Algorithm,
    symmetry: Symmetry,
    size: u32,
    kept: bool,
}

impl Plans {
    /// The number of the plan that a rank follows.
    pub(crate) fn choose(&mut self, choice: &Choice, kind: Collective, shape: &Shape<'_>) -> u32 {
        let algorithm = choice.algorithm(kind, shape);
        if !(shape.send_counts.is_empty() && shape.recv_counts.is_empty()) {
            return self.make(kind, algorithm, shape, Symmetry::None, false);
        }
        let symmetry = symmetry(kind, algorithm, shape);
        let rank = if symmetry == Symmetry::None { shape.rank } else { 0 };
        let shape = Shape { rank, ..*shape };
        let made = Made {
            bytes: shape.bytes,
            element: shape.element,
            rank,
            size: shape.size,
            root: shape.root,
            kind: kind as u8,
            algorithm: algorithm as u8,
            commutative: shape.commutative,
        };
        if let Some(&id) = self.known.get(&made) {
            return id;
        }
        let keep = self.kept_steps < KEPT_STEPS;
        let id = self.make(kind, algorithm, &shape, symmetry, keep);
        if keep {
            self.kept_steps += self.all[id as usize].schedule.steps.len();
            self.known.insert(made, id);
        }
        id
    }

    /// How a plan goes about it.
    pub(crate) fn algorithm(&self, id: u32) -> Algorithm {
        self.all[id as usize].algorithm
    }

    /// The nth step of a plan, for the rank in `seat`.
    #[inline]
    pub(crate) fn step(&self, id: u32, nth: u32, seat: u32) -> Option<Step> {
        let plan = &self.all[id as usize];
        let step = *plan.schedule.steps.get(nth as usize)?;
        Some(plan.symmetry.turn(step, seat, plan.size))
    }

    /// A rank is done with a plan.
    pub(crate) fn release(&mut self, id: u32) {
        if !self.all[id as usize].kept {
            self.spare.push(self.all.remove(id as usize).schedule);
        }
    }

    fn make(
        &mut self,
        kind: Collective,
        algorithm: Algorithm,
        shape: &Shape<'_>,
        symmetry: Symmetry,
        kept: bool,
    ) -> u32 {
        let mut steps = self.spare.pop().unwrap_or_default();
        schedule(kind, algorithm, shape, &mut steps);
        self.all.insert(Plan { schedule: steps, algorithm, symmetry, size: shape.size, kept }) as u32
    }
}
