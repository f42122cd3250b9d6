//! Links: what a message crosses between two hosts.

/// A link of a platform; links are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// How the flows that cross a link at the same time share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They share the bandwidth.
    Shared,
    /// Each can have all of it: the link bounds a flow, but is never congested.
    FatPipe,
}

/// The bandwidth, latency and sharing of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSpec {
    /// Bytes per second, positive.
    pub bandwidth: f64,
    /// Seconds, not negative.
    pub latency: f64,
    /// How flows share it.
    pub sharing: Sharing,
}

/// How the two directions of a cable are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplex {
    /// Two links, one per direction (SimGrid's SPLITDUPLEX).
    Split,
    /// One link for both directions.
    Single,
}

/// A piece of hardware as platform files describe it: one link, or one per direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cable {
    pub spec: LinkSpec,
    pub duplex: Duplex,
}

impl Cable {
    pub fn shared(bandwidth: f64, latency: f64, duplex: Duplex) -> Self {
        Self { spec: LinkSpec { bandwidth, latency, sharing: Sharing::Shared }, duplex }
    }

    pub fn fat_pipe(bandwidth: f64, latency: f64) -> Self {
        Self { spec: LinkSpec { bandwidth, latency, sharing: Sharing::FatPipe }, duplex: Duplex::Single }
    }
}

/// Where a link of a regular network ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkEnd {
    /// 0 for hosts, 1 for the switches next to them, and so on.
    pub level: u8,
    /// Its number among those of that level, from 0.
    pub position: u32,
}

impl LinkEnd {
    pub(crate) fn host(position: u32) -> LinkEnd {
        LinkEnd { level: 0, position }
    }

    pub(crate) fn switch(level: u8, position: u32) -> LinkEnd {
        LinkEnd { level, position }
    }
}
