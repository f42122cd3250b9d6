//! SCTP between two ends, with a test that owns the time and the path between them.

#[allow(dead_code)] // other tests use the rest
mod pair;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use mpirage_packet::{Control, Endpoint, Failure, Lane, Sctp, SctpHeader, SctpSettings, Tcp, TcpHeader};
use mpirage_units::{Duration, Time};
use pair::{End, Fate, Pair, Passing};
use proptest::prelude::*;

/// 1 Gbit/s.
const RATE: u64 = 125_000_000;
const DELAY: Duration = Duration::from_nanos(50_000);
const FOREVER: Time = Time::from_picos(3_600_000_000_000_000);

fn millis(count: u64) -> Duration {
    Duration::from_nanos(count * 1_000_000)
}

fn pair(settings: &SctpSettings, fates: impl FnMut(Passing<'_, SctpHeader>) -> Fate + 'static) -> Pair<Sctp> {
    Pair::new(settings, RATE, DELAY, Box::new(fates))
}

fn clean() -> Pair<Sctp> {
    pair(&SctpSettings::default(), |_| Fate::Arrives)
}

/// A path that loses the first transmission of these chunks.
fn losing(mut once: Vec<u64>) -> impl FnMut(Passing<'_, SctpHeader>) -> Fate + 'static {
    move |passing| {
        let data = passing.segment.header.data();
        let before = once.len();
        once.retain(|tsn| !data.iter().any(|chunk| chunk.tsn == *tsn && passing.from == End::Active));
        if once.len() < before { Fate::IsLost } else { Fate::Arrives }
    }
}

#[test]
fn an_association_opens_with_four_packets() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&seen);
    let mut pair = pair(&SctpSettings::default(), move |passing| {
        log.borrow_mut().push((passing.from, passing.segment.header.control, passing.segment.payload));
        Fate::Arrives
    });
    pair.write(End::Active, Lane(0), 1_000);
    pair.run(FOREVER);
    let window = 220 * 1_024;
    let expected = [
        (End::Active, Some(Control::Init(window, 10)), 0),
        (End::Passive, Some(Control::InitAck(window, 10)), 0),
        (End::Active, Some(Control::CookieEcho), 0),
        (End::Passive, Some(Control::CookieAck), 0),
        (End::Active, None, 1_000),
        (End::Passive, None, 0),
    ];
    assert_eq!(*seen.borrow(), expected);
    assert_eq!(pair.delivered(End::Passive, Lane(0)), 1_000);
}

#[test]
fn an_association_can_be_open_from_the_start() {
    let settings = SctpSettings { preopened: true, ..SctpSettings::default() };
    let mut pair = pair(&settings, |passing| {
        assert_eq!(passing.segment.header.control, None);
        Fate::Arrives
    });
    pair.write(End::Passive, Lane(0), 1_000);
    pair.write(End::Active, Lane(1), 100_000);
    pair.run(FOREVER);
    assert_eq!(pair.delivered(End::Active, Lane(0)), 1_000);
    assert_eq!(pair.delivered(End::Passive, Lane(1)), 100_000);
}

#[test]
fn a_lost_packet_of_the_handshake_is_sent_again() {
    for (from, number) in [(End::Active, 0), (End::Passive, 0), (End::Active, 1), (End::Passive, 1)] {
        let mut pair = pair(&SctpSettings::default(), move |passing| {
            if (passing.from, passing.number) == (from, number) { Fate::IsLost } else { Fate::Arrives }
        });
        pair.write(End::Active, Lane(3), 1_000);
        pair.run(FOREVER);
        assert_eq!(pair.delivered(End::Passive, Lane(3)), 1_000);
        let at = pair.delivered_at(End::Passive, Lane(3));
        assert!(at > Time::ZERO + millis(3_000) && at < Time::ZERO + millis(3_002), "{at}");
    }
}

#[test]
fn an_end_gives_up_after_as_many_retries_as_the_settings_say() {
    let mut pair = pair(&SctpSettings::default(), |_| Fate::IsLost);
    pair.write(End::Active, Lane(0), 1);
    pair.run(FOREVER);
    assert_eq!(pair.failure(End::Active), Some(Failure::Retransmissions(8)));
    assert_eq!(pair.sent(End::Active), 9);
}

