//! Timeouts, probes, and losses that were none.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_packet::{CongestionAlgorithm, Endpoint, Failure, TcpSettings};
use mpirage_units::Time;

use crate::congestion::unlimited;
use crate::pair::{Fate, Pair, Side, at_ms, ms};

/// When the left end sends which byte.
type Sent = Rc<RefCell<Vec<(Time, u64)>>>;

fn data_of(pair: &mut Pair) -> Sent {
    let sent = Sent::default();
    let copy = sent.clone();
    pair.observe = Box::new(move |now, side, segment, _| {
        if side == Side::Left && segment.payload > 0 {
            copy.borrow_mut().push((now, segment.header.sequence));
        }
    });
    sent
}

#[test]
fn each_timeout_is_twice_as_long_until_the_connection_fails() {
    let settings =
        TcpSettings { preopened: true, retries: 4, tail_loss_probe: false, ..TcpSettings::default() };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(10));
    pair.write(Side::Left, 1000);
    pair.run(100);
    // The round trip is 20 ms now, the timeout 220 ms.
    let start = pair.now;
    let sent = data_of(&mut pair);
    pair.wires[0].fate = Box::new(|_, _| Fate::Lost);
    pair.write(Side::Left, 1000);
    pair.run(100);
    let times: Vec<u64> =
        sent.borrow().iter().map(|(at, _)| at.since(start).as_picos() / 1_000_000_000).collect();
    assert_eq!(times, [0, 220, 660, 1540, 3300]);
    assert_eq!(pair.left.failure(), Some(Failure::Retransmissions(4)));
    assert_eq!(pair.left.counts().timeouts, 4);
    assert_eq!(pair.left.timeout(), None);
}

#[test]
fn a_lost_tail_is_repaired_by_a_probe_after_two_round_trips() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Cubic), f64::INFINITY, ms(10));
    pair.write(Side::Left, 1000);
    pair.run(100);
    let start = pair.now;
    let sent = data_of(&mut pair);
    pair.wires[0].fate =
        Box::new(|count, _| if (2..=5).contains(&count) { Fate::Lost } else { Fate::Arrive });
    pair.write(Side::Left, 5 * 1448);
    pair.run(200);
    assert_eq!(pair.delivered(Side::Right), 1000 + 5 * 1448);
    // The last segment again after two round trips and 2 ms; its answer shows the three others to be lost.
    let again: Vec<(u64, u64)> = sent.borrow()[5..]
        .iter()
        .map(|(at, byte)| (at.since(start).as_picos() / 1_000_000_000, byte / 1448))
        .collect();
    assert_eq!(again[0], (62, 4));
    assert_eq!(again.len(), 4);
    assert_eq!(pair.left.counts().timeouts, 0);
}

#[test]
fn a_timeout_that_was_too_early_is_taken_back() {
    let settings = TcpSettings { tail_loss_probe: false, ..unlimited(CongestionAlgorithm::Reno) };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
    pair.write(Side::Left, 60 * 1448);
    pair.run_until(at_ms(900));
    // Nothing crosses the wire for half a second: the timeout is 300 ms.
    let (begin, end) = (pair.now, pair.now + ms(500));
    pair.wires[0].fate = Box::new(move |_, segment| match segment.header.timestamp {
        sent if sent >= begin && sent < end => Fate::Late(end.since(sent)),
        _ => Fate::Arrive,
    });
    pair.write(Side::Left, 20 * 1448);
    // The pause before has made the window smaller already.
    let before = pair.left.congestion_window();
    pair.run(10_000);
    assert_eq!(pair.delivered(Side::Right), 80 * 1448);
    let counters = pair.left.counts();
    assert_eq!((counters.timeouts, counters.spurious, counters.fast_retransmits), (1, 1, 0));
    assert_eq!(counters.retransmissions, 1);
    assert!(pair.left.congestion_window() >= before, "{} after {before}", pair.left.congestion_window());
}

#[test]
fn segments_that_overtake_others_by_little_are_not_taken_for_losses_twice() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Reno), 1.25e7, ms(20));
    // Every 50th segment is 1 ms late, which is eight segments.
    pair.wires[0].fate = Box::new(|count, _| if count % 50 == 7 { Fate::Late(ms(1)) } else { Fate::Arrive });
    pair.write(Side::Left, 20_000_000);
    pair.run(1_000_000);
    assert_eq!(pair.delivered(Side::Right), 20_000_000);
    // Reordering is learned from the first time on: a quarter of the round trip is waited.
    assert!(pair.left.counts().retransmissions < 20, "{:?}", pair.left.counts());
}

#[test]
fn a_retransmission_that_is_lost_is_sent_again_without_a_timeout() {
    let settings = TcpSettings { initial_window: 40, ..unlimited(CongestionAlgorithm::Reno) };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(50));
    // The 6th segment and its first retransmission, which is the next after 40 and the growth by five answers.
    let mut times = 0;
    pair.wires[0].fate = Box::new(move |_, segment| {
        let lost = segment.header.sequence == 1 + 5 * 1448 && times < 2;
        times += u64::from(lost);
        if lost { Fate::Lost } else { Fate::Arrive }
    });
    pair.write(Side::Left, 10_000_000);
    pair.run_until(at_ms(2000));
    let counters = pair.left.counts();
    assert_eq!((counters.retransmissions, counters.timeouts), (2, 0));
    assert!(pair.delivered(Side::Right) > 100 * 1448);
}

#[test]
fn a_probe_that_was_not_needed_leaves_the_window_as_it_is() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Cubic), f64::INFINITY, ms(10));
    pair.write(Side::Left, 1000);
    pair.run(100);
    // Acknowledgements are 50 ms late: the probe comes before them.
    pair.wires[1].fate = Box::new(|_, _| Fate::Late(ms(50)));
    for _ in 0..3 {
        pair.write(Side::Left, 5 * 1448);
        pair.run(1000);
    }
    let counters = pair.left.counts();
    assert!(counters.retransmissions > 0);
    assert_eq!((counters.timeouts, counters.fast_retransmits), (0, 0));
    assert!(pair.left.congestion_window() >= 10, "{}", pair.left.congestion_window());
    assert!(pair.left.slow_start_threshold() > 1 << 30);
}

#[test]
fn retransmissions_that_arrive_twice_are_reported_and_the_reduction_is_taken_back() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Reno), 1.25e7, ms(20));
    let twice = Rc::new(RefCell::new(0));
    let copy = twice.clone();
    pair.observe = Box::new(move |_, side, segment, _| {
        let (offset, length) = segment.header.sack[0];
        if side == Side::Right && length > 0 && (offset as i32) < 0 {
            *copy.borrow_mut() += 1;
        }
    });
    // One segment is 15 ms late, and others overtake it: it is sent again for nothing.
    pair.wires[0].fate = Box::new(|count, _| if count == 40 { Fate::Late(ms(15)) } else { Fate::Arrive });
    pair.write(Side::Left, 2_000_000);
    pair.run(100_000);
    assert_eq!(pair.delivered(Side::Right), 2_000_000);
    let counters = pair.left.counts();
    assert_eq!((counters.fast_retransmits, counters.spurious), (1, 1));
    assert_eq!(*twice.borrow(), 1);
}
