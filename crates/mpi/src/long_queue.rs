//! A queue that has grown long: an index from keys to the entries that have them.
//!
//! The lowest order number of the up to four keys that fit (each of source and tag exact or any) wins, so the cost of a
//! match does not grow with the queue. A receive with a wildcard searches unexpected messages in order of
//! arrival and takes the first that fits.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::matching::{ANY_SOURCE, ANY_TAG, Key};

const NIL: u32 = u32::MAX;

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
    index: HashMap<Key, List, BuildHasherDefault<KeyHasher>>,
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
    /// Neighbours in order of entry, and among equal keys.
    links: [Link; 2],
}

#[derive(Clone, Copy, Debug)]
struct Link {
    prev: u32,
    next: u32,
}

const ENTRY: usize = 0;
const SAME_KEY: usize = 1;

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
        let list = self.index.entry(key).or_default();
        append(&mut self.nodes, list, SAME_KEY, id);
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
        let list = self.index.get(key);
        let found = list.and_then(|list| self.walk(list.head, SAME_KEY, |node| node.value == value));
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
            self.index.get(receive).map(|list| list.head)
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
        let heads = considered.iter().filter_map(|key| self.index.get(key)).map(|list| list.head);
        heads.min_by_key(|&id| self.nodes[id as usize].order)
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
        let list = self.index.entry(key).or_default();
        unlink(&mut self.nodes, list, SAME_KEY, id);
        if list.head == NIL {
            self.index.remove(&key);
        }
        self.free.push(id);
        self.len -= 1;
        self.wildcards -= usize::from(!key.is_exact());
        value
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
