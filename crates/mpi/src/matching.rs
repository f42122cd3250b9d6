//! Which receive a message belongs to.
//!
//! Two queues per rank: receives that wait for a message (posted) and messages that wait for a
//! receive (unexpected). MPI's rule: the earliest that fits. A short queue is searched in order; a
//! long one through an index from (context, source, tag) to the entries with that key, where the
//! lowest order number of the up to four keys that fit (each of source and tag exact or any) wins. So
//! cost per match does not grow with the queue. A receive with a wildcard searches unexpected
//! messages in order of arrival and takes the first that fits.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Entries above which a queue keeps an index.
const INDEX_ABOVE: usize = 32;
const NIL: u32 = u32::MAX;

/// What a receive or a message is matched by. `None` is a wildcard, of a receive only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The communicator, or the collective.
    pub context: u64,
    /// The sender's rank in it.
    pub source: Option<u32>,
    /// The tag.
    pub tag: Option<i32>,
}

impl Key {
    /// Does a receive with this key take a message with that one?
    pub fn accepts(&self, message: &Key) -> bool {
        self.context == message.context
            && (self.source.is_none() || self.source == message.source)
            && (self.tag == message.tag || self.tag.is_none() && message.is_for_anybody())
    }

    /// Tags below zero belong to the library: no wildcard sees them.
    fn is_for_anybody(&self) -> bool {
        self.tag.is_none_or(|tag| tag >= 0)
    }

    fn is_exact(&self) -> bool {
        self.source.is_some() && self.tag.is_some()
    }
}

/// An ordered queue of entries with keys.
#[derive(Debug, Default)]
pub struct Queue {
    nodes: Vec<Node>,
    free: Vec<u32>,
    all: List,
    len: usize,
    next_order: u64,
    /// Entries with a wildcard, so that none need be looked for when there are none.
    wildcards: usize,
    /// Is `index` kept? An index that is not kept is empty, but keeps its memory.
    indexed: bool,
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

impl Queue {
    /// Nobody waits.
    pub fn new() -> Queue {
        Queue::default()
    }

    /// Appends an entry.
    pub fn push(&mut self, key: Key, value: u32) {
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
        self.keep_index(id);
    }

    /// Of posted receives: takes the earliest that accepts `message`.
    pub fn take_accepting(&mut self, message: &Key) -> Option<u32> {
        let id =
            if self.indexed { self.earliest_of_keys(message) } else { self.scan(|key| key.accepts(message)) };
        id.map(|id| self.remove(id))
    }

    /// Of unexpected messages: the earliest that `receive` accepts.
    pub fn find_accepted(&self, receive: &Key) -> Option<u32> {
        self.accepted_node(receive).map(|id| self.nodes[id as usize].value)
    }

    /// Of unexpected messages: takes the earliest that `receive` accepts.
    pub fn take_accepted(&mut self, receive: &Key) -> Option<u32> {
        self.accepted_node(receive).map(|id| self.remove(id))
    }

    /// Takes out the entry with this key and value.
    pub fn take_value(&mut self, key: &Key, value: u32) -> bool {
        let found = if self.indexed {
            self.index.get(key).and_then(|list| self.walk(list.head, SAME_KEY, |n| n.value == value))
        } else {
            self.walk(self.all.head, ENTRY, |n| n.value == value && n.key == *key)
        };
        found.map(|id| self.remove(id)).is_some()
    }

    /// All values, in order.
    #[cfg(test)]
    pub fn values(&self) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.all.head;
        std::iter::from_fn(move || {
            let node = self.nodes.get(at as usize)?;
            at = node.links[ENTRY].next;
            Some(node.value)
        })
    }

    fn accepted_node(&self, receive: &Key) -> Option<u32> {
        if self.indexed && receive.is_exact() {
            self.index.get(receive).map(|list| list.head)
        } else {
            self.scan(|key| receive.accepts(key))
        }
    }

