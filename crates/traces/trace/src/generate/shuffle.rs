//! Permutations of ranks that are computed, not stored.
//!
//! A permutation of `0 … n-1` is one of the next power of two that is applied again until it lands inside: additions,
//! multiplications by odd numbers and shifts, each of which can be undone.

use mpirage_units::scramble;

/// The multiplier of a round; odd, so that it has an inverse.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
const ROUNDS: u32 = 3;

/// Permutations of the ranks below `size`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shuffle {
    size: u64,
    mask: u64,
    shift: u32,
    inverse: u64,
}

impl Shuffle {
    /// Permutations of this many ranks.
    pub fn new(size: u32) -> Shuffle {
        let bits = u32::BITS - size.saturating_sub(1).leading_zeros();
        let shift = bits.div_ceil(2).max(1);
        Shuffle { size: u64::from(size), mask: (1 << bits) - 1, shift, inverse: inverse_of(ODD) }
    }

    /// Where `rank` goes in the permutation `key`.
    pub fn forth(&self, key: u64, rank: u32) -> u32 {
        self.walk(rank, |x| (0..ROUNDS).fold(x, |x, round| self.round(x, key >> (16 * round))))
    }

    /// The rank that the permutation `key` maps to `rank`.
    pub fn back(&self, key: u64, rank: u32) -> u32 {
        self.walk(rank, |x| (0..ROUNDS).rev().fold(x, |x, round| self.undo(x, key >> (16 * round))))
    }

    fn walk(&self, rank: u32, step: impl Fn(u64) -> u64) -> u32 {
        let mut x = step(u64::from(rank));
        while x >= self.size {
            x = step(x);
        }
        x as u32
    }

    fn round(&self, x: u64, key: u64) -> u64 {
        let x = x.wrapping_add(key).wrapping_mul(ODD) & self.mask;
        x ^ (x >> self.shift)
    }

    // A shift by half the bits or more is its own inverse.
    fn undo(&self, x: u64, key: u64) -> u64 {
        let x = x ^ (x >> self.shift);
        x.wrapping_mul(self.inverse).wrapping_sub(key) & self.mask
    }
}

/// Ranks that choose among each other.
const TABLE: u32 = 8;

/// Random receivers: every rank draws one. Some ranks get several messages, some none; sender and receiver both compute the
/// same draw.
///
/// Two random permutations each deal the ranks to tables of eight chairs. The rank that the first permutation puts on a chair draws one of
/// the eight chairs of its table, and sends to the rank that the second permutation puts there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws {
    shuffle: Shuffle,
    size: u32,
}

impl Draws {
    /// Draws of this many ranks.
    pub fn new(size: u32) -> Draws {
        Draws { shuffle: Shuffle::new(size), size }
    }

    /// The most messages that one rank may get in a draw.
    pub const MOST: u32 = TABLE;

    /// The rank to which `rank` sends in the draw `key`.
    pub fn receiver(&self, key: u64, rank: u32) -> u32 {
        let seat = self.shuffle.forth(key, rank);
        let table = seat / TABLE;
        let drawn = drawn(bits_of(key, table), self.seats(table), seat % TABLE);
        self.shuffle.back(second(key), table * TABLE + drawn)
    }

    /// The ranks that send to `rank` in the draw `key`.
    pub fn senders(&self, key: u64, rank: u32) -> impl Iterator<Item = u32> {
        let seat = self.shuffle.forth(second(key), rank);
        let table = seat / TABLE;
        let (bits, seats) = (bits_of(key, table), self.seats(table));
        let hits = (0..seats).filter(move |&chair| drawn(bits, seats, chair) == seat % TABLE);
        hits.map(move |chair| self.shuffle.back(key, table * TABLE + chair))
    }

    /// The last table may be a small one.
    fn seats(&self, table: u32) -> u32 {
        TABLE.min(self.size - table * TABLE)
    }
}

/// Random bits for all draws at a table: eight bits for each chair.
fn bits_of(key: u64, table: u32) -> u64 {
    scramble(key ^ u64::from(table))
}

/// The chair that the rank on a chair draws.
fn drawn(bits: u64, seats: u32, chair: u32) -> u32 {
    ((bits >> (8 * chair) & 0xff) as u32 * seats) >> 8
}

fn second(key: u64) -> u64 {
    key.wrapping_mul(ODD)
}

/// The factor that undoes a multiplication by an odd number, by Newton's iteration: each step doubles the bits that are right.
fn inverse_of(odd: u64) -> u64 {
    (0..5).fold(odd, |guess, _| guess.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(guess))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_hit_once_and_found_again() {
        for size in [1, 2, 3, 5, 8, 100, 257, 1000] {
            let shuffle = Shuffle::new(size);
            for key in (0..20).map(scramble) {
                let mut hit = vec![false; size as usize];
                for rank in 0..size {
                    let to = shuffle.forth(key, rank);
                    assert!(!std::mem::replace(&mut hit[to as usize], true));
                    assert_eq!(shuffle.back(key, to), rank, "size {size}");
                }
            }
        }
    }

    #[test]
    fn keys_give_other_permutations() {
        let shuffle = Shuffle::new(1000);
        let same =
            (0..1000).filter(|&rank| shuffle.forth(scramble(1), rank) == shuffle.forth(scramble(2), rank));
        assert!(same.count() < 20);
    }

    #[test]
    fn senders_and_receivers_agree() {
        for size in [1, 2, 7, 8, 9, 100] {
            let draws = Draws::new(size);
            for key in (0..20).map(scramble) {
                for rank in 0..size {
                    let to = draws.receiver(key, rank);
                    assert_eq!(draws.senders(key, to).filter(|&from| from == rank).count(), 1);
                }
                assert_eq!(
                    (0..size).map(|rank| draws.senders(key, rank).count()).sum::<usize>(),
                    size as usize
                );
            }
        }
    }

    #[test]
    fn some_get_several_messages_and_a_third_gets_none() {
        let draws = Draws::new(10_000);
        let counts: Vec<usize> = (0..10_000).map(|rank| draws.senders(scramble(5), rank).count()).collect();
        let none = counts.iter().filter(|&&count| count == 0).count();
        // (7/8)^8 of 10 000 are 3436.
        assert!((3250..3620).contains(&none), "{none}");
        assert!(counts.iter().any(|&count| count >= 4));
    }
}
