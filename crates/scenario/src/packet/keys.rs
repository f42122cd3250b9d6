//! Keys of the `[packet]` table: their names, meanings, readers.

use mpirage_packet::{CongestionAlgorithm, Forwarding, QueueLimit, Red, Routing};
use mpirage_platform::Value;
use mpirage_units::{DURATION, Duration, FACTOR, Quantity};

use super::{Packet, Transport};
use crate::faults::FaultSpec;
use crate::values::{bandwidth, bytes, field, list, quantity, seconds, table, truth};

/// A key of the `[packet]` table.
pub struct PacketKey {
    /// Its name, as users write it.
    pub name: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    set: fn(&mut Packet, &Value) -> Result<(), String>,
    get: fn(&Packet) -> String,
}

/// All keys, in the order in which they are shown.
pub const PACKET_KEYS: &[PacketKey] = &[
    PacketKey {
        name: "transport",
        meaning: "what connections speak: \"tcp\", \"sctp\", \"infiniband\" or \"roce\"",
        set: |packet, value| {
            packet.transport = Transport::read(value)?;
            put(&mut packet.lossless, packet.transport.lossless())
        },
        get: |packet| format!("\"{}\"", packet.transport.name()),
    },
    PacketKey {
        name: "mtu",
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
        meaning: "bytes for which a frame occupies a link besides its own (preamble, checksum and gap of Ethernet: 24)",
        set: |packet, value| {
            let bytes = whole(value, 0, 1 << 16)?;
            packet.set_links(|links| links.frame_overhead = bytes)
        },
        get: |packet| packet.links().frame_overhead.to_string(),
    },
    PacketKey {
        name: "frame-loss",
        meaning: "the probability that a link loses a frame",
        set: |packet, value| {
            let share = probability(value)?;
            packet.set_links(|links| links.frame_loss = share)
        },
        get: |packet| packet.links().frame_loss.to_string(),
    },
    PacketKey {
        name: "bit-errors",
        meaning: "the probability that a bit is wrong; its frame is lost",
        set: |packet, value| {
            let share = probability(value)?;
            packet.set_links(|links| links.bit_errors = share)
        },
        get: |packet| packet.links().bit_errors.to_string(),
    },
    PacketKey {
        name: "forwarding",
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
        meaning: "what a switch takes for each frame, besides",
        set: |packet, value| {
            let delay = duration(value)?;
            packet.set_links(|links| links.switch_delay = delay)
        },
        get: |packet| show_time(packet.links().switch_delay),
    },
    PacketKey {
        name: "routing",
        meaning: "\"static\", \"ecmp\" (by connection) or \"adaptive\" (by frame; InfiniBand) among the routes of fat trees and dragonflies",
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
        meaning: "virtual lanes of InfiniBand, priorities of RoCE",
        set: |packet, value| put(&mut packet.lossless.lanes, whole(value, 1, 15)? as u8),
        get: |packet| packet.lossless.lanes.to_string(),
    },
    PacketKey {
        name: "lane-per-hop",
        meaning: "does a frame change to the next lane at each switch? With as many lanes as links in a route, buffers cannot deadlock",
        set: |packet, value| put(&mut packet.lossless.lane_per_hop, truth(value)?),
        get: |packet| packet.lossless.lane_per_hop.to_string(),
    },
    PacketKey {
        name: "rdma-mtu",
        meaning: "payload of a packet of InfiniBand or RoCE, in bytes",
        set: |packet, value| put(&mut packet.rdma_mtu, whole(value, 256, 65_535)?),
        get: |packet| packet.rdma_mtu.to_string(),
    },
    PacketKey {
        name: "faults",
        meaning: "what goes wrong: [{ at = \"host-3\", from = \"1s\", until = \"2s\", down = true }, …]; also loss, rate, slow",
        set: |packet, value| put(&mut packet.faults, FaultSpec::read_all(value)?),
        get: |packet| {
            let faults: Vec<String> = packet.faults.iter().map(FaultSpec::describe).collect();
            format!("[{}]", faults.join(", "))
        },
    },
    PacketKey {
        name: "queue",
        meaning: "what waits at the most in front of a link of a switch: bytes, or { frames = 100 }",
        set: |packet, value| put(&mut packet.parameters.switch_queue.limit, queue_limit(value)?),
        get: |packet| match packet.parameters.switch_queue.limit {
            QueueLimit::Bytes(bytes) => bytes.to_string(),
            QueueLimit::Frames(frames) => format!("{{ frames = {frames} }}"),
        },
    },
    PacketKey {
        name: "mark-above",
        meaning: "waiting bytes above which a switch marks frames (ECN); false: never",
        set: |packet, value| put(&mut packet.parameters.switch_queue.mark_above, optional_bytes(value)?),
        get: |packet| match packet.parameters.switch_queue.mark_above {
            Some(bytes) => bytes.to_string(),
            None => "false".to_owned(),
        },
    },
    PacketKey {
        name: "red",
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
        meaning: "frames with data that a socket may have in its host's queue",
        set: |packet, value| put(&mut packet.parameters.hosts.socket_frames, whole(value, 1, 1 << 20)?),
        get: |packet| packet.parameters.hosts.socket_frames.to_string(),
    },
    PacketKey {
        name: "interface-buffer",
        meaning: "bytes that an interface takes out of its host's queue ahead of the wire",
        set: |packet, value| put(&mut packet.parameters.hosts.interface_buffer, whole(value, 0, 1 << 30)?),
        get: |packet| packet.parameters.hosts.interface_buffer.to_string(),
    },
    PacketKey {
        name: "software",
        meaning: "what software takes for each message",
        set: |packet, value| put(&mut packet.parameters.hosts.software, duration(value)?),
        get: |packet| show_time(packet.parameters.hosts.software),
    },
    PacketKey {
        name: "late-share",
        meaning: "the share of messages whose receiver is late",
        set: |packet, value| put(&mut packet.parameters.hosts.late_share, probability(value)?),
        get: |packet| packet.parameters.hosts.late_share.to_string(),
    },
    PacketKey {
        name: "late-most",
        meaning: "how late it is at the most",
        set: |packet, value| put(&mut packet.parameters.hosts.late_most, duration(value)?),
        get: |packet| show_time(packet.parameters.hosts.late_most),
    },
    PacketKey {
        name: "message-header",
        meaning: "bytes that MPI adds to a message",
        set: |packet, value| put(&mut packet.parameters.messages.header, whole(value, 0, 1 << 20)?),
        get: |packet| packet.parameters.messages.header.to_string(),
    },
    PacketKey {
        name: "control-message",
        meaning: "bytes of a request, grant, answer or notice",
        set: |packet, value| put(&mut packet.parameters.messages.control, whole(value, 1, 1 << 20)?),
        get: |packet| packet.parameters.messages.control.to_string(),
    },
    PacketKey {
        name: "within-latency",
        meaning: "latency of messages within a host",
        set: |packet, value| put(&mut packet.parameters.within.latency, seconds(value)?),
        get: |packet| format!("\"{}s\"", packet.parameters.within.latency),
    },
    PacketKey {
        name: "within-bandwidth",
        meaning: "bandwidth of messages within a host",
        set: |packet, value| put(&mut packet.parameters.within.bandwidth, bandwidth(value)?),
        get: |packet| format!("\"{}Bps\"", packet.parameters.within.bandwidth),
    },
    PacketKey {
        name: "open-from-start",
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
        meaning: "streams of an SCTP association; messages of different tags travel in different ones",
        set: |packet, value| put(&mut packet.sctp.lanes, whole(value, 1, 65_535)? as u16),
        get: |packet| packet.sctp.lanes.to_string(),
    },
    PacketKey {
        name: "congestion",
        meaning: "TCP's congestion control: \"cubic\" or \"reno\"",
        set: |packet, value| put(&mut packet.tcp.algorithm, algorithm(value)?),
        get: |packet| match packet.tcp.algorithm {
            CongestionAlgorithm::Reno => "\"reno\"".to_owned(),
            CongestionAlgorithm::Cubic => "\"cubic\"".to_owned(),
        },
    },
    PacketKey {
        name: "initial-window",
        meaning: "TCP's first congestion window, in segments",
        set: |packet, value| put(&mut packet.tcp.initial_window, whole(value, 1, 1 << 20)?),
        get: |packet| packet.tcp.initial_window.to_string(),
    },
    PacketKey {
        name: "minimum-rto",
        meaning: "the least that TCP waits before it sends again",
        set: |packet, value| put(&mut packet.tcp.minimum_rto, duration(value)?),
        get: |packet| show_time(packet.tcp.minimum_rto),
    },
    PacketKey {
        name: "retries",
        meaning: "retransmissions of a segment after which TCP gives a connection up",
        set: |packet, value| put(&mut packet.tcp.retries, whole(value, 1, 255)?),
        get: |packet| packet.tcp.retries.to_string(),
    },
    PacketKey {
        name: "delayed-ack",
        meaning: "how long TCP holds an acknowledgement back at the least",
        set: |packet, value| put(&mut packet.tcp.delayed_ack, duration(value)?),
        get: |packet| show_time(packet.tcp.delayed_ack),
    },
    PacketKey {
        name: "ecn",
        meaning: "does TCP answer to marked frames?",
        set: |packet, value| put(&mut packet.tcp.ecn, truth(value)?),
        get: |packet| packet.tcp.ecn.to_string(),
    },
    PacketKey {
        name: "nagle",
        meaning: "does TCP hold small segments back? MPI libraries switch that off",
        set: |packet, value| put(&mut packet.tcp.nagle, truth(value)?),
        get: |packet| packet.tcp.nagle.to_string(),
    },
    PacketKey {
        name: "slow-start-after-idle",
        meaning: "does TCP start slowly again after a pause?",
        set: |packet, value| put(&mut packet.tcp.slow_start_after_idle, truth(value)?),
        get: |packet| packet.tcp.slow_start_after_idle.to_string(),
    },
    PacketKey {
        name: "send-buffer",
        meaning: "bytes that TCP's send buffer takes at the initial window; it grows with the window",
        set: |packet, value| put(&mut packet.tcp.send_buffer, at_least_one(value)?),
        get: |packet| packet.tcp.send_buffer.to_string(),
    },
    PacketKey {
        name: "receive-buffer",
        meaning: "bytes of TCP's receive buffer at first",
        set: |packet, value| put(&mut packet.tcp.receive_buffer, at_least_one(value)?),
        get: |packet| packet.tcp.receive_buffer.to_string(),
    },
    PacketKey {
        name: "receive-buffer-maximum",
        meaning: "bytes to which it grows",
        set: |packet, value| put(&mut packet.tcp.receive_buffer_maximum, at_least_one(value)?),
        get: |packet| packet.tcp.receive_buffer_maximum.to_string(),
    },
    PacketKey {
        name: "only",
        meaning: "hosts, links and switches whose messages are frames, all others flows; everything if there are none",
        set: |packet, value| put(&mut packet.only, names(value)?),
        get: |packet| format!("{:?}", packet.only),
    },
];

