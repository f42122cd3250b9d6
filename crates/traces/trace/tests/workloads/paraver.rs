//! Traces of Paraver: what records become, and what is said of records that are wrong.

use std::path::PathBuf;

use mpirage_call::wire::decode_call;
use mpirage_call::{Reply, function_name};
use mpirage_trace::{Calls, PrvTrace, Step, Workload, open};

const HEAD: &str = "#Paraver (19/11/26 at 11:00):9000_ns:1(2):1:2(1:1,1:1),2\nc:1:1:2:1:2\nc:1:7:2:2:1\n";

/// A file of this test's own.
fn file(name: &str, text: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("mpirage-prv-{}-{name}.prv", std::process::id()));
    std::fs::write(&file, text).unwrap();
    file
}

/// The calls of a rank: function and call.
fn calls(workload: &mut dyn Workload, rank: u32) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let mut words = Vec::new();
        let step = workload.next(rank, &Reply::default(), &mut Calls::new(&mut words)).unwrap();
        let mut at = 0;
        while at < words.len() {
            let (stamp, call, length) = decode_call(&words[at..]).unwrap();
            told.push(format!("{} {call:?}", function_name(stamp.function)));
            at += length;
        }
        if step == Step::Ended {
            return told;
        }
    }
}

fn check(trace: &mut dyn Workload, rank: u32, starts: &[&str]) {
    let told = calls(trace, rank);
    assert_eq!(told.len(), starts.len(), "{told:#?}");
    for (call, start) in told.iter().zip(starts) {
        assert!(call.contains(start), "{call} has no {start}");
    }
}

#[test]
fn messages_belong_to_the_calls_in_which_they_are_sent_and_received() {
    // Rank 0: Isend, Irecv, computes, Waitall; rank 1: Recv, Ssend. The logical receive of Irecv is where it was posted.
    let text = format!(
        "{HEAD}1:1:1:1:1:0:1000:1\n\
         2:1:1:1:1:1000:50000001:3\n3:1:1:1:1:1000:1100:2:1:2:1:2000:2500:64:7\n2:1:1:1:1:1200:50000001:0\n\
         2:1:1:1:1:1200:50000001:4\n2:1:1:1:1:1300:50000001:0:42000000:12\n\
         2:2:1:2:1:2000:50000001:2\n2:2:1:2:1:2500:50000001:0\n\
         2:2:1:2:1:2600:50000001:34\n3:2:1:2:1:2600:2700:1:1:1:1:1200:3500:32:8\n2:2:1:2:1:2800:50000001:0\n\
         2:1:1:1:1:3000:50000001:6\n2:1:1:1:1:3600:50000001:0\n"
    );
    let file = file("messages", &text);
    let mut trace = open(file.to_str().unwrap()).unwrap();
    assert_eq!((trace.ranks(), trace.communicators()), (2, vec![vec![1, 0]]));
    check(
        trace.as_mut(),
        0,
        &[
            "Compute { work: Nanos(1000)",
            "MPI_Isend Send { mode: Standard, context: 0, to: 1, tag: 7, bytes: 64, payload: Absent, request: Some(1)",
            "MPI_Irecv Recv { context: 0, from: Some(1), tag: Some(8), bytes: 32, address: 0, request: Some(2)",
            "Compute { work: Nanos(1700)",
            "MPI_Waitall Wait { how: All, poll: false, requests: [2, 1] }",
        ],
    );
    let mut trace = PrvTrace::open(&file).unwrap();
    check(
        &mut trace,
        1,
        &[
            "Compute { work: Nanos(2000)",
            "MPI_Recv Recv { context: 0, from: Some(0), tag: Some(7), bytes: 64, address: 0, request: None",
            "Compute { work: Nanos(100)",
            "MPI_Ssend Send { mode: Synchronous, context: 0, to: 0, tag: 8, bytes: 32",
        ],
    );
}

#[test]
fn collectives_have_sizes_roots_and_communicators() {
    // Rank 1 is rank 0 of communicator 7 and the root; events about a collective may come before its own. Time in a local function computes.
    let text = format!(
        "{HEAD}2:1:1:1:1:500:50000003:19\n2:1:1:1:1:600:50000003:0\n\
         2:1:1:1:1:1000:50100001:0:50100002:40:50100004:7\n2:1:1:1:1:1000:50000002:7\n2:1:1:1:1:2000:50000002:0\n\
         2:2:1:2:1:1000:50000002:7:50100001:40:50100002:0:50100004:7\n2:2:1:2:1:1000:50100003:1\n2:2:1:2:1:2000:50000002:0\n"
    );
    let mut trace = PrvTrace::open(&file("collectives", &text)).unwrap();
    let bcast = "MPI_Bcast Collective(CollectiveCall { kind: Bcast, context: 2, root: 0";
    check(&mut trace, 0, &["Compute { work: Nanos(1000)", bcast]);
    check(&mut trace, 1, &["Compute { work: Nanos(1000)", bcast]);
}

#[test]
fn mistakes_are_explained() {
    let isend = "2:1:1:1:1:1000:50000001:3\n";
    let message = "3:1:1:1:1:1000:1100:2:1:2:1:2000:2500:64:7\n";
    for (name, text, problem) in [
        ("head", "#Paraver: nothing\n".to_owned(), "this is no header"),
        ("events", format!("{HEAD}2:1:1:1:1:5:42000000:1\n"), "it has no events of MPI functions"),
        ("outside", format!("{HEAD}{isend}2:1:1:1:1:1001:50000001:0\n{message}"), "outside of calls of MPI"),
        ("cut", format!("{HEAD}{isend}"), "does not end: has the trace been cut off?"),
        ("windows", format!("{HEAD}2:1:1:1:1:5:50000004:1\n"), "cannot be replayed from Paraver"),
        ("thread", format!("{HEAD}2:1:1:1:2:5:50000001:1\n"), "thread 2 calls MPI"),
        ("task", format!("{HEAD}2:1:1:3:1:5:50000001:1\n"), "there is no task 3"),
        (
            "comm",
            format!("{HEAD}2:1:1:1:1:5:50000002:8:50100004:9\n2:1:1:1:1:6:50000002:0\n"),
            "in no communicator 9",
        ),
        ("record", format!("{HEAD}9:1:1\n"), "this is no record"),
        ("jobs", HEAD.replace("1(2):1:", "1(2):2:"), "it has 2 applications"),
    ] {
        let error =
            PrvTrace::open(&file(name, &text)).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(problem), "{name}: {error}");
    }
}
