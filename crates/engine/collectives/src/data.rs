//! The content of a message.
//!
//! ```text
//!   vector    |·········############·······|    a range of bytes: bcast, reduce, allreduce, scan
//!   blocks    | 0 |#1#|#2#| 3 | 4 |             whole blocks, one per rank: gather, allgather, reduce-scatter
//!   pairs     (2→0) (2→1) (2→4)                 the block of each pair of ranks: all-to-all
//! ```
//!
//! A simulator needs only sizes. But a test wants proof that every rank ends with the data that its collective promises,
//! and a reader wants to see it. So algorithms say what they send, and a [`Schedule`](crate::Schedule) that is annotated keeps it.

use std::fmt;
use std::ops::Range;

/// The content of one message: how many bytes, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Size of the message.
    pub bytes: u64,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Nothing but its arrival counts.
    Nothing,
    /// A range of a vector of `length` bytes, which goes on at its beginning when it runs over the end.
    Range { offset: u64, length: u64 },
    /// Whole blocks from `first` on, around the ring of `of`.
    Blocks { first: u32, count: u32, of: u32 },
    /// A range of a block.
    Part { block: u32, offset: u64 },
    /// The block of one pair of ranks.
    Pair { from: u32, to: u32 },
}

/// A part of what a message carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// These bytes of the vector.
    Bytes(Range<u64>),
    /// The block of a rank.
    Block(u32),
    /// The block of a rank as this rank received it last, before it is combined with its own.
    Received(u32),
    /// These bytes of the block of a rank.
    Part(u32, Range<u64>),
    /// The block that one rank has for another.
    Pair {
        /// The rank whose input it is.
        from: u32,
        /// The rank whose output it is.
        to: u32,
    },
    /// So many bytes that mean nothing: the sender has made the message longer.
    Padding(u64),
}

impl Data {
    /// A message whose arrival is all that counts.
    pub const NOTHING: Data = Data { bytes: 0, what: What::Nothing };

    /// Bytes of the vector from `offset` on.
    pub(crate) fn range(offset: u64, bytes: u64) -> Data {
        Data { bytes, what: What::Range { offset, length: u64::MAX } }
    }

    /// Bytes of a vector of `length` bytes, from `offset` on, around its end.
    pub(crate) fn around(offset: u64, bytes: u64, length: u64) -> Data {
        Data { bytes, what: What::Range { offset, length } }
    }

    /// `count` whole blocks from `first` on, around the ring of all blocks: `bytes` in total.
    pub(crate) fn blocks(first: u32, count: u32, of: u32, bytes: u64) -> Data {
        Data { bytes, what: What::Blocks { first, count, of } }
    }

    /// The whole block of a rank.
    pub(crate) fn block(rank: u32, bytes: u64) -> Data {
        Data::blocks(rank, 1, u32::MAX, bytes)
    }

    /// Bytes of the block of a rank from `offset` on.
    pub(crate) fn part(block: u32, offset: u64, bytes: u64) -> Data {
        Data { bytes, what: What::Part { block, offset } }
    }

    /// A range of bytes that is counted from the beginning of another one.
    pub(crate) fn inside(self, outer: Data) -> Data {
        let (What::Range { offset, .. }, What::Range { offset: base, length }) = (self.what, outer.what)
        else {
            unreachable!("only ranges of bytes have parts")
        };
        Data { bytes: self.bytes, what: What::Range { offset: base + offset, length } }
    }

    /// The block that `from` has for `to`.
    pub(crate) fn pair(from: u32, to: u32, bytes: u64) -> Data {
        Data { bytes, what: What::Pair { from, to } }
    }

    /// Its parts.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        match self.what {
            What::Nothing => vec![],
            What::Range { offset, length } => {
                let end = (offset + self.bytes).min(length);
                let rest = self.bytes - (end - offset);
                [offset..end, 0..rest].into_iter().filter(|r| !r.is_empty()).map(Piece::Bytes).collect()
            }
            What::Blocks { first, count, of } => (0..count)
                .map(|i| Piece::Block(((u64::from(first) + u64::from(i)) % u64::from(of)) as u32))
                .collect(),
            What::Part { block, offset } => vec![Piece::Part(block, offset..offset + self.bytes)],
            What::Pair { from, to } => vec![Piece::Pair { from, to }],
        }
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Bytes(range) => write!(f, "bytes {}..{}", range.start, range.end),
            Piece::Block(rank) => write!(f, "block {rank}"),
            Piece::Received(rank) => write!(f, "block {rank} as received"),
            Piece::Part(rank, range) => write!(f, "bytes {}..{} of block {rank}", range.start, range.end),
            Piece::Pair { from, to } => write!(f, "block {from}→{to}"),
            Piece::Padding(bytes) => write!(f, "{bytes} bytes of padding"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_blocks_run_around() {
        assert_eq!(Data::around(6, 5, 8).pieces(), [Piece::Bytes(6..8), Piece::Bytes(0..3)]);
        assert_eq!(Data::range(6, 5).pieces(), [Piece::Bytes(6..11)]);
        assert_eq!(Data::blocks(2, 2, 3, 9).pieces(), [Piece::Block(2), Piece::Block(0)]);
        assert_eq!(Data::range(2, 3).inside(Data::range(10, 8)).pieces(), [Piece::Bytes(12..15)]);
        assert_eq!(Data::NOTHING.pieces(), []);
    }
}
