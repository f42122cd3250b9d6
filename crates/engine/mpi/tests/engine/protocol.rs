//! When sends return, when messages are seen, what waits for what: the MPI layer without processes.

use mpirage_call::{
    Blocks, Call, Collective, CollectiveCall, CommRequest, Completing, Operator, Part, Payload, Peers, Quiet,
    Reduction, RequestId, SendMode, WORLD,
};
use mpirage_mpi::{Ending, Leftover, Want, waiting_cycle};
use mpirage_units::{Duration, Time};
use proptest::prelude::*;

use crate::common::{Ran, one_switch, recv, run, send};

const EAGER: u64 = 1000;
const LARGE: u64 = 1_000_000;

fn finished(model: &str, scripts: &[Vec<Call<'_>>]) -> Ran {
    let ran = run(one_switch(scripts.len()), model, "", scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran
}

fn sleep(seconds: f64) -> Call<'static> {
    Call::Sleep { span: Duration::from_secs_f64(seconds) }
}

fn wait(how: Completing, poll: bool, requests: &'static [u32]) -> Call<'static> {
    Call::Wait { how, poll, requests: RequestId::slice(requests) }
}

/// When the n-th answered call of a rank returned, in seconds.
fn returned(ran: &Ran, rank: usize, call: usize) -> f64 {
    ran.replies[rank][call].now.as_secs_f64()
}

#[test]
fn an_eager_send_returns_at_once_and_a_large_one_when_it_has_arrived() {
    for model in ["flow:factors", "simgrid"] {
        let receiver = |bytes| vec![sleep(1.0), recv(Some(0), Some(0), bytes, None)];
        let eager = finished(model, &[vec![send(1, 0, EAGER, None)], receiver(EAGER)]);
        assert_eq!(returned(&eager, 0, 0), 0.0, "{model}");
        let large = finished(model, &[vec![send(1, 0, LARGE, None)], receiver(LARGE)]);
        assert!(returned(&large, 0, 0) > 1.0, "{model}");
        assert_eq!(returned(&large, 0, 0), returned(&large, 1, 1), "{model}");
    }
}

#[test]
fn pushed_bytes_travel_before_the_receive_and_pulled_ones_after() {
    let scripts = [vec![send(1, 0, EAGER, None)], vec![sleep(1.0), recv(Some(0), Some(0), EAGER, None)]];
    assert_eq!(returned(&finished("flow:factors", &scripts), 1, 1), 1.0);
    assert!(returned(&finished("simgrid", &scripts), 1, 1) > 1.0);
}

#[test]
fn a_synchronous_send_waits_whatever_its_size() {
    let (context, payload) = (WORLD, Payload::Absent);
    let ssend = Call::Send {
        mode: SendMode::Synchronous,
        context,
        to: 1,
        tag: 0,
        bytes: 1,
        payload,
        request: None,
        answer: true,
    };
    let ran = finished("flow:factors", &[vec![ssend], vec![sleep(1.0), recv(Some(0), Some(0), 1, None)]]);
    assert!(returned(&ran, 0, 0) > 1.0);
}

#[test]
fn a_probe_sees_a_message_when_it_arrives_and_leaves_it_there() {
    let probe = Call::Probe { context: WORLD, from: None, tag: None, poll: false, take: false };
    let ran = finished(
        "flow:factors",
        &[vec![send(1, 7, 40, None)], vec![probe, recv(Some(0), Some(7), 40, None)]],
    );
    let seen = ran.replies[1][0].completions[0];
    assert_eq!((seen.source, seen.tag, seen.bytes), (0, 7, 40));
    assert!(returned(&ran, 1, 0) > 0.0);
    assert_eq!(returned(&ran, 1, 0), returned(&ran, 1, 1));
}

#[test]
fn polling_makes_time_pass_until_the_message_is_there() {
    let mut polls = vec![recv(Some(0), Some(0), 8, Some(1))];
    polls.extend([wait(Completing::All, true, &[1]); 500]);
    let ran = run(one_switch(2), "flow:factors", "", &[vec![sleep(1e-3), send(1, 0, 8, None)], polls]);
    let done: Vec<bool> = ran.replies[1].iter().map(|reply| !reply.completions.is_empty()).collect();
    let first = done.iter().position(|&done| done).expect("the message came");
    assert!(first > 10 && !done[..first].contains(&true));
    let late = returned(&ran, 1, first) / 1e-3;
    assert!((1.0..1.4).contains(&late), "seen after {late} ms");
}

/// Rank 1 polls for a message while rank 2 polls for another; one and the same poll asks each time, or is repeated by the rank.
#[test]
fn polls_that_a_rank_answers_itself_take_as_long_as_those_that_ask() {
    let poll = wait(Completing::All, true, &[1]);
    let dates = |repeated: Call<'static>| {
        let script = |tag, each: usize| {
            let mut script = vec![recv(Some(0), Some(tag), 8, Some(1)), poll];
            script.extend(vec![repeated; each]);
            script.extend([poll, wait(Completing::All, false, &[1])]);
            script
        };
        let sender = vec![sleep(1e-3), send(1, 1, 8, None), send(2, 2, 8, None)];
        let ran = run(one_switch(3), "flow:factors", "", &[sender, script(1, 200), script(2, 100)]);
        let polled = |rank: usize| {
            let (replies, asked) = (&ran.replies[rank], ran.replies[rank].len());
            [replies[0].now, replies[asked - 2].now, replies[asked - 1].now]
        };
        (ran.ends.clone(), polled(1), polled(2))
    };
    assert_eq!(dates(poll), dates(Call::RepeatedPoll));
}

/// A poll that fails says until when it will: until the next message can be there, whatever others do.
#[test]
fn a_poll_that_failed_knows_when_it_will_not_fail_any_more() {
    let poll = wait(Completing::All, true, &[1]);
    let quiet = |sender: Vec<Call<'static>>| {
        let receiver = vec![recv(Some(0), Some(0), 8, Some(1)), poll, wait(Completing::All, false, &[1])];
        let ran = run(one_switch(2), "flow:factors", "", &[sender, receiver]);
        let until = Quiet::unpack(&ran.replies[1][0].members).map(|quiet| quiet.until);
        (until, ran.replies[1][1].now)
    };
    // The message is on its way; its sender wakes up later, and then it travels.
    let (until, arrival) = quiet(vec![send(1, 0, 8, None)]);
    assert_eq!(until, Some(arrival));
    let (until, arrival) = quiet(vec![sleep(1e-3), send(1, 0, 8, None)]);
    assert!(until > Some(Time::from_picos(1_000_000_000)) && until < Some(arrival), "{until:?} {arrival:?}");
}

