//! Captures: what crossed a port, as a pcapng file that Wireshark reads.
//!
//! ```text
//! spec      `--pcap PLACE[:PORT]=FILE`, as typed, and the places of a platform it can mean
//! address   host numbers as MAC and IPv4 addresses
//! wire      a frame: Ethernet and IPv4 around the header of a transport protocol
//! tcp       the bytes of a TCP header
//! sctp      the bytes of an SCTP packet
//! roce      the bytes of a packet of RoCEv2
//! pcapng    the blocks of the file format
//! file      frames of several interfaces, put in the order of time
//! ```
//!
//! The timing plane moves sizes, not bytes, so every payload consists of zeros. Checksums are right for them.

mod address;
mod file;
mod pcapng;
mod roce;
mod sctp;
mod spec;
mod tcp;
mod wire;

pub use address::Station;
pub use file::Capture;
pub use pcapng::{Direction, InterfaceId, SnapLength};
pub use roce::RoceOnWire;
pub use spec::{CapturePlace, CaptureSpec, CaptureSpecError, Named, Resolved};
pub use tcp::{TcpOnWire, TcpScale};
pub use wire::{Ecn, FrameView, WireHeader};
