//! TCP as Linux does it.
//!
//! ```text
//! connection        one end: the handshake and the two halves
//! handshake         SYN, SYN-ACK, ACK
//! sender            what is sent next; what acknowledgements and timers do
//!   send_buffer     how much the application can write
//!   scoreboard      segments in flight: arrived, lost, sent again
//!   recovery        losses and marks, and the way back
//!     reordering    how much later than others a segment may arrive
//!     undo          was the recovery necessary?
//!   tail_probe      the last segment again, to provoke an answer
//!   peer_window     the window that the other end advertises
//!   congestion      the congestion window: Reno, CUBIC
//!   rtt             round trip and retransmission timeout
//!   timers          one timer of four purposes
//! receiver          bytes in order, echoes
//!   reassembly      ranges beyond a gap, and the blocks that report them
//!   acknowledgements  when to acknowledge
//!   receive_window  the receive buffer and its growth
//! ```

mod acknowledgements;
mod congestion;
mod connection;
mod handshake;
mod header;
mod peer_window;
mod reassembly;
mod receive_window;
mod receiver;
mod recovery;
mod reordering;
mod rtt;
mod scoreboard;
mod send_buffer;
mod sender;
mod settings;
mod tail_probe;
mod timers;
mod undo;

pub use connection::Tcp;
pub use header::{TcpFlags, TcpHeader};
pub use settings::{CongestionAlgorithm, CubicSettings, TcpSettings};
