//! A rank and its communicator.

/// A rank of a communicator of so many ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The rank.
    pub rank: u32,
    /// The number of ranks.
    pub size: u32,
}
