//! TCP between two ends, with a test that owns the wires and the time.

mod acknowledgements;
mod allocation;
mod buffers;
mod congestion;
#[path = "../counting/mod.rs"]
mod counting;
mod exact;
mod handshake;
mod linux;
mod losses;
mod pair;
mod speed;
mod throughput;
