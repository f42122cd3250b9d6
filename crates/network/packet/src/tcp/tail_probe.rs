//! Tail loss probes: one per flight (RFC 8985, section 7).

/// The state of probes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailProbe {
    wanted: bool,
    /// The end of what was sent when the probe was; none if it is answered.
    high: Option<u64>,
    /// It repeated a segment.
    again: bool,
}

impl TailProbe {
    /// The last segments are not answered: a probe is to be sent, unless one is on its way.
    pub(super) fn want(&mut self) {
        self.wanted = self.high.is_none();
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.wanted
    }

    /// An answer has come before the probe was sent.
    pub(super) fn cancel(&mut self) {
        self.wanted = false;
    }

    /// A probe was sent.
    pub(super) fn sent(&mut self, next: u64, again: bool) {
        *self = TailProbe { wanted: false, high: Some(next), again };
    }

    /// The end of what was sent when the probe was.
    pub(super) fn high(&self) -> Option<u64> {
        self.high
    }

    /// All bytes before `end` have arrived; `duplicate` if the answer says that the probe arrived twice. True if the probe has
    /// repaired a loss.
    pub(super) fn has_repaired(&mut self, end: u64, duplicate: bool) -> bool {
        let Some(high) = self.high.filter(|high| end >= *high) else { return false };
        let needless = !self.again || duplicate;
        if needless || end > high {
            self.high = None;
        }
        !needless && end > high
    }
}
