//! Things that ranks did, put together by rank a portion at a time.
//!
//! What comes goes into a row that is used over and over and stays near. When the row is full, it is put in order of ranks, behind all
//! that came before: each rank has a stretch of every portion, and those of neighbours are neighbours.

/// Things of a portion, at least; and for each rank.
const PORTION: usize = 1 << 13;
const PER_RANK: usize = 8;

/// Something that is a rank's.
pub(crate) trait Ranked: Copy {
    fn rank(&self) -> u32;
}

/// Things by rank, those of a rank in the order in which they came.
pub(crate) struct ByRank<T> {
    ranks: usize,
    portion: usize,
    /// Those that are not in order yet.
    fresh: Vec<T>,
    settled: Vec<T>,
    /// Where the things of each rank end, for each portion.
    ends: Vec<u32>,
    /// The order of a portion.
    order: Vec<u32>,
}

impl<T: Ranked> ByRank<T> {
    pub fn new(ranks: usize) -> ByRank<T> {
        let portion = PORTION.max(PER_RANK * ranks);
        ByRank { ranks, portion, fresh: Vec::new(), settled: Vec::new(), ends: Vec::new(), order: Vec::new() }
    }

    /// Is it time to put a portion in order?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.fresh.len() >= self.portion
    }

    /// Adds a thing to those that are not in order yet.
    #[inline]
    pub fn push(&mut self, thing: T) {
        self.fresh.push(thing);
    }

    pub fn len(&self) -> usize {
        self.settled.len() + self.fresh.len()
    }

    /// Puts what has come in order.
    pub fn settle(&mut self) {
        let from = self.ends.len();
        self.ends.resize(from + self.ranks, 0);
        let ends = &mut self.ends[from..];
        for thing in &self.fresh {
            ends[thing.rank() as usize] += 1;
        }
        // First where they begin; then each moves on to where they end.
        let before = self.settled.len() as u32;
        let mut begin = before;
        for end in ends.iter_mut() {
            begin += std::mem::replace(end, begin);
        }
        self.order.resize(self.fresh.len(), 0);
        for (at, thing) in (0..).zip(&self.fresh) {
            let end = &mut ends[thing.rank() as usize];
            self.order[(*end - before) as usize] = at;
            *end += 1;
        }
        self.settled.extend(self.order.iter().map(|&at| self.fresh[at as usize]));
        self.fresh.clear();
    }

    /// The things of a rank that are in order, a stretch of each portion.
    pub fn of(&self, rank: usize) -> impl Iterator<Item = &[T]> {
        (rank..self.ends.len()).step_by(self.ranks).map(|at| {
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.settled[begin as usize..self.ends[at] as usize]
        })
    }

    /// Lets go of everything.
    pub fn clear(&mut self) {
        self.fresh.clear();
        self.settled.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ranked for (u32, u64) {
        fn rank(&self) -> u32 {
            self.0
        }
    }

    #[test]
    fn ranks_are_told_apart() {
        let mut things = ByRank::new(4);
        for at in 0..20_000 {
            if things.is_full() {
                things.settle();
            }
            // Nothing of rank 1.
            things.push(([0, 2, 2, 3][at as usize % 4], at));
        }
        assert_eq!((things.len(), things.fresh.len()), (20_000, 20_000 - 2 * PORTION));
        things.settle();
        assert_eq!(things.settled.len(), 20_000);
        let of = |rank| things.of(rank).flatten().map(|&(_, at)| at).collect::<Vec<u64>>();
        assert_eq!(of(0), (0..20_000).filter(|at| at % 4 == 0).collect::<Vec<_>>());
        assert_eq!(of(2), (0..20_000).filter(|at| (1..3).contains(&(at % 4))).collect::<Vec<_>>());
        assert!(of(1).is_empty());
        assert_eq!(of(3).len(), 5_000);
    }
}
