//! Collectives among neighbours and between the sides of an inter-communicator, in the engine: how long they take, who waits for
//! whom, and which calls do not go together.

use mpirage_call::{
    BESIDE_ROOT, Blocks, Call, Collective, CollectiveCall, Completing, Operator, Part, Payload, Peers,
    Reduction, RequestId, WORLD,
};
use mpirage_mpi::{Ending, Want};
use mpirage_units::Duration;

use crate::common::{one_switch, recv, run, run_once, send};

const RANKS: usize = 6;

fn call(kind: Collective, peers: Peers<'static>, root: u32, blocks: [Blocks<'static>; 2]) -> Call<'static> {
    let [send, recv] = blocks.map(|blocks| Part { payload: Payload::Absent, blocks });
    Call::Collective(CollectiveCall { kind, peers, root, send, recv, ..CollectiveCall::agreement(WORLD) })
}

fn list(ranks: impl IntoIterator<Item = u32>) -> &'static [u32] {
    ranks.into_iter().collect::<Vec<_>>().leak()
}

/// Each rank sends to the `degree` next ones and receives from those before.
fn neighbors(rank: u32, degree: u32) -> Peers<'static> {
    let ranks = RANKS as u32;
    Peers::Neighbors {
        sources: list((1..=degree).map(|distance| (rank + ranks - distance) % ranks)),
        destinations: list((1..=degree).map(|distance| (rank + distance) % ranks)),
    }
}

fn neighbor_alltoall(rank: u32, degree: u32, bytes: u64) -> Call<'static> {
    call(Collective::NeighborAlltoall, neighbors(rank, degree), 0, [Blocks::Equal(bytes); 2])
}

/// The same as messages of the program.
fn messages(rank: u32, degree: u32, bytes: u64) -> Vec<Call<'static>> {
    let Peers::Neighbors { sources, destinations } = neighbors(rank, degree) else { unreachable!() };
    let receives = (1..).zip(sources).map(|(id, &from)| recv(Some(from), Some(0), bytes, Some(id)));
    let sends = (1 + degree..).zip(destinations).map(|(id, &to)| send(to, 0, bytes, Some(id)));
    let requests = RequestId::slice(list(1..=2 * degree));
    let wait = Call::Wait { how: Completing::All, poll: false, requests };
    receives.chain(sends).chain([wait]).collect()
}

fn scripts(of: impl Fn(u32) -> Vec<Call<'static>>) -> Vec<Vec<Call<'static>>> {
    (0..RANKS as u32).map(of).collect()
}

fn late(rank: u32, who: u32) -> Vec<Call<'static>> {
    let span = Duration::from_secs_f64(if rank == who { 1.0 } else { 0.0 });
    vec![Call::Sleep { span }]
}

#[test]
fn neighbours_share_links_as_messages_do() {
    for (degree, bytes) in [(1, 100), (2, 4_000), (5, 200_000), (3, 1_000_000)] {
        let collective = scripts(|rank| vec![neighbor_alltoall(rank, degree, bytes)]);
        let by_hand = scripts(|rank| messages(rank, degree, bytes));
        let ends = |scripts: &[Vec<Call<'_>>]| {
            run(one_switch(RANKS), "flow:factors", "neighbor-alltoall=linear", scripts).ends
        };
        let (one, other) = (ends(&collective), ends(&by_hand));
        assert_eq!(one, other, "{degree} neighbours, {bytes} bytes");
        assert!(one[0] > bytes as f64 * f64::from(degree) / 125e6, "{degree} messages share one link");
    }
}

#[test]
fn a_rank_waits_for_its_neighbours_only() {
    let scripts = scripts(|rank| [late(rank, 2), vec![neighbor_alltoall(rank, 1, 8)]].concat());
    let ends = run(one_switch(RANKS), "flow:factors", "", &scripts).ends;
    let waits: Vec<usize> = (0..RANKS).filter(|&rank| ends[rank] >= 1.0).collect();
    assert_eq!(waits, [2, 3], "{ends:?}");
}

/// A formula is for all ranks of a communicator.
#[test]
fn neighbours_follow_their_schedule_even_where_collectives_have_a_formula() {
    let scripts = scripts(|rank| [late(rank, 2), vec![neighbor_alltoall(rank, 1, 8)]].concat());
    let ends = run(one_switch(RANKS), "bus", "", &scripts).ends;
    assert!(ends[0] < 1.0 && ends[3] > 1.0, "{ends:?}");
}

