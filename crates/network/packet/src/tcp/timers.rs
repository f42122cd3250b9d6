//! The timer of the sender: one of four purposes at a time, as in Linux.

use mpirage_units::Time;

/// The action when the timer expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// All segments in flight count as lost.
    Retransmission,
    /// The last segment is sent again to provoke an answer.
    TailProbe,
    /// The reordering window has passed.
    Reordering,
    /// The receiver is asked whether it has room again.
    WindowProbe,
}

/// The timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    purpose: Option<Purpose>,
    /// The latest instant if the timer is not set.
    at: Time,
}

impl Default for Timer {
    fn default() -> Self {
        Timer { purpose: None, at: Time::MAX }
    }
}

impl Timer {
    /// Replaces what was set before.
    pub(super) fn set(&mut self, purpose: Purpose, at: Time) {
        *self = Timer { purpose: Some(purpose), at };
    }

    pub(super) fn clear(&mut self) {
        *self = Timer::default();
    }

    pub(super) fn purpose(&self) -> Option<Purpose> {
        self.purpose
    }

    /// When it expires; the latest instant if it is not set.
    pub(super) fn deadline(&self) -> Time {
        self.at
    }

    /// Takes the purpose if its time has come.
    pub(super) fn expire(&mut self, now: Time) -> Option<Purpose> {
        if self.at > now {
            return None;
        }
        let purpose = self.purpose;
        self.clear();
        purpose
    }
}
