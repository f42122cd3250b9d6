//! A queue of future events, ordered by date and, at equal dates, by order of entry.
//!
//! Ranks that behave alike act at the same instant, so entries with one date are chained and the heap holds the
//! chains. A date entered again soon finds its chain in a small table and is appended to it, whatever the number
//! of entries. A date that is no longer in the table gets another chain, behind the first: the heap orders
//! chains of one date by age.
//!
//! ```text
//!   heap      (3, 1st) ── (5, 2nd) ── (9, 4th) ── (5, 7th)
//!                │            │           │           │
//!   chains       a            c─d         f           e─g
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use mpirage_units::Time;

const NIL: u32 = u32::MAX;
/// Dates whose chains are remembered.
const REMEMBERED: usize = 16;

/// Dated entries, earliest first; among equal dates, first in, first out.
#[derive(Clone, Debug)]
pub struct Agenda<T> {
    chains: BinaryHeap<Reverse<Chain>>,
    /// The rest of the chain that entries are being taken from; it is not in the heap.
    current: Option<Chain>,
    nodes: Vec<Node<T>>,
    /// The first of the unused nodes.
    unused: u32,
    /// Chains made so far.
    made: u64,
    /// Dates and the ends of their chains.
    recent: [(Time, u32); REMEMBERED],
}

/// Entries with one date. The order of the fields is the order of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Chain {
    at: Time,
    number: u64,
    first: u32,
}

#[derive(Clone, Debug)]
struct Node<T> {
    what: Option<T>,
    next: u32,
}

impl<T> Agenda<T> {
    /// Nothing to do.
    pub fn new() -> Self {
        Agenda {
            chains: BinaryHeap::new(),
            current: None,
            nodes: Vec::new(),
            unused: NIL,
            made: 0,
            recent: [(Time::MAX, NIL); REMEMBERED],
        }
    }

    /// Enters `what` at date `at`.
    #[inline(always)]
    pub fn push(&mut self, at: Time, what: T) {
        let node = self.add_node(what);
        let recent = &mut self.recent[place_of(at)];
        if recent.0 == at && recent.1 != NIL {
            self.nodes[recent.1 as usize].next = node;
        } else {
            self.chains.push(Reverse(Chain { at, number: self.made, first: node }));
            self.made += 1;
        }
        *recent = (at, node);
    }

    /// The earliest date.
    #[inline]
    pub fn next(&self) -> Option<Time> {
        self.first_chain().map(|chain| chain.at)
    }

    /// Takes the first entry if its date is `now` or earlier.
    #[inline]
    pub fn pop_at(&mut self, now: Time) -> Option<T> {
        let Chain { at, first, .. } = *self.first_chain().filter(|chain| chain.at <= now)?;
        if self.current.is_none_or(|chain| chain.first != first) {
            self.take_up_first();
        }
        let node = &mut self.nodes[first as usize];
        let what = node.what.take();
        match std::mem::replace(&mut node.next, self.unused) {
            NIL => {
                self.current = None;
                self.forget_end(at, first);
            }
            next => self.current.iter_mut().for_each(|chain| chain.first = next),
        }
        self.unused = first;
        what
    }

    #[inline]
    fn first_chain(&self) -> Option<&Chain> {
        match (&self.current, self.chains.peek()) {
            (Some(current), Some(Reverse(other))) => Some(current.min(other)),
            (current, other) => current.as_ref().or(other.map(|Reverse(other)| other)),
        }
    }

    /// Entries are taken from the first chain of the heap from now on.
    #[inline(never)]
    fn take_up_first(&mut self) {
        let first = self.chains.pop().map(|Reverse(chain)| chain);
        let before = std::mem::replace(&mut self.current, first);
        self.chains.extend(before.map(Reverse));
    }

    /// The earliest date of an entry that is `wanted` and of one that is not, [`Time::MAX`] for none; none of both if there are more than
    /// `most` entries, since it looks at every entry.
    pub fn earliest(&self, most: usize, wanted: impl Fn(&T) -> bool) -> Option<(Time, Time)> {
        let (mut seen, mut dates) = (0, (Time::MAX, Time::MAX));
        for chain in self.chains.iter().map(|Reverse(chain)| chain).chain(&self.current) {
            let mut at = chain.first;
            while at != NIL {
                let Node { what, next } = &self.nodes[at as usize];
                let date = if what.as_ref().is_some_and(&wanted) { &mut dates.0 } else { &mut dates.1 };
                *date = (*date).min(chain.at);
                (seen, at) = (seen + 1, *next);
                if seen > most {
                    return None;
                }
            }
        }
        Some(dates)
    }

