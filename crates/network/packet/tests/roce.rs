//! RoCEv2: pause frames, marks and rates.

mod common;

use common::*;
use mpirage_kernel::{Milestone, Model};
use mpirage_packet::{Endpoint, Failure, FlowControl, LosslessParameters, Marking, RdmaSettings};
use mpirage_platform::{HostId, LinkId};
use mpirage_units::Time;

/// Bytes on the wire of a full packet.
const FRAME: f64 = 4096.0 + 62.0 + 20.0;

fn pause(xoff: u32, headroom: u32, round_trips: f64) -> FlowControl {
    FlowControl::Pause { xoff, xon: xoff / 2, headroom, round_trips }
}

/// The links of RoCEv2 without marks.
fn unmarked(flow_control: FlowControl) -> LosslessParameters {
    LosslessParameters { flow_control, marking: None, ..LosslessParameters::roce() }
}

/// Frames that all links dropped, and how often they paused.
fn losses_and_pauses(network: &Lossless) -> (u64, u64) {
    network
        .link_counts()
        .fold((0, 0), |(lost, pauses), (_, counts)| (lost + counts.dropped, pauses + counts.pauses))
}

#[test]
fn one_message_takes_what_the_formula_says() {
    for links in 1..=5u32 {
        let mut network = lossless(&line(links), LosslessParameters::roce(), RdmaSettings::roce(RATE));
        let switches = f64::from(links - 1) * (42.0 + 1000.0 + 240.0);
        let expected = switches + 10.0 * FRAME + 16.0 + 1000.0;
        assert_eq!(run_nanos(&mut network, &[message(0, 1, 40_960)]), [expected]);
    }
}

#[test]
fn an_incast_pauses_its_senders_and_loses_nothing() {
    let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
    let mut network = lossless(&cluster(9), unmarked(pause(40_000, 4 * 4160, 1.0)), settings);
    let messages: Vec<_> = (1..9).map(|from| message(from, 0, 200 * 4096)).collect();
    let took = run_nanos(&mut network, &messages).into_iter().fold(0.0, f64::max);
    let (lost, pauses) = losses_and_pauses(&network);
    assert!(lost == 0 && pauses > 8, "{lost} {pauses}");
    let least = 8.0 * 200.0 * FRAME;
    assert!(took > least && took < 1.01 * least, "the receiver's link is always busy: {took} {least}");
    // Each of eight ports holds no more than the threshold, and what is on its way when it pauses.
    let most = network.link_counts().map(|(_, counts)| counts.most_waiting).max();
    assert!(most < Some(8 * (40_000 + 2_000 + 3 * 4200)), "{most:?}");
}

#[test]
fn without_headroom_frames_are_lost_and_sent_again() {
    let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
    let mut network = lossless(&cluster(5), unmarked(pause(40_000, 0, 0.0)), settings);
    let messages: Vec<_> = (1..5).map(|from| message(from, 0, 100 * 4096)).collect();
    run_nanos(&mut network, &messages);
    let (lost, pauses) = losses_and_pauses(&network);
    assert!(lost > 0 && pauses > 0, "{lost} {pauses}");
}

/// Hosts 1 and up send without end to host 0, one more each millisecond. Gives their rates as shares of a fair one from 50 ms to
/// 80 ms.
fn shares(senders: u32) -> (Vec<f64>, Lossless) {
    let hosts = senders + 1;
    let parts = "speed = '1Gf'\nbandwidth = '5GBps'\nlatency = '500ns'";
    let platform = platform(&format!("[cluster]\nhosts = {hosts}\n{parts}"));
    let mut network = lossless(&platform, LosslessParameters::roce(), RdmaSettings::roce(5e9));
    let ups = (1..hosts).map(|host| platform.switch_port(HostId(host)).expect("a switch").up);
    let ups: Vec<LinkId> = ups.collect();
    for from in 1..hosts {
        let at = advance(&mut network, u64::from(from));
        start(&mut network, &TestMessage { at, ..message(from, 0, 1 << 40) });
    }
    advance(&mut network, 50);
    let before = carried(&network, &ups);
    advance(&mut network, 80);
    let fair = 5e9 * 30e-3 / f64::from(senders);
    let after = carried(&network, &ups);
    (after.iter().zip(before).map(|(after, before)| (after - before) as f64 / fair).collect(), network)
}

/// Goes on to so many milliseconds.
fn advance(network: &mut Lossless, millis: u64) -> Time {
    let end = Time::from_picos(millis * 1_000_000_000);
    let (mut now, mut reports) = (Time::ZERO, Vec::new());
    while let Some(at) = network.next(now).filter(|at| *at < end) {
        now = at;
        network.collect(now, &mut reports);
    }
    end
}

/// The bytes that links have carried.
fn carried(network: &Lossless, links: &[LinkId]) -> Vec<u64> {
    let counts: std::collections::HashMap<_, _> = network.link_counts().collect();
    links.iter().map(|link| counts[link].bytes).collect()
}

fn most_waiting(network: &Lossless) -> u64 {
    network.link_counts().map(|(_, counts)| counts.most_waiting).max().unwrap_or(0)
}

