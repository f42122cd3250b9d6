//! Runs and records for tests.

use mpirage_call::{
    Blocks, Call, CollectiveCall, Completing, Completion, ContextId, Part, Payload, Reply, RequestId,
    SendMode, WORLD, Work, function_names,
};
use mpirage_record::{Details, MessageRecord, Record, Recorder, Scope};
use mpirage_units::Time;

pub(crate) use mpirage_interpret::testing::{message, run_on};

/// The index of a function.
pub(crate) fn index(name: &str) -> u16 {
    function_names().iter().position(|&known| known == name).unwrap() as u16
}

fn call(
    rank: u32,
    name: &str,
    span: [u64; 2],
    site: u64,
    call: Call<'_>,
    reply: &Reply,
    to: &mut dyn Recorder,
) {
    let [entered, left] = span.map(Time::from_picos);
    let details = Some(Details { call: &call, reply });
    to.record(&Record::Call { rank, function: index(name), entered, left, site, details });
}

/// A small run on two ranks: computation, a message that is waited for, computation beside a rank, a communicator, a
/// collective, and rank 1 blocked for ever. Times are in nanoseconds and a half.
pub(crate) fn play(to: &mut dyn Recorder) {
    let ns = |t: u64| t * 1_000 + 500;
    let at = |t: u64| Time::from_picos(ns(t));
    let nothing = Reply::default();
    let came = Completion { source: 0, tag: 7, bytes: 4096, ..Completion::empty(0) };
    let received = Reply { completions: vec![came], ..Reply::default() };
    let isend = Call::Send {
        mode: SendMode::Standard,
        context: WORLD,
        to: 1,
        tag: 7,
        bytes: 4096,
        payload: Payload::Absent,
        request: Some(RequestId::new(1)),
        answer: false,
    };
    let irecv = Call::Recv {
        context: WORLD,
        from: Some(0),
        tag: None,
        bytes: 8192,
        address: 0,
        request: Some(RequestId::new(1)),
        matched: None,
    };
    let wait = Call::Wait { how: Completing::All, poll: false, requests: &[RequestId::new(1)] };
    let part = Part { payload: Payload::Absent, blocks: Blocks::Whole(64) };
    let reduce = Call::Collective(CollectiveCall {
        kind: mpirage_call::Collective::Reduce,
        context: ContextId::new(2),
        root: 1,
        peers: mpirage_call::Peers::All,
        send: part,
        recv: part,
        reduction: None,
        request: None,
        plan: 0,
        input: Default::default(),
        on_mismatch: Default::default(),
    });
    to.record(&Record::Comm { context: ContextId::new(2), members: &[1, 0] });
    call(1, "MPI_Irecv", [ns(0), ns(0)], 0x20, irecv, &nothing, to);
    let work = Work::Flops(1e4);
    to.record(&Record::Burst { rank: 0, start: at(0), end: at(10), work, beside: false });
    call(0, "MPI_Isend", [ns(10), ns(11)], 0x10, isend, &nothing, to);
    to.record(&Record::Burst { rank: 0, start: at(11), end: at(20), work, beside: true });
    to.record(&Record::Burst { rank: 0, start: at(12), end: at(21), work: Work::Nanos(9), beside: true });
    to.record(&Record::Message(MessageRecord { sent: at(10), ..message((0, 1), 4096, (ns(12), ns(30))) }));
    call(1, "MPI_Wait", [ns(0), ns(31)], 0x24, wait, &received, to);
    call(0, "MPI_Wait", [ns(11), ns(32)], 0x14, wait, &nothing, to);
    let inner = message((0, 1), 64, (ns(32), ns(40)));
    to.record(&Record::Message(MessageRecord { scope: Scope::Collective(5), tag: 0, ..inner }));
    call(1, "MPI_Reduce", [ns(31), ns(40)], 0x28, reduce, &nothing, to);
    call(0, "MPI_Reduce", [ns(32), ns(41)], 0x18, reduce, &nothing, to);
    to.record(&Record::Pause { rank: 0, start: at(41), end: at(45) });
    to.record(&Record::End { rank: 0, at: at(45), blocked: None, ideal: None });
    to.record(&Record::End {
        rank: 1,
        at: at(45),
        blocked: Some((at(40), index("MPI_Recv"), 0x2c)),
        ideal: None,
    });
}

/// A rank of which two threads call MPI at the same time, and the first computes afterwards. Times are nanoseconds.
pub(crate) fn play_threads(to: &mut dyn Recorder) {
    let at = |t: u64| Time::from_picos(t * 1_000);
    let mut barrier = |thread, from, until| {
        to.thread(0, thread);
        let (entered, left) = (at(from), at(until));
        let function = index("MPI_Barrier");
        to.record(&Record::Call { rank: 0, function, entered, left, site: 0, details: None });
    };
    barrier(0, 2, 5);
    barrier(1, 1, 6);
    barrier(0, 5, 7);
    let (start, end, work) = (at(7), at(9), Work::Nanos(2));
    to.record(&Record::Burst { rank: 0, start, end, work, beside: false });
}

/// `a.c`, with the line in the site.
pub(crate) struct Lines;

impl mpirage_interpret::Sites for Lines {
    fn name(&self, key: u64) -> Option<String> {
        Some(format!("a.c:{key} main"))
    }
}