/// The dates are those of SimGrid 3.32, where a message of 8 bytes takes 0.2018 ms here.
#[test]
fn in_simgrid_polls_are_paid_for_before_they_look() {
    let dates = |how, requests: &'static [u32], polls: usize| {
        let mut script: Vec<_> = (1..=2).map(|id| recv(Some(0), Some(id as i32), 8, Some(id))).collect();
        script.extend(vec![wait(how, true, requests); polls]);
        let sender = vec![send(1, 1, 8, None), sleep(1e-3), send(1, 2, 8, None)];
        let ran = run(one_switch(2), "simgrid", "", &[sender, script]);
        let told =
            ran.replies[1].iter().map(|reply| (reply.now.as_picos() / 100_000_000, reply.completions.len()));
        told.collect::<Vec<_>>()
    };
    // Tenths of milliseconds: the second look finds it, and looks are cheap again then.
    assert_eq!(dates(Completing::All, &[1], 2), [(1, 0), (3, 1)]);
    assert_eq!(dates(Completing::Any, &[1, 2], 3), [(1, 0), (3, 1), (4, 0)]);
    // Each look is paid for. What a test of all has seen it does not look at again.
    assert_eq!(dates(Completing::Some, &[1, 2], 2), [(3, 0), (7, 1)]);
    assert_eq!(dates(Completing::All, &[1, 2], 4), [(3, 0), (7, 0), (9, 0), (12, 0)]);
}