#[test]
fn rates_converge_to_fair_shares_without_pauses() {
    for senders in [2, 4, 8] {
        let (shares, network) = shares(senders);
        let used = shares.iter().sum::<f64>() / f64::from(senders);
        assert!((0.9..1.0).contains(&used), "{senders} senders use the link: {shares:?}");
        assert!(shares.iter().all(|share| (0.75..1.25).contains(share)), "{senders}: {shares:?}");
        assert_eq!(losses_and_pauses(&network), (0, 0), "{senders}");
        assert!(network.link_counts().any(|(_, counts)| counts.marked > 0));
        // A pause would begin above 350 kB of one sender.
        assert!(most_waiting(&network) < 350_000, "{senders}: {}", most_waiting(&network));
    }
}

#[test]
fn rate_control_keeps_queues_shorter_than_pauses_do() {
    let messages: Vec<_> = (1..9).map(|from| message(from, 0, 2000 * 4096)).collect();
    let most = |congestion| {
        let settings = RdmaSettings { congestion, ..RdmaSettings::roce(RATE) };
        let mut network = lossless(&cluster(9), LosslessParameters::roce(), settings);
        run_nanos(&mut network, &messages);
        (most_waiting(&network), losses_and_pauses(&network).1)
    };
    let ((paused, pauses), (controlled, none)) = (most(None), most(RdmaSettings::roce(RATE).congestion));
    assert!(paused > 8 * 340_000 && pauses > 0, "{paused} {pauses}");
    assert!(2 * controlled < paused && none == 0, "{controlled} {none}: even where all start at once");
}

#[test]
fn marks_without_rate_control_change_nothing() {
    let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
    let took = |marking| {
        let links = LosslessParameters { marking, ..LosslessParameters::roce() };
        let mut network = lossless(&cluster(3), links, settings);
        run_nanos(&mut network, &[message(1, 0, 100 * 4096), message(2, 0, 100 * 4096)])
    };
    assert_eq!(took(Some(Marking::DCQCN)), took(None));
}

#[test]
fn lost_frames_are_sent_again_and_credits_are_not_lost_with_them() {
    let credits = FlowControl::Credits { buffer: 3 * 4200, round_trips: 1.0 };
    for flow_control in [credits, pause(40_000, 4 * 4160, 1.0)] {
        let links = unmarked(flow_control).with_links(|links| links.frame_loss = 0.01);
        let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
        let mut network = lossless(&cluster(4), links, settings);
        let messages: Vec<_> = (1..4).map(|from| message(from, 0, 500 * 4096)).collect();
        run_nanos(&mut network, &messages);
        let lost: u64 = network.link_counts().map(|(_, counts)| counts.lost).sum();
        assert!((20..200).contains(&lost), "{lost}");
        assert!(network.into_layer().is_idle(Time::MAX));
    }
}

#[test]
fn a_sender_gives_up_when_nothing_arrives() {
    let links = LosslessParameters::roce().with_links(|links| links.frame_loss = 1.0);
    let mut network = lossless(&cluster(2), links, RdmaSettings::roce(RATE));
    assert_eq!(run(&mut network, &[message(0, 1, 10_000)]), [None]);
    let failures: Vec<_> = network.endpoints().filter_map(Endpoint::failure).collect();
    assert_eq!(failures, [Failure::Retransmissions(7)]);
}

/// Starts messages and gives when the first of them is given up, if that happens before `end`.
fn first_failure(network: &mut Lossless, messages: &[TestMessage], end: Time) -> Option<Time> {
    messages.iter().for_each(|message| start(network, message));
    let (mut now, mut reports) = (Time::ZERO, Vec::new());
    while let Some(at) = network.next(now).filter(|at| *at < end) {
        now = at;
        network.collect(now, &mut reports);
        if reports.drain(..).any(|report| report.milestone == Milestone::Failed) {
            return Some(now);
        }
    }
    None
}

#[test]
fn a_circle_of_paused_ports_is_reported_long_before_timers_expire() {
    let text = "[torus]\ndimensions = [8]\nspeed = '1Gf'\nbandwidth = '1GBps'\nlatency = '1us'";
    let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
    let messages: Vec<_> = (0..8).map(|from| message(from, (from + 3) % 8, 200 * 4096)).collect();
    let mut network = lossless(&platform(text), unmarked(pause(20_000, 4 * 4160, 1.0)), settings);
    let failed = first_failure(&mut network, &messages, Time::from_picos(1_000_000_000_000));
    let found = failed.expect("the ring is full").as_secs_f64();
    assert!(found < 0.002, "{found} s; timers: {:?}", settings.timeout);
    assert_eq!(network.layer().deadlock().expect("the ring is full").links.len(), 8);
}

#[test]
fn ports_that_pause_and_go_on_are_no_deadlock() {
    let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
    let mut network = lossless(&cluster(9), unmarked(pause(20_000, 4 * 4160, 1.0)), settings);
    let to_both = |from| [0, 1].map(|to| message(from, to, 50 * 4096));
    let messages: Vec<_> = (2..9).flat_map(to_both).collect();
    assert_eq!(first_failure(&mut network, &messages, Time::MAX), None);
    let (lost, pauses) = losses_and_pauses(&network);
    assert!(lost == 0 && pauses > 8, "{lost} {pauses}");
}
