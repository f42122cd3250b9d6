//! How much may be in flight (RFC 9260, section 7.2).

/// The state of congestion control, in bytes of data.
#[derive(Debug)]
pub(super) struct Congestion {
    window: u64,
    threshold: u64,
    /// Bytes acknowledged since the window last grew, in congestion avoidance.
    partial: u64,
    /// Bytes of chunks in a packet: PMDCS.
    packet: u64,
    /// In fast recovery: the number of the first chunk that was not sent when it began.
    recovers_at: Option<u64>,
}

/// An acknowledgement that moves the lowest unacknowledged chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Bytes that it acknowledges for the first time, those beyond gaps included.
    pub acknowledged: u64,
    /// Bytes in flight before it.
    pub flight: u64,
    /// The lowest chunk that is not acknowledged.
    pub first: u64,
    /// Is nothing in flight any more?
    pub all: bool,
}

impl Congestion {
    /// With its first window, and the bytes of chunks in a packet.
    pub fn new(window: u64, packet: u32) -> Congestion {
        let packet = u64::from(packet);
        Congestion { window, threshold: u64::MAX, partial: 0, packet, recovers_at: None }
    }

    /// The congestion window: another packet is sent only while fewer bytes are in flight.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// The slow start threshold.
    pub fn threshold(&self) -> u64 {
        self.threshold
    }

    pub fn is_recovering(&self) -> bool {
        self.recovers_at.is_some()
    }

    /// The lowest unacknowledged chunk moves.
    pub fn on_progress(&mut self, progress: Progress) {
        let recovering = self.recovers_at.is_some_and(|end| progress.first < end);
        let was_recovering = self.is_recovering();
        if !recovering {
            self.recovers_at = None;
        }
        let is_used = progress.flight >= self.window;
        if self.window <= self.threshold {
            if is_used && !was_recovering {
                self.window += progress.acknowledged.min(self.packet);
            }
        } else {
            self.avoid(progress.acknowledged, is_used);
        }
        if progress.all {
            self.partial = 0;
        }
    }

    /// Congestion avoidance: one packet more per window of acknowledged bytes.
    fn avoid(&mut self, acknowledged: u64, is_used: bool) {
        self.partial += acknowledged;
        if self.partial < self.window {
            return;
        }
        if is_used {
            self.partial -= self.window;
            self.window += self.packet;
        } else {
            self.partial = self.window;
        }
    }

    /// Reports have shown a loss; `next` is the number of the chunk to be sent next. Says if this begins a fast recovery: only
    /// then does the window shrink.
    pub fn on_loss(&mut self, next: u64) -> bool {
        let begins = !self.is_recovering();
        if begins {
            self.recovers_at = Some(next);
            self.halve();
            self.window = self.threshold;
        }
        begins
    }

    /// The retransmission timer has expired.
    pub fn on_timeout(&mut self) {
        self.recovers_at = None;
        self.halve();
        self.window = self.packet;
    }

    /// Nothing was sent for one timeout.
    pub fn on_idle(&mut self) {
        self.window = (self.window / 2).max(4 * self.packet).min(self.window);
    }

    fn halve(&mut self) {
        self.threshold = (self.window / 2).max(4 * self.packet);
        self.partial = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::SctpSettings;
    use super::*;

    const PACKET: u64 = 1_468;

    fn progress(acknowledged: u64, flight: u64, first: u64) -> Progress {
        Progress { acknowledged, flight, first, all: false }
    }

    #[test]
    fn it_begins_with_a_few_packets() {
        let first = |mtu, initial_window| {
            SctpSettings { mtu, initial_window, ..SctpSettings::default() }.first_window()
        };
        assert_eq!([1_500, 9_000, 532].map(|mtu| first(mtu, None)), [4_404, 2 * 8_968, 2_000]);
        assert_eq!(first(1_500, Some(10)), 10 * PACKET);
    }

    #[test]
    fn slow_start_grows_by_a_packet_per_acknowledgement_if_the_window_is_used() {
        let mut congestion = Congestion::new(4_404, PACKET as u32);
        congestion.on_progress(progress(2 * PACKET, 4_404, 2));
        assert_eq!(congestion.window(), 4_404 + PACKET);
        congestion.on_progress(progress(2 * PACKET, 100, 4));
        assert_eq!(congestion.window(), 4_404 + PACKET, "the window was not used");
    }

    #[test]
    fn avoidance_grows_by_a_packet_per_window() {
        let mut congestion = Congestion { window: 20 * PACKET, ..Congestion::new(4_404, PACKET as u32) };
        assert!(congestion.on_loss(20));
        assert!(!congestion.on_loss(25), "once per recovery");
        assert_eq!(congestion.window(), 10 * PACKET);
        // At the threshold it is still slow start, by the standard's definition.
        congestion.on_progress(progress(PACKET, 10 * PACKET, 20));
        assert_eq!(congestion.window(), 10 * PACKET, "recovery ends with this acknowledgement");
        congestion.on_progress(progress(PACKET, 10 * PACKET, 21));
        assert_eq!(congestion.window(), 11 * PACKET);
        for first in 0..10 {
            congestion.on_progress(progress(PACKET, 11 * PACKET, 22 + first));
            assert_eq!(congestion.window(), 11 * PACKET);
        }
        congestion.on_progress(progress(PACKET, 11 * PACKET, 40));
        assert_eq!(congestion.window(), 12 * PACKET);
    }

    #[test]
    fn a_timeout_leaves_one_packet() {
        let mut congestion = Congestion { window: 20 * PACKET, ..Congestion::new(4_404, PACKET as u32) };
        congestion.on_timeout();
        assert_eq!((congestion.window(), congestion.threshold), (PACKET, 10 * PACKET));
        congestion.on_timeout();
        assert_eq!(congestion.threshold, 4 * PACKET, "never below four packets");
    }
}
