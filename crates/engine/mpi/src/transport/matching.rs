//! Matches messages and receives.
//!
//! Two queues per rank: receives that wait for a message (posted) and messages that wait for a
//! receive (unexpected). MPI's rule: the earliest that fits. A short queue is a list searched from the front, which
//! most are; one that has grown long keeps an index ([`LongQueue`]) until it is empty again.

use mpirage_call::ContextId;
use smallvec::SmallVec;

use super::long_queue::LongQueue;
use super::message::Taker;
use crate::ids::MessageId;

/// Entries above which a queue keeps an index.
const LONG_ABOVE: usize = 32;
/// Takes a message from any source.
pub(crate) const ANY_SOURCE: u32 = u32::MAX;
/// Takes a message with any tag of the program's.
pub(crate) const ANY_TAG: i32 = i32::MIN;

/// The key by which receives and messages are matched. Only a receive has wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The communicator, or the collective.
    pub context: u64,
    /// The sender's rank in it.
    pub source: u32,
    pub tag: i32,
}

impl Key {
    /// `None` is a wildcard.
    #[inline]
    pub(crate) fn new(context: ContextId, source: Option<u32>, tag: Option<i32>) -> Key {
        Key {
            context: u64::from(context.get()),
            source: source.unwrap_or(ANY_SOURCE),
            tag: tag.unwrap_or(ANY_TAG),
        }
    }

    /// As two words, which are passed in registers: a key passed through memory would stall on store forwarding.
    #[inline(always)]
    pub(crate) fn words(self) -> (u64, u64) {
        (self.context, u64::from(self.source) | u64::from(self.tag as u32) << 32)
    }

    #[inline(always)]
    pub(crate) fn of_words((context, ends): (u64, u64)) -> Key {
        Key { context, source: ends as u32, tag: (ends >> 32) as i32 }
    }

    pub(crate) fn source(&self) -> Option<u32> {
        (self.source != ANY_SOURCE).then_some(self.source)
    }

    pub(crate) fn tag(&self) -> Option<i32> {
        (self.tag != ANY_TAG).then_some(self.tag)
    }

    /// Does a receive with this key take a message with that one?
    pub(crate) fn accepts(&self, message: &Key) -> bool {
        self.context == message.context
            && (self.source == message.source || self.source == ANY_SOURCE)
            && (self.tag == message.tag || self.tag == ANY_TAG && message.matches_wildcards())
    }

    /// Tags below zero belong to the library: no wildcard matches them.
    pub(crate) fn matches_wildcards(&self) -> bool {
        self.tag >= 0 || self.tag == ANY_TAG
    }

    pub(crate) fn is_exact(&self) -> bool {
        self.source != ANY_SOURCE && self.tag != ANY_TAG
    }
}

/// The message that a probe looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub key: Key,
    /// Is the message taken out of the queue, for a matched receive?
    pub take: bool,
}

/// The queues of one rank.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    /// Receives that wait for a message.
    pub posted: Queue<Taker>,
    /// Messages that wait for a receive.
    pub unexpected: Queue<MessageId>,
}

/// How many entries the queues of a rank have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueLengths {
    pub posted: usize,
    pub unexpected: usize,
}

impl Matching {
    pub(crate) fn lengths(&self) -> QueueLengths {
        QueueLengths { posted: self.posted.len(), unexpected: self.unexpected.len() }
    }

    /// A message with this key will come soon: prefetches the queue in which it is looked for, or entered.
    #[inline]
    pub(crate) fn fetch(&self, message: &Key, deep: bool) {
        match (&self.posted.long, &self.unexpected.long) {
            (Some(posted), _) if posted.is_used() => posted.fetch(message, deep),
            (_, Some(unexpected)) => unexpected.fetch(message, deep),
            _ => {}
        }
    }
}

/// An ordered queue of entries with keys. It fills a cache line, with two entries in it.
#[derive(Debug)]
pub(crate) struct Queue<V> {
    short: SmallVec<[(Key, V); 2]>,
    /// Once made it stays, for the next time; in use while it has entries.
    long: Option<Box<LongQueue<V>>>,
}

impl<V> Default for Queue<V> {
    fn default() -> Queue<V> {
        Queue { short: SmallVec::new(), long: None }
    }
}

