//! The steps of a solve in order of level, lowest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A step that may happen at a level; at equal levels, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// A resource changes the level of its members.
    Resource(u32),
    /// A free flow meets its bound.
    Bound(u32),
}

/// Steps by level. Levels are not negative, so their bits have the same order.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda(BinaryHeap<Reverse<(u64, Step)>>);

impl Agenda {
    pub fn push(&mut self, level: f64, step: Step) {
        self.0.push(Reverse((level.to_bits(), step)));
    }

    pub fn pop(&mut self) -> Option<(f64, Step)> {
        self.0.pop().map(|Reverse((bits, step))| (f64::from_bits(bits), step))
    }

    /// The level of the next step; infinite if there is none.
    pub fn next_level(&self) -> f64 {
        self.0.peek().map_or(f64::INFINITY, |Reverse((bits, _))| f64::from_bits(*bits))
    }
}
