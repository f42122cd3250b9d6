//! Requests of one rank, which a trace names by their messages.
//!
//! `wait 0 1 7` waits for the oldest open message from 0 to 1 with tag 7. Everything here takes constant time, however many
//! are open: those of one message form a queue, and all of them a list in the order in which they were opened.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use mpirage_call::RequestId;

/// A message as a trace names it: sender, receiver, tag.
pub(super) type Name = (i32, i32, i32);

/// Nothing follows.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Open {
    name: Name,
    /// The next request of the same name.
    following: u32,
    /// Neighbours in the order of opening.
    before: u32,
    after: u32,
    /// A test has found it complete; the wait that is to come has nothing to wait for.
    over: bool,
}

/// The open requests of one rank.
#[derive(Debug)]
pub(super) struct Requests {
    /// By number, less one: numbers start at 1.
    all: Vec<Open>,
    free: Vec<u32>,
    /// First and last of each name.
    named: HashMap<Name, (u32, u32), BuildHasherDefault<Mixer>>,
    oldest: u32,
    newest: u32,
}

impl Default for Requests {
    fn default() -> Self {
        let (all, free) = (Vec::new(), Vec::new());
        Requests { all, free, named: HashMap::default(), oldest: NONE, newest: NONE }
    }
}

impl Requests {
    /// Is nothing open, not even what a test has found complete?
    pub(super) fn is_empty(&self) -> bool {
        self.oldest == NONE
    }

    /// Opens one.
    pub(super) fn open(&mut self, name: Name) -> RequestId {
        let open = Open { name, following: NONE, before: self.newest, after: NONE, over: false };
        let index = match self.free.pop() {
            Some(index) => {
                self.all[index as usize] = open;
                index
            }
            None => {
                self.all.push(open);
                self.all.len() as u32 - 1
            }
        };
        match self.newest {
            NONE => self.oldest = index,
            newest => self.all[newest as usize].after = index,
        }
        self.newest = index;
        let (_, last) = self.named.entry(name).or_insert((index, NONE));
        if *last != NONE {
            self.all[*last as usize].following = index;
        }
        *last = index;
        id_of(index)
    }

    /// The oldest of a name, and whether a test has found it complete.
    pub(super) fn find(&self, name: Name) -> Option<(RequestId, bool)> {
        let (first, _) = self.named.get(&name)?;
        Some((id_of(*first), self.all[*first as usize].over))
    }

    /// The one that was opened last.
    pub(super) fn last(&self) -> Option<(RequestId, bool)> {
        (self.newest != NONE).then(|| (id_of(self.newest), self.all[self.newest as usize].over))
    }

    /// A test has found it complete.
    pub(super) fn mark_over(&mut self, id: RequestId) {
        self.all[id.index() - 1].over = true;
    }

    /// Closes a request. It is usually the oldest of its name; otherwise this searches the queue of the name.
    pub(super) fn close(&mut self, id: RequestId) {
        let index = id.get() - 1;
        let Open { name, following, before, after, .. } = self.all[index as usize];
        match before {
            NONE => self.oldest = after,
            before => self.all[before as usize].after = after,
        }
        match after {
            NONE => self.newest = before,
            after => self.all[after as usize].before = before,
        }
        self.unname(index, name, following);
        self.free.push(index);
    }

    /// Closes all of them; gives those that may not be complete, oldest first.
    pub(super) fn close_all(&mut self, into: &mut Vec<RequestId>) {
        let mut next = self.oldest;
        while next != NONE {
            let open = self.all[next as usize];
            if !open.over {
                into.push(id_of(next));
            }
            self.free.push(next);
            next = open.after;
        }
        self.named.clear();
        (self.oldest, self.newest) = (NONE, NONE);
    }

    fn unname(&mut self, index: u32, name: Name, following: u32) {
        let Some(&(first, last)) = self.named.get(&name) else { return };
        if first == index {
            match following {
                NONE => self.named.remove(&name),
                following => self.named.insert(name, (following, last)),
            };
            return;
        }
        let mut earlier = first;
        while self.all[earlier as usize].following != index {
            earlier = self.all[earlier as usize].following;
        }
        self.all[earlier as usize].following = following;
        if last == index {
            self.named.insert(name, (first, earlier));
        }
    }
}

/// Mixes the few bits of a name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_i32(&mut self, value: i32) {
        self.write_u64(u64::from(value as u32));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// Requests are numbered from 1 on.
fn id_of(index: u32) -> RequestId {
    RequestId::new(index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_one_name_are_closed_in_order() {
        let mut requests = Requests::default();
        let (a, b, c) = (requests.open((0, 1, 7)), requests.open((0, 1, 7)), requests.open((1, 0, 7)));
        assert_eq!([a, b, c].map(RequestId::get), [1, 2, 3]);
        assert_eq!(requests.find((0, 1, 7)), Some((RequestId::new(1), false)));
        requests.close(a);
        assert_eq!(requests.find((0, 1, 7)), Some((b, false)));
        assert_eq!(requests.open((5, 0, 0)), RequestId::new(1), "numbers are used again");
        requests.close(b);
        assert_eq!(requests.find((0, 1, 7)), None);
        assert_eq!(requests.last(), Some((RequestId::new(1), false)));
        let mut rest = Vec::new();
        requests.close_all(&mut rest);
        assert_eq!(rest, [3, 1].map(RequestId::new), "oldest first");
        assert!(requests.is_empty());
    }

    #[test]
    fn what_a_test_completed_is_not_waited_for() {
        let mut requests = Requests::default();
        let (a, b) = (requests.open((0, 1, 0)), requests.open((0, 1, 0)));
        requests.mark_over(a);
        assert_eq!(requests.find((0, 1, 0)), Some((a, true)));
        requests.close(b);
        assert_eq!(requests.find((0, 1, 0)), Some((a, true)));
        let mut rest = Vec::new();
        requests.close_all(&mut rest);
        assert!(rest.is_empty());
    }
}
