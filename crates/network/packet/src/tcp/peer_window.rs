//! The window that the other end advertises.

use super::header::TcpHeader;

/// The room at the other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct PeerWindow {
    /// The first byte beyond it.
    end: u64,
    /// The number of the segment that said so.
    from: u64,
}

impl PeerWindow {
    /// A window that starts at the first byte of the stream.
    pub(super) fn new(size: u64) -> Self {
        PeerWindow { end: 1 + size, from: 0 }
    }

    /// The first byte beyond the window.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// A segment has arrived; `acknowledged` is the first byte that was not acknowledged before. True if the window has
    /// changed.
    pub(super) fn update(&mut self, header: &TcpHeader, acknowledged: u64) -> bool {
        let end = header.acknowledgement + header.window;
        let newer = header.acknowledgement > acknowledged
            || header.sequence > self.from
            || (header.sequence == self.from && end > self.end);
        if !newer {
            return false;
        }
        self.from = header.sequence;
        std::mem::replace(&mut self.end, end) != end
    }
}
