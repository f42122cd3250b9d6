//! A log as the page reads it.
//!
//! The page gets one table of symbols. It has the symbols of the [log](super), with their times, and a symbol for each *shape* of a
//! literal: everything but its times. The times of literals follow one by one, in nanoseconds. Each symbol of the page has a successor
//! too. For each rank, the page gets a list of numbers: how many symbols are the successors of those before them, the number of a symbol
//! that is not, and so on.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::{Entry, Event, EventLog, NONE};
use crate::columns::{Column, Numbers};
use crate::container::Container;

/// Picoseconds of a nanosecond.
const NANO: u64 = 1_000;
/// When there are this many shapes, those with sizes that are new get their sizes with their times.
const MANY_SHAPES: usize = 1 << 12;

/// An event that the page can read.
pub(crate) trait Encode: Event {
    /// Everything of a literal but its times.
    type Shape: Copy + Eq + Hash;

    fn shape(&self) -> Self::Shape;

    /// The same without its size, which is then written with its times.
    fn shape_without_size(&self) -> Self::Shape;

    /// Writes the times of a literal that has this shape.
    fn write_times(&self, shape: &Self::Shape, clock: &mut Clock, out: &mut Numbers);
}

/// The end of a rank's last event, exactly and as the page knows it.
pub(crate) struct Clock {
    pub end: u64,
    shown: u64,
}

impl Clock {
    /// Nanoseconds from what the page knows to `time`, which the page knows from now on.
    #[inline]
    pub fn advance_to(&mut self, time: u64) -> i64 {
        let picos = time.wrapping_sub(self.shown) as i64;
        let nanos = (picos + NANO as i64 / 2).div_euclid(NANO as i64);
        self.shown = self.shown.wrapping_add((nanos * NANO as i64) as u64);
        nanos
    }

    /// Passes events whose times the page knows exactly.
    fn pass(&mut self, span: u64) {
        self.end = self.end.wrapping_add(span);
        self.shown = self.shown.wrapping_add(span);
    }
}

/// Picoseconds in nanoseconds.
#[inline]
pub(crate) fn nanos(picos: u64) -> u64 {
    (picos + NANO / 2) / NANO
}

/// The events of all ranks, encoded.
pub(crate) struct EncodedLog<E: Encode> {
    shapes: Vec<E::Shape>,
    numbers: FxHashMap<E::Shape, u32>,
    /// The successor of each symbol.
    next: Vec<u32>,
    /// The number of events of each rank.
    lengths: Vec<u32>,
    symbols: Column,
    times: Column,
}

/// The list of a rank while it is written.
struct Sequence {
    last: u32,
    /// Successors since the last number.
    predicted: u64,
    length: u32,
}

impl<E: Encode> EncodedLog<E> {
    pub fn new(log: &EventLog<E>) -> EncodedLog<E> {
        let mut next: Vec<u32> = log.symbols.iter().map(|symbol| symbol.next).collect();
        // Every rank begins after symbol `NONE`, whose successor in the log is that after a literal.
        next[NONE as usize] = NONE;
        let mut encoded = EncodedLog {
            shapes: Vec::new(),
            numbers: FxHashMap::default(),
            next,
            lengths: Vec::with_capacity(log.ranks()),
            symbols: Column::default(),
            times: Column::default(),
        };
        for rank in 0..log.ranks() {
            encoded.add_rank(log, rank);
        }
        encoded
    }

    fn add_rank(&mut self, log: &EventLog<E>, rank: usize) {
        self.symbols.begin_rank();
        self.times.begin_rank();
        let begin = log.begin(rank);
        let mut clock = Clock { end: begin, shown: begin };
        let mut sequence = Sequence { last: NONE, predicted: 0, length: 0 };
        let mut symbol = NONE;
        for entry in log.rows.of(rank) {
            match entry {
                Entry::Literal(event) => {
                    let (number, shape) = self.number(event);
                    self.push(&mut sequence, number);
                    event.write_times(&shape, &mut clock, &mut self.times.numbers);
                    symbol = NONE;
                }
                Entry::Symbol(number) => {
                    symbol = *number;
                    self.push(&mut sequence, symbol);
                    clock.pass(log.symbols[symbol as usize].event.span());
                }
                Entry::Repeat(count) => {
                    // The first one's successor may differ: the page knows the literal before it.
                    self.push(&mut sequence, log.symbols[symbol as usize].next);
                    let (last, end) = log.follow(symbol, clock.end, *count, &mut |_| {});
                    sequence.repeat(*count - 1, last);
                    clock.pass(end.wrapping_sub(clock.end));
                    symbol = last;
                }
            }
        }
        if sequence.predicted > 0 {
            self.symbols.numbers.put(sequence.predicted);
        }
        self.lengths.push(sequence.length);
    }

