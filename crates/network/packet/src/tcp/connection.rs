//! One end of a TCP connection.

use std::sync::Arc;

use mpirage_kernel::ConnectionCounts;
use mpirage_units::{Duration, Time};

use super::handshake::{Handshake, State};
use super::header::TcpHeader;
use super::receiver::{Arrival, Receiver};
use super::sender::{Outgoing, Sender};
use super::settings::TcpSettings;
use crate::capture::{TcpOnWire, TcpScale};
use crate::endpoint::{EndState, Endpoint, Failure, Lane, Permission, Role, Segment};

/// One end of a TCP connection, as Linux does it.
#[derive(Clone, Debug)]
pub struct Tcp {
    handshake: Handshake,
    sender: Sender,
    receiver: Receiver,
    segments: u64,
    settings: Arc<TcpSettings>,
}

impl Tcp {
    /// Opens the connection though there is nothing to send yet. Only the active end can.
    pub fn open(&mut self) {
        self.handshake.open();
    }

    /// Is the handshake over?
    pub fn is_open(&self) -> bool {
        self.handshake.state() == State::Open
    }

    /// The congestion window, in segments.
    pub fn congestion_window(&self) -> u32 {
        self.sender.window()
    }

    /// The slow start threshold, in segments.
    pub fn slow_start_threshold(&self) -> u32 {
        self.sender.threshold()
    }

    /// The smoothed round trip, once one was measured.
    pub fn smoothed_round_trip(&self) -> Option<Duration> {
        self.sender.smoothed()
    }

    /// Bytes that were sent and are not acknowledged.
    pub fn bytes_in_flight(&self) -> u64 {
        self.sender.bytes_in_flight()
    }

    fn receive_open(&mut self, now: Time, segment: &Segment<TcpHeader>, marked: bool) {
        if segment.header.flags.syn {
            // The other end has not got the last segment of the handshake.
            return self.receiver.demand();
        }
        self.sender.acknowledge(now, &segment.header, segment.payload);
        let arrival = Arrival {
            header: &segment.header,
            payload: segment.payload,
            marked,
            timeout: self.sender.timeout(),
            round_trip: self.sender.smoothed(),
        };
        self.receiver.receive(now, arrival);
    }

    fn transmit_open(&mut self, now: Time, permission: Permission) -> Option<Segment<TcpHeader>> {
        if permission == Permission::Everything {
            let option_bytes = self.receiver.option_bytes();
            if let Some(outgoing) = self.sender.transmit(now, option_bytes) {
                return Some(self.data(now, outgoing));
            }
            self.sender.pause(now);
        }
        let probe = self.sender.take_window_probe();
        if probe.is_none() && !self.receiver.is_due() {
            return None;
        }
        let sequence = probe.unwrap_or(self.sender.next());
        Some(self.segment(now, TcpHeader { sequence, ..TcpHeader::default() }, 0))
    }

    fn data(&mut self, now: Time, outgoing: Outgoing) -> Segment<TcpHeader> {
        self.receiver.data_sent(now);
        let mut header = TcpHeader { sequence: outgoing.piece.start, ..TcpHeader::default() };
        header.flags.psh = outgoing.push;
        header.flags.cwr = outgoing.reduced;
        let mut segment = self.segment(now, header, outgoing.piece.length);
        segment.markable = self.handshake.marks() && !outgoing.again;
        segment
    }

    fn segment(&mut self, now: Time, mut header: TcpHeader, payload: u32) -> Segment<TcpHeader> {
        let header_bytes = self.settings.header_bytes() + self.receiver.option_bytes();
        header.timestamp = now;
        self.receiver.acknowledge(&mut header);
        Segment { header, payload, header_bytes, markable: false }
    }
}

impl Endpoint for Tcp {
    type Settings = Arc<TcpSettings>;
    type Header = TcpHeader;
    type OnWire = TcpOnWire;

    fn on_wire(settings: &Arc<TcpSettings>, segment: &Segment<TcpHeader>) -> TcpOnWire {
        let scale = TcpScale {
            mss: settings.announced_segment_size(),
            window_shift: settings.window_scale() as u8,
            timestamps: settings.timestamps,
        };
        TcpOnWire { header: segment.header, scale }
    }

    fn counts(&self) -> ConnectionCounts {
        let ((again, expired), sender) = (self.handshake.repetitions(), self.sender.counters());
        ConnectionCounts {
            segments: self.segments,
            zero_windows: self.receiver.zero_windows(),
            retransmissions: sender.retransmissions + again,
            timeouts: sender.timeouts + expired,
            ..sender
        }
    }

    fn state(&self) -> EndState {
        let segment = u64::from(self.settings.segment_size());
        let threshold = self.slow_start_threshold();
        EndState {
            window: u64::from(self.congestion_window()) * segment,
            threshold: if threshold >= self.settings.initial_ssthresh {
                u64::MAX
            } else {
                u64::from(threshold) * segment
            },
            round_trip: self.smoothed_round_trip().map_or(0.0, Duration::as_secs_f64),
            in_flight: self.bytes_in_flight(),
        }
    }

    fn new(settings: &Arc<TcpSettings>, role: Role) -> Self {
        Tcp {
            handshake: Handshake::new(settings, role),
            sender: Sender::new(settings),
            receiver: Receiver::new(settings),
            segments: 0,
            settings: Arc::clone(settings),
        }
    }

    fn write(&mut self, now: Time, _lane: Lane, bytes: u64) {
        if bytes > 0 {
            self.sender.write(now, bytes);
            self.handshake.open();
        }
    }

    fn room(&self) -> u64 {
        self.sender.room()
    }

    fn receive(&mut self, now: Time, segment: &Segment<TcpHeader>, marked: bool) {
        if !self.is_open() {
            let Some(opened) = self.handshake.receive(now, &segment.header, self.settings.ecn) else {
                return;
            };
            self.sender.opened(now, opened.window, opened.round_trip);
            self.receiver.opened(segment.header.timestamp);
        }
        self.receive_open(now, segment, marked);
    }

    fn transmit(&mut self, now: Time, permission: Permission) -> Option<Segment<TcpHeader>> {
        if self.failure().is_some() {
            return None;
        }
        let segment = match self.handshake.transmit(now, &self.settings) {
            Some(header) => {
                let header_bytes = self.settings.syn_header_bytes();
                Some(Segment { header, payload: 0, header_bytes, markable: false })
            }
            None if self.is_open() => self.transmit_open(now, permission),
            None => None,
        };
        self.segments += u64::from(segment.is_some());
        segment
    }

    fn timeout(&self) -> Option<Time> {
        if self.failure().is_some() {
            return None;
        }
        let at = self.handshake.deadline().min(self.sender.deadline()).min(self.receiver.deadline());
        (at < Time::MAX).then_some(at)
    }

    fn on_timeout(&mut self, now: Time) {
        self.handshake.expire(now);
        self.sender.expire(now);
        self.receiver.expire(now, self.sender.timeout());
    }

    fn delivered(&mut self) -> Option<(Lane, u64)> {
        self.receiver.delivered().map(|bytes| (Lane(0), bytes))
    }

    fn prefetch(&self) {
        self.sender.prefetch();
    }

    fn failure(&self) -> Option<Failure> {
        self.handshake.failure().or(self.sender.failure().map(Failure::Retransmissions))
    }
}
