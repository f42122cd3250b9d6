//! The same windows as real Linux, with the same losses.
//!
//! `tests/packet/netem.py --cwnd` records the congestion windows of Linux over an emulated link of 10 Mbit/s and 50 ms with a
//! queue of one bandwidth-delay product. The link draws losses from SplitMix64 with a known seed, one number per packet: with
//! the same numbers, the same packets are lost here. `netem.csv` has the throughputs over rate, delay and loss.

use std::path::PathBuf;

use mpirage_packet::{CongestionAlgorithm, Endpoint, TcpSettings};
use mpirage_units::{Duration, Time};

use crate::pair::{Fate, Pair, Random, Side, at_ms, ms};

/// One line of the recording.
struct Sample {
    seconds: f64,
    window: f64,
    retransmitted: f64,
    acknowledged: f64,
}

fn recording(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/packet").join(name);
    std::fs::read_to_string(path).expect("the recording is in the repository")
}

fn recorded(algorithm: &str, loss: &str) -> Vec<Sample> {
    let text = recording(&format!("netem_cwnd_{algorithm}.csv"));
    text.lines().filter(|line| line.split(',').next() == Some(loss)).map(sample).collect()
}

fn sample(line: &str) -> Sample {
    let fields: Vec<f64> = line.split(',').map(|field| field.parse().expect("a number")).collect();
    Sample { seconds: fields[1], window: fields[4], retransmitted: fields[5], acknowledged: fields[6] }
}

/// A link with a queue in each direction.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Megabits per second.
    rate: f64,
    /// Milliseconds, one way.
    delay: u64,
    loss: f64,
    queue: u64,
}

/// The same network with the buffers of the measurement; the connection is open, and the sender begins now.
fn same_network(algorithm: CongestionAlgorithm, link: Link, seed: u64) -> Pair {
    let settings = TcpSettings {
        algorithm,
        receive_buffer: 8 << 20,
        receive_buffer_maximum: 32 << 20,
        send_buffer: 1 << 20,
        send_buffer_maximum: 16 << 20,
        ..TcpSettings::default()
    };
    let mut pair = Pair::symmetric(&settings, link.rate * 1e6 / 8.0, ms(link.delay));
    let mut random = Random(seed);
    pair.wires[0].queue = link.queue;
    pair.wires[1].queue = link.queue;
    pair.wires[0].fate =
        Box::new(move |_, _| if random.unit() < link.loss { Fate::Lost } else { Fate::Arrive });
    pair.left.open();
    pair.settle(Side::Left);
    pair.run_until(at_ms(2 * link.delay + 1));
    pair.write(Side::Left, 1 << 40);
    pair
}

/// Compares windows up to `until` seconds and gives the mean relative difference; checks the totals at the end.
fn compare(algorithm: (CongestionAlgorithm, &str), loss: (f64, &str), seed: u64, until: f64) -> f64 {
    let link = Link { rate: 10.0, delay: 50, loss: loss.0, queue: 125_000 };
    let mut pair = same_network(algorithm.0, link, seed);
    let (mut difference, mut count) = (0.0, 0.0);
    let samples = recorded(algorithm.1, loss.1);
    assert!(samples.len() > 500);
    for sample in &samples {
        pair.run_until(Time::ZERO + ms(101) + Duration::from_secs_f64(sample.seconds));
        if sample.seconds < until {
            difference += (f64::from(pair.left.congestion_window()) / sample.window - 1.0).abs();
            count += 1.0;
        }
    }
    let last = samples.last().expect("there are samples");
    let (bytes, again) = (pair.delivered(Side::Right) as f64, pair.left.counts().retransmissions as f64);
    assert!(
        (bytes / last.acknowledged - 1.0).abs() < 0.03,
        "{algorithm:?} {loss:?}: {bytes} of {}",
        last.acknowledged
    );
    assert!(
        (again / last.retransmitted - 1.0).abs() < 0.1,
        "{algorithm:?} {loss:?}: {again} of {}",
        last.retransmitted
    );
    difference / count
}

