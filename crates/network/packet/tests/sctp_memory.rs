//! Once warm, a packet of SCTP costs no memory, with losses or without.

mod counting;
#[allow(dead_code)] // other tests use the rest
mod pair;

use counting::allocations;
use mpirage_packet::{Lane, Sctp, SctpSettings};
use mpirage_units::{Duration, Time};
use pair::{End, Fate, Pair};

/// Messages on all lanes in both directions.
fn exchange(pair: &mut Pair<Sctp>, rounds: u16) {
    for round in 0..rounds {
        for from in [End::Active, End::Passive] {
            pair.write(from, Lane(round % 10), 20_000);
            pair.write(from, Lane((round + 1) % 10), 100);
        }
        pair.run_to(pair.now + Duration::from_nanos(20_000_000));
    }
    pair.run(Time::MAX);
}

#[test]
fn a_packet_costs_no_allocation() {
    for every in [40, u64::MAX] {
        let settings = SctpSettings { data_retries: 1_000, ..SctpSettings::default() };
        let fates = move |passing: pair::Passing<'_, _>| {
            if passing.number % every == every - 1 { Fate::IsLost } else { Fate::Arrives }
        };
        let mut pair =
            Pair::<Sctp>::new(&settings, 125_000_000, Duration::from_nanos(50_000), Box::new(fates));
        exchange(&mut pair, 400);
        let (before, packets) = (allocations(), pair.sent(End::Active));
        exchange(&mut pair, 100);
        let (allocated, packets) = (allocations() - before, pair.sent(End::Active) - packets);
        assert_eq!(allocated, 0, "{packets} packets");
        assert!(packets > 1_000);
    }
}
