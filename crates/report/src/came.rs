//! What came to a rank: a message to it, or that a message from it was delivered, if it waited for that.
//!
//! Messages are told of right after their bytes have been copied, and then a processor has much to store yet. Reading back in one
//! piece what has just been stored in several waits for all of that. So this is no copy of the record: each field is made from
//! one of its fields.

use mpirage_record::Message;

use crate::by_rank::Ranked;
use crate::chronicle::{Chronicle, Note, Pen, Thing};
use crate::phrases::ahead;

/// A message from its send to its delivery, as one of its ranks sees it. In picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Came {
    /// Delivered so long after the one before.
    since: u64,
    /// From its send to its delivery.
    pub took: u64,
    /// How long after it was sent its bytes started to move, and how long before it was delivered they had arrived.
    pub moved: u64,
    pub early: u64,
    pub bytes: u64,
    /// How to get from the rank to the other.
    pub peer: u32,
    pub tag: i32,
    flags: u32,
    rank: u32,
}

/// It is a part of a collective.
const INNER: u32 = 1;
/// It is from this rank, which waited for its delivery.
const OUTGOING: u32 = 2;
/// Its bytes started to move only when the receiver was there.
const HELD: u32 = 4;
/// The other rank differs from this one in these bits. Otherwise it is so far ahead, and around.
const MIRRORED: u32 = 8;
const WORD: u32 = 16;
const AGAIN: u32 = 32;

impl Came {
    /// For its receiver, or its sender if it is `outgoing`, so long after the message before. The other rank is not told yet.
    #[inline]
    pub fn new(message: &Message, since: u64, inner: bool, outgoing: bool) -> Came {
        let (sent, delivered) = (message.sent.as_picos(), message.delivered.as_picos());
        let flag = |is, flag| if is { flag } else { 0 };
        Came {
            since,
            took: delivered.wrapping_sub(sent),
            moved: message.departed.as_picos().wrapping_sub(sent),
            early: delivered.wrapping_sub(message.arrived.as_picos()),
            bytes: message.bytes,
            peer: 0,
            tag: message.tag,
            flags: flag(inner, INNER) | flag(outgoing, OUTGOING) | flag(message.held, HELD),
            rank: 0,
        }
    }

    /// Are they the same, if the other rank of that one is `other`? From registers.
    #[inline]
    fn is(&self, came: &Came, rank: u32, other: u32, ranks: u32) -> bool {
        let peer = if self.is_mirrored() { rank ^ other } else { ahead(rank, other, ranks) };
        let times = (self.since ^ came.since) | (self.took ^ came.took) | (self.moved ^ came.moved);
        let sizes = (self.early ^ came.early) | (self.bytes ^ came.bytes);
        let others =
            (self.peer ^ peer) | (self.tag ^ came.tag) as u32 | (self.flags & !MIRRORED ^ came.flags);
        times | sizes | u64::from(others) == 0
    }

    #[inline]
    pub fn is_inner(&self) -> bool {
        self.flags & INNER != 0
    }

    #[inline]
    pub fn is_outgoing(&self) -> bool {
        self.flags & OUTGOING != 0
    }

    /// Did its bytes wait for the receiver?
    #[inline]
    pub fn is_held(&self) -> bool {
        self.flags & HELD != 0
    }

    /// Is the other rank told by the bits in which it differs?
    pub fn is_mirrored(&self) -> bool {
        self.flags & MIRRORED != 0
    }

    /// The other rank.
    #[inline]
    pub fn other(&self, rank: u32, ranks: u32) -> u32 {
        if self.is_mirrored() {
            return rank ^ self.peer;
        }
        let behind = ranks - rank;
        if self.peer < behind { rank + self.peer } else { self.peer - behind }
    }
}

impl Ranked for Came {
    #[inline]
    fn rank(&self) -> u32 {
        self.rank
    }
}

impl Thing for Came {
    #[inline]
    fn span(&self) -> u64 {
        self.since
    }

    #[inline]
    fn took(&self) -> u64 {
        0
    }

    #[inline]
    fn of(self, rank: u32) -> Came {
        Came { rank, ..self }
    }

