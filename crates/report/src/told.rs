//! What happened to ranks, as the page reads it.
//!
//! Words of a [chronicle](crate::chronicle) are [shapes](crate::shapes), by the same numbers, and so is everything else without its times:
//! those are told one by one, in nanoseconds, numbers of variable length. Of each rank there is the sequence of its shapes, and the
//! times of those that are no words.

use std::hash::Hash;

use crate::chronicle::{Chronicle, NONE, Note, Thing};
use crate::columns::{Column, Numbers};
use crate::container::Container;
use crate::shapes::{Sequence, Shapes};

/// Picoseconds of a nanosecond: what times are told in.
const NANO: u64 = 1_000;

/// What the page is told of things, besides what words and shapes are.
pub(crate) struct Told<S> {
    /// Words, as if they were nothing, and everything else.
    shapes: Shapes<S>,
    words: usize,
    /// How many things each rank has.
    lengths: Vec<u32>,
    sequences: Column,
    times: Column,
}

/// When the last thing of a rank was over; and when, as the page knows it.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    pub end: u64,
    shown: u64,
}

impl Clock {
    /// Whole nanoseconds from where the page is to a time, which is where the page is then.
    #[inline]
    pub fn tell(&mut self, time: u64) -> i64 {
        let picos = time.wrapping_sub(self.shown) as i64;
        let nanos = (picos + NANO as i64 / 2).div_euclid(NANO as i64);
        self.shown = self.shown.wrapping_add((nanos * NANO as i64) as u64);
        nanos
    }

    /// A thing whose times the page knows to the picosecond.
    #[inline]
    fn pass(&mut self, span: u64) {
        self.end = self.end.wrapping_add(span);
        self.shown = self.shown.wrapping_add(span);
    }
}

/// A time in nanoseconds.
#[inline]
pub(crate) fn nanos(picos: u64) -> u64 {
    (picos + NANO / 2) / NANO
}

impl<S: Copy + Default + Eq + Hash> Told<S> {
    /// All that happened to so many ranks; `shape` gives what a thing is besides its times, and `put` tells these.
    pub fn new<T: Thing>(
        chronicle: &Chronicle<T>,
        ranks: usize,
        shape: impl Fn(&T) -> S,
        put: impl Fn(&T, &mut Clock, &mut Numbers),
    ) -> Told<S> {
        let mut shapes = Shapes::new();
        for _ in &chronicle.words()[1..] {
            shapes.add(S::default());
        }
        for (number, word) in
            (0..).zip(chronicle.words()).filter(|&(number, word)| number != NONE && word.next != NONE)
        {
            shapes.fix(number, word.next);
        }
        for rank in 0..ranks {
            learn(chronicle, rank, &shape, &mut shapes);
        }
        let words = chronicle.words().len();
        let (lengths, sequences, times) = (Vec::new(), Column::default(), Column::default());
        let mut told = Told { shapes, words, lengths, sequences, times };
        for rank in 0..ranks {
            told.tell(chronicle, rank, &shape, &put);
        }
        told
    }

    fn tell<T: Thing>(
        &mut self,
        chronicle: &Chronicle<T>,
        rank: usize,
        shape: impl Fn(&T) -> S,
        put: impl Fn(&T, &mut Clock, &mut Numbers),
    ) {
        self.sequences.begin_rank();
        self.times.begin_rank();
        let mut sequence = Sequence::new(&self.shapes, &mut self.sequences.numbers);
        let begin = chronicle.begin(rank);
        let (mut word, mut last, mut clock) = (NONE, NONE, Clock { end: begin, shown: begin });
        for row in chronicle.written(rank) {
            match row.note() {
                None => {
                    (word, last) = (NONE, self.shapes.find(last, &shape(row)));
                    sequence.push(last);
                    put(row, &mut clock, &mut self.times.numbers);
                }
                Some(Note::Word(number)) => {
                    (word, last) = (number, number);
                    sequence.push(number);
                    clock.pass(chronicle.words()[number as usize].thing.span());
                }
                Some(Note::Again(times)) => {
                    let before = if word == NONE { 1 } else { 0 };
                    if before == 1 {
                        sequence.push(chronicle.words()[NONE as usize].next);
                    }
                    let (end, over) = chronicle.follow(word, clock.end, times);
                    sequence.push_guessed(times - before, end);
                    clock.pass(over.wrapping_sub(clock.end));
                    (word, last) = (end, end);
                }
            }
        }
        self.lengths.push(sequence.finish());
    }

    /// What is not a word, and behind words in the columns of shapes.
    pub fn others(&self) -> impl Iterator<Item = &S> + Clone {
        self.shapes.all().skip(self.words).map(|(shape, _)| shape)
    }

    /// Adds sequences and times to the data, and what mostly comes after each of the shapes.
    pub fn write(self, name: &str, shapes: &str, out: &mut Container) {
        out.section(&format!("{shapes}_next"), self.shapes.all().map(|(_, next)| next));
        out.section(&format!("{name}_length"), self.lengths);
        self.sequences.write(out, &format!("{name}_shapes"));
        self.times.write(out, &format!("{name}_times"));
    }
}

/// Learns which shapes there are, and which follow those that are no words.
fn learn<T: Thing, S: Copy + Default + Eq + Hash>(
    chronicle: &Chronicle<T>,
    rank: usize,
    shape: impl Fn(&T) -> S,
    shapes: &mut Shapes<S>,
) {
    let (mut word, mut last) = (NONE, NONE);
    for row in chronicle.written(rank) {
        let next = match row.note() {
            None => shapes.number(last, &shape(row)),
            Some(Note::Word(number)) => number,
            Some(Note::Again(_)) => chronicle.words()[word as usize].next,
        };
        if chronicle.words().get(last as usize).is_none_or(|word| last == NONE || word.next == NONE) {
            shapes.follow(last, next, 1);
        }
        (word, last) = match row.note() {
            None => (NONE, next),
            Some(Note::Word(number)) => (number, number),
            Some(Note::Again(times)) => {
                let (end, _) = chronicle.follow(word, 0, times);
                (end, end)
            }
        };
    }
}
