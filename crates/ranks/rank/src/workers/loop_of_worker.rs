//! The loop of a worker process: it runs the ranks that the simulator names, one after the other.

use mpirage_call::{LineId, RankId};
use mpirage_channel::{Report, Task, WorkerEnd};

use crate::Folded;
use crate::crash::Death;
use crate::stop::Stop;

/// Kinds of reports: why a line stopped.
const WAITS: u32 = 0;
const INTERRUPTED: u32 = 1;
const EXITED: u32 = 2;
const KILLED: u32 = 3;
const OVERFLOWED: u32 = 4;
const CANCELLED: u32 = 5;
/// It has carried out a service, and still waits.
const SERVED: u32 = 6;

/// Goes on with the ranks that this worker holds, until the simulator ends the process.
pub(super) fn work(folded: &mut Folded, end: &mut WorkerEnd<'_>, holds: &dyn Fn(usize) -> bool) {
    // Without a watchdog the simulator would wait for ever for a rank that never stops. It notices that this process ends.
    if folded.become_worker(holds).is_err() {
        return;
    }
    let mut payload = Vec::new();
    loop {
        let (line, task) = end.command(&mut payload);
        match task {
            Task::Run => {
                let report = run(folded, end, line, &payload);
                end.report(&report);
            }
            Task::Serve { back } => {
                let report = serve(folded, end, line, &payload, back as usize);
                end.report(&report);
            }
            Task::Limit { nanos } => folded.set_limit(std::time::Duration::from_nanos(nanos)),
        }
    }
}

fn run(folded: &mut Folded, end: &WorkerEnd<'_>, line: LineId, encoded: &[u64]) -> Report {
    let rank = folded.rank_of(line);
    let stop = go_on(folded, end, line, encoded);
    let place = folded.place_of_death(rank).unwrap_or_default();
    let (kind, code, place) = match stop {
        Stop::Waits | Stop::HasThreads => (WAITS, 0, 0),
        Stop::Interrupted(place) => (INTERRUPTED, 0, place),
        Stop::Ended(Death::Exit(code)) => (EXITED, code, place),
        Stop::Ended(Death::Signal(number)) => (KILLED, number, place),
        Stop::Ended(Death::StackOverflow) => (OVERFLOWED, 0, place),
        Stop::Cancelled => (CANCELLED, 0, 0),
    };
    let mut calls = Vec::new();
    folded.calls(line, &mut calls);
    Report { line, kind, code, place, calls, bytes: folded.take_output(rank) }
}

fn serve(folded: &mut Folded, end: &WorkerEnd<'_>, line: LineId, encoded: &[u64], back: usize) -> Report {
    match go_on(folded, end, line, encoded) {
        Stop::Waits => {
            let bytes = folded.served(back);
            Report { line, kind: SERVED, code: 0, place: 0, calls: Vec::new(), bytes }
        }
        _ => Report { line, kind: CANCELLED, code: 0, place: 0, calls: Vec::new(), bytes: Vec::new() },
    }
}

fn go_on(folded: &mut Folded, end: &WorkerEnd<'_>, line: LineId, encoded: &[u64]) -> Stop {
    end.runs(line);
    let stop = folded.go_on(RankId::new(line.get()), encoded);
    end.note(folded.disturbed(), folded.out_of_files().map(RankId::get));
    stop
}

/// Has the line carried out a service?
pub(super) fn is_served(report: &Report) -> bool {
    report.kind == SERVED
}

/// Why the line stopped.
pub(super) fn stop_of(report: &Report) -> Stop {
    match report.kind {
        INTERRUPTED => Stop::Interrupted(report.place),
        EXITED => Stop::Ended(Death::Exit(report.code)),
        KILLED => Stop::Ended(Death::Signal(report.code)),
        OVERFLOWED => Stop::Ended(Death::StackOverflow),
        CANCELLED => Stop::Cancelled,
        _ => Stop::Waits,
    }
}
