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
    let case = Case::new(collective, ranks, bytes).element(4).on((0..ranks).map(|rank| rank / per_node));
    Choice::parse("nccl").unwrap().method(collective, &case.shape(0)).to_string()
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
         write nccl/ring, nccl/tree, nccl/grouped or nccl/tuned"
    );
    assert!(error("allgather=pat").contains("it came with 2.23"));
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
