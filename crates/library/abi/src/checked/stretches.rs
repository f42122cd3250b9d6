//! A set of addresses as stretches that neither overlap nor touch, in ascending order.

/// Stretches that are kept; a set with more of them does not grow.
const MOST: usize = 4096;

/// The set.
#[derive(Debug, Default)]
pub(crate) struct Stretches {
    /// First address, and the address behind the last.
    parts: Vec<(usize, usize)>,
    /// The part that has grown last: a loop goes on where it was.
    last: usize,
}

impl Stretches {
    /// Adds the addresses from `start` up to `end`.
    #[inline]
    pub(crate) fn add(&mut self, start: usize, end: usize) {
        if let Some(part) = self.parts.get(self.last)
            && part.0 <= start
            && end <= part.1
        {
            return;
        }
        self.join(start, end);
    }

    /// Joins addresses with all parts that they overlap or touch.
    fn join(&mut self, start: usize, end: usize) {
        let first = self.parts.partition_point(|part| part.1 < start);
        let behind = first + self.parts[first..].partition_point(|part| part.0 <= end);
        if first < behind {
            let joined = (start.min(self.parts[first].0), end.max(self.parts[behind - 1].1));
            self.parts[first] = joined;
            self.parts.drain(first + 1..behind);
        } else if self.parts.len() < MOST {
            self.parts.insert(first, (start, end));
        }
        self.last = first;
    }

    /// Addresses and lengths, as calls have them.
    pub(crate) fn words(&self) -> Vec<u64> {
        self.parts.iter().flat_map(|&(start, end)| [start as u64, (end - start) as u64]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(added: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let mut stretches = Stretches::default();
        added.iter().for_each(|&(start, end)| stretches.add(start, end));
        stretches.parts
    }

    #[test]
    fn neighbours_become_one() {
        assert_eq!(of(&[(0, 4), (4, 8), (8, 12)]), [(0, 12)]);
        assert_eq!(of(&[(8, 12), (0, 4), (4, 8)]), [(0, 12)]);
        assert_eq!(of(&[(0, 4), (8, 12), (16, 20), (2, 17)]), [(0, 20)]);
    }

    #[test]
    fn others_stay_apart_and_in_order() {
        assert_eq!(of(&[(16, 20), (0, 4), (8, 12), (0, 4), (9, 10)]), [(0, 4), (8, 12), (16, 20)]);
    }

    #[test]
    fn a_full_set_only_joins() {
        let mut added: Vec<_> = (0..MOST + 5).map(|at| (at * 8, at * 8 + 4)).collect();
        added.push((4, 8));
        let parts = of(&added);
        assert_eq!((parts.len(), parts[0]), (MOST - 1, (0, 12)));
    }
}
