//! Traces of Dimemas on its own machines: the times that Dimemas gives.

use std::path::{Path, PathBuf};

use mpirage_mpi::Ending;
use mpirage_scenario::Dimemas;
use mpirage_simulation::ReplayError;
use mpirage_trace::{Computation, DimTrace, DimWriter, Workload, convert, open};

use crate::common::{Ran, replay_model};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dimemas")
}

/// Runs a trace of the folder on a configuration of the folder.
fn run(trace: &str, configuration: &str) -> Ran {
    let mut workload = open(folder().join(trace).to_str().unwrap()).unwrap();
    run_on(workload.as_mut(), configuration).unwrap()
}

fn run_on(workload: &mut dyn Workload, configuration: &str) -> Result<Ran, ReplayError> {
    let dimemas = Dimemas::load(folder().join(configuration).to_str().unwrap()).unwrap();
    let placement = dimemas.placement(workload.ranks()).unwrap();
    replay_model(dimemas.platform, dimemas.model, placement.hosts, workload)
}

/// A trace of this text, without a table of offsets.
fn written(name: &str, text: &str) -> Result<DimTrace, String> {
    let path = std::env::temp_dir().join(format!("mpirage-{}-{name}.dim", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let trace = DimTrace::open(&path).map_err(|error| error.to_string());
    // The file stays readable while it is open.
    std::fs::remove_file(&path).unwrap();
    trace
}

/// A trace of the folder, read and written again.
fn copy(trace: &str) -> DimTrace {
    let mut workload = open(folder().join(trace).to_str().unwrap()).unwrap();
    let path = std::env::temp_dir().join(format!("mpirage-{}-copy-{trace}", std::process::id()));
    let mut writer = DimWriter::create(&path, workload.ranks(), Computation::default()).unwrap();
    convert(workload.as_mut(), &mut writer, &|| false).unwrap();
    let copied = DimTrace::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    copied
}

/// The error of opening or replaying a trace.
fn mistake(name: &str, text: &str) -> String {
    match written(name, text) {
        Ok(mut trace) => run_on(&mut trace, "c2.cfg").unwrap_err().to_string(),
        Err(error) => error,
    }
}

#[test]
fn nineteen_runs_take_as_long_as_dimemas_says() {
    let expected = std::fs::read_to_string(folder().join("expected.csv")).unwrap();
    let mut runs = 0;
    for line in expected.lines().skip(1) {
        let [trace, configuration, seconds] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let ran = run(trace, configuration);
        assert_eq!(ran.ending, Ending::Finished, "{line}");
        let nanos = |seconds: f64| (seconds * 1e9).round();
        assert_eq!(nanos(ran.seconds()), nanos(seconds.parse().unwrap()), "{line}");
        let copied = run_on(&mut copy(trace), configuration).unwrap();
        assert_eq!(copied.seconds(), ran.seconds(), "a copy for {line}");
        runs += 1;
    }
    assert_eq!(runs, 19);
}

#[test]
fn small_messages_and_many_nodes_take_as_long_as_dimemas_says() {
    let ping_pong = |bytes: u64| {
        format!(
            "#DIMEMAS:\"p\":0:2(1,1),1\nd:1:1:2:0:1\n1:0:0:0.000001\n2:0:0:1:-1:{bytes}:0:1:0\n3:0:0:1:-1:{bytes}:0:1:0\n\
             1:1:0:0.000001\n3:1:0:0:-1:{bytes}:0:1:0\n2:1:0:0:-1:{bytes}:0:1:0\n"
        )
    };
    let ran = run_on(&mut written("small", &ping_pong(1024)).unwrap(), "c2.cfg").unwrap();
    assert!(
        (ran.seconds() - 1e-6 - 2.0 * (5e-6 + 1024.0 / 1_048_576_000.0)).abs() < 1e-9,
        "{}",
        ran.seconds()
    );
}

#[test]
fn a_trace_without_a_table_is_read_too() {
    let with = std::fs::read_to_string(folder().join("inc.dim")).unwrap();
    let (records, _) = with.split_once("s:0").unwrap();
    let without = records.replace(":1,000000000279:", ":0:");
    let ran = run_on(&mut written("table", &without).unwrap(), "c4.cfg").unwrap();
    assert_eq!(ran.ends, run("inc.dim", "c4.cfg").ends);
}

#[test]
fn sub_communicators_roots_and_collectives_that_do_not_block() {
    // Tasks 1 and 3 reduce to task 3 while they compute; everybody gets a message from a neighbour of the world.
    let mut text = "#DIMEMAS:\"c\":0:4(1,1,1,1),2\nd:1:7:4:0:1:2:3\nd:1:9:2:3:1\n".to_owned();
    for task in 0..4 {
        text += &format!("2:{task}:0:{}:-1:8:5:7:2\n", (task + 1) % 4);
        if task % 2 == 1 {
            let root = u32::from(task == 3);
            text += &format!(
                "10:{task}:0:10:9:{root}:0:1000:1000:0\n1:{task}:0:0.5\n10:{task}:0:10:9:{root}:0:1000:1000:2\n"
            );
        }
        text += &format!("3:{task}:0:{}:8:5:7:0\n20:{task}:0:1:2\n", (task + 3) % 4);
    }
    let ran = run_on(&mut written("sub", &text).unwrap(), "c4.cfg").unwrap();
    assert_eq!(ran.ending, Ending::Finished);
    let startup = 5e-6;
    let ended =
        |task: usize, seconds: f64| assert!((ran.ends[task] - seconds).abs() < 1e-9, "{:?}", ran.ends);
    ended(0, 2.0 * startup);
    ended(1, startup + 0.5 + startup);
    ended(3, startup + 0.5 + startup);
}

#[test]
fn every_collective_has_a_schedule_in_other_models() {
    for operation in 0..16 {
        let mut text = "#DIMEMAS:\"o\":0:4(1,1,1,1),1\nd:1:1:4:0:1:2:3\n".to_owned();
        for task in 0..4 {
            text += &format!("10:{task}:0:{operation}:1:{}:0:4096:4096:1\n", u32::from(task == 2));
        }
        let mut trace = written(&format!("op{operation}"), &text).unwrap();
        let ran = crate::common::replay(&mut trace).unwrap();
        assert_eq!(ran.ending, Ending::Finished, "operation {operation}");
        assert!(ran.seconds() > 0.0, "operation {operation}");
    }
}

#[test]
fn many_sends_that_nobody_waits_for_do_not_pile_up() {
    let (sends, mut text) = (5000, "#DIMEMAS:\"m\":0:2(1,1),1\nd:1:1:2:0:1\n".to_owned());
    for _ in 0..sends {
        text += "2:0:0:1:-1:8:0:1:2\n";
    }
    for _ in 0..sends {
        text += "3:1:0:0:-1:8:0:1:0\n";
    }
    let ran = run_on(&mut written("many", &text).unwrap(), "c2.cfg").unwrap();
    assert_eq!((ran.ending, ran.messages), (Ending::Finished, sends));
    assert!((ran.ends[0] - 5e-6 * sends as f64).abs() < 1e-9, "{:?}", ran.ends);
}

#[test]
fn mistakes_say_where_they_are_and_what_would_be_right() {
    let good = "#DIMEMAS:\"x\":0:2(1,1),1\nd:1:1:2:0:1\n1:0:0:0.1\n3:1:0:0:-1:8:0:1:2\n";
    let cases = [
        ("head", good.replace("#DIMEMAS:", "#DIMMAS:"), "header"),
        ("threads", good.replace("(1,1)", "(1,4)"), "task 1 has 4 threads"),
        ("tasks", good.replace("2(1,1)", "3(1,1)"), "3 tasks"),
        ("comm", good.replace("d:1:1:2:0:1", "d:1:1:2:0:7"), "no task 7"),
        ("twice", good.replace("d:1:1:2:0:1", "d:1:1:2:1:1"), "twice"),
        ("burst", good.replace("0.1", "soon"), "seconds, not `soon`"),
        ("wait", good.to_owned(), "at byte 46: no such receive was begun"),
        ("kind", good.replace("\n1:0:", "\n7:0:"), "records of kind 7"),
        ("apart", format!("{good}1:0:0:0.1\n"), "not together"),
        ("other", format!("{good}x:y\n"), "neither a communicator"),
        ("offset", format!("{}s:0:3\n", good.replace(":0:2(", ":1,99:2(")), "offset is wrong"),
    ];
    for (name, text, expected) in cases {
        let error = mistake(name, &text);
        assert!(error.contains(expected), "{name}: {error}");
    }
}