impl<V: Copy + PartialEq> Queue<V> {
    /// Appends an entry.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: Key, value: V) {
        if self.long.is_some() || self.short.len() >= LONG_ABOVE {
            return self.push_to_long(key.words(), value);
        }
        self.short.push((key, value));
    }

    /// The same where there is an index, or has to be one now.
    #[inline(never)]
    fn push_to_long(&mut self, words: (u64, u64), value: V) {
        let key = Key::of_words(words);
        if let Some(long) = self.used_long() {
            return long.push(key, value);
        }
        self.short.push((key, value));
        if self.short.len() > LONG_ABOVE {
            let long = self.long.get_or_insert_default();
            self.short.drain(..).for_each(|(key, value)| long.push(key, value));
        }
    }

    /// Of posted receives: takes the earliest that accepts `message`.
    pub(crate) fn take_accepting(&mut self, message: &Key) -> Option<V> {
        match self.used_long() {
            Some(long) => long.take_accepting(message),
            None => self.take_first(|key, _| key.accepts(message)),
        }
    }

    /// Of posted receives, if they are few: the earliest that accepts `message`.
    pub(crate) fn find_accepting(&self, message: &Key) -> Option<V> {
        self.short.iter().find(|(key, _)| key.accepts(message)).map(|&(_, value)| value)
    }

    /// Of unexpected messages: the earliest that `receive` accepts.
    pub(crate) fn find_accepted(&self, receive: &Key) -> Option<V> {
        match self.long.as_deref().filter(|long| long.is_used()) {
            Some(long) => long.find_accepted(receive),
            None => self.short.iter().find(|(key, _)| receive.accepts(key)).map(|&(_, value)| value),
        }
    }

    /// Of unexpected messages: takes the earliest that `receive` accepts.
    #[inline(always)]
    pub(crate) fn take_accepted(&mut self, receive: Key) -> Option<V> {
        if self.short.is_empty() && self.long.is_none() {
            return None;
        }
        self.take_accepted_of_some(receive.words())
    }

    #[inline(never)]
    fn take_accepted_of_some(&mut self, receive: (u64, u64)) -> Option<V> {
        let receive = &Key::of_words(receive);
        match self.used_long() {
            Some(long) => long.take_accepted(receive),
            None => self.take_first(|key, _| receive.accepts(key)),
        }
    }

    /// Takes out the entry with this key and value.
    pub(crate) fn take_value(&mut self, key: &Key, value: V) -> bool {
        match self.used_long() {
            Some(long) => long.take_value(key, value),
            None => self.take_first(|_, known| known == value).is_some(),
        }
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.short.len() + self.long.iter().map(|long| long.values().count()).sum::<usize>()
    }

    /// All values, in order.
    #[cfg(test)]
    fn values(&self) -> Vec<V> {
        let short = self.short.iter().map(|&(_, value)| value);
        short.chain(self.long.iter().flat_map(|long| long.values())).collect()
    }

    fn used_long(&mut self) -> Option<&mut LongQueue<V>> {
        self.long.as_deref_mut().filter(|long| long.is_used())
    }

    fn take_first(&mut self, fits: impl Fn(&Key, V) -> bool) -> Option<V> {
        let at = self.short.iter().position(|(key, value)| fits(key, *value))?;
        // The last, as a rule: then nothing moves.
        let taken = if at + 1 == self.short.len() { self.short.pop()? } else { self.short.remove(at) };
        Some(taken.1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys() -> impl Strategy<Value = (Key, bool)> {
        let source = proptest::option::weighted(0.8, 0u32..4);
        let tag = proptest::option::weighted(0.8, -1i32..4);
        (0u32..2, source, tag, any::<bool>())
            .prop_map(|(context, source, tag, posts)| (Key::new(ContextId::new(context), source, tag), posts))
    }

    proptest! {
        /// Receives and messages in any order match as in a plain list searched from the front.
        #[test]
        fn matches_like_a_plain_list(events in proptest::collection::vec(keys(), 1..300)) {
            let (mut posted, mut unexpected) = (Queue::default(), Queue::default());
            let mut plain_posted: Vec<(Key, u32)> = Vec::new();
            let mut plain_unexpected: Vec<(Key, u32)> = Vec::new();
            for (value, (key, posts)) in events.into_iter().enumerate() {
                let value = value as u32;
                if posts {
                    let plain = plain_unexpected.iter().position(|(k, _)| key.accepts(k)).map(|i| plain_unexpected.remove(i).1);
                    prop_assert_eq!(unexpected.find_accepted(&key), plain);
                    prop_assert_eq!(unexpected.take_accepted(key), plain);
                    if plain.is_none() {
                        posted.push(key, value);
                        plain_posted.push((key, value));
                    }
                } else {
                    let key = Key::new(ContextId::new(key.context as u32), key.source().or(Some(0)), key.tag().or(Some(0)));
                    let plain = plain_posted.iter().position(|(k, _)| k.accepts(&key)).map(|i| plain_posted.remove(i).1);
                    prop_assert_eq!(posted.take_accepting(&key), plain);
                    if plain.is_none() {
                        unexpected.push(key, value);
                        plain_unexpected.push((key, value));
                    }
                }
            }
            prop_assert_eq!(posted.values(), plain_posted.iter().map(|e| e.1).collect::<Vec<_>>());
            if let Some(&(key, value)) = plain_posted.last() {
                prop_assert!(posted.take_value(&key, value));
                prop_assert!(!posted.take_value(&key, value));
            }
        }
    }
}
