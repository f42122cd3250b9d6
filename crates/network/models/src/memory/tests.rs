//! Copies and traffic against the formulas.

use mpirage_kernel::Connection;
use mpirage_platform::{CopyModes, Mechanism, NodeLatency, SingleCopy};

use super::*;

/// Two sockets of two domains; memory of 20 GB/s per domain, 15 GB/s between sockets, cores that copy 10 GB/s.
fn node() -> NodeSpec {
    NodeSpec {
        sockets: 2,
        domains_per_socket: 2,
        memory_bandwidth: 40e9,
        core_bandwidth: 12e9,
        socket_bandwidth: 15e9,
        latency: NodeLatency { domain: 1e-6, socket: 2e-6, host: 4e-6 },
        copies: CopyModes {
            bandwidth: 10e9,
            cache_bandwidth: 20e9,
            cache: 1000,
            inline: 100,
            buffer_latency: 0.0,
            buffer: 10_000,
            write_allocate: false,
            fragment: 10_000,
            single: Some(SingleCopy {
                mechanism: Mechanism::Cma,
                from: 1_000_000,
                latency: 3e-6,
                bandwidth: 8e9,
            }),
        },
    }
}

/// Sixteen ranks on one host, four in each domain.
fn bound_to_cores() -> Vec<Binding> {
    (0..16).map(|rank| Binding { host: HostId(0), domains: rank / 4..rank / 4 + 1 }).collect()
}

enum Start {
    Copy(u32, u32, u64),
    Traffic(u32, f64, f64),
}

/// When each of these ends, in seconds, if all start at once.
fn ends(node: NodeSpec, bindings: Vec<Binding>, starts: &[Start]) -> Vec<f64> {
    ends_in(NodeMemory::new(node, bindings, MemoryUse::Shared), starts)
}

fn ends_in(mut memory: NodeMemory, starts: &[Start]) -> Vec<f64> {
    for (number, start) in starts.iter().enumerate() {
        let token = Token(number as u64);
        match *start {
            Start::Copy(source, target, bytes) => {
                let connection = Connection { source, target, ..Connection::default() };
                let transfer = Transfer { connection, ..Transfer::data(HostId(0), HostId(0), bytes) };
                memory.start_copy(Time::ZERO, transfer, token);
            }
            Start::Traffic(end_point, bytes, rate) => {
                memory.start_traffic(Time::ZERO, Traffic { end_point, bytes, rate, cores: 1.0 }, token);
            }
        }
    }
    let (mut now, mut events, mut ends) = (Time::ZERO, Vec::new(), vec![f64::NAN; starts.len()]);
    while let Some(next) = memory.next(now) {
        now = next;
        memory.collect(now, &mut events);
        for event in events.drain(..).filter(|event| event.milestone == Milestone::Ended) {
            ends[event.token.0 as usize] = now.as_secs_f64();
        }
    }
    ends
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 2e-12 + 1e-9 * expected, "{found} instead of {expected}");
}

fn alone(source: u32, target: u32, bytes: u64) -> f64 {
    ends(node(), bound_to_cores(), &[Start::Copy(source, target, bytes)])[0]
}

#[test]
fn a_message_alone_takes_latency_and_copies() {
    assert_near(alone(0, 1, 0), 1e-6);
    // In caches, both copies after each other.
    assert_near(alone(0, 1, 1000), 1e-6 + 2000.0 / 20e9);
    // From memory, in one piece and in several.
    // Pieces that do not fit into caches use memory four times: 4 × 5 GB/s is all that the domain has.
    assert_near(alone(0, 1, 10_000), 1e-6 + 10_000.0 / 10e9 + 10_000.0 / 5e9);
    assert_near(alone(0, 1, 100_000), 1e-6 + 10_000.0 / 10e9 + 100_000.0 / 5e9);
    // One copy: 3 us to begin, 8 GB/s.
    assert_near(alone(0, 1, 1_000_000), 4e-6 + 1e6 / 8e9);
}

#[test]
fn a_shared_buffer_in_caches_uses_no_memory() {
    let mut node = node();
    node.copies.cache = node.copies.fragment;
    let copy = |bytes| ends(node, bound_to_cores(), &[Start::Copy(0, 1, bytes)])[0];
    assert_near(copy(10_000), 1e-6 + 20_000.0 / 20e9);
    assert_near(copy(100_000), 1e-6 + 110_000.0 / 10e9);
    let both = [Start::Copy(0, 1, 100_000), Start::Copy(2, 3, 100_000)];
    // 2 × 2 × 10 GB/s of 20 GB/s.
    for end in ends(node, bound_to_cores(), &both) {
        assert_near(end, 1e-6 + 10_000.0 / 10e9 + 100_000.0 / 5e9);
    }
}

#[test]
fn a_buffer_costs_time_beyond_what_a_notice_carries() {
    let mut node = node();
    node.copies.buffer_latency = 5e-6;
    let copy = |bytes| ends(node, bound_to_cores(), &[Start::Copy(0, 1, bytes)])[0];
    assert_near(copy(100), 1e-6 + 200.0 / 20e9);
    assert_near(copy(101), 6e-6 + 202.0 / 20e9);
    assert_near(copy(1_000_000), alone(0, 1, 1_000_000));
}

