//! When a receiver acknowledges.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use mpirage_packet::{CongestionAlgorithm, Endpoint, Lane, Permission, Role, Tcp, TcpSettings};
use mpirage_units::Time;

use crate::congestion::unlimited;
use crate::pair::{Fate, Pair, Side, at_ms, ms};

/// Segments without data that an end sends: when, and how many bytes they acknowledge.
type Acks = Rc<RefCell<Vec<(Time, u64)>>>;

fn acks_of(pair: &mut Pair, of: Side) -> Acks {
    let acks = Acks::default();
    let copy = acks.clone();
    pair.observe = Box::new(move |now, side, segment, _| {
        if side == of && segment.payload == 0 {
            copy.borrow_mut().push((now, segment.header.acknowledgement - 1));
        }
    });
    acks
}

#[test]
fn a_bulk_transfer_has_one_acknowledgement_per_two_segments() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Reno), 1.25e7, ms(1));
    let acks = acks_of(&mut pair, Side::Right);
    let segments = 50_000;
    pair.write(Side::Left, segments * 1448);
    pair.run(1_000_000);
    let count = acks.borrow().len() as u64;
    // The first 16 are quick; while the window grows, each segment has its own. The window starts at the largest here but
    // for what SYN can say.
    let growing = (32 << 20) / (2 * 1448);
    assert!(count >= segments / 2 && count <= segments / 2 + growing / 2 + 16, "{count}");
    let late = &acks.borrow()[count as usize - 100..count as usize - 1];
    assert!(late.windows(2).all(|pair| pair[1].1 - pair[0].1 == 2 * 1448), "{late:?}");
}

#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let settings = TcpSettings {
        receive_autotuning: false,
        receive_buffer: 65_536,
        send_buffer: 1 << 20,
        ..TcpSettings::default()
    };
    let mut pair = Pair::symmetric(&TcpSettings { preopened: true, ..settings }, 1.25e6, ms(1));
    let acks = acks_of(&mut pair, Side::Right);
    pair.write(Side::Left, 200 * 1448);
    pair.run(10_000);
    let steps: Vec<u64> = acks.borrow().windows(2).map(|pair| (pair[1].1 - pair[0].1) / 1448).collect();
    let quick = steps.iter().take_while(|step| **step == 1).count();
    // The window has room for 22 segments, so that 11 acknowledgements are quick.
    assert_eq!(quick + 1, 11);
    assert!(steps[quick..steps.len() - 1].iter().all(|step| *step == 2), "{steps:?}");
}

/// One end that has received and sent enough to be past its quick acknowledgements.
fn interactive() -> Pair {
    let mut pair =
        Pair::symmetric(&TcpSettings { preopened: true, ..TcpSettings::default() }, f64::INFINITY, ms(1));
    for round in 0..20 {
        pair.write(Side::Left, 100);
        pair.run_until(at_ms(10 * round + 5));
        pair.write(Side::Right, 100);
        pair.run_until(at_ms(10 * round + 10));
    }
    pair.run(100);
    pair
}

#[test]
fn a_small_message_is_acknowledged_after_40_ms_if_nothing_is_sent_back() {
    let mut pair = interactive();
    let acks = acks_of(&mut pair, Side::Right);
    let start = pair.now;
    pair.write(Side::Left, 100);
    pair.run(100);
    let waited = acks.borrow()[0].0.since(start);
    assert_eq!((acks.borrow().len(), waited), (1, ms(41)));
}

#[test]
fn an_answer_carries_the_acknowledgement() {
    let mut pair = interactive();
    let acks = acks_of(&mut pair, Side::Right);
    pair.write(Side::Left, 100);
    pair.step();
    pair.write(Side::Right, 100);
    pair.run(100);
    assert_eq!(acks.borrow().len(), 0);
}

#[test]
fn a_gap_is_reported_at_once_with_blocks_that_take_room_in_the_header() {
    let mut pair = Pair::symmetric(&unlimited(CongestionAlgorithm::Reno), 1.25e6, ms(10));
    let headers = Rc::new(RefCell::new(Vec::new()));
    let copy = headers.clone();
    pair.observe = Box::new(move |_, side, segment, _| {
        if side == Side::Right {
            copy.borrow_mut().push((segment.header_bytes, segment.header.sack));
        }
    });
    pair.wires[0].fate = Box::new(|count, _| if matches!(count, 2 | 4) { Fate::Lost } else { Fate::Arrive });
    pair.write(Side::Left, 7 * 1448);
    pair.run_until(at_ms(25));
    let expected = [
        (66, [(0, 0); 3]),
        (66, [(0, 0); 3]),
        (78, [(1448, 1448), (0, 0), (0, 0)]),
        (86, [(3 * 1448, 1448), (1448, 1448), (0, 0)]),
        (86, [(3 * 1448, 2 * 1448), (1448, 1448), (0, 0)]),
    ];
    assert_eq!(*headers.borrow(), expected);
}

#[test]
fn without_permission_for_data_only_acknowledgements_leave() {
    let settings = Arc::new(TcpSettings { preopened: true, ..TcpSettings::default() });
    let (mut left, mut right) = (Tcp::new(&settings, Role::Active), Tcp::new(&settings, Role::Passive));
    let now = at_ms(1);
    left.write(now, Lane(0), 100);
    right.write(now, Lane(0), 100);
    assert_eq!(left.transmit(now, Permission::NoData), None);
    let segment = right.transmit(now, Permission::Everything).expect("there are data");
    left.receive(now, &segment, false);
    let ack = left.transmit(now, Permission::NoData).expect("an acknowledgement is due");
    assert_eq!((ack.payload, ack.header.acknowledgement), (0, 101));
    assert_eq!(left.transmit(now, Permission::NoData), None);
    let data = left.transmit(now, Permission::Everything).expect("there are data");
    assert_eq!((data.payload, data.header.sequence, data.header.flags.psh), (100, 1, true));
}