#[test]
fn data_that_nobody_acknowledges_ends_the_association() {
    let mut pair = pair(&SctpSettings::default(), |passing| match passing.segment.header.control {
        Some(_) => Fate::Arrives,
        None => Fate::IsLost,
    });
    pair.write(End::Active, Lane(0), 1);
    pair.run(FOREVER);
    assert_eq!(pair.failure(End::Active), Some(Failure::Retransmissions(10)));
    assert_eq!(pair.sent(End::Active), 2 + 11);
}

#[test]
fn a_long_transfer_fills_the_link() {
    let mut pair = clean();
    let bytes = 50_000_000;
    pair.write(End::Active, Lane(1), bytes);
    pair.run(FOREVER);
    assert_eq!(pair.delivered(End::Passive, Lane(1)), bytes);
    let seconds = pair.delivered_at(End::Passive, Lane(1)).as_secs_f64();
    // 1452 bytes of data in 1538 on the link.
    let best = bytes as f64 / (RATE as f64 * 1_452.0 / 1_538.0);
    assert!(seconds > best && seconds < 1.02 * best, "{seconds} s, at best {best} s");
}

#[test]
fn small_messages_share_packets() {
    let data_packets = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&data_packets);
    let mut pair = pair(&SctpSettings::default(), move |passing| {
        let header = &passing.segment.header;
        assert!(passing.segment.payload + passing.segment.header_bytes <= 1_514);
        if !header.data().is_empty() {
            log.borrow_mut().push(header.data().len());
        }
        Fate::Arrives
    });
    for _ in 0..20 {
        pair.write(End::Active, Lane(0), 101);
    }
    pair.run(FOREVER);
    assert_eq!(*data_packets.borrow(), [8, 8, 4]);
    assert_eq!(pair.delivered(End::Passive, Lane(0)), 2_020);
}

#[test]
fn every_second_packet_is_acknowledged_and_the_last_one_after_a_delay() {
    let sacks = Rc::new(RefCell::new(0));
    let count = Rc::clone(&sacks);
    let mut pair = pair(&SctpSettings::default(), move |passing| {
        *count.borrow_mut() += u32::from(passing.segment.header.sack.is_some());
        Fate::Arrives
    });
    pair.write(End::Active, Lane(0), 1_452 * 31);
    pair.run(FOREVER);
    assert_eq!(*sacks.borrow(), 16);
    let (at, end) = (pair.delivered_at(End::Passive, Lane(0)), pair.now);
    assert!(end.since(at) >= millis(200) && end.since(at) < millis(201), "{at} {end}");
}

#[test]
fn answers_carry_acknowledgements() {
    let lone = Rc::new(RefCell::new(0));
    let count = Rc::clone(&lone);
    let mut pair = pair(&SctpSettings::default(), move |passing| {
        let header = &passing.segment.header;
        *count.borrow_mut() += u32::from(header.sack.is_some() && header.data().is_empty());
        Fate::Arrives
    });
    for round in 1..=50 {
        pair.write(End::Active, Lane(0), 100);
        pair.run_to(pair.now + millis(1));
        pair.write(End::Passive, Lane(0), 100);
        pair.run_to(pair.now + millis(1));
        assert_eq!(pair.delivered(End::Active, Lane(0)), round * 100);
    }
    assert_eq!(*lone.borrow(), 0);
}

#[test]
fn three_reports_repair_a_loss_without_a_timeout() {
    let mut pair = pair(&SctpSettings::default(), losing(vec![40]));
    pair.write(End::Active, Lane(0), 1_452 * 100);
    pair.run(FOREVER);
    assert_eq!(pair.delivered(End::Passive, Lane(0)), 1_452 * 100);
    let at = pair.delivered_at(End::Passive, Lane(0));
    assert!(at < Time::ZERO + millis(10), "{at}");
}

#[test]
fn a_loss_at_the_end_waits_for_the_timer() {
    let mut pair = pair(&SctpSettings::default(), losing(vec![9]));
    pair.write(End::Active, Lane(0), 1_452 * 10);
    pair.run(FOREVER);
    let at = pair.delivered_at(End::Passive, Lane(0));
    assert!(at > Time::ZERO + millis(1_000) && at < Time::ZERO + millis(1_300), "{at}");
}

