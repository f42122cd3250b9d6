//! TCP as Linux does it.

mod header;

pub use header::{TcpFlags, TcpHeader};
