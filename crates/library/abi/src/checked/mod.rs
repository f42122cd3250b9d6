//! Observations that a rank of a checked run sends to the simulator besides its calls: types, buffers, leaks, loads and stores.

pub(crate) mod hooks;
pub(crate) mod inspect;
pub(crate) mod stretches;
pub(crate) mod watch;
pub(crate) mod window_memory;
