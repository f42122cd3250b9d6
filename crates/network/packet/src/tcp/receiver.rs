//! The receiving half of a connection: bytes in order, acknowledgements, window, echoes of marks.

use std::sync::Arc;

use mpirage_units::{Duration, Time};

use super::acknowledgements::{Acknowledgements, Data, Situation};
use super::header::TcpHeader;
use super::reassembly::{Fit, Reassembly};
use super::receive_window::ReceiveWindow;
use super::scoreboard::Span;
use super::settings::{TcpSettings, sack_option};

/// A segment as the receiver sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival<'h> {
    pub(super) header: &'h TcpHeader,
    pub(super) payload: u32,
    pub(super) marked: bool,
    /// The sender's retransmission timeout, and the round trip it has measured.
    pub(super) timeout: Duration,
    pub(super) round_trip: Option<Duration>,
}

/// The receiving half.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    bytes: Reassembly,
    acks: Acknowledgements,
    window: ReceiveWindow,
    /// The first byte that the last acknowledgement did not cover.
    acknowledged: u64,
    /// The timestamp to echo.
    echo: Time,
    /// A mark has arrived, and no answer to it yet.
    marked: bool,
    /// Bytes that the application has heard of.
    told: u64,
    last_invalid: Option<Time>,
    settings: Arc<TcpSettings>,
}

impl Receiver {
    /// Nothing has arrived but SYN: the stream starts at 1.
    pub(super) fn new(settings: &Arc<TcpSettings>) -> Self {
        Receiver {
            bytes: Reassembly::new(1),
            acks: Acknowledgements::new(settings),
            window: ReceiveWindow::new(settings, 1),
            acknowledged: 1,
            echo: Time::ZERO,
            marked: false,
            told: 1,
            last_invalid: None,
            settings: settings.clone(),
        }
    }

    /// The handshake's segment of the other end has arrived.
    pub(super) fn opened(&mut self, timestamp: Time) {
        self.echo = timestamp;
    }

    /// A segment has arrived.
    pub(super) fn receive(&mut self, now: Time, arrival: Arrival) {
        let header = arrival.header;
        if header.sequence <= self.acknowledged {
            self.echo = self.echo.max(header.timestamp);
        }
        if self.settings.ecn {
            self.note_mark(&arrival);
        }
        if arrival.payload > 0 {
            self.receive_data(now, arrival);
        } else if header.sequence < self.acknowledged && !header.flags.syn {
            self.answer_invalid(now);
        }
    }

    /// A mark is echoed until the sender says that it has reduced its window.
    fn note_mark(&mut self, arrival: &Arrival) {
        if arrival.header.flags.cwr {
            self.marked = false;
        }
        if arrival.marked && !self.marked {
            self.marked = true;
            self.acks.be_attentive(2, self.window.left());
        }
    }

    /// An empty segment from before the window is a probe: it is answered, but not too often.
    fn answer_invalid(&mut self, now: Time) {
        let distance = self.settings.invalid_distance;
        if self.last_invalid.is_none_or(|last| now.since(last) >= distance) {
            self.last_invalid = Some(now);
            self.acks.demand();
        }
    }

    fn receive_data(&mut self, now: Time, arrival: Arrival) {
        let start = arrival.header.sequence;
        let end = start + u64::from(arrival.payload);
        self.window.catch_up(now);
        if !self.window.admits(start) && end > self.bytes.next() {
            self.acks.be_attentive(self.settings.quick_acks, self.window.left());
            return self.decide(now, &arrival, false);
        }
        let before = self.window.read();
        let fit = self.bytes.insert(Span { start, end });
        if fit == Fit::Duplicate {
            self.acks.be_attentive(self.settings.quick_acks, self.window.left());
        } else {
            let data = Data { size: arrival.payload, push: arrival.header.flags.psh };
            self.acks.received(now, data, arrival.timeout, self.window.left());
            if self.window.received(now, arrival.payload, self.bytes.next(), arrival.header.echo) {
                self.acks.be_quick_once();
            }
        }
        if fit == (Fit::InOrder { filled: true }) {
            self.acks.demand();
        }
        self.decide(now, &arrival, self.window.read() > before);
    }

    fn decide(&mut self, now: Time, arrival: &Arrival, has_read: bool) {
        let situation = Situation {
            unacknowledged: self.bytes.next() - self.acknowledged,
            next: self.bytes.next(),
            gap: !self.bytes.is_gapless(),
            read: has_read && self.window.is_empty(),
            round_trip: arrival.round_trip,
            shortest: arrival.round_trip.into_iter().chain(self.window.round_trip()).min(),
        };
        self.acks.decide(now, situation);
        self.update_window();
    }

    fn update_window(&mut self) {
        if self.window.wants_update(self.bytes.beyond(), self.acks.segment()) {
            self.acks.demand();
        }
    }

    /// The other end wants an answer at once.
    pub(super) fn demand(&mut self) {
        self.acks.demand();
    }

    /// Is a segment due that only acknowledges?
    pub(super) fn is_due(&self) -> bool {
        self.acks.is_due()
    }

    /// When a timer of this half expires; the latest instant if none is set.
    pub(super) fn deadline(&self) -> Time {
        self.acks.deadline().min(self.window.deadline())
    }

    /// Timers may have expired.
    pub(super) fn expire(&mut self, now: Time, timeout: Duration) {
        let before = self.window.read();
        self.window.catch_up(now);
        self.acks.expire(now, timeout);
        if self.window.read() > before {
            self.update_window();
        }
    }

    /// Bytes of options that the next segment carries beside timestamps.
    pub(super) fn option_bytes(&self) -> u32 {
        if self.bytes.has_no_blocks() {
            return 0;
        }
        sack_option(self.bytes.blocks().iter().filter(|(_, length)| *length > 0).count() as u32)
    }

    /// Fills in what a segment says about this half.
    pub(super) fn acknowledge(&mut self, header: &mut TcpHeader) {
        header.flags.ack = true;
        header.flags.ece = self.marked;
        header.acknowledgement = self.bytes.next();
        header.sack = self.bytes.blocks();
        self.bytes.reported();
        header.window = self.window.advertise(self.bytes.beyond(), self.acks.segment());
        header.echo = self.echo;
        self.acknowledged = self.bytes.next();
        self.acks.sent();
    }

    /// Data leave in the other direction.
    pub(super) fn data_sent(&mut self, now: Time) {
        self.acks.data_sent(now);
    }

    /// The bytes that the application has read, if more than the last time.
    pub(super) fn delivered(&mut self) -> Option<u64> {
        if self.window.read() == self.told {
            return None;
        }
        self.told = self.window.read();
        Some(self.told - 1)
    }

    /// The number of times that a window of zero was advertised.
    pub(super) fn zero_windows(&self) -> u64 {
        self.window.zeros()
    }
}
