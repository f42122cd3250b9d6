//! The parameters of algorithms.

use std::fmt;

use mpirage_units::written_size;

/// How a rank sends to several others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SendStyle {
    /// By blocking sends, one after the other.
    InOrder,
    /// By non-blocking sends, with one wait for all of them.
    AtOnce,
}

/// How NCCL tells a receiver that data are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireProtocol {
    /// Eight bytes of data and eight of flags.
    Ll,
    /// 120 bytes of data and eight of flags.
    Ll128,
    /// Data only; a counter says how much is there.
    Simple,
}

impl WireProtocol {
    /// All of them, in NCCL's order.
    pub const ALL: [WireProtocol; 3] = [WireProtocol::Ll, WireProtocol::Ll128, WireProtocol::Simple];

    /// As it is written in methods.
    pub fn name(self) -> &'static str {
        match self {
            WireProtocol::Ll => "ll",
            WireProtocol::Ll128 => "ll128",
            WireProtocol::Simple => "simple",
        }
    }

    /// Bytes on the wire for so many bytes of data.
    pub fn wire_bytes(self, data: u64) -> u64 {
        match self {
            WireProtocol::Ll => data.div_ceil(8) * 16,
            WireProtocol::Ll128 => data.div_ceil(120) * 128,
            WireProtocol::Simple => data,
        }
    }
}

/// The parameters of algorithms. An algorithm reads those that its entry in the table names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    /// Algorithms that pipeline cut their vector into segments of about that many bytes; 0 leaves it whole.
    pub segment: u64,
    /// Children per node of a tree, chains from the root, partners per round.
    pub radix: u32,
    /// Operations that a rank has outstanding at most; 0 for any number.
    pub requests: u32,
    /// How a rank sends to its children.
    pub sends: SendStyle,
    /// The table that chooses the methods of collectives that this one is made of.
    pub parts: &'static str,
    /// How NCCL's messages say that they are complete.
    pub protocol: WireProtocol,
    /// NCCL's channels; 0 for all that the nodes have.
    pub channels: u8,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            segment: 0,
            radix: 2,
            requests: 0,
            sends: SendStyle::InOrder,
            parts: "default",
            protocol: WireProtocol::Simple,
            channels: 0,
        }
    }
}

/// Parameters of which some are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// See [`Parameters::segment`].
    pub segment: Option<u64>,
    /// See [`Parameters::radix`].
    pub radix: Option<u32>,
    /// See [`Parameters::requests`].
    pub requests: Option<u32>,
    /// See [`Parameters::sends`].
    pub sends: Option<SendStyle>,
    /// See [`Parameters::parts`].
    pub parts: Option<&'static str>,
    /// See [`Parameters::protocol`].
    pub protocol: Option<WireProtocol>,
    /// See [`Parameters::channels`].
    pub channels: Option<u8>,
}

impl Settings {
    /// Nothing is given.
    pub const NONE: Settings = Settings {
        segment: None,
        radix: None,
        requests: None,
        sends: None,
        parts: None,
        protocol: None,
        channels: None,
    };

    /// These settings, and the defaults for what they do not say.
    pub fn or(self, defaults: Settings) -> Settings {
        Settings {
            segment: self.segment.or(defaults.segment),
            radix: self.radix.or(defaults.radix),
            requests: self.requests.or(defaults.requests),
            sends: self.sends.or(defaults.sends),
            parts: self.parts.or(defaults.parts),
            protocol: self.protocol.or(defaults.protocol),
            channels: self.channels.or(defaults.channels),
        }
    }

    /// All parameters; those that are not given do not matter.
    pub fn parameters(self) -> Parameters {
        let default = Parameters::default();
        Parameters {
            segment: self.segment.unwrap_or(default.segment),
            radix: self.radix.unwrap_or(default.radix),
            requests: self.requests.unwrap_or(default.requests),
            sends: self.sends.unwrap_or(default.sends),
            parts: self.parts.unwrap_or(default.parts),
            protocol: self.protocol.unwrap_or(default.protocol),
            channels: self.channels.unwrap_or(default.channels),
        }
    }

    /// Names of the parameters that are given.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("segment", self.segment.is_some()),
            ("radix", self.radix.is_some()),
            ("requests", self.requests.is_some()),
            ("sends", self.sends.is_some()),
            ("parts", self.parts.is_some()),
            ("protocol", self.protocol.is_some()),
            ("channels", self.channels.is_some()),
        ];
        given.into_iter().filter(|&(_, given)| given).map(|(name, _)| name)
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(segment) = self.segment {
            write!(f, ":segment={}", written_size(segment))?;
        }
        if let Some(radix) = self.radix {
            write!(f, ":radix={radix}")?;
        }
        if let Some(requests) = self.requests {
            write!(f, ":requests={requests}")?;
        }
        match self.sends {
            Some(SendStyle::InOrder) => f.write_str(":sends=in-order")?,
            Some(SendStyle::AtOnce) => f.write_str(":sends=at-once")?,
            None => {}
        }
        if let Some(parts) = self.parts {
            write!(f, ":parts={parts}")?;
        }
        if let Some(protocol) = self.protocol {
            write!(f, ":protocol={}", protocol.name())?;
        }
        self.channels.map_or(Ok(()), |channels| write!(f, ":channels={channels}"))
    }
}