const LONG: u64 = 200_000;

/// A message on lane 1, then two on the lane `second`. How long the last bytes of both lanes take.
fn two_lanes<E: Endpoint>(mut pair: Pair<E>, first: Lane, second: Lane) -> [Duration; 2] {
    // The window must be open, so that the second lane does not wait at the sender.
    pair.write(End::Active, Lane(0), LONG);
    let start = Time::ZERO + millis(1_000);
    pair.run_to(start);
    for lane in [first, second, second] {
        pair.write(End::Active, lane, 1_400);
    }
    pair.run(FOREVER);
    [first, second].map(|lane| pair.delivered_at(End::Passive, lane).since(start))
}

#[test]
fn a_loss_on_one_lane_does_not_delay_another() {
    // Two packets follow: fewer than the three reports that would repair the loss, so it takes the timer.
    let after = LONG.div_ceil(1_452);
    let [_, untouched] = two_lanes(clean(), Lane(1), Lane(2));
    let lossy = pair(&SctpSettings::default(), losing(vec![after]));
    let [delayed, other] = two_lanes(lossy, Lane(1), Lane(2));
    assert!(delayed > millis(900), "lane 1 took {delayed}");
    assert_eq!(other, untouched, "lane 2");
    // The same bytes on one lane: the loss delays all of them.
    let lossy = pair(&SctpSettings::default(), losing(vec![after]));
    let [_, same] = two_lanes(lossy, Lane(1), Lane(1));
    assert!(same > millis(900), "one lane took {same}");
}

#[test]
fn the_same_loss_delays_all_that_follows_in_a_tcp_connection() {
    let tcp = |mut is_lost: bool| {
        let fates = move |passing: Passing<'_, TcpHeader>| {
            let header = passing.segment.header;
            let hits = is_lost
                && passing.from == End::Active
                && header.sequence == 1 + LONG
                && passing.segment.payload > 0;
            is_lost &= !hits;
            if hits { Fate::IsLost } else { Fate::Arrives }
        };
        Pair::<Tcp>::new(&Default::default(), RATE, DELAY, Box::new(fates))
    };
    let [_, untouched] = two_lanes(tcp(false), Lane(0), Lane(0));
    let [_, delayed] = two_lanes(tcp(true), Lane(0), Lane(0));
    // At the very least the loss must be noticed, and what was lost sent again.
    assert!(delayed.as_picos() > untouched.as_picos() + 2 * DELAY.as_picos(), "{untouched} {delayed}");
}

#[test]
fn a_message_larger_than_the_receive_buffer_arrives() {
    let settings = SctpSettings { receive_buffer: 8_000, partial_delivery: 4_000, ..SctpSettings::default() };
    let mut pair = pair(&settings, losing(vec![3, 20]));
    pair.write(End::Active, Lane(0), 200_000);
    pair.run(FOREVER);
    assert_eq!(pair.delivered(End::Passive, Lane(0)), 200_000);
}

#[test]
fn the_congestion_window_halves_with_a_loss_and_grows_slowly_then() {
    let mut pair = pair(&SctpSettings::default(), losing(vec![5_000]));
    let mut trace = Vec::new();
    pair.write(End::Active, Lane(0), 30_000_000);
    for step in 1..=100 {
        pair.run(Time::ZERO + millis(step * 2));
        trace.push(pair.end(End::Active).state().window);
    }
    let falls: Vec<(u64, u64)> =
        trace.windows(2).map(|pair| (pair[0], pair[1])).filter(|(before, after)| after < before).collect();
    assert_eq!(falls.len(), 1, "{trace:?}");
    let (before, after) = falls[0];
    assert!(after >= before / 2 && after < before / 2 + 40_000, "{before} {after}");
}

/// Bytes per second over a minute on a fast path with a round trip of 20 ms that loses one of so many packets at random.
fn throughput(one_of: u64) -> f64 {
    let settings = SctpSettings {
        send_buffer: 10_000_000,
        receive_buffer: 10_000_000,
        partial_delivery: 100_000,
        // A lost retransmission costs a timeout, which the formula does not know.
        least_timeout: millis(50),
        ..SctpSettings::default()
    };
    let fates = move |passing: Passing<'_, SctpHeader>| {
        let is_data = passing.segment.payload > 0;
        if is_data && drawn(passing.number).is_multiple_of(one_of) { Fate::IsLost } else { Fate::Arrives }
    };
    let mut pair = Pair::<Sctp>::new(&settings, 10 * RATE, millis(10), Box::new(fates));
    pair.write(End::Active, Lane(0), 1 << 40);
    pair.run(Time::ZERO + millis(60_000));
    pair.delivered(End::Passive, Lane(0)) as f64 / 60.0
}

