//! The engine against the definition: after every operation its rates are those of the oracle, from the same
//! state; and its completions are those of a naive simulator.

mod naive;

use mpirage_fair::{FlowId, ResourceId, Sharing, SharingPolicy, oracle};
use mpirage_units::{Duration, Time};
use naive::Naive;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Op {
    Start { work: f64, penalty: f64, bound: f64, uses: Vec<(usize, f64)> },
    Cancel(usize),
    Advance(u64),
    ToNextCompletion,
    SetCapacity(usize, f64),
    Check,
}

fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![4 => Just(1.0), 4 => Just(0.05), 1 => 0.01..3.0, 1 => Just(0.0)]
}

fn start(resources: usize, uses: usize) -> impl Strategy<Value = Op> {
    let penalty = prop_oneof![3 => Just(1.0), 2 => 0.1..10.0];
    let bound = prop_oneof![3 => Just(f64::INFINITY), 1 => 0.5..60.0, 1 => Just(10.0)];
    let uses = prop::collection::vec((0..resources, weight()), 0..=uses);
    let work = prop_oneof![2 => Just(8.0), 3 => 0.1..50.0];
    (work, penalty, bound, uses).prop_map(|(work, penalty, bound, uses)| {
        let bound = if uses.iter().all(|u| u.1 == 0.0) { bound.min(20.0) } else { bound };
        Op::Start { work, penalty, bound, uses }
    })
}

/// A message over a few links, with a weight of 0.05 on as many others.
fn start_on_links(links: usize) -> impl Strategy<Value = Op> {
    let uses = prop::sample::subsequence((0..links).collect::<Vec<_>>(), 1..6);
    let bound = prop_oneof![3 => Just(10.0), 1 => 0.5..10.0];
    (0.1..50.0, prop_oneof![Just(1.0), 0.5..2.0], bound, uses).prop_map(|(work, penalty, bound, uses)| {
        let there = uses.len().div_ceil(2);
        let weight = |nth| if nth < there { 1.0 } else { 0.05 };
        let uses = uses.into_iter().enumerate().map(|(nth, link)| (link, weight(nth))).collect();
        Op::Start { work, penalty, bound, uses }
    })
}

fn op(resources: usize, uses: usize) -> impl Strategy<Value = Op> {
    prop_oneof![
        12 => start(resources, uses),
        3 => any::<usize>().prop_map(Op::Cancel),
        3 => (0..400_000_000_000u64).prop_map(Op::Advance),
        4 => Just(Op::ToNextCompletion),
        1 => (0..resources, capacity()).prop_map(|(r, c)| Op::SetCapacity(r, c)),
        8 => Just(Op::Check),
    ]
}

fn capacity() -> impl Strategy<Value = f64> {
    prop_oneof![4 => Just(10.0), 2 => 1.0..100.0, 1 => Just(1000.0), 1 => Just(0.0)]
}

fn kind() -> impl Strategy<Value = SharingPolicy> {
    prop_oneof![4 => Just(SharingPolicy::Shared), 1 => Just(SharingPolicy::FatPipe)]
}

fn scenario(
    resources: usize,
    uses: usize,
    ops: usize,
) -> impl Strategy<Value = (Vec<(f64, SharingPolicy)>, Vec<Op>)> {
    (
        prop::collection::vec((capacity(), kind()), resources),
        prop::collection::vec(op(resources, uses), 1..ops),
    )
}

/// The engine, and beside it what the oracle needs to know.
struct Bench {
    sharing: Sharing,
    ids: Vec<ResourceId>,
    resources: Vec<oracle::Resource>,
    flows: Vec<(u64, FlowId, oracle::Flow)>,
    now: Time,
    started: u64,
    log: Vec<(Time, u64)>,
}

