//! A queue that has grown long: entries are found by their keys, through buckets.
//!
//! The lowest order number of the up to four keys that fit (each of source and tag exact or any) wins, so the cost of a
//! match does not grow with the queue. A receive with a wildcard searches unexpected messages in order of
//! arrival and takes the first that fits.

use std::hash::Hasher;

use crate::matching::{ANY_SOURCE, ANY_TAG, Key};

const NIL: u32 = u32::MAX;
const FIRST_BUCKETS: usize = 64;

/// An ordered queue of entries with keys.
#[derive(Debug, Default)]
pub(crate) struct LongQueue {
    nodes: Vec<Node>,
    free: Vec<u32>,
    all: List,
    pub len: usize,
    next_order: u64,
    /// Entries with a wildcard, so that none need be looked for when there are none.
    wildcards: usize,
    /// Entries by the hash of their key, in order; a power of two of them.
    buckets: Vec<List>,
}

/// Ends of a doubly linked list.
#[derive(Clone, Copy, Debug)]
struct List {
    head: u32,
    tail: u32,
}

impl Default for List {
    fn default() -> Self {
        List { head: NIL, tail: NIL }
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    key: Key,
    value: u32,
    order: u64,
    /// Neighbours in order of entry, in all and in the bucket.
    links: [Link; 2],
}

#[derive(Clone, Copy, Debug)]
struct Link {
    prev: u32,
    next: u32,
}

const ENTRY: usize = 0;
const BUCKET: usize = 1;

impl LongQueue {
    /// Appends an entry.
    pub(crate) fn push(&mut self, key: Key, value: u32) {
        let unlinked = Link { prev: NIL, next: NIL };
        let node = Node { key, value, order: self.next_order, links: [unlinked; 2] };
        self.next_order += 1;
        let id = self.free.pop().unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        });
        self.nodes[id as usize] = node;
        append(&mut self.nodes, &mut self.all, ENTRY, id);
        self.len += 1;
        self.wildcards += usize::from(!key.is_exact());
        if self.len > self.buckets.len() {
            self.grow();
        } else {
            let bucket = self.bucket_of(&key);
            append(&mut self.nodes, &mut self.buckets[bucket], BUCKET, id);
        }
    }

    /// Of posted receives: takes the earliest that accepts `message`.
    pub(crate) fn take_accepting(&mut self, message: &Key) -> Option<u32> {
        self.earliest_of_keys(message).map(|id| self.remove(id))
    }

    /// Of unexpected messages: the earliest that `receive` accepts.
    pub(crate) fn find_accepted(&self, receive: &Key) -> Option<u32> {
        self.accepted_node(receive).map(|id| self.nodes[id as usize].value)
    }

    /// Of unexpected messages: takes the earliest that `receive` accepts.
    pub(crate) fn take_accepted(&mut self, receive: &Key) -> Option<u32> {
        self.accepted_node(receive).map(|id| self.remove(id))
    }

    /// Takes out the entry with this key and value.
    pub(crate) fn take_value(&mut self, key: &Key, value: u32) -> bool {
        let bucket = self.buckets[self.bucket_of(key)];
        let found = self.walk(bucket.head, BUCKET, |node| node.value == value && node.key == *key);
        found.map(|id| self.remove(id)).is_some()
    }

    /// All values, in order.
    #[cfg(test)]
    pub(crate) fn values(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.all.head;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.links[ENTRY].next;
            Some(node.value)
        })
    }

    fn accepted_node(&self, receive: &Key) -> Option<u32> {
        if receive.is_exact() {
            self.first_with(receive)
        } else {
            self.walk(self.all.head, ENTRY, |node| receive.accepts(&node.key))
        }
    }

    fn earliest_of_keys(&self, message: &Key) -> Option<u32> {
        let any = |source, tag| Key { context: message.context, source, tag };
        let keys =
            [*message, any(ANY_SOURCE, message.tag), any(message.source, ANY_TAG), any(ANY_SOURCE, ANY_TAG)];
        let considered = match (self.wildcards, message.is_for_anybody()) {
            (0, _) => &keys[..1],
            (_, false) => &keys[..2],
            (_, true) => &keys[..],
        };
        let firsts = considered.iter().filter_map(|key| self.first_with(key));
        firsts.min_by_key(|&id| self.nodes[id as usize].order)
    }

    fn walk(&self, mut at: u32, links: usize, fits: impl Fn(&Node) -> bool) -> Option<u32> {
        while let Some(node) = self.nodes.get(at as usize) {
            if fits(node) {
                return Some(at);
            }
            at = node.links[links].next;
        }
        None
    }

    fn remove(&mut self, id: u32) -> u32 {
        unlink(&mut self.nodes, &mut self.all, ENTRY, id);
        let Node { key, value, .. } = self.nodes[id as usize];
        self.free.push(id);
        self.len -= 1;
        self.wildcards -= usize::from(!key.is_exact());
        let bucket = self.bucket_of(&key);
        unlink(&mut self.nodes, &mut self.buckets[bucket], BUCKET, id);
        value
    }

    /// The earliest entry with exactly this key.
    fn first_with(&self, key: &Key) -> Option<u32> {
        let bucket = self.buckets[self.bucket_of(key)];
        self.walk(bucket.head, BUCKET, |node| node.key == *key)
    }

    /// Neighbouring sources have neighbouring buckets: whoever sends to everybody comes to each queue soon after its neighbour.
    fn bucket_of(&self, key: &Key) -> usize {
        let mut hasher = KeyHasher::default();
        hasher.write_u64(key.context);
        hasher.write_u64(u64::from(key.tag as u32));
        ((hasher.finish() >> 32) as usize).wrapping_add(key.source as usize) & (self.buckets.len() - 1)
    }

    /// Twice the buckets, and all entries in them.
    fn grow(&mut self) {
        let buckets = (2 * self.buckets.len()).max(FIRST_BUCKETS);
        self.buckets.clear();
        self.buckets.resize(buckets, List::default());
        let mut at = self.all.head;
        while at != NIL {
            let bucket = self.bucket_of(&self.nodes[at as usize].key);
            append(&mut self.nodes, &mut self.buckets[bucket], BUCKET, at);
            at = self.nodes[at as usize].links[ENTRY].next;
        }
    }
}

fn append(nodes: &mut [Node], list: &mut List, links: usize, id: u32) {
    nodes[id as usize].links[links] = Link { prev: list.tail, next: NIL };
    match nodes.get_mut(list.tail as usize) {
        Some(last) => last.links[links].next = id,
        None => list.head = id,
    }
    list.tail = id;
}

fn unlink(nodes: &mut [Node], list: &mut List, links: usize, id: u32) {
    let Link { prev, next } = nodes[id as usize].links[links];
    match nodes.get_mut(prev as usize) {
        Some(node) => node.links[links].next = next,
        None => list.head = next,
    }
    match nodes.get_mut(next as usize) {
        Some(node) => node.links[links].prev = prev,
        None => list.tail = prev,
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