#[test]
fn throughput_falls_with_the_square_root_of_losses() {
    // Mathis et al., "The macroscopic behavior of the TCP congestion avoidance algorithm", 1997: MSS/RTT · sqrt(3/2)/sqrt(p).
    for one_of in [100, 400, 1_600] {
        let formula = 1_452.0 / 0.020 * (1.5 * one_of as f64).sqrt();
        let ratio = throughput(one_of) / formula;
        assert!(ratio > 0.75 && ratio < 1.1, "one of {one_of}: {ratio} of the formula");
    }
}

#[test]
fn a_run_is_the_same_every_time() {
    let run = || {
        let mut pair = pair(&SctpSettings::default(), |passing| {
            fate(passing.number * 7 + passing.from as u64, (10, 10, 5))
        });
        pair.write(End::Active, Lane(0), 300_000);
        pair.write(End::Passive, Lane(1), 300_000);
        pair.run(FOREVER);
        (pair.now, pair.sent(End::Active), pair.sent(End::Passive))
    };
    assert_eq!(run(), run());
}

/// A number that looks random.
fn drawn(seed: u64) -> u64 {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed << 17);
    (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

/// A fate drawn from a number: so many percent are lost, late, doubled.
fn fate(seed: u64, (lost, late, doubled): (u64, u64, u64)) -> Fate {
    let drawn = drawn(seed);
    let span = Duration::from_nanos(drawn % 977 * 1_000);
    match drawn % 100 {
        percent if percent < lost => Fate::IsLost,
        percent if percent < lost + late => Fate::IsLate(span),
        percent if percent < lost + late + doubled => Fate::IsDoubled(span),
        _ => Fate::Arrives,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the path does, every lane delivers everything, once and in order.
    #[test]
    fn everything_arrives(
        seed in any::<u32>(),
        mtu in 100_u32..9_001,
        losses in (0_u64..20, 0_u64..30, 0_u64..15),
        messages in prop::collection::vec((any::<bool>(), 0_u16..4, 1_u64..20_000), 1..60),
        nagle in any::<bool>(),
        buffer in 10_000_u64..100_000,
    ) {
        let settings = SctpSettings {
            nagle,
            mtu,
            send_buffer: buffer,
            receive_buffer: buffer / 2,
            partial_delivery: buffer / 4,
            // With many losses in a row an association may end; that is another test.
            data_retries: 100,
            handshake_retries: 100,
            ..SctpSettings::default()
        };
        let mut pair = pair(&settings, move |passing| {
            // SCTP does not divide chunks of the handshake: IP does, below the 576 bytes that every path carries.
            let is_control = passing.segment.header.control.is_some();
            assert!(is_control || passing.segment.payload + passing.segment.header_bytes <= mtu + 14);
            fate(u64::from(seed) << 24 ^ passing.number << 1 ^ passing.from as u64, losses)
        });
        let mut expected = HashMap::new();
        for (active, lane, bytes) in messages {
            let (from, to) = if active { (End::Active, End::Passive) } else { (End::Passive, End::Active) };
            pair.write(from, Lane(lane), bytes);
            *expected.entry((to, Lane(lane))).or_insert(0) += bytes;
        }
        // The passive end does not open the association.
        pair.write(End::Active, Lane(0), 1);
        *expected.entry((End::Passive, Lane(0))).or_insert(0) += 1;
        pair.run(Time::MAX);
        for ((end, lane), bytes) in expected {
            prop_assert_eq!(pair.delivered(end, lane), bytes, "{:?} {:?}", end, lane);
        }
        for end in [End::Active, End::Passive] {
            prop_assert_eq!(pair.end(end).state().in_flight, 0);
            prop_assert_eq!(pair.end(end).room(), buffer);
        }
    }
}
