//! What happened to ranks, one thing after the other; what comes again is a word.
//!
//! Programs repeat themselves, and so does what happens to them, down to the picosecond, if nothing disturbs it. A thing that has
//! come before, with the same times, becomes a word, whichever rank it was; and another word, if other things were before it. Each word
//! knows which came after it first. As long as that goes on, a rank only counts:
//!
//! ```text
//! words     1: Irecv, Isend in an instant    2: Waitall of 846 us       after 1 comes 2, after 2 comes 1
//! a rank    1 2 1 2 1 2 1 2, another, 1 2 1 2 1                         8 as expected, another, 5 as expected
//! ```
//!
//! Times are told since the end of the thing before, so that a word is one wherever it comes.

mod cursor;

use std::hash::{BuildHasher, Hash};

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::by_rank::{ByRank, Ranked};
pub(crate) use cursor::{Cursor, Mark};

/// No word: what is before the first, and what is in its place where there is none.
pub(crate) const NONE: u32 = 0;

/// Words, at most.
const MOST: usize = 1 << 16;
/// Things that are remembered, in case they come again.
const REMEMBERED: usize = 1 << 13;
/// Things before a word that make a difference.
const TAIL: usize = 7;

/// Something that happened to a rank.
pub(crate) trait Thing: Ranked + Default + Eq + Hash {
    /// From the end of what was before to its own end, in picoseconds.
    fn span(&self) -> u64;

    /// How much of that it takes itself.
    fn took(&self) -> u64;

    /// The same of a rank.
    fn of(self, rank: u32) -> Self;

    /// A place for a note in a row of things.
    fn noted(rank: u32, note: Note) -> Self;

    /// The note that is here instead of a thing, if one is.
    fn note(&self) -> Option<Note>;
}

/// What is written down instead of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// This word.
    Word(u32),
    /// So many words, each as the one before says.
    Again(u32),
}

/// What happened to a rank.
pub(crate) enum Part<'a, T> {
    /// A thing, and when it was over.
    One(&'a T, u64),
    /// Things one after the other, so many times; when that began, and how long it takes each time.
    Round { things: &'a [T], times: u32, begin: u64, lap: u64 },
}

/// Where a rank is.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pen {
    /// What came last, if it was a word.
    word: u32,
    /// How many have come as expected since anything was written down.
    again: u32,
}

/// A thing that comes again and again.
#[derive(Clone, Copy)]
pub(crate) struct Word<T> {
    /// Nobody's.
    pub thing: T,
    /// What came after it first.
    pub next: u32,
}

/// Where a word is from.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Origin {
    /// The first word that is the same thing, and of the words that were before it.
    base: u32,
    tail: [u32; TAIL],
}

impl Origin {
    /// Of a word for a thing that comes after this one.
    fn after(&self, base: u32) -> Origin {
        Origin { base, tail: std::array::from_fn(|at| *self.tail.get(at + 1).unwrap_or(&self.base)) }
    }
}

/// All that happened, by rank.
pub(crate) struct Chronicle<T> {
    words: Vec<Word<T>>,
    /// The first word that is a thing.
    known: FxHashMap<T, u32>,
    /// Where words are from, and the other way round.
    origins: Vec<Origin>,
    from: FxHashMap<Origin, u32>,
    /// Marks of things that have come, each in a place of its own choice.
    remembered: Vec<u32>,
    rows: ByRank<T>,
    /// When what is written of each rank begins, if not with the run.
    begins: Vec<u64>,
}

impl<T: Thing> Chronicle<T> {
    pub fn new(ranks: usize) -> Chronicle<T> {
        Chronicle {
            // No thing is like it.
            words: vec![Word { thing: T::noted(0, Note::Word(NONE)), next: NONE }],
            known: FxHashMap::default(),
            origins: vec![Origin::default()],
            from: FxHashMap::default(),
            remembered: Vec::new(),
            rows: ByRank::new(ranks),
            begins: Vec::new(),
        }
    }

    /// What is expected of a rank: a word, and what it is. No word, and nothing that could happen, if nothing is.
    #[inline]
    pub fn expected(&self, pen: &Pen) -> (u32, &T) {
        let next = self.words[pen.word as usize].next;
        (next, &self.words[next as usize].thing)
    }

    /// The word that was expected of a rank came.
    #[inline]
    pub fn confirm(&mut self, rank: u32, pen: &mut Pen, word: u32) {
        pen.word = word;
        pen.again += 1;
        if pen.again == u32::MAX {
            self.put_down(rank, pen);
        }
    }

    /// This happened to a rank. It is given as nobody's.
    #[cfg(test)]
    pub fn push(&mut self, rank: u32, pen: &mut Pen, thing: T) {
        match self.expected(pen) {
            (word, expected) if *expected == thing => self.confirm(rank, pen, word),
            _ => self.surprise(rank, pen, &[thing]),
        }
    }

