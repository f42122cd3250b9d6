//! Things set aside, to be dealt with rank by rank.
//!
//! Ranks take turns, and what is known of each fills many cache lines. What happens is therefore written down in a row first;
//! every few thousand things it is gone through in the order of ranks, so that what is known of a rank is fetched once for
//! all that the rank did meanwhile.

/// Things of each rank at once, about.
const OF_RANK: usize = 32;
/// Things at once, at least; and at most, if there are not more ranks.
const LEAST: usize = 1 << 10;
const MOST: usize = 1 << 14;

/// Things that belong to ranks.
pub(crate) struct Batch<T> {
    things: Vec<T>,
    /// The rank of each.
    ranks: Vec<u32>,
    most: usize,
    /// Where the things of each rank are in `order`; used while they are sorted.
    places: Vec<u32>,
    order: Vec<u32>,
}

impl<T> Batch<T> {
    /// None yet.
    pub fn new(ranks: usize) -> Batch<T> {
        let most = (OF_RANK * ranks).clamp(LEAST, MOST).max(ranks);
        let (things, of) = (Vec::with_capacity(most), Vec::with_capacity(most));
        Batch { things, ranks: of, most, places: vec![0; ranks], order: Vec::new() }
    }

    /// Sets something aside. True if it is time to go through all.
    #[inline]
    pub fn push(&mut self, rank: u32, thing: T) -> bool {
        self.ranks.push(rank);
        self.things.push(thing);
        self.things.len() >= self.most
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.things.len()
    }

    /// One of them, by its place in the row.
    #[inline]
    pub fn get_mut(&mut self, at: usize) -> &mut T {
        &mut self.things[at]
    }

    /// All things in the order of their ranks, those of one rank as they came.
    pub fn sorted(&mut self) -> Sorted<'_, T> {
        self.places.fill(0);
        for &rank in &self.ranks {
            self.places[rank as usize] += 1;
        }
        let mut next = 0;
        for place in &mut self.places {
            next += std::mem::replace(place, next);
        }
        self.order.resize(self.things.len(), 0);
        for (&rank, at) in self.ranks.iter().zip(0..) {
            let place = &mut self.places[rank as usize];
            self.order[*place as usize] = at;
            *place += 1;
        }
        Sorted { things: &self.things, order: &self.order }
    }

    /// All have been dealt with.
    pub fn clear(&mut self) {
        self.things.clear();
        self.ranks.clear();
    }
}

/// Things in the order of their ranks.
pub(crate) struct Sorted<'a, T> {
    things: &'a [T],
    order: &'a [u32],
}

impl<'a, T> Sorted<'a, T> {
    pub fn len(&self) -> usize {
        self.order.len()
    }

    #[inline]
    pub fn get(&self, at: usize) -> Option<&'a T> {
        self.order.get(at).map(|&at| &self.things[at as usize])
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a T> {
        self.order.iter().map(|&at| &self.things[at as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_of_a_rank_stay_in_order() {
        let mut batch = Batch::new(4);
        for thing in [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd'), (0, 'e')] {
            assert!(!batch.push(thing.0, thing));
        }
        let sorted: String = batch.sorted().iter().map(|thing| thing.1).collect();
        assert_eq!(sorted, "beacd");
        batch.clear();
        assert_eq!(batch.sorted().len(), 0);
    }
}
