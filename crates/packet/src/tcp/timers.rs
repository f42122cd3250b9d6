//! The timer of the sender: one of four purposes at a time, as in Linux.

use mpirage_units::Time;

/// What happens when the timer expires.
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
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    pending: Option<(Purpose, Time)>,
}

impl Timer {
    /// Replaces what was set before.
    pub(super) fn set(&mut self, purpose: Purpose, at: Time) {
        self.pending = Some((purpose, at));
    }

    pub(super) fn clear(&mut self) {
        self.pending = None;
    }

    pub(super) fn purpose(&self) -> Option<Purpose> {
        self.pending.map(|(purpose, _)| purpose)
    }

    pub(super) fn deadline(&self) -> Option<Time> {
        self.pending.map(|(_, at)| at)
    }

    /// Takes the purpose if its time has come.
    pub(super) fn expire(&mut self, now: Time) -> Option<Purpose> {
        let (purpose, at) = self.pending?;
        if at > now {
            return None;
        }
        self.pending = None;
        Some(purpose)
    }
}
