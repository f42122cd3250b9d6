//! The call that a message, a request or a communicator comes from.

use std::fmt;

use mpirage_call::Stamp;

/// The call that something comes from: one word, since every message and request has one.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(u64);

/// Where the index of the function begins in an origin; addresses are shorter.
const FUNCTION: u32 = 53;

impl Origin {
    /// No known call.
    pub const UNKNOWN: Origin = Origin(0);

    /// Of a stamped call. Rotated rather than shifted: for a shifted index the compiler reads more bytes than the index has,
    /// and such a read stalls if the stamp has just been stored.
    #[inline]
    pub fn of(stamp: &Stamp) -> Origin {
        Origin(stamp.site & ((1 << FUNCTION) - 1) | u64::from(stamp.function).rotate_left(FUNCTION))
    }

    /// The address it returns to; zero if unknown.
    pub fn site(self) -> u64 {
        self.0 & ((1 << FUNCTION) - 1)
    }

    /// The function, by its index.
    pub fn function(self) -> u16 {
        (self.0 >> FUNCTION) as u16
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function {} at {:#x}", self.function(), self.site())
    }
}
