//! Links and switches that never drop a frame because a queue is full.
//!
//! A switch keeps a frame in the input buffer of the link that it came by, in a queue of its own for each output, until the
//! output is free and the next switch has room. Which room there is, the next switch says with credits (InfiniBand) or with
//! pause frames (Ethernet's priority flow control). A buffer that is full of frames for one slow output also holds up frames for
//! other outputs that come by the same link and lane: congestion spreads towards the sources.
//!
//! ```text
//!   link a ──► [input buffer: lane 0, lane 1] ──┐ queue (a → c)
//!                                               ├──► output c ──► link c
//!   link b ──► [input buffer: lane 0, lane 1] ──┘ queue (b → c)      outputs serve their queues in turn
//! ```

mod deadlock;
mod gate;
mod parameters;
mod port;
mod queues;
mod wires;

pub use deadlock::CreditDeadlock;
pub use parameters::{FlowControl, LosslessParameters, Marking};
pub use wires::LosslessWires;
