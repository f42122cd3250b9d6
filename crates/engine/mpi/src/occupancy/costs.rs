//! How long messages occupy processors and interfaces.

use mpirage_units::{Duration, Time};

use crate::protocol::{ProcessorCosts, per_byte};

/// When an interface can send, and take, the next message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interface {
    pub sends: Time,
    pub takes: Time,
}

impl ProcessorCosts {
    /// How long a send keeps the processor busy.
    pub(crate) fn sending(&self, bytes: u64) -> Duration {
        self.overhead + span(bytes, self.overhead_per_byte)
    }

    /// How long a message that has arrived does.
    pub(crate) fn receiving(&self, bytes: u64) -> Duration {
        self.overhead + span(bytes, self.overhead_per_byte.max(self.gap_per_byte))
    }

    /// How long an interface rests from the start of one message to that of the next.
    pub(crate) fn gap(&self, bytes: u64) -> Duration {
        self.gap + span(bytes, self.gap_per_byte)
    }
}

/// The first byte comes with the message.
fn span(bytes: u64, seconds_per_byte: f64) -> Duration {
    per_byte(bytes.saturating_sub(1), seconds_per_byte)
}