impl Bench {
    fn new(mut sharing: Sharing, resources: &[(f64, SharingPolicy)]) -> Bench {
        let ids = resources.iter().map(|&(capacity, kind)| sharing.add_resource(capacity, kind)).collect();
        let resources =
            resources.iter().map(|&(capacity, kind)| oracle::Resource { capacity, kind }).collect();
        Bench { sharing, ids, resources, flows: vec![], now: Time::ZERO, started: 0, log: vec![] }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Start { work, penalty, bound, uses } => {
                let named: Vec<_> = uses.iter().map(|&(r, w)| (self.ids[r], w)).collect();
                let id = self.sharing.start(self.now, *work, *penalty, *bound, &named, self.started);
                let flow = oracle::Flow { penalty: *penalty, bound: *bound, uses: uses.clone() };
                self.flows.push((self.started, id, flow));
                self.started += 1;
            }
            Op::Cancel(which) if !self.flows.is_empty() => {
                let (_, id, _) = self.flows.swap_remove(which % self.flows.len());
                self.sharing.cancel(self.now, id);
            }
            Op::Cancel(_) => {}
            Op::Advance(picos) => self.go_to(self.now + Duration::from_picos(*picos)),
            Op::ToNextCompletion => {
                if let Some(date) = self.sharing.next_completion(self.now) {
                    assert!(date >= self.now);
                    self.go_to(date);
                }
            }
            Op::SetCapacity(r, capacity) => {
                self.resources[*r].capacity = *capacity;
                self.sharing.set_capacity(self.now, self.ids[*r], *capacity);
            }
            Op::Check => self.check(),
        }
    }

    fn go_to(&mut self, until: Time) {
        while let Some(date) = self.sharing.next_completion(self.now).filter(|&date| date <= until) {
            self.now = date;
            let mut done = vec![];
            self.sharing.collect(date, &mut done);
            assert!(!done.is_empty(), "a completion was announced for {date} and did not come");
            self.flows.retain(|(token, ..)| !done.contains(token));
            self.log.extend(done.into_iter().map(|token| (date, token)));
        }
        self.now = until;
    }

    fn check(&mut self) {
        let flows: Vec<_> = self.flows.iter().map(|(_, _, flow)| flow.clone()).collect();
        let expected = oracle::solve(&self.resources, &flows);
        for ((token, id, _), expected) in self.flows.iter().zip(expected) {
            let rate = self.sharing.rate(*id);
            assert!(close(rate, expected, 1e-9), "flow {token}: {rate}, the oracle says {expected}");
        }
    }

    /// The largest relative difference to a rate of the oracle.
    fn error(&mut self) -> f64 {
        let flows: Vec<_> = self.flows.iter().map(|(_, _, flow)| flow.clone()).collect();
        let expected = oracle::solve(&self.resources, &flows);
        let rates = self.flows.iter().map(|(_, id, _)| self.sharing.rate(*id));
        rates.zip(expected).map(|(rate, expected)| (rate / expected - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Shares within a tolerance: no resource carries too much, and every flow is at its bound or has a resource that is full but
    /// for the tolerance, on which no flow has a higher level by more than it.
    fn check_within(&mut self, tolerance: f64) {
        let slack = 1.0 + tolerance * (1.0 + 1e-6);
        let flows = std::mem::take(&mut self.flows);
        let levels: Vec<f64> =
            flows.iter().map(|(_, id, flow)| self.sharing.rate(*id) * flow.penalty).collect();
        let loads: Vec<f64> = self.ids.iter().map(|&id| self.sharing.load(id)).collect();
        let highest = |resource: usize| {
            let users =
                flows.iter().zip(&levels).filter(|((.., flow), _)| flow.uses.iter().any(|u| u.0 == resource));
            users.map(|(_, &level)| level).fold(0.0, f64::max)
        };
        for (load, resource) in loads.iter().zip(&self.resources) {
            assert!(
                *load <= resource.capacity * (1.0 + 1e-9),
                "{load} on a capacity of {}",
                resource.capacity
            );
        }
        for ((token, _, flow), &level) in flows.iter().zip(&levels) {
            let is_bottleneck = |&(resource, _): &(usize, f64)| {
                loads[resource] * slack >= self.resources[resource].capacity
                    && level * slack >= highest(resource)
            };
            let at_bound = close(level, flow.bound * flow.penalty, 1e-9);
            assert!(at_bound || flow.uses.iter().any(is_bottleneck), "nothing stops flow {token} at {level}");
        }
        self.flows = flows;
    }

    fn finish(&mut self) {
        while let Some(date) = self.sharing.next_completion(self.now) {
            self.go_to(date);
            self.check();
        }
    }
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()) || a == b
}

/// Runs it as it is, with components whose rest stays together, and with everything shared incrementally.
fn run_all(resources: &[(f64, SharingPolicy)], ops: &[Op]) -> [Bench; 3] {
    [Sharing::new(), Sharing::new().ending_together(1e-9), Sharing::without_components()]
        .map(|sharing| run(sharing, resources, ops))
}

fn run(sharing: Sharing, resources: &[(f64, SharingPolicy)], ops: &[Op]) -> Bench {
    let mut bench = Bench::new(sharing, resources);
    ops.iter().for_each(|op| bench.apply(op));
    bench.check();
    bench.finish();
    bench
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn rates_are_those_of_the_oracle_few_resources((resources, ops) in scenario(4, 4, 60)) {
        run_all(&resources, &ops);
    }

    #[test]
    fn rates_are_those_of_the_oracle_many_resources((resources, ops) in scenario(24, 5, 120)) {
        run_all(&resources, &ops);
    }

    #[test]
    fn rates_are_those_of_the_oracle_many_flows((resources, ops) in scenario(5, 2, 500)) {
        run_all(&resources, &ops);
    }

    #[test]
    fn rates_are_fair_within_a_tolerance(ops in prop::collection::vec(start_on_links(12), 1..120), tolerance in 1e-4..0.1) {
        let mut bench = Bench::new(Sharing::without_components().with_tolerance(tolerance), &[(10.0, SharingPolicy::Shared); 12]);
        for (nth, op) in ops.iter().enumerate() {
            bench.apply(op);
            bench.check_within(tolerance);
            if nth % 3 == 2 {
                bench.apply(&Op::ToNextCompletion);
                bench.check_within(tolerance);
            }
        }
    }

    #[test]
    fn the_same_operations_give_the_same_dates((resources, ops) in scenario(8, 4, 80)) {
        let logs = || run_all(&resources, &ops).map(|bench| bench.log);
        prop_assert_eq!(logs(), logs());
    }

    #[test]
    fn completions_are_those_of_a_naive_simulator((resources, ops) in scenario(5, 3, 40)) {
        let mut naive = Naive::new(&resources);
        for op in &ops {
            match op {
                Op::Start { work, penalty, bound, uses } => naive.start(*work, *penalty, *bound, uses.clone()),
                Op::Advance(picos) => naive.advance(*picos as f64 / 1e12),
                Op::SetCapacity(r, capacity) => naive.set_capacity(*r, *capacity),
                _ => {}
            }
        }
        naive.finish();
        let kept = |op: &&Op| matches!(op, Op::Start { .. } | Op::Advance(_) | Op::SetCapacity(..));
        let ops: Vec<Op> = ops.iter().filter(kept).cloned().collect();
        for Bench { log, .. } in run_all(&resources, &ops) {
            prop_assert_eq!(log.len(), naive.ends.len());
            for (date, token) in log {
                let expected = naive.ends[&token];
                prop_assert!(close(date.as_secs_f64(), expected, 1e-7), "{token}: {date}, naive {expected}");
            }
        }
    }
}

/// The pattern the engine is made for, long enough for drift to show: a switch whose hosts renew their flows.
#[test]
fn rates_stay_those_of_the_oracle_on_a_busy_switch() {
    for sharing in [Sharing::new(), Sharing::new().ending_together(1e-9), Sharing::without_components()] {
        let error = keep_a_switch_busy(sharing);
        assert!(error < 1e-9, "rates differ by {error}");
    }
}

/// Gives the largest relative difference to a rate of the oracle.
fn keep_a_switch_busy(sharing: Sharing) -> f64 {
    let (hosts, mut below, mut error) = (20, numbers(), 0.0);
    let mut bench = Bench::new(sharing, &vec![(125e6, SharingPolicy::Shared); 2 * hosts]);
    for round in 0..1500 {
        while bench.flows.len() < 4 * hosts {
            start_on_switch(&mut bench, hosts, &mut below);
        }
        bench.apply(&Op::ToNextCompletion);
        if round % 10 == 0 {
            error = bench.error().max(error);
        }
    }
    error
}

fn start_on_switch(bench: &mut Bench, hosts: usize, below: &mut impl FnMut(usize) -> usize) {
    let (from, to) = (below(hosts), below(hosts));
    let uses = vec![(from, 1.0), (hosts + to, 1.0), (to, 0.05), (hosts + from, 0.05)];
    let work = 1e4 + below(1_000_000) as f64;
    bench.apply(&Op::Start { work, penalty: 1.0, bound: 125e6, uses });
}

/// Random numbers below a limit.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut random = 7u64;
    move |limit| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    }
}

