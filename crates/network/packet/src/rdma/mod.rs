//! Reliable connected queue pairs, as InfiniBand and RoCEv2 have them.
//!
//! A message is cut into packets of at most the MTU. The receiver acknowledges every few packets and the last of each
//! message. There is no window of bytes and no send buffer, only a limit of packets that are not acknowledged: a lossless
//! network holds back the sender by itself. Where it is Ethernet, [`Dcqcn`](dcqcn) sets the sender's rate.
//!
//! ```text
//! sender      messages → packets, go-back-N
//! receiver    packets → bytes in order, acknowledgements, notifications of congestion
//! dcqcn       the rate of a sender
//! endpoint    the three together, as the network asks for them
//! ```

mod dcqcn;
mod endpoint;
mod header;
mod receiver;
mod sender;
mod settings;

pub use dcqcn::DcqcnParameters;
pub use endpoint::RdmaEndpoint;
pub use header::{RdmaHeader, RdmaKind};
pub use settings::{PacketOrder, RdmaHeaderBytes, RdmaSettings};
