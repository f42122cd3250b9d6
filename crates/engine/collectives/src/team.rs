//! The ranks that take part in a phase, numbered so that the algorithm is easy to write.
//!
//! Two renumberings carry most algorithms to any root and any number of ranks:
//!
//! ```text
//!   rotated, root 2 of 5            shrunk, 6 = 4 + 2, the odd rank of each pair stays
//!
//!   member  0 1 2 3 4               rank    0 1   2 3   4 5
//!   rank    2 3 4 0 1               member  └>0   └>1   2 3
//! ```
//!
//! Algorithms that need a power of two shrink the team in a phase before and one after. The
//! surplus ranks pair up with their neighbours. One rank of each pair sends its vector to the
//! other, sits out, and receives the result in the end.

use crate::shape::Shape;

/// Ranks that take part, as members `0..size`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    /// This rank's number in the team.
    pub me: u32,
    /// Members.
    pub size: u32,
    /// How many members stand for a pair: the first ones.
    pairs: u32,
    stays: Stays,
    /// Rank of the first, and how many there are to count around.
    first: u32,
    ranks: u32,
}

/// The rank of a pair that stays in a team that shrinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stays {
    /// The lower one: member 0 is always the first rank, which rooted algorithms need.
    Even,
    /// The higher one, as MPICH does for allreduce.
    Odd,
}

/// A rank's part in a team that has shrunk.
pub(crate) struct Shrunk {
    /// The power of two that runs the algorithm, if this rank is in it.
    pub core: Option<Team>,
    /// The other rank of this rank's pair, if it is in one.
    pub partner: Option<u32>,
}

impl Team {
    /// All ranks, numbered as in the communicator.
    pub fn all(shape: &Shape) -> Self {
        Self::from(shape, 0)
    }

    /// All ranks, counted from the root on: the root is member 0.
    pub fn from_root(shape: &Shape) -> Self {
        Self::from(shape, shape.root)
    }

    fn from(shape: &Shape, first: u32) -> Self {
        let me = (shape.rank + shape.size - first) % shape.size;
        Team { me, size: shape.size, pairs: 0, stays: Stays::Even, first, ranks: shape.size }
    }

    /// The rank of a member.
    pub fn rank(&self, member: u32) -> u32 {
        let around = match self.stays {
            _ if member >= self.pairs => member + self.pairs,
            Stays::Even => 2 * member,
            Stays::Odd => 2 * member + 1,
        };
        (around + self.first) % self.ranks
    }

    /// Shrinks the team to the largest power of two that it contains.
    pub fn shrink(&self, stays: Stays) -> Shrunk {
        debug_assert_eq!(self.pairs, 0, "the team has shrunk already");
        let size = 1 << self.size.ilog2();
        let pairs = self.size - size;
        let core = self.member_of_core(self.me, stays).map(|me| self.core_as(me, stays));
        Shrunk { core, partner: (self.me < 2 * pairs).then(|| self.rank(self.me ^ 1)) }
    }

    /// The number of a member in the team that has shrunk; none if it sits out.
    pub fn member_of_core(&self, member: u32, stays: Stays) -> Option<u32> {
        let pairs = self.size - (1 << self.size.ilog2());
        if member >= 2 * pairs {
            return Some(member - pairs);
        }
        ((member % 2 == 1) == (stays == Stays::Odd)).then_some(member / 2)
    }

    /// The team that has shrunk, as its member `me` sees it.
    pub fn core_as(&self, me: u32, stays: Stays) -> Team {
        let size = 1 << self.size.ilog2();
        Team { me, size, pairs: self.size - size, stays, ..*self }
    }

    /// The blocks of `count` members from `first` on, when each rank owns one: where they begin
    /// and how many they are. A member that stands for a pair has both blocks.
    pub(crate) fn owned(&self, first: u32, count: u32) -> (u32, u32) {
        let begin = |member: u32| member + member.min(self.pairs);
        (begin(first), begin(first + count) - begin(first))
    }

