//! One end of an association.

use mpirage_units::Time;

use super::handshake::Handshake;
use super::header::SctpHeader;
use super::packet::Packet;
use super::receiver::Receiver;
use super::sender::Sender;
use super::settings::SctpSettings;
use crate::endpoint::{Endpoint, Failure, Lane, Permission, Role, Segment};

/// An end of an SCTP association.
#[derive(Debug)]
pub struct Sctp {
    role: Role,
    handshake: Handshake,
    sender: Sender,
    receiver: Receiver,
    packet_bytes: u32,
    send_buffer: u64,
}

impl Endpoint for Sctp {
    type Settings = SctpSettings;
    type Header = SctpHeader;

    fn new(settings: &SctpSettings, role: Role) -> Sctp {
        Sctp {
            role,
            handshake: Handshake::new(settings),
            sender: Sender::new(settings),
            receiver: Receiver::new(settings),
            packet_bytes: settings.packet_bytes(),
            send_buffer: settings.send_buffer,
        }
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
        if let Some(control) = self.handshake.transmit(now) {
            return Some(Packet::control(control));
        }
        if !self.handshake.is_open() || self.failure().is_some() {
            return None;
        }
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
}

impl Sctp {
    /// The congestion window and what is in flight, in bytes.
    pub fn window_and_flight(&self) -> (u64, u64) {
        self.sender.window_and_flight()
    }

    fn add_sack(&mut self, packet: &mut Packet) {
        if packet.add_sack(&self.receiver.sack()) {
            self.receiver.acknowledged();
        }
    }
}
