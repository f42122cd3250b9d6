//! Balancers on cases that can be checked by hand.

use mpirage_balance::{Core, CoreId, Loads, RankLoad, Snapshot, Traffic, by_name};

/// Ranks as (seconds, core) on equal cores of hosts with one core each.
fn snapshot(cores: u32, ranks: &[(f64, u32)]) -> Snapshot {
    on_hosts(&(0..cores).collect::<Vec<_>>(), ranks, &[])
}

/// The same on cores of these hosts, with (from, to, bytes).
fn on_hosts(hosts: &[u32], ranks: &[(f64, u32)], traffic: &[(u32, u32, u64)]) -> Snapshot {
    let rank = |&(seconds, core): &(f64, u32)| RankLoad { seconds, state_bytes: 1, core: CoreId(core) };
    let core = |&host: &u32| Core { host, speed: 1.0, background: 0.0 };
    let traffic = traffic.iter().map(|&(from, to, bytes)| Traffic { from, to, messages: 1, bytes }).collect();
    Snapshot::new(ranks.iter().map(rank).collect(), hosts.iter().map(core).collect(), traffic).unwrap()
}

fn map(balancer: &str, snapshot: &Snapshot) -> Vec<u32> {
    let mapping = by_name(balancer, 1).unwrap().map(snapshot).unwrap();
    mapping.into_iter().map(|core| core.0).collect()
}

#[test]
fn greedy_gives_the_heaviest_rank_to_the_least_loaded_core() {
    // 7 to core 0, 5 to core 1, 4 to core 1 (5 < 7), 3 to core 0 (7 < 9), 2 to core 1 (9 < 10).
    let snapshot = snapshot(2, &[(2.0, 0), (3.0, 0), (4.0, 0), (5.0, 0), (7.0, 0)]);
    assert_eq!(map("greedy", &snapshot), [1, 0, 1, 1, 0]);
}

#[test]
fn greedy_does_not_care_where_ranks_are() {
    // Already balanced; equal ranks are dealt out by number all the same.
    assert_eq!(map("greedy", &snapshot(2, &[(1.0, 1), (1.0, 0)])), [0, 1]);
}

#[test]
fn greedy_counts_background_and_speed() {
    let rank = |seconds| RankLoad { seconds, state_bytes: 0, core: CoreId(0) };
    let cores =
        vec![Core { host: 0, speed: 1.0, background: 0.0 }, Core { host: 1, speed: 4.0, background: 0.5 }];
    // 8 to core 0 (0 < 0.5); then core 1 takes 4 in 1 s (1.5), 2 in 0.5 s (2.0), 2 in 0.5 s (2.5): all less than 8.
    let snapshot = Snapshot::new([4.0, 2.0, 8.0, 2.0].map(rank).to_vec(), cores, Vec::new()).unwrap();
    assert_eq!(map("greedy", &snapshot), [1, 1, 0, 1]);
}

#[test]
fn refine_leaves_alone_what_is_within_its_tolerance() {
    // Average 10; the limit is 10.5.
    let balanced = snapshot(2, &[(10.4, 0), (9.6, 1)]);
    assert_eq!(map("refine", &balanced), [0, 1]);
}

#[test]
fn refine_moves_the_largest_rank_that_fits() {
    // Loads 12 and 8, average 10, limit 10.5. A rank of 3 would make 11; 2 makes 10; 1 would make 9.
    let heavy = snapshot(2, &[(6.0, 0), (3.0, 0), (2.0, 0), (1.0, 0), (8.0, 1)]);
    assert_eq!(map("refine", &heavy), [0, 0, 1, 0, 1]);
}

#[test]
fn refine_serves_the_most_loaded_core_first() {
    // Loads 13, 16, 5, 6: average 10, limit 10.5. Core 1 (16) gives a 5 to core 2 (5 + 5 = 10), which is at the average then and
    // takes nothing more. Core 0 (13) gives its 3 to core 3 (6 + 3 = 9). Core 1 (11) gives its 1 to core 3 (9 + 1 = 10).
    let ranks = [(10.0, 0), (3.0, 0), (10.0, 1), (5.0, 1), (1.0, 1), (5.0, 2), (6.0, 3)];
    assert_eq!(map("refine", &snapshot(4, &ranks)), [0, 3, 1, 2, 3, 2, 3]);
}

