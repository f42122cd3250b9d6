//! Keys of the `[packet]` table: their names, meanings, transports, readers.

use mpirage_packet::{CongestionAlgorithm, Forwarding, Red, Routing};
use mpirage_platform::Value;

use super::queues::QueueSpec;
use super::readers::{
    algorithm, at_least_one, duration, forwarding, names, optional_bytes, packets_or_rule, probability,
    queue_limit, red, routing, show_limit, show_time, whole,
};
use super::{Packet, Transport};
use crate::faults::FaultSpec;
use crate::values::{bandwidth, seconds, truth};

/// A key of the `[packet]` table.
pub struct PacketKey {
    /// Its name, as users write it.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// The transports that have it; with others it is refused.
    pub(super) of: &'static [Transport],
    pub(super) set: fn(&mut Packet, &Value) -> Result<(), String>,
    pub(super) get: fn(&Packet) -> String,
}

const ALL: &[Transport] = &[Transport::Tcp, Transport::Sctp, Transport::Infiniband, Transport::Roce];
const SOCKETS: &[Transport] = &[Transport::Tcp, Transport::Sctp];
const TCP: &[Transport] = &[Transport::Tcp];
const SCTP: &[Transport] = &[Transport::Sctp];
const LOSSLESS: &[Transport] = &[Transport::Infiniband, Transport::Roce];

