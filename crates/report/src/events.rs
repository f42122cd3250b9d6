//! Every call, as long as there are not too many: the timeline from near.
//!
//! Of each rank, what it called is told as the page reads it: the shapes of its calls ([`crate::shapes`]), and their times,
//! numbers of variable length. A shape is a kind of call ([`crate::phrases`]) with the times that are told of it.

use mpirage_call::varint;

use crate::columns::{Column, Numbers};
use crate::container::Container;
use crate::diary::{Diary, Entry};
use crate::phrases::{Kind, Phrases};
use crate::shapes::{NONE, Sequence, Shapes};

/// Picoseconds of a nanosecond: what times are told in.
const NANO: u64 = 1_000;

/// Bytes of the times of a call, about.
const BYTES: usize = 6;

/// Times that are told, if they are not zero: since the call before, of the call, waited.
const SINCE: u8 = 1;
const TOOK: u8 = 2;
const WAITED: u8 = 4;

/// The times that can be told or not.
const TIMES: usize = (SINCE | TOOK | WAITED) as usize + 1;

/// A kind of call, and which times are told of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct CallShape {
    kind: u32,
    times: u8,
}

/// Adds the calls of all ranks to the data; `place` gives the function and the place of a kind as the page numbers them.
pub(crate) fn write(
    phrases: &Phrases,
    diary: &Diary,
    ranks: usize,
    place: impl Fn(&Kind) -> (u16, u32),
    out: &mut Container,
) {
    let (mut words, mut times) = (Words::new(phrases), Column::default());
    words.heard.reserve(diary.len());
    times.numbers.reserve(BYTES * diary.len());
    for rank in 0..ranks {
        times.begin_rank();
        words.hear(diary.of(rank), &mut times.numbers);
    }
    words.settle();
    words.write_shapes(place, out);
    let (mut sequences, mut counts, mut heard) = (Column::default(), Vec::new(), words.heard.as_slice());
    for &length in &words.lengths {
        let (of_rank, others) = heard.split_at(length as usize);
        sequences.begin_rank();
        counts.push(words.tell(of_rank, &mut sequences.numbers));
        heard = others;
    }
    out.section("events_count", counts);
    sequences.write(out, "events_shapes");
    times.write(out, "events_times");
}

/// The shapes that phrases are made of.
struct Words<'a> {
    phrases: &'a Phrases,
    shapes: Shapes<CallShape>,
    /// The numbers of the shapes of each kind with these times; none if there has been no such call.
    numbers: Vec<[u32; TIMES]>,
    spelled: Vec<Spelled>,
    /// Calls of phrases after the first, which are told without times.
    rest: Vec<u32>,
    /// What was said: the shape of the first call, and the phrase. Of all ranks, and how much of each.
    heard: Vec<(u32, u32)>,
    lengths: Vec<u32>,
}

/// A phrase, by its shapes.
#[derive(Clone, Copy, Default)]
struct Spelled {
    /// The kind of its first call; what comes after it lies in a row.
    first: u32,
    from: u32,
    length: u32,
    /// How often it was said; zero if it has not been spelled yet.
    said: u32,
    /// Does everything after the second call come as guessed?
    regular: bool,
}

/// The times of an entry as they are told, in nanoseconds.
struct Times {
    since: u64,
    took: u64,
    waited: u64,
}

impl Times {
    /// Since the call before began at `last`.
    #[inline]
    fn of(entry: &Entry, last: &mut u64) -> Times {
        let start = entry.entered / NANO;
        let since = start.saturating_sub(*last);
        *last = start.max(*last);
        if entry.took == 0 {
            return Times { since, took: 0, waited: 0 };
        }
        let took = entry.left() / NANO - start;
        let waited = ((entry.entered + entry.waited) / NANO).saturating_sub(start);
        Times { since, took, waited }
    }

    /// Tells those that are not zero; gives which.
    #[inline]
    fn put(&self, into: &mut Numbers) -> usize {
        let mut flags = 0;
        for (time, flag) in [(self.since, SINCE), (self.took, TOOK), (self.waited, WAITED)] {
            if time > 0 {
                into.put(time);
                flags |= flag;
            }
        }
        usize::from(flags)
    }
}

impl<'a> Words<'a> {
    fn new(phrases: &'a Phrases) -> Words<'a> {
        Words {
            phrases,
            shapes: Shapes::new(),
            numbers: vec![[NONE; TIMES]; phrases.kinds().len()],
            spelled: vec![Spelled::default(); phrases.len()],
            rest: Vec::new(),
            heard: Vec::new(),
            lengths: Vec::new(),
        }
    }

    /// Tells the times of a rank's calls, and learns which shapes follow each other.
    fn hear<'e>(&mut self, entries: impl Iterator<Item = &'e [Entry]>, times: &mut Numbers) {
        let (mut last, mut shape, before) = (0, NONE, self.heard.len());
        for entry in entries.flatten() {
            if !entry.is_call() {
                if let Some(bytes) = entry.as_size() {
                    times.put(bytes);
                }
                continue;
            }
            let flags = Times::of(entry, &mut last).put(times);
            let phrase = entry.phrase();
            if self.spelled[phrase as usize].said == 0 {
                self.spell(phrase as usize);
            }
            let spelled = &mut self.spelled[phrase as usize];
            spelled.said = spelled.said.saturating_add(1);
            let Spelled { first, from, length, .. } = *spelled;
            let first = self.number(first, flags);
            self.shapes.follow(shape, first, 1);
            shape = first;
            if length > 0 {
                self.shapes.follow(first, self.rest[from as usize], 1);
                shape = self.rest[(from + length - 1) as usize];
            }
            self.heard.push((first, phrase));
        }
        self.lengths.push((self.heard.len() - before) as u32);
    }

