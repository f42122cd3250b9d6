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
    let mut words = Words::new(phrases);
    (0..ranks).for_each(|rank| words.hear(diary.of(rank)));
    words.settle();
    let kinds = words.shapes.all().map(|(shape, _)| {
        (shape.times, phrases.kinds().get(shape.kind as usize).copied().unwrap_or(Kind::NONE))
    });
    let asked = kinds.clone().map(|(_, kind)| kind.asked);
    out.section("call_shapes_function", kinds.clone().map(|(_, kind)| place(&kind).0));
    out.section("call_shapes_flags", kinds.clone().map(|(times, kind)| times | kind.asked.flags()));
    out.section("call_shapes_site", kinds.map(|(_, kind)| place(&kind).1));
    out.section("call_shapes_peer", asked.clone().map(|asked| asked.peer()));
    out.section("call_shapes_tag", asked.clone().map(|asked| varint::folded(asked.tag().into()) as u32));
    out.section("call_shapes_comm", asked.clone().map(|asked| asked.comm()));
    out.section("call_shapes_bytes", asked.map(|asked| asked.bytes() as f64));
    out.section("call_shapes_next", words.shapes.all().map(|(_, next)| next));
    let [mut sequences, mut times] = [Column::default(), Column::default()];
    let counts: Vec<u32> = (0..ranks)
        .map(|rank| {
            sequences.begin_rank();
            times.begin_rank();
            words.tell(diary.of(rank), &mut sequences.numbers, &mut times.numbers)
        })
        .collect();
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

    /// Which of them are told.
    #[inline]
    fn flags(&self) -> usize {
        let told = [(self.since, SINCE), (self.took, TOOK), (self.waited, WAITED)];
        told.iter().map(|&(time, flag)| if time > 0 { usize::from(flag) } else { 0 }).sum()
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
        }
    }

    /// Learns from a rank which shapes follow each other.
    fn hear(&mut self, entries: &[Entry]) {
        let (mut last, mut shape) = (0, NONE);
        for entry in entries.iter().filter(|entry| entry.is_call()) {
            let flags = Times::of(entry, &mut last).flags();
            let phrase = entry.phrase() as usize;
            if self.spelled[phrase].said == 0 {
                self.spell(phrase);
            }
            let spelled = &mut self.spelled[phrase];
            spelled.said = spelled.said.saturating_add(1);
            let Spelled { first, from, length, .. } = *spelled;
            let first = self.number(first, flags);
            self.shapes.follow(shape, first, 1);
            shape = first;
            if length > 0 {
                self.shapes.follow(first, self.rest[from as usize], 1);
                shape = self.rest[(from + length - 1) as usize];
            }
        }
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

    /// Tells of a rank; gives how many calls.
    fn tell(&self, entries: &[Entry], shapes: &mut Numbers, times: &mut Numbers) -> u32 {
        let (mut shapes, mut last) = (Sequence::new(&self.shapes, shapes), 0);
        for entry in entries {
            if !entry.is_call() {
                if let Some(bytes) = entry.as_size() {
                    times.put(bytes);
                }
                continue;
            }
            let told = Times::of(entry, &mut last);
            for time in [told.since, told.took, told.waited] {
                if time > 0 {
                    times.put(time);
                }
            }
            let spelled = &self.spelled[entry.phrase() as usize];
            shapes.push(self.numbers[spelled.first as usize][told.flags()]);
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
