//! RoCEv2: pause frames, marks and rates.

mod common;

use common::*;
use mpirage_kernel::Model;
use mpirage_packet::{FlowControl, LosslessParameters, Marking, RdmaSettings};
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

/// Runs long transfers from several hosts to the first for a time, and gives their rates as shares of a fair one.
fn shares(senders: u32, nanos: u64) -> (Vec<f64>, Lossless) {
    let text =
        format!("[cluster]\nhosts = {}\nspeed = '1Gf'\nbandwidth = '5GBps'\nlatency = '500ns'", senders + 1);
    let mut network = lossless(&platform(&text), LosslessParameters::roce(), RdmaSettings::roce(5e9));
    (1..=senders).for_each(|from| start(&mut network, &message(from, 0, 1 << 40)));
    let half = received(&mut network, Time::ZERO, nanos / 2);
    let all = received(&mut network, Time::from_picos(nanos / 2 * 1000), nanos);
    let fair = 5e9 * (nanos / 2) as f64 / 1e9 / f64::from(senders);
    (all.iter().zip(half).map(|(all, half)| (all - half) as f64 / fair).collect(), network)
}

/// The bytes that each sender's link has carried when so much time has passed.
fn received(network: &mut Lossless, mut now: Time, nanos: u64) -> Vec<u64> {
    let mut reports = Vec::new();
    while let Some(at) = network.next(now).filter(|at| at.as_picos() < nanos * 1000) {
        now = at;
        network.collect(now, &mut reports);
    }
    // Links come in the order of their first use: a sender's link up, and the receiver's link down after the first.
    let mut counts: Vec<_> = network.link_counts().map(|(link, counts)| (link, counts.bytes)).collect();
    let most = counts.iter().map(|(_, bytes)| *bytes).max();
    counts.retain(|(_, bytes)| Some(*bytes) != most && *bytes > 1 << 18);
    counts.sort();
    counts.into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn rates_converge_to_fair_shares_without_pauses() {
    for senders in [2, 4, 8] {
        let (shares, network) = shares(senders, 40_000_000);
        assert_eq!(shares.len(), senders as usize);
        let sum: f64 = shares.iter().sum::<f64>() / f64::from(senders);
        assert!(sum > 0.85 && sum < 1.01, "{senders} senders use the link: {shares:?}");
        assert!(shares.iter().all(|share| (0.6..1.4).contains(share)), "{senders}: {shares:?}");
        assert_eq!(losses_and_pauses(&network), (0, 0), "{senders}");
        let marked: u64 = network.link_counts().map(|(_, counts)| counts.marked).sum();
        assert!(marked > 0);
    }
}

#[test]
fn rate_control_keeps_queues_shorter_than_pauses_do() {
    let (_, controlled) = shares(8, 20_000_000);
    let most = |network: &Lossless| network.link_counts().map(|(_, counts)| counts.most_waiting).max();
    let settings = RdmaSettings { congestion: None, ..RdmaSettings::roce(RATE) };
    let mut paused = lossless(&cluster(9), unmarked(pause(350_000, 4 * 4160, 1.0)), settings);
    run_nanos(&mut paused, &(1..9).map(|from| message(from, 0, 2000 * 4096)).collect::<Vec<_>>());
    assert!(most(&controlled) < most(&paused), "{:?} {:?}", most(&controlled), most(&paused));
    assert!(most(&controlled) < Some(8 * 350_000));
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
