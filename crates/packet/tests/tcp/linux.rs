//! The same windows as real Linux, with the same losses.
//!
//! `tests/packet/netem.py --cwnd` records the congestion windows of Linux over an emulated link of 10 Mbit/s and 50 ms with a
//! queue of one bandwidth-delay product. The link draws losses from SplitMix64 with a known seed, one number per packet: with
//! the same numbers, the same packets are lost here.

use std::path::PathBuf;

use mpirage_packet::{CongestionAlgorithm, TcpSettings};
use mpirage_units::{Duration, Time};

use crate::pair::{Fate, Pair, Random, Side, at_ms, ms};

/// One line of the recording.
struct Sample {
    seconds: f64,
    window: f64,
    retransmitted: f64,
    acknowledged: f64,
}

fn recorded(algorithm: &str, loss: &str) -> Vec<Sample> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(format!("../../tests/packet/netem_cwnd_{algorithm}.csv"));
    let text = std::fs::read_to_string(&path).expect("the recording is in the repository");
    text.lines().filter(|line| line.split(',').next() == Some(loss)).map(sample).collect()
}

fn sample(line: &str) -> Sample {
    let fields: Vec<f64> = line.split(',').map(|field| field.parse().expect("a number")).collect();
    Sample { seconds: fields[1], window: fields[4], retransmitted: fields[5], acknowledged: fields[6] }
}

/// The same network, with the buffers of the measurement.
fn same_network(algorithm: CongestionAlgorithm, loss: f64, seed: u64) -> Pair {
    let settings = TcpSettings {
        algorithm,
        receive_buffer: 8 << 20,
        receive_buffer_maximum: 32 << 20,
        send_buffer: 1 << 20,
        send_buffer_maximum: 16 << 20,
        ..TcpSettings::default()
    };
    let mut pair = Pair::symmetric(&settings, 1.25e6, ms(50));
    let mut random = Random(seed);
    pair.wires[0].queue = 125_000;
    pair.wires[0].fate = Box::new(move |_, _| if random.unit() < loss { Fate::Lost } else { Fate::Arrive });
    pair.left.open();
    pair.settle(Side::Left);
    pair.run_until(at_ms(101));
    pair.write(Side::Left, 1 << 40);
    pair
}

/// Compares windows up to `until` seconds and gives the mean relative difference; checks the totals at the end.
fn compare(algorithm: (CongestionAlgorithm, &str), loss: (f64, &str), seed: u64, until: f64) -> f64 {
    let mut pair = same_network(algorithm.0, loss.0, seed);
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
    let (bytes, again) = (pair.delivered(Side::Right) as f64, pair.left.counters().retransmitted as f64);
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