#[test]
fn without_random_losses_windows_are_those_of_linux() {
    for (algorithm, name) in [(CongestionAlgorithm::Cubic, "cubic"), (CongestionAlgorithm::Reno, "reno")] {
        let difference = compare((algorithm, name), (0.0, "0"), 1, 60.0);
        assert!(difference < 0.03, "{name}: {difference:.4}");
    }
}

#[test]
fn with_the_same_random_losses_windows_are_those_of_linux() {
    // The measured link has its own jitter, so that later other packets are the lost ones.
    for (algorithm, name, seed) in
        [(CongestionAlgorithm::Cubic, "cubic", 2), (CongestionAlgorithm::Reno, "reno", 4)]
    {
        let difference = compare((algorithm, name), (1e-2, "0.01"), seed, 4.0);
        assert!(difference < 0.08, "{name}: {difference:.4}");
    }
}

/// One measured case.
#[derive(Clone, Copy, Debug)]
struct Case {
    link: Link,
    algorithm: CongestionAlgorithm,
    /// Megabits of payload per second, and how much the repeats differ.
    throughput: f64,
    spread: f64,
    warm_up: u64,
    seconds: u64,
}

fn case(line: &str) -> Case {
    let fields: Vec<&str> = line.split(',').collect();
    let number = |index: usize| fields[index].parse::<f64>().expect("a number");
    Case {
        link: Link { rate: number(0), delay: number(1) as u64, loss: number(2), queue: number(8) as u64 },
        algorithm: match fields[3] {
            "reno" => CongestionAlgorithm::Reno,
            _ => CongestionAlgorithm::Cubic,
        },
        throughput: number(4),
        spread: number(5),
        warm_up: number(10) as u64,
        seconds: number(6) as u64,
    }
}

/// Megabits of payload per second, as the measurement counts them.
fn throughput(case: &Case, seed: u64) -> f64 {
    let mut pair = same_network(case.algorithm, case.link, seed);
    let start = 2 * case.link.delay + 1 + 1000 * case.warm_up;
    pair.run_until(at_ms(start));
    let before = pair.delivered(Side::Right);
    pair.run_until(at_ms(start + 1000 * case.seconds));
    (pair.delivered(Side::Right) - before) as f64 * 8e-6 / case.seconds as f64
}

/// The mean of several runs, and its ratio to what Linux had.
fn ratio(case: &Case, seeds: u64) -> f64 {
    (1..=seeds).map(|seed| throughput(case, seed)).sum::<f64>() / seeds as f64 / case.throughput
}

/// The measured cases whose repeats differ by less than `spread`, and where the time of the measuring host is small beside
/// the delay.
fn cases(spread: f64) -> Vec<Case> {
    let text = recording("netem.csv");
    let cases = text.lines().skip(1).map(case);
    cases.filter(|case| case.spread < spread && case.link.delay >= 10).collect()
}

#[test]
fn throughputs_over_loss_and_delay_are_those_of_linux() {
    // Shorter runs than the measured ones, and only where they have few segments.
    let short = |case: Case| Case { warm_up: case.warm_up.min(10), seconds: case.seconds.min(20), ..case };
    let cases: Vec<Case> = cases(0.15).into_iter().filter(|case| case.throughput < 10.0).map(short).collect();
    assert!(cases.len() > 12, "{}", cases.len());
    for case in cases {
        let ratio = ratio(&case, 6);
        assert!((ratio - 1.0).abs() < 0.15, "{ratio:.3} of {case:?}");
    }
}

#[test]
#[ignore = "long: run it with --release and --nocapture"]
fn all_throughputs_over_loss_and_delay() {
    for case in cases(f64::INFINITY) {
        let Link { rate, delay, loss, .. } = case.link;
        let ratio = ratio(&case, 8);
        println!(
            "{:?} {rate} Mbit/s, {delay} ms, {loss}: Linux {} ± {}, ratio {ratio:.3}",
            case.algorithm,
            case.throughput,
            case.spread / 2.0
        );
        assert!((ratio - 1.0).abs() < 0.15);
    }
}

