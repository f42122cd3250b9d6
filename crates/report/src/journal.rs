//! What happened, in order, to be dealt with later.
//!
//! While a run goes on, the bytes that its ranks exchange push everything else out of the near caches. So nothing is looked up
//! when something happens: it is written down in a row, in memory that is used over and over and therefore stays near. Every few
//! hundred things [paths](crate::path) are told of all of them, and what each needs is asked for ahead of its turn.

use crate::delivered::Delivered;

/// Things that are written down before they are dealt with.
const ROOM: usize = 512;

/// Something that may lie on a path.
#[derive(Clone, Copy)]
pub(crate) enum Past {
    /// A call of this function, by its place in the diary.
    Call(u32, u16),
    /// Something else that a rank did, by its place in the diary.
    Deed(u32),
    /// A message, by its place in the row of messages.
    Message(u32),
    /// A rank has entered a collective by this function.
    Entry(u32, u16),
}

/// What has not been dealt with yet.
pub(crate) struct Journal {
    pub messages: Vec<Delivered>,
    /// What may lie on a path, in the order in which it happened.
    pub history: Vec<Past>,
}

impl Journal {
    pub fn new() -> Journal {
        Journal { messages: Vec::with_capacity(ROOM), history: Vec::with_capacity(2 * ROOM) }
    }

    #[inline]
    pub fn push(&mut self, past: Past) {
        self.history.push(past);
    }

    /// A message was delivered.
    #[inline]
    pub fn message(&mut self, message: Delivered) {
        self.history.push(Past::Message(self.messages.len() as u32));
        self.messages.push(message);
    }

    /// Is it time to deal with all of it?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.history.len() >= ROOM
    }

    /// All of it has been dealt with.
    pub fn clear(&mut self) {
        self.messages.clear();
        self.history.clear();
    }
}