/// All keys, in the order in which they are shown.
pub const PACKET_KEYS: &[PacketKey] = &[
    PacketKey {
        name: "transport",
        of: ALL,
        meaning: "what connections speak: \"tcp\", \"sctp\", \"infiniband\" or \"roce\"",
        set: |packet, value| {
            packet.transport = Transport::read(value)?;
            put(&mut packet.lossless, packet.transport.lossless())
        },
        get: |packet| format!("\"{}\"", packet.transport.name()),
    },
    PacketKey {
        name: "mtu",
        of: SOCKETS,
        meaning: "the largest IP packet, in bytes",
        set: |packet, value| {
            let mtu = whole(value, 576, 65_535)?;
            put(&mut packet.tcp.mtu, mtu)?;
            put(&mut packet.sctp.mtu, mtu)
        },
        get: |packet| packet.tcp.mtu.to_string(),
    },
    PacketKey {
        name: "frame-overhead",
        of: ALL,
        meaning: "bytes for which a frame occupies a link besides its own (preamble, checksum and gap of Ethernet: 24)",
        set: |packet, value| {
            let bytes = whole(value, 0, 1 << 16)?;
            packet.set_links(|links| links.frame_overhead = bytes)
        },
        get: |packet| packet.links().frame_overhead.to_string(),
    },
    PacketKey {
        name: "frame-loss",
        of: ALL,
        meaning: "the probability that a link loses a frame",
        set: |packet, value| {
            let share = probability(value)?;
            packet.set_links(|links| links.frame_loss = share)
        },
        get: |packet| packet.links().frame_loss.to_string(),
    },
    PacketKey {
        name: "bit-errors",
        of: ALL,
        meaning: "the probability that a bit is wrong; its frame is lost",
        set: |packet, value| {
            let share = probability(value)?;
            packet.set_links(|links| links.bit_errors = share)
        },
        get: |packet| packet.links().bit_errors.to_string(),
    },
    PacketKey {
        name: "forwarding",
        of: ALL,
        meaning: "\"store-and-forward\" or \"cut-through\"",
        set: |packet, value| {
            let how = forwarding(value)?;
            packet.set_links(|links| links.forwarding = how)
        },
        get: |packet| match packet.links().forwarding {
            Forwarding::StoreAndForward => "\"store-and-forward\"".to_owned(),
            Forwarding::CutThrough => "\"cut-through\"".to_owned(),
        },
    },
    PacketKey {
        name: "switch-delay",
        of: ALL,
        meaning: "what a switch takes for each frame, besides",
        set: |packet, value| {
            let delay = duration(value)?;
            packet.set_links(|links| links.switch_delay = delay)
        },
        get: |packet| show_time(packet.links().switch_delay),
    },
    PacketKey {
        name: "routing",
        of: ALL,
        meaning: "\"static\", \"ecmp\" (by connection) or \"adaptive\" (by frame; InfiniBand) among the routes of fat trees, dragonflies and Dragonfly+",
        set: |packet, value| {
            let how = routing(value)?;
            packet.set_links(|links| links.routing = how)
        },
        get: |packet| match packet.links().routing {
            Routing::Static => "\"static\"".to_owned(),
            Routing::Ecmp(_) => "\"ecmp\"".to_owned(),
            Routing::Adaptive(_) => "\"adaptive\"".to_owned(),
        },
    },
    PacketKey {
        name: "lanes",
        of: LOSSLESS,
        meaning: "virtual lanes of InfiniBand, priorities of RoCE",
        set: |packet, value| put(&mut packet.lossless.lanes, whole(value, 1, 15)? as u8),
        get: |packet| packet.lossless.lanes.to_string(),
    },
    PacketKey {
        name: "lane-per-hop",
        of: LOSSLESS,
        meaning: "does a frame change to the next lane at each switch? With as many lanes as links in a route, buffers cannot deadlock",
        set: |packet, value| put(&mut packet.lossless.lane_per_hop, truth(value)?),
        get: |packet| packet.lossless.lane_per_hop.to_string(),
    },
    PacketKey {
        name: "rdma-mtu",
        of: LOSSLESS,
        meaning: "payload of a packet of InfiniBand or RoCE, in bytes",
        set: |packet, value| put(&mut packet.rdma_mtu, whole(value, 256, 65_535)?),
        get: |packet| packet.rdma_mtu.to_string(),
    },
    PacketKey {
        name: "faults",
        of: ALL,
        meaning: "what goes wrong: [{ at = \"host-3\", from = \"1s\", until = \"2s\", down = true }, …]; also loss, rate, slow",
        set: |packet, value| put(&mut packet.faults, FaultSpec::read_all(value)?),
        get: |packet| {
            let faults: Vec<String> = packet.faults.iter().map(FaultSpec::describe).collect();
            format!("[{}]", faults.join(", "))
        },
    },
    PacketKey {
        name: "queue",
        of: SOCKETS,
        meaning: "what waits at the most in front of a link of a switch: bytes, or { frames = 100 }",
        set: |packet, value| put(&mut packet.parameters.switch_queue.limit, queue_limit(value)?),
        get: |packet| show_limit(packet.parameters.switch_queue.limit),
    },
    PacketKey {
        name: "queues",
        of: SOCKETS,
        meaning: "queues of other sizes: [{ at = \"router-1\", limit = \"64KB\" }, …]; at a link, a cable, a switch or router, or in front of a host",
        set: |packet, value| put(&mut packet.queues, QueueSpec::read_all(value)?),
        get: |packet| {
            let queues: Vec<String> = packet.queues.iter().map(QueueSpec::describe).collect();
            format!("[{}]", queues.join(", "))
        },
    },
    PacketKey {
        name: "mark-above",
        of: TCP,
        meaning: "waiting bytes above which a switch marks frames (ECN); false: never",
        set: |packet, value| put(&mut packet.parameters.switch_queue.mark_above, optional_bytes(value)?),
        get: |packet| match packet.parameters.switch_queue.mark_above {
            Some(bytes) => bytes.to_string(),
            None => "false".to_owned(),
        },
    },
    PacketKey {
        name: "red",
        of: SOCKETS,
        meaning: "random early detection: { low = \"30KB\", high = \"90KB\", probability = 0.1, weight = 0.002 }, or false",
        set: |packet, value| put(&mut packet.parameters.switch_queue.red, red(value)?),
        get: |packet| match packet.parameters.switch_queue.red {
            Some(Red { low, high, probability, weight }) => {
                format!("{{ low = {low}, high = {high}, probability = {probability}, weight = {weight} }}")
            }
            None => "false".to_owned(),
        },
    },
    PacketKey {
        name: "socket-frames",
        of: ALL,
        meaning: "frames with data that a socket may have in its host's queue",
        set: |packet, value| put(&mut packet.parameters.hosts.socket_frames, whole(value, 1, 1 << 20)?),
        get: |packet| packet.parameters.hosts.socket_frames.to_string(),
    },
    PacketKey {
        name: "interface-buffer",
        of: SOCKETS,
        meaning: "bytes that an interface takes out of its host's queue ahead of the wire",
        set: |packet, value| put(&mut packet.parameters.hosts.interface_buffer, whole(value, 0, 1 << 30)?),
        get: |packet| packet.parameters.hosts.interface_buffer.to_string(),
    },
    PacketKey {
        name: "software",
        of: ALL,
        meaning: "what software takes for each message",
        set: |packet, value| put(&mut packet.parameters.hosts.software, duration(value)?),
        get: |packet| show_time(packet.parameters.hosts.software),
    },
    PacketKey {
        name: "late-share",
        of: ALL,
        meaning: "the share of messages whose receiver is late",
        set: |packet, value| put(&mut packet.parameters.hosts.late_share, probability(value)?),
        get: |packet| packet.parameters.hosts.late_share.to_string(),
    },
    PacketKey {
        name: "late-most",
        of: ALL,
        meaning: "how late it is at the most",
        set: |packet, value| put(&mut packet.parameters.hosts.late_most, duration(value)?),
        get: |packet| show_time(packet.parameters.hosts.late_most),
    },
    PacketKey {
        name: "message-header",
        of: ALL,
        meaning: "bytes that MPI adds to a message",
        set: |packet, value| put(&mut packet.parameters.messages.header, whole(value, 0, 1 << 20)?),
        get: |packet| packet.parameters.messages.header.to_string(),
    },
    PacketKey {
        name: "control-message",
        of: ALL,
        meaning: "bytes of a request, grant, answer or notice",
        set: |packet, value| put(&mut packet.parameters.messages.control, whole(value, 1, 1 << 20)?),
        get: |packet| packet.parameters.messages.control.to_string(),
    },
    PacketKey {
        name: "within-latency",
        of: ALL,
        meaning: "latency of messages within a host",
        set: |packet, value| put(&mut packet.parameters.within.latency, seconds(value)?),
        get: |packet| format!("\"{}s\"", packet.parameters.within.latency),
    },
    PacketKey {
        name: "within-bandwidth",
        of: ALL,
        meaning: "bandwidth of messages within a host",
        set: |packet, value| put(&mut packet.parameters.within.bandwidth, bandwidth(value)?),
        get: |packet| format!("\"{}Bps\"", packet.parameters.within.bandwidth),
    },
    PacketKey {
        name: "open-from-start",
        of: SOCKETS,
        meaning: "are connections open before the program starts? Else the first message waits for the handshake",
        set: |packet, value| {
            let open = truth(value)?;
            put(&mut packet.tcp.preopened, open)?;
            put(&mut packet.sctp.preopened, open)
        },
        get: |packet| packet.tcp.preopened.to_string(),
    },
    PacketKey {
        name: "streams",
        of: SCTP,
        meaning: "streams of an SCTP association; messages of different tags travel in different ones",
        set: |packet, value| put(&mut packet.sctp.lanes, whole(value, 1, 65_535)? as u16),
        get: |packet| packet.sctp.lanes.to_string(),
    },
    PacketKey {
        name: "congestion",
        of: TCP,
        meaning: "TCP's congestion control: \"cubic\" or \"reno\"",
        set: |packet, value| put(&mut packet.tcp.algorithm, algorithm(value)?),
        get: |packet| match packet.tcp.algorithm {
            CongestionAlgorithm::Reno => "\"reno\"".to_owned(),
            CongestionAlgorithm::Cubic => "\"cubic\"".to_owned(),
        },
    },
    PacketKey {
        name: "initial-window",
        of: SOCKETS,
        meaning: "the first congestion window, in segments; false with SCTP: as in RFC 9260, 4404 bytes or 2 to 4 packets",
        set: |packet, value| match packet.transport {
            Transport::Sctp => put(&mut packet.sctp.initial_window, packets_or_rule(value)?),
            _ => put(&mut packet.tcp.initial_window, whole(value, 1, 1 << 20)?),
        },
        get: |packet| match (packet.transport, packet.sctp.initial_window) {
            (Transport::Sctp, None) => "false".to_owned(),
            (Transport::Sctp, Some(packets)) => packets.to_string(),
            _ => packet.tcp.initial_window.to_string(),
        },
    },
    PacketKey {
        name: "minimum-rto",
        of: SOCKETS,
        meaning: "the least time after which TCP and SCTP send again",
        set: |packet, value| {
            let value = duration(value)?;
            put(&mut packet.tcp.minimum_rto, value)?;
            put(&mut packet.sctp.least_timeout, value)
        },
        get: |packet| show_time(packet.either(|tcp| tcp.minimum_rto, |sctp| sctp.least_timeout)),
    },
    PacketKey {
        name: "retries",
        of: ALL,
        meaning: "retransmissions of a segment after which a connection is given up",
        set: |packet, value| {
            let value = whole(value, 1, 255)?;
            put(&mut packet.rdma_retries, value)?;
            put(&mut packet.tcp.retries, value)?;
            put(&mut packet.sctp.data_retries, value)
        },
        get: |packet| {
            let sockets = packet.either(|tcp| tcp.retries, |sctp| sctp.data_retries);
            if packet.transport.is_lossless() { packet.rdma_retries } else { sockets }.to_string()
        },
    },
    PacketKey {
        name: "delayed-ack",
        of: SOCKETS,
        meaning: "how long an acknowledgement is held back: TCP at the least, SCTP at the most",
        set: |packet, value| {
            let value = duration(value)?;
            put(&mut packet.tcp.delayed_ack, value)?;
            put(&mut packet.sctp.sack_delay, value)
        },
        get: |packet| show_time(packet.either(|tcp| tcp.delayed_ack, |sctp| sctp.sack_delay)),
    },
    PacketKey {
        name: "ecn",
        of: TCP,
        meaning: "does TCP answer to marked frames?",
        set: |packet, value| put(&mut packet.tcp.ecn, truth(value)?),
        get: |packet| packet.tcp.ecn.to_string(),
    },
    PacketKey {
        name: "nagle",
        of: SOCKETS,
        meaning: "are small segments held back while others are in flight? MPI libraries switch that off",
        set: |packet, value| {
            let value = truth(value)?;
            put(&mut packet.tcp.nagle, value)?;
            put(&mut packet.sctp.nagle, value)
        },
        get: |packet| packet.either(|tcp| tcp.nagle, |sctp| sctp.nagle).to_string(),
    },
    PacketKey {
        name: "slow-start-after-idle",
        of: TCP,
        meaning: "does TCP start slowly again after a pause?",
        set: |packet, value| put(&mut packet.tcp.slow_start_after_idle, truth(value)?),
        get: |packet| packet.tcp.slow_start_after_idle.to_string(),
    },
    PacketKey {
        name: "send-buffer",
        of: SOCKETS,
        meaning: "bytes of the send buffer; TCP's grows with the window, from this at the initial one",
        set: |packet, value| {
            let value = at_least_one(value)?;
            put(&mut packet.tcp.send_buffer, value)?;
            put(&mut packet.sctp.send_buffer, value)
        },
        get: |packet| packet.either(|tcp| tcp.send_buffer, |sctp| sctp.send_buffer).to_string(),
    },
    PacketKey {
        name: "receive-buffer",
        of: SOCKETS,
        meaning: "bytes of the receive buffer; TCP's grows",
        set: |packet, value| {
            let bytes = at_least_one(value)?;
            put(&mut packet.tcp.receive_buffer, bytes)?;
            packet.sctp.set_receive_buffer(bytes);
            Ok(())
        },
        get: |packet| packet.either(|tcp| tcp.receive_buffer, |sctp| sctp.receive_buffer).to_string(),
    },
    PacketKey {
        name: "receive-buffer-maximum",
        of: TCP,
        meaning: "bytes to which the receive buffer grows",
        set: |packet, value| put(&mut packet.tcp.receive_buffer_maximum, at_least_one(value)?),
        get: |packet| packet.tcp.receive_buffer_maximum.to_string(),
    },
    PacketKey {
        name: "only",
        of: ALL,
        meaning: "hosts, links and switches whose messages are frames, all others flows; everything if there are none",
        set: |packet, value| put(&mut packet.only, names(value)?),
        get: |packet| format!("{:?}", packet.only),
    },
];

fn put<T>(place: &mut T, value: T) -> Result<(), String> {
    *place = value;
    Ok(())
}
