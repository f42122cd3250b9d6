//! One end of an association.

use mpirage_kernel::ConnectionCounts;
use mpirage_units::{Duration, Time};

use super::handshake::Handshake;
use super::header::SctpHeader;
use super::packet::Packet;
use super::receiver::Receiver;
use super::sender::Sender;
use super::settings::SctpSettings;
use crate::endpoint::{EndState, Endpoint, Failure, Lane, Permission, Role, Segment};

/// An end of an SCTP association.
#[derive(Debug)]
pub struct Sctp {
    role: Role,
    handshake: Handshake,
    sender: Sender,
    receiver: Receiver,
    packet_bytes: u32,
    send_buffer: u64,
    counters: ConnectionCounts,
}

impl Endpoint for Sctp {
    type Settings = SctpSettings;
    type Header = SctpHeader;
    type OnWire = SctpHeader;

    fn on_wire(_settings: &SctpSettings, segment: &Segment<SctpHeader>) -> SctpHeader {
        segment.header
    }

    fn lanes(settings: &SctpSettings) -> u16 {
        settings.lanes
    }

    fn new(settings: &SctpSettings, role: Role) -> Sctp {
        let handshake = Handshake::new(settings);
        let mut sender = Sender::new(settings);
        sender.open(handshake.peer_window());
        Sctp {
            role,
            handshake,
            sender,
            receiver: Receiver::new(settings),
            packet_bytes: settings.packet_bytes(),
            send_buffer: settings.send_buffer,
            counters: ConnectionCounts::default(),
        }
    }

    fn keeps_messages() -> bool {
        true
    }

    fn write(&mut self, now: Time, lane: Lane, bytes: u64) {
        self.sender.write(now, lane, bytes);
        if self.role == Role::Active {
            self.handshake.open();
        }
    }

    /// The writer wakes when a third of the buffer is free, as on Linux.
    fn room(&self) -> u64 {
        let free = self.send_buffer.saturating_sub(self.sender.buffered());
        if free >= self.send_buffer / 3 { free } else { 0 }
    }

    fn receive(&mut self, now: Time, segment: &Segment<SctpHeader>, _marked: bool) {
        let header = &segment.header;
        if let Some(control) = header.control
            && self.handshake.receive(control)
        {
            self.sender.open(self.handshake.peer_window());
        }
        if !self.handshake.is_open() {
            return; // Data is discarded in all other states (RFC 9260, section 6).
        }
        if let Some(sack) = &header.sack {
            self.sender.receive(now, sack);
        }
        if !header.data().is_empty() {
            self.receiver.receive(now, header.data());
        }
    }

    fn transmit(&mut self, now: Time, permission: Permission) -> Option<Segment<SctpHeader>> {
        let segment = match self.handshake.transmit(now) {
            Some(control) => Some(Packet::control(control)),
            None if self.handshake.is_open() && self.failure().is_none() => {
                self.transmit_open(now, permission)
            }
            None => None,
        };
        self.counters.segments += u64::from(segment.is_some());
        segment
    }

    fn timeout(&self) -> Option<Time> {
        if self.failure().is_some() {
            return None;
        }
        let deadlines = [self.handshake.deadline(), self.sender.deadline(), self.receiver.deadline()];
        deadlines.into_iter().flatten().min()
    }

    fn on_timeout(&mut self, now: Time) {
        self.handshake.on_timeout(now);
        self.sender.on_timeout(now);
        self.receiver.on_timeout(now);
    }

    fn delivered(&mut self) -> Option<(Lane, u64)> {
        self.receiver.delivered()
    }

    fn failure(&self) -> Option<Failure> {
        self.handshake.given_up().or(self.sender.given_up()).map(Failure::Retransmissions)
    }

    /// A segment that is sent again is a chunk, not a packet.
    fn counts(&self) -> ConnectionCounts {
        let mut counts = self.counters;
        counts.add(&self.sender.counters());
        counts
    }

    fn state(&self) -> EndState {
        EndState {
            window: self.sender.congestion().window(),
            threshold: self.sender.congestion().threshold(),
            round_trip: self.sender.round_trip().map_or(0.0, Duration::as_secs_f64),
            in_flight: self.sender.bytes_in_flight(),
        }
    }
}

impl Sctp {
    /// The next packet of an association that is open.
    fn transmit_open(&mut self, now: Time, permission: Permission) -> Option<Segment<SctpHeader>> {
        let mut packet = Packet::new(self.packet_bytes);
        if self.receiver.is_due() {
            self.add_sack(&mut packet);
        }
        if permission == Permission::Everything {
            self.sender.fill(now, &mut packet);
        }
        if packet.has_data() && self.receiver.is_owed() {
            self.add_sack(&mut packet);
        }
        packet.finish()
    }

    fn add_sack(&mut self, packet: &mut Packet) {
        let sack = self.receiver.sack();
        if packet.add_sack(&sack) {
            self.counters.duplicate_acks += u64::from(self.receiver.acknowledge() == sack.expected);
            self.counters.zero_windows += u64::from(sack.window == 0);
        }
    }
}