#[test]
fn a_wire_that_stops_for_a_while_has_the_same_effect_as_in_linux() {
    // Recorded with the same link (Linux 6.18): 10 Mbit/s, 10 ms, a queue without end; nothing passes from 1 s to 1.6 s.
    let link = Link { rate: 10.0, delay: 10, loss: 0.0, queue: 4_000_000 };
    let mut pair = same_network(CongestionAlgorithm::Cubic, link, 1);
    pair.run_until(at_ms(1000));
    pair.wires[0].stall(at_ms(1600));
    pair.run_until(at_ms(1240));
    assert_eq!((pair.left.congestion_window(), pair.left.slow_start_threshold()), (71, 30));
    assert_eq!(pair.left.counts().retransmissions, 0);
    // A tail loss probe with new data at 1247 ms, and a timeout at 1535 ms, in units of the kernel's timers.
    let probed = pair.left.bytes_in_flight();
    pair.run_until(at_ms(1250));
    assert_eq!(pair.left.bytes_in_flight(), probed + 1448);
    pair.run_until(at_ms(1520));
    assert_eq!(pair.left.counts().timeouts, 0);
    pair.run_until(at_ms(1540));
    assert_eq!((pair.left.congestion_window(), pair.left.slow_start_threshold()), (1, 49));
    // The first answer is to the first transmission: everything is as before, and nothing more is sent again.
    pair.run_until(at_ms(1640));
    assert_eq!((pair.left.congestion_window(), pair.left.slow_start_threshold()), (71, 52));
    pair.run_until(at_ms(2400));
    let counters = pair.left.counts();
    assert_eq!((counters.retransmissions, counters.timeouts, counters.spurious), (1, 1, 1));
    assert!((100..=108).contains(&pair.left.congestion_window()), "{}", pair.left.congestion_window());
}

/// Bursts of one kind: how many, segments each, milliseconds from one to the next, and the windows that Linux has after each.
struct Bursts {
    count: usize,
    segments: u64,
    pause: u64,
    windows: &'static [u32],
}

/// Recorded with the same link (Linux 6.18): 100 Mbit/s, 5 ms.
const RECORDED: [Bursts; 9] = [
    // The window is at most twice what is in flight ...
    Bursts { count: 14, segments: 8, pause: 110, windows: &[16; 14] },
    Bursts { count: 6, segments: 30, pause: 110, windows: &[46, 60, 60, 60, 60, 60] },
    // ... until HyStart ends slow start; then it grows only when it is full.
    Bursts { count: 6, segments: 60, pause: 110, windows: &[107; 6] },
    Bursts { count: 8, segments: 5, pause: 110, windows: &[107; 8] },
    Bursts { count: 1, segments: 60, pause: 110, windows: &[107] },
    // After a second without data it starts at 10.
    Bursts { count: 1, segments: 1, pause: 1000, windows: &[107] },
    Bursts { count: 2, segments: 60, pause: 200, windows: &[70, 107] },
    Bursts { count: 1, segments: 1, pause: 3000, windows: &[107] },
    Bursts { count: 1, segments: 60, pause: 200, windows: &[70] },
];

#[test]
fn windows_of_an_application_that_sends_bursts_are_those_of_linux() {
    let mut pair = Pair::symmetric(&TcpSettings::default(), 12.5e6, ms(5));
    pair.left.open();
    pair.settle(Side::Left);
    let mut clock = 60;
    pair.run_until(at_ms(clock));
    for bursts in RECORDED {
        for burst in 0..bursts.count {
            pair.write(Side::Left, bursts.segments * 1448);
            clock += bursts.pause;
            pair.run_until(at_ms(clock));
            let (ours, linux) = (pair.left.congestion_window(), bursts.windows[burst]);
            // Where HyStart ends slow start depends on the microseconds of the measurement.
            assert!(
                ours.abs_diff(linux) <= 1,
                "{} segments, burst {burst}: {ours}, Linux {linux}",
                bursts.segments
            );
        }
    }
}
