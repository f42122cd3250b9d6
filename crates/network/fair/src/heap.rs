//! A binary heap whose items know where they are, so that any of them can be removed or moved.
//!
//! Items are small indices (of flows, of resources); `places[item]` is the item's position in the heap.
//! The places are lent by the owner, because thousands of heaps (one per resource) hold disjoint sets of the
//! same flows and can share one array.

/// The place of an item that is in no heap.
pub(crate) const ABSENT: u32 = u32::MAX;

/// Smallest key first.
#[derive(Clone, Debug)]
pub(crate) struct Heap<K> {
    entries: Vec<(K, u32)>,
}

impl<K: Ord + Copy> Heap<K> {
    pub fn new() -> Self {
        Heap { entries: Vec::new() }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn first(&self) -> Option<(K, u32)> {
        self.entries.first().copied()
    }

    pub fn key(&self, place: u32) -> K {
        self.entries[place as usize].0
    }

    pub fn item(&self, place: usize) -> u32 {
        self.entries[place].1
    }

    /// Changes all keys by a function that keeps their order.
    pub fn map_keys(&mut self, monotone: impl Fn(K) -> K) {
        self.entries.iter_mut().for_each(|entry| entry.0 = monotone(entry.0));
    }

    pub fn push(&mut self, key: K, item: u32, places: &mut [u32]) {
        self.entries.push((key, item));
        self.rise(self.entries.len() - 1, places);
    }

    pub fn remove(&mut self, place: u32, places: &mut [u32]) {
        let (_, item) = self.entries.swap_remove(place as usize);
        places[item as usize] = ABSENT;
        if (place as usize) < self.entries.len() {
            self.settle(place as usize, places);
        }
    }

    /// Gives an item a key, whether it is in the heap already or not.
    pub fn set(&mut self, key: K, item: u32, places: &mut [u32]) {
        match places[item as usize] {
            ABSENT => self.push(key, item, places),
            place if self.key(place) == key => {}
            place => {
                self.entries[place as usize].0 = key;
                self.settle(place as usize, places);
            }
        }
    }

    fn settle(&mut self, at: usize, places: &mut [u32]) {
        let at = self.rise(at, places);
        self.sink(at, places);
    }

    fn rise(&mut self, mut at: usize, places: &mut [u32]) -> usize {
        let entry = self.entries[at];
        while at > 0 && entry.0 < self.entries[(at - 1) / 2].0 {
            let parent = (at - 1) / 2;
            self.put(at, self.entries[parent], places);
            at = parent;
        }
        self.put(at, entry, places);
        at
    }

    fn sink(&mut self, mut at: usize, places: &mut [u32]) {
        let entry = self.entries[at];
        while let Some(child) = self.smaller_child(at) {
            if entry.0 <= self.entries[child].0 {
                break;
            }
            self.put(at, self.entries[child], places);
            at = child;
        }
        self.put(at, entry, places);
    }

    fn smaller_child(&self, at: usize) -> Option<usize> {
        let (left, right) = (2 * at + 1, 2 * at + 2);
        match (self.entries.get(left)?, self.entries.get(right)) {
            (l, Some(r)) if r.0 < l.0 => Some(right),
            _ => Some(left),
        }
    }

    fn put(&mut self, at: usize, entry: (K, u32), places: &mut [u32]) {
        self.entries[at] = entry;
        places[entry.1 as usize] = at as u32;
    }
}

impl<K: Ord + Copy> Default for Heap<K> {
    fn default() -> Self {
        Heap::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_leave_in_key_order_whatever_was_removed(
            keys in prop::collection::vec(0u32..50, 1..60),
            removed in prop::collection::vec(0usize..60, 0..20),
        ) {
            let (mut heap, mut places) = (Heap::new(), vec![ABSENT; keys.len()]);
            for (item, &key) in keys.iter().enumerate() {
                heap.push(key, item as u32, &mut places);
            }
            for item in removed.iter().map(|r| r % keys.len()) {
                if places[item] != ABSENT {
                    heap.remove(places[item], &mut places);
                }
            }
            let mut left: Vec<u32> = (0..keys.len()).filter(|&i| places[i] != ABSENT).map(|i| keys[i]).collect();
            left.sort_unstable();
            let mut drained = Vec::new();
            while let Some((key, item)) = heap.first() {
                drained.push(key);
                heap.remove(places[item as usize], &mut places);
            }
            prop_assert_eq!(drained, left);
        }
    }
}
