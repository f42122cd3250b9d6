//! Functions of the C library that programs get from us: clocks, timers, locks and threads.

pub(crate) mod alarms;
pub(crate) mod clock;
pub(crate) mod interruption;
pub(crate) mod locks;
pub(crate) mod threads;
pub(crate) mod timed_waits;
