//! What calls, and messages, have in common with others: their shapes.
//!
//! Programs repeat themselves. All that a call is besides its times is its shape: function, place, peer relative to the caller,
//! bytes, tag. There are few of them, each is stored once, and each knows which shape mostly comes after it. Of a rank it is
//! told where that guess fails:
//!
//! ```text
//! shapes    1: Irecv    2: Isend    3: Waitall          after 1 comes 2, after 2 comes 3, after 3 comes 1
//! a rank    1 2 3 1 2 3 1 2 3 3 1 2                     told as: 9 as guessed, 3, 2 as guessed
//! ```

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::columns::Numbers;

/// No shape: where every rank begins.
pub(crate) const NONE: u32 = 0;

/// All shapes, numbered from 1 as they came.
pub(crate) struct Shapes<S> {
    all: Vec<S>,
    following: Vec<Following>,
    known: FxHashMap<S, u32>,
}

/// What comes after a shape.
#[derive(Clone, Copy, Default)]
struct Following {
    /// What came when it was looked up last.
    last: u32,
    /// What comes most often, if anything comes more than half of the time (Boyer and Moore's vote).
    mostly: u32,
    votes: u32,
}

impl<S: Copy + Default + Eq + Hash> Shapes<S> {
    pub fn new() -> Shapes<S> {
        Shapes { all: vec![S::default()], following: vec![Following::default()], known: FxHashMap::default() }
    }

    /// The number of a shape, quickly if it is what came after the one with number `last` the last time.
    #[inline]
    pub fn number(&mut self, last: u32, shape: &S) -> u32 {
        let expected = self.following[last as usize].last;
        if expected != NONE && self.all[expected as usize] == *shape {
            return expected;
        }
        let number = self.look_up(shape);
        self.following[last as usize].last = number;
        number
    }

    /// The shape with one number has come after that with another, so many times.
    #[inline]
    pub fn follow(&mut self, last: u32, number: u32, times: u32) {
        self.following[last as usize].count(number, times);
    }

    /// After a shape comes always that one, as a guess.
    pub fn fix(&mut self, last: u32, next: u32) {
        self.following[last as usize] = Following { last: next, mostly: next, votes: u32::MAX };
    }

    /// A new one, which nobody looks up; gives its number.
    pub fn add(&mut self, shape: S) -> u32 {
        self.all.push(shape);
        self.following.push(Following::default());
        self.all.len() as u32 - 1
    }

    /// The number of a shape that is known, quickly if it is what was looked up after the one with number `last` the last time.
    #[inline]
    pub fn find(&self, last: u32, shape: &S) -> u32 {
        let expected = self.following[last as usize].last;
        if expected != NONE && self.all[expected as usize] == *shape {
            return expected;
        }
        self.known.get(shape).copied().unwrap_or(NONE)
    }

    fn look_up(&mut self, shape: &S) -> u32 {
        if let Some(&number) = self.known.get(shape) {
            return number;
        }
        let number = self.add(*shape);
        self.known.insert(*shape, number);
        number
    }

    /// What comes after a shape, as a guess.
    #[inline]
    pub fn guess(&self, last: u32) -> u32 {
        self.following[last as usize].mostly
    }

    /// How many there are, the one that is none included.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// All of them, each with the one that mostly comes after it.
    pub fn all(&self) -> impl Iterator<Item = (&S, u32)> + Clone {
        self.all.iter().zip(self.following.iter().map(|following| following.mostly))
    }
}

/// A sequence of shapes as it is told: in turns how many come as guessed, and one that does not.
pub(crate) struct Sequence<'a, S> {
    shapes: &'a Shapes<S>,
    told: &'a mut Numbers,
    last: u32,
    guessed: u64,
    count: u32,
}

impl<'a, S: Copy + Default + Eq + Hash> Sequence<'a, S> {
    /// A rank's, to be told behind those of others.
    pub fn new(shapes: &'a Shapes<S>, told: &'a mut Numbers) -> Sequence<'a, S> {
        Sequence { shapes, told, last: NONE, guessed: 0, count: 0 }
    }

    #[inline]
    pub fn push(&mut self, shape: u32) {
        if shape == self.shapes.guess(self.last) {
            self.guessed += 1;
        } else {
            self.told.put(std::mem::take(&mut self.guessed));
            self.told.put(shape.into());
        }
        self.last = shape;
        self.count += 1;
    }

    /// So many that come as guessed, up to this one.
    #[inline]
    pub fn push_guessed(&mut self, count: u32, last: u32) {
        self.guessed += u64::from(count);
        self.count += count;
        self.last = last;
    }

    /// Nothing comes after it; gives the length.
    pub fn finish(self) -> u32 {
        if self.guessed > 0 {
            self.told.put(self.guessed);
        }
        self.count
    }
}

impl Following {
    #[inline]
    fn count(&mut self, shape: u32, times: u32) {
        if self.mostly == shape {
            self.votes = self.votes.saturating_add(times);
        } else if self.votes < times {
            (self.mostly, self.votes) = (shape, times - self.votes);
        } else {
            self.votes -= times;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(shapes: &Shapes<char>, numbers: &[u32]) -> Vec<u8> {
        let mut told = Numbers::default();
        let mut sequence = Sequence::new(shapes, &mut told);
        numbers.iter().for_each(|&number| sequence.push(number));
        assert_eq!(sequence.finish() as usize, numbers.len());
        told.finish()
    }

    fn numbers(shapes: &mut Shapes<char>, text: &str) -> Vec<u32> {
        let mut last = NONE;
        let mut number = |shape| {
            let number = shapes.number(last, &shape);
            shapes.follow(last, number, 1);
            last = number;
            last
        };
        text.chars().map(&mut number).collect()
    }

    #[test]
    fn only_surprises_are_told() {
        let mut shapes = Shapes::new();
        let texts = ["abcabcabccab", "abc", "bca", "abcd"];
        let ranks = texts.map(|text| numbers(&mut shapes, text));
        let told = ranks.map(|rank| told(&shapes, &rank));
        assert_eq!(told, [vec![9, 3, 2], vec![3], vec![0, 2, 2], vec![3, 4]]);
        assert_eq!(shapes.len(), 5);
        assert_eq!(shapes.all().map(|(_, next)| next).collect::<Vec<_>>(), [1, 2, 3, 1, 0]);
    }

    #[test]
    fn who_comes_first_does_not_decide() {
        let mut shapes = Shapes::new();
        numbers(&mut shapes, "ax");
        let rank = numbers(&mut shapes, "abababab");
        assert_eq!(told(&shapes, &rank), [8]);
    }
}
