//! Was a recovery necessary? The evidence that it was not.
//!
//! The answer to a segment may be one to its first transmission (by timestamps: RFC 4015), or the receiver reports that all
//! retransmissions arrived twice (RFC 3708, with the reports of RFC 2883).

use mpirage_units::Time;

use super::scoreboard::Span;

/// The evidence about the retransmissions of one recovery.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    enabled: bool,
    /// Can the reduction of the window be taken back?
    possible: bool,
    /// The first unacknowledged byte when the recovery began.
    from: u64,
    /// Retransmissions that are not known to be unnecessary; none before the first.
    resent: Option<u32>,
    /// When the first retransmission was sent.
    resent_at: Option<Time>,
    segment_size: u64,
}

impl Undo {
    pub(super) fn new(enabled: bool, segment_size: u32) -> Self {
        let segment_size = u64::from(segment_size);
        Undo { enabled, possible: false, from: 0, resent: None, resent_at: None, segment_size }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// A recovery begins at the byte `from`, with so many retransmissions in flight.
    pub(super) fn begin(&mut self, from: u64, in_flight: u32) {
        self.possible = self.enabled;
        self.from = from;
        self.resent = Some(in_flight).filter(|count| *count > 0);
    }

    /// The reduction is final.
    pub(super) fn forbid(&mut self) {
        self.possible = false;
    }

    /// Nothing was sent again since everything had arrived.
    pub(super) fn forget_time(&mut self) {
        self.resent_at = None;
    }

    /// A segment was sent again.
    pub(super) fn resent(&mut self, now: Time) {
        self.resent_at.get_or_insert(now);
        self.resent = Some(self.resent.unwrap_or(0) + 1);
    }

    /// A part of the stream has arrived twice.
    pub(super) fn arrived_twice(&mut self, span: Span) {
        if span.end > self.from {
            let segments = (span.end - span.start).div_ceil(self.segment_size) as u32;
            self.resent = self.resent.map(|resent| resent.saturating_sub(segments));
        }
    }

    /// Does the echoed timestamp belong to a segment that was sent before the first retransmission?
    pub(super) fn is_delayed(&self, echo: Time) -> bool {
        self.possible && self.resent_at.is_some_and(|at| echo > Time::ZERO && echo < at)
    }

    /// Were all retransmissions unnecessary?
    pub(super) fn all_arrived_twice(&self) -> bool {
        self.possible && self.resent == Some(0)
    }

    /// Takes the right to undo; false if there is none.
    pub(super) fn take(&mut self) -> bool {
        std::mem::take(&mut self.possible)
    }
}
