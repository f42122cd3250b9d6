//! Credit-based links: exact times, rates, and who waits for whom.

mod common;

use common::*;
use mpirage_kernel::{Milestone, Model};
use mpirage_packet::{FlowControl, Forwarding, LosslessParameters, RdmaSettings};
use mpirage_platform::LinkId;
use mpirage_units::Time;

const LATENCY: f64 = 1000.0;
const SWITCH: f64 = 90.0;

/// Bytes on the wire of a packet with so many bytes of a message.
fn wire(payload: u64, first: bool) -> f64 {
    (payload + 26 + if first { 16 } else { 0 } + 2) as f64
}

fn credits(buffer: u32) -> LosslessParameters {
    let flow_control = FlowControl::Credits { buffer, round_trips: 0.0 };
    LosslessParameters { flow_control, ..LosslessParameters::infiniband() }
}

#[test]
fn a_message_takes_what_the_formula_says_over_one_to_five_links() {
    for links in 1..=5u32 {
        for (bytes, packets) in [(1, 1), (4096, 1), (40_960, 10)] {
            let platform = line(links);
            let mut network =
                lossless(&platform, LosslessParameters::infiniband(), RdmaSettings::infiniband());
            let first = wire(bytes.min(4096), true);
            let others = (packets - 1) as f64 * wire(4096, false);
            let switches = f64::from(links - 1) * (8.0 + LATENCY + SWITCH);
            let expected = switches + first + others + LATENCY;
            assert_eq!(run_nanos(&mut network, &[message(0, 1, bytes)]), [expected], "{links} {bytes}");
        }
    }
}

#[test]
fn a_switch_that_stores_frames_waits_for_all_of_each() {
    let links =
        LosslessParameters::infiniband().with_links(|links| links.forwarding = Forwarding::StoreAndForward);
    let mut network = lossless(&line(3), links, RdmaSettings::infiniband());
    let expected = 3.0 * (wire(1000, true) + LATENCY) + 2.0 * SWITCH;
    assert_eq!(run_nanos(&mut network, &[message(0, 1, 1000)]), [expected]);
}

/// When the last of so many frames arrives over one link: a frame waits for the one before it, and for the credits of the one
/// `room` frames before it, which are back a round trip after that one began to leave.
fn with_room(packets: usize, room: usize) -> f64 {
    let mut starts: Vec<f64> = Vec::new();
    for number in 0..packets {
        let free = starts.last().map_or(0.0, |start| start + wire(4096, number == 1));
        let back = match number.checked_sub(room) {
            Some(earlier) => starts[earlier] + wire(4096, earlier == 0) + 2.0 * LATENCY,
            None => 0.0,
        };
        starts.push(f64::max(free, back));
    }
    starts[packets - 1] + wire(4096, packets == 1) + LATENCY
}

#[test]
fn too_few_credits_slow_a_link_down_and_enough_do_not() {
    // A frame takes 65 credits of 64 bytes; the first has 16 bytes more, which fit in.
    let packets = 200;
    for room in 1..=4 {
        let settings = RdmaSettings { outstanding: 1000, ..RdmaSettings::infiniband() };
        let mut network = lossless(&line(1), credits(65 * 64 * room), settings);
        let took = run_nanos(&mut network, &[message(0, 1, packets * 4096)])[0];
        assert_eq!(took, with_room(packets as usize, room as usize), "{room}");
        let share = packets as f64 * wire(4096, false) / took;
        let expected = (f64::from(room) * wire(4096, false) / (wire(4096, false) + 2.0 * LATENCY)).min(1.0);
        assert!((share / expected - 1.0).abs() < 0.02, "{room}: {share} {expected}");
    }
}

#[test]
fn default_buffers_keep_five_links_busy() {
    let mut network = lossless(&line(5), LosslessParameters::infiniband(), RdmaSettings::infiniband());
    let bytes = 4096 * 1000;
    let took = run_nanos(&mut network, &[message(0, 1, bytes)])[0];
    let least = 999.0 * wire(4096, false) + wire(4096, true) + 4.0 * (8.0 + LATENCY + SWITCH) + LATENCY;
    assert_eq!(took, least);
}

