//! What each rank did, one thing after the other.
//!
//! Everything is written into one book as it happens, and sorted by rank when the run is over: what comes next always goes to the
//! same place, which is near. Of a run that is too long, the book is read and emptied from time to time.

use crate::category::Category;
use crate::phrases::START;

/// Something that a rank did: calls in one instant, a call that took time, or anything else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// In picoseconds.
    pub entered: u64,
    pub took: u64,
    /// How long, from its beginning on, it waited for another rank. May be [`UNTOLD`] for a while.
    pub waited: u64,
    pub rank: u32,
    what: u32,
}

/// How long a call waited is for the message to say that it ended with.
pub(crate) const UNTOLD: u64 = u64::MAX;

const CATEGORY_BITS: u32 = 3;

impl Entry {
    /// Calls: this [phrase](crate::phrases). What time they take is of this category, waiting aside.
    #[inline]
    pub fn calls(rank: u32, phrase: u32, category: Category, entered: u64, took: u64, waited: u64) -> Entry {
        Entry { entered, took, waited, rank, what: phrase << CATEGORY_BITS | category as u32 }
    }

    /// No call, to be accounted for only.
    #[inline]
    pub fn other(rank: u32, category: Category, entered: u64, took: u64) -> Entry {
        Entry { entered, took, waited: 0, rank, what: category as u32 }
    }

    /// The bytes of the call before it.
    pub fn size(rank: u32, bytes: u64) -> Entry {
        Entry::other(rank, Category::Idle, bytes, 0)
    }

    /// The calls; `START` if there are none.
    #[inline]
    pub fn phrase(&self) -> u32 {
        self.what >> CATEGORY_BITS
    }

    #[inline]
    pub fn is_call(&self) -> bool {
        self.phrase() != START
    }

    /// The bytes of the call before it, if that is what it tells.
    #[inline]
    pub fn as_size(&self) -> Option<u64> {
        (self.what == Category::Idle as u32).then_some(self.entered)
    }

    #[inline]
    pub fn category(&self) -> Category {
        Category::of_number(self.what & ((1 << CATEGORY_BITS) - 1))
    }

    /// When it was over.
    #[inline]
    pub fn left(&self) -> u64 {
        self.entered + self.took
    }
}

/// All that ranks did, or did last.
pub(crate) struct Diary {
    entries: Vec<Entry>,
    /// Where the entries of each rank end; of none if they are not sorted.
    ends: Vec<usize>,
}

impl Diary {
    pub fn new() -> Diary {
        Diary { entries: Vec::new(), ends: Vec::new() }
    }

    #[inline]
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub fn entry(&self, at: u32) -> &Entry {
        &self.entries[at as usize]
    }

    #[inline]
    pub fn entry_mut(&mut self, at: u32) -> &mut Entry {
        &mut self.entries[at as usize]
    }

    /// The calls of an instant were followed by another.
    #[inline]
    pub fn prolong(&mut self, phrase: u32) {
        if let Some(last) = self.entries.last_mut() {
            last.what = phrase << CATEGORY_BITS | last.category() as u32;
        }
    }

    /// Puts what each rank did together, in order.
    pub fn sort(&mut self, ranks: usize) {
        let mut ends = begins(ranks, self.entries.iter().map(|entry| entry.rank));
        let mut places: Vec<u32> = Vec::with_capacity(self.entries.len());
        places.extend(self.entries.iter().map(|entry| next_place(&mut ends, entry.rank)));
        // Each goes to its place, and the one that was there to this one's: no second book is needed.
        for at in 0..places.len() {
            while places[at] as usize != at {
                let place = places[at] as usize;
                self.entries.swap(at, place);
                places.swap(at, place);
            }
        }
        self.ends = ends;
    }

    /// What a rank did. Known once it is sorted.
    pub fn of(&self, rank: usize) -> &[Entry] {
        match self.ends.get(rank) {
            Some(&end) => &self.entries[rank.checked_sub(1).map_or(0, |before| self.ends[before])..end],
            None => &[],
        }
    }

    /// Everything has been read.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
    }
}

/// Things in order of their ranks.
#[derive(Default)]
pub(crate) struct Order {
    /// Which is next.
    pub places: Vec<u32>,
    /// Where those of each rank end.
    pub ends: Vec<usize>,
}

/// Things by rank, those of a rank as they came.
pub(crate) fn order_by(ranks: usize, of: impl Iterator<Item = u32> + Clone) -> Order {
    let mut ends = begins(ranks, of.clone());
    let mut places = vec![0; of.clone().count()];
    for (at, rank) in (0..).zip(of) {
        places[next_place(&mut ends, rank) as usize] = at;
    }
    Order { places, ends }
}

/// Where the things of each rank begin, if they are put together.
fn begins(ranks: usize, of: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut begins = vec![0; ranks];
    of.for_each(|rank| begins[rank as usize] += 1);
    let mut next = 0;
    for begin in &mut begins {
        next += std::mem::replace(begin, next);
    }
    begins
}

/// The place of the next thing of a rank. In the end, what said where they begin says where they end.
#[inline]
fn next_place(begins: &mut [usize], rank: u32) -> u32 {
    let next = &mut begins[rank as usize];
    *next += 1;
    *next as u32 - 1
}

/// Tells of each stretch of a rank's time, from `now` on: what it was, since when, until when.
#[inline]
pub(crate) fn stretches(entries: &[Entry], now: &mut u64, mut tell: impl FnMut(Category, u64, u64)) {
    let mut spend = |category, until: u64| {
        if until > *now {
            tell(category, *now, until);
            *now = until;
        }
    };
    for entry in entries.iter().filter(|entry| entry.took > 0) {
        // Time that nothing was told of.
        spend(Category::Other, entry.entered);
        spend(Category::Wait, entry.entered + entry.waited);
        spend(entry.category(), entry.left());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_told_apart() {
        let mut diary = Diary::new();
        for (rank, at) in [(2, 10), (0, 20), (2, 30), (0, 40), (0, 50)] {
            diary.push(Entry::other(rank, Category::Compute, at, 5));
        }
        diary.sort(4);
        let of = |rank| diary.of(rank).iter().map(|entry| entry.entered).collect::<Vec<_>>();
        assert_eq!([0, 1, 2, 3].map(of), [vec![20, 40, 50], vec![], vec![10, 30], vec![]]);
    }

    #[test]
    fn all_time_is_accounted_for() {
        let entries = [
            Entry::other(0, Category::Compute, 10, 20),
            Entry::calls(0, 7, Category::PointToPoint, 30, 0, 0),
            Entry::size(0, 5_000),
            Entry::calls(0, 8, Category::PointToPoint, 30, 50, 15),
        ];
        let (mut now, mut told) = (0, Vec::new());
        stretches(&entries, &mut now, |category, from, until| told.push((category, from, until)));
        let expected = [
            (Category::Other, 0, 10),
            (Category::Compute, 10, 30),
            (Category::Wait, 30, 45),
            (Category::PointToPoint, 45, 80),
        ];
        assert_eq!((told.as_slice(), now), (expected.as_slice(), 80));
        assert_eq!(entries.map(|entry| entry.as_size()), [None, None, Some(5_000), None]);
        assert_eq!(
            (entries[3].phrase(), entries[3].category(), entries[3].left()),
            (8, Category::PointToPoint, 80)
        );
        assert_eq!(size_of::<Entry>(), 32);
    }
}
