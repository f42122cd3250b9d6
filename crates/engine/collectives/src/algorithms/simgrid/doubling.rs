//! Recursive doubling for any number of ranks, as MPICH had it before 2005 and SimGrid still has it.
//!
//! ```text
//!   6 members, third round: 0 and 1 swap with 4 and 5; 2 and 3 have no partners
//!
//!      0   1   2   3 │ 4   5          what 0 and 1 have received goes on to 2 and 3,
//!      └───┼───┼───┼─┘   │            down a binomial tree
//!          └───┼───┼─────┘
//! ```
//!
//! In round k a member has the blocks of the aligned group of 2^k members around it. Where the partner's group is not complete,
//! the members that have a partner forward what they have received to those that have none.
//!
//! Thakur, Rabenseifner, Gropp: *Optimization of collective communication operations in MPICH* (2005), section 3;
//! `allgather__rdb`, `allgatherv__mpich_rdb` and `alltoall__rdb` in SimGrid 3.32.

use std::ops::Range;

use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;

/// One action of a member. Ranges are of members whose blocks a message carries.
pub(super) enum Move {
    /// Swaps with a member.
    Swap { with: u32, given: Range<u32>, taken: Range<u32> },
    /// Passes blocks on to a member that had no partner.
    Forward { to: u32, blocks: Range<u32> },
    /// Had no partner: gets the blocks from a member that had one.
    Get { from: u32, blocks: Range<u32> },
}

/// The moves of member `me` of `size`, in order. A [`Move::Forward`] passes on the data of the previous move.
pub(super) fn moves(me: u32, size: u32) -> Vec<Move> {
    let mut moves = vec![];
    for bit in 0..size.next_power_of_two().ilog2() {
        let distance = 1 << bit;
        let group = |member: u32| {
            let first = member & !(distance - 1);
            first..(first + distance).min(size)
        };
        let with = me ^ distance;
        if with < size {
            moves.push(Move::Swap { with, given: group(me), taken: group(with) });
        }
        let theirs = group(with);
        if theirs.start < size && theirs.end < theirs.start + distance {
            forward(me, bit, group(me).start, &theirs, &mut moves);
        }
    }
    moves
}

/// Members of the group that begins at `first` pass `blocks` down a binomial tree; as many as there are blocks have them already.
fn forward(me: u32, bits: u32, first: u32, blocks: &Range<u32>, moves: &mut Vec<Move>) {
    debug_assert_eq!(first, me >> bits << bits);
    let complete = blocks.end - blocks.start;
    for bit in (0..bits).rev() {
        let other = me ^ (1 << bit);
        // Within each subtree the same number of its first members have the blocks.
        let have = (me >> (bit + 1) << (bit + 1)) + complete;
        if me < have && other >= have && other > me {
            moves.push(Move::Forward { to: other, blocks: blocks.clone() });
        } else if other < have && me >= have && other < me {
            moves.push(Move::Get { from: other, blocks: blocks.clone() });
        }
    }
}

/// Performs the moves: `bytes` and `send` say what the blocks of some members are.
pub(super) fn gather(
    moves: &[Move],
    out: &mut Schedule,
    rank: impl Fn(u32) -> u32,
    data: impl Fn(&Range<u32>) -> Data,
) {
    for step in moves {
        match step {
            Move::Swap { with, given, taken } => {
                out.exchange(rank(*with), data(given), rank(*with), data(taken).bytes);
            }
            Move::Forward { to, blocks } => out.send(rank(*to), data(blocks)),
            Move::Get { from, blocks } => out.recv(rank(*from), data(blocks).bytes),
        }
    }
}

/// For allgather and allgatherv.
pub(crate) fn allgather(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let data = |range: &Range<u32>| blocks.span(range.start, range.end - range.start);
    gather(&moves(shape.rank, shape.size), out, |member| member, data);
}

/// Gathers the whole input of all ranks at all ranks; each then picks what it wants.
pub(crate) fn alltoall(shape: &Shape, out: &mut Schedule) {
    let bytes = |range: &Range<u32>| u64::from(range.end - range.start) * u64::from(shape.size) * shape.bytes;
    let pairs = |range: &Range<u32>| {
        range
            .clone()
            .flat_map(|from| (0..shape.size).map(move |to| Piece::Pair { from, to }))
            .collect::<Vec<_>>()
    };
    for step in moves(shape.rank, shape.size) {
        match step {
            Move::Swap { with, given, taken } => {
                out.irecv(with, bytes(&taken));
                out.isend(with, Data::range(0, bytes(&given)));
                out.carries(pairs(&given));
                out.wait_all();
            }
            Move::Forward { to, blocks } => {
                out.send(to, Data::range(0, bytes(&blocks)));
                out.carries(pairs(&blocks));
            }
            Move::Get { from, blocks } => out.recv(from, bytes(&blocks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every member ends with all blocks, and sends only what it has.
    #[test]
    fn all_members_get_all_blocks() {
        for size in 1..70u32 {
            let mut has: Vec<Vec<bool>> =
                (0..size).map(|me| (0..size).map(|block| block == me).collect()).collect();
            let mut todo: Vec<_> = (0..size).map(|me| moves(me, size)).collect();
            todo.iter_mut().for_each(|moves| moves.reverse());
            while todo.iter().any(|moves| !moves.is_empty()) {
                let before: usize = todo.iter().map(Vec::len).sum();
                for me in 0..size {
                    step(me, &mut todo, &mut has);
                }
                assert!(todo.iter().map(Vec::len).sum::<usize>() < before, "{size}: deadlock");
            }
            assert!(has.iter().flatten().all(|&has| has), "{size}");
        }
    }

    /// Performs the next move of a member if it gives blocks to a member that takes them now.
    fn step(me: u32, todo: &mut [Vec<Move>], has: &mut [Vec<bool>]) {
        let (with, given, back) = match todo[me as usize].last() {
            Some(Move::Swap { with, given, taken }) => (*with, given.clone(), Some(taken.clone())),
            Some(Move::Forward { to, blocks }) => (*to, blocks.clone(), None),
            _ => return,
        };
        let ready = match (todo[with as usize].last(), &back) {
            (Some(Move::Swap { with, .. }), Some(_)) => *with == me,
            (Some(Move::Get { from, .. }), None) => *from == me,
            _ => false,
        };
        if ready {
            pass(has, me, with, &given);
            if let Some(taken) = back {
                pass(has, with, me, &taken);
            }
            todo[me as usize].pop();
            todo[with as usize].pop();
        }
    }

    fn pass(has: &mut [Vec<bool>], from: u32, to: u32, blocks: &Range<u32>) {
        for block in blocks.clone() {
            assert!(
                has[from as usize][block as usize],
                "{from} sends block {block} to {to} without having it"
            );
            has[to as usize][block as usize] = true;
        }
    }
}
