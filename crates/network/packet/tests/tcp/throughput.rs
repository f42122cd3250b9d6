//! Throughput over losses and delays, against the laws that are known for it.

use mpirage_packet::CongestionAlgorithm;

use crate::congestion::unlimited;
use crate::pair::{Fate, Pair, Random, Side, at_ms, ms};

/// How losses come.
#[derive(Clone, Copy, Debug)]
enum Losses {
    /// Every segment with the same probability.
    Random,
    /// At equal distances.
    Regular,
}

/// The mean window in segments, over so many round trips.
fn mean_window(algorithm: CongestionAlgorithm, probability: f64, delay: u64, losses: Losses) -> f64 {
    let mut pair = Pair::symmetric(&unlimited(algorithm), f64::INFINITY, ms(delay));
    let mut random = Random(1);
    let period = (1.0 / probability).round() as u64;
    pair.wires[0].fate = Box::new(move |count, _| {
        let lost = match losses {
            Losses::Random => random.unit() < probability,
            Losses::Regular => count % period == period - 1,
        };
        if lost { Fate::Lost } else { Fate::Arrive }
    });
    pair.write(Side::Left, 1 << 50);
    let trip = 2 * delay;
    // A period has about 1 / sqrt(probability) round trips.
    let periods = if matches!(losses, Losses::Regular) { 12.0 } else { 100.0 };
    let length = (periods * (1.0 / probability).sqrt()) as u64 * trip;
    pair.run_until(at_ms(length / 3));
    let before = pair.delivered(Side::Right);
    pair.run_until(at_ms(length / 3 + length));
    (pair.delivered(Side::Right) - before) as f64 / (length / trip) as f64 / 1448.0
}

/// Mathis, Semke, Mahdavi and Ott, The macroscopic behavior of the TCP congestion avoidance algorithm, 1997.
fn square_root_law(probability: f64) -> f64 {
    (1.5 / probability).sqrt()
}

/// RFC 9438, section 5.1, with C = 0.4 and β = 0.7; not below the window of Reno.
fn cubic_response(probability: f64, delay: u64) -> f64 {
    let trip = 2e-3 * delay as f64;
    (1.054 * (trip / probability).powf(0.75)).max(square_root_law(probability))
}

#[test]
fn reno_follows_the_square_root_law() {
    for (probability, delay) in [(1e-2, 5), (1e-2, 50), (3e-3, 20), (1e-3, 50), (3e-4, 20)] {
        // Random losses need many more segments for a mean.
        let random = Some(Losses::Random).filter(|_| probability > 5e-4);
        for losses in [Some(Losses::Regular), random].into_iter().flatten() {
            let window = mean_window(CongestionAlgorithm::Reno, probability, delay, losses);
            let ratio = window / square_root_law(probability);
            assert!(
                (ratio - 1.0).abs() < 0.15,
                "{losses:?} {probability}, {delay} ms: {window:.1}, {ratio:.3} of the law"
            );
        }
    }
}

#[test]
fn cubic_follows_its_response_function() {
    for (probability, delay) in [(3e-3, 20), (1e-3, 10), (1e-3, 50), (3e-4, 20), (1e-4, 100)] {
        let window = mean_window(CongestionAlgorithm::Cubic, probability, delay, Losses::Regular);
        let ratio = window / cubic_response(probability, delay);
        assert!(
            (ratio - 1.0).abs() < 0.15,
            "{probability}, {delay} ms: {window:.1}, {ratio:.3} of the function"
        );
    }
}
