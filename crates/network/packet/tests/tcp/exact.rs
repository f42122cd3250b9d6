//! Every byte arrives exactly once and in order, whatever the network does.

use mpirage_packet::{CongestionAlgorithm, Endpoint, TcpSettings};
use proptest::prelude::*;

use crate::pair::{Fate, Pair, Random, Side, ms};

/// The faults of a network, in thousandths of the segments.
#[derive(Clone, Copy, Debug)]
struct Faults {
    lost: u32,
    late: u32,
    twice: u32,
    marked: u32,
}

fn faults(most: u32) -> impl Strategy<Value = Faults> {
    (0..most, 0..most, 0..most, 0..most).prop_map(|(lost, late, twice, marked)| Faults {
        lost,
        late,
        twice,
        marked,
    })
}

fn install(pair: &mut Pair, faults: Faults, seed: u64) {
    for (index, wire) in pair.wires.iter_mut().enumerate() {
        let mut random = Random(seed.wrapping_add(index as u64));
        wire.fate = Box::new(move |_, _| {
            let draw = (random.unit() * 1000.0) as u32;
            let bounds = [faults.lost, faults.late, faults.twice, faults.marked];
            let ends = bounds.iter().scan(0, |sum, bound| {
                *sum += bound;
                Some(*sum)
            });
            let fates = [Fate::Lost, Fate::Late(ms(random.next() % 30)), Fate::Twice, Fate::Marked];
            ends.zip(fates).find(|(end, _)| draw < *end).map_or(Fate::Arrive, |(_, fate)| fate)
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn all_bytes_arrive_once_and_in_order(
        faults in faults(150), seed: u64, left in 1u64..400_000, right in 0u64..100_000,
        rate in prop_oneof![Just(f64::INFINITY), 1e5..1e8], delay in 0u64..100, queue in 5_000u64..100_000,
        reno: bool, ecn: bool, nagle: bool,
    ) {
        let algorithm = if reno { CongestionAlgorithm::Reno } else { CongestionAlgorithm::Cubic };
        // Enough retries that a streak of losses does not end the connection.
        let settings = TcpSettings { algorithm, ecn, nagle, syn_retries: 60, retries: 60, ..TcpSettings::default() };
        let mut pair = Pair::symmetric(&settings, rate, ms(delay));
        pair.wires[0].queue = queue;
        install(&mut pair, faults, seed);
        pair.write(Side::Left, left);
        pair.write(Side::Right, right);
        pair.run(1_000_000);
        prop_assert_eq!(pair.delivered(Side::Right), left);
        prop_assert_eq!(pair.delivered(Side::Left), right);
        prop_assert_eq!(pair.left.bytes_in_flight() + pair.right.bytes_in_flight(), 0);
        prop_assert!(pair.left.failure().is_none() && pair.right.failure().is_none());
    }

    #[test]
    fn a_slow_reader_gets_everything(
        faults in faults(50), seed: u64, bytes in 1u64..300_000, buffer in 4_000u64..100_000, reading in 1e4..1e7f64,
    ) {
        let settings = TcpSettings {
            receive_buffer: buffer, receive_buffer_maximum: buffer, reading_rate: reading, syn_retries: 60, retries: 60,
            ..TcpSettings::default()
        };
        let mut pair = Pair::symmetric(&settings, 1e7, ms(5));
        install(&mut pair, faults, seed);
        pair.write(Side::Left, bytes);
        pair.run(1_000_000);
        prop_assert_eq!(pair.delivered(Side::Right), bytes);
    }
}
