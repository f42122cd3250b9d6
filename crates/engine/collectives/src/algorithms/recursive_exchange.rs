//! Recursive exchange with any radix: recursive doubling for k partners at a time.
//!
//! ```text
//!   radix 3, 9 ranks    round 0   (0 1 2) (3 4 5) (6 7 8)     each with the two others of its group
//!                       round 1   (0 3 6) (1 4 7) (2 5 8)
//! ```
//!
//! A power of k ranks takes part. The surplus ranks are spread over the first groups of k: all but the last of such a group hand their
//! data to the last one and get the result in the end. Rounds go in pairs: the receives of both are posted before the sends of the first.
//!
//! Of an allreduce of long vectors each member combines one block instead, nearest partners first, and then they gather the blocks, farthest
//! partners first. A member has the block whose number has its digits in reverse.
//!
//! This is MPICH (`src/mpi/coll`): recexch, and k_reduce_scatter_allgather.

use crate::blocks::Blocks;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// Request sets: the receives of a round are in the first or the second one, in turn, and the sends in the third.
const SENDS: u8 = 2;

/// The ranks that take part, and the way others hand over their data.
struct Exchange {
    radix: u32,
    /// A power of the radix.
    size: u32,
    /// Ranks that do not take part.
    surplus: u32,
    /// Ranks in groups of which only the last takes part.
    grouped: u32,
}

/// The part of one rank.
enum Part {
    /// It hands its data to this rank.
    Outside(u32),
    /// It takes part, as this member, for itself and for these ranks.
    Member { me: u32, sources: std::ops::Range<u32> },
}

impl Exchange {
    fn of(shape: &Shape) -> Exchange {
        // Of fewer ranks each is a group of its own.
        let radix = shape.parameters.radix.min(shape.size).max(2);
        let size = powers(radix, shape.size).last().unwrap_or(1);
        let surplus = shape.size - size;
        let grouped = (u64::from(surplus) * u64::from(radix) / u64::from(radix - 1)) as u32;
        Exchange { radix, size, surplus, grouped }
    }

    fn part(&self, rank: u32) -> Part {
        let last = self.radix - 1;
        if rank < self.grouped && rank % self.radix != last {
            return Part::Outside((rank + last - rank % self.radix).min(self.grouped));
        }
        let me = if rank < self.grouped { rank / self.radix } else { rank - self.surplus };
        Part::Member { me, sources: self.first(me)..rank }
    }

    /// The rank of a member: the last of those that it stands for.
    fn rank(&self, member: u32) -> u32 {
        self.first(member + 1) - 1
    }

    /// The first rank that a member stands for.
    fn first(&self, member: u32) -> u32 {
        if member <= self.grouped / self.radix { member * self.radix } else { member + self.surplus }
    }

    /// For each round the distance between partners.
    fn distances(&self) -> impl Iterator<Item = u32> + use<> {
        powers(self.radix, self.size / self.radix)
    }

    /// The partners of a member in a round, the lowest first.
    fn partners(&self, me: u32, distance: u32) -> impl Iterator<Item = u32> + use<> {
        let digit = me / distance % self.radix;
        (0..self.radix)
            .filter(move |&other| other != digit)
            .map(move |other| me - digit * distance + other * distance)
    }

    /// The member whose number has the digits of this one in reverse.
    fn reversed(&self, member: u32) -> u32 {
        let digits = self.distances().map(|distance| member / distance % self.radix);
        digits.fold(0, |number, digit| number * self.radix + digit)
    }

    /// The blocks that a member has before the round of this distance.
    fn gathered(&self, blocks: &Blocks, member: u32, distance: u32) -> Data {
        let first = member - member % distance;
        let begin = self.first(first);
        blocks.span(begin, self.first(first + distance) - begin)
    }
}

/// 1, k, k², … up to `most`.
fn powers(radix: u32, most: u32) -> impl Iterator<Item = u32> + use<> {
    let next = move |power: &u32| power.checked_mul(radix);
    std::iter::successors(Some(1), next).take_while(move |&power| power <= most)
}

/// The data of surplus ranks goes to those that stand for them, all at once, and afterwards the result goes back. Between the two,
/// `exchange` gets the member that a rank is.
fn for_all_ranks(
    shape: &Shape,
    exchange: &Exchange,
    [given, result]: [&dyn Fn(u32) -> Data; 2],
    out: &mut Schedule,
    rounds: impl FnOnce(u32, &mut Schedule),
) {
    let (me, sources) = match exchange.part(shape.rank) {
        Part::Outside(stand_in) => {
            out.send(stand_in, given(shape.rank));
            return out.recv(stand_in, result(shape.rank).bytes);
        }
        Part::Member { me, sources } => (me, sources),
    };
    sources.clone().rev().for_each(|source| out.irecv(source, given(source).bytes));
    out.wait_all();
    rounds(me, out);
    out.wait_all();
    sources.rev().for_each(|source| out.isend(source, result(shape.rank)));
    out.wait_all();
}

