//! A network of frames.
//!
//! Every message becomes segments of a transport protocol, every segment a frame that crosses links, waits in the queues
//! of switches, may be lost and sent again. The layers, from the bottom:
//!
//! ```text
//! link, queue     a frame leaves a port when the frames before it have left
//! host            an interface with a queue, and sockets that take turns at it
//! endpoint        a transport protocol: one end of a connection, without I/O and without a clock (`tcp`, …)
//! socket          messages of MPI in the streams of a connection
//! network         the kernel's `NetworkModel`: wires the layers, owns the events
//! ```

mod capture;
mod endpoint;
mod sctp;
mod tcp;

pub use capture::{
    Capture, CapturePlace, CaptureSpec, CaptureSpecError, Direction, Ecn, FrameView, InterfaceId, Named,
    Resolved, SnapLength, Station, TcpOnWire, TcpScale, WireHeader,
};
pub use endpoint::{Endpoint, Failure, Lane, Permission, Role, Segment};
pub use sctp::{Control, DataChunk, Gap, Sack, SctpEndpoint, SctpHeader, SctpSettings};
pub use tcp::{TcpFlags, TcpHeader};
