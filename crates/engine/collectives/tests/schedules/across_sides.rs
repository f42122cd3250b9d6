//! Rules that every algorithm between the sides of an inter-communicator must obey, for any sizes of both sides.

use mpirage_call::{Algorithm, Collective, Peers};
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Shape, Step};
use proptest::prelude::*;

use crate::common::across::Across;
use crate::common::machine::{Sends, run_with};

fn all_pairs() -> impl Iterator<Item = (Collective, Algorithm)> {
    let across = Collective::ALL.into_iter().filter(|collective| collective.is_across());
    across.flat_map(|collective| collective.algorithms().map(move |algorithm| (collective, algorithm)))
}

/// No deadlock, all messages matched, causality, the data that the collective promises, on every rank.
fn check(case: &Across, algorithm: Algorithm) {
    let schedules = case.schedules(algorithm.into());
    for sends in [Sends::Eager, Sends::Synchronous] {
        let outcome = run_with(&schedules, sends, case.memory())
            .unwrap_or_else(|failure| panic!("{algorithm}, {sends:?}: {failure:?}\n{case:?}"));
        for (rank, other) in
            (0..case.size()).flat_map(|rank| (0..case.size()).map(move |other| (rank, other)))
        {
            let heard = outcome.heard[rank as usize] >> other & 1 == 1;
            assert!(
                heard || !case.waits(rank, other),
                "{algorithm}: {rank} leaves without {other}\n{case:?}"
            );
        }
    }
}

fn every_root(collective: Collective, size: u32) -> impl Iterator<Item = u32> {
    0..if collective.is_rooted() { size } else { 1 }
}

#[test]
fn sides_of_all_sizes_with_all_roots() {
    for (collective, algorithm) in all_pairs() {
        for (first, second) in (1..=9).flat_map(|first| (1..=9).map(move |second| (first, second))) {
            for root in every_root(collective, first + second) {
                for commutative in [true, false] {
                    let case =
                        Across::new(collective, [first, second], [24, 40], |i, j| u64::from(i * 3 + j) % 7);
                    check(&case.root(root).element(8).commutative(commutative), algorithm);
                }
            }
        }
    }
}

#[test]
fn nothing_to_send_is_still_sent() {
    for (collective, algorithm) in all_pairs() {
        for sides in [[1, 1], [1, 6], [5, 2], [8, 8]] {
            check(&Across::new(collective, sides, [0, 0], |_, _| 0).root(sides[0]), algorithm);
        }
    }
}

#[test]
fn ranks_beside_the_root_do_nothing() {
    for (collective, algorithm) in all_pairs().filter(|(collective, _)| collective.is_rooted()) {
        let case = Across::new(collective, [4, 3], [16, 16], |_, _| 5).root(2);
        let schedules = case.schedules(algorithm.into());
        for beside in [0, 1, 3] {
            assert_eq!(schedules[beside].steps, [], "{collective} {algorithm}");
        }
    }
}

/// A rank of the root's side that is alone with the root's data does not make the leaders wait.
#[test]
fn a_broadcast_is_one_message_across_and_a_tree_within() {
    let case = Across::new(Collective::InterBcast, [2, 5], [100, 100], |_, _| 0).root(1);
    let schedules = case.schedules(Algorithm::RemoteSendLocalBcast.into());
    assert_eq!(schedules[1].steps, [Step::Send { to: 2, bytes: 100, slot: 0 }]);
    assert_eq!(schedules[2].steps[0], Step::Recv { from: 1, bytes: 100, slot: 0 });
    let peers = |rank: usize| {
        let to = |step: &Step| if let Step::Send { to, .. } = step { Some(*to) } else { None };
        schedules[rank].steps.iter().filter_map(to).collect::<Vec<_>>()
    };
    assert_eq!(peers(2), [6, 4, 3]);
}

#[test]
fn the_default_table_chooses_by_what_is_gathered_in_total() {
    let method = |bytes, rank| {
        let shape = Shape::new(12).rank(rank).root(0).bytes(bytes).peers(Peers::OtherSide { first: 4 });
        Choice::default().method(Collective::InterGather, &shape).algorithm
    };
    for rank in [0, 4, 11] {
        assert_eq!(method(255, rank), Algorithm::LocalGatherRemoteSend);
        assert_eq!(method(256, rank), Algorithm::Linear);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sides(
        pair in prop::sample::select(all_pairs().collect::<Vec<_>>()),
        sides in (1..=16u32, 1..=16u32),
        root in any::<prop::sample::Index>(),
        bytes in (0..200u64, 0..200u64),
        element in prop::sample::select(vec![1u64, 4, 8]),
        commutative: bool,
        seed: u64,
    ) {
        let counts = |i: u32, j: u32| {
            let mixed = (seed ^ (u64::from(i) << 32 | u64::from(j))).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            if mixed % 3 == 0 { 0 } else { mixed % 50 }
        };
        let (collective, algorithm) = pair;
        let case = Across::new(collective, [sides.0, sides.1], [bytes.0, bytes.1], counts)
            .root(root.index((sides.0 + sides.1) as usize) as u32)
            .element(element)
            .commutative(commutative);
        check(&case, algorithm);
    }
}