/// Rounds in pairs: `post` appends the receives of one, `perform` the rest, given the request set of the receives.
fn in_pairs(
    distances: &[u32],
    out: &mut Schedule,
    post: impl Fn(u32, &mut Schedule),
    perform: impl Fn(u32, u8, &mut Schedule),
) {
    for pair in distances.chunks(2) {
        for (set, &distance) in (0..).zip(pair) {
            out.set(set);
            post(distance, out);
        }
        out.set(SENDS);
        for (set, &distance) in (0..).zip(pair) {
            perform(distance, set, out);
        }
        out.wait(SENDS, 0);
    }
    out.set(0);
}

pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let exchange = Exchange::of(shape);
    let vector = |_| shape.vector();
    for_all_ranks(shape, &exchange, [&vector, &vector], out, |me, out| {
        (exchange.first(me)..shape.rank).for_each(|_| out.reduce(shape.bytes));
        let partners = |distance| exchange.partners(me, distance).map(|member| exchange.rank(member));
        let distances: Vec<u32> = exchange.distances().collect();
        let post = |distance, out: &mut Schedule| {
            partners(distance).for_each(|partner| out.irecv(partner, shape.bytes));
        };
        in_pairs(&distances, out, post, |distance, set, out| {
            partners(distance).for_each(|partner| out.isend(partner, shape.vector()));
            out.wait(SENDS, 0);
            out.wait(set, 0);
            partners(distance).for_each(|_| out.reduce(shape.bytes));
        });
    });
}

/// An allreduce of nothing.
pub(crate) fn barrier(shape: &Shape, out: &mut Schedule) {
    allreduce(&Shape { bytes: 0, ..*shape }, out);
}

pub(crate) fn allgather(shape: &Shape, out: &mut Schedule) {
    let (exchange, blocks) = (Exchange::of(shape), shape.blocks());
    let sides: [&dyn Fn(u32) -> Data; 2] = [&|rank| blocks.block(rank), &|_| blocks.all()];
    for_all_ranks(shape, &exchange, sides, out, |me, out| {
        let distances: Vec<u32> = exchange.distances().collect();
        let post = |distance, out: &mut Schedule| {
            for partner in exchange.partners(me, distance) {
                out.irecv(exchange.rank(partner), exchange.gathered(&blocks, partner, distance).bytes);
            }
        };
        in_pairs(&distances, out, post, |distance, set, out| {
            for partner in exchange.partners(me, distance) {
                out.isend(exchange.rank(partner), exchange.gathered(&blocks, me, distance));
            }
            out.wait(set, 0);
        });
    });
}

/// Reduce-scatter with one partner after the other, then allgather.
pub(crate) fn reduce_scatter_allgather(shape: &Shape, out: &mut Schedule) {
    let exchange = Exchange::of(shape);
    let blocks = Blocks::with_long_last(exchange.size, shape.bytes, shape.element);
    let vector = |_| shape.vector();
    for_all_ranks(shape, &exchange, [&vector, &vector], out, |me, out| {
        (exchange.first(me)..shape.rank).for_each(|_| out.reduce(shape.bytes));
        let mut distances: Vec<u32> = exchange.distances().collect();
        // So many blocks a member still has, or has again, after the round of this distance.
        let left = |distance: u32| exchange.size / exchange.radix / distance;
        let blocks_of =
            |member: u32, count: u32| blocks.span(exchange.reversed(member) / count * count, count);
        for &distance in &distances {
            let mine = blocks_of(me, left(distance)).bytes;
            for partner in exchange.partners(me, distance) {
                let rank = exchange.rank(partner);
                out.isend(rank, blocks_of(partner, left(distance)));
                out.irecv(rank, mine);
                out.wait_all();
                out.reduce(mine);
            }
        }
        distances.reverse();
        let post = |distance, out: &mut Schedule| {
            for partner in exchange.partners(me, distance) {
                out.irecv(exchange.rank(partner), blocks_of(partner, left(distance)).bytes);
            }
        };
        in_pairs(&distances, out, post, |distance, set, out| {
            for partner in exchange.partners(me, distance) {
                out.isend(exchange.rank(partner), blocks_of(me, left(distance)));
            }
            out.wait(set, 0);
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::Parameters;

    #[test]
    fn a_power_takes_part_and_stands_for_all() {
        for radix in 2..6 {
            for size in 2..100 {
                let shape = Shape::new(size).parameters(Parameters { radix, ..Parameters::default() });
                let exchange = Exchange::of(&shape);
                assert_eq!(exchange.first(exchange.size), size, "{size} {radix}");
                for rank in 0..size {
                    match exchange.part(rank) {
                        Part::Outside(stand_in) => assert!(matches!(
                            exchange.part(stand_in),
                            Part::Member { sources, .. } if sources.contains(&rank)
                        )),
                        Part::Member { me, .. } => assert_eq!(exchange.rank(me), rank, "{size} {radix}"),
                    }
                }
            }
        }
    }
}
