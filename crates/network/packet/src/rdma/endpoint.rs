//! A queue pair, as the network asks for it.

use std::sync::Arc;

use mpirage_kernel::ConnectionCounts;
use mpirage_units::{Duration, Time};

use super::dcqcn::Dcqcn;
use super::header::{RdmaHeader, RdmaKind};
use super::receiver::{Arrived, Receiver};
use super::sender::Sender;
use super::settings::RdmaSettings;
use crate::capture::RoceOnWire;
use crate::endpoint::{EndState, Endpoint, Failure, Lane, Permission, Role, Segment};

/// One end of a reliable connection: InfiniBand's, or RoCEv2's with its rate control.
#[derive(Debug)]
pub struct RdmaEndpoint {
    sender: Sender,
    receiver: Receiver,
    pace: Option<Box<Pace>>,
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
    type Settings = Arc<RdmaSettings>;
    type Header = RdmaHeader;
    type OnWire = RoceOnWire;

    /// Packets of InfiniBand, which have no UDP and IP headers, are shown in the same way.
    fn on_wire(_: &Arc<RdmaSettings>, segment: &Segment<RdmaHeader>) -> RoceOnWire {
        let RdmaHeader { kind, number } = segment.header;
        RoceOnWire { packet: kind, number, payload: segment.payload }
    }

    fn keeps_messages() -> bool {
        true
    }