    /// Something else than expected happened to a rank; of `ways` to say it, one that is known is taken.
    pub fn surprise(&mut self, rank: u32, pen: &mut Pen, ways: &[T]) {
        let before = self.origins[pen.word as usize];
        let found = ways.iter().find_map(|way| self.known.get(way).copied());
        let found = found.map(|base| self.find(before.after(base)));
        let Some(word) = found.or_else(|| self.learn(ways, &before)) else {
            self.put_down(rank, pen);
            pen.word = NONE;
            return self.rows.push(ways[0].of(rank));
        };
        let Origin { base, tail } = self.origins[word as usize];
        match self.words[pen.word as usize].next {
            // What follows others does not tell what follows it here.
            NONE if before.after(base).tail == tail => self.words[pen.word as usize].next = word,
            expected if expected == word => {}
            _ => {
                self.put_down(rank, pen);
                pen.word = word;
                return self.rows.push(T::noted(rank, Note::Word(word)));
            }
        }
        self.confirm(rank, pen, word);
    }

    /// The word from there; the first that is the same thing, if there is none.
    fn find(&mut self, origin: Origin) -> u32 {
        if let Some(&found) = self.from.get(&origin) {
            return found;
        }
        if !self.has_come(&origin) {
            return origin.base;
        }
        self.add(self.words[origin.base as usize].thing, origin)
    }

    /// A new word after others, if a thing has come before in one of these ways.
    fn learn(&mut self, ways: &[T], before: &Origin) -> Option<u32> {
        let thing = *ways.iter().find(|way| self.has_come(way))?;
        let base = self.words.len() as u32;
        self.known.insert(thing, base);
        Some(self.add(thing, before.after(base)))
    }

    /// Has it come before, and may be a word? The answer can be no although it has: not everything can be remembered.
    fn has_come(&mut self, what: &impl Hash) -> bool {
        if self.words.len() >= MOST {
            return false;
        }
        if self.remembered.is_empty() {
            self.remembered.resize(REMEMBERED, 0);
        }
        let hash = FxBuildHasher.hash_one(what);
        let (place, mark) = ((hash >> 48) as usize % REMEMBERED, hash as u32 | 1);
        std::mem::replace(&mut self.remembered[place], mark) == mark
    }

    fn add(&mut self, thing: T, origin: Origin) -> u32 {
        let number = self.words.len() as u32;
        self.words.push(Word { thing, next: NONE });
        self.origins.push(origin);
        self.from.insert(origin, number);
        number
    }

    /// Writes down what a rank has only counted.
    fn put_down(&mut self, rank: u32, pen: &mut Pen) {
        if pen.again > 0 {
            self.rows.push(T::noted(rank, Note::Again(std::mem::take(&mut pen.again))));
        }
    }

