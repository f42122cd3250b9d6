//! Ranks relative to each other.

/// A rank of a run of so many ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankAmong {
    pub rank: u32,
    pub ranks: u32,
}

impl RankAmong {
    /// How far `other` is after this rank; rank 0 comes after the last.
    #[inline]
    pub fn distance_to(self, other: u32) -> u32 {
        let RankAmong { rank, ranks } = self;
        if other >= rank { other - rank } else { other + ranks - rank }
    }

    /// The rank that is so far after this one.
    #[inline]
    pub fn at_distance(self, distance: u32) -> u32 {
        let up_to_last = self.ranks - self.rank;
        if distance < up_to_last { self.rank + distance } else { distance - up_to_last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_0_comes_after_the_last() {
        let third = RankAmong { rank: 3, ranks: 8 };
        assert_eq!([4, 2, 3, 0].map(|other| third.distance_to(other)), [1, 7, 0, 5]);
        assert!((0..8).all(|other| third.at_distance(third.distance_to(other)) == other));
    }
}
