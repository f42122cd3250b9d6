//! Identifiers of communicators, requests, ranks and lines of control.

use std::fmt;

use bytemuck::{Pod, Zeroable};

/// Defines a type for one kind of number.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u32);

        impl $name {
            /// The one with this number.
            #[inline]
            pub const fn new(number: u32) -> $name {
                $name(number)
            }

            /// The number.
            #[inline]
            pub const fn get(self) -> u32 {
                self.0
            }

            /// Numbers as ids.
            #[inline]
            pub fn slice(numbers: &[u32]) -> &[$name] {
                bytemuck::cast_slice(numbers)
            }

            /// The number as an index.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        /// As the number: the name of the field says what it is.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// The simulator's number of a communicator.
    ContextId;
    /// A rank's number of one of its requests: small numbers from 1 up, used again when free.
    RequestId;
    /// A rank of a run: an address that messages are sent to, not its rank in some communicator. The ranks of a job follow
    /// each other.
    RankId;
    /// A line of control: a thread of a rank that makes calls and waits for their answers. Line `i` is the first line of
    /// rank `i`.
    LineId;
}

impl LineId {
    /// The first line of a rank.
    #[inline]
    pub const fn first_of(rank: RankId) -> LineId {
        LineId(rank.0)
    }
}

/// The request of the blocking call that a rank is in. Ranks never use this number.
pub const BLOCKING: RequestId = RequestId(0);

/// The context of `MPI_COMM_WORLD`.
pub const WORLD: ContextId = ContextId(0);
/// The context of every rank's `MPI_COMM_SELF`.
pub const SELF: ContextId = ContextId(1);
/// The context of all ranks of a run in which ranks may start others. Programs do not see it.
pub const UNIVERSE: ContextId = ContextId(2);
/// The highest bit of a site that stands for a path ([`crate::Call::CallPath`]). Addresses of programs do not have it, and sites have no
/// higher one.
pub const PATH_SITE: u64 = 1 << 47;

/// The site of a path whose hash this is.
pub const fn path_site(hash: u64) -> u64 {
    hash & (PATH_SITE - 1) | PATH_SITE
}
/// The first communicator that is made.
pub const FIRST_MADE: ContextId = ContextId(2);
