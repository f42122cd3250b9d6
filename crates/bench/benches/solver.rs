//! The load patterns of message passing. Criterion's `thrpt` is flows per second, start to completion.
//!
//! All on one switch: a flow from host i to host j uses up(i) and down(j) with weight 1, and up(j) and down(i),
//! the way of its acknowledgements, with weight 0.05.

#![allow(missing_docs)]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mpirage_fair::{ResourceId, Sharing, SharingPolicy};
use mpirage_units::Time;

const BANDWIDTH: f64 = 125e6;
const MEAN_SIZE: f64 = 1e6;

#[derive(Clone)]
struct Switch {
    sharing: Sharing,
    up: Vec<ResourceId>,
    down: Vec<ResourceId>,
    now: Time,
    random: u64,
    done: Vec<u64>,
}

impl Switch {
    fn new(hosts: usize) -> Switch {
        let mut sharing = Sharing::new();
        let mut links =
            || (0..hosts).map(|_| sharing.add_resource(BANDWIDTH, SharingPolicy::Shared)).collect();
        let (up, down) = (links(), links());
        Switch { sharing, up, down, now: Time::ZERO, random: 42, done: vec![] }
    }

    fn hosts(&self) -> usize {
        self.up.len()
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % limit
    }

    fn random_size(&mut self) -> f64 {
        MEAN_SIZE * (0.5 + self.below(1_000_000) as f64 / 1e6)
    }

    fn send(&mut self, from: usize, to: usize, size: f64) {
        let uses = [(self.up[from], 1.0), (self.down[to], 1.0), (self.up[to], 0.05), (self.down[from], 0.05)];
        self.sharing.start(self.now, size, 1.0, BANDWIDTH, &uses, (from * self.hosts() + to) as u64);
    }

    fn send_to_anyone(&mut self, from: usize) {
        let to = (from + 1 + self.below(self.hosts() - 1)) % self.hosts();
        let size = self.random_size();
        self.send(from, to, size);
    }

    fn send_all_to_all(&mut self, mut size: impl FnMut(&mut Self) -> f64) {
        for from in 0..self.hosts() {
            for to in (0..self.hosts()).filter(|&to| to != from) {
                let size = size(self);
                self.send(from, to, size);
            }
        }
    }

    /// Goes to the next completion; false if there is none.
    fn step(&mut self) -> bool {
        self.done.clear();
        let Some(date) = self.sharing.next_completion(self.now) else { return false };
        self.now = date;
        self.sharing.collect(date, &mut self.done);
        true
    }

    /// Goes through `completions` completions; each finished flow is replaced by `next`.
    fn renew(&mut self, completions: usize, mut next: impl FnMut(&mut Self, usize)) {
        let mut ended = 0;
        while ended < completions && self.step() {
            ended += self.done.len();
            for token in std::mem::take(&mut self.done) {
                let from = token as usize / self.hosts();
                next(self, from);
            }
        }
    }

    fn drain(&mut self) {
        while self.step() {}
    }
}

/// Every host keeps `per_host` flows to random others.
fn renewed(c: &mut Criterion) {
    let mut group = c.benchmark_group("switch");
    for (hosts, per_host) in [(256, 4), (1024, 1), (1024, 4), (4096, 1)] {
        let mut switch = Switch::new(hosts);
        for from in 0..hosts * per_host {
            switch.send_to_anyone(from % hosts);
        }
        switch.renew(2 * hosts * per_host, Switch::send_to_anyone);
        group.throughput(Throughput::Elements(1000));
        group.bench_function(format!("{hosts} hosts, {per_host} each"), |b| {
            b.iter(|| switch.renew(1000, Switch::send_to_anyone));
        });
    }
}

/// All hosts send to host 0, again and again.
fn incast(c: &mut Criterion) {
    let mut group = c.benchmark_group("incast");
    for hosts in [1024, 16_384] {
        let mut switch = Switch::new(hosts);
        let to_root = |s: &mut Switch, from| {
            let size = s.random_size();
            s.send(from, 0, size);
        };
        (1..hosts).for_each(|from| to_root(&mut switch, from));
        switch.renew(2 * hosts, to_root);
        group.throughput(Throughput::Elements(1000));
        group.bench_function(format!("{hosts} hosts"), |b| b.iter(|| switch.renew(1000, to_root)));
    }
}

/// One round at a time, everything starts and ends together.
fn equal(c: &mut Criterion) {
    let mut group = c.benchmark_group("equal");
    for hosts in [64, 256] {
        let mut switch = Switch::new(hosts);
        group.throughput(Throughput::Elements((hosts * (hosts - 1)) as u64));
        group.bench_function(format!("all to all of {hosts}"), |b| {
            b.iter(|| {
                switch.send_all_to_all(|_| MEAN_SIZE);
                switch.drain();
            });
        });
    }
    let mut ring = Switch::new(4096);
    group.throughput(Throughput::Elements(4096));
    group.bench_function("ring of 4096", |b| {
        b.iter(|| {
            (0..4096).for_each(|from| ring.send(from, (from + 1) % 4096, MEAN_SIZE));
            ring.drain();
        });
    });
    let mut halo = Switch::new(4096);
    group.throughput(Throughput::Elements(4 * 4096));
    group.bench_function("halo of 64 x 64", |b| {
        b.iter(|| {
            for (from, step) in (0..4096).flat_map(|from| [1, 64, 4095, 4032].map(|step| (from, step))) {
                halo.send(from, (from + step) % 4096, MEAN_SIZE);
            }
            halo.drain();
        });
    });
}

/// All to all of random sizes: every completion is alone, and all rates depend on each other.
fn uneven(c: &mut Criterion) {
    let mut group = c.benchmark_group("random all to all");
    group.sample_size(10);
    let mut switch = Switch::new(64);
    group.throughput(Throughput::Elements(64 * 63));
    group.bench_function("64, all", |b| {
        b.iter(|| {
            switch.send_all_to_all(Switch::random_size);
            switch.drain();
        });
    });
    let mut begun = Switch::new(256);
    begun.send_all_to_all(Switch::random_size);
    begun.renew(20_000, |_, _| {});
    group.throughput(Throughput::Elements(100));
    group.bench_function("256, hundred in the middle", |b| {
        b.iter_batched_ref(|| begun.clone(), |s| s.renew(100, |_, _| {}), BatchSize::PerIteration);
    });
}

criterion_group! {
    name = patterns;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = renewed, incast, equal, uneven
}
criterion_main!(patterns);
