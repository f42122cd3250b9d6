//! Time-independent traces: what lines become, and what is said of lines that are wrong.

use std::fs;
use std::path::PathBuf;

use mpirage_call::wire::decode_call;
use mpirage_call::{Burst, Call, Completion, Reply, Work, function_name};
use mpirage_trace::{
    BinaryTrace, BinaryWriter, Calls, Computation, Step, TiLayout, TiTrace, TiWriter, TraceWriter, Workload,
    convert, info,
};

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("mpirage-ti-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(name: &str, text: &str) -> PathBuf {
    let file = folder(name).join("trace.txt");
    fs::write(&file, text).unwrap();
    file
}

/// All calls of a rank, as function and call in words, if every request completes at once.
fn calls(workload: &mut dyn Workload, rank: u32) -> Result<Vec<String>, String> {
    let mut told = Vec::new();
    let mut reply = Reply::default();
    reply.completions.push(Completion::empty(0));
    loop {
        let mut words = Vec::new();
        let step =
            workload.next(rank, &reply, &mut Calls::new(&mut words)).map_err(|error| error.to_string())?;
        let mut at = 0;
        while at < words.len() {
            let (stamp, call, length) = decode_call(&words[at..]).unwrap();
            let function = if matches!(call, Call::Compute { .. } | Call::Sleep { .. }) {
                ""
            } else {
                function_name(stamp.function)
            };
            told.push(format!("{function} {call:?}"));
            at += length;
        }
        if step == Step::Ended {
            return Ok(told);
        }
    }
}

/// The error that rank 0 meets in a trace of one file.
fn problem(name: &str, text: &str) -> String {
    let file = file(name, text);
    let told = match TiTrace::open(&file) {
        Ok(mut trace) => calls(&mut trace, 0).expect_err("the trace is wrong"),
        Err(error) => error.to_string(),
    };
    told.replace(&file.display().to_string(), "FILE")
}

#[test]
fn a_computation_may_name_its_bytes() {
    let text = "0 init\n0 compute 5 2e3\n0 compute 0 7\n0 compute 0\n0 finalize\n";
    let file = file("roofline", text);
    let told = calls(&mut TiTrace::open(&file).unwrap(), 0).unwrap();
    assert_eq!(
        told[1..3],
        [
            " Compute { work: Roofline { flops: 5.0, bytes: 2000.0 }, request: None }",
            " Compute { work: Roofline { flops: 0.0, bytes: 7.0 }, request: None }",
        ]
    );
    assert_eq!(told.len(), 4);
    assert!(problem("no-bytes", "0 compute 5 much\n").contains("the bytes of memory is not `much`"));
}

#[test]
fn lines_become_calls() {
    let text = "0 init\n0 compute 5e8\n0 send 1 7 1e3 0\n0 isend 1 8 10\n0 irecv 1 9 20 1\n0 wait 1 0 9\n0 waitall\n\
                0 reduce 100 2e6 1 5\n0 finalize\n\n# nothing\n1 init\n1 finalize\n";
    let mut trace = TiTrace::open(&file("lines", text)).unwrap();
    trace.eager_limit(1 << 16);
    let calls = calls(&mut trace, 0).unwrap();
    let starts = [
        "MPI_Init Init",
        " Compute { work: Flops(500000000.0), request: None }",
        "MPI_Send Send { mode: Standard, context: 0, to: 1, tag: 7, bytes: 8000, payload: Absent, request: None, answer: false }",
        "MPI_Isend Send { mode: Standard, context: 0, to: 1, tag: 8, bytes: 10, payload: Absent, request: Some(1)",
        "MPI_Irecv Recv { context: 0, from: Some(1), tag: Some(9), bytes: 80, address: 0, request: Some(2)",
        "MPI_Wait Wait { how: All, poll: false, requests: [2] }",
        "MPI_Waitall Wait { how: All, poll: false, requests: [1] }",
        "MPI_Reduce Collective(CollectiveCall { kind: Reduce, context: 0, root: 1",
        " Compute { work: Flops(2000000.0), request: None }",
        "MPI_Finalize Finalize",
    ];
    assert_eq!(calls.len(), starts.len(), "{calls:#?}");
    for (call, start) in calls.iter().zip(starts) {
        assert!(call.starts_with(start), "{call} is not {start}");
    }
}

