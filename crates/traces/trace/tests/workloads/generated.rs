//! Generated workloads: they end, send what they say, and compute as long as they say.

use mpirage_call::Reply;
use mpirage_call::wire::decode_call;
use mpirage_mpi::Ending;
use mpirage_trace::{Calls, Generated, PATTERNS, Step, Workload};

use crate::common::{Ran, replay};

fn ran(spec: &str) -> Ran {
    let ran = replay(&mut Generated::parse(spec).unwrap()).unwrap();
    assert_eq!(ran.ending, Ending::Finished, "{spec}");
    ran
}

#[test]
fn every_pattern_ends_with_any_number_of_ranks() {
    for info in PATTERNS {
        for ranks in [1, 2, 3, 7, 12, 16] {
            for bytes in ["0", "3", "1MiB"] {
                let bytes =
                    if info.keys.contains(&"bytes") { format!(",bytes={bytes}") } else { String::new() };
                ran(&format!("gen:{},ranks={ranks},iterations=3,compute=1us{bytes}", info.name));
            }
        }
    }
}

#[test]
fn as_many_messages_are_sent_as_the_pattern_says() {
    let messages = |spec: &str| ran(spec).messages;
    assert_eq!(messages("gen:halo2d,ranks=12,iterations=5"), 12 * 4 * 5);
    assert_eq!(messages("gen:halo3d,ranks=27,iterations=2"), 27 * 6 * 2);
    // 3 × 4 ranks with borders: 2·4 pairs along the first axis, 3·3 along the second, both ways.
    assert_eq!(messages("gen:halo2d,ranks=12,dims=3x4,periodic=no,iterations=1"), 2 * (8 + 9));
    assert_eq!(messages("gen:ring,ranks=5,iterations=4"), 20);
    assert_eq!(messages("gen:pingpong,ranks=7,iterations=4"), 3 * 2 * 4);
    assert_eq!(messages("gen:incast,ranks=9,root=4,iterations=3"), 8 * 3);
    // 8 corners, 5 planes, 3 angle blocks; 2 pairs of ranks along one axis, 3 along the other.
    assert_eq!(messages("gen:sweep3d,ranks=6,dims=2x3,planes=5,angles=3,iterations=2"), 8 * 15 * (3 + 4) * 2);
    assert_eq!(messages("gen:allreduce,ranks=8"), 0);
}

#[test]
fn random_peers_depend_on_the_seed_alone() {
    let spec = |seed: u32| format!("gen:random,ranks=16,messages=3,iterations=20,bytes=100KiB,seed={seed}");
    let (one, again, other) = (ran(&spec(1)), ran(&spec(1)), ran(&spec(2)));
    assert_eq!(one.ends, again.ends);
    assert_ne!(one.ends, other.ends);
    // A rank that draws itself sends nothing: one in 16.
    assert!((16 * 3 * 20 * 7 / 8..16 * 3 * 20).contains(&one.messages), "{}", one.messages);
}

#[test]
fn computation_is_as_long_as_it_is_said_to_be() {
    let alone = |spec: &str| ran(spec).seconds();
    assert_eq!(alone("gen:barrier,ranks=1,iterations=10,compute=50us"), 500e-6);
    assert_eq!(alone("gen:barrier,ranks=1,iterations=10,compute=3Mf"), 30e-3);
    assert_eq!(alone("gen:sweep3d,ranks=1,iterations=2,compute=1ms"), 2e-3);
    // A plane of a sweep is a part of the computation of an iteration.
    let work = 8 * 5 * 2;
    let swept =
        alone(&format!("gen:sweep3d,ranks=2,planes=5,angles=2,iterations=1,bytes=0,compute={work}ms"));
    assert!(swept >= 80e-3, "{swept}");
}

#[test]
fn imbalance_is_what_the_last_rank_computes_more() {
    let ends = ran("gen:pingpong,ranks=3,iterations=1,compute=1ms,imbalance=3").ends;
    assert_eq!(ends[2], 3e-3);
    let ends = ran("gen:barrier,ranks=1,iterations=1,compute=1ms,imbalance=3").ends;
    assert_eq!(ends[0], 1e-3);
}

#[test]
fn noise_makes_computation_longer_by_less_than_it_says() {
    let seconds = ran("gen:barrier,ranks=1,iterations=100,compute=1ms,noise=0.5,seed=3").seconds();
    assert!((0.115..0.135).contains(&seconds), "{seconds}");
    assert_ne!(seconds, ran("gen:barrier,ranks=1,iterations=100,compute=1ms,noise=0.5,seed=4").seconds());
}

/// A million ranks take one step each in the memory of eight bytes per rank.
#[test]
fn a_million_ranks_are_small() {
    let mut workload = Generated::parse("gen:halo3d,ranks=1048576,compute=1us").unwrap();
    let (mut words, reply) = (Vec::new(), Reply::default());
    for rank in (0..workload.ranks()).step_by(4099) {
        for _ in 0..2 {
            words.clear();
            assert_eq!(workload.next(rank, &reply, &mut Calls::new(&mut words)).unwrap(), Step::Waits);
        }
        let (mut at, mut calls) = (0, 0);
        while at < words.len() {
            at += decode_call(&words[at..]).unwrap().2;
            calls += 1;
        }
        assert_eq!(calls, 1 + 6 + 6 + 1);
    }
}
