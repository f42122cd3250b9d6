//! What happened, written down to be dealt with later.
//!
//! While a run goes on, the bytes that its ranks exchange push everything else out of the near caches. So nothing is looked up
//! when something happens: it is written down in a row, in memory that is used over and over and therefore stays near. Every few
//! hundred things all of them are entered into the [books](crate::books), where what each needs is asked for ahead of its turn.

use crate::category::Category;
use crate::delivered::Delivered;
use crate::events::Event;

/// Things that are written down before they are dealt with.
const ROOM: usize = 512;

/// Something that a rank did.
pub(crate) struct Deed {
    /// Of a call, what is told of it; of anything else, when it was. How long it waited may be [`UNTOLD`].
    pub event: Event,
    pub rank: u32,
    /// The function, by its index in the table of functions.
    pub of: u16,
    /// What it was, once it did not wait for another rank any more.
    pub category: Category,
}

/// How long a call waited is for the message to say that it ended with.
pub(crate) const UNTOLD: u64 = u64::MAX;

/// Something that may lie on a path.
#[derive(Clone, Copy)]
pub(crate) enum Past {
    /// What a rank did, by its place in the row of deeds.
    Deed(u32),
    /// A message, by its place in the row of messages.
    Message(u32),
    /// A rank has entered a collective by this function.
    Entry(u32, u16),
}

/// What has not been dealt with yet.
pub(crate) struct Journal {
    pub deeds: Vec<Deed>,
    pub messages: Vec<Delivered>,
    /// What may lie on a path, in the order in which it happened.
    pub history: Vec<Past>,
}

impl Journal {
    pub fn new() -> Journal {
        Journal {
            deeds: Vec::with_capacity(ROOM),
            messages: Vec::with_capacity(ROOM),
            history: Vec::with_capacity(2 * ROOM),
        }
    }

    /// A rank did something, which may lie on a path or not.
    #[inline]
    pub fn deed(&mut self, deed: Deed, on_path: bool) {
        if on_path {
            self.history.push(Past::Deed(self.deeds.len() as u32));
        }
        self.deeds.push(deed);
    }

    /// A message was delivered.
    #[inline]
    pub fn message(&mut self, message: Delivered) {
        self.history.push(Past::Message(self.messages.len() as u32));
        self.messages.push(message);
    }

    /// A rank has entered a collective.
    #[inline]
    pub fn entry(&mut self, rank: u32, function: u16) {
        self.history.push(Past::Entry(rank, function));
    }

    /// Is it time to deal with all of it?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.deeds.len() >= ROOM || self.messages.len() >= ROOM
    }

    /// All of it has been dealt with.
    pub fn clear(&mut self) {
        self.deeds.clear();
        self.messages.clear();
        self.history.clear();
    }
}
