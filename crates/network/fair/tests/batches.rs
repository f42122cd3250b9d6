//! Flows that belong together end together, to the picosecond and in one batch; and all work is done.

use mpirage_fair::{FlowId, ResourceId, Sharing, SharingPolicy};
use mpirage_units::Time;
use proptest::prelude::*;

/// A switch with an up and a down link per host; the reverse way carries 5 %.
struct Switch {
    sharing: Sharing,
    up: Vec<ResourceId>,
    down: Vec<ResourceId>,
    now: Time,
}

impl Switch {
    fn new(hosts: usize) -> Switch {
        let mut sharing = Sharing::new();
        let mut links = || (0..hosts).map(|_| sharing.add_resource(125e6, SharingPolicy::Shared)).collect();
        let (up, down) = (links(), links());
        Switch { sharing, up, down, now: Time::ZERO }
    }

    fn send(&mut self, from: usize, to: usize, size: f64) -> FlowId {
        let uses = [(self.up[from], 1.0), (self.down[to], 1.0), (self.up[to], 0.05), (self.down[from], 0.05)];
        self.sharing.start(self.now, size, 1.0, 125e6, &uses, (from * self.up.len() + to) as u64)
    }

    /// The tokens that complete at the next date.
    fn next_batch(&mut self) -> Vec<u64> {
        let mut done = vec![];
        if let Some(date) = self.sharing.next_completion(self.now) {
            self.now = date;
            self.sharing.collect(date, &mut done);
        }
        done
    }
}

#[test]
fn a_ring_of_equal_flows_completes_in_one_batch_in_order_of_start() {
    let mut switch = Switch::new(1024);
    for round in 1..20 {
        let size = 1e6 / 3.0 * f64::from(round);
        for from in 0..1024 {
            switch.send(from, (from + 1) % 1024, size);
        }
        let batch = switch.next_batch();
        assert_eq!(batch.len(), 1024);
        assert!(batch.is_sorted());
        assert_eq!(switch.next_batch(), []);
    }
}

#[test]
fn an_all_to_all_of_equal_flows_completes_in_one_batch() {
    for hosts in [3, 7, 32, 100] {
        let mut switch = Switch::new(hosts);
        for _ in 0..3 {
            for (from, to) in (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))) {
                if from != to {
                    switch.send(from, to, 1e5 / 7.0);
                }
            }
            assert_eq!(switch.next_batch().len(), hosts * (hosts - 1));
        }
    }
}

#[test]
fn an_incast_completes_in_one_batch_when_the_bottleneck_has_carried_it_all() {
    let mut switch = Switch::new(1025);
    for from in 1..1025 {
        switch.send(from, 0, 125e3);
    }
    assert_eq!(switch.next_batch().len(), 1024);
    assert_eq!(switch.now, Time::from_picos(1_024_000_000_000));
}

#[test]
fn flows_of_an_incast_leave_in_order_of_size() {
    let mut switch = Switch::new(501);
    for from in 1..501 {
        switch.send(from, 0, 1e3 * (501 - from) as f64);
    }
    let order: Vec<u64> = (1..501).flat_map(|_| switch.next_batch()).collect();
    let expected: Vec<u64> = (1..501).rev().map(|from| from * 501).collect();
    assert_eq!(order, expected);
    let carried: f64 = (1..501).map(|n| 1e3 * f64::from(n)).sum();
    // The last flow is alone at the end, and still limited by the same bandwidth.
    assert!((switch.now.as_secs_f64() - carried / 125e6).abs() < 1e-9);
}

#[test]
fn skipping_over_completions_finds_them_in_order() {
    let mut switch = Switch::new(4);
    switch.send(0, 1, 2e6);
    switch.send(0, 2, 1e6);
    switch.send(0, 3, 1.5e6);
    let mut done = vec![];
    switch.sharing.collect(Time::from_picos(1_000_000_000_000), &mut done);
    assert_eq!(done, [2, 3, 1]);
}

#[test]
fn a_flow_without_work_or_without_limits_completes_at_once() {
    let mut sharing = Sharing::new();
    let link = sharing.add_resource(1e9, SharingPolicy::Shared);
    let now = Time::from_picos(77);
    sharing.start(now, 0.0, 1.0, f64::INFINITY, &[(link, 1.0)], 1);
    sharing.start(now, 1e9, 1.0, f64::INFINITY, &[], 2);
    assert_eq!(sharing.next_completion(now), Some(now));
    let mut done = vec![];
    sharing.collect(now, &mut done);
    assert_eq!(done, [1, 2]);
    assert_eq!(sharing.next_completion(now), None);
}

#[test]
fn a_flow_on_a_dead_resource_waits_until_it_is_repaired() {
    let mut sharing = Sharing::new();
    let link = sharing.add_resource(0.0, SharingPolicy::Shared);
    sharing.start(Time::ZERO, 1.0, 1.0, f64::INFINITY, &[(link, 1.0)], 1);
    assert_eq!(sharing.next_completion(Time::ZERO), None);
    sharing.set_capacity(Time::from_picos(5), link, 1.0);
    assert_eq!(sharing.next_completion(Time::from_picos(5)), Some(Time::from_picos(1_000_000_000_005)));
}

#[test]
fn an_id_is_not_valid_for_the_next_flow_in_its_place() {
    let mut switch = Switch::new(2);
    let old = switch.send(0, 1, 1e6);
    switch.sharing.cancel(switch.now, old);
    let new = switch.send(0, 1, 1e6);
    switch.sharing.cancel(switch.now, old);
    assert_eq!(switch.sharing.rate(old), 0.0);
    assert!(switch.sharing.rate(new) > 0.0);
}

proptest! {
    /// Rates integrated between completions give the work of every flow, and no link is ever overloaded.
    #[test]
    fn work_is_conserved(flows in prop::collection::vec((0usize..6, 0usize..6, 1e3..1e6), 1..60)) {
        let mut switch = Switch::new(6);
        let flows = flows.into_iter().filter(|f| f.0 != f.1);
        let mut running: Vec<_> = flows.map(|(from, to, size)| (switch.send(from, to, size), size, size)).collect();
        while let Some(date) = switch.sharing.next_completion(switch.now) {
            let span = date.since(switch.now).as_secs_f64();
            for (id, left, _) in &mut running {
                *left -= switch.sharing.rate(*id) * span;
            }
            for link in switch.up.iter().chain(&switch.down) {
                prop_assert!(switch.sharing.load(*link) <= 125e6 * (1.0 + 1e-9));
            }
            switch.next_batch();
            for (_, left, size) in running.extract_if(.., |(id, ..)| switch.sharing.rate(*id) == 0.0) {
                prop_assert!(left.abs() <= 1e-8 * size + 1e-3, "{left} of {size} left");
            }
        }
        prop_assert!(running.is_empty());
    }
}
