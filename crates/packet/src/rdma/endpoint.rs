//! A queue pair, as the network asks for it.

use mpirage_units::{Duration, Time};

use super::dcqcn::Dcqcn;
use super::header::{RdmaHeader, RdmaKind};
use super::receiver::{Arrived, Receiver};
use super::sender::Sender;
use super::settings::RdmaSettings;
use crate::endpoint::{Endpoint, Failure, Lane, Permission, Role, Segment};

/// One end of a reliable connection: InfiniBand's, or RoCEv2's with its rate control.
#[derive(Debug)]
pub struct RdmaEndpoint {
    sender: Sender,
    receiver: Receiver,
    pace: Option<Pace>,
}

/// When a rate lets the next packet go.
#[derive(Debug)]
struct Pace {
    rate: Dcqcn,
    next: Time,
    /// A packet waits until `next`.
    waits: bool,
}

impl Pace {
    /// May a packet go now?
    fn permits(&mut self, now: Time) -> bool {
        self.waits = now < self.next;
        !self.waits
    }

    fn on_sent(&mut self, now: Time, bytes: u32) {
        self.rate.on_sent(bytes);
        if let Some(rate) = self.rate.rate(now) {
            self.next = now + Duration::from_secs_f64(f64::from(bytes) / rate);
        }
    }
}

impl RdmaEndpoint {
    /// The rate that congestion control allows now, in bytes per second; none if only the line limits it.
    pub fn rate(&mut self, now: Time) -> Option<f64> {
        self.pace.as_mut()?.rate.rate(now)
    }

    fn transmit_data(&mut self, now: Time) -> Option<Segment<RdmaHeader>> {
        if !self.sender.has_packet() {
            return None;
        }
        if self.pace.as_mut().is_some_and(|pace| !pace.permits(now)) {
            return None;
        }
        let segment = self.sender.transmit(now)?;
        if let Some(pace) = &mut self.pace {
            pace.on_sent(now, segment.payload + segment.header_bytes);
        }
        Some(segment)
    }
}

impl Endpoint for RdmaEndpoint {
    type Settings = RdmaSettings;
    type Header = RdmaHeader;

    fn new(settings: &RdmaSettings, _: Role) -> RdmaEndpoint {
        let rate = settings.congestion.as_ref().map(Dcqcn::new);
        RdmaEndpoint {
            sender: Sender::new(settings),
            receiver: Receiver::new(settings),
            pace: rate.map(|rate| Pace { rate, next: Time::ZERO, waits: false }),
        }
    }

    fn write(&mut self, _: Time, _: Lane, bytes: u64) {
        self.sender.write(bytes);
    }

    /// Messages are read from where they are: there is no send buffer.
    fn room(&self) -> u64 {
        u64::MAX
    }

    fn receive(&mut self, now: Time, segment: &Segment<RdmaHeader>, marked: bool) {
        if marked {
            self.receiver.on_mark(now);
        }
        let number = segment.header.number;
        match segment.header.kind {
            RdmaKind::Data { last, .. } => {
                self.receiver.receive(Arrived { number, bytes: segment.payload, last });
            }
            RdmaKind::Acknowledgement => self.sender.acknowledge(now, number),
            RdmaKind::SequenceError => self.sender.go_back(now, number),
            RdmaKind::Congestion => {
                if let Some(pace) = &mut self.pace {
                    pace.rate.on_notification(now);
                }
            }
        }
    }

    fn transmit(&mut self, now: Time, permission: Permission) -> Option<Segment<RdmaHeader>> {
        self.receiver.transmit().or_else(|| match permission {
            Permission::Everything => self.transmit_data(now),
            Permission::NoData => None,
        })
    }

    fn timeout(&self) -> Option<Time> {
        let paced = self.pace.as_ref().filter(|pace| pace.waits).map(|pace| pace.next);
        [paced, self.sender.deadline()].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, now: Time) {
        if let Some(pace) = &mut self.pace {
            pace.permits(now);
        }
        self.sender.on_timeout(now);
    }

    fn delivered(&mut self) -> Option<(Lane, u64)> {
        self.receiver.delivered().map(|bytes| (Lane(0), bytes))
    }

    fn is_urgent(header: &RdmaHeader) -> bool {
        header.kind == RdmaKind::Congestion
    }

    fn failure(&self) -> Option<Failure> {
        self.sender.failure()
    }
}
