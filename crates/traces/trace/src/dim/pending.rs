//! Requests of a rank: which numbers are in use, and what they are for.
//!
//! A trace names what is waited for by its envelope, first posted, first waited for. Non-blocking sends are never waited
//! for: their requests are freed at once.

use std::collections::HashMap;

use mpirage_call::{BLOCKING, RequestId};

/// Stands for no request: ranks do not use its number.
const NONE: RequestId = BLOCKING;

/// The key of a wait: peer, tag and communicator of a receive, or the operation and communicator of a collective.
pub(super) type Key = (i64, i64, u32);

/// The requests of one rank.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Numbers that are free.
    free: Vec<RequestId>,
    /// How many numbers there are.
    numbers: u32,
    /// First and last request that waits under a key.
    waiting: HashMap<Key, (RequestId, RequestId)>,
    /// The next request under the same key, by request.
    next: Vec<RequestId>,
}

impl Pending {
    /// Takes a free number.
    pub fn open(&mut self) -> RequestId {
        self.free.pop().unwrap_or_else(|| {
            self.numbers += 1;
            RequestId::new(self.numbers)
        })
    }

    /// The number of a new request, which a later record waits for under `key`.
    pub fn open_for(&mut self, key: Key) -> RequestId {
        let id = self.open();
        self.next.resize(self.next.len().max(id.index() + 1), NONE);
        self.next[id.index()] = NONE;
        match self.waiting.get_mut(&key) {
            Some((_, last)) => {
                self.next[last.index()] = id;
                *last = id;
            }
            None => {
                self.waiting.insert(key, (id, id));
            }
        }
        id
    }

    /// The oldest request under `key`; its number becomes free.
    pub fn close_first(&mut self, key: Key) -> Option<RequestId> {
        let (first, last) = *self.waiting.get(&key)?;
        if first == last {
            self.waiting.remove(&key);
        } else {
            self.waiting.insert(key, (self.next[first.index()], last));
        }
        self.free.push(first);
        Some(first)
    }

    /// Frees the number of a request that no record waits for.
    pub fn close(&mut self, number: RequestId) {
        self.free.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_posted_first_is_waited_for_first() {
        let mut pending = Pending::default();
        let ids = [(0, 7, 1), (0, 7, 1), (3, 7, 1)].map(|key| pending.open_for(key));
        assert_eq!(ids, [1, 2, 3].map(RequestId::new));
        assert_eq!(pending.close_first((3, 7, 1)), Some(RequestId::new(3)));
        assert_eq!(pending.close_first((0, 7, 1)), Some(RequestId::new(1)));
        assert_eq!(pending.open_for((0, 7, 1)), RequestId::new(1));
        assert_eq!(
            [(); 3].map(|()| pending.close_first((0, 7, 1))),
            [Some(2), Some(1), None].map(|id| id.map(RequestId::new))
        );
    }
}