#[test]
fn every_action_of_the_format_is_known() {
    let actions = [
        "init 1",
        "comm_size 1",
        "comm_split",
        "comm_dup",
        "location main.c 12",
        "send 0 1 8",
        "isend 0 1 8",
        "irecv 0 1 8 6",
        "recv 0 1 8",
        "wait 0 0 1",
        "test 0 0 1",
        "waitall 3",
        "sendRecv 1 0 1 0 0 0",
        "barrier",
        "bcast 4",
        "bcast 4 0 1",
        "reduce 4 1",
        "allreduce 4 0 5",
        "alltoall 4 4",
        "alltoallv 4 4 4 4 1 1",
        "gather 4 4 0 1 1",
        "gatherv 4 4 0 1 1",
        "scatter 4 4 0",
        "scatterv 4 4 0 1 1",
        "allgather 4 4",
        "allgatherv 4 4 1 1",
        "reducescatter 4 1e3 0",
        "scan 4 0",
        "exscan 4 0 1",
        "compute 1e6",
        "sleep 0.5",
        "Isend 0 8",
        "reduceScatter 4 0",
        "ibcast 4",
        "wait -2 0 0",
        "ssend 0 1 8",
        "finalize",
    ];
    let text: String = actions.iter().map(|action| format!("0 {action}\n")).collect();
    let mut trace = TiTrace::open(&file("every", &text)).unwrap();
    let calls = calls(&mut trace, 0).unwrap();
    for part in [
        "kind: Exscan",
        "kind: ReduceScatter",
        "Sleep",
        "MPI_Ibcast",
        "MPI_Ssend",
        "MPI_Sendrecv",
        "poll: true",
    ] {
        assert!(calls.iter().any(|call| call.contains(part)), "{part} is missing in {calls:#?}");
    }
    assert!(calls.last().unwrap().contains("Finalize"));
}

#[test]
fn ranks_may_be_mixed_in_one_file_or_each_have_their_own() {
    let parts = ["0 init\n0 compute 1\n0 finalize\n", "1 init\n1 compute 2\n1 finalize\n"];
    let folder = folder("layouts");
    fs::write(folder.join("b.txt"), parts[0]).unwrap();
    fs::write(folder.join("a.txt"), parts[1]).unwrap();
    fs::write(folder.join("notes"), "nothing of a trace\n").unwrap();
    let list = folder.join("list");
    fs::write(&list, "b.txt\na.txt\n").unwrap();
    let mixed: String =
        (0..3).flat_map(|line| parts.map(|part| part.lines().nth(line).unwrap().to_owned() + "\n")).collect();
    let all = file("mixed", &mixed);
    for path in [&folder, &list, &all] {
        let mut trace = TiTrace::open(path).unwrap();
        assert_eq!(trace.ranks(), 2);
        for rank in [1, 0] {
            let told = calls(&mut trace, rank).unwrap();
            assert!(
                told[1].contains(&format!("Flops({:?})", f64::from(rank + 1))),
                "{}: {told:?}",
                path.display()
            );
        }
    }
    assert_eq!(TiTrace::open(&all).unwrap().place(1, 2).unwrap().1, mpirage_trace::TracePlace::Line(4));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let told = [
        ("0 init\n0 jump 3\n", "FILE:2: there is no action `jump`"),
        ("0 init\n0 send 1 1 10\n", "FILE:2: there is no rank 1: the trace has 1"),
        ("0 init\n\n0 compute\n", "FILE:3: `compute` lacks the flops"),
        ("0 compute 1x\n", "FILE:1: the flops is not `1x`"),
        ("0 compute -5\n", "FILE:1: the flops is not `-5`"),
        ("0 send 0 1 5 99\n", "FILE:1: a datatype is not 99"),
        ("0 bcast 5 3\n", "FILE:1: there is no rank 3: the trace has 1"),
        ("0 wait 0 1 2\n", "FILE:1: no `isend` or `irecv` is open that could be waited for"),
        ("0 alltoallv 1 1\n", "FILE:1: `alltoallv` lacks what follows its counts"),
        (
            "0 init\n0 compute 5\n",
            "FILE:2: the trace of this rank ends without `finalize`: has it been cut off?",
        ),
        ("0 init\nx compute 5\n", "FILE:2: a line starts with the number of a rank, not with `x`"),
        ("0 init\n2 init\n", "FILE: rank 1 has no action, but rank 2 has"),
        ("", "FILE: is empty: there is no action in it"),
    ];
    for (index, (text, expected)) in told.iter().enumerate() {
        assert_eq!(problem(&format!("wrong{index}"), text), *expected);
    }
    let folder = folder("foreign");
    fs::write(folder.join("0.txt"), "0 init\n1 compute 5\n").unwrap();
    let told = calls(&mut TiTrace::open(&folder).unwrap(), 0).unwrap_err();
    assert!(told.ends_with("0.txt:2: this is the trace of rank 0, but the line starts with `1`"), "{told}");
}

