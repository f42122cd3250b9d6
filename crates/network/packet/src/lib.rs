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
mod end;
mod endpoint;
mod event;
mod event_queue;
mod faults;
mod frame;
mod history;
mod ids;
mod layer;
mod lossless;
mod network;
mod parameters;
mod paths;
mod port;
mod rdma;
mod sctp;
mod stream;
mod taps;
mod tcp;
mod wires;

pub use capture::{
    Capture, CapturePlace, CaptureSpec, CaptureSpecError, Direction, Ecn, FrameView, InterfaceId, Named,
    Resolved, RoceOnWire, SnapLength, Station, TcpOnWire, TcpScale, WireHeader,
};
pub use endpoint::{EndState, Endpoint, Failure, Lane, Permission, Role, Segment};
pub use faults::{Fault, FaultKind};
pub use layer::LinkLayer;
pub use lossless::{CreditDeadlock, FlowControl, LosslessParameters, LosslessWires, Marking};
pub use network::PacketNetwork;
pub use parameters::{
    Forwarding, HostParameters, LinkParameters, MessageParameters, PacketParameters, QueueLimit,
    QueueParameters, Red, WithinHost,
};
pub use paths::Routing;
pub use port::PortCounts;
pub use rdma::{
    DcqcnParameters, PacketOrder, RdmaEndpoint, RdmaHeader, RdmaHeaderBytes, RdmaKind, RdmaSettings,
};
pub use sctp::{Control, DataChunk, Gap, Sack, Sctp, SctpHeader, SctpSettings};
pub use taps::{CaptureRequest, CapturedAt};
pub use tcp::{CongestionAlgorithm, CubicSettings, Tcp, TcpFlags, TcpHeader, TcpSettings};
pub use wires::Wires;
