//! Why a line stopped.

use crate::crash::Death;

/// Why a line stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It waits for an answer.
    Waits,
    /// It waits for an answer because it was asked to pass its turn; it was at this place.
    Interrupted(u64),
    /// It has ended.
    Ended(Death),
    /// It may run, but threads of its rank have lines from now on: the simulator waits for all of them.
    HasThreads,
    /// A signal ended the run, or the rank ran for longer than allowed.
    Cancelled,
}
