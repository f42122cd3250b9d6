//! Queues and connections over time say the same as the counts at the end, and recording them changes nothing.

mod common;

use common::*;
use mpirage_kernel::{NetworkHistory, NetworkModel, NetworkStatistics};
use mpirage_packet::{
    CongestionAlgorithm, LosslessParameters, PacketNetwork, QueueLimit, RdmaSettings, Tcp, TcpSettings,
};
use mpirage_units::Time;

/// Three hosts send to a fourth one through a queue of 32 KB.
fn incast() -> PacketNetwork<Tcp> {
    let mut parameters = parameters();
    parameters.switch_queue.limit = QueueLimit::Bytes(32_000);
    let settings = TcpSettings { algorithm: CongestionAlgorithm::Reno, ..TcpSettings::default() };
    PacketNetwork::new(cluster(4), parameters, settings.into())
}

fn messages() -> Vec<TestMessage> {
    (1..4).map(|from| message(from, 0, 300_000)).collect()
}

fn recorded() -> (Vec<Option<Time>>, NetworkHistory, NetworkStatistics) {
    let mut network = incast();
    network.record_history();
    let arrivals = run(&mut network, &messages());
    let history = network.take_history().expect("it was asked to record");
    (arrivals, history, network.statistics().expect("it counts"))
}

fn total(statistics: &NetworkStatistics, name: &str) -> u64 {
    statistics.totals.iter().find(|(known, _)| *known == name).expect("it is counted").1
}

#[test]
fn samples_of_queues_add_up_to_what_links_count() {
    let (_, history, statistics) = recorded();
    assert!(total(&statistics, "dropped") > 0);
    assert_eq!(history.queues.len(), statistics.links.len());
    for queue in &history.queues {
        let last = queue.samples.last().expect("every link was used");
        let counted = (last.frames, last.bytes, last.dropped, last.lost);
        let totals = &queue.totals;
        assert_eq!(counted, (totals.frames, totals.bytes, totals.dropped, totals.lost));
        assert!(queue.samples.is_sorted_by_key(|sample| sample.at));
        // Each queue is empty at the end, and was as full as its counts say.
        assert_eq!(last.left, 0);
        assert_eq!(queue.samples.iter().map(|sample| sample.waiting).max(), Some(totals.most_waiting));
    }
}

#[test]
fn a_window_shrinks_after_a_drop() {
    let (_, history, statistics) = recorded();
    assert_eq!(history.connections.len(), 6);
    let again: u64 = history.connections.iter().map(|connection| connection.totals.retransmissions).sum();
    assert!(again > 0 && again == total(&statistics, "retransmissions"));
    let senders: Vec<_> =
        history.connections.iter().filter(|connection| connection.totals.retransmissions > 0).collect();
    for sender in &senders {
        assert_eq!(sender.target, 0);
        assert_eq!(sender.samples.last().map(|sample| sample.retransmissions), Some(again_of(sender)));
        let first =
            sender.samples.iter().find(|sample| sample.threshold.is_some()).expect("a loss was found");
        let before = sender.samples.iter().filter(|sample| sample.at < first.at);
        let largest = before.map(|sample| sample.window).max().expect("it had a window before");
        assert!(first.threshold.is_some_and(|threshold| threshold < largest), "{first:?} after {largest}");
        assert!(sender.samples.iter().any(|sample| sample.round_trip.is_some_and(|span| span > 2e-6)));
    }
    assert!(!senders.is_empty());
}

fn again_of(connection: &mpirage_kernel::ConnectionHistory) -> u64 {
    connection.totals.retransmissions
}

#[test]
fn recording_changes_nothing_and_two_recordings_are_equal() {
    let (arrivals, history, _) = recorded();
    assert_eq!(run(&mut incast(), &messages()), arrivals);
    let (_, again, _) = recorded();
    assert_eq!(again, history);
    assert!(incast().take_history().is_none());
}

#[test]
fn lossless_queues_are_recorded_too() {
    let mut network = lossless(&cluster(4), LosslessParameters::infiniband(), RdmaSettings::infiniband());
    network.record_history();
    run(&mut network, &messages());
    let history = network.take_history().expect("it was asked to record");
    for queue in &history.queues {
        let most = queue.samples.iter().map(|sample| sample.waiting).max();
        assert_eq!(
            (most, queue.samples.last().map(|sample| sample.left)),
            (Some(queue.totals.most_waiting), Some(0))
        );
        assert_eq!(queue.samples.last().map(|sample| sample.frames), Some(queue.totals.frames));
    }
    assert!(history.queues.iter().any(|queue| queue.totals.most_waiting > 20_000));
}
