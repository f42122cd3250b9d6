//! Lists of flows or resources that are linked to each other: no memory of their own, and joined in one step.

use std::ops::IndexMut;

/// No item, and no component.
pub(crate) const NONE: u32 = u32::MAX;

/// A list, by its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntrusiveList {
    pub first: u32,
    last: u32,
}

/// Something that can be in such a list.
pub(crate) trait Linked {
    fn next(&mut self) -> &mut u32;
}

/// All things of a kind, by their numbers.
pub(crate) trait Items: IndexMut<usize, Output: Linked> {}

impl<T: IndexMut<usize, Output: Linked>> Items for T {}

impl IntrusiveList {
    pub const EMPTY: IntrusiveList = IntrusiveList { first: NONE, last: NONE };

    pub fn push(&mut self, items: &mut impl Items, item: u32) {
        *items[item as usize].next() = NONE;
        self.append(items, IntrusiveList { first: item, last: item });
    }

    pub fn push_front(&mut self, items: &mut impl Items, item: u32) {
        *items[item as usize].next() = self.first;
        if self.first == NONE {
            self.last = item;
        }
        self.first = item;
    }

    /// Takes out those that `keeps` does not want to keep.
    #[inline]
    pub fn retain<I: Items>(&mut self, items: &mut I, mut keeps: impl FnMut(&mut I, u32) -> bool) {
        let (mut at, mut before) = (self.first, NONE);
        while at != NONE {
            let next = *items[at as usize].next();
            if keeps(items, at) {
                before = at;
            } else if before == NONE {
                self.first = next;
            } else {
                *items[before as usize].next() = next;
            }
            at = next;
        }
        self.last = before;
    }

    pub fn append(&mut self, items: &mut impl Items, other: IntrusiveList) {
        if self.first == NONE {
            self.first = other.first;
        } else {
            *items[self.last as usize].next() = other.first;
        }
        self.last = if other.first == NONE { self.last } else { other.last };
    }
}
