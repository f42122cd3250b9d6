//! Several lines of control in one rank, and several jobs in one engine.

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, Completing, LineId, Part, Payload, Peers, RankId, RequestId,
    WORLD,
};
use mpirage_mpi::{Ending, Engine, JobId, NoMemory, Turn};
use mpirage_units::Duration;

use crate::common::{engine_of, one_switch, recv, segment, send};

/// Runs scripts, one per line, to the end; gives when the calls of each line returned, in microseconds.
fn run(engine: &mut Engine<NoMemory>, scripts: &[Vec<Call<'_>>]) -> Vec<Vec<u64>> {
    let mut next = vec![0; scripts.len()];
    let mut returned = vec![Vec::new(); scripts.len()];
    loop {
        match engine.advance() {
            Turn::End => return returned,
            Turn::Resume(line) => {
                let (script, position) = (&scripts[line.index()], &mut next[line.index()]);
                if *position > 0 {
                    returned[line.index()].push(engine.reply(line).now.as_picos() / 1_000_000);
                }
                engine.take_calls(line, |_, words| segment(script, position, words));
            }
            Turn::Output(_) | Turn::Release(_) => {}
        }
    }
}

fn sleep(micros: f64) -> Call<'static> {
    Call::Sleep { span: Duration::from_secs_f64(micros * 1e-6) }
}

fn barrier() -> Call<'static> {
    let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
    Call::Collective(CollectiveCall {
        kind: Collective::Barrier,
        context: WORLD,
        root: 0,
        peers: Peers::All,
        send: part,
        recv: part,
        reduction: None,
        request: None,
        plan: 0,
        input: Default::default(),
        on_mismatch: Default::default(),
    })
}

#[test]
fn two_lines_of_a_rank_wait_at_the_same_time_and_each_gets_its_message() {
    let mut engine = engine_of(one_switch(2), "ideal", "", &[2]);
    let second = engine.open_line(RankId::new(1));
    assert_eq!(second, LineId::new(2));
    let scripts = [
        vec![sleep(10.0), send(1, 7, 8, None), sleep(10.0), send(1, 3, 8, None)],
        vec![recv(Some(0), Some(3), 8, None)],
        vec![recv(Some(0), Some(7), 8, None)],
    ];
    let returned = run(&mut engine, &scripts);
    assert_eq!(engine.take_ending(), Ending::Finished);
    assert_eq!((&returned[1][..], &returned[2][..]), (&[20][..], &[10][..]));
}

#[test]
fn a_line_may_wait_for_a_request_that_another_line_of_its_rank_has_opened() {
    let mut engine = engine_of(one_switch(2), "ideal", "", &[2]);
    engine.open_line(RankId::new(1));
    let scripts = [
        vec![sleep(30.0), send(1, 0, 8, None), send(1, 1, 8, None)],
        vec![recv(Some(0), Some(0), 8, Some(1)), recv(Some(0), Some(1), 8, None)],
        vec![sleep(10.0), Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&[1]) }],
    ];
    let returned = run(&mut engine, &scripts);
    assert_eq!(engine.take_ending(), Ending::Finished);
    assert_eq!((&returned[1][..], &returned[2][..]), (&[30][..], &[10, 30][..]));
}

#[test]
fn a_rank_whose_second_line_waits_for_ever_is_in_a_deadlock() {
    let mut engine = engine_of(one_switch(2), "ideal", "", &[2]);
    engine.open_line(RankId::new(1));
    run(&mut engine, &[vec![], vec![], vec![recv(Some(0), Some(7), 8, None)]]);
    assert_eq!(engine.take_ending(), Ending::Deadlock);
    let blocked = engine.diagnosis().blocked();
    assert_eq!(blocked.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [1]);
}

#[test]
fn each_job_has_a_world_of_its_own() {
    let mut engine = engine_of(one_switch(5), "ideal", "", &[2, 3]);
    // In both jobs rank 0 sends to rank 1 and all meet in a barrier; the second job is later.
    let scripts = [
        vec![send(1, 0, 8, None), barrier()],
        vec![recv(Some(0), Some(0), 8, None), barrier()],
        vec![sleep(50.0), send(1, 0, 8, None), barrier()],
        vec![recv(Some(0), Some(0), 8, None), barrier()],
        vec![barrier()],
    ];
    let returned = run(&mut engine, &scripts);
    assert_eq!(engine.take_ending(), Ending::Finished);
    assert_eq!(returned[1], [0, 0]);
    assert_eq!(returned[3], [50, 50]);
    assert_eq!(returned[4], [50]);
}

#[test]
fn a_job_that_aborts_does_not_end_the_others() {
    let mut engine = engine_of(one_switch(4), "ideal", "", &[2, 2]);
    let scripts = [
        vec![sleep(5.0), Call::Abort { code: 7 }],
        vec![barrier()],
        vec![sleep(50.0), send(1, 0, 8, None)],
        vec![recv(Some(0), Some(0), 8, None)],
    ];
    let returned = run(&mut engine, &scripts);
    assert_eq!(engine.ending(JobId::new(0)), Ending::Aborted { rank: 0, code: 7 });
    assert_eq!(engine.ending(JobId::new(1)), Ending::Finished);
    assert_eq!(engine.take_ending(), Ending::Aborted { rank: 0, code: 7 });
    assert_eq!((returned[1].len(), &returned[3][..]), (0, &[50][..]));
}

#[test]
fn ranks_of_another_job_cannot_be_addressed_through_the_world() {
    let mut engine = engine_of(one_switch(4), "ideal", "", &[2, 2]);
    run(&mut engine, &[vec![send(2, 0, 8, None)], vec![], vec![], vec![]]);
    let text = "rank 2 does not exist in this communicator".to_owned();
    assert_eq!(engine.ending(JobId::new(0)), Ending::Misuse { rank: 0, text });
    assert_eq!(engine.ending(JobId::new(1)), Ending::Finished);
}
