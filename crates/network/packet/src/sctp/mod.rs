//! SCTP (RFC 9260): messages on several streams of one connection.
//!
//! ```text
//! association   the endpoint: wires the parts below, and is all that the network sees
//! handshake     INIT, INIT ACK, COOKIE ECHO, COOKIE ACK
//! sender        messages become DATA chunks; which of them are in flight, lost, acknowledged
//! congestion    how much may be in flight
//! timer         how long to wait for an acknowledgement
//! receiver      which chunks have arrived; when to send a SACK
//! lanes         messages of each stream, in order, without waiting for other streams
//! packet        as many chunks as the MTU allows
//! header        what a packet says
//! ```
//!
//! Every write is a message of its own. Not modelled: several paths, unordered messages, shutdown, heartbeats, ECN; chunks
//! that were reported are never taken back (no reneging), and duplicates are answered but not listed.

mod association;
mod congestion;
mod handshake;
mod header;
mod lanes;
mod packet;
mod receiver;
mod sender;
mod settings;
mod timer;

pub use association::Sctp;
pub(crate) use header::COOKIE_BYTES;
pub use header::{Control, DataChunk, Gap, Sack, SctpHeader};
pub use settings::SctpSettings;
