//! A matching queue that has grown long: a hash table from keys to entries.
//!
//! A message looks for up to four keys (source and tag each exact or any) and takes the earliest receive found, so the cost
//! of a match does not grow with the queue. A receive with a wildcard searches unexpected messages in order of arrival.
//!
//! Entries stay where they were put, in order; those that are taken leave gaps. The queue closes the gaps when they are the
//! larger part.

use std::hash::Hasher;

use mpirage_prefetch::{fetch, fetch_slice};
use rustc_hash::FxHasher;

use super::matching::{ANY_SOURCE, ANY_TAG, Key};

/// No entry.
const NIL: u32 = u32::MAX;
const FIRST_BUCKETS: usize = 64;

/// Entries with keys, in order.
#[derive(Debug)]
pub(super) struct LongQueue<V> {
    /// In order, with gaps.
    nodes: Vec<Node<V>>,
    /// Before this one there are gaps only.
    first: usize,
    /// Entries that are not taken.
    len: usize,
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
struct Node<V> {
    key: Key,
    /// None if it was taken.
    value: Option<V>,
    /// The next of its bucket.
    next: u32,
}

impl<V> Default for LongQueue<V> {
    fn default() -> LongQueue<V> {
        LongQueue { nodes: Vec::new(), first: 0, len: 0, wildcards: 0, buckets: Vec::new() }
    }
}

impl<V: Copy + PartialEq> LongQueue<V> {
    /// Does it have entries?
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.len > 0
    }

    /// Appends an entry.
    pub(super) fn push(&mut self, key: Key, value: V) {
        self.nodes.push(Node { key, value: Some(value), next: NIL });
        self.len += 1;
        self.wildcards += usize::from(!key.is_exact());
        if self.len > self.buckets.len() {
            self.close_gaps();
        } else {
            self.append(self.nodes.len() as u32 - 1);
        }
    }

    /// Of posted receives: takes the earliest that accepts `message`.
    pub(super) fn take_accepting(&mut self, message: &Key) -> Option<V> {
        if self.wildcards == 0 {
            let bucket = self.bucket_of(message);
            return self.take_from(bucket, |node| node.key == *message);
        }
        self.earliest_of_keys(message).and_then(|id| self.take(id))
    }

    /// Of unexpected messages: the earliest that `receive` accepts.
    pub(super) fn find_accepted(&self, receive: &Key) -> Option<V> {
        let found = if receive.is_exact() { self.first_with(receive) } else { self.first_accepted(receive) };
        found.and_then(|id| self.nodes[id as usize].value)
    }

    /// Of unexpected messages: takes the earliest that `receive` accepts.
    pub(super) fn take_accepted(&mut self, receive: &Key) -> Option<V> {
        if receive.is_exact() {
            let bucket = self.bucket_of(receive);
            return self.take_from(bucket, |node| node.key == *receive);
        }
        self.first_accepted(receive).and_then(|id| self.take(id))
    }

    /// Takes out the entry with this key and value.
    pub(super) fn take_value(&mut self, key: &Key, value: V) -> bool {
        let bucket = self.bucket_of(key);
        self.take_from(bucket, |node| node.value == Some(value) && node.key == *key).is_some()
    }

    /// Prefetches the bucket of this key or, if `deep`, its first entry.
    #[inline]
    pub(super) fn fetch(&self, key: &Key, deep: bool) {
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
    pub(super) fn values(&self) -> impl Iterator<Item = V> + '_ {
        self.nodes.iter().filter_map(|node| node.value)
    }

    /// The first that a receive with wildcards accepts.
    fn first_accepted(&self, receive: &Key) -> Option<u32> {
        let fits = |node: &Node<V>| node.value.is_some() && receive.accepts(&node.key);
        let found = self.nodes[self.first..].iter().position(fits)?;
        Some((self.first + found) as u32)
    }

    fn earliest_of_keys(&self, message: &Key) -> Option<u32> {
        let any = |source, tag| Key { context: message.context, source, tag };
        let keys =
            [*message, any(ANY_SOURCE, message.tag), any(message.source, ANY_TAG), any(ANY_SOURCE, ANY_TAG)];
        // A wildcard does not match tags of the library's own.
        let considered = if message.matches_wildcards() { &keys[..] } else { &keys[..2] };
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

    fn take(&mut self, id: u32) -> Option<V> {
        let Node { key, value, .. } = self.nodes[id as usize];
        let taken = self.take_value(&key, value?);
        debug_assert!(taken, "every entry is in a bucket");
        value
    }

    /// Takes the first entry of a bucket that fits; gives its value.
    fn take_from(&mut self, bucket: usize, fits: impl Fn(&Node<V>) -> bool) -> Option<V> {
        let LongQueue { nodes, buckets, .. } = self;
        let list = buckets.get_mut(bucket)?;
        let (mut before, mut at) = (NIL, list.head);
        while at != NIL && !fits(&nodes[at as usize]) {
            (before, at) = (at, nodes[at as usize].next);
        }
        let node = nodes.get_mut(at as usize)?;
        let (exact, next) = (node.key.is_exact(), node.next);
        let value = node.value.take();
        match nodes.get_mut(before as usize) {
            Some(earlier) => earlier.next = next,
            None => list.head = next,
        }
        if next == NIL {
            list.tail = before;
        }
        self.note_gap(at as usize, exact);
        value
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

    /// Neighbouring sources have neighbouring buckets: ranks that send to all ranks reach each queue one after the other.
    fn bucket_of(&self, key: &Key) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write_u64(key.context);
        hasher.write_u64(u64::from(key.tag as u32));
        let first = (hasher.finish() >> 32) as usize;
        first.wrapping_add(key.source as usize) & self.buckets.len().wrapping_sub(1)
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
        self.nodes.retain(|node| node.value.is_some());
        self.first = 0;
        self.buckets.clear();
        self.buckets.resize(self.len.next_power_of_two().max(FIRST_BUCKETS), List::EMPTY);
        for id in 0..self.nodes.len() as u32 {
            self.nodes[id as usize].next = NIL;
            self.append(id);
        }
    }
}
