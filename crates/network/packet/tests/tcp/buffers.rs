//! Finite buffers at both ends.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_packet::{CongestionAlgorithm, Endpoint, Lane, TcpSettings};
use mpirage_units::Time;

use crate::congestion::unlimited;
use crate::pair::{Fate, Pair, Side, at_ms, ms};

#[test]
fn a_writer_waits_until_a_third_of_the_send_buffer_is_free() {
    let settings = TcpSettings { preopened: true, ..TcpSettings::default() };
    let mut pair = Pair::symmetric(&settings, 1.25e6, ms(10));
    let now = pair.now;
    assert_eq!(pair.left.room(), 33_000);
    pair.left.write(now, Lane(0), 33_000);
    assert_eq!(pair.left.room(), 0);
    pair.settle(Side::Left);
    let mut acknowledged = 0;
    pair.run_until(at_ms(20));
    while pair.left.room() == 0 {
        pair.step();
        acknowledged = 33_000 - held(&pair);
    }
    // The window has grown with each acknowledged segment, and the buffer with it.
    let limit = 3_300 * u64::from(pair.left.congestion_window());
    assert!(3 * (33_000 - acknowledged) <= 2 * limit, "{acknowledged} of {limit}");
    assert!(3 * (33_000 - acknowledged + 1448) > 2 * (limit - 3_300), "{acknowledged} of {limit}");
    assert_eq!(pair.left.room(), limit - (33_000 - acknowledged));
}

/// Bytes in the send buffer of the left end when all of it was written at once.
fn held(pair: &Pair) -> u64 {
    let limit = 3_300 * u64::from(pair.left.congestion_window().max(10));
    if pair.left.room() > 0 { limit - pair.left.room() } else { 33_000 }
}

#[test]
fn a_receiver_that_does_not_read_closes_its_window_and_is_probed() {
    let settings = TcpSettings {
        preopened: true,
        receive_buffer: 32_768,
        receive_buffer_maximum: 32_768,
        // The first byte is read after ten seconds.
        reading_rate: 0.1,
        ..unlimited(CongestionAlgorithm::Reno)
    };
    let mut pair = Pair::symmetric(&settings, 1.25e6, ms(10));
    let probes = Rc::new(RefCell::new(Vec::new()));
    let copy = probes.clone();
    pair.observe = Box::new(move |now, side, segment, _| {
        if side == Side::Left && segment.payload == 0 {
            copy.borrow_mut().push((now, segment.header.sequence));
        }
    });
    pair.write(Side::Left, 100_000);
    pair.run_until(at_ms(5000));
    assert!(pair.right.counts().zero_windows > 0);
    assert_eq!(pair.left.bytes_in_flight(), 0);
    let times: Vec<Time> = probes.borrow().iter().map(|(at, _)| *at).collect();
    assert!(times.len() >= 3, "{times:?}");
    // Each distance is twice the one before.
    for three in times.windows(3) {
        let (first, second) = (three[1].since(three[0]), three[2].since(three[1]));
        assert!((second.as_secs_f64() / first.as_secs_f64() - 2.0).abs() < 0.01, "{times:?}");
    }
    assert!(pair.left.failure().is_none() && pair.delivered(Side::Right) < 10);
}

#[test]
fn a_lost_window_update_is_found_by_a_probe() {
    let settings = TcpSettings {
        receive_buffer: 32_768,
        receive_buffer_maximum: 32_768,
        reading_rate: 20_000.0,
        ..unlimited(CongestionAlgorithm::Reno)
    };
    let mut pair = Pair::symmetric(&settings, 1.25e6, ms(10));
    // All that the receiver says between 100 and 1500 ms is lost, the news that it has room again included.
    pair.write(Side::Left, 60_000);
    pair.run_until(at_ms(100));
    pair.wires[1].fate = Box::new(|_, _| Fate::Lost);
    pair.run_until(at_ms(1500));
    assert!(pair.delivered(Side::Right) < 60_000);
    pair.wires[1].fate = Box::new(|_, _| Fate::Arrive);
    pair.run(100_000);
    assert_eq!(pair.delivered(Side::Right), 60_000);
}

#[test]
fn the_receive_buffer_grows_until_it_does_not_limit_the_rate() {
    let large = TcpSettings {
        preopened: true,
        send_buffer: 1 << 24,
        send_buffer_maximum: 1 << 24,
        ..TcpSettings::default()
    };
    let fixed = TcpSettings { receive_autotuning: false, ..large };
    let rates = [large, fixed].map(|settings| {
        let mut pair = Pair::symmetric(&settings, 1.25e7, ms(50));
        pair.write(Side::Left, 1 << 40);
        pair.run_until(at_ms(10_000));
        let before = pair.delivered(Side::Right);
        pair.run_until(at_ms(20_000));
        (pair.delivered(Side::Right) - before) as f64 / 10.0
    });
    // 64 KiB per round trip of 100 ms, and the rate of the link.
    assert!((rates[1] / 655_360.0 - 1.0).abs() < 0.02, "{rates:?}");
    assert!((rates[0] / (1.25e7 * 1448.0 / 1514.0) - 1.0).abs() < 0.02, "{rates:?}");
}

#[test]
fn nagle_holds_a_small_segment_back_while_another_is_unacknowledged() {
    for (nagle, expected) in [(true, vec![100, 400]), (false, vec![100, 100, 100, 100, 100])] {
        let settings = TcpSettings { preopened: true, nagle, ..TcpSettings::default() };
        let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(10));
        let sizes = Rc::new(RefCell::new(Vec::new()));
        let copy = sizes.clone();
        pair.observe = Box::new(move |_, side, segment, _| {
            if side == Side::Left {
                copy.borrow_mut().push(segment.payload);
            }
        });
        for _ in 0..5 {
            pair.write(Side::Left, 100);
        }
        pair.run(100);
        assert_eq!(*sizes.borrow(), expected);
    }
}
