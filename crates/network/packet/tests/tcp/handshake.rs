//! Opening a connection.

use std::cell::RefCell;
use std::rc::Rc;

use mpirage_packet::{Endpoint, Failure, TcpSettings};
use mpirage_units::Time;

use crate::pair::{Fate, Pair, Side, at_ms, ms};

/// A segment that was sent: when, by whom, and what a person would note of it.
type Log = Rc<RefCell<Vec<(Time, Side, String, u32)>>>;

fn logged(pair: &mut Pair) -> Log {
    let log = Log::default();
    let copy = log.clone();
    pair.observe = Box::new(move |now, side, segment, _| {
        let flags = segment.header.flags;
        let names = [(flags.syn, "syn "), (flags.ack, "ack "), (flags.psh, "psh ")];
        let names: String = names.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        copy.borrow_mut().push((now, side, format!("{names}{}", segment.payload), segment.header_bytes));
    });
    log
}

#[test]
fn three_segments_open_a_connection_and_the_third_carries_data() {
    let mut pair = Pair::symmetric(&TcpSettings::default(), f64::INFINITY, ms(10));
    let log = logged(&mut pair);
    pair.write(Side::Left, 100);
    pair.run_until(at_ms(30));
    let expected = [
        (at_ms(0), Side::Left, "syn 0".to_string(), 74),
        (at_ms(10), Side::Right, "syn ack 0".to_string(), 74),
        (at_ms(20), Side::Left, "ack psh 100".to_string(), 66),
        (at_ms(30), Side::Right, "ack 0".to_string(), 66),
    ];
    assert_eq!(*log.borrow(), expected);
    assert_eq!(pair.delivered(Side::Right), 100);
    assert_eq!(pair.left.smoothed_round_trip(), Some(ms(20)));
}

#[test]
fn syn_is_sent_again_after_one_two_and_four_seconds_until_the_connection_fails() {
    let settings = TcpSettings { syn_retries: 3, ..TcpSettings::default() };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(10));
    pair.wires[0].fate = Box::new(|_, _| Fate::Lost);
    let log = logged(&mut pair);
    pair.write(Side::Left, 100);
    pair.run(100);
    let times: Vec<Time> = log.borrow().iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [0, 1000, 3000, 7000].map(at_ms));
    assert_eq!(pair.left.failure(), Some(Failure::Retransmissions(3)));
    let counts = pair.left.counts();
    assert_eq!((counts.segments, counts.retransmissions, counts.timeouts), (4, 3, 3));
    assert_eq!(pair.now, at_ms(15_000));
}

#[test]
fn a_lost_syn_ack_and_a_lost_last_segment_are_repaired() {
    for lost in [Side::Left, Side::Right] {
        let mut pair = Pair::symmetric(&TcpSettings::default(), f64::INFINITY, ms(10));
        let which = if lost == Side::Left { 1 } else { 0 };
        pair.wires[lost as usize].fate =
            Box::new(move |count, _| if count == which { Fate::Lost } else { Fate::Arrive });
        pair.write(Side::Left, 5000);
        pair.run(1000);
        assert_eq!(pair.delivered(Side::Right), 5000, "{lost:?}");
        // A SYN-ACK that is missing makes both ends repeat; a missing last segment only costs data.
        let again = pair.right.counts().retransmissions;
        assert_eq!(again, u64::from(lost == Side::Right), "{lost:?}");
    }
}

#[test]
fn the_passive_end_can_send_once_the_connection_is_open() {
    let mut pair = Pair::symmetric(&TcpSettings::default(), f64::INFINITY, ms(10));
    pair.left.open();
    pair.settle(Side::Left);
    pair.write(Side::Right, 5000);
    pair.run(1000);
    assert!(pair.left.is_open() && pair.right.is_open());
    assert_eq!(pair.delivered(Side::Left), 5000);
}

#[test]
fn a_connection_that_was_open_before_needs_no_handshake() {
    let settings = TcpSettings { preopened: true, ..TcpSettings::default() };
    let mut pair = Pair::symmetric(&settings, f64::INFINITY, ms(10));
    let log = logged(&mut pair);
    pair.write(Side::Right, 100);
    pair.run(100);
    assert_eq!(log.borrow()[0], (at_ms(0), Side::Right, "ack psh 100".to_string(), 66));
    assert_eq!(pair.delivered(Side::Left), 100);
}
