//! Identifiers of ranks and of their lines of control.

use std::fmt;

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The identifier with this number.
            #[inline]
            pub const fn new(number: u32) -> $name {
                $name(number)
            }

            /// Its number.
            #[inline]
            pub const fn get(self) -> u32 {
                self.0
            }

            /// Its number, as an index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

identifier! {
    /// A rank of a run: an address that messages are sent to. The ranks of a job follow each other.
    RankId
}

identifier! {
    /// A line of control: a thread of a rank that makes calls and waits for their answers. Line `i` is the first line of
    /// rank `i`.
    LineId
}

impl LineId {
    /// The first line of a rank.
    #[inline]
    pub const fn first_of(rank: RankId) -> LineId {
        LineId(rank.0)
    }
}
