//! `MPI_IN_PLACE` in the engine: rules see it, ranks that follow one schedule do not mix it up, and nothing is copied.

use std::sync::Arc;

use mpirage_call::{Blocks, Call, Collective, CollectiveCall, Input, Part, Payload, WORLD};
use mpirage_mpi::Ending;
use mpirage_scenario::Model;

use crate::common::{engine_of_model, one_switch, run_to_end};

const RANKS: usize = 8;
/// Bytes of a block.
const BLOCK: u64 = 40_000;
/// Seconds that copying a block takes.
const COPY: f64 = 4e-3;

fn call(kind: Collective, input: Input) -> Call<'static> {
    let part = |blocks| Part { payload: Payload::Absent, blocks };
    let blocks = match kind {
        Collective::Alltoall => [Blocks::Equal(BLOCK); 2],
        _ => [Blocks::Whole(BLOCK), Blocks::Equal(BLOCK)],
    };
    let [send, recv] = blocks.map(part);
    Call::Collective(CollectiveCall { kind, send, recv, input, ..CollectiveCall::agreement(WORLD) })
}

/// When each rank ends that makes one call.
fn ends(choice: &str, kind: Collective, input: impl Fn(usize) -> Input) -> Vec<f64> {
    let scripts: Vec<_> = (0..RANKS).map(|rank| vec![call(kind, input(rank))]).collect();
    let platform = Arc::new(one_switch(RANKS));
    let (mut model, _) = Model::resolve("flow:factors", platform.settings(), (100e-6, 125e6)).unwrap();
    model.protocol.copy_seconds_per_byte = COPY / BLOCK as f64;
    let ran = run_to_end(engine_of_model(platform, &model, choice, &[RANKS as u32]), &scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran.ends
}

#[test]
fn rules_choose_by_it() {
    let alltoall = |choice: &str, input| ends(choice, Collective::Alltoall, |_| input);
    for (table, method) in [("openmpi-4.1", "both-ways"), ("mpich-4.0", "ascending-exchange")] {
        let chosen = alltoall(table, Input::InPlace);
        assert_eq!(chosen, alltoall(&format!("alltoall={method}"), Input::InPlace), "{table}");
        assert_ne!(chosen, alltoall(table, Input::Apart), "{table}");
    }
}

#[test]
fn a_contribution_in_place_is_not_copied() {
    let allgather = |input: fn(usize) -> Input| ends("allgather=ring", Collective::Allgather, input);
    let (apart, in_place) = (allgather(|_| Input::Apart), allgather(|_| Input::InPlace));
    for (apart, in_place) in apart.iter().zip(&in_place) {
        assert!((apart - in_place - COPY).abs() < 1e-10, "{apart} {in_place}");
    }
}

/// All ranks can follow the schedule of rank 0, but only if they make the same call.
#[test]
fn ranks_may_differ() {
    let in_place = |rank: usize| if rank.is_multiple_of(2) { Input::InPlace } else { Input::Apart };
    let mixed = ends("allgather=linear", Collective::Allgather, in_place);
    let apart = ends("allgather=linear", Collective::Allgather, |_| Input::Apart);
    assert_ne!(mixed, apart);
    let all = ends("allgather=linear", Collective::Allgather, |_| Input::InPlace);
    assert_ne!(mixed, all);
}
