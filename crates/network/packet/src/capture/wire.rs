//! Frames as bytes: Ethernet II and IPv4 around the header of a transport protocol.
//!
//! A frame ends with its payload: captures of a host's own interface have neither the padding of short frames nor the frame
//! check sequence, which the hardware adds.
//!
//! ```text
//! bytes  0        6        12    14          34
//!        target   source   type  IPv4        header of the transport, payload (zeros)
//! ```

use super::address::Station;

/// The marks of congestion in an IPv4 header (RFC 3168).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Queues drop it.
    #[default]
    NotCapable,
    /// Queues may mark it: ECT(0).
    Capable,
    /// A queue has marked it: CE.
    Marked,
}

/// A frame that a port sends or receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameView<H> {
    /// Where it comes from.
    pub source: Station,
    /// Where it goes.
    pub target: Station,
    /// The header of its transport protocol.
    pub header: H,
    /// Bytes of payload.
    pub payload: u32,
    /// Marks of congestion.
    pub ecn: Ecn,
    /// How many more routers it may cross.
    pub hops_left: u8,
    /// The number that its source gave it.
    pub identification: u16,
}

/// The header of a transport protocol as bytes.
pub trait WireHeader {
    /// Its number in an IPv4 header.
    const PROTOCOL: u8;

    /// Bytes on the wire besides payload: header, options, and padding between parts of the payload.
    fn bytes(&self) -> u32;

    /// Appends the header, with the checksum that is right for a payload of zeros. Zeros at the end of the frame may be left
    /// out.
    fn write(&self, source: Station, target: Station, payload: u32, out: &mut Vec<u8>);
}

const ETHERNET_BYTES: u32 = 14;
const IPV4_BYTES: u32 = 20;
const TYPE_IPV4: [u8; 2] = [0x08, 0x00];
/// Version 4, a header of five words.
const VERSION_AND_WORDS: u8 = 0x45;
/// A router must not divide it.
const DO_NOT_FRAGMENT: [u8; 2] = [0x40, 0x00];

impl<H: WireHeader> FrameView<H> {
    /// Its length on the wire.
    pub fn bytes(&self) -> u32 {
        ETHERNET_BYTES + self.ip_bytes()
    }

    /// Writes its first bytes, `snap` at most, in the place of what `out` has.
    pub(super) fn write(&self, snap: u32, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.target.mac());
        out.extend_from_slice(&self.source.mac());
        out.extend_from_slice(&TYPE_IPV4);
        out.extend_from_slice(&self.ipv4_header());
        self.header.write(self.source, self.target, self.payload, out);
        out.resize(self.bytes().min(snap) as usize, 0);
    }

    fn ip_bytes(&self) -> u32 {
        IPV4_BYTES + self.header.bytes() + self.payload
    }

    fn ipv4_header(&self) -> [u8; IPV4_BYTES as usize] {
        let mut header = [0; IPV4_BYTES as usize];
        header[0] = VERSION_AND_WORDS;
        header[1] = self.ecn.bits();
        // Segments that the hardware divides are longer than the field can say; Linux captures have 0 there.
        let length = u16::try_from(self.ip_bytes()).unwrap_or(0);
        header[2..4].copy_from_slice(&length.to_be_bytes());
        header[4..6].copy_from_slice(&self.identification.to_be_bytes());
        header[6..8].copy_from_slice(&DO_NOT_FRAGMENT);
        header[8] = self.hops_left;
        header[9] = H::PROTOCOL;
        header[12..16].copy_from_slice(&self.source.ipv4());
        header[16..20].copy_from_slice(&self.target.ipv4());
        let checksum = InternetSum::default().bytes(&header).checksum();
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
        header
    }
}

impl Ecn {
    fn bits(self) -> u8 {
        match self {
            Ecn::NotCapable => 0b00,
            Ecn::Capable => 0b10,
            Ecn::Marked => 0b11,
        }
    }
}

/// The sum of 16-bit words that checksums of IP and TCP are made of (RFC 1071). Zeros do not change it. Words of 32 bits are
/// added, which gives the same once carries are added.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InternetSum(u64);

impl InternetSum {
    /// Adds words; zeros fill up the last one.
    pub fn bytes(self, bytes: &[u8]) -> InternetSum {
        let (words, rest) = bytes.as_chunks::<4>();
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        let sum: u64 = words.iter().chain([&last]).map(|word| u64::from(u32::from_be_bytes(*word))).sum();
        InternetSum(self.0 + sum)
    }

    /// Adds the words of the pseudo-header that TCP protects together with its own (RFC 9293, section 3.1).
    pub fn pseudo_header(self, source: Station, target: Station, protocol: u8, length: u32) -> InternetSum {
        self.bytes(&source.ipv4()).bytes(&target.ipv4()).bytes(&[0, protocol]).bytes(&length.to_be_bytes())
    }

    /// The complement of the sum, carries added.
    pub fn checksum(self) -> u16 {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_rfc_1071() {
        // The example of section 3: the sum is ddf2.
        let sum = InternetSum::default().bytes(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(sum.checksum(), !0xddf2);
    }

    #[test]
    fn an_odd_byte_counts_as_the_upper_half_of_a_word() {
        let odd = InternetSum::default().bytes(&[0x12, 0x34, 0x56]).checksum();
        assert_eq!(odd, InternetSum::default().bytes(&[0x12, 0x34, 0x56, 0x00]).checksum());
    }
}