    #[inline]
    fn noted(rank: u32, note: Note) -> Came {
        let (since, flags) = match note {
            Note::Word(word) => (word.into(), WORD),
            Note::Again(times) => (times.into(), AGAIN),
        };
        Came { since, flags, rank, ..Came::default() }
    }

    #[inline]
    fn note(&self) -> Option<Note> {
        match self.flags {
            WORD => Some(Note::Word(self.since as u32)),
            AGAIN => Some(Note::Again(self.since as u32)),
            _ => None,
        }
    }
}

/// All that came to ranks.
pub(crate) type Mail = Chronicle<Came>;

impl Mail {
    /// A message from or to `other` of `ranks` came to a rank. Was it expected?
    #[inline(always)]
    pub fn deliver(&mut self, rank: u32, other: u32, ranks: u32, pen: &mut Pen, came: &Came) -> bool {
        match self.expected(pen) {
            (word, expected) if expected.is(came, rank, other, ranks) => {
                self.confirm(rank, pen, word);
                true
            }
            _ => {
                self.deliver_surprise(rank, other, ranks, pen, came);
                false
            }
        }
    }

    /// Partners of exchanges are mirrored, neighbours ahead: what all ranks have in common is a word for all of them.
    #[inline(never)]
    fn deliver_surprise(&mut self, rank: u32, other: u32, ranks: u32, pen: &mut Pen, came: &Came) {
        let mirrored = Came { peer: rank ^ other, flags: came.flags | MIRRORED, ..*came };
        let ahead = Came { peer: ahead(rank, other, ranks), ..*came };
        self.surprise(rank, pen, &[mirrored, ahead]);
    }
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::testing::{inner_message, message};

    /// The other ranks of what came, all of it in turns.
    fn delivered(ranks: u32, others: impl Fn(u32, u32) -> u32) -> (Mail, Vec<Vec<u32>>) {
        let mut mail = Mail::new(ranks as usize);
        let mut pens = vec![Pen::default(); ranks as usize];
        for turn in 0..100 {
            for rank in 0..ranks {
                let other = others(rank, turn);
                let came = Came::new(&message(other, rank, 8, 1_000, 5_000), 10, false, false);
                mail.deliver(rank, other, ranks, &mut pens[rank as usize], &came);
            }
        }
        mail.settle(pens.iter_mut());
        let read = (0..ranks).map(|rank| {
            let mut read = Vec::new();
            mail.each(rank as usize, |came| read.push(came.other(rank, ranks)));
            read
        });
        let read = read.collect();
        (mail, read)
    }

    #[test]
    fn everybody_has_the_same_partners() {
        let ring = |rank: u32, turn: u32| (rank + 1 + turn % 2) % 64;
        let cube = |rank: u32, turn: u32| rank ^ (1 << (turn % 6));
        for (others, words) in [(&ring as &dyn Fn(u32, u32) -> u32, 4), (&cube, 6)] {
            let (mail, read) = delivered(64, others);
            for (rank, read) in (0..).zip(&read) {
                assert_eq!(*read, (0..100).map(|turn| others(rank, turn)).collect::<Vec<_>>());
            }
            let different: FxHashSet<Came> = mail.words()[1..].iter().map(|word| word.thing).collect();
            assert!(different.len() <= words, "{}", different.len());
            assert!(mail.rows() < 3 * 64, "{}", mail.rows());
        }
    }

    #[test]
    fn messages_are_told_by_both_ranks() {
        let inner = Came::new(&inner_message(3, 5, 100, 900), 7, true, true);
        assert!(inner.is_inner() && inner.is_outgoing() && !inner.is_held());
        let held = Came::new(&Message { held: true, ..message(3, 5, 8, 100, 900) }, 7, false, false);
        assert!(!held.is_inner() && !held.is_outgoing() && held.is_held());
        assert_eq!((held.took, held.moved, held.early, held.span()), (800, 0, 0, 7));
        for note in [Note::Word(7), Note::Again(u32::MAX)] {
            assert_eq!(Came::noted(3, note).note(), Some(note));
        }
    }
}