    /// Takes all entries that are `wanted`, with their dates and in their order. It looks at every entry.
    pub fn take_where(&mut self, wanted: impl Fn(&T) -> bool) -> Vec<(Time, T)> {
        let (mut all, mut taken) = (std::mem::take(self), Vec::new());
        while let Some(at) = all.next() {
            match all.pop_at(at) {
                Some(what) if wanted(&what) => taken.push((at, what)),
                Some(what) => self.push(at, what),
                None => {}
            }
        }
        taken
    }

    #[inline(always)]
    fn add_node(&mut self, what: T) -> u32 {
        let id = self.unused;
        match self.nodes.get_mut(id as usize) {
            Some(node) => {
                self.unused = std::mem::replace(&mut node.next, NIL);
                node.what = Some(what);
                id
            }
            None => {
                self.nodes.push(Node { what: Some(what), next: NIL });
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// A chain has come to its end, so nothing may be appended to it.
    #[inline]
    fn forget_end(&mut self, at: Time, end: u32) {
        let recent = &mut self.recent[place_of(at)];
        if recent.1 == end {
            *recent = (Time::MAX, NIL);
        }
    }
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Agenda::new()
    }
}

/// Multiplication by an odd constant near 2^64/φ spreads neighbouring dates over the upper bits.
fn place_of(at: Time) -> usize {
    (at.as_picos().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - REMEMBERED.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn entries_are_taken_by_what_they_are() {
        let mut agenda = Agenda::new();
        for (at, what) in [(5, 1), (3, 2), (5, 3), (3, 4), (9, 5)] {
            agenda.push(Time::from_picos(at), what);
        }
        let odd = agenda.take_where(|what| what % 2 == 1);
        assert_eq!(odd, [(5, 1), (5, 3), (9, 5)].map(|(at, what)| (Time::from_picos(at), what)));
        let rest: Vec<i32> = std::iter::from_fn(|| agenda.pop_at(Time::MAX)).collect();
        assert_eq!(rest, [2, 4]);
    }

    #[test]
    fn the_earliest_of_two_kinds_are_found_among_few_entries() {
        let mut agenda = Agenda::new();
        let odd = |what: &i32| what % 2 == 1;
        assert_eq!(agenda.earliest(3, odd), Some((Time::MAX, Time::MAX)));
        for (at, what) in [(5, 1), (3, 2), (5, 4)] {
            agenda.push(Time::from_picos(at), what);
        }
        assert_eq!(agenda.earliest(3, odd), Some((Time::from_picos(5), Time::from_picos(3))));
        assert_eq!(agenda.pop_at(Time::MAX), Some(2));
        assert_eq!(agenda.earliest(3, odd), Some((Time::from_picos(5), Time::from_picos(5))));
        assert_eq!(agenda.earliest(1, odd), None);
    }

    #[test]
    fn earliest_first_and_first_in_first_out() {
        let mut agenda = Agenda::new();
        for (at, what) in [(5, 'c'), (3, 'a'), (5, 'd'), (3, 'b')] {
            agenda.push(Time::from_picos(at), what);
        }
        let mut order = String::new();
        assert_eq!(agenda.pop_at(Time::from_picos(2)), None);
        while let Some(what) = agenda.pop_at(Time::from_picos(9)) {
            order.push(what);
        }
        assert_eq!(order, "abcd");
    }

    proptest! {
        /// Whatever is entered and taken in between, everything comes out as from a sorted list.
        #[test]
        fn gives_out_what_a_sorted_list_gives(steps in proptest::collection::vec((0u64..40, 0u64..3), 1..300)) {
            let (mut agenda, mut plain) = (Agenda::new(), Vec::new());
            let mut now = 0;
            for (number, (date, pops)) in steps.into_iter().enumerate() {
                agenda.push(Time::from_picos(now + date), number);
                plain.push((now + date, number));
                plain.sort();
                for _ in 0..pops {
                    now = plain.first().map_or(now, |first| first.0.max(now));
                    let expected = (!plain.is_empty()).then(|| plain.remove(0).1);
                    prop_assert_eq!(agenda.pop_at(Time::from_picos(now)), expected);
                }
            }
            for (at, number) in plain {
                prop_assert_eq!(agenda.next(), Some(Time::from_picos(at)));
                prop_assert_eq!(agenda.pop_at(Time::MAX), Some(number));
            }
            prop_assert_eq!(agenda.next(), None);
        }
    }
}
