//! Numbers of frames, paths and ends of connections.

/// A frame on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameId(pub u32);

/// The links that frames of an end cross, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathId(pub u32);

/// One end of a connection. The two ends of a connection have neighbouring numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndId(u32);

impl EndId {
    /// The end of that number.
    pub(crate) fn new(number: usize) -> EndId {
        EndId(number as u32)
    }

    /// The end at the other side of its connection.
    pub(crate) fn other(self) -> EndId {
        EndId(self.0 ^ 1)
    }

    /// Its place in a list of all ends.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
