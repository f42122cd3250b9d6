//! NCCL's collectives on nodes of all kinds, with all protocols and numbers of channels: every rank ends with the data that its collective
//! promises, and as many bytes go as the literature says.

use mpirage_call::{Algorithm, Collective, Method, Settings, WireProtocol};
use mpirage_collectives::{Choice, Performed, Step};

use crate::common::machine::{Outcome, Sends, run, run_with};
use crate::common::memory::Memory;
use crate::common::{Case, all_pairs};

fn method(algorithm: Algorithm, protocol: WireProtocol, channels: u8) -> Method {
    let settings =
        Settings { protocol: Some(protocol), channels: Some(channels), segment: Some(40), ..Settings::NONE };
    Method { algorithm, settings }
}

fn check(case: &Case, method: Method) {
    let schedules = case.annotated(method);
    for sends in [Sends::Eager, Sends::Synchronous] {
        run_with(&schedules, sends, Memory::of(case))
            .unwrap_or_else(|failure| panic!("{method}, {sends:?}: {failure:?}\n{case:?}"));
    }
}

/// Nodes of equal size, of different sizes, with ranks dealt out in turn, one node, a node for each rank.
fn layouts(size: u32) -> Vec<Vec<u32>> {
    let by = |host: &dyn Fn(u32) -> u32| (0..size).map(host).collect();
    vec![by(&|r| r / 2), by(&|r| r / 3), by(&|r| r % 3), by(&|_| 0), by(&|r| r), by(&|r| r.min(1))]
}