    fn spell(&mut self, phrase: usize) {
        let from = self.rest.len();
        let mut kinds = Vec::new();
        self.phrases.spell(phrase as u32, &mut kinds);
        for &kind in &kinds[1..] {
            let number = self.number(kind, 0);
            self.rest.push(number);
        }
        let length = kinds.len() as u32 - 1;
        self.spelled[phrase] =
            Spelled { first: kinds[0], from: from as u32, length, said: 0, regular: false };
    }

    #[inline]
    fn number(&mut self, kind: u32, times: usize) -> u32 {
        let number = &mut self.numbers[kind as usize][times];
        if *number == NONE {
            *number = self.shapes.add(CallShape { kind, times: times as u8 });
        }
        *number
    }

    /// All ranks have been heard.
    fn settle(&mut self) {
        let rest = |spelled: &Spelled| spelled.from as usize..(spelled.from + spelled.length) as usize;
        for spelled in &self.spelled {
            for pair in self.rest[rest(spelled)].windows(2) {
                self.shapes.follow(pair[0], pair[1], spelled.said);
            }
        }
        for spelled in &mut self.spelled {
            let mut pairs = self.rest[rest(spelled)].windows(2);
            spelled.regular = pairs.all(|pair| self.shapes.guess(pair[0]) == pair[1]);
        }
    }

    /// Adds what shapes are to the data.
    fn write_shapes(&self, place: impl Fn(&Kind) -> (u16, u32), out: &mut Container) {
        let kind = |shape: &CallShape| self.phrases.kinds().get(shape.kind as usize).copied();
        let kinds = self.shapes.all().map(|(shape, _)| (shape.times, kind(shape).unwrap_or(Kind::NONE)));
        let asked = kinds.clone().map(|(_, kind)| kind.asked);
        out.section("call_shapes_function", kinds.clone().map(|(_, kind)| place(&kind).0));
        out.section("call_shapes_flags", kinds.clone().map(|(times, kind)| times | kind.asked.flags()));
        out.section("call_shapes_site", kinds.map(|(_, kind)| place(&kind).1));
        out.section("call_shapes_peer", asked.clone().map(|asked| asked.peer()));
        out.section("call_shapes_tag", asked.clone().map(|asked| varint::folded(asked.tag().into()) as u32));
        out.section("call_shapes_comm", asked.clone().map(|asked| asked.comm()));
        out.section("call_shapes_bytes", asked.map(|asked| asked.bytes() as f64));
        out.section("call_shapes_next", self.shapes.all().map(|(_, next)| next));
    }

    /// Tells the shapes of a rank's calls; gives how many.
    fn tell(&self, heard: &[(u32, u32)], into: &mut Numbers) -> u32 {
        let mut shapes = Sequence::new(&self.shapes, into);
        for &(first, phrase) in heard {
            shapes.push(first);
            let spelled = &self.spelled[phrase as usize];
            let rest = &self.rest[spelled.from as usize..(spelled.from + spelled.length) as usize];
            if let [second, inner @ ..] = rest {
                shapes.push(*second);
                match inner.last() {
                    Some(&last) if spelled.regular => shapes.push_guessed(inner.len() as u32, last),
                    _ => inner.iter().for_each(|&number| shapes.push(number)),
                }
            }
        }
        shapes.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::Category;
    use crate::phrases::{Asked, START};

    /// Phrases of calls with these sizes, and what was said.
    fn said(phrases: &mut Phrases, sizes: &[u64]) -> u32 {
        sizes.iter().fold(START, |step, &bytes| {
            let asked = Asked::new(5, 1, 0, -1, bytes);
            let kind = || Kind { asked, row: 0 };
            phrases.find(step, &asked, kind).expect("short").step
        })
    }

    fn calls(rank: u32, phrase: u32, entered: u64, took: u64) -> Entry {
        Entry::calls(rank, phrase, Category::PointToPoint, entered, took, took / 2)
    }

    #[test]
    fn phrases_are_told_call_by_call() {
        let mut phrases = Phrases::new();
        let (halo, wait) = (said(&mut phrases, &[10, 20, 30, 40]), said(&mut phrases, &[70]));
        let mut diary = Diary::new(3);
        for at in [5_500, 9_500] {
            diary.push(calls(0, halo, at, 0));
            diary.push(calls(0, wait, at, 2_000));
        }
        diary.push(calls(2, wait, 7_000, 0));
        diary.settle();
        let (mut words, mut times) = (Words::new(&phrases), Numbers::default());
        (0..3).for_each(|rank| words.hear(diary.of(rank), &mut times));
        words.settle();
        assert_eq!(words.lengths, [4, 0, 1]);
        // Since the start, took, waited, of each what is not zero.
        assert_eq!(times.finish(), [5, 2, 1, 4, 2, 1, 7]);
        let mut told = Numbers::default();
        assert_eq!(
            (words.tell(&words.heard[..4], &mut told), words.tell(&words.heard[4..], &mut told)),
            (10, 1)
        );
        // Of the first rank everything as guessed; of the other no call as guessed, and a wait without duration.
        let shape = words.heard[4].0;
        assert_eq!(told.finish(), [10, 0, shape as u8]);
    }

    #[test]
    fn sizes_can_be_told_apart() {
        let mut phrases = Phrases::new();
        let phrase = said(&mut phrases, &[10]);
        let entries =
            [calls(0, phrase, 3_000, 0), Entry::size(0, 99), calls(0, phrase, 4_000, 0), Entry::size(0, 98)];
        let (mut words, mut times) = (Words::new(&phrases), Numbers::default());
        words.hear([entries.as_slice()].into_iter(), &mut times);
        assert_eq!(times.finish(), [3, 99, 1, 98]);
    }
}
