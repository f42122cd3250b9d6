//! The event queue: events ordered by instant and, at one instant, by their numbers.
//!
//! An event is numbered when it becomes known, which may be long before it enters the queue. Things that happen in order at one
//! place, such as the frames that leave an interface, have one event in the queue at a time. The queue is therefore as long as
//! the number of places, whatever the number of frames. Timers have a queue of their own, because every connection has
//! one and almost none goes off.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use mpirage_units::Time;

use crate::event::Event;
use crate::ids::EndId;

/// The place of an event among those of the same instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventNumber(u64);

/// Events to come.
#[derive(Debug, Default)]
pub struct EventQueue {
    soon: BinaryHeap<Reverse<Entry>>,
    /// Has the first of `soon` happened? The next event that enters takes its place, which costs less than to remove it and to
    /// enter another one: most events are followed by the next one of their place.
    has_happened: bool,
    timers: BinaryHeap<Reverse<Entry>>,
    numbered: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The instant in the upper half, the number in the lower: one comparison without a branch.
    key: u128,
    event: Event,
}

impl EventQueue {
    /// The number of an event that is known now and enters the queue later.
    pub(crate) fn number(&mut self) -> EventNumber {
        self.numbered += 1;
        EventNumber(self.numbered)
    }

    /// Something happens at `at`.
    pub(crate) fn push(&mut self, at: Time, event: Event) {
        let number = self.number();
        self.push_numbered(at, number, event);
    }

    /// Something that has a number happens at `at`.
    pub(crate) fn push_numbered(&mut self, at: Time, number: EventNumber, event: Event) {
        let entry = Reverse(Entry::new(at, number, event));
        if std::mem::take(&mut self.has_happened)
            && let Some(mut first) = self.soon.peek_mut()
        {
            *first = entry;
        } else {
            self.soon.push(entry);
        }
    }

    /// The timer of a socket goes off at `at`.
    pub(crate) fn push_timer(&mut self, at: Time, end: EndId) {
        let number = self.number();
        self.timers.push(Reverse(Entry::new(at, number, Event::Timer(end))));
    }

    /// The instant of the first event.
    pub(crate) fn next(&mut self) -> Option<Time> {
        self.first().map(|first| first.at())
    }

    /// Takes the first event if it happens at `now` or earlier.
    pub(crate) fn pop_at(&mut self, now: Time) -> Option<Event> {
        let first = *self.first().filter(|first| first.at() <= now)?;
        match first.event {
            Event::Timer(_) => drop(self.timers.pop()),
            _ => self.has_happened = true,
        }
        Some(first.event)
    }

    fn first(&mut self) -> Option<&Entry> {
        if std::mem::take(&mut self.has_happened) {
            self.soon.pop();
        }
        match (self.soon.peek(), self.timers.peek()) {
            (Some(Reverse(soon)), Some(Reverse(timer))) => Some(soon.min(timer)),
            (one, other) => one.or(other).map(|Reverse(entry)| entry),
        }
    }
}

impl Entry {
    fn new(at: Time, number: EventNumber, event: Event) -> Entry {
        Entry { key: u128::from(at.as_picos()) << 64 | u128::from(number.0), event }
    }

    fn at(&self) -> Time {
        Time::from_picos((self.key >> 64) as u64)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key == other.key
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        self.key.cmp(&other.key)
    }
}

#[cfg(test)]
mod tests {
    use mpirage_kernel::Token;
    use proptest::prelude::*;

    use super::*;

    /// The kind of a test entry: an event now, an event that was numbered before, or a timer.
    #[derive(Clone, Copy, Debug)]
    enum EntryKind {
        Now,
        Numbered,
        Timer,
    }

    fn number_of(event: Event) -> u64 {
        match event {
            Event::HandOver(Token(number)) => number,
            Event::Timer(end) => end.index() as u64,
            other => panic!("{other:?} was not entered"),
        }
    }

    proptest! {
        /// Whatever enters and happens in between, events come as from a sorted list.
        #[test]
        fn gives_what_a_sorted_list_gives(
            steps in proptest::collection::vec(
                (
                    0u64..20,
                    0u64..3,
                    prop_oneof![Just(EntryKind::Now), Just(EntryKind::Numbered), Just(EntryKind::Timer)],
                ),
                1..300,
            ),
        ) {
            let (mut queue, mut sorted, mut now) = (EventQueue::default(), Vec::new(), 0);
            let (mut reserved, mut known) = (Vec::new(), 0);
            for (delay, happen, kind) in steps {
                let at = Time::from_picos(now + delay);
                known += 1;
                match kind {
                    EntryKind::Now => queue.push(at, Event::HandOver(Token(known))),
                    EntryKind::Timer => queue.push_timer(at, EndId::new(known as usize)),
                    EntryKind::Numbered => reserved.push((queue.number(), known)),
                }
                // A reserved number enters the queue one step later or more, and still before its instant.
                if !matches!(kind, EntryKind::Numbered) {
                    sorted.push((at, known));
                    if let Some((number, own)) = reserved.pop() {
                        queue.push_numbered(at, number, Event::HandOver(Token(own)));
                        sorted.push((at, own));
                    }
                }
                sorted.sort_unstable();
                for _ in 0..happen {
                    now = sorted.first().map_or(now, |first| first.0.as_picos());
                    let expected = (!sorted.is_empty()).then(|| sorted.remove(0).1);
                    prop_assert_eq!(queue.pop_at(Time::from_picos(now)).map(number_of), expected);
                }
                prop_assert_eq!(queue.next(), sorted.first().map(|first| first.0));
            }
        }
    }
}
