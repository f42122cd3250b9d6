//! Rules that every algorithm of every collective must obey, for any number of ranks, root and size.

use mpirage_call::{Algorithm, Collective, Method, Settings};
use mpirage_collectives::Performed;
use mpirage_collectives::{Data, Schedule, Step, schedule, schedule_part};
use proptest::prelude::*;

use crate::common::machine::{Failure, Outcome, Sends, run, run_with};
use crate::common::memory::Memory;
use crate::common::{Case, all_methods, all_pairs, of_all_ranks};

fn both_modes(case: &Case, method: Method) -> Outcome {
    let schedules = case.annotated(method);
    let [eager, synchronous] = [Sends::Eager, Sends::Synchronous].map(|sends| {
        run_with(&schedules, sends, Memory::of(case))
            .unwrap_or_else(|failure| panic!("{method}, {sends:?}: {failure:?}\n{case:?}"))
    });
    assert_eq!(eager.heard, synchronous.heard, "what is heard does not depend on the mode of sends");
    eager
}

/// No deadlock, all messages matched, causality, the data that the collective promises, on every rank.
fn check(case: &Case, method: Method) {
    if !case.collective.fits(method.algorithm, &case.shape(0)) {
        return;
    }
    let outcome = both_modes(case, method);
    for rank in 0..case.size {
        let shape = case.shape(rank);
        let heard = outcome.heard[rank as usize];
        for other in
            (0..case.size).filter(|&other| mpirage_collectives::waits_for(case.collective, &shape, other))
        {
            assert!(heard >> other & 1 == 1, "{method}: {rank} leaves without {other}\n{case:?}");
        }
    }
}

/// Its data grow with the square of the number of ranks.
fn moves_pairs(collective: Collective) -> bool {
    matches!(collective, Collective::Alltoall | Collective::Alltoallv | Collective::Alltoallw)
}

/// Every root of a few ranks, some roots of many, where there is a root at all.
fn roots(collective: Collective, size: u32) -> impl Iterator<Item = u32> {
    (0..if collective.is_rooted() { size } else { 1 }).step_by(1 + size as usize / 8)
}

#[test]
fn up_to_33_ranks_with_all_kinds_of_roots() {
    for (collective, method) in all_methods() {
        for size in 1..=33 {
            for root in roots(collective, size) {
                let bytes = if moves_pairs(collective) { 8 } else { 80 };
                check(&Case::new(collective, size, bytes).root(root).element(8), method);
            }
        }
    }
}

/// Blocks of ranks, ranks dealt out in turn, all on one node, one alone and the others together.
fn layouts(size: u32) -> Vec<Vec<u32>> {
    let by = |host: &dyn Fn(u32) -> u32| (0..size).map(host).collect();
    vec![
        by(&|r| r / 2),
        by(&|r| r / 3),
        by(&|r| r % 3),
        by(&|_| 0),
        by(&|r| r.min(1)),
        by(&|r| u32::from(r + 1 < size)),
    ]
}

