//! How the congestion window grows.

use std::fmt::Write;

use mpirage_packet::{CongestionAlgorithm, Endpoint, Lane, TcpSettings};
use mpirage_snapshot as snapshot;
use mpirage_units::Time;

use crate::pair::{Fate, Pair, Side, at_ms, ms};

/// Connections that are open from the start, with buffers that limit nothing.
pub fn unlimited(algorithm: CongestionAlgorithm) -> TcpSettings {
    TcpSettings {
        algorithm,
        preopened: true,
        receive_buffer: 64 << 20,
        receive_buffer_maximum: 64 << 20,
        send_buffer: 64 << 20,
        send_buffer_maximum: 64 << 20,
        ..TcpSettings::default()
    }
}

/// Congestion windows at the end of each round trip of 100 ms.
fn windows(pair: &mut Pair, rounds: u64) -> Vec<u32> {
    (1..=rounds)
        .map(|round| {
            pair.run_until(at_ms(round * 100 + 50));
            pair.left.congestion_window()
        })
        .collect()
}

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    for algorithm in [CongestionAlgorithm::Reno, CongestionAlgorithm::Cubic] {
        let mut settings = unlimited(algorithm);
        settings.cubic.hystart = false;
        let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
        pair.write(Side::Left, 100_000_000);
        assert_eq!(windows(&mut pair, 6), [20, 40, 80, 160, 320, 640], "{algorithm:?}");
    }
}

#[test]
fn delayed_acknowledgements_do_not_slow_slow_start_down() {
    let mut settings = unlimited(CongestionAlgorithm::Reno);
    settings.quick_acks = 0;
    settings.receive_buffer_maximum = settings.receive_buffer;
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
    pair.write(Side::Left, 100_000_000);
    assert_eq!(windows(&mut pair, 5), [20, 40, 80, 160, 320]);
}

#[test]
fn reno_halves_after_a_loss_and_grows_by_a_segment_per_round_trip() {
    let settings = TcpSettings { initial_window: 40, ..unlimited(CongestionAlgorithm::Reno) };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
    pair.wires[0].fate = Box::new(|count, _| if count == 5 { Fate::Lost } else { Fate::Arrive });
    pair.write(Side::Left, 100_000_000);
    // Five segments arrive before the gap shows.
    let windows = windows(&mut pair, 9);
    assert_eq!(pair.left.slow_start_threshold(), 22);
    assert_eq!(windows[2..], [23, 24, 25, 26, 27, 28, 29]);
    assert_eq!(pair.left.counts().retransmissions, 1);
    assert_eq!(pair.left.counts().fast_retransmits, 1);
}

/// The window of CUBIC after a loss at `maximum`, `seconds` later.
fn cubic(maximum: f64, seconds: f64) -> f64 {
    const C: f64 = 0.4;
    let k = (maximum * 0.3 / C).cbrt();
    C * (seconds - k).powi(3) + maximum
}

#[test]
fn cubic_follows_its_function_after_a_loss() {
    let mut settings = TcpSettings { initial_window: 1000, ..unlimited(CongestionAlgorithm::Cubic) };
    settings.cubic.friendly = false;
    settings.cubic.hystart = false;
    settings.initial_ssthresh = 1000;
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
    pair.wires[0].fate = Box::new(|count, _| if count == 0 { Fate::Lost } else { Fate::Arrive });
    pair.write(Side::Left, 10_000_000_000);
    // The loss shows after one round trip, the repair after another: then the window begins to grow.
    for tenth in (10..120).step_by(10) {
        pair.run_until(at_ms(200 + tenth * 100));
        let (window, expected) =
            (f64::from(pair.left.congestion_window()), cubic(1000.0, tenth as f64 * 0.1));
        assert!((window / expected - 1.0).abs() < 0.02, "{tenth}: {window} instead of {expected:.1}");
    }
    assert!(pair.left.congestion_window() > 1000);
}