#[test]
fn waiting_for_any_some_and_all() {
    let receives = [recv(Some(1), Some(0), 8, Some(1)), recv(Some(2), Some(0), 8, Some(2))];
    let sender = |delay: f64| vec![sleep(delay), send(0, 0, 8, None)];
    let indices = |how| {
        let script = [&receives[..], &[wait(how, false, &[1, 2])]].concat();
        let ran = run(one_switch(3), "flow:factors", "", &[script, sender(2.0), sender(1.0)]);
        ran.replies[0][0].completions.iter().map(|done| done.index).collect::<Vec<_>>()
    };
    assert_eq!(indices(Completing::Any), [1]);
    assert_eq!(indices(Completing::Some), [1]);
    assert_eq!(indices(Completing::All), [0, 1]);
}

#[test]
fn a_cancelled_receive_completes_as_such_and_takes_no_message() {
    let script = vec![
        recv(Some(1), Some(5), 8, Some(1)),
        Call::Cancel { request: RequestId::new(1) },
        wait(Completing::All, false, &[1]),
        recv(Some(1), Some(5), 8, None),
    ];
    let ran = finished("flow:factors", &[script, vec![sleep(1.0), send(0, 5, 8, None)]]);
    assert!(ran.replies[0][0].completions[0].cancelled);
    assert_eq!(ran.replies[0][1].completions[0].bytes, 8);
}

#[test]
fn a_cancelled_send_completes_as_such_and_reaches_nobody() {
    for model in ["simgrid", "flow:factors"] {
        for bytes in [100, 1_000_000] {
            let sender = vec![
                send(1, 0, bytes, Some(1)),
                send(1, 0, 7, Some(2)),
                Call::Cancel { request: RequestId::new(1) },
                wait(Completing::All, false, &[1]),
                wait(Completing::All, false, &[2]),
            ];
            let ran = finished(model, &[sender, vec![sleep(1.0), recv(Some(0), Some(0), 1 << 20, None)]]);
            assert!(ran.replies[0][0].completions[0].cancelled, "{model}, {bytes} bytes");
            assert_eq!(ran.replies[1][1].completions[0].bytes, 7);
            assert_eq!(ran.engine.diagnosis().leftovers().len(), 0);
        }
    }
}

#[test]
fn a_send_that_has_matched_cannot_be_cancelled() {
    let sender = vec![
        sleep(1.0),
        send(1, 0, 1_000_000, Some(1)),
        Call::Cancel { request: RequestId::new(1) },
        wait(Completing::All, false, &[1]),
    ];
    let ran = finished("simgrid", &[sender, vec![recv(Some(0), Some(0), 1 << 20, None)]]);
    assert!(!ran.replies[0][1].completions[0].cancelled);
    assert_eq!(ran.replies[1][0].completions[0].bytes, 1_000_000);
}

#[test]
fn a_mistake_in_an_immediate_collective_ends_the_run() {
    let barrier = |kind| {
        Call::Collective(CollectiveCall {
            kind,
            context: WORLD,
            root: 0,
            peers: Peers::All,
            send: Part::EMPTY,
            recv: Part::EMPTY,
            reduction: None,
            request: Some(RequestId::new(1)),
            plan: 0,
            input: Default::default(),
            on_mismatch: Default::default(),
        })
    };
    let script = |kind| vec![barrier(kind), wait(Completing::All, false, &[1])];
    let scripts = [script(Collective::Barrier), script(Collective::Bcast)];
    let ran = run(one_switch(2), "simgrid", "", &scripts);
    assert!(matches!(ran.ending, Ending::Misuse { .. }), "{:?}", ran.ending);
}

#[test]
fn a_message_that_does_not_fit_is_said_to_be_truncated() {
    let ran = finished("flow:factors", &[vec![send(1, 0, 40, None)], vec![recv(None, None, 16, None)]]);
    let completion = ran.replies[1][0].completions[0];
    assert!(completion.truncated && completion.bytes == 40);
}