#[test]
fn refine_raises_its_tolerance_where_nothing_fits() {
    // Loads 4 and 2, average 3: a rank of 2 would make 4 on the other core, no better than before.
    let coarse = snapshot(2, &[(2.0, 0), (2.0, 0), (2.0, 1)]);
    let mapping = map("refine", &coarse);
    assert_eq!(mapping, [0, 0, 1], "no placement is better");
    // Loads 9 and 3, average 6, limit 6.3: a 3 makes 6.
    assert_eq!(map("refine", &snapshot(2, &[(3.0, 0), (3.0, 0), (3.0, 0), (3.0, 1)])), [1, 0, 0, 1]);
    // Loads 8 and 0, average 4, but pieces of 5 and 3: 3 moves at 1.25 and above (5 is overloaded below that).
    assert_eq!(map("refine", &snapshot(2, &[(5.0, 0), (3.0, 0)])), [0, 1]);
}

#[test]
fn greedy_refine_moves_only_what_exceeds_the_greedy_maximum() {
    // Greedy reaches 10 and 10. 6 and 4 stay on core 0; 5 stays; the others have to leave core 0.
    let snapshot = snapshot(2, &[(6.0, 0), (4.0, 0), (3.0, 0), (2.0, 0), (5.0, 1)]);
    assert_eq!(map("greedy-refine", &snapshot), [0, 0, 1, 1, 1]);
}

#[test]
fn rotate_moves_everything_by_one() {
    assert_eq!(map("rotate", &snapshot(3, &[(1.0, 0), (1.0, 1), (1.0, 2), (0.0, 2)])), [1, 2, 0, 0]);
}

#[test]
fn hierarchical_prefers_cores_of_the_same_host() {
    // Hosts have 4 and 4 seconds: nothing leaves a host. Host 0 spreads its ranks over its cores.
    let snapshot = on_hosts(&[0, 0, 1, 1], &[(2.0, 0), (2.0, 0), (2.0, 2), (2.0, 3)], &[]);
    let mapping = map("hierarchical", &snapshot);
    assert_eq!(mapping, [0, 1, 2, 3]);
}

#[test]
fn hierarchical_moves_between_hosts_what_a_host_has_too_much() {
    let snapshot = on_hosts(&[0, 0, 1, 1], &[(2.0, 0), (2.0, 0), (2.0, 1), (2.0, 1)], &[]);
    let mapping: Vec<CoreId> = map("hierarchical", &snapshot).into_iter().map(CoreId).collect();
    assert_eq!(Loads::of(&snapshot, &mapping).max(), 2.0);
}

#[test]
fn distributed_relieves_the_overloaded() {
    let ranks: Vec<(f64, u32)> = (0..64).map(|rank| (0.1 + f64::from(rank % 7) * 0.01, rank / 32)).collect();
    let snapshot = snapshot(16, &ranks);
    let mapping: Vec<CoreId> = map("distributed", &snapshot).into_iter().map(CoreId).collect();
    let (before, after) = (Loads::of(&snapshot, &snapshot.current()), Loads::of(&snapshot, &mapping));
    assert!(before.max() / before.average() > 7.0);
    assert!(after.max() / after.average() < 1.5, "{}", after.max() / after.average());
}

#[test]
fn comm_aware_keeps_partners_together_if_that_costs_less_than_the_imbalance() {
    let ranks = [(1.0, 0), (1.0, 0), (1.0, 1), (1.0, 1)];
    // 0 talks to 2 and 1 to 3: 100 MB each, which take 0.85 s between cores.
    let pairs = on_hosts(&[0, 1], &ranks, &[(0, 2, 100_000_000), (1, 3, 100_000_000)]);
    let mapping = map("comm-aware", &pairs);
    assert_eq!((mapping[0], mapping[1]), (mapping[2], mapping[3]));
    assert_ne!(mapping[0], mapping[1]);
    // Without traffic it is greedy.
    assert_eq!(map("comm-aware", &on_hosts(&[0, 1], &ranks, &[])), [0, 1, 1, 0]);
}

#[test]
fn a_lower_tolerance_of_refine_moves_more() {
    // Average 1.025; core 0 has 1.05: within 1.05 × average, but not within 1.01 × average.
    let snapshot = snapshot(2, &[(1.03, 0), (0.02, 0), (1.0, 1)]);
    assert_eq!(map("refine", &snapshot), [0, 0, 1]);
    assert_eq!(map("refine:tolerance=1.01", &snapshot), [0, 1, 1]);
}

