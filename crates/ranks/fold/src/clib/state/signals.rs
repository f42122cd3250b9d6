//! The answers of a rank to signals.

use std::mem::zeroed;

/// One more than the largest signal.
pub(crate) const SIGNALS: usize = 65;

/// Handlers, mask and pending signals of a rank.
pub(crate) struct Signals {
    pub actions: [libc::sigaction; SIGNALS],
    pub mask: Set,
    pub pending: Set,
}

/// A set of signals as the kernel has it: the signal `n` is bit `n - 1`.
pub(crate) type Set = u64;

impl Default for Signals {
    fn default() -> Self {
        // SAFETY: all zeros are the default action and an empty set.
        unsafe { zeroed() }
    }
}