    /// Is it time to put a portion in order?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.rows.is_full()
    }

    /// Puts in order what is written, if that is a portion.
    pub fn sort(&mut self) {
        if self.rows.is_full() {
            self.rows.settle();
        }
    }

    /// Everything is to be read: what these ranks have counted is written down, and rows are put in order.
    pub fn settle<'a>(&mut self, pens: impl Iterator<Item = &'a mut Pen>) {
        for (rank, pen) in (0..).zip(pens) {
            self.put_down(rank, pen);
        }
        self.rows.settle();
    }

    /// How much memory it takes, in rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Lets go of all but words. It has been settled, for each rank until that time.
    pub fn clear<'a>(&mut self, ranks: impl Iterator<Item = (&'a mut Pen, u64)>) {
        self.rows.clear();
        self.begins.clear();
        self.begins.extend(ranks.map(|(pen, end)| {
            pen.word = NONE;
            end
        }));
    }

    /// When what is written of a rank begins.
    pub fn begin(&self, rank: usize) -> u64 {
        self.begins.get(rank).copied().unwrap_or(0)
    }

    /// The word so many after one, and when it is over if that one was over at `end`.
    pub fn follow(&self, word: u32, end: u64, times: u32) -> (u32, u64) {
        self.again(word, end, times, &mut |_| {})
    }

    /// All words; the first is none.
    pub fn words(&self) -> &[Word<T>] {
        &self.words
    }

    /// What is written of a rank, in order.
    pub fn written(&self, rank: usize) -> impl Iterator<Item = &T> {
        self.rows.of(rank).flatten()
    }

    /// Tells of all that happened to a rank, from where it [begins](Chronicle::begin); of what goes in circles once.
    pub fn parts(&self, rank: usize, mut tell: impl FnMut(Part<'_, T>)) {
        let (mut word, mut end) = (NONE, self.begin(rank));
        for row in self.written(rank) {
            let (thing, times) = match row.note() {
                None => {
                    word = NONE;
                    (row, 0)
                }
                Some(Note::Word(number)) => {
                    word = number;
                    (&self.words[number as usize].thing, 0)
                }
                Some(Note::Again(times)) => (row, times),
            };
            if times == 0 {
                end = end.wrapping_add(thing.span());
                tell(Part::One(thing, end));
            } else {
                (word, end) = self.again(word, end, times, &mut tell);
            }
        }
    }

    /// Tells of so many words after one that was over at `end`; gives the last, and when it is over.
    fn again(&self, word: u32, end: u64, times: u32, tell: &mut impl FnMut(Part<'_, T>)) -> (u32, u64) {
        let (mut at, mut over, mut left) = (word, end, times);
        // Where it was a while ago, after ever longer whiles (Brent's way to find out that one goes in circles).
        let (mut seen, mut steps, mut patience) = (NONE, 0, 1);
        while left > 0 {
            at = self.words[at as usize].next;
            let thing = &self.words[at as usize].thing;
            over = over.wrapping_add(thing.span());
            tell(Part::One(thing, over));
            (left, steps) = (left - 1, steps + 1);
            if at == seen && left >= 2 * steps {
                let round = self.round(at, steps);
                let (times, lap) = (left / steps, round.iter().map(T::span).fold(0, u64::wrapping_add));
                tell(Part::Round { things: &round, times, begin: over, lap });
                over = over.wrapping_add(lap.wrapping_mul(times.into()));
                left -= times * steps;
                seen = NONE;
            } else if steps == patience {
                (seen, steps, patience) = (at, 0, 2 * patience);
            }
        }
        (at, over)
    }

    /// So many things after a word.
    fn round(&self, mut word: u32, length: u32) -> Vec<T> {
        let next = (0..length).map(|_| {
            word = self.words[word as usize].next;
            self.words[word as usize].thing
        });
        next.collect()
    }

    /// Tells of all that happened to a rank, one by one.
    #[cfg(test)]
    pub fn each(&self, rank: usize, mut tell: impl FnMut(&T)) {
        self.parts(rank, |part| match part {
            Part::One(thing, _) => tell(thing),
            Part::Round { things, times, .. } => {
                for _ in 0..times {
                    things.iter().for_each(&mut tell);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter, and how long it takes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(super) struct Letter {
        letter: char,
        took: u64,
        rank: u32,
        note: u32,
    }

    impl Letter {
        pub fn new(letter: char) -> Letter {
            Letter { letter, took: letter as u64 % 10, ..Letter::default() }
        }

        pub fn letter(&self) -> char {
            self.letter
        }
    }

    impl Ranked for Letter {
        fn rank(&self) -> u32 {
            self.rank
        }
    }

    impl Thing for Letter {
        fn span(&self) -> u64 {
            self.took + 1
        }

        fn took(&self) -> u64 {
            self.took
        }

        fn of(self, rank: u32) -> Letter {
            Letter { rank, ..self }
        }

        fn noted(rank: u32, note: Note) -> Letter {
            let (note, took) = match note {
                Note::Word(word) => (1, word),
                Note::Again(times) => (2, times),
            };
            Letter { letter: ' ', took: took.into(), rank, note }
        }

        fn note(&self) -> Option<Note> {
            match self.note {
                1 => Some(Note::Word(self.took as u32)),
                2 => Some(Note::Again(self.took as u32)),
                _ => None,
            }
        }
    }

    /// What ranks say, letter by letter in turns.
    pub(super) fn said(texts: &[&str]) -> Chronicle<Letter> {
        let mut chronicle = Chronicle::new(texts.len());
        let mut pens = vec![Pen::default(); texts.len()];
        let mut texts: Vec<_> = texts.iter().map(|text| text.chars()).collect();
        for turn in 0.. {
            let mut any = false;
            for (rank, text) in texts.iter_mut().enumerate() {
                if let Some(letter) = text.next() {
                    chronicle.push(rank as u32, &mut pens[rank], Letter::new(letter));
                    any = true;
                }
            }
            if turn % 7 == 0 {
                chronicle.settle(pens.iter_mut());
            }
            if !any {
                break;
            }
        }
        chronicle.settle(pens.iter_mut());
        chronicle
    }

    #[test]
    fn all_that_was_said_can_be_read() {
        let long = "xyz".repeat(500) + "abq" + &"xyz".repeat(20);
        let texts = ["abcabcabcabc", "abcabcabdabcab", "", "qwertyuiopasdfghjkl", "zzzzzzzzz", &long];
        let chronicle = said(&texts);
        for (rank, text) in texts.iter().enumerate() {
            let mut read = String::new();
            chronicle.each(rank, |letter| read.push(letter.letter()));
            assert_eq!(read, *text);
        }
        let rows = |rank: usize| chronicle.written(rank).count();
        assert!(rows(5) < 300, "{}", rows(5));
        assert_eq!(rows(3), texts[3].len(), "nothing comes again");
    }

    #[test]
    fn one_of_several_ways_is_enough() {
        let mut chronicle = Chronicle::new(1);
        let mut pen = Pen::default();
        let ways = |other| [Letter::new(other), Letter::new('x')];
        for other in "abcdefgh".chars() {
            chronicle.surprise(0, &mut pen, &ways(other));
        }
        chronicle.settle([&mut pen].into_iter());
        let mut read = String::new();
        chronicle.each(0, |letter| read.push(letter.letter()));
        assert_eq!(read, "axxxxxxx");
    }
}
