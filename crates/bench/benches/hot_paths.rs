//! The hot paths in one process: what a message costs without the switch to a rank.
//!
//! `cargo bench -p mpirage-scenario`. Times are per message.
#![allow(missing_docs)] // of what the macros make

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mpirage_call::{
    Algorithm, Blocks, Call, Collective, CollectiveCall, Completing, Part, Payload, Peers, RequestId, WORLD,
};
use mpirage_collectives::{Schedule, Shape, schedule};

#[allow(dead_code)] // tests use the rest
#[path = "../../engine/mpi/tests/common/mod.rs"]
mod common;

use common::{one_switch, recv, run, send};

const REQUESTS: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// A 2-D halo: matching, protocol, agenda and solver together.
fn halo(c: &mut Criterion) {
    let mut group = c.benchmark_group("halo");
    group.sample_size(10);
    for side in [8u32, 16, 32] {
        let script = |rank: u32| {
            let (x, y) = (rank % side, rank / side);
            let at = |x: u32, y: u32| y % side * side + x % side;
            let neighbours = [at(x + 1, y), at(x + side - 1, y), at(x, y + 1), at(x, y + side - 1)];
            let mut calls = Vec::new();
            for _ in 0..10 {
                calls.extend(
                    (0..4)
                        .map(|k| recv(Some(neighbours[k]), Some([1, 0, 3, 2][k]), 10240, Some(REQUESTS[k]))),
                );
                calls.extend((0..4).map(|k| send(neighbours[k], k as i32, 10240, Some(REQUESTS[4 + k]))));
                calls.push(Call::Wait {
                    how: Completing::All,
                    poll: false,
                    requests: RequestId::slice(&REQUESTS),
                });
            }
            calls
        };
        let scripts: Vec<_> = (0..side * side).map(script).collect();
        group.throughput(Throughput::Elements(u64::from(side * side) * 40));
        for model in ["flow:factors", "simgrid"] {
            group.bench_function(BenchmarkId::new(model, side * side), |b| {
                b.iter(|| run(one_switch(scripts.len()), model, "", &scripts).ends);
            });
        }
    }
    group.finish();
}

/// A linear all-to-all: a thousand receives outstanding per rank, a million flows in all at 1,024.
fn alltoall(c: &mut Criterion) {
    let mut group = c.benchmark_group("alltoall-linear");
    group.sample_size(10);
    for ranks in [64usize, 256] {
        let part = Part { payload: Payload::Absent, blocks: Blocks::Equal(65536) };
        let (kind, context) = (Collective::Alltoall, WORLD);
        let call = Call::Collective(CollectiveCall {
            kind,
            context,
            root: 0,
            peers: Peers::All,
            send: part,
            recv: part,
            reduction: None,
            request: None,
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        });
        let scripts = vec![vec![call]; ranks];
        group.throughput(Throughput::Elements((ranks * (ranks - 1)) as u64));
        group.bench_function(BenchmarkId::from_parameter(ranks), |b| {
            b.iter(|| run(one_switch(ranks), "simgrid", "alltoall=linear", &scripts).ends);
        });
    }
    group.finish();
}

/// Expanding one rank's schedule.
fn schedules(c: &mut Criterion) {
    let mut group = c.benchmark_group("schedule");
    let mut steps = Schedule::default();
    for (collective, algorithm) in
        [(Collective::Allreduce, Algorithm::RecursiveDoubling), (Collective::Alltoall, Algorithm::Linear)]
    {
        let shape = Shape::new(1024).rank(5).bytes(4096);
        group.bench_function(format!("{}-{}", collective.name(), algorithm.name()), |b| {
            b.iter(|| {
                schedule(collective, algorithm, &shape, &mut steps);
                steps.steps.len()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, halo, alltoall, schedules);
criterion_main!(benches);