#[test]
fn a_circle_of_large_sends_is_a_deadlock_with_its_cycle() {
    let script = |rank: u32| {
        vec![send((rank + 1) % 3, 4, LARGE, None), recv(Some((rank + 2) % 3), Some(4), LARGE, None)]
    };
    let ran = run(one_switch(3), "flow:factors", "", &[script(0), script(1), script(2)]);
    assert_eq!(ran.ending, Ending::Deadlock);
    let blocked = ran.engine.diagnosis().blocked();
    let wants: Vec<_> = blocked.iter().map(|b| b.wants.clone()).collect();
    let receiver = |to| vec![Want::Receiver { to, tag: 4, context: WORLD }];
    assert_eq!(wants, [receiver(1), receiver(2), receiver(0)]);
    assert_eq!(waiting_cycle(&blocked), Some(vec![0, 1, 2]));
}

#[test]
fn what_nobody_received_is_left_over() {
    let ran =
        finished("flow:factors", &[vec![send(1, 9, 4, None)], vec![recv(Some(0), Some(1), 4, Some(1))]]);
    let leftovers = ran.engine.diagnosis().leftovers();
    assert!(
        leftovers.iter().any(|l| matches!(l, Leftover::Message { from: 0, to: 1, tag: 9, bytes: 4, .. })),
        "{leftovers:?}"
    );
    assert!(
        leftovers.iter().any(|l| matches!(l, Leftover::Requests { rank: 1, count: 1, .. })),
        "{leftovers:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Messages of one sender are received in the order in which they were sent, however their sizes make them overtake.
    #[test]
    fn messages_do_not_overtake(sizes in proptest::collection::vec(0u64..200_000, 1..30), simgrid in any::<bool>()) {
        let model = if simgrid { "simgrid" } else { "flow:factors" };
        let ids: Vec<u32> = (1..=sizes.len() as u32).collect();
        let mut sends: Vec<Call<'_>> = sizes.iter().zip(&ids).map(|(&bytes, &id)| send(1, 0, bytes, Some(id))).collect();
        sends.push(Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&ids) });
        let receives = vec![recv(None, None, u64::MAX, None); sizes.len()];
        let ran = finished(model, &[sends, receives]);
        let received: Vec<u64> = ran.replies[1].iter().map(|reply| reply.completions[0].bytes).collect();
        prop_assert_eq!(received, sizes);
    }

    /// Every pattern of messages whose receives are all posted first ends, whatever the protocol, and twice the same.
    #[test]
    fn posted_patterns_end_and_repeat(pairs in proptest::collection::vec((0u32..5, 0u32..5, 0u64..150_000), 1..60), simgrid in any::<bool>()) {
        let model = if simgrid { "simgrid" } else { "flow:factors" };
        let mut lists: Vec<Vec<Call<'static>>> = vec![Vec::new(); 5];
        let mut ids = [0u32; 5];
        for (tag, &(from, to, bytes)) in pairs.iter().enumerate() {
            ids[to as usize] += 1;
            lists[to as usize].push(recv(Some(from), Some(tag as i32), bytes, Some(ids[to as usize])));
        }
        for (tag, &(from, to, bytes)) in pairs.iter().enumerate() {
            ids[from as usize] += 1;
            lists[from as usize].push(send(to, tag as i32, bytes, Some(ids[from as usize])));
        }
        let all: Vec<Vec<u32>> = ids.iter().map(|&count| (1..=count).collect()).collect();
        let scripts: Vec<Vec<Call<'_>>> = lists.into_iter().zip(&all).map(|(mut list, requests)| {
            list.push(Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(requests) });
            list
        }).collect();
        let (once, again) = (finished(model, &scripts), finished(model, &scripts));
        prop_assert_eq!(once.ends, again.ends);
        prop_assert!(once.engine.diagnosis().leftovers().is_empty());
    }
}

