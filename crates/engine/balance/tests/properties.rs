//! Properties of every balancer, or of one, on any snapshot.

use mpirage_balance::{
    BALANCERS, Balancer, Core, CoreId, Greedy, GreedyRefine, Loads, RankLoad, Refine, Snapshot, Traffic,
    by_name,
};
use proptest::prelude::*;

prop_compose! {
    fn snapshots()(cores in 1u32..9, ranks in 0usize..40)
        (ranks in prop::collection::vec((0.0f64..10.0, 0..cores), ranks),
         cores in prop::collection::vec((0u32..4, 0.5f64..2.0, 0.0f64..3.0), cores as usize),
         pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u64..1 << 24), 0..30))
        -> Snapshot {
        let traffic = |(from, to, bytes): &(prop::sample::Index, prop::sample::Index, u64)| Traffic {
            from: from.index(ranks.len()) as u32,
            to: to.index(ranks.len()) as u32,
            messages: 1,
            bytes: *bytes,
        };
        let traffic = if ranks.is_empty() { Vec::new() } else { pairs.iter().map(traffic).collect() };
        let rank = |&(seconds, core): &(f64, u32)| RankLoad { seconds, state_bytes: 8, core: CoreId(core) };
        let core = |&(host, speed, background): &(u32, f64, f64)| Core { host, speed, background };
        Snapshot::new(ranks.iter().map(rank).collect(), cores.iter().map(core).collect(), traffic).unwrap()
    }
}

fn max_load(snapshot: &Snapshot, mapping: &[CoreId]) -> f64 {
    Loads::of(snapshot, mapping).max()
}

proptest! {
    #[test]
    fn every_rank_gets_a_core_that_exists_and_always_the_same(snapshot in snapshots(), seed in any::<u64>()) {
        for balancer in BALANCERS {
            let map = || by_name(balancer.name, seed).unwrap().map(&snapshot).unwrap();
            let mapping = map();
            snapshot.check(&mapping).unwrap();
            prop_assert_eq!(mapping, map(), "{}", balancer.name);
        }
    }

    #[test]
    fn refine_never_raises_the_maximum(snapshot in snapshots()) {
        let mapping = Refine::default().map(&snapshot).unwrap();
        let before = max_load(&snapshot, &snapshot.current());
        prop_assert!(max_load(&snapshot, &mapping) <= before * (1.0 + 1e-12));
    }

    #[test]
    fn refine_takes_ranks_from_overloaded_cores_only(snapshot in snapshots()) {
        let (now, mapping) = (snapshot.current(), Refine::default().map(&snapshot).unwrap());
        let loads = Loads::of(&snapshot, &now);
        // A core that has given a large rank away may be underloaded then and take others, so receivers are not checked.
        for (from, _) in now.iter().zip(&mapping).filter(|(from, to)| from != to) {
            prop_assert!(loads.get(*from) > 1.05 * loads.average());
        }
    }

    #[test]
    fn greedy_on_equal_cores_is_within_graham_s_bound(seconds in prop::collection::vec(0.0f64..10.0, 1..40), cores in 1u32..9) {
        let rank = |&seconds: &f64| RankLoad { seconds, state_bytes: 0, core: CoreId(0) };
        let core = |host| Core { host, speed: 1.0, background: 0.0 };
        let snapshot = Snapshot::new(seconds.iter().map(rank).collect(), (0..cores).map(core).collect(), Vec::new()).unwrap();
        let largest = seconds.iter().copied().fold(0.0, f64::max);
        let least = (seconds.iter().sum::<f64>() / f64::from(cores)).max(largest);
        // Graham (1969): any list schedule is within 2 - 1/m of the best; the bound below is on a lower bound of it.
        let bound = (2.0 - 1.0 / f64::from(cores)) * least;
        prop_assert!(max_load(&snapshot, &Greedy.map(&snapshot).unwrap()) <= bound * (1.0 + 1e-12));
    }

    #[test]
    fn greedy_refine_moves_no_rank_that_greedy_leaves_within_the_limit(snapshot in snapshots()) {
        let mapping = GreedyRefine::default().map(&snapshot).unwrap();
        if max_load(&snapshot, &snapshot.current()) <= max_load(&snapshot, &Greedy.map(&snapshot).unwrap()) * (1.0 - 1e-9) {
            prop_assert_eq!(mapping, snapshot.current());
        }
    }
}
