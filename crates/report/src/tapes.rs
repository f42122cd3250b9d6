//! Numbers of many ranks, each rank's on a tape of its own.
//!
//! Ranks take turns, so their tapes grow by a few bytes at a time, all at once. A tape is therefore a chain of short pieces, each a
//! cache line, that are handed out as they are needed: nothing is ever moved to where there is more room, and to go on writing
//! one line has to be near.

use mpirage_call::varint;

/// Bytes of a piece.
const ROOM: usize = 59;
/// Bytes of a number, at most.
const LONGEST: usize = 10;
/// No piece.
const NONE: u32 = 0;

/// All pieces. The first is nobody's: there tapes end that have not begun.
pub(crate) struct Tapes {
    pieces: Vec<Piece>,
    /// The first of the pieces that are free again.
    free: u32,
}

/// A part of a tape: a cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Piece {
    next: u32,
    used: u8,
    bytes: [u8; ROOM],
}

/// Where a tape begins and ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tape {
    first: u32,
    last: u32,
}

impl Tapes {
    pub fn new() -> Tapes {
        Tapes { pieces: vec![Piece { used: ROOM as u8, ..Piece::EMPTY }], free: NONE }
    }

    /// Appends a number: seven bits in each byte, the lowest first.
    #[inline(always)]
    pub fn put(&mut self, tape: &mut Tape, value: u64) {
        let piece = &mut self.pieces[tape.last as usize];
        match piece.bytes.get_mut(usize::from(piece.used)) {
            Some(byte) if value < 0x80 => {
                *byte = value as u8;
                piece.used += 1;
            }
            _ => self.put_long(tape, value),
        }
    }

    /// The same for one that takes several bytes, or another piece. Numbers are never cut in two.
    fn put_long(&mut self, tape: &mut Tape, value: u64) {
        let Some((spread, length)) = varint::spread(value) else { return self.put_very_long(tape, value) };
        // Eight bytes, whatever the length: the next number is written over those that are too many.
        let piece = self.piece_with_room(tape, size_of::<u64>());
        let at = usize::from(piece.used);
        piece.bytes[at..at + size_of::<u64>()].copy_from_slice(&spread.to_le_bytes());
        piece.used += length as u8;
    }

    #[cold]
    fn put_very_long(&mut self, tape: &mut Tape, mut value: u64) {
        let piece = self.piece_with_room(tape, LONGEST);
        let mut more = true;
        while more {
            more = value >= 0x80;
            piece.bytes[usize::from(piece.used)] = value as u8 & 0x7f | u8::from(more) << 7;
            piece.used += 1;
            value >>= 7;
        }
    }

    /// The last piece of a tape, or a new one if that has not so much room.
    #[inline]
    fn piece_with_room(&mut self, tape: &mut Tape, bytes: usize) -> &mut Piece {
        if usize::from(self.pieces[tape.last as usize].used) + bytes > ROOM {
            self.lengthen(tape);
        }
        &mut self.pieces[tape.last as usize]
    }

    #[cold]
    fn lengthen(&mut self, tape: &mut Tape) {
        let new = match self.free {
            NONE => {
                self.pieces.push(Piece::EMPTY);
                self.pieces.len() as u32 - 1
            }
            free => {
                self.free = std::mem::replace(&mut self.pieces[free as usize], Piece::EMPTY).next;
                free
            }
        };
        match tape.last {
            NONE => tape.first = new,
            last => self.pieces[last as usize].next = new,
        }
        tape.last = new;
    }

    /// Nothing is on the tape any more.
    pub fn clear(&mut self, tape: &mut Tape) {
        if tape.first != NONE {
            self.pieces[tape.last as usize].next = self.free;
            self.free = tape.first;
        }
        *tape = Tape::default();
    }

    /// Somebody will go on writing soon.
    #[inline]
    pub fn expect(&self, tape: Tape) {
        mpirage_cache::fetch(&self.pieces[tape.last as usize]);
    }

    /// Appends all that is on a tape to bytes, as it is.
    pub fn copy(&self, tape: Tape, into: &mut Vec<u8>) {
        let mut at = tape.first;
        while at != NONE {
            let piece = &self.pieces[at as usize];
            into.extend_from_slice(&piece.bytes[..usize::from(piece.used)]);
            at = piece.next;
        }
    }

    /// What is on a tape.
    pub fn read(&self, tape: Tape) -> Numbers<'_> {
        let at = if tape.first == NONE { ROOM as u8 } else { 0 };
        Numbers { tapes: self, piece: tape.first, at }
    }
}

impl Piece {
    const EMPTY: Piece = Piece { next: NONE, used: 0, bytes: [0; ROOM] };
}

/// The numbers on a tape, one after the other.
pub(crate) struct Numbers<'a> {
    tapes: &'a Tapes,
    piece: u32,
    at: u8,
}

impl<'a> Numbers<'a> {
    /// The bytes from here to the end of the piece; of another if this one is over.
    #[inline]
    fn ahead(&mut self) -> Option<&'a [u8]> {
        let mut piece = &self.tapes.pieces[self.piece as usize];
        if self.at >= piece.used {
            if piece.next == NONE {
                return None;
            }
            (self.piece, self.at) = (piece.next, 0);
            piece = &self.tapes.pieces[self.piece as usize];
        }
        Some(&piece.bytes[usize::from(self.at)..])
    }
}

impl Iterator for Numbers<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let bytes = self.ahead()?;
        let mut at = 0;
        let value = varint::get(bytes, &mut at);
        self.at += at as u8;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tapes_do_not_disturb_each_other() {
        let mut tapes = Tapes::new();
        let mut all = [Tape::default(); 3];
        let value =
            |tape: u64, nth: u64| (nth + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (7 * (nth + tape) % 64);
        for nth in 0..500 {
            for (tape, at) in all.iter_mut().zip(0..) {
                tapes.put(tape, value(at, nth));
            }
        }
        for (tape, at) in all.iter().zip(0..) {
            assert!(tapes.read(*tape).eq((0..500).map(|nth| value(at, nth))));
            let (mut copied, mut expected) = (Vec::new(), Vec::new());
            tapes.copy(*tape, &mut copied);
            (0..500).for_each(|nth| varint::put(value(at, nth), &mut expected));
            assert_eq!(copied, expected);
        }
        assert_eq!(tapes.read(Tape::default()).next(), None);
        assert_eq!(size_of::<Piece>(), 64);
    }

    #[test]
    fn pieces_are_used_again() {
        let mut tapes = Tapes::new();
        let (mut tape, mut other) = (Tape::default(), Tape::default());
        tapes.put(&mut other, 7);
        for round in 0..10 {
            (0..1_000).for_each(|value| tapes.put(&mut tape, value * round));
            assert!(tapes.read(tape).eq((0..1_000).map(|value| value * round)));
            tapes.clear(&mut tape);
        }
        tapes.clear(&mut Tape::default());
        assert!(tapes.pieces.len() < 60, "{}", tapes.pieces.len());
        assert!(tapes.read(other).eq([7]));
    }
}
