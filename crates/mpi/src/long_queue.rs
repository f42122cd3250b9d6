//! A queue that has grown long: entries are found by their keys, through buckets.
//!
//! The earliest of the up to four keys that fit (each of source and tag exact or any) wins, so the cost of a
//! match does not grow with the queue. A receive with a wildcard searches unexpected messages in order of
//! arrival and takes the first that fits.
//!
//! Entries stay where they were put, in order; those that are taken leave gaps, which are closed when they are the
//! larger part.

use std::hash::Hasher;

use mpirage_prefetch::{fetch, fetch_slice};

use crate::matching::{ANY_SOURCE, ANY_TAG, Key};

/// No entry; and the value of an entry that was taken.
const NIL: u32 = u32::MAX;
const FIRST_BUCKETS: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct LongQueue {
    /// In order, with gaps.
    nodes: Vec<Node>,
    /// Before this one there are gaps only.
    first: usize,
    /// Entries that are not taken.
    pub len: usize,
    /// Entries that are not exact.
    wildcards: usize,
    /// Entries by their keys; as many buckets as entries, or more.
    buckets: Vec<List>,
}

/// A list of entries, in order.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

impl List {
    const EMPTY: List = List { head: NIL, tail: NIL };
}

#[derive(Clone, Copy, Debug)]
struct Node {
    key: Key,
    value: u32,
    /// The next of its bucket.
    next: u32,
}

impl LongQueue {
    /// Appends an entry.
    pub(crate) fn push(&mut self, key: Key, value: u32) {
        debug_assert_ne!(value, NIL);
        self.nodes.push(Node { key, value, next: NIL });
        self.len += 1;
        self.wildcards += usize::from(!key.is_exact());
        if self.len > self.buckets.len() {
            self.close_gaps();
        } else {
            self.append(self.nodes.len() as u32 - 1);
        }
    }

    /// Of posted receives: takes the earliest that accepts `message`.
    pub(crate) fn take_accepting(&mut self, message: &Key) -> Option<u32> {
        if self.wildcards == 0 {
            let bucket = self.bucket_of(message);
            return self.take_from(bucket, |node| node.key == *message);
        }
        self.earliest_of_keys(message).map(|id| self.take(id))
    }

    /// Of unexpected messages: the earliest that `receive` accepts.
    pub(crate) fn find_accepted(&self, receive: &Key) -> Option<u32> {
        let found = if receive.is_exact() { self.first_with(receive) } else { self.first_accepted(receive) };
        found.map(|id| self.nodes[id as usize].value)
    }

    /// Of unexpected messages: takes the earliest that `receive` accepts.
    pub(crate) fn take_accepted(&mut self, receive: &Key) -> Option<u32> {
        if receive.is_exact() {
            let bucket = self.bucket_of(receive);
            return self.take_from(bucket, |node| node.key == *receive);
        }
        self.first_accepted(receive).map(|id| self.take(id))
    }

    /// Takes out the entry with this key and value.
    pub(crate) fn take_value(&mut self, key: &Key, value: u32) -> bool {
        let bucket = self.bucket_of(key);
        self.take_from(bucket, |node| node.value == value && node.key == *key).is_some()
    }

    /// Brings near where an entry with this key is looked for and, `deep`, the first that may be it.
    #[inline]
    pub(crate) fn fetch(&self, key: &Key, deep: bool) {
        let Some(bucket) = self.buckets.get(self.bucket_of(key)) else { return };
        if !deep {
            return fetch(bucket);
        }
        match self.nodes.get(bucket.head as usize) {
            Some(node) => fetch(node),
            None => fetch_slice(&self.nodes[self.nodes.len().saturating_sub(1)..], 1),
        }
    }

