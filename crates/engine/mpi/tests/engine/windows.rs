//! Windows: when accesses are complete, what they share with messages, what targets do one after the other, and locks.

use std::sync::Arc;

use mpirage_call::{AccessCall, AccessKind, Call, Payload, WORLD};
use mpirage_mpi::{AccessProgress, Ending, Want, waiting_cycle};
use mpirage_scenario::Model;
use mpirage_units::Duration;

use crate::common::{Ran, engine_of_model, one_switch, recv, run, run_to_end, send};

/// When origins begin: all windows are exposed.
const START: f64 = 1e-6;

fn sleep(seconds: f64) -> Call<'static> {
    Call::Sleep { span: Duration::from_secs_f64(seconds) }
}

fn expose() -> Call<'static> {
    Call::Expose { window: WORLD, origin: 4096, unit: 1, base: 4096, bytes: 1 << 20 }
}

fn access(kind: AccessKind, target: u32, bytes: u64) -> Call<'static> {
    let (payload, layout) = (Payload::Absent, Payload::Absent);
    let (displacement, parts, op, basic, result, request) = (0, 0, 0, 0, 0, None);
    let window = WORLD;
    Call::Access(AccessCall {
        kind,
        window,
        target,
        displacement,
        bytes,
        payload,
        layout,
        parts,
        op,
        basic,
        result,
        request,
    })
}

fn flush() -> Call<'static> {
    Call::AwaitAccesses { window: WORLD, target: None }
}

fn lock(target: Option<u32>, exclusive: bool) -> Call<'static> {
    Call::Lock { window: WORLD, target, exclusive }
}

fn unlock(target: u32) -> Call<'static> {
    Call::Unlock { window: WORLD, target: Some(target) }
}

/// A rank that exposes a window, and does nothing else for a second.
fn passive() -> Vec<Call<'static>> {
    vec![expose(), sleep(1.0)]
}

