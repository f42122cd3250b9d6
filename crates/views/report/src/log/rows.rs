//! Rows grouped by rank.
//!
//! New rows go into a small buffer, which stays in the processor's caches. When the buffer is full, it is sorted by rank and appended:
//! each rank has a slice of every sorted portion.

/// Rows of a portion, at least; and for each rank.
const MIN_PORTION: usize = 1 << 13;
const PORTION_PER_RANK: usize = 8;

/// Rows by rank; those of a rank stay in order.
#[derive(Clone)]
pub(super) struct RowsByRank<T> {
    ranks: usize,
    portion: usize,
    unsorted: Vec<(u32, T)>,
    sorted: Vec<T>,
    /// Where the rows of each rank end, for each portion.
    ends: Vec<u32>,
}

impl<T: Copy> RowsByRank<T> {
    pub fn new(ranks: usize) -> RowsByRank<T> {
        let portion = MIN_PORTION.max(PORTION_PER_RANK * ranks);
        RowsByRank { ranks, portion, unsorted: Vec::new(), sorted: Vec::new(), ends: Vec::new() }
    }

    /// Whether it is time to sort.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.unsorted.len() >= self.portion
    }

    #[inline]
    pub fn push(&mut self, rank: u32, row: T) {
        self.unsorted.push((rank, row));
    }

    pub fn len(&self) -> usize {
        self.sorted.len() + self.unsorted.len()
    }

    /// Sorts the new rows.
    pub fn sort(&mut self) {
        self.unsorted.sort_by_key(|&(rank, _)| rank);
        let mut rows = self.unsorted.drain(..).peekable();
        for rank in 0..self.ranks as u32 {
            while let Some((_, row)) = rows.next_if(|&(of, _)| of == rank) {
                self.sorted.push(row);
            }
            self.ends.push(self.sorted.len() as u32);
        }
    }

    /// The sorted rows of a rank.
    pub fn of(&self, rank: usize) -> impl Iterator<Item = &T> {
        let portions = (rank..self.ends.len()).step_by(self.ranks);
        portions.flat_map(|at| {
            let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.sorted[begin as usize..self.ends[at] as usize]
        })
    }

    pub fn clear(&mut self) {
        self.unsorted.clear();
        self.sorted.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_grouped_by_rank_and_stay_in_order() {
        let mut rows = RowsByRank::new(4);
        for at in 0..20_000 {
            if rows.is_full() {
                rows.sort();
            }
            // Nothing of rank 1.
            rows.push([0, 2, 2, 3][at % 4], at);
        }
        assert_eq!((rows.len(), rows.unsorted.len()), (20_000, 20_000 - 2 * MIN_PORTION));
        rows.sort();
        let of = |rank| rows.of(rank).copied().collect::<Vec<usize>>();
        assert_eq!(of(0), (0..20_000).filter(|at| at % 4 == 0).collect::<Vec<_>>());
        assert_eq!(of(2), (0..20_000).filter(|at| (1..3).contains(&(at % 4))).collect::<Vec<_>>());
        assert!(of(1).is_empty());
        assert_eq!(of(3).len(), 5_000);
    }
}
