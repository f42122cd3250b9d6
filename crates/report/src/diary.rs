//! What each rank did, one thing after the other.
//!
//! Everything is written into one book as it happens, and put in order of ranks portion by portion ([`crate::by_rank`]). Of a run that is
//! too long, the book is read and emptied from time to time.

use crate::by_rank::{ByRank, Ranked};
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

impl Ranked for Entry {
    #[inline]
    fn rank(&self) -> u32 {
        self.rank
    }
}

/// All that ranks did, or did last.
pub(crate) type Diary = ByRank<Entry>;

impl Diary {
    /// The calls of an instant were followed by another.
    #[inline]
    pub fn prolong(&mut self, phrase: u32) {
        if let Some(last) = self.fresh_mut().last_mut() {
            last.what = phrase << CATEGORY_BITS | last.category() as u32;
        }
    }
}

/// Tells of each stretch of a rank's time, from `now` on: what it was, since when, until when.
#[inline]
pub(crate) fn stretches<'a>(
    entries: impl Iterator<Item = &'a [Entry]>,
    now: &mut u64,
    mut tell: impl FnMut(Category, u64, u64),
) {
    let mut spend = |category, until: u64| {
        if until > *now {
            tell(category, *now, until);
            *now = until;
        }
    };
    for entry in entries.flatten().filter(|entry| entry.took > 0) {
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
    fn all_time_is_accounted_for() {
        let entries = [
            Entry::other(0, Category::Compute, 10, 20),
            Entry::calls(0, 7, Category::PointToPoint, 30, 0, 0),
            Entry::size(0, 5_000),
            Entry::calls(0, 8, Category::PointToPoint, 30, 50, 15),
        ];
        let (mut now, mut told) = (0, Vec::new());
        stretches([entries.as_slice()].into_iter(), &mut now, |category, from, until| {
            told.push((category, from, until))
        });
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
