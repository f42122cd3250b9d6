//! Resources, as their users name them.

/// How the users of a resource share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharingPolicy {
    /// The weighted rates of all users together stay below the capacity.
    Shared,
    /// The weighted rate of each user stays below the capacity, whatever the others do.
    FatPipe,
}

/// A resource of one [`Sharing`](crate::Sharing).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub(crate) u32);

impl ResourceId {
    /// Its number, counted from 0 in the order in which resources were added.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The resource with this number.
    pub const fn from_number(number: u32) -> ResourceId {
        ResourceId(number)
    }
}
