//! Numbers of frames, paths, ports, lanes and ends of connections.

/// A frame on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameId(pub u32);

impl FrameId {
    /// Its place in a table of frames.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The links that frames of an end cross, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathId(pub u32);

/// A link's port, in the order in which links were first used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PortId(pub u32);

impl PortId {
    /// Its place in a list of all ports.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A virtual lane of a link: frames of different lanes do not share buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LaneId(pub u8);

impl LaneId {
    /// The lane of frames that the protocol calls urgent.
    pub(crate) const URGENT: LaneId = LaneId(u8::MAX);
}

/// One end of a connection. The two ends of a connection have neighbouring numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndId(u32);

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
