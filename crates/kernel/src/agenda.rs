//! What is to happen when: a queue ordered by date, and by order of entry where dates are equal.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use mpirage_units::Time;

/// Dated entries, earliest first; among equal dates, first in, first out.
#[derive(Debug)]
pub struct Agenda<T> {
    heap: BinaryHeap<Entry<T>>,
    sequence: u64,
}

#[derive(Debug)]
struct Entry<T> {
    at: Time,
    sequence: u64,
    what: T,
}

impl<T> Agenda<T> {
    /// Nothing to do.
    pub fn new() -> Self {
        Agenda { heap: BinaryHeap::new(), sequence: 0 }
    }

    /// Enters `what` at date `at`.
    pub fn push(&mut self, at: Time, what: T) {
        self.heap.push(Entry { at, sequence: self.sequence, what });
        self.sequence += 1;
    }

    /// The earliest date.
    pub fn next(&self) -> Option<Time> {
        self.heap.peek().map(|entry| entry.at)
    }

    /// Takes the first entry if its date is `now` or earlier.
    pub fn pop_at(&mut self, now: Time) -> Option<T> {
        if self.next()? <= now { self.heap.pop().map(|entry| entry.what) } else { None }
    }
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Agenda::new()
    }
}

impl<T> Entry<T> {
    fn key(&self) -> (Time, u64) {
        (self.at, self.sequence)
    }
}

/// Reversed, because the heap of the standard library gives the greatest first.
impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

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
}