/// An algorithm of two levels works wherever ranks and root are, and whichever table chooses its parts.
#[test]
fn two_levels_on_all_kinds_of_nodes() {
    const TWO_LEVELS: [Algorithm; 3] =
        [Algorithm::TwoLevel, Algorithm::TwoLevelByLeader, Algorithm::LevelPipeline];
    let mut checked = 0;
    for (collective, algorithm) in all_pairs().filter(|(_, algorithm)| TWO_LEVELS.contains(algorithm)) {
        for (parts, size) in ["default", "mpich-levels", "openmpi-4.1"]
            .into_iter()
            .flat_map(|parts| (1..=13).map(move |n| (parts, n)))
        {
            let segment = collective.defaults(algorithm).unwrap().segment.map(|_| 5_000);
            let settings = Settings { parts: Some(parts), segment, ..Settings::default() };
            for layout in layouts(size) {
                for root in roots(collective, size) {
                    let case = Case::new(collective, size, 400).root(root).element(8).on(layout.clone());
                    check(&case, Method { algorithm, settings });
                    checked += usize::from(collective.fits(algorithm, &case.shape(0)));
                }
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn nothing_to_send_is_still_sent() {
    for (collective, method) in all_methods() {
        for size in 1..=17 {
            check(&Case::new(collective, size, 0).root(size - 1), method);
        }
    }
}

#[test]
fn operations_that_do_not_commute() {
    for (collective, method) in all_methods() {
        for size in 1..=17 {
            let bytes = if moves_pairs(collective) { 3 } else { 99 };
            check(&Case::new(collective, size, bytes).root(size / 2).commutative(false), method);
        }
    }
}

/// No rank leaves an algorithm that synchronizes early. In an algorithm that does not, some rank does in some case.
#[test]
fn synchronizing_is_what_it_says() {
    for collective in of_all_ranks() {
        let case = Case::new(collective, 8, 0);
        let algorithm = collective
            .algorithms()
            .filter(|algorithm| !algorithm.is_simgrids() && !algorithm.is_nccls())
            .last()
            .unwrap();
        let heard = both_modes(&case, algorithm.into()).heard;
        assert_eq!(heard.iter().all(|&heard| heard == 0xff), collective.synchronizes(), "{collective}");
    }
}

#[test]
fn one_rank_has_at_most_a_copy_to_do() {
    for (collective, algorithm) in all_pairs() {
        let schedules = Case::new(collective, 1, 64).schedules(algorithm);
        assert!(
            matches!(schedules[0].steps[..], [] | [Step::Copy { bytes: 64, .. }]),
            "{collective} {algorithm}"
        );
    }
}

#[test]
fn nothing_is_copied_in_place_but_what_must_be_packed() {
    for (collective, algorithm) in all_pairs().filter(|(_, algorithm)| *algorithm != Algorithm::Bruck) {
        let case = Case::new(collective, 6, 64);
        if !collective.fits(algorithm, &case.shape(3)) {
            continue;
        }
        let mut out = Schedule::default();
        schedule(collective, algorithm, &case.shape(3).in_place(true), &mut out);
        assert!(!out.steps.iter().any(|step| matches!(step, Step::Copy { .. })), "{collective} {algorithm}");
    }
}

/// The machine itself: it would notice.
#[test]
fn the_machine_sees_deadlock_and_mismatch() {
    let rank = |write: &dyn Fn(&mut Schedule)| {
        let mut schedule = Schedule::default();
        write(&mut schedule);
        schedule
    };
    let send_first = [1, 0].map(|other| {
        rank(&|out| {
            out.send(other, Data::NOTHING);
            out.recv(other, 0);
        })
    });
    assert!(run(&send_first, Sends::Eager).is_ok());
    assert_eq!(run(&send_first, Sends::Synchronous), Err(Failure::Deadlock(vec![0, 1])));

    let short = [rank(&|out| out.send(1, Data::NOTHING)), rank(&|out| out.recv(0, 7))];
    assert!(matches!(run(&short, Sends::Eager), Err(Failure::Mismatch { .. })));
    let unheard = [rank(&|out| out.send(1, Data::NOTHING)), rank(&|_| {})];
    assert!(matches!(run(&unheard, Sends::Eager), Err(Failure::Mismatch { .. })));
    let careless = [rank(&|out| out.isend(1, Data::NOTHING)), rank(&|out| out.recv(0, 0))];
    assert_eq!(run(&careless, Sends::Eager), Err(Failure::Careless(0)));
}

/// Sizes around zero, one segment, several segments.
fn any_bytes() -> impl Strategy<Value = u64> {
    prop_oneof![0..50u64, 100..400u64]
}

fn any_case() -> impl Strategy<Value = (Case, Method)> {
    let pair = prop::sample::select(all_methods().collect::<Vec<_>>());
    let sizes = (1..=33u32, any::<prop::sample::Index>(), any_bytes());
    let element = prop::sample::select(vec![1u64, 4, 8, 16, 24]);
    (pair, sizes, element, any::<bool>(), any::<u64>())
        .prop_map(|((collective, method), (size, root, bytes), element, commutative, seed)| {
            let (bytes, element) = if moves_pairs(collective) { (bytes / 20, 1) } else { (bytes, element) };
            // Counts with many zeros, the same for every rank that asks.
            let counts = |i: u32, j: u32| {
                let mixed =
                    (seed ^ (u64::from(i) << 32 | u64::from(j))).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                if mixed % 3 == 0 { 0 } else { mixed % 20 * element }
            };
            let case = Case::new(collective, size, bytes / element * element)
                .root(root.index(size as usize) as u32)
                .element(element)
                .commutative(commutative)
                .counts(counts);
            (case, method)
        })
        .prop_filter("the algorithm is for other calls", |(case, method)| {
            case.collective.fits(method.algorithm, &case.shape(0))
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_shape((case, method) in any_case()) {
        check(&case, method);
    }

    /// A rank's schedule is the same whether the list was used before or not.
    #[test]
    fn schedules_can_be_filled_again((first, before) in any_case(), (second, method) in any_case()) {
        let mut reused = first.annotated(before).pop().unwrap();
        let fresh = second.annotated(method).pop().unwrap();
        let shape = second.shape(second.size - 1);
        schedule(second.collective, method, &shape, &mut reused);
        prop_assert_eq!(reused, fresh);
    }

    /// In parts it is the same list.
    #[test]
    fn schedules_can_be_had_in_parts((case, method) in any_case(), length in 1..40usize) {
        let whole = case.annotated(method).pop().unwrap();
        let (mut part, mut steps) = (Schedule::default(), vec![]);
        let shape = case.shape(case.size - 1);
        let mut more = true;
        while more {
            let next = steps.len()..steps.len() + length;
            more = schedule_part(case.collective, method, &shape, next, &mut part);
            steps.extend_from_slice(&part.steps);
        }
        prop_assert_eq!(steps, whole.steps);
    }

    /// Vectors that are reduced are never cut inside an element.
    #[test]
    fn reductions_cut_between_elements((case, method) in any_case()) {
        for step in case.annotated(method).into_iter().flat_map(|schedule| schedule.steps) {
            if let Step::Reduce { bytes } | Step::Combine { bytes } = step {
                prop_assert_eq!(bytes % case.element, 0);
            }
        }
    }
}
