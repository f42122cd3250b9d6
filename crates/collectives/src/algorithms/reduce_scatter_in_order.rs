//! Reduce-scatter for operations that do not commute: partners are neighbours first, so that operands stay in order.
//!
//! ```text
//!   subtree doubling, 5 ranks     round 0   0<>1 2<>3           all blocks but those of the own subtree
//!                                 round 1   0<>2 1<>3
//!                                 round 2   0<>4                1, 2 and 3 have no partner:
//!                                           0>2 0>1 2>3         they get what came from 4
//!
//!   mirrored halving, 8 ranks     round k   swap with rank ^ 2^k the blocks that are its own modulo 2^(k+1)
//! ```
//!
//! MPICH uses the second one for powers of two with blocks of the same size, the first one otherwise. The second is that of Bernaschi,
//! Iannello, Lauria: *Efficient implementation of reduce-scatter in MPI* (2002).

use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::doubling_distances;

/// In round `k` a rank gets from the subtree beside its own what that subtree has combined: directly from its partner, or, if it has
/// none, from a rank of its own subtree that has one.
pub(crate) fn subtree_doubling(shape: &Shape, out: &mut Schedule) {
    for distance in doubling_distances(shape.size) {
        let with = shape.rank ^ distance;
        let beside = with & !(distance - 1);
        let incoming = outside(shape, beside, distance).bytes;
        let mut arrived = false;
        if with < shape.size {
            out.exchange(with, outside(shape, shape.rank & !(distance - 1), distance), with, incoming);
            arrived = true;
        }
        if beside < shape.size && beside + distance > shape.size {
            arrived |= spread(shape, beside, distance, out);
        }
        if arrived {
            out.reduce(incoming);
        }
    }
}

/// The ranks of a subtree that have no partner in the one beside it get the blocks from those that have: in each round a rank tells the
/// one at half the distance. Says whether this rank has received them.
fn spread(shape: &Shape, beside: u32, distance: u32, out: &mut Schedule) -> bool {
    let served = shape.size - beside;
    let mut arrived = false;
    for half in doubling_distances(distance).rev() {
        let with = shape.rank ^ half;
        // The subtree of twice that size, and how many of its first ranks have the blocks.
        let top = shape.rank & !(2 * half - 1);
        let has = |rank: u32| rank < top + served;
        if with > shape.rank && has(shape.rank) && !has(with) {
            out.send(with, outside(shape, beside, distance));
            out.carries(passed_on(shape, beside, distance));
        } else if with < shape.rank && has(with) && !has(shape.rank) {
            out.recv(with, outside(shape, beside, distance).bytes);
            arrived = true;
        }
    }
    arrived
}

/// All blocks but those of the subtree of `size` ranks from `first` on.
fn outside(shape: &Shape, first: u32, size: u32) -> Data {
    let (begin, count) = outer_blocks(shape, first, size);
    shape.blocks().span(begin, count)
}

fn passed_on(shape: &Shape, first: u32, size: u32) -> impl Iterator<Item = Piece> + use<> {
    let (begin, count) = outer_blocks(shape, first, size);
    let all = shape.size;
    (0..count).map(move |i| Piece::PassedOn((begin + i) % all))
}

/// Where they begin and how many they are.
fn outer_blocks(shape: &Shape, first: u32, size: u32) -> (u32, u32) {
    let end = (first + size).min(shape.size);
    (end % shape.size, shape.size - (end - first.min(shape.size)))
}

/// What a rank keeps after round `k` are the blocks whose numbers end with the same `k + 1` bits as its own. In a buffer of blocks with
/// mirrored bits they lie next to each other.
pub(crate) fn mirrored_halving(shape: &Shape, out: &mut Schedule) {
    let blocks = shape.blocks();
    let ending =
        |rank: u32, modulus: u32| (0..shape.size).skip((rank % modulus) as usize).step_by(modulus as usize);
    for distance in doubling_distances(shape.size) {
        let (with, modulus) = (shape.rank ^ distance, 2 * distance);
        let bytes = |rank| ending(rank, modulus).map(|block| blocks.block(block).bytes).sum();
        let kept = bytes(shape.rank);
        out.irecv(with, kept);
        out.isend(with, Data::range(0, bytes(with)));
        out.carries(ending(with, modulus).map(Piece::Block));
        out.wait_all();
        out.reduce(kept);
    }
}
