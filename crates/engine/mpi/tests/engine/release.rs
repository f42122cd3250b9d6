//! Early release: who may go on before simulated time is there, and who may not.

use std::sync::Arc;

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completing, Operator, Part, Payload, Peers, Reduction,
    RequestId, WORLD,
};
use mpirage_mpi::Turn;

use crate::common::{engine, one_switch, recv, segment, send};

/// Ranks released before their time, each with the call it was in, counted from 0.
fn released_early(scripts: &[Vec<Call<'_>>]) -> Vec<(u32, usize)> {
    let mut engine = engine(Arc::new(one_switch(scripts.len())), "flow:factors", "", scripts.len());
    engine.release_early(true);
    let (mut next, mut early) = (vec![0; scripts.len()], Vec::new());
    loop {
        match engine.advance() {
            Turn::End => break,
            Turn::Output(_) => {}
            Turn::Release(line) if engine.reply(line).early => {
                early.push((line.get(), next[line.index()] - 1))
            }
            Turn::Release(_) => {}
            Turn::Resume(line) => {
                let rank = line.get();
                let (script, position) = (&scripts[rank as usize], &mut next[rank as usize]);
                engine.take_calls(line, |_, words| segment(script, position, words));
            }
        }
    }
    early.sort_unstable();
    early
}

fn wait(how: Completing, requests: &[RequestId]) -> Call<'_> {
    Call::Wait { how, poll: false, requests }
}

fn collective(kind: Collective, reduction: Option<Reduction>, request: Option<RequestId>) -> Call<'static> {
    let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(8) };
    Call::Collective(CollectiveCall {
        kind,
        context: WORLD,
        root: 0,
        peers: Peers::All,
        send: part,
        recv: part,
        reduction,
        request,
        plan: 0,
        input: Default::default(),
        on_mismatch: Default::default(),
    })
}

#[test]
fn both_sides_of_a_large_message_go_on_when_it_is_matched() {
    let sends = vec![send(1, 0, 1 << 20, None)];
    let receives = vec![recv(Some(0), Some(0), 1 << 20, None)];
    assert_eq!(released_early(&[sends, receives]), [(0, 0), (1, 0)]);
}

#[test]
fn a_message_that_does_not_fit_is_not_certain() {
    let receives = vec![recv(Some(0), Some(0), 10, None)];
    assert_eq!(released_early(&[vec![send(1, 0, 1 << 20, None)], receives]), [(0, 0)]);
}

#[test]
fn a_wait_for_all_goes_on_early_and_a_wait_for_any_does_not() {
    let (sends, requests) = (
        vec![send(1, 0, 1 << 20, Some(1)), wait(Completing::All, RequestId::slice(&[1]))],
        [RequestId::new(1)],
    );
    for (how, expected) in [(Completing::All, vec![(0, 1), (1, 1)]), (Completing::Any, vec![(0, 1)])] {
        let receives = vec![recv(None, None, 1 << 20, Some(1)), wait(how, &requests)];
        assert_eq!(released_early(&[sends.clone(), receives]), expected);
    }
}

#[test]
fn everybody_leaves_a_barrier_early() {
    let script = vec![collective(Collective::Barrier, None, None)];
    assert_eq!(released_early(&vec![script; 4]), [(0, 0), (1, 0), (2, 0), (3, 0)]);
}

#[test]
fn who_may_have_to_compute_for_others_stays() {
    let user = Operator::User { op: 7, datatype: 8 };
    let reduction = Some(Reduction { operator: user, elements: 1, element: 8, commutative: true });
    let script = vec![
        collective(Collective::Allreduce, reduction, Some(RequestId::new(1))),
        collective(Collective::Barrier, None, None),
    ];
    assert_eq!(released_early(&vec![script; 4]), []);
}
