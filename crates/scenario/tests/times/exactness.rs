//! The `simgrid` model against what SimGrid 3.32 and 4.1 say of the same programs, on one switch of 125 MB/s and 50 µs per link.

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completing, Operator, Part, Payload, Peers, Reduction,
    RequestId, WORLD,
};
use mpirage_mpi::Ending;

use crate::common::{one_switch, recv, run, send};

/// Elapsed time between two readings of the clock, the second of which costs 10 ns before it shows.
fn elapsed(choice: &str, scripts: &[Vec<Call<'_>>]) -> f64 {
    let ran = run(one_switch(scripts.len()), "simgrid", choice, scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran.ends.into_iter().fold(0.0, f64::max)
}

fn assert_close(measured: f64, reference: f64) {
    let error = (measured - reference).abs() / reference;
    assert!(error < 1e-6, "{measured} instead of {reference}: {error:e} off");
}

fn collective(
    kind: Collective,
    send: Blocks<'static>,
    recv: Blocks<'static>,
    reduction: Option<Reduction>,
) -> Call<'static> {
    let part = |blocks| Part { payload: Payload::Absent, blocks };
    Call::Collective(CollectiveCall {
        kind,
        context: WORLD,
        root: 0,
        peers: Peers::All,
        send: part(send),
        recv: part(recv),
        reduction,
        request: None,
        plan: 0,
        input: Default::default(),
        on_mismatch: Default::default(),
    })
}

fn same_for_all(ranks: usize, calls: Vec<Call<'static>>) -> Vec<Vec<Call<'static>>> {
    let mut script = vec![Call::Init];
    script.extend(calls);
    script.push(Call::Finalize);
    vec![script; ranks]
}

#[test]
fn ping_pong() {
    let script = |rank: u32| {
        let mut calls = vec![Call::Init];
        for i in 0..1000 {
            calls.push(if i & 1 == rank {
                send(1 - rank, 0, 1024, None)
            } else {
                recv(Some(1 - rank), Some(0), 1024, None)
            });
        }
        calls.push(Call::Finalize);
        calls
    };
    assert_close(elapsed("", &[script(0), script(1)]), 21.935841024513 / 100.0);
}

#[test]
fn allreduce_by_recursive_doubling() {
    let sum = Reduction {
        operator: Operator::Predefined { op: 2, basic: 0 },
        commutative: true,
        element: 8,
        elements: 1,
    };
    let call = collective(Collective::Allreduce, Blocks::Whole(8), Blocks::Whole(8), Some(sum));
    for (ranks, reference) in [(64, 0.121029160109), (256, 0.161372210145), (1024, 0.201715260181)] {
        let rounds = if ranks == 1024 { 10 } else { 100 };
        let scripts = same_for_all(ranks, vec![call; rounds]);
        assert_close(elapsed("allreduce=recursive-doubling", &scripts), reference * rounds as f64 / 100.0);
    }
}

#[test]
fn alltoall_linear_pairwise_and_bruck() {
    let block = Blocks::Equal(65536);
    let call = collective(Collective::Alltoall, block, block, None);
    for (algorithm, ranks, reference) in [
        ("linear", 64, 0.038041524952),
        ("linear", 128, 0.075504031569),
        ("pairwise", 64, 0.110231844952),
        ("pairwise", 128, 0.222213391569),
        ("bruck", 64, 0.119347115430),
        ("bruck", 128, 0.270325069223),
    ] {
        let scripts = same_for_all(ranks, vec![call]);
        assert_close(elapsed(&format!("alltoall={algorithm}"), &scripts), reference);
    }
}

#[test]
fn halo_exchange() {
    const REQUESTS: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
    for (ranks, rounds) in [(256u32, 100), (1024, 5)] {
        let side = ranks.isqrt();
        let script = |rank: u32| {
            let (x, y) = (rank % side, rank / side);
            let neighbours = [
                y * side + (x + 1) % side,
                y * side + (x + side - 1) % side,
                (y + 1) % side * side + x,
                (y + side - 1) % side * side + x,
            ];
            let opposite = [1, 0, 3, 2];
            let mut calls = vec![Call::Init];
            for _ in 0..rounds {
                for k in 0..4 {
                    calls.push(recv(Some(neighbours[k]), Some(opposite[k]), 10240, Some(REQUESTS[k])));
                }
                for k in 0..4 {
                    calls.push(send(neighbours[k], k as i32, 10240, Some(REQUESTS[4 + k])));
                }
                calls.push(Call::Wait {
                    how: Completing::All,
                    poll: false,
                    requests: RequestId::slice(&REQUESTS),
                });
            }
            calls.push(Call::Finalize);
            calls
        };
        let scripts: Vec<_> = (0..ranks).map(script).collect();
        assert_close(elapsed("", &scripts), 0.084606475240 * f64::from(rounds) / 100.0);
    }
}