const PAIR: &str = "0 init\n0 iteration_in\n0 compute 1e6\n0 isend 1 3 1000 6\n0 compute 2e6\n0 wait 0 1 3\n0 allreduce 10 0 0\n0 iteration_out\n0 migrate 4096\n0 finalize\n\
                    1 init\n1 irecv 0 3 1000 6\n1 wait 0 1 3\n1 sleep 0.001\n1 allreduce 10 0 0\n1 migrate 8\n1 finalize\n";

#[test]
fn migration_points_and_iterations_are_read() {
    let text = "0 init\n0 iteration_in\n0 compute 5e8\n0 iteration_out\n0 migrate 1e3\n0 finalize\n";
    let mut trace = TiTrace::open(&file("sampi", text)).unwrap();
    let calls = calls(&mut trace, 0).unwrap();
    let level = i32::MAX;
    let expected = [
        "MPI_Init Init".to_owned(),
        format!("MPI_Pcontrol Control {{ level: {level}, name: \"iteration\" }}"),
        " Compute { work: Flops(500000000.0), request: None }".to_owned(),
        format!("MPI_Pcontrol Control {{ level: -{level}, name: \"\" }}"),
        "MPI_Migrate Migrate { state_bytes: 1000 }".to_owned(),
        "MPI_Finalize Finalize".to_owned(),
    ];
    assert_eq!(calls, expected);
    assert!(problem("no-state", "0 migrate\n").contains("`migrate` lacks the bytes of the state"));
}

#[test]
fn a_trace_goes_through_our_format_and_comes_back() {
    let source = file("round", PAIR);
    let binary = source.with_extension("mpirage");
    let mut writer = BinaryWriter::create(&binary, 2, Computation::default()).unwrap();
    convert(&mut TiTrace::open(&source).unwrap(), &mut writer, &|| false).unwrap();
    let back = folder("round-back");
    let mut writer = TiWriter::create(&back, TiLayout::Folder, 2, Computation::default()).unwrap();
    convert(&mut BinaryTrace::open(&binary).unwrap(), &mut writer, &|| false).unwrap();
    assert_eq!(writer.warnings(), Vec::<String>::new());
    let (mut first, mut last) = (TiTrace::open(&source).unwrap(), TiTrace::open(&back).unwrap());
    for rank in 0..2 {
        assert_eq!(calls(&mut first, rank).unwrap(), calls(&mut last, rank).unwrap());
    }
}

#[test]
fn one_file_for_all_reads_like_a_file_for_each() {
    let source = file("one-source", PAIR);
    let one = source.with_file_name("one.txt");
    let mut writer = TiWriter::create(&one, TiLayout::OneFile, 2, Computation::default()).unwrap();
    convert(&mut TiTrace::open(&source).unwrap(), &mut writer, &|| false).unwrap();
    for rank in 0..2 {
        let (mut a, mut b) = (TiTrace::open(&source).unwrap(), TiTrace::open(&one).unwrap());
        assert_eq!(calls(&mut a, rank).unwrap(), calls(&mut b, rank).unwrap());
    }
}

