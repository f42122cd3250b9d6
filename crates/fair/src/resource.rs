//! Resources, as their users name them.

/// How the users of a resource share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The weighted rates of all users together stay below the capacity.
    Shared,
    /// The weighted rate of each user stays below the capacity, whatever the others do.
    FatPipe,
}

/// A resource of one [`Sharing`](crate::Sharing).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub(crate) u32);
