//! Times of messages by formula, with a transport that only cuts messages into frames.

use mpirage_platform::HostId;

use super::*;
use crate::capture::{TcpOnWire, TcpScale};
use crate::endpoint::{EndState, Failure, Permission};
use crate::tcp::TcpHeader;
use mpirage_kernel::ConnectionCounts;

/// Sends everything at once, acknowledges nothing.
struct Plain {
    unsent: u64,
    arrived: u64,
    reported: u64,
}

const PAYLOAD: u64 = 1448;
const HEADER: u32 = 66;

impl Endpoint for Plain {
    type Settings = ();
    type Header = ();
    type OnWire = TcpOnWire;

    fn on_wire(_: &(), _: &Segment<()>) -> TcpOnWire {
        TcpOnWire {
            header: TcpHeader::default(),
            scale: TcpScale { mss: 1460, window_shift: 0, timestamps: true },
        }
    }

    fn counts(&self) -> ConnectionCounts {
        ConnectionCounts::default()
    }

    fn state(&self) -> EndState {
        EndState::default()
    }

    fn new(_: &(), _: Role) -> Plain {
        Plain { unsent: 0, arrived: 0, reported: 0 }
    }

    fn write(&mut self, _: Time, _: Lane, bytes: u64) {
        self.unsent += bytes;
    }

    fn room(&self) -> u64 {
        u64::MAX
    }

    fn receive(&mut self, _: Time, segment: &Segment<()>, _: bool) {
        self.arrived += u64::from(segment.payload);
    }

    fn transmit(&mut self, _: Time, permission: Permission) -> Option<Segment<()>> {
        let payload = self.unsent.min(PAYLOAD) as u32;
        if payload == 0 || permission == Permission::NoData {
            return None;
        }
        self.unsent -= u64::from(payload);
        Some(Segment { header: (), payload, header_bytes: HEADER, markable: false })
    }

    fn timeout(&self) -> Option<Time> {
        None
    }

    fn on_timeout(&mut self, _: Time) {}

    fn delivered(&mut self) -> Option<(Lane, u64)> {
        let news = self.arrived > self.reported;
        self.reported = self.arrived;
        news.then_some((Lane(0), self.arrived))
    }

    fn failure(&self) -> Option<Failure> {
        None
    }
}

/// Four hosts on a switch, 10 Mbit/s and 200 µs per link.
fn network() -> PacketNetwork<Plain> {
    let text = "[cluster]\nhosts = 4\nspeed = \"1Gf\"\nbandwidth = \"10Mbps\"\nlatency = \"200us\"\n";
    let platform = Platform::from_text("test.toml", text).unwrap();
    let mut parameters = PacketParameters::default();
    parameters.hosts.software = Duration::ZERO;
    PacketNetwork::new(Arc::new(platform), parameters, ())
}

fn send(network: &mut PacketNetwork<Plain>, to: u32, bytes: u64) {
    let mut transfer = Transfer::data(HostId(0), HostId(to), bytes);
    transfer.connection.target = to;
    network.start(Time::ZERO, transfer, Token(to.into()));
}

/// When each message has arrived, in microseconds, in order of arrival.
fn arrivals(network: &mut PacketNetwork<Plain>) -> Vec<(u64, f64)> {
    let (mut arrived, mut reports) = (Vec::new(), Vec::new());
    while let Some(now) = network.next(Time::ZERO) {
        network.collect(now, &mut reports);
        for report in reports.drain(..).filter(|report| report.milestone == Milestone::Ended) {
            arrived.push((report.token.0, now.as_secs_f64() * 1e6));
        }
    }
    arrived
}

/// Microseconds that a link of 10 Mbit/s needs for so many bytes.
fn wire(bytes: u64) -> f64 {
    bytes as f64 * 0.8
}

#[test]
fn a_message_alone_takes_latency_wire_time_and_store_and_forward() {
    // In the order of accuracy's formula: Σ latency + f/bw on every link but the slowest + wire/B.
    for bytes in [1, 1000, 1424, 1425, 65_000] {
        let (mut network, stream) = (network(), bytes + 24);
        send(&mut network, 1, bytes);
        let frames = stream.div_ceil(PAYLOAD);
        let first = stream.min(PAYLOAD) + u64::from(HEADER);
        let alone = 400.0 + wire(first) + wire(stream + frames * u64::from(HEADER));
        let took = arrivals(&mut network)[0].1;
        assert!((took - alone).abs() < 0.01, "{bytes} bytes: {took} instead of {alone}");
    }
}

#[test]
fn sockets_take_turns_and_end_together() {
    let mut network = network();
    send(&mut network, 1, 64 << 10);
    send(&mut network, 2, 64 << 10);
    let arrived = arrivals(&mut network);
    let (first, second) = (arrived[0].1, arrived[1].1);
    assert!(
        second - first < 5.0 * wire(1514),
        "{first} and {second} lie {} frames apart",
        (second - first) / wire(1514)
    );
}

#[test]
fn a_message_of_five_frames_leaves_at_once_and_a_longer_one_takes_turns() {
    for (bytes, order) in [(7_000, [1, 2]), (10_000, [2, 1])] {
        let mut network = network();
        send(&mut network, 1, bytes);
        send(&mut network, 2, 2_000);
        let arrived: Vec<u64> = arrivals(&mut network).iter().map(|arrival| arrival.0).collect();
        assert_eq!(arrived, order, "{bytes} bytes first");
    }
}

#[test]
fn messages_of_one_connection_arrive_in_order() {
    let mut network = network();
    for token in 1..=20 {
        let mut transfer = Transfer::data(HostId(0), HostId(1), 3000 / token);
        transfer.connection.target = 1;
        network.start(Time::ZERO, transfer, Token(token));
    }
    let order: Vec<u64> = arrivals(&mut network).iter().map(|arrival| arrival.0).collect();
    assert_eq!(order, (1..=20).collect::<Vec<u64>>());
}

#[test]
fn a_lossy_network_counts_what_it_loses() {
    let mut network = network();
    let mut parameters = PacketParameters { seed: 1, ..network.parameters };
    parameters.links.frame_loss = 0.1;
    network.layer = Wires::new(Arc::new(Platform::load("cluster:4", 4).unwrap()), &parameters);
    send(&mut network, 1, 1 << 20);
    assert_eq!(arrivals(&mut network), []);
    let links = network.statistics().unwrap().links;
    let (frames, lost) =
        links.iter().fold((0, 0), |(frames, lost), link| (frames + link.frames, lost + link.lost));
    let share = lost as f64 / frames as f64;
    assert!((0.07..0.13).contains(&share), "{lost} of {frames}");
}
