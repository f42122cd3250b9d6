//! TCP between two ends, with a test that owns the wires and the time.

mod exact;
mod handshake;
mod pair;
