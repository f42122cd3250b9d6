//! What calls, and messages, have in common with others: their shapes.
//!
//! Programs repeat themselves. All that a call is besides its times is its shape: function, place, peer relative to the caller,
//! bytes, tag. There are few of them, each is stored once, and each knows which shape came after it when it was first seen.
//! Of a rank it is told where that guess failed:
//!
//! ```text
//! shapes    1: Irecv    2: Isend    3: Waitall          after 1 comes 2, after 2 comes 3, after 3 comes 1
//! a rank    1 2 3 1 2 3 1 2 3 3 1 2                     told as: 9 as guessed, 3, 2 as guessed
//! ```

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::varint::push;

/// No shape: where every rank begins.
pub(crate) const NONE: u32 = 0;

/// All shapes, numbered from 1 as they came.
pub(crate) struct Shapes<S> {
    all: Vec<S>,
    /// What came after each when it was first seen.
    next: Vec<u32>,
    known: FxHashMap<S, u32>,
}

impl<S: Copy + Default + Eq + Hash> Shapes<S> {
    pub fn new() -> Shapes<S> {
        Shapes { all: vec![S::default()], next: vec![NONE], known: FxHashMap::default() }
    }

    /// The number of the shape that comes after the one with number `last`.
    #[inline]
    pub fn after(&mut self, last: u32, shape: &S) -> u32 {
        if self.is_guess(last, shape) { self.next[last as usize] } else { self.look_up(last, shape) }
    }

    /// Is it what was expected to come?
    #[inline]
    pub fn is_guess(&self, last: u32, shape: &S) -> bool {
        let guess = self.next[last as usize];
        guess != NONE && self.all[guess as usize] == *shape
    }

    fn look_up(&mut self, last: u32, shape: &S) -> u32 {
        let number = *self.known.entry(*shape).or_insert_with(|| {
            self.all.push(*shape);
            self.next.push(NONE);
            self.all.len() as u32 - 1
        });
        if self.next[last as usize] == NONE {
            self.next[last as usize] = number;
        }
        number
    }

    /// Has it been seen?
    pub fn is_known(&self, shape: &S) -> bool {
        self.known.contains_key(shape)
    }

    /// What comes after a shape, as a guess.
    #[inline]
    pub fn guess(&self, last: u32) -> u32 {
        self.next[last as usize]
    }

    /// How many there are, the one that is none included.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// All of them, each with the one that comes after it.
    pub fn all(&self) -> impl Iterator<Item = (&S, u32)> + Clone {
        self.all.iter().zip(self.next.iter().copied())
    }
}

/// The shapes of one rank's calls or messages, one after the other.
#[derive(Clone, Default)]
pub(crate) struct Sequence {
    pub last: u32,
    pub count: u32,
    /// How many came as guessed since that was told last.
    guessed: u32,
    told: Vec<u8>,
}

impl Sequence {
    /// The next one; `guess` is what it was expected to be.
    #[inline]
    pub fn push(&mut self, shape: u32, guess: u32) {
        (self.last, self.count) = (shape, self.count + 1);
        if shape == guess {
            self.guessed += 1;
        } else {
            push(&mut self.told, u64::from(std::mem::take(&mut self.guessed)));
            push(&mut self.told, shape.into());
        }
    }

    /// The whole: in turns how many came as guessed, and the one that did not.
    pub fn finish(mut self) -> Vec<u8> {
        if self.guessed > 0 {
            push(&mut self.told, self.guessed.into());
        }
        self.told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(shapes: &mut Shapes<char>, text: &str) -> Vec<u8> {
        let mut sequence = Sequence::default();
        for shape in text.chars() {
            let number = shapes.after(sequence.last, &shape);
            sequence.push(number, shapes.guess(sequence.last));
        }
        sequence.finish()
    }

    #[test]
    fn only_surprises_are_told() {
        let mut shapes = Shapes::new();
        assert_eq!(sequence(&mut shapes, "abcabcabccab"), [9, 3, 2]);
        assert_eq!(sequence(&mut shapes, "abc"), [3]);
        assert_eq!(sequence(&mut shapes, "bca"), [0, 2, 2]);
        assert_eq!(sequence(&mut shapes, "abcd"), [3, 4]);
        assert_eq!(shapes.len(), 5);
        assert_eq!(shapes.all().map(|(_, next)| next).collect::<Vec<_>>(), [1, 2, 3, 1, 0]);
    }
}