impl Packet {
    /// Sets a parameter of the `[packet]` table.
    pub(crate) fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        match PACKET_KEYS.iter().find(|known| known.name == key) {
            Some(known) => (known.set)(self, value),
            None => {
                let names: Vec<&str> = PACKET_KEYS.iter().map(|known| known.name).collect();
                Err(format!("there is no such parameter; there are {}", names.join(", ")))
            }
        }
    }

    /// Its parameters, one per line, as in the `[packet]` table.
    pub fn describe(&self) -> Vec<String> {
        PACKET_KEYS.iter().map(|key| format!("{} = {}", key.name, (key.get)(self))).collect()
    }

    /// The same with what each means.
    pub fn explain(&self) -> Vec<String> {
        let line = |key: &PacketKey| {
            format!("{:50} # {}", format!("{} = {}", key.name, (key.get)(self)), key.meaning)
        };
        PACKET_KEYS.iter().map(line).collect()
    }
}

/// A list of names, or one text with commas between them.
fn names(value: &Value) -> Result<Vec<String>, String> {
    if let Value::Text(text) = value {
        return Ok(text.split(',').map(|name| name.trim().to_owned()).collect());
    }
    let name = |entry: &Value| entry.as_text().map(str::to_owned).ok_or(format!("{entry} is no name"));
    list(value)?.iter().map(name).collect()
}