#[test]
fn senders_of_an_incast_get_equal_shares() {
    let mut network = lossless(&cluster(9), LosslessParameters::infiniband(), RdmaSettings::infiniband());
    let messages: Vec<_> = (1..9).map(|from| message(from, 0, 400 * 4096)).collect();
    let took = run_nanos(&mut network, &messages);
    let all = 8.0 * 400.0 * wire(4096, false);
    let (first, last) = took.iter().fold((f64::MAX, 0.0f64), |(low, high), at| (low.min(*at), high.max(*at)));
    assert!(last > all && last < 1.005 * all, "{last} {all}: the link to the receiver is always busy");
    assert!(last - first < 9.0 * wire(4096, false), "they end within one round: {first} {last}");
    assert!(network.link_counts().all(|(_, counts)| counts.dropped == 0));
}

/// Four hosts in a cabinet send to two in another: three to the first, the fourth, a victim, to the second.
fn victim(lanes: u8, hot: bool) -> f64 {
    let text = "[cabinets]\nsizes = [4, 4]\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'\n\
                uplink = { bandwidth = '4GBps', latency = '1us' }";
    let links = LosslessParameters { lanes, ..credits(32 * 4160) };
    let mut network = lossless(&platform(text), links, RdmaSettings::infiniband());
    let mut messages = vec![TestMessage { class: 1, ..message(3, 5, 300 * 4096) }];
    if hot {
        messages.extend((0..3).map(|from| message(from, 4, 300 * 4096)));
    }
    run_nanos(&mut network, &messages)[0]
}

#[test]
fn congestion_spreads_to_a_victim_on_the_same_lane_only() {
    let alone = victim(1, false);
    let (same, other) = (victim(1, true), victim(2, true));
    assert!(same > 2.0 * alone, "{same} {alone}");
    assert!(other < 1.01 * alone, "{other} {alone}");
}

/// Hosts in a ring send to the third next one.
fn ring(lanes: u8) -> (Lossless, Vec<Option<Time>>) {
    let text = "[torus]\ndimensions = [8]\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'";
    let links = LosslessParameters { lanes, lane_per_hop: lanes > 1, ..credits(2 * 4160) };
    let mut network = lossless(&platform(text), links, RdmaSettings::infiniband());
    let messages: Vec<_> = (0..8).map(|from| message(from, (from + 3) % 8, 100 * 4096)).collect();
    let arrivals = run(&mut network, &messages);
    (network, arrivals)
}

#[test]
fn a_circle_of_full_buffers_is_found_and_named() {
    let (network, arrivals) = ring(1);
    assert!(arrivals.iter().all(Option::is_none));
    let deadlock = network.layer().deadlock().expect("the ring is full");
    assert_eq!(deadlock.links.len(), 8);
    assert!(deadlock.to_string().contains("virtual lanes"), "{deadlock}");
}

/// Frames that the links of a circle have carried.
fn carried(network: &Lossless, circle: &[LinkId]) -> Vec<u64> {
    let counts = network.link_counts().filter(|(link, _)| circle.contains(link));
    counts.map(|(_, counts)| counts.frames).collect()
}

#[test]
fn a_circle_that_is_reported_never_moves_again() {
    let text = "[torus]\ndimensions = [8]\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'";
    let mut network = lossless(&platform(text), credits(4 * 4160), RdmaSettings::infiniband());
    let to_all = |from| (1..8).map(move |step| message(from, (from + step) % 8, 100 * 4096));
    (0..8).flat_map(to_all).for_each(|message| start(&mut network, &message));
    let (mut now, mut reports, mut found) = (Time::ZERO, Vec::new(), None);
    while let Some(at) = network.next(now) {
        now = at;
        network.collect(now, &mut reports);
        if found.is_none() && reports.drain(..).any(|report| report.milestone == Milestone::Failed) {
            let circle = network.layer().deadlock().expect("that was reported").links;
            found = Some((now, carried(&network, &circle), circle));
        }
    }
    let (at, before, circle) = found.expect("all buffers are full");
    assert!(at < now, "other links go on");
    assert_eq!(carried(&network, &circle), before);
}

#[test]
fn a_lane_per_link_breaks_the_circle() {
    let (network, arrivals) = ring(3);
    assert!(arrivals.iter().all(Option::is_some));
    assert_eq!(network.layer().deadlock(), None);
}

#[test]
fn traffic_that_moves_is_no_deadlock() {
    let mut network = lossless(&cluster(9), credits(4160), RdmaSettings::infiniband());
    let messages: Vec<_> = (1..9).map(|from| message(from, 0, 40 * 4096)).collect();
    messages.iter().for_each(|message| start(&mut network, message));
    let (mut now, mut reports) = (Time::ZERO, Vec::new());
    while let Some(at) = network.next(now) {
        now = at;
        network.collect(now, &mut reports);
        assert_eq!(network.layer().deadlock(), None, "{now}");
    }
}