    fn new(settings: &Arc<RdmaSettings>, _: Role) -> RdmaEndpoint {
        let rate = settings.congestion.as_ref().map(Dcqcn::new);
        RdmaEndpoint {
            sender: Sender::new(settings),
            receiver: Receiver::new(settings),
            pace: rate.map(|rate| Box::new(Pace { rate, next: Time::ZERO, waits: false })),
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

    fn counts(&self) -> ConnectionCounts {
        let sent = self.sender.counts();
        ConnectionCounts { segments: sent.segments + self.receiver.answers(), ..*sent }
    }

    fn state(&self) -> EndState {
        self.sender.state()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdma::settings::PacketOrder;

    const NOW: Time = Time::from_picos(1000);

    fn settings(order: PacketOrder) -> RdmaSettings {
        RdmaSettings { mtu: 100, outstanding: 8, acknowledge_every: 3, order, ..RdmaSettings::infiniband() }
    }

    fn pair(settings: &RdmaSettings) -> [RdmaEndpoint; 2] {
        [Role::Active, Role::Passive].map(|role| RdmaEndpoint::new(&Arc::new(*settings), role))
    }

    /// Everything that an end sends now.
    fn sent(end: &mut RdmaEndpoint) -> Vec<Segment<RdmaHeader>> {
        std::iter::from_fn(|| end.transmit(NOW, Permission::Everything)).collect()
    }

    fn numbers(segments: &[Segment<RdmaHeader>]) -> Vec<u64> {
        segments.iter().map(|segment| segment.header.number).collect()
    }

    fn kinds(segments: &[Segment<RdmaHeader>]) -> Vec<RdmaKind> {
        segments.iter().map(|segment| segment.header.kind).collect()
    }

    #[test]
    fn messages_are_cut_into_packets_that_never_span_two() {
        let [mut a, _] = pair(&settings(PacketOrder::Any));
        a.write(NOW, Lane(0), 250);
        a.write(NOW, Lane(0), 100);
        let segments = sent(&mut a);
        let packets: Vec<_> =
            segments.iter().map(|segment| (segment.payload, segment.header_bytes)).collect();
        assert_eq!(packets, [(100, 42), (100, 26), (50, 26), (100, 42)]);
        let data = |first, last| RdmaKind::Data { first, last };
        let expected = [data(true, false), data(false, false), data(false, true), data(true, true)];
        assert_eq!(kinds(&segments), expected);
    }

    #[test]
    fn at_most_so_many_packets_wait_for_an_acknowledgement() {
        let [mut a, mut b] = pair(&settings(PacketOrder::Any));
        a.write(NOW, Lane(0), 2000);
        let first = sent(&mut a);
        assert_eq!(first.len(), 8);
        assert_eq!(a.transmit(NOW, Permission::NoData), None);
        first.iter().take(2).for_each(|segment| b.receive(NOW, segment, false));
        assert_eq!(sent(&mut b), [], "not yet three");
        b.receive(NOW, &first[2], false);
        let answers = sent(&mut b);
        assert_eq!((numbers(&answers), answers[0].header_bytes), (vec![3], 30));
        a.receive(NOW, &answers[0], false);
        assert_eq!(numbers(&sent(&mut a)), [8, 9, 10]);
    }

    #[test]
    fn a_gap_makes_a_strict_receiver_ask_once_and_the_sender_go_back() {
        let [mut a, mut b] = pair(&settings(PacketOrder::Strict));
        a.write(NOW, Lane(0), 600);
        let segments = sent(&mut a);
        for number in [0, 2, 3, 4] {
            b.receive(NOW, &segments[number], false);
        }
        assert_eq!(b.delivered(), Some((Lane(0), 100)));
        let answers = sent(&mut b);
        assert_eq!((numbers(&answers), kinds(&answers)), (vec![1], vec![RdmaKind::SequenceError]));
        a.receive(NOW, &answers[0], false);
        let again = sent(&mut a);
        assert_eq!(numbers(&again), [1, 2, 3, 4, 5]);
        again.iter().for_each(|segment| b.receive(NOW, segment, false));
        assert_eq!(b.delivered(), Some((Lane(0), 600)));
        assert_eq!(b.delivered(), None);
        assert_eq!(numbers(&sent(&mut b)), [6]);
        b.receive(NOW, &again[0], false);
        assert_eq!(numbers(&sent(&mut b)), [6], "a packet that came before is acknowledged again");
    }

    #[test]
    fn another_receiver_keeps_what_comes_early() {
        let [mut a, mut b] = pair(&settings(PacketOrder::Any));
        a.write(NOW, Lane(0), 450);
        let segments = sent(&mut a);
        for (number, bytes) in [(3, None), (1, None), (4, None), (0, Some(200)), (2, Some(450))] {
            b.receive(NOW, &segments[number], false);
            assert_eq!(b.delivered().map(|(_, bytes)| bytes), bytes);
        }
        assert_eq!(numbers(&sent(&mut b)), [5]);
    }

    #[test]
    fn what_is_not_acknowledged_is_sent_again_until_the_sender_gives_up() {
        let timeout = Some(Duration::from_picos(50));
        let [mut a, _] = pair(&RdmaSettings { timeout, retries: 2, ..settings(PacketOrder::Strict) });
        a.write(NOW, Lane(0), 200);
        assert_eq!(a.timeout(), None);
        for _ in 0..3 {
            assert_eq!(numbers(&sent(&mut a)), [0, 1]);
            let at = a.timeout().expect("it waits for an acknowledgement");
            assert_eq!((at, a.failure()), (NOW + Duration::from_picos(50), None));
            a.on_timeout(at);
        }
        assert_eq!((a.failure(), a.timeout()), (Some(Failure::Retransmissions(2)), None));
        assert_eq!(sent(&mut a), []);
    }

    #[test]
    fn a_sender_in_the_middle_of_a_message_waits_for_nobody() {
        let timeout = Some(Duration::from_picos(50));
        let mut settings = RdmaSettings { timeout, acknowledge_every: 4, ..settings(PacketOrder::Strict) };
        settings.outstanding = 8;
        let [mut a, _] = pair(&settings);
        a.write(NOW, Lane(0), 600);
        for _ in 0..3 {
            assert!(a.transmit(NOW, Permission::Everything).is_some());
            assert_eq!(a.timeout(), None, "no answer is due yet");
        }
        a.transmit(NOW, Permission::Everything);
        assert_eq!(a.timeout(), Some(NOW + Duration::from_picos(50)), "the fourth packet is answered");
    }

    #[test]
    fn a_mark_is_answered_once_per_interval_and_paces_the_sender() {
        let [mut a, mut b] = pair(&RdmaSettings { mtu: 1000, ..RdmaSettings::roce(1e9) });
        a.write(NOW, Lane(0), 6000);
        let segments = sent(&mut a);
        segments[..3].iter().for_each(|segment| b.receive(NOW, segment, true));
        let answers = sent(&mut b);
        assert_eq!(kinds(&answers), [RdmaKind::Congestion]);
        assert!(RdmaEndpoint::is_urgent(&answers[0].header));
        b.receive(NOW + Duration::from_nanos(50_000), &segments[3], true);
        assert_eq!(kinds(&sent(&mut b)), [RdmaKind::Congestion]);
        a.receive(NOW, &answers[0], false);
        a.write(NOW, Lane(0), 3000);
        assert_eq!(sent(&mut a).len(), 1);
        // 1000 bytes and headers of 78 at half the line rate.
        assert_eq!(a.timeout(), Some(NOW + Duration::from_nanos(2 * 1078)));
    }
}