#[test]
fn data_arrive_on_all_kinds_of_nodes() {
    let mut checked = 0;
    let moving = [Algorithm::NcclRing, Algorithm::NcclTree];
    for (collective, algorithm) in all_pairs().filter(|(_, algorithm)| moving.contains(algorithm)) {
        for protocol in WireProtocol::ALL {
            for (size, root) in (1..=16).flat_map(|size| [(size, 0), (size, size - 1)]) {
                for (hosts, channels) in layouts(size).into_iter().zip([0, 1, 2, 3, 5, 16]) {
                    let case = Case::new(collective, size, 800).root(root).element(8).on(hosts);
                    check(&case, method(algorithm, protocol, channels));
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 4000, "{checked}");
}

const AGGREGATED: [Collective; 4] = [
    Collective::Allgather,
    Collective::Allgatherv,
    Collective::ReduceScatterBlock,
    Collective::ReduceScatter,
];

/// Aggregated trees with chunks of `segment` bytes.
fn aggregated(segment: u64, channels: u8) -> Method {
    let settings = Settings { segment: Some(segment), channels: Some(channels), ..Settings::NONE };
    Method { algorithm: Algorithm::NcclPat, settings }
}

/// Buffers for all blocks, for some of them, for none; blocks of different lengths and none.
#[test]
fn aggregated_trees_bring_all_data_with_buffers_of_all_sizes() {
    for collective in AGGREGATED {
        for (size, bytes) in (1..=33).flat_map(|size| [(size, 0), (size, 40), (size, 72)]) {
            let case = Case::new(collective, size, bytes).element(8);
            let case = case.counts(|i, j| u64::from((i + 2 * j) % 3) * bytes);
            for (segment, channels) in [(0, 0), (8, 1), (24, 2), (40, 1), (160, 1), (640, 3)] {
                check(&case, aggregated(segment, channels));
            }
        }
    }
}

/// Jeaugey (2025): a logarithm of steps while the buffer holds half of all blocks, and never more bytes than each block once to each rank.
#[test]
fn aggregated_trees_take_a_logarithm_of_steps_and_move_each_block_once() {
    for collective in AGGREGATED {
        for ranks in 2..=33u32 {
            let case = Case::new(collective, ranks, 64).element(8);
            let seen = run(&case.annotated(aggregated(1 << 20, 0)), Sends::Eager).unwrap();
            assert_eq!(seen.rounds, ranks.next_power_of_two().ilog2(), "{collective} {ranks}");
            assert_eq!(seen.messages as u32, ranks * seen.rounds);
            let reduces = if collective.reduces() { u64::from(ranks) } else { 0 };
            assert_eq!(seen.reduced, reduces * u64::from(ranks - 1) * 64);
            for segment in [1 << 20, 512, 64, 16] {
                let seen = run(&case.annotated(aggregated(segment, 1)), Sends::Synchronous).unwrap();
                let block_of_all = u64::from(ranks - 1) * 64;
                assert!(seen.sent.iter().chain(&seen.received).all(|&bytes| bytes == block_of_all));
            }
        }
    }
}

/// Eight blocks of 64 ranks fit: three steps spread them, and seven follow with eight blocks each.
#[test]
fn aggregated_trees_are_linear_where_the_buffer_is_full() {
    let rounds = |ranks, segment| {
        let case = Case::new(Collective::Allgather, ranks, 64);
        run(&case.annotated(aggregated(segment, 1)), Sends::Eager).unwrap().rounds
    };
    assert_eq!(rounds(64, 64), 3 + 7);
    assert_eq!(rounds(64, 128), 4 + 3);
    assert_eq!(rounds(64, 256), 6);
    assert_eq!(rounds(64, 32), 2 * (3 + 7), "two passes");
    assert_eq!(rounds(33, 64), 3 + 7);
}

/// Bruck's distances, from the farthest: partners of a binomial tree, and nothing between far ranks but the first blocks.
#[test]
fn far_messages_have_the_fewest_blocks() {
    let case = Case::new(Collective::Allgather, 12, 8);
    let schedule = &case.annotated(aggregated(1 << 20, 0))[0];
    let sends = schedule.steps.iter().filter_map(|step| match step {
        Step::Isend { to, bytes, .. } => Some((*to, bytes / 8)),
        _ => None,
    });
    assert_eq!(sends.collect::<Vec<_>>(), [(4, 1), (8, 1), (10, 3), (11, 6)]);
}

/// As NCCL chooses it: with one rank on each node only.
#[test]
fn aggregated_trees_are_for_nodes_of_one_rank() {
    for collective in AGGREGATED {
        let fits = |per_node: u32| {
            let case = Case::new(collective, 8, 8).on((0..8).map(|rank| rank / per_node));
            collective.fits(Algorithm::NcclPat, &case.shape(0))
        };
        assert_eq!([1, 2, 8].map(fits), [true, false, false], "{collective}");
    }
    let ordered = Case::new(Collective::ReduceScatterBlock, 8, 8).commutative(false);
    assert!(!Collective::ReduceScatterBlock.fits(Algorithm::NcclPat, &ordered.shape(0)));
}

/// Simple protocol, so that bytes are those of the data.
fn outcome(collective: Collective, algorithm: Algorithm, ranks: u32, bytes: u64, nodes: u32) -> Outcome {
    let case = Case::new(collective, ranks, bytes).element(8).on((0..ranks).map(|r| r * nodes / ranks));
    let settings = Settings { segment: Some(1 << 20), ..Settings::NONE };
    run(&case.annotated(Method { algorithm, settings }), Sends::Synchronous).unwrap()
}

/// Patarasuk, Yuan (2009): each rank sends 2 (n - 1) / n of the vector, and no algorithm can do with less.
#[test]
fn a_ring_moves_the_least_bytes_there_can_be() {
    for (ranks, nodes) in [(8, 1), (16, 2), (32, 4), (6, 6)] {
        let bytes = 8 * 8 * u64::from(ranks) * 100;
        let seen = outcome(Collective::Allreduce, Algorithm::NcclRing, ranks, bytes, nodes);
        assert!(seen.sent.iter().all(|&sent| sent == 2 * u64::from(ranks - 1) * bytes / u64::from(ranks)));
        for collective in [Collective::Allgather, Collective::ReduceScatterBlock] {
            let block = 8 * 8 * 100;
            let seen = outcome(collective, Algorithm::NcclRing, ranks, block, nodes);
            assert!(seen.sent.iter().all(|&sent| sent == u64::from(ranks - 1) * block), "{collective}");
        }
    }
}

/// Each link of a tree carries the vector up and down once: 2 (n - 1) vectors in all. With two trees, of nodes of one rank each, no rank
/// sends more than twice the vector up and down, as in Sanders, Speck, Träff (2009).
#[test]
fn a_double_tree_carries_the_vector_twice_per_link() {
    for (ranks, nodes) in [(8, 1), (16, 2), (24, 3), (32, 4), (13, 13), (16, 16)] {
        let bytes = 8 * 96 * 100;
        let seen = outcome(Collective::Allreduce, Algorithm::NcclTree, ranks, bytes, nodes);
        assert_eq!(seen.volume, 2 * u64::from(ranks - 1) * bytes);
        if nodes == ranks {
            assert!(seen.sent.iter().all(|&sent| sent <= 2 * bytes), "{ranks} {:?}", seen.sent);
        }
    }
}

/// LL sends 8 bytes of data in 16, LL128 120 in 128.
#[test]
fn protocols_add_bytes() {
    let case = Case::new(Collective::Allgather, 4, 960).on([0; 4]);
    let sent = |protocol| {
        let settings = Settings { protocol: Some(protocol), ..Settings::NONE };
        let schedules = case.annotated(Method { algorithm: Algorithm::NcclRing, settings });
        run(&schedules, Sends::Eager).unwrap().sent[0]
    };
    assert_eq!(WireProtocol::ALL.map(sent), [3 * 1920, 3 * 1024, 3 * 960]);
}

fn chosen(collective: Collective, ranks: u32, per_node: u32, bytes: u64) -> String {
    chosen_by("nccl", collective, ranks, per_node, bytes)
}

fn chosen_by(table: &str, collective: Collective, ranks: u32, per_node: u32, bytes: u64) -> String {
    let case = Case::new(collective, ranks, bytes).element(4).on((0..ranks).map(|rank| rank / per_node));
    Choice::parse(table).unwrap().method(collective, &case.shape(0)).to_string()
}

/// Aggregated trees where a ring's hops would take longer: 8 + log2 n · 4 + n · 2.8 us instead of 8.4 + (n - 1) · 14, or n - 1 hops of LL
/// with 5 us each. Rings of LL win between few ranks with few bytes, of Simple with many bytes, since trees have 85 % of the rate.
#[test]
fn nccl_2_23_has_aggregated_trees() {
    let choice = |ranks, per_node, bytes| {
        chosen_by("nccl-2.23", Collective::Allgather, ranks, per_node, bytes / u64::from(ranks))
    };
    assert_eq!(choice(64, 1, 4096), "nccl/pat:channels=1");
    assert_eq!(choice(64, 1, 1 << 20), "nccl/pat:channels=4");
    assert_eq!(choice(2, 1, 64), "nccl/ring:protocol=ll:channels=1");
    assert_eq!(choice(64, 1, 8 << 30), "nccl/ring:protocol=simple:channels=4");
    assert!(choice(64, 8, 4096).starts_with("nccl/ring:protocol=ll"));
    assert!(chosen(Collective::Allgather, 64, 1, 64).starts_with("nccl/ring:protocol=ll"));
    let scattered = chosen_by("nccl-2.23", Collective::ReduceScatter, 64, 1, 64);
    assert_eq!(scattered, "nccl/pat:channels=1");
    assert!(chosen_by("nccl-2.23", Collective::Allreduce, 64, 1, 64).starts_with("nccl/tree"));
}

/// By the formula of tuning.cc in 2.23.4: 8 us, 4 us for each level of the tree, 2.8 us for each rank; the platform's links have 2.7 us a hop.
#[test]
fn aggregated_trees_take_the_times_of_nccls_formula() {
    let steps = &Case::new(Collective::Allgather, 16, 8).annotated(Algorithm::NcclPat.into())[3].steps;
    let delays = steps.iter().map(|step| if let Step::Delay { span } = step { span.as_picos() } else { 0 });
    let (whole, links) = (8.0 + 4.0 * 4.0 + 16.0 * 2.8, 4.0 * 2.7);
    let ours = delays.sum::<u64>() as f64 / 1e6 + links;
    assert!((ours / whole - 1.0).abs() < 1e-3, "{ours} {whole}");
}

/// As NCCL's own table says for eight H100 of a node, and for 64 of eight nodes, without NVLS.
#[test]
fn the_choice_follows_the_size() {
    let allreduce = |ranks, bytes| chosen(Collective::Allreduce, ranks, 8, bytes);
    assert_eq!(allreduce(8, 8), "nccl/ring:protocol=ll:channels=1");
    assert_eq!(allreduce(8, 1 << 30), "nccl/ring:protocol=simple:channels=24");
    assert_eq!(allreduce(64, 1024), "nccl/tree:protocol=ll:channels=1");
    assert!(allreduce(64, 8 << 20).starts_with("nccl/tree:protocol=ll128"));
    assert_eq!(allreduce(64, 4 << 30), "nccl/ring:protocol=simple:channels=16");
    assert_eq!(chosen(Collective::Allgather, 8, 8, 1 << 27), "nccl/ring:protocol=simple:channels=24");
    assert_eq!(chosen(Collective::Alltoall, 8, 8, 1 << 20), "nccl/grouped");
    assert_eq!(chosen(Collective::Barrier, 8, 8, 0), "dissemination", "NCCL has none");
}

#[test]
fn tables_know_their_latest_version() {
    assert_eq!(Choice::parse("nccl").unwrap().name(), "nccl-2.20");
    assert_eq!(Choice::parse("nccl").unwrap(), Choice::parse("nccl-2.20").unwrap());
}

#[test]
fn what_is_missing_says_why() {
    let error = |text: &str| Choice::parse(text).unwrap_err().to_string();
    assert_eq!(
        error("allreduce=nccl/nvls"),
        "nccl/nvls is not implemented: a switch reduces and multiplies the data, which messages between ranks do not say; \
         write nccl/ring, nccl/tree, nccl/pat, nccl/grouped or nccl/tuned"
    );
    assert!(error("allgather=nccl/pat:protocol=ll").contains("protocol"));
    assert!(error("allreduce=nccl/ring:protocol=ll64").ends_with("write ll, ll128 or simple"));
}

/// A kernel begins with its start, and the reductions are part of the messages.
#[test]
fn kernels_cost_time_and_combine_on_the_way() {
    let case = Case::new(Collective::Allreduce, 8, 8 << 20).element(4).on([0; 8]);
    let steps = &case.annotated(Algorithm::NcclRing.into())[0].steps;
    let first = steps.iter().find(|step| !matches!(step, Step::Copy { .. }));
    assert!(matches!(first, Some(Step::Delay { span }) if span.as_picos() == 8_400_000));
    assert!(steps.iter().any(|step| matches!(step, Step::Combine { .. })));
    assert!(!steps.iter().any(|step| matches!(step, Step::Reduce { .. })));
    assert!(Collective::Allreduce.knows(Algorithm::NcclTuned));
}