#[test]
fn damage_to_our_format_is_found() {
    let source = file("damage", PAIR);
    let binary = source.with_extension("mpirage");
    let mut writer =
        BinaryWriter::create(&binary, 2, Computation { measured_on: Some(1e9), free: false }).unwrap();
    convert(&mut TiTrace::open(&source).unwrap(), &mut writer, &|| false).unwrap();
    let whole = fs::read(&binary).unwrap();
    // Whatever byte is changed, the reader or the replay reports it without a panic.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&binary, &bytes).unwrap();
        let outcome = BinaryTrace::open(&binary)
            .map_err(|error| error.to_string())
            .and_then(|mut trace| (0..2).map(|rank| calls(&mut trace, rank)).collect::<Result<Vec<_>, _>>());
        assert!(outcome.is_err(), "byte {at} of {}", whole.len());
    }
    for length in 0..whole.len() {
        fs::write(&binary, &whole[..length]).unwrap();
        let told = BinaryTrace::open(&binary).err().expect("cut off").to_string();
        assert!(told.contains("at byte"), "{told}");
    }
    fs::write(&binary, &whole[..whole.len() - 1]).unwrap();
    let told = BinaryTrace::open(&binary).err().unwrap().to_string();
    assert!(told.contains("the file has no end: it was cut off"), "{told}");
}

#[test]
fn a_census_counts_what_is_there() {
    let told = info(&mut TiTrace::open(&file("collector", PAIR)).unwrap()).unwrap();
    assert_eq!((told.ranks, told.messages, told.message_bytes), (2, 1, 1000));
    assert_eq!((told.collectives, told.collective_bytes), (2, 160));
    assert_eq!((told.flops, told.nanos), (3e6, 0));
    assert_eq!(told.sizes[10], 1, "{:?}", told.sizes);
    assert_eq!(told.calls[0], ("MPI_Allreduce", 2));
    assert_eq!(told.matrix.cell((0, 1)), (1, 1000));
    assert_eq!(told.paused_picos, 1_000_000_000);
}

#[test]
fn bursts_keep_their_nanoseconds() {
    let path = folder("bursts").join("run.mpirage");
    let mut writer =
        BinaryWriter::create(&path, 1, Computation { measured_on: Some(2e9), free: false }).unwrap();
    writer.computed(0, Work::Nanos(1234));
    writer.computed(0, Work::Nanos(77));
    writer.called(0, &Default::default(), &Call::Init, &Reply::default(), Default::default());
    writer.computed(0, Work::Flops(1.5));
    writer.finish().unwrap();
    let mut trace = BinaryTrace::open(&path).unwrap();
    assert_eq!(trace.computation().measured_on, Some(2e9));
    let mut words = Vec::new();
    assert_eq!(trace.next(0, &Reply::default(), &mut Calls::new(&mut words)).unwrap(), Step::Waits);
    assert_eq!(
        decode_call(&words).map(|(stamp, call, _)| (stamp.burst, call)),
        Ok((Burst::serial(1234), Call::Flush))
    );
    words.clear();
    trace.next(0, &Reply::default(), &mut Calls::new(&mut words)).unwrap();
    assert_eq!(
        decode_call(&words).map(|(stamp, call, _)| (stamp.burst, call)),
        Ok((Burst::serial(77), Call::Init))
    );
}

/// Whatever the format and the layout, a trace says how computation was charged, and a conversion keeps it.
#[test]
fn how_computation_was_charged_is_kept() {
    let source = file("charged", PAIR);
    assert_eq!(TiTrace::open(&source).unwrap().computation(), Computation::default());
    for free in [false, true] {
        let computation = Computation { measured_on: None, free };
        let binary = source.with_extension("mpirage");
        let mut writer = BinaryWriter::create(&binary, 2, computation).unwrap();
        convert(&mut TiTrace::open(&source).unwrap(), &mut writer, &|| false).unwrap();
        assert_eq!(BinaryTrace::open(&binary).unwrap().computation(), computation);
        for (layout, name) in
            [(TiLayout::Folder, "c.d"), (TiLayout::List, "c.ti"), (TiLayout::OneFile, "c.txt")]
        {
            let path = source.with_file_name(format!("{free}-{name}"));
            let mut writer = TiWriter::create(&path, layout, 2, computation).unwrap();
            convert(&mut BinaryTrace::open(&binary).unwrap(), &mut writer, &|| false).unwrap();
            let mut again = TiTrace::open(&path).unwrap();
            assert_eq!(again.computation(), computation, "{layout:?}");
            assert_eq!(calls(&mut again, 0).unwrap(), calls(&mut TiTrace::open(&path).unwrap(), 0).unwrap());
        }
    }
}