    fn earliest_of_keys(&self, message: &Key) -> Option<u32> {
        let any = |source, tag| Key { context: message.context, source, tag };
        let keys = [*message, any(None, message.tag), any(message.source, None), any(None, None)];
        let considered = match (self.wildcards, message.is_for_anybody()) {
            (0, _) => &keys[..1],
            (_, false) => &keys[..2],
            (_, true) => &keys[..],
        };
        let heads = considered.iter().filter_map(|key| self.index.get(key)).map(|list| list.head);
        heads.min_by_key(|&id| self.nodes[id as usize].order)
    }

    fn scan(&self, fits: impl Fn(&Key) -> bool) -> Option<u32> {
        self.walk(self.all.head, ENTRY, |node| fits(&node.key))
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
        if self.indexed {
            let list = self.index.entry(key).or_default();
            unlink(&mut self.nodes, list, SAME_KEY, id);
            if list.head == NIL {
                self.index.remove(&key);
            }
        }
        self.free.push(id);
        self.len -= 1;
        self.wildcards -= usize::from(!key.is_exact());
        // An empty queue starts afresh: short again until it grows.
        self.indexed &= self.len > 0;
        value
    }

    fn keep_index(&mut self, id: u32) {
        if self.indexed {
            self.enter_index(id);
        } else if self.len > INDEX_ABOVE {
            self.build_index();
        }
    }

    fn build_index(&mut self) {
        self.indexed = true;
        let mut at = self.all.head;
        while at != NIL {
            self.enter_index(at);
            at = self.nodes[at as usize].links[ENTRY].next;
        }
    }

    fn enter_index(&mut self, id: u32) {
        let list = self.index.entry(self.nodes[id as usize].key).or_default();
        append(&mut self.nodes, list, SAME_KEY, id);
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
pub struct KeyHasher(u64);

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
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys() -> impl Strategy<Value = (Key, bool)> {
        let source = proptest::option::weighted(0.8, 0u32..4);
        let tag = proptest::option::weighted(0.8, -1i32..4);
        (0u64..2, source, tag, any::<bool>())
            .prop_map(|(context, source, tag, posts)| (Key { context, source, tag }, posts))
    }

    proptest! {
        /// Receives and messages in any order match as in a plain list searched from the front.
        #[test]
        fn matches_like_a_plain_list(events in proptest::collection::vec(keys(), 1..300)) {
            let (mut posted, mut unexpected) = (Queue::new(), Queue::new());
            let mut plain_posted: Vec<(Key, u32)> = Vec::new();
            let mut plain_unexpected: Vec<(Key, u32)> = Vec::new();
            for (value, (key, posts)) in events.into_iter().enumerate() {
                let value = value as u32;
                if posts {
                    let plain = plain_unexpected.iter().position(|(k, _)| key.accepts(k)).map(|i| plain_unexpected.remove(i).1);
                    prop_assert_eq!(unexpected.find_accepted(&key), plain);
                    prop_assert_eq!(unexpected.take_accepted(&key), plain);
                    if plain.is_none() {
                        posted.push(key, value);
                        plain_posted.push((key, value));
                    }
                } else {
                    let key = Key { source: key.source.or(Some(0)), tag: key.tag.or(Some(0)), ..key };
                    let plain = plain_posted.iter().position(|(k, _)| k.accepts(&key)).map(|i| plain_posted.remove(i).1);
                    prop_assert_eq!(posted.take_accepting(&key), plain);
                    if plain.is_none() {
                        unexpected.push(key, value);
                        plain_unexpected.push((key, value));
                    }
                }
            }
            prop_assert_eq!(posted.values().collect::<Vec<_>>(), plain_posted.iter().map(|e| e.1).collect::<Vec<_>>());
            if let Some(&(key, value)) = plain_posted.last() {
                prop_assert!(posted.take_value(&key, value));
                prop_assert!(!posted.take_value(&key, value));
            }
        }
    }
}
