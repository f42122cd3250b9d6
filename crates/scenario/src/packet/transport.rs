//! Transport protocols, by name.

use mpirage_packet::LosslessParameters;
use mpirage_platform::Value;

/// Transport protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP as Linux does it.
    Tcp,
    /// SCTP, with messages of different tags in different streams.
    Sctp,
    /// Queue pairs over links with credits.
    Infiniband,
    /// Queue pairs over Ethernet with pause frames and DCQCN.
    Roce,
}

impl Transport {
    const ALL: [(&'static str, Transport); 4] = [
        ("tcp", Transport::Tcp),
        ("sctp", Transport::Sctp),
        ("infiniband", Transport::Infiniband),
        ("roce", Transport::Roce),
    ];

    /// The links that it needs, where they lose nothing.
    pub(super) fn lossless(self) -> LosslessParameters {
        if self == Transport::Roce { LosslessParameters::roce() } else { LosslessParameters::infiniband() }
    }

    pub(super) fn is_lossless(self) -> bool {
        matches!(self, Transport::Infiniband | Transport::Roce)
    }

    /// Its name, as users write it.
    pub(super) fn name(self) -> &'static str {
        let found = Transport::ALL.iter().find(|(_, transport)| *transport == self);
        found.map_or("", |(name, _)| name)
    }

    pub(super) fn read(value: &Value) -> Result<Transport, String> {
        let found = value.as_text().and_then(|text| Transport::ALL.iter().find(|(name, _)| *name == text));
        found.map(|(_, transport)| *transport).ok_or_else(|| {
            let names = Transport::ALL.map(|(name, _)| name);
            format!("{value} is none of {}", names.join(", "))
        })
    }
}