#[test]
fn the_missing_neighbour_is_named() {
    let scripts = scripts(|rank| if rank == 4 { vec![] } else { vec![neighbor_alltoall(rank, 2, 8)] });
    let ran = run_once(one_switch(RANKS), "flow:factors", "", &scripts);
    assert_eq!(ran.ending, Ending::Deadlock);
    let blocked = ran.engine.diagnosis().blocked();
    let missing: Vec<_> = blocked
        .iter()
        .map(|blocked| match &blocked.wants[..] {
            [Want::Members { missing, .. }] => (blocked.rank, missing.clone()),
            wants => panic!("{wants:?}"),
        })
        .collect();
    assert_eq!(missing, [(0, vec![4]), (5, vec![4])]);
}

/// The first two ranks are one side, the other four the other.
fn across(kind: Collective, root: u32, blocks: [Blocks<'static>; 2]) -> Call<'static> {
    call(kind, Peers::OtherSide { first: 2 }, root, blocks)
}

/// Rank 1 broadcasts to the other side.
fn bcast(rank: u32, bytes: u64) -> Call<'static> {
    let (vector, nothing) = (Blocks::Whole(bytes), Blocks::Whole(0));
    match rank {
        0 => across(Collective::InterBcast, BESIDE_ROOT, [nothing, nothing]),
        1 => across(Collective::InterBcast, 1, [vector, nothing]),
        _ => across(Collective::InterBcast, 1, [nothing, vector]),
    }
}

#[test]
fn ranks_beside_the_root_do_not_wait() {
    let scripts = scripts(|rank| [late(rank, 1), vec![bcast(rank, 8)]].concat());
    let ends = run(one_switch(RANKS), "flow:factors", "", &scripts).ends;
    assert_eq!(ends.iter().map(|&end| end >= 1.0).collect::<Vec<_>>(), [false, true, true, true, true, true]);
}

/// One message across and a tree within the side: three transfers one after the other. Directly, four share the root's link.
#[test]
fn the_algorithm_decides_how_long_a_broadcast_takes() {
    let bytes = 12_500_000;
    let last = |choice| {
        let scripts = scripts(|rank| vec![bcast(rank, bytes)]);
        run(one_switch(RANKS), "flow:factors", choice, &scripts).ends.into_iter().fold(0.0, f64::max)
    };
    let one = bytes as f64 / 125e6;
    let (by_leader, direct) = (last(""), last("inter-bcast=linear"));
    assert!((3.0 * one..3.3 * one).contains(&by_leader), "{by_leader}");
    assert!((4.0 * one..4.4 * one).contains(&direct), "{direct}");
}

#[test]
fn roots_that_contradict_each_other_end_the_run() {
    let roots = |roots: [u32; RANKS]| {
        let nothing = Blocks::Whole(0);
        let scripts = scripts(|rank| {
            vec![across(Collective::InterBcast, roots[rank as usize], [nothing, Blocks::Whole(8)])]
        });
        run_once(one_switch(RANKS), "flow:factors", "", &scripts).ending
    };
    let text = |ending| match ending {
        Ending::Misuse { text, .. } => text,
        other => panic!("{other:?}"),
    };
    const B: u32 = BESIDE_ROOT;
    assert_eq!(
        text(roots([B, 1, 1, 0, 1, 1])),
        "collective mismatch: rank 3 names rank 0 as the root, but rank 1 is the root, on MPI_COMM_WORLD"
    );
    assert!(text(roots([0, 1, 1, 1, 1, 1])).contains("rank 1 is the root, but rank 0 is the root"));
    assert!(
        text(roots([B, 1, 1, B, 1, 1]))
            .contains("rank 3 gives MPI_PROC_NULL as the root, but rank 1 is the root")
    );
    assert!(
        text(roots([B, B, 1, 1, 1, 1]))
            .contains("rank 2 names rank 1 as the root, but rank 1 gives MPI_PROC_NULL")
    );
}

#[test]
fn sizes_and_operators_must_agree_across() {
    let operator = |op| Operator::Predefined { op, basic: 0 };
    let allreduce = |op, elements: u64| {
        let reduction = Some(Reduction { operator: operator(op), commutative: true, element: 8, elements });
        let Call::Collective(call) = across(Collective::InterAllreduce, 0, [Blocks::Whole(8 * elements); 2])
        else {
            unreachable!()
        };
        Call::Collective(CollectiveCall { reduction, ..call })
    };
    let text = |of: &dyn Fn(u32) -> Call<'static>| match run_once(
        one_switch(RANKS),
        "flow:factors",
        "",
        &scripts(|rank| vec![of(rank)]),
    )
    .ending
    {
        Ending::Misuse { text, .. } => text,
        other => panic!("{other:?}"),
    };
    let sizes = text(&|rank| allreduce(2, if rank == 3 { 5 } else { 4 }));
    assert!(sizes.contains("rank 3 gives 40 bytes, but rank 0 gives 32"), "{sizes}");
    let operators = text(&|rank| allreduce(if rank == 3 { 1 } else { 2 }, 4));
    assert!(operators.contains("rank 3 reduces with"), "{operators}");
}
