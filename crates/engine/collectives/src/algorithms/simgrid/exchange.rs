//! All-to-alls of SimGrid in rounds that are kept apart by barriers or by messages of one byte.
//!
//! ```text
//!   round i      pair: swap with rank ^ i             ring: send to rank + i, receive from rank - i
//!   one          a barrier before the first round
//!   mpi          a barrier before each round, the one with oneself included
//!   light        one byte to and from the partners of the next round
//! ```
//!
//! Faraj, Yuan: *Automatic generation and tuning of MPI collective communication routines* (2005), as SimGrid 3.32 has them in
//! `src/smpi/colls/alltoall`. The barrier is the one of SimGrid's default selection.

use mpirage_call::{Parameters, SendStyle};

use crate::algorithms::barrier;
use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;

/// Whom a rank sends to and receives from in a round.
type Partners = fn(&Shape, u32) -> (u32, u32);

fn pair(shape: &Shape, round: u32) -> (u32, u32) {
    (shape.rank ^ round, shape.rank ^ round)
}

fn ring(shape: &Shape, round: u32) -> (u32, u32) {
    (shape.after(round), shape.before(round))
}

fn swap_blocks(shape: &Shape, partners: Partners, round: u32, out: &mut Schedule) {
    let (to, from) = partners(shape, round);
    out.exchange(to, Data::pair(shape.rank, to, shape.sent_to(to)), from, shape.received_from(from));
}

/// The barrier of SimGrid's default selection.
fn barrier(shape: &Shape, out: &mut Schedule) {
    let parameters = Parameters { sends: SendStyle::AtOnce, ..shape.parameters };
    barrier::linear(&Shape { parameters, ..*shape }, out);
}

/// One barrier, then all rounds.
fn after_a_barrier(shape: &Shape, partners: Partners, out: &mut Schedule) {
    barrier(shape, out);
    out.next_slot();
    (1..shape.size).for_each(|round| swap_blocks(shape, partners, round, out));
}

pub(crate) fn pair_one_barrier(shape: &Shape, out: &mut Schedule) {
    after_a_barrier(shape, pair, out);
}

pub(crate) fn ring_one_barrier(shape: &Shape, out: &mut Schedule) {
    after_a_barrier(shape, ring, out);
}

/// A barrier before each round.
fn between_barriers(shape: &Shape, partners: Partners, out: &mut Schedule) {
    barrier(shape, out);
    for round in 1..shape.size {
        barrier(shape, out);
        swap_blocks(shape, partners, round, out);
    }
}

pub(crate) fn pair_barriers(shape: &Shape, out: &mut Schedule) {
    between_barriers(shape, pair, out);
}

pub(crate) fn ring_barriers(shape: &Shape, out: &mut Schedule) {
    between_barriers(shape, ring, out);
}

/// Between rounds, a rank lets those it receives from know that it is ready.
fn between_signals(shape: &Shape, partners: Partners, out: &mut Schedule) {
    for round in 1..shape.size {
        swap_blocks(shape, partners, round, out);
        if round + 1 < shape.size {
            let (to, from) = partners(shape, round + 1);
            out.irecv(to, 1);
            out.isend(from, Data::range(0, 1));
            out.carries([Piece::Padding(1)]);
            out.wait_all();
        }
    }
}

pub(crate) fn pair_signals(shape: &Shape, out: &mut Schedule) {
    between_signals(shape, pair, out);
}

pub(crate) fn ring_signals(shape: &Shape, out: &mut Schedule) {
    between_signals(shape, ring, out);
}

/// Swaps with rank ^ i if the number of ranks is a power of two, else as the ring.
pub(crate) fn pair_or_ring(shape: &Shape, out: &mut Schedule) {
    let partners = if shape.size.is_power_of_two() { pair } else { ring };
    (1..shape.size).for_each(|round| swap_blocks(shape, partners, round, out));
}
