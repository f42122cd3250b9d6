//! Simulated time, computation, and the calls that the simulator gets besides those of MPI.

pub(crate) mod alone;
pub(crate) mod call_paths;
pub(crate) mod disturbances;
pub(crate) mod origin;
pub(crate) mod posix_io;
pub(crate) mod program_events;
pub(crate) mod samples;
pub(crate) mod sampling;
pub(crate) mod services;
pub(crate) mod timers;
pub(crate) mod work;