/// The number of a freed request is used again at once; the transfer goes on without a request.
#[test]
fn a_freed_request_does_not_complete_its_successor() {
    let wait = Call::Wait { how: Completing::All, poll: false, requests: RequestId::slice(&[1]) };
    let free = Call::Free { request: RequestId::new(1) };
    for bytes in [8, 1_000_000] {
        let first = vec![send(1, 1, bytes, Some(1)), free, recv(Some(1), Some(2), 8, Some(1)), wait];
        let late = Call::Sleep { span: Duration::from_secs_f64(1.0) };
        let second = vec![recv(Some(0), Some(1), bytes, None), late, send(0, 2, 8, None)];
        let ran = run(one_switch(2), "flow:factors", "", &[first, second]);
        assert_eq!(ran.ending, Ending::Finished);
        assert!(ran.ends[0] > 1.0, "{bytes}: {:?}", ran.ends);
        assert_eq!(ran.replies[0][0].completions[0].tag, 2);
    }
    // The same for a receive.
    let first = vec![recv(Some(1), Some(1), 8, Some(1)), free, recv(Some(1), Some(2), 8, Some(1)), wait];
    let late = Call::Sleep { span: Duration::from_secs_f64(1.0) };
    let second = vec![send(0, 1, 8, None), late, send(0, 2, 8, None)];
    let ran = run(one_switch(2), "flow:factors", "", &[first, second]);
    assert_eq!(ran.ending, Ending::Finished);
    assert!(ran.ends[0] > 1.0, "{:?}", ran.ends);
    assert_eq!(ran.replies[0][0].completions[0].tag, 2);
}

/// A collective forgets its reduction when its seats are used for another.
#[test]
fn a_duplicate_after_a_reduction_by_a_function_is_a_duplicate() {
    let operator = Operator::User { op: 1, datatype: 2 };
    let reduction = Some(Reduction { operator, commutative: true, element: 8, elements: 1 });
    let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(8) };
    let (kind, request) = (Collective::Allreduce, Some(RequestId::new(1)));
    let sum = CollectiveCall {
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
    };
    let duplicate =
        Call::MakeComm { parent: WORLD, how: CommRequest::DupLater { request: RequestId::new(1) } };
    let waits = wait(Completing::All, false, &[1]);
    let script = vec![Call::Collective(sum), waits, duplicate, waits];
    finished("flow:factors", &[script.clone(), script]);
}

/// Starts a barrier as request 1.
fn ibarrier() -> Call<'static> {
    let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(0) };
    Call::Collective(CollectiveCall {
        kind: Collective::Barrier,
        send: part,
        recv: part,
        request: Some(RequestId::new(1)),
        ..CollectiveCall::agreement(WORLD)
    })
}

/// Without a progress thread, a non-blocking collective of several rounds advances only while its ranks are in calls of MPI.
#[test]
fn a_nonblocking_collective_overlaps_with_computation_if_something_makes_progress() {
    let folder = tempfile::tempdir().unwrap();
    let model = |progress: &str| {
        let path = folder.path().join(format!("{progress}.toml"));
        std::fs::write(&path, format!("[model]\nbase = \"flow:factors\"\nprogress = \"{progress}\"\n"))
            .unwrap();
        path.to_str().unwrap().to_owned()
    };
    let end = |progress: &str, calls: &[Call<'static>]| {
        let script = [&[ibarrier()], calls, &[wait(Completing::All, false, &[1])]].concat();
        let ran = finished(&model(progress), &vec![script; 8]);
        ran.ends.iter().copied().fold(0.0, f64::max)
    };
    let alone = end("background", &[]);
    assert!((end("calls", &[]) / alone - 1.0).abs() < 1e-9, "ranks that wait make progress");
    let work = [sleep(10.0 * alone)];
    assert!((end("background", &work) / (10.0 * alone) - 1.0).abs() < 1e-9, "the collective costs nothing");
    // Of three rounds the first goes on in the background; the other two begin when the ranks wait.
    let expected = 10.0 * alone + alone * 2.0 / 3.0;
    assert!((end("calls", &work) / expected - 1.0).abs() < 1e-6, "{} {expected}", end("calls", &work));
    // Looking at other things of MPI in between makes progress too.
    let look = Call::Probe { context: WORLD, from: None, tag: None, poll: true, take: false };
    let looks = [sleep(5.0 * alone), look, sleep(5.0 * alone)];
    assert!(end("calls", &looks) < end("calls", &work) * 0.99, "a call in between is progress");
}
