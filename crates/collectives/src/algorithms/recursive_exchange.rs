//! Recursive exchange with any radix: recursive doubling for k partners at a time.
//!
//! ```text
//!   radix 3, 9 ranks    round 0   (0 1 2) (3 4 5) (6 7 8)     each with the two others of its group
//!                       round 1   (0 3 6) (1 4 7) (2 5 8)
//! ```
//!
//! A power of k ranks takes part. The surplus ranks are spread over the first groups of k: all but the last of such a group hand their
//! data to the last one and get the result in the end.
//!
//! MPICH calls it recexch (`src/mpi/coll`, also recursive multiplying for reductions).

use crate::blocks::Blocks;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// Who takes part, and who hands its data to whom.
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
        let radix = shape.parameters.radix.max(2);
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

    /// The partners of a member in a round, from the next on.
    fn partners(&self, me: u32, distance: u32) -> impl Iterator<Item = u32> + use<> {
        let (radix, digit) = (self.radix, me / distance % self.radix);
        (1..radix).map(move |step| me - digit * distance + (digit + step) % radix * distance)
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

pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let exchange = Exchange::of(shape);
    let (me, sources) = match exchange.part(shape.rank) {
        Part::Outside(stand_in) => {
            out.send(stand_in, shape.vector());
            return out.recv(stand_in, shape.bytes);
        }
        Part::Member { me, sources } => (me, sources),
    };
    for source in sources.clone() {
        out.recv(source, shape.bytes);
        out.reduce(shape.bytes);
    }
    for distance in exchange.distances() {
        let partners = || exchange.partners(me, distance).map(|member| exchange.rank(member));
        partners().for_each(|partner| out.irecv(partner, shape.bytes));
        partners().for_each(|partner| out.isend(partner, shape.vector()));
        out.wait_all();
        partners().for_each(|_| out.reduce(shape.bytes));
    }
    sources.for_each(|source| out.isend(source, shape.vector()));
    out.wait_all();
}

pub(crate) fn allgather(shape: &Shape, out: &mut Schedule) {
    let (exchange, blocks) = (Exchange::of(shape), shape.blocks());
    let (me, sources) = match exchange.part(shape.rank) {
        Part::Outside(stand_in) => {
            out.send(stand_in, blocks.block(shape.rank));
            return out.recv(stand_in, blocks.all().bytes);
        }
        Part::Member { me, sources } => (me, sources),
    };
    for source in sources.clone() {
        out.recv(source, blocks.block(source).bytes);
    }
    for distance in exchange.distances() {
        for partner in exchange.partners(me, distance) {
            out.irecv(exchange.rank(partner), exchange.gathered(&blocks, partner, distance).bytes);
        }
        for partner in exchange.partners(me, distance) {
            out.isend(exchange.rank(partner), exchange.gathered(&blocks, me, distance));
        }
        out.wait_all();
    }
    sources.for_each(|source| out.isend(source, blocks.all()));
    out.wait_all();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Parameters;

    #[test]
    fn a_power_takes_part_and_stands_for_all() {
        for radix in 2..6 {
            for size in 1..100 {
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