fn put<T>(place: &mut T, value: T) -> Result<(), String> {
    *place = value;
    Ok(())
}

fn whole(value: &Value, least: u32, most: u32) -> Result<u32, String> {
    let number = bytes(value)?;
    match u32::try_from(number).ok().filter(|number| (least..=most).contains(number)) {
        Some(number) => Ok(number),
        None => Err(format!("{number} is not a whole number from {least} to {most}")),
    }
}

fn at_least_one(value: &Value) -> Result<u64, String> {
    match bytes(value)? {
        0 => Err("0 bytes let nothing pass".to_owned()),
        bytes => Ok(bytes),
    }
}

fn optional_bytes(value: &Value) -> Result<Option<u64>, String> {
    if *value == Value::Boolean(false) { Ok(None) } else { bytes(value).map(Some) }
}

fn probability(value: &Value) -> Result<f64, String> {
    let share = quantity(value, &FACTOR)
        .map_err(|_| format!("{value} is no probability; write a number from 0 to 1, for example 0.01"))?;
    if share <= 1.0 { Ok(share) } else { Err(format!("{share} is no probability: it is more than 1")) }
}

fn duration(value: &Value) -> Result<Duration, String> {
    const KIND: &Quantity = &DURATION;
    quantity(value, KIND).map(Duration::from_secs_f64)
}

