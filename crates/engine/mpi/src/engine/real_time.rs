//! Lines that run in real time: when their bursts began.

use mpirage_call::LineId;
use mpirage_units::Time;

/// When lines were resumed; empty if none runs in real time.
#[derive(Debug, Default)]
pub(super) struct RealTime {
    /// By line; none once the burst is accounted for.
    starts: Vec<Option<Time>>,
}

impl RealTime {
    pub(super) fn note_start(&mut self, line: LineId, start: Time) {
        if self.starts.len() <= line.index() {
            self.starts.resize(line.index() + 1, None);
        }
        self.starts[line.index()] = Some(start);
    }

    /// When the burst of a line began, for the first of its calls.
    #[inline]
    pub(super) fn take_start(&mut self, line: LineId) -> Option<Time> {
        self.starts.get_mut(line.index())?.take()
    }
}