/// A rank that accesses the window of another and waits for that.
fn origin(calls: &[Call<'static>]) -> Vec<Call<'static>> {
    [&[expose(), sleep(START)], calls].concat()
}

fn finished(scripts: &[Vec<Call<'_>>]) -> Ran {
    let ran = run(one_switch(scripts.len()), "flow:factors", "", scripts);
    assert_eq!(ran.ending, Ending::Finished);
    ran
}

/// When a rank ended, after the start of origins.
fn span(ran: &Ran, rank: usize) -> f64 {
    ran.ends[rank] - START
}

/// How long a message takes on an idle network.
fn message(bytes: u64) -> f64 {
    finished(&[vec![send(1, 0, bytes, None)], vec![recv(Some(0), Some(0), bytes, None)]]).ends[1]
}

/// A flow model in which combining takes no time but the gap.
fn model(progress: AccessProgress, gap: Duration) -> Model {
    let platform = one_switch(2);
    let (mut model, _) = Model::resolve("flow:factors", platform.settings(), (100e-6, 125e6)).unwrap();
    model.without_local_work();
    (model.protocol.one_sided, model.protocol.atomic_gap) = (progress, gap);
    model
}

fn run_with(model: &Model, scripts: &[Vec<Call<'_>>]) -> Ran {
    let platform = Arc::new(one_switch(scripts.len()));
    run_to_end(engine_of_model(platform, model, "", &[scripts.len() as u32]), scripts)
}

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-11, "{a} is not {b}");
}

#[test]
fn an_access_is_a_message_and_its_answer() {
    for bytes in [8, 1000, 60_000] {
        for (kind, answer) in
            [(AccessKind::Put, 0), (AccessKind::Accumulate, 0), (AccessKind::GetAccumulate, bytes)]
        {
            let ran = finished(&[origin(&[access(kind, 1, bytes), flush()]), passive()]);
            assert_close(span(&ran, 0), message(bytes) + message(answer));
        }
        let get = finished(&[origin(&[access(AccessKind::Get, 1, bytes), flush()]), passive()]);
        assert_close(span(&get, 0), message(0) + message(bytes));
    }
    let swap = finished(&[origin(&[access(AccessKind::CompareAndSwap, 1, 8), flush()]), passive()]);
    assert_close(span(&swap, 0), message(16) + message(8));
}

#[test]
fn accesses_share_links_as_messages_do() {
    let bytes = 60_000;
    let put = || origin(&[access(AccessKind::Put, 2, bytes), flush()]);
    let puts = finished(&[put(), put(), passive()]);
    // The same with messages: two to one receiver, which answers both.
    let sender = || vec![send(2, 0, bytes, None), recv(Some(2), Some(1), 0, None)];
    let take = |from| recv(Some(from), Some(0), bytes, None);
    let receiver = vec![take(0), take(1), send(0, 1, 0, None), send(1, 1, 0, None)];
    let sends = finished(&[sender(), sender(), receiver]);
    assert!(sends.ends[2] > 1.5 * message(bytes));
    for rank in [0, 1] {
        assert_close(span(&puts, rank), sends.ends[rank]);
    }
}

#[test]
fn accesses_under_way_overlap() {
    let put = || access(AccessKind::Put, 1, 8);
    let two = finished(&[origin(&[put(), put(), flush()]), passive()]);
    let apart = finished(&[origin(&[put(), flush(), put(), flush()]), passive()]);
    assert!(span(&two, 0) < 0.6 * span(&apart, 0));
}

#[test]
fn a_target_combines_for_one_origin_after_the_other() {
    let gap = Duration::from_nanos(1_000_000);
    let add = || origin(&[access(AccessKind::GetAccumulate, 4, 8), flush()]);
    let scripts = [add(), add(), add(), add(), passive()];
    let ran = run_with(&model(AccessProgress::Interface, gap), &scripts);
    let mut ends = ran.ends[..4].to_vec();
    ends.sort_by(f64::total_cmp);
    for pair in ends.windows(2) {
        assert_close(pair[1] - pair[0], gap.as_secs_f64());
    }
    let at_once = run_with(&model(AccessProgress::Interface, Duration::ZERO), &scripts);
    assert!((ends[3] - at_once.ends[3] - 4.0 * gap.as_secs_f64()).abs() < 1e-6);
}

#[test]
fn puts_and_gets_do_not_wait_for_atomic_operations_of_others() {
    let gap = Duration::from_nanos(1_000_000);
    let add = origin(&[access(AccessKind::Accumulate, 2, 8), flush()]);
    let put = origin(&[access(AccessKind::Put, 2, 8), flush()]);
    let ran = run_with(&model(AccessProgress::Interface, gap), &[add, put, passive()]);
    assert!(span(&ran, 0) > 1e-3);
    assert!(span(&ran, 1) < 1e-3);
}

#[test]
fn accesses_of_one_origin_keep_their_order() {
    let gap = Duration::from_nanos(1_000_000);
    let both = origin(&[access(AccessKind::Accumulate, 1, 8), access(AccessKind::Put, 1, 8), flush()]);
    let ran = run_with(&model(AccessProgress::Interface, gap), &[both, passive()]);
    assert!((span(&ran, 0) - 1e-3 - message(8) - message(0)).abs() < 1e-6);
}

#[test]
fn a_library_carries_accesses_out_in_its_calls() {
    let target = vec![expose(), sleep(1.0), recv(Some(0), Some(0), 8, None)];
    let put = origin(&[access(AccessKind::Put, 1, 8), flush(), send(1, 0, 8, None)]);
    let scripts = [put, target];
    let interface = run_with(&model(AccessProgress::Interface, Duration::ZERO), &scripts);
    let calls = run_with(&model(AccessProgress::InCalls, Duration::ZERO), &scripts);
    assert!(interface.ends[0] < 0.1);
    assert_close(calls.ends[0], 1.0 + message(0));
    assert_eq!((interface.ending, calls.ending), (Ending::Finished, Ending::Finished));
}

#[test]
fn locks_are_requested_too_where_libraries_make_progress_in_calls() {
    let target = || vec![expose(), sleep(1.0), recv(Some(0), Some(0), 8, None)];
    let holder = || origin(&[lock(Some(1), true), unlock(1), send(1, 0, 8, None)]);
    let calls = run_with(&model(AccessProgress::InCalls, Duration::ZERO), &[holder(), target()]);
    assert_close(calls.ends[0], 1.0 + message(0));
    let interface = finished(&[holder(), target()]);
    assert_close(span(&interface, 0), 2.0 * message(0));
}

#[test]
fn an_exclusive_lock_waits_for_the_notice_of_its_holder() {
    let holder = vec![expose(), sleep(START), lock(Some(2), true), sleep(1.0), unlock(2)];
    let next = vec![expose(), sleep(0.1), lock(Some(2), true), unlock(2)];
    let ran = finished(&[holder, next, passive()]);
    // Request and grant of the first; then the notice, and the grant of the second.
    assert_close(span(&ran, 1), 1.0 + 4.0 * message(0));
    let shared = |at| vec![expose(), sleep(at), lock(Some(2), false), sleep(1.0), unlock(2)];
    let together = finished(&[shared(START), shared(START), passive()]);
    assert!(together.ends[..2].iter().all(|&end| end < 1.1));
}

#[test]
fn a_deadlock_of_locks_names_who_holds_them() {
    let crossed = |mine, other| {
        origin(&[lock(Some(mine), true), sleep(0.1), lock(Some(other), true), unlock(other), unlock(mine)])
    };
    let ran = run(one_switch(2), "flow:factors", "", &[crossed(0, 1), crossed(1, 0)]);
    assert_eq!(ran.ending, Ending::Deadlock);
    let blocked = ran.engine.diagnosis().blocked();
    let want = |rank: u32| Want::Lock { target: Some(rank), holders: vec![rank], context: WORLD };
    assert_eq!(blocked[0].wants, [want(1)]);
    assert_eq!(blocked[1].wants, [want(0)]);
    assert_eq!(waiting_cycle(&blocked), Some(vec![0, 1]));
}

#[test]
fn the_locks_of_all_targets_wait_for_exclusive_ones() {
    let holder = vec![expose(), sleep(START), lock(Some(1), true), sleep(1.0), unlock(1)];
    let all = vec![
        expose(),
        sleep(0.1),
        lock(None, false),
        Call::Unlock { window: WORLD, target: None },
        access(AccessKind::Put, 0, 8),
        flush(),
    ];
    let ran = finished(&[holder, all]);
    assert_close(span(&ran, 1), 1.0 + 3.0 * message(0) + message(8) + message(0));
}
