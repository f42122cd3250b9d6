//! Ranks of one host: messages through its memory, and computation that reads it.

use mpirage_call::{Call, Work};
use mpirage_mpi::Ending;
use mpirage_platform::Platform;

use crate::common::{recv, run, send};

/// One host of two sockets with eight cores each, of 1 Gflop/s. Memory of 40 GB/s per socket, 12 GB/s for one core.
fn host() -> Platform {
    let spec = "cluster:1,cores=16,sockets=2,memory-bandwidth=40GBps,core-bandwidth=12GBps,memory-latency=1us,copy-bandwidth=8GBps,\
                cache=0,socket-latency=3us,single-copy=cma,single-copy-from=1MB,single-copy-latency=2us";
    Platform::load(spec, 1).unwrap()
}

fn ends(scripts: &[Vec<Call<'_>>]) -> Vec<f64> {
    let ran = run(host(), "flow:factors", "default", scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran.ends
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 2e-12 + 1e-9 * expected, "{found} instead of {expected}");
}

fn compute(flops: f64, bytes: f64) -> Vec<Call<'static>> {
    vec![Call::Compute { work: Work::Roofline { flops, bytes }, request: None }]
}

#[test]
fn bursts_are_bound_by_the_core_or_by_the_memory_of_the_socket() {
    // One second of work for 5 GB: the core is the limit until more than eight ranks share 40 GB/s, so it always is.
    for ranks in [1, 4, 8] {
        ends(&vec![compute(1e9, 5e9); ranks]).into_iter().for_each(|end| assert_near(end, 1.0));
    }
    // As in STREAM, hardly any work: one rank reaches 12 GB/s, three share the socket.
    for (ranks, rate) in [(1, 12e9), (3, 12e9), (4, 10e9), (8, 5e9)] {
        ends(&vec![compute(1e6, 6e9); ranks]).into_iter().for_each(|end| assert_near(end, 6e9 / rate));
    }
    // Ranks 8 to 15 are on the other socket.
    let other = ends(&vec![compute(1e6, 6e9); 12]);
    assert_near(other[0], 6e9 / 5e9);
    assert_near(other[11], 6e9 / 10e9);
}

#[test]
fn work_without_operations_is_traffic_alone() {
    assert_near(ends(&[compute(0.0, 12e9)])[0], 1.0);
    assert_near(ends(&[compute(3e9, 0.0)])[0], 3.0);
}

#[test]
fn messages_within_a_host_take_latency_and_copies() {
    let message =
        |bytes| ends(&[vec![send(1, 0, bytes, None)], vec![recv(Some(0), Some(0), bytes, None)]])[1];
    assert_near(message(0), 1e-6);
    assert_near(message(8000), 1e-6 + 16_000.0 / 8e9);
    assert_near(message(2_000_000), 3e-6 + 2e6 / 8e9);
}

#[test]
fn pairs_share_the_memory_of_a_socket_with_each_other_and_with_computation() {
    let pairs = |count: u32, beside: Option<Vec<Call<'static>>>| {
        let mut scripts = Vec::new();
        for pair in 0..count {
            scripts.push(vec![send(2 * pair + 1, 0, 80_000_000, None)]);
            scripts.push(vec![recv(Some(2 * pair), Some(0), 80_000_000, None)]);
        }
        scripts.extend(beside);
        ends(&scripts)[1]
    };
    assert_near(pairs(1, None), 3e-6 + 10e-3);
    // Two pairs ask for 2 × 16 GB/s of 40 GB/s, four for 64 GB/s.
    assert_near(pairs(2, None), 3e-6 + 10e-3);
    assert_near(pairs(4, None), 3e-6 + 16e-3);
    // Three pairs and a core that reads as fast as it can: 3 × 16 + 12 GB/s of 40 GB/s, 10 GB/s for each.
    let reader = compute(0.0, 1e9);
    assert!((pairs(3, Some(reader)) - 16e-3).abs() < 1e-5);
}
