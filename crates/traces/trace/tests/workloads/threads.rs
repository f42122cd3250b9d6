//! Traces of ranks with several threads.

use std::path::{Path, PathBuf};

use mpirage_call::{Call, Completing, Completion, Reply, RequestId, SendMode, Stamp, WORLD, Work};
use mpirage_trace::{
    BinaryTrace, BinaryWriter, Computation, ThreadSync, TiLayout, TiWriter, TraceWriter, convert, info,
};
use mpirage_units::Duration;

use crate::common::replay_on;

const MILLISECOND: u64 = 1_000_000;

/// Writes a trace of one rank with two threads.
struct TwoThreads {
    writer: BinaryWriter,
    second: u32,
}

impl TwoThreads {
    fn create(path: &Path) -> TwoThreads {
        let mut writer = BinaryWriter::create(path, 1, Computation::default()).unwrap();
        writer.called(0, &Stamp::default(), &Call::Init, &Reply::new(), Duration::ZERO);
        let second = writer.open_thread(0).unwrap();
        TwoThreads { writer, second }
    }

    fn call(&mut self, thread: u32, call: &Call<'_>) {
        let reply = Reply { completions: vec![Completion::empty(0)], ..Reply::new() };
        self.writer.called(thread, &Stamp::default(), call, &reply, Duration::ZERO);
    }

    fn wakes(&mut self, thread: u32, other: u32) {
        self.writer.synchronized(thread, ThreadSync::Wakes(other));
        self.writer.synchronized(other, ThreadSync::Awaits(thread));
    }

    /// A thread computes, then sends itself a message with request 1.
    fn message(&mut self, thread: u32, milliseconds: u64) {
        let (request, tag) = (Some(RequestId::new(1)), thread as i32);
        self.writer.computed(thread, Work::Nanos(milliseconds * MILLISECOND));
        self.call(
            thread,
            &Call::Recv {
                context: WORLD,
                from: Some(0),
                tag: Some(tag),
                bytes: 8,
                address: 0,
                request,
                matched: None,
            },
        );
        self.call(
            thread,
            &Call::Send {
                mode: SendMode::Standard,
                context: WORLD,
                to: 0,
                tag,
                bytes: 8,
                payload: mpirage_call::Payload::Absent,
                request: None,
                answer: false,
            },
        );
        self.wait(thread);
    }

    fn wait(&mut self, thread: u32) {
        let requests = [RequestId::new(1)];
        self.call(thread, &Call::Wait { how: Completing::All, poll: false, requests: &requests });
    }

    fn finish(mut self) {
        self.call(0, &Call::Finalize);
        self.writer.finish().unwrap();
    }
}

/// A file that is removed in the end.
struct Temporary(PathBuf);

impl Temporary {
    fn named(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("mpirage-threads-{}-{name}", std::process::id())))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

fn milliseconds(path: &Path) -> f64 {
    let ran = replay_on("cluster:1,cores=2", &mut BinaryTrace::open(path).unwrap()).unwrap();
    assert_eq!(ran.ending, mpirage_mpi::Ending::Finished);
    // Messages take less than a microsecond.
    (ran.seconds() * 1e5).round() * 1e-2
}

#[test]
fn threads_compute_at_the_same_time_and_wait_for_who_wakes_them() {
    let path = Temporary::named("meet.mpirage");
    let mut trace = TwoThreads::create(&path.0);
    let second = trace.second;
    trace.message(0, 1);
    trace.wakes(0, second);
    trace.message(second, 5);
    trace.message(0, 2);
    trace.wakes(second, 0);
    trace.finish();
    // One millisecond alone, then five beside two.
    assert_eq!(milliseconds(&path.0), 6.0);
}

#[test]
fn threads_may_use_one_number_of_a_request_at_the_same_time() {
    let path = Temporary::named("request.mpirage");
    let mut trace = TwoThreads::create(&path.0);
    let second = trace.second;
    trace.wakes(0, second);
    trace.message(0, 3);
    trace.message(second, 3);
    trace.wakes(second, 0);
    trace.finish();
    assert_eq!(milliseconds(&path.0), 3.0);
}

#[test]
fn a_conversion_keeps_threads_or_refuses_them() {
    let (path, copy) = (Temporary::named("from.mpirage"), Temporary::named("to.mpirage"));
    let mut trace = TwoThreads::create(&path.0);
    let second = trace.second;
    trace.wakes(0, second);
    trace.message(second, 4);
    trace.wakes(second, 0);
    trace.message(0, 1);
    trace.finish();
    let open = || BinaryTrace::open(&path.0).unwrap();
    let mut writer = BinaryWriter::create(&copy.0, 1, Computation::default()).unwrap();
    convert(&mut open(), &mut writer, &|| false).unwrap();
    assert_eq!((milliseconds(&path.0), milliseconds(&copy.0)), (5.0, 5.0));
    let counted = info(&mut open()).unwrap();
    assert_eq!((counted.ranks, counted.threads, counted.messages, counted.total_calls), (1, 2, 2, 8));
    let mut other =
        TiWriter::create(&Temporary::named("to.ti").0, TiLayout::OneFile, 1, Computation::default()).unwrap();
    let refused = convert(&mut open(), &mut other, &|| false).unwrap_err().to_string();
    assert!(refused.contains("cannot store calls of several threads"), "{refused}");
}