fn show_time(span: Duration) -> String {
    format!("\"{}s\"", span.as_secs_f64())
}

fn forwarding(value: &Value) -> Result<Forwarding, String> {
    match value.as_text() {
        Some("store-and-forward") => Ok(Forwarding::StoreAndForward),
        Some("cut-through") => Ok(Forwarding::CutThrough),
        _ => Err(format!("{value} is neither \"store-and-forward\" nor \"cut-through\"")),
    }
}

fn routing(value: &Value) -> Result<Routing, String> {
    const ROUTES: u32 = 16;
    match value.as_text() {
        Some("static") => Ok(Routing::Static),
        Some("ecmp") => Ok(Routing::Ecmp(ROUTES)),
        Some("adaptive") => Ok(Routing::Adaptive(ROUTES)),
        _ => Err(format!("{value} is none of \"static\", \"ecmp\", \"adaptive\"")),
    }
}

fn algorithm(value: &Value) -> Result<CongestionAlgorithm, String> {
    match value.as_text() {
        Some("cubic") => Ok(CongestionAlgorithm::Cubic),
        Some("reno") => Ok(CongestionAlgorithm::Reno),
        _ => Err(format!("{value} is neither \"cubic\" nor \"reno\"")),
    }
}

fn queue_limit(value: &Value) -> Result<QueueLimit, String> {
    if let Value::Table(_) = value {
        let frames = field(table(value, &["frames"])?, "frames").ok_or("a queue needs bytes or `frames`")?;
        return whole(frames, 1, u32::MAX).map(QueueLimit::Frames);
    }
    match bytes(value)? {
        0 => Err("a queue of 0 bytes lets nothing pass".to_owned()),
        bytes => Ok(QueueLimit::Bytes(bytes)),
    }
}

fn red(value: &Value) -> Result<Option<Red>, String> {
    if *value == Value::Boolean(false) {
        return Ok(None);
    }
    let fields = table(value, &["low", "high", "probability", "weight"])?;
    let need = |name: &str| field(fields, name).ok_or(format!("early detection needs `{name}`"));
    let red = Red {
        low: bytes(need("low")?)? as f64,
        high: bytes(need("high")?)? as f64,
        probability: probability(need("probability")?)?,
        weight: field(fields, "weight").map_or(Ok(0.002), probability)?,
    };
    if red.low < red.high { Ok(Some(red)) } else { Err("`low` is not below `high`".to_owned()) }
}