    /// All values, in order.
    #[cfg(test)]
    pub(crate) fn values(&self) -> impl Iterator<Item = u32> + '_ {
        self.nodes.iter().map(|node| node.value).filter(|&value| value != NIL)
    }

    /// The first that a receive with wildcards accepts.
    fn first_accepted(&self, receive: &Key) -> Option<u32> {
        let fits = |node: &Node| node.value != NIL && receive.accepts(&node.key);
        let found = self.nodes[self.first..].iter().position(fits)?;
        Some((self.first + found) as u32)
    }

    fn earliest_of_keys(&self, message: &Key) -> Option<u32> {
        let any = |source, tag| Key { context: message.context, source, tag };
        let keys =
            [*message, any(ANY_SOURCE, message.tag), any(message.source, ANY_TAG), any(ANY_SOURCE, ANY_TAG)];
        // Tags of the library's own are seen by nobody who takes any.
        let considered = if message.is_for_anybody() { &keys[..] } else { &keys[..2] };
        considered.iter().filter_map(|key| self.first_with(key)).min()
    }

    /// The earliest entry with exactly this key.
    fn first_with(&self, key: &Key) -> Option<u32> {
        let mut at = self.buckets.get(self.bucket_of(key))?.head;
        while at != NIL && self.nodes[at as usize].key != *key {
            at = self.nodes[at as usize].next;
        }
        (at != NIL).then_some(at)
    }

    fn take(&mut self, id: u32) -> u32 {
        let Node { key, value, .. } = self.nodes[id as usize];
        let taken = self.take_value(&key, value);
        debug_assert!(taken, "what is in the queue is in a bucket");
        value
    }

    /// Takes the first entry of a bucket that fits; gives its value.
    fn take_from(&mut self, bucket: usize, fits: impl Fn(&Node) -> bool) -> Option<u32> {
        let LongQueue { nodes, buckets, .. } = self;
        let list = buckets.get_mut(bucket)?;
        let (mut before, mut at) = (NIL, list.head);
        while at != NIL && !fits(&nodes[at as usize]) {
            (before, at) = (at, nodes[at as usize].next);
        }
        let node = nodes.get_mut(at as usize)?;
        let (exact, next) = (node.key.is_exact(), node.next);
        let value = std::mem::replace(&mut node.value, NIL);
        match nodes.get_mut(before as usize) {
            Some(earlier) => earlier.next = next,
            None => list.head = next,
        }
        if next == NIL {
            list.tail = before;
        }
        self.note_gap(at as usize, exact);
        Some(value)
    }

    fn note_gap(&mut self, at: usize, exact: bool) {
        self.len -= 1;
        self.wildcards -= usize::from(!exact);
        if self.len == 0 {
            // No bucket has an entry any more.
            self.nodes.clear();
            self.first = 0;
        } else if at == self.first {
            self.first += 1;
        } else if self.nodes.len() - self.first > 2 * self.len + FIRST_BUCKETS {
            self.close_gaps();
        }
    }

    /// Neighbouring sources have neighbouring buckets: whoever sends to everybody comes to each queue soon after its neighbour.
    fn bucket_of(&self, key: &Key) -> usize {
        let mut hasher = KeyHasher::default();
        hasher.write_u64(key.context);
        hasher.write_u64(u64::from(key.tag as u32));
        let home = (hasher.finish() >> 32) as usize;
        home.wrapping_add(key.source as usize) & self.buckets.len().wrapping_sub(1)
    }

    /// Appends an entry to its bucket.
    fn append(&mut self, id: u32) {
        let bucket = self.bucket_of(&self.nodes[id as usize].key);
        let list = &mut self.buckets[bucket];
        match self.nodes.get_mut(list.tail as usize) {
            Some(last) => last.next = id,
            None => list.head = id,
        }
        list.tail = id;
    }

    /// Puts the entries together, and into as many buckets as they are worth.
    fn close_gaps(&mut self) {
        self.nodes.retain(|node| node.value != NIL);
        self.first = 0;
        self.buckets.clear();
        self.buckets.resize(self.len.next_power_of_two().max(FIRST_BUCKETS), List::EMPTY);
        for id in 0..self.nodes.len() as u32 {
            self.nodes[id as usize].next = NIL;
            self.append(id);
        }
    }
}

/// A fast hash for small keys; the order of the index never reaches a result.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn write_i32(&mut self, value: i32) {
        self.write_u64(u64::from(value as u32));
    }
}
