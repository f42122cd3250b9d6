//! Sums over waits, in bounded memory.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::TimedCall;
use super::history::{Doing, NO_RANK};
use super::state::State;

/// Keys of a table, at most.
const MOST_KEYS: usize = 1 << 17;

/// A rank that waits, the rank that it waits for, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Pair {
    pub waiter: u32,
    pub cause: u32,
    pub state: State,
}

/// A kind of call that waits, the kind of call that it waits for, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Line {
    pub waiter: u32,
    pub cause: u32,
    pub state: State,
}

/// A rank that others wait for, with the call that it is in or that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Cause {
    pub rank: u32,
    pub call: u32,
    pub doing: Doing,
}

/// Picoseconds, and how many waits they are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub picos: u64,
    pub waits: u64,
}

impl Sum {
    pub fn add(&mut self, other: Sum) {
        self.picos += other.picos;
        self.waits += other.waits;
    }
}

/// Sums by key. When there are too many keys, new ones are one.
#[derive(Clone)]
pub(super) struct Sums<K> {
    by_key: FxHashMap<K, Sum>,
    pub others: Sum,
}

impl<K: Copy + Eq + Hash + Ord> Sums<K> {
    fn new() -> Sums<K> {
        Sums { by_key: FxHashMap::default(), others: Sum::default() }
    }

    #[inline]
    pub fn add(&mut self, key: K, picos: u64) {
        let is_full = self.by_key.len() >= MOST_KEYS;
        let sum = match self.by_key.entry(key) {
            Entry::Vacant(_) if is_full => &mut self.others,
            entry => entry.or_default(),
        };
        sum.add(Sum { picos, waits: 1 });
    }

    /// All sums, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &Sum)> {
        self.by_key.iter()
    }
}

/// The largest first; equal ones by key.
pub(super) fn largest<K: Copy + Ord>(sums: impl IntoIterator<Item = (K, Sum)>) -> Vec<(K, Sum)> {
    let mut sorted: Vec<(K, Sum)> = sums.into_iter().collect();
    sorted.sort_unstable_by_key(|&(key, sum)| (std::cmp::Reverse(sum.picos), key));
    sorted
}

/// Picoseconds of each state.
pub(super) type ByState = [u64; State::COUNT];

/// All sums.
#[derive(Clone)]
pub(super) struct Tables {
    pub ranks: Vec<ByState>,
    /// By kind of call.
    pub calls: Vec<ByState>,
    pub pairs: Sums<Pair>,
    pub lines: Sums<Line>,
    pub causes: Sums<Cause>,
    /// Contention, by sender and receiver.
    pub contention: Sums<(u32, u32)>,
}

impl Tables {
    pub fn new(ranks: usize) -> Tables {
        Tables {
            ranks: vec![[0; State::COUNT]; ranks],
            calls: Vec::new(),
            pairs: Sums::new(),
            lines: Sums::new(),
            causes: Sums::new(),
            contention: Sums::new(),
        }
    }

    /// A call was in a state for so long.
    #[inline]
    pub fn add(&mut self, &TimedCall { rank, call, .. }: &TimedCall, state: State, picos: u64) {
        if call as usize >= self.calls.len() {
            self.calls.resize(call as usize + 1, [0; State::COUNT]);
        }
        self.ranks[rank as usize][state as usize] += picos;
        self.calls[call as usize][state as usize] += picos;
    }

    pub fn add_contention(&mut self, route: (u32, u32), picos: u64) {
        if route.0 != NO_RANK {
            self.contention.add(route, picos);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_keys_beyond_the_limit_are_one() {
        let mut sums: Sums<u32> = Sums::new();
        (0..MOST_KEYS as u32 + 5).for_each(|key| sums.add(key, 2));
        sums.add(0, 7);
        assert_eq!((sums.iter().count(), sums.others), (MOST_KEYS, Sum { picos: 10, waits: 5 }));
        let all = largest(sums.iter().map(|(&key, &sum)| (key, sum)));
        assert_eq!(all[..2], [(0, Sum { picos: 9, waits: 2 }), (1, Sum { picos: 2, waits: 1 })]);
    }
}