    /// The partners of recursive doubling, nearest first: `me` with one bit flipped.
    pub fn doubling(&self) -> impl DoubleEndedIterator<Item = Exchange> + use<> {
        debug_assert!(self.size.is_power_of_two());
        let me = self.me;
        (0..self.size.ilog2()).map(move |bit| Exchange { bit, distance: 1 << bit, with: me ^ (1 << bit) })
    }
}

/// One round of recursive doubling or halving.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// The bit of the member's number that is flipped.
    pub bit: u32,
    /// `1 << bit`.
    pub distance: u32,
    /// The member on the other side.
    pub with: u32,
}

/// Distances 1, k, k², … below `size`, for a radix k of at least 2.
pub(crate) fn distances(size: u32, radix: u32) -> impl Iterator<Item = u32> {
    let radix = u64::from(radix.max(2));
    std::iter::successors(Some(1), move |distance| Some(distance * radix))
        .take_while(move |&distance| distance < u64::from(size))
        .map(|distance| distance as u32)
}

/// The multiples of a distance below the next one and below `size`: the partners of one round with this radix.
pub(crate) fn multiples(distance: u32, size: u32, radix: u32) -> impl Iterator<Item = u32> + Clone {
    (1..radix.max(2)).map_while(move |times| distance.checked_mul(times).filter(|&far| far < size))
}

/// Distances 1, 2, 4, … below `size`.
pub(crate) fn doubling_distances(size: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..size.next_power_of_two().ilog2()).map(|bit| 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Member numbers of all ranks in the core, `-1` for those who sit out.
    fn members(size: u32, root: u32, stays: Stays) -> Vec<i64> {
        let core = |rank| Team::from_root(&Shape::new(size).rank(rank).root(root)).shrink(stays).core;
        (0..size).map(|rank| core(rank).map_or(-1, |core| i64::from(core.me))).collect()
    }

    #[test]
    fn shrinking_keeps_one_of_each_surplus_pair() {
        assert_eq!(members(6, 0, Stays::Odd), [-1, 0, -1, 1, 2, 3]);
        assert_eq!(members(6, 0, Stays::Even), [0, -1, 1, -1, 2, 3]);
        assert_eq!(members(8, 0, Stays::Odd), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn the_root_is_member_zero_of_a_rotated_team() {
        assert_eq!(members(5, 2, Stays::Even), [2, 3, 0, -1, 1]);
    }

    #[test]
    fn member_and_rank_are_inverse() {
        for size in 1..20 {
            for rank in 0..size {
                let team = Team::from_root(&Shape::new(size).rank(rank).root(size / 2));
                assert_eq!(team.rank(team.me), rank);
                for stays in [Stays::Even, Stays::Odd] {
                    if let Some(core) = team.shrink(stays).core {
                        assert_eq!(core.rank(core.me), rank);
                    }
                }
            }
        }
    }

    #[test]
    fn rounds_of_a_radix() {
        assert_eq!(distances(28, 3).collect::<Vec<_>>(), [1, 3, 9, 27]);
        assert_eq!(multiples(9, 28, 3).collect::<Vec<_>>(), [9, 18]);
        assert_eq!(multiples(27, 28, 3).collect::<Vec<_>>(), [27]);
        for size in 1..70 {
            assert!(distances(size, 2).eq(doubling_distances(size)));
            // Every distance has one number with the digits of its rounds.
            for radix in [2, 3, 5, 8] {
                let partners = distances(size, radix).map(|d| multiples(d, size, radix).count() as u32);
                assert!(partners.map(|count| count + 1).product::<u32>() >= size);
            }
        }
    }

    #[test]
    fn distances_double() {
        assert_eq!(doubling_distances(1).count(), 0);
        assert_eq!(doubling_distances(5).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(doubling_distances(8).rev().collect::<Vec<_>>(), [4, 2, 1]);
    }
}