#[test]
fn options_are_checked() {
    for (text, problem) in [
        ("refine:tolerance", "`tolerance` is not NAME=NUMBER"),
        ("refine:tolerance=0.5", "tolerance is to be a number from 1 on, not `0.5`"),
        ("refine:tolerance=x", "not `x`"),
        ("refine:alpha=1", "there is no option alpha, only tolerance, above"),
        ("greedy:above=2:above=3", "above is given twice"),
        ("./mine.py:above=0", "above is to be a number from 1 on"),
    ] {
        let error = by_name(text, 1).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(problem), "{text}: {error}");
    }
    assert!(by_name("./mine:1.py", 1).is_ok());
}

#[test]
fn a_balancer_on_demand_is_not_asked_about_small_imbalance() {
    let snapshot = snapshot(2, &[(3.0, 0), (2.0, 1)]);
    let loads = Loads::of(&snapshot, &snapshot.current());
    for (text, needed) in [("greedy", true), ("greedy:above=1.1", true), ("greedy:above=1.3", false)] {
        let balancer = by_name(text, 1).unwrap();
        assert_eq!((balancer.is_needed(&loads), balancer.moves_ranks()), (needed, true), "{text}");
    }
}

#[test]
fn nuco_puts_ranks_where_their_messages_come_from() {
    // Rank 1 gets 10 messages from rank 0, 10 × 1 µs each between hosts: more than the imbalance.
    let ranks = [(50e-6, 0), (10e-6, 1), (10e-6, 0)];
    let traffic: Vec<(u32, u32, u64)> = vec![(0, 1, 8); 10];
    assert_eq!(map("nuco", &on_hosts(&[0, 1], &ranks, &traffic)), [0, 0, 1]);
    // Where distance costs nothing, it is greedy from where ranks are.
    assert_eq!(map("nuco:alpha=0", &on_hosts(&[0, 1], &ranks, &traffic)), [0, 1, 1]);
}

#[test]
fn hwtopo_moves_from_the_most_loaded_core() {
    let snapshot = on_hosts(&[0, 0, 1], &[(4.0, 0), (3.0, 0), (2.5, 0), (2.0, 1), (1.0, 2)], &[]);
    let mapping = map("hwtopo:temperature=0.000001", &snapshot);
    // 4 to core 2 (largest load 5.5 instead of 6 on core 1), then 3 to core 1 (5). Then it stays, since every move makes more of 5.
    assert_eq!(mapping, [2, 1, 0, 1, 2]);
    let bytes = 10_000_000_000;
    // Rank 1 receives for ten seconds from rank 0 on another host: it moves there.
    let pair = on_hosts(&[0, 1], &[(1.0, 0), (2.0, 1)], &[(0, 1, bytes)]);
    assert_eq!(map("hwtopo:temperature=0.000001", &pair), [0, 0]);
}

#[test]
fn random_depends_on_the_seed_alone() {
    let snapshot = snapshot(8, &[(1.0, 0); 32]);
    let draw = |seed| by_name("random", seed).unwrap().map(&snapshot).unwrap();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn without_load_nothing_breaks() {
    let idle = snapshot(3, &[(0.0, 2); 5]);
    for balancer in mpirage_balance::BALANCERS {
        assert_eq!(map(balancer.name, &idle).len(), 5, "{}", balancer.name);
    }
    assert_eq!(map("refine", &idle), [2; 5]);
}

#[test]
fn names_that_do_not_exist_are_refused() {
    assert!(by_name("greedy-lb", 1).is_err());
    let mut none = by_name("none", 1).unwrap();
    assert!(!none.moves_ranks() && !none.wants_traffic());
    assert_eq!(none.map(&snapshot(2, &[(1.0, 1)])).unwrap(), [CoreId(1)]);
}

#[test]
fn snapshots_that_contradict_themselves_are_refused() {
    let rank = RankLoad { seconds: 1.0, state_bytes: 0, core: CoreId(0) };
    let core = Core { host: 0, speed: 1.0, background: 0.0 };
    let bad = |ranks: &[RankLoad], cores: &[Core]| {
        Snapshot::new(ranks.to_vec(), cores.to_vec(), Vec::new()).is_err()
    };
    assert!(bad(&[], &[]));
    assert!(bad(&[RankLoad { core: CoreId(1), ..rank }], &[core]));
    assert!(bad(&[RankLoad { seconds: f64::NAN, ..rank }], &[core]));
    assert!(bad(&[rank], &[Core { speed: 0.0, ..core }]));
    assert!(!bad(&[rank], &[core]));
}