#[test]
fn hystart_ends_slow_start_before_the_queue_overflows() {
    let settings = unlimited(CongestionAlgorithm::Cubic);
    let mut pair = Pair::symmetric(&settings, 1.25e7, ms(20));
    pair.wires[0].queue = 500_000;
    pair.write(Side::Left, 10_000_000);
    pair.run_until(at_ms(500));
    // A round trip carries 330 segments, the queue another 330.
    let threshold = pair.left.slow_start_threshold();
    assert!((200..500).contains(&threshold), "{threshold}");
    assert_eq!(pair.wires[0].dropped, 0);
}

#[test]
fn the_window_grows_only_while_it_is_used() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Cubic), f64::INFINITY, ms(50));
    // Eight segments per round trip: the window of 10 is less than twice as large, so it grows until it is 16 or more.
    for round in 0..20 {
        pair.write(Side::Left, 8 * 1448);
        pair.run_until(at_ms((round + 1) * 110));
    }
    assert!((16..24).contains(&pair.left.congestion_window()), "{}", pair.left.congestion_window());
}

#[test]
fn after_an_idle_time_the_window_starts_again() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Reno), f64::INFINITY, ms(50));
    pair.write(Side::Left, 300 * 1448);
    pair.run_until(at_ms(1000));
    let before = pair.left.congestion_window();
    assert!(before >= 80, "{before}");
    // The timeout is 300 ms: 4 of them halve the window until it is the initial one.
    pair.run_until(at_ms(3000));
    let now = pair.now;
    pair.left.write(now, Lane(0), 1448);
    assert_eq!(pair.left.congestion_window(), 10);
    assert!(pair.left.slow_start_threshold() >= before * 3 / 4 - 1);
}

#[test]
fn a_short_pause_keeps_the_window() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Reno), f64::INFINITY, ms(50));
    pair.write(Side::Left, 300 * 1448);
    pair.run_until(at_ms(600));
    let before = pair.left.congestion_window();
    let now = pair.now;
    pair.left.write(now, Lane(0), 1448);
    assert_eq!(pair.left.congestion_window(), before);
}

#[test]
fn marks_shrink_the_window_without_a_retransmission() {
    let settings = TcpSettings {
        ecn: true,
        preopened: false,
        initial_window: 40,
        ..unlimited(CongestionAlgorithm::Reno)
    };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
    // SYN is not markable, and neither is a pure acknowledgement.
    pair.wires[0].fate = Box::new(|count, _| if count == 3 { Fate::Marked } else { Fate::Arrive });
    pair.write(Side::Left, 100_000_000);
    pair.run_until(at_ms(450));
    let window = pair.left.congestion_window();
    assert!((20..=23).contains(&window), "{window}");
    assert_eq!(pair.left.counts().retransmissions, 0);
    // The mark is answered once: the window grows again.
    pair.run_until(at_ms(1450));
    assert!((window + 8..=window + 10).contains(&pair.left.congestion_window()));
}

#[test]
fn traces_of_windows() {
    for algorithm in [CongestionAlgorithm::Reno, CongestionAlgorithm::Cubic] {
        let mut pair = Pair::symmetric(&TcpSettings { algorithm, ..TcpSettings::default() }, 1.25e6, ms(20));
        pair.wires[0].queue = 60_000;
        pair.write(Side::Left, 1 << 40);
        let mut text = "seconds window threshold in-flight round-trip retransmitted\n".to_string();
        for step in 0..100 {
            pair.run_until(at_ms(step * 100));
            writeln!(text, "{}", line(&pair)).expect("a string takes everything");
        }
        snapshot::check(snapshot::file("tests/tcp/snapshots", &format!("{algorithm:?}")), &text);
    }
}

fn line(pair: &Pair) -> String {
    let (now, left) = (pair.now, &pair.left);
    let threshold = Some(left.slow_start_threshold()).filter(|segments| *segments < 1 << 30);
    format!(
        "{:.1} {} {} {} {} {}",
        now.since(Time::ZERO).as_secs_f64(),
        left.congestion_window(),
        threshold.map_or("-".to_string(), |segments| segments.to_string()),
        left.bytes_in_flight(),
        left.smoothed_round_trip().map_or("-".to_string(), |trip| trip.to_string()),
        left.counts().retransmissions,
    )
}