#[test]
fn distance_counts() {
    assert_near(alone(0, 4, 0), 2e-6);
    assert_near(alone(0, 8, 0), 4e-6);
    // The sender's domain carries three of the four: 3 × 6.67 GB/s.
    assert_near(alone(0, 8, 100_000), 4e-6 + 10_000.0 / 10e9 + 100_000.0 / (20e9 / 3.0));
    // A message to oneself is copied once, without a request.
    assert_near(alone(3, 3, 100_000), 1e-6 + 100_000.0 / 8e9);
}

#[test]
fn messages_share_the_memory_of_a_domain() {
    // Two single copies ask for 2 × 2 × 8 GB/s of 20 GB/s.
    let both = [Start::Copy(0, 1, 1_000_000), Start::Copy(2, 3, 1_000_000)];
    for end in ends(node(), bound_to_cores(), &both) {
        assert_near(end, 4e-6 + 1e6 / 5e9);
    }
    // In different domains they do not meet.
    let apart = [Start::Copy(0, 1, 1_000_000), Start::Copy(4, 5, 1_000_000)];
    for end in ends(node(), bound_to_cores(), &apart) {
        assert_near(end, 4e-6 + 1e6 / 8e9);
    }
}

#[test]
fn without_contention_nothing_is_shared() {
    let starts = [Start::Copy(0, 1, 1_000_000), Start::Copy(2, 3, 1_000_000), Start::Copy(3, 2, 100_000)];
    let found = ends_in(NodeMemory::new(node(), bound_to_cores(), MemoryUse::Unshared), &starts);
    let alone = [alone(0, 1, 1_000_000), alone(2, 3, 1_000_000), alone(3, 2, 100_000)];
    found.into_iter().zip(alone).for_each(|(found, alone)| assert_near(found, alone));
}

#[test]
fn messages_share_the_link_between_sockets_and_each_direction_has_its_own() {
    let across = [Start::Copy(0, 8, 1_000_000), Start::Copy(4, 12, 1_000_000), Start::Copy(9, 5, 1_000_000)];
    let [one, other, back] = ends(node(), bound_to_cores(), &across)[..] else { unreachable!() };
    assert_near(one, 7e-6 + 1e6 / 7.5e9);
    assert_near(other, 7e-6 + 1e6 / 7.5e9);
    assert_near(back, 7e-6 + 1e6 / 8e9);
}

#[test]
fn a_rank_copies_one_byte_at_a_time() {
    // Fifteen ranks send to one: its core is the limit, not the memory.
    let starts: Vec<Start> = (1..4).map(|rank| Start::Copy(rank, 0, 1000)).collect();
    for end in ends(node(), bound_to_cores(), &starts) {
        assert_near(end, 1e-6 + 1000.0 / 20e9 + 3.0 * 1000.0 / 20e9);
    }
}

#[test]
fn computation_is_bound_by_its_core_or_by_the_memory_of_its_domain() {
    for ranks in 1..=4 {
        let starts: Vec<Start> = (0..ranks).map(|rank| Start::Traffic(rank, 1e9, f64::INFINITY)).collect();
        let share = f64::min(12e9, 20e9 / f64::from(ranks));
        for end in ends(node(), bound_to_cores(), &starts) {
            assert_near(end, 1e9 / share);
        }
    }
    // Slow computations need less than their share, and leave the rest to others.
    let starts = [Start::Traffic(0, 1e9, 2e9), Start::Traffic(1, 9e9, 9e9), Start::Traffic(2, 9e9, 9e9)];
    for end in ends(node(), bound_to_cores(), &starts) {
        assert!((0.5..=1.0 + 1e-9).contains(&end), "{end}");
    }
}

#[test]
fn computation_and_messages_share_memory_by_core() {
    // A copying core moves two bytes per byte of the message, and gets as much traffic as a computing core: 3 × 6.67 GB/s.
    let computing = [Start::Traffic(1, 1e9, f64::INFINITY), Start::Traffic(2, 1e9, f64::INFINITY)];
    let mut starts = vec![Start::Copy(0, 3, 600_000_000)];
    starts.extend(computing);
    let found = ends(node(), bound_to_cores(), &starts);
    assert_near(found[1], found[2]);
    assert!((found[1] - 1e9 / (20e9 / 3.0)).abs() < 1e-5, "{found:?}");
}

#[test]
fn ranks_that_are_not_bound_use_all_domains_evenly() {
    let everywhere = vec![Binding { host: HostId(0), domains: 0..4 }; 16];
    let mean = (4.0 * 1e-6 + 4.0 * 2e-6 + 8.0 * 4e-6) / 16.0;
    let latency = ends(node(), everywhere.clone(), &[Start::Copy(0, 1, 0)])[0];
    assert_near(latency, mean);
    // All memory together: 80 GB/s for eight computations.
    let starts: Vec<Start> = (0..8).map(|rank| Start::Traffic(rank, 1e9, f64::INFINITY)).collect();
    for end in ends(node(), everywhere, &starts) {
        assert_near(end, 0.1);
    }
}