    /// Writes the next symbol of a rank.
    #[inline]
    fn push(&mut self, sequence: &mut Sequence, symbol: u32) {
        let next = &mut self.next[sequence.last as usize];
        if *next == NONE {
            *next = symbol;
        }
        if *next == symbol {
            return sequence.repeat(1, symbol);
        }
        self.symbols.numbers.put(std::mem::take(&mut sequence.predicted));
        self.symbols.numbers.put(symbol.into());
        (sequence.last, sequence.length) = (symbol, sequence.length + 1);
    }

    /// The symbol of a literal.
    fn number(&mut self, event: &E) -> (u32, E::Shape) {
        let mut shape = event.shape();
        if self.shapes.len() >= MANY_SHAPES && !self.numbers.contains_key(&shape) {
            shape = event.shape_without_size();
        }
        let number = *self.numbers.entry(shape).or_insert_with(|| {
            self.shapes.push(shape);
            self.next.push(NONE);
            self.next.len() as u32 - 1
        });
        (number, shape)
    }

    /// Adds the lists to the data, under `name`, and the successors of symbols to the table `table`.
    pub fn write(self, name: &str, table: &str, out: &mut Container) {
        out.section(&format!("{table}_next"), self.next);
        out.section(&format!("{name}_length"), self.lengths);
        self.symbols.write(out, &format!("{name}_symbols"));
        self.times.write(out, &format!("{name}_times"));
    }

    /// A column of the table of symbols: of no symbol, of those of the log, of those of shapes.
    pub fn column<T: Default>(
        &self,
        log: &EventLog<E>,
        of_event: impl Fn(&E) -> T,
        of_shape: impl Fn(&E::Shape) -> T,
    ) -> Vec<T> {
        let events = log.symbols[1..].iter().map(|symbol| of_event(&symbol.event));
        std::iter::once(T::default()).chain(events).chain(self.shapes.iter().map(of_shape)).collect()
    }
}

impl Sequence {
    /// Adds `count` successors, of which `last` is the last.
    #[inline]
    fn repeat(&mut self, count: u32, last: u32) {
        self.predicted += u64::from(count);
        self.length += count;
        self.last = last;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Letter, log_of};
    use super::*;

    impl Encode for Letter {
        type Shape = char;

        fn shape(&self) -> char {
            self.0
        }

        fn shape_without_size(&self) -> char {
            self.0
        }

        fn write_times(&self, _: &char, _: &mut Clock, out: &mut Numbers) {
            out.put(self.0.into());
        }
    }

    /// The text of a rank, read as the page reads it.
    fn decoded(encoded: &EncodedLog<Letter>, letters: &[char], rank: usize) -> String {
        let mut numbers = encoded.symbols.read(rank);
        let (mut last, mut predicted, mut text) = (0, numbers.next(), String::new());
        for _ in 0..encoded.lengths[rank] {
            last = match predicted {
                Some(0) => {
                    let given = numbers.next().unwrap() as u32;
                    predicted = numbers.next();
                    given
                }
                count => {
                    predicted = count.map(|count| count - 1);
                    encoded.next[last as usize]
                }
            };
            text.push(letters[last as usize]);
        }
        text
    }

    #[test]
    fn the_page_reads_what_was_logged() {
        let long = "abqxx".to_owned() + &"xyz".repeat(500) + "abq" + &"xyz".repeat(20);
        let texts =
            ["abcabcabcabc", "abcabcabdabcab", "", "qwertyuiopasdfghjkl", "zzzzzzzzz", &long, "zxcvbqwerty"];
        let log = log_of(&texts);
        let encoded = EncodedLog::new(&log);
        let letters = encoded.column(&log, |letter| letter.0, |&letter| letter);
        for (rank, text) in texts.iter().enumerate() {
            assert_eq!(decoded(&encoded, &letters, rank), *text);
        }
    }
}