/// With a tolerance, rates differ from the oracle's by a few times as much where errors add up: 5 times here.
#[test]
fn a_tolerance_changes_the_rates_of_a_busy_switch_a_little() {
    for tolerance in [1e-3, 1e-2] {
        let error = keep_a_switch_busy(Sharing::new().with_tolerance(tolerance));
        assert!(error > 1e-6, "a tolerance of {tolerance} changes nothing");
        assert!(error < 10.0 * tolerance, "rates differ by {error} with a tolerance of {tolerance}");
    }
}

/// A tolerance shifts completion dates by less than twice its size.
#[test]
fn a_tolerance_changes_dates_by_less() {
    let ends = |tolerance: f64| {
        let (hosts, mut below) = (20, numbers());
        let sharing = Sharing::new().with_tolerance(tolerance);
        let mut bench = Bench::new(sharing, &vec![(125e6, SharingPolicy::Shared); 2 * hosts]);
        (0..300).for_each(|_| start_on_switch(&mut bench, hosts, &mut below));
        while let Some(date) = bench.sharing.next_completion(bench.now) {
            bench.go_to(date);
        }
        bench.log.sort_by_key(|&(_, token)| token);
        bench.log.iter().map(|(date, _)| date.as_secs_f64()).collect::<Vec<_>>()
    };
    let exact = ends(0.0);
    for tolerance in [1e-3, 1e-2] {
        let pairs = ends(tolerance).into_iter().zip(&exact);
        let worst = pairs.map(|(date, exact)| (date / exact - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 2.0 * tolerance, "dates differ by {worst} with a tolerance of {tolerance}");
    }
}

/// An all-to-all on a ring: nearly all levels are equal, and differ by rounding.
#[test]
fn rates_are_those_of_the_oracle_where_bottlenecks_tie() {
    for sharing in [Sharing::new(), Sharing::without_components()] {
        let hosts = 16;
        let mut bench = Bench::new(sharing, &vec![(125e6, SharingPolicy::Shared); 2 * hosts]);
        for distance in 1..hosts {
            for from in 0..hosts {
                let uses = ring_route(hosts, from, distance);
                bench.apply(&Op::Start {
                    work: 1024.0,
                    penalty: 1e-4 * uses.len() as f64,
                    bound: 125e6,
                    uses,
                });
            }
            bench.apply(&Op::Advance(7_000_000));
            bench.check();
        }
        bench.finish();
        assert_eq!(bench.log.len(), hosts * (hosts - 1));
    }
}

/// The shorter way around, with weight 1 on its links and 0.05 on those of the way back.
fn ring_route(hosts: usize, from: usize, distance: usize) -> Vec<(usize, f64)> {
    let back = hosts - distance;
    let (steps, there, again) = if distance <= back { (distance, 0, hosts) } else { (back, hosts, 0) };
    let host = |step: usize| if there == 0 { from + step } else { from + hosts - step - 1 } % hosts;
    (0..steps).flat_map(|step| [(there + host(step), 1.0), (again + host(step), 0.05)]).collect()
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(256)
}
