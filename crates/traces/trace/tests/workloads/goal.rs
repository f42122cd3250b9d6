//! GOAL schedules: what waits for what, what computes beside what, and files that come back the same.

use std::io::Cursor;
use std::path::Path;

use mpirage_mpi::Ending;
use mpirage_trace::{
    Computation, Goal, GoalBinaryWriter, GoalSchedules, GoalTextWriter, GoalWriter, OpKind, compile_goal,
    convert, open,
};

use crate::common::{Ran, replay};

fn text(lines: &str) -> Goal {
    Goal::from_text(Path::new("x.goal"), lines.into()).unwrap()
}

fn rank(lines: &str) -> String {
    format!("num_ranks 1\nrank 0 {{\n{lines}\n}}\n")
}

/// As text and compiled, which must be the same.
fn ran(lines: &str) -> Ran {
    let one = replay(&mut text(lines)).unwrap();
    let compiled = compile_goal(Path::new("x.goal"), lines.as_bytes()).unwrap();
    let other = replay(&mut Goal::from_bytes(Path::new("x.bin"), compiled).unwrap()).unwrap();
    assert_eq!((&one.ending, &one.ends, one.messages), (&other.ending, &other.ends, other.messages));
    one
}

fn seconds(lines: &str) -> f64 {
    let ran = ran(&rank(lines));
    assert_eq!(ran.ending, Ending::Finished);
    ran.seconds()
}

#[test]
fn one_processor_computes_one_thing_at_a_time() {
    assert_eq!(seconds("calc 1000\ncalc 2000\ncalc 3000"), 6e-6);
    assert_eq!(seconds("calc 1000 cpu 1\ncalc 2000 cpu 2\ncalc 3000"), 3e-6);
    assert_eq!(seconds("calc 1000 cpu 1\ncalc 2000 cpu 1\ncalc 2500"), 3e-6);
    assert_eq!(seconds("calc 0\ncalc 0 cpu 3"), 0.0);
    assert_eq!(seconds(""), 0.0);
}

#[test]
fn what_is_required_comes_first() {
    assert_eq!(seconds("a: calc 1000\nb: calc 500 cpu 1\nb requires a"), 1.5e-6);
    let diamond = "a: calc 100\nb: calc 200 cpu 1\nc: calc 300 cpu 2\nd: calc 400\n\
                   b requires a\nc requires a\nd requires b\nd requires c";
    assert_eq!(seconds(diamond), 0.8e-6);
    // Through an operation that takes no time.
    assert_eq!(
        seconds("a: calc 100\nb: calc 0 cpu 1\nc: calc 50 cpu 2\nb requires a\nc requires b"),
        0.15e-6
    );
    // It is not the first that is ready that is first in the file.
    assert_eq!(seconds("a: calc 100\nb: calc 50 cpu 1\na requires b"), 0.15e-6);
}

#[test]
fn a_start_frees_what_needs_no_more() {
    assert_eq!(seconds("a: calc 1000\nb: calc 1000 cpu 1\nb irequires a"), 1e-6);
    // b starts when the processor of a is free for a, which is after z.
    assert_eq!(seconds("z: calc 700\na: calc 1000\nb: calc 1000 cpu 1\nb irequires a"), 1.7e-6);
}

#[test]
fn what_waits_for_a_processor_goes_before_what_comes_later() {
    // When a ends, b has waited and c has just become free. d waits for c.
    let order = "a: calc 100\nb: calc 1000\nc: calc 10\nd: calc 10 cpu 1\nc requires a\nd requires c";
    assert_eq!(seconds(order), 1.12e-6);
}

#[test]
fn messages_pair_up_whatever_their_order() {
    let lines = "num_ranks 2\nrank 0 {\na: send 100b to 1 tag 1\nb: send 200b to 1 tag 2\nc: recv 5b from -1 tag -1\n\
                 c requires a\n}\nrank 1 {\nx: recv 200b from 0 tag 2\ny: recv 100b from 0 tag 1\nz: send 5b to 0 tag 9\n\
                 z requires x\nz requires y\n}\n";
    let ran = ran(lines);
    assert_eq!((ran.ending, ran.messages), (Ending::Finished, 3));
}

#[test]
fn a_receive_that_nobody_sends_to_is_a_deadlock() {
    let ran = ran("num_ranks 2\nrank 0 {\nrecv 1b from 1\n}\nrank 1 {\ncalc 5\n}\n");
    assert_eq!(ran.ending, Ending::Deadlock);
}

#[test]
fn cycles_are_told_with_their_place() {
    let lines = rank("x: calc 1\na: calc 1\nb: calc 1\na requires b\nb irequires a");
    let error = Goal::from_text(Path::new("x.goal"), lines.clone().into()).unwrap_err().to_string();
    assert!(error.starts_with("x.goal:4:") || error.starts_with("x.goal:5:"), "{error}");
    let compiled = compile_goal(Path::new("x.goal"), lines.as_bytes()).unwrap();
    let error = replay(&mut Goal::from_bytes(Path::new("x.bin"), compiled).unwrap()).unwrap_err().to_string();
    assert!(error.contains("2 operations never start"), "{error}");
}

/// Every byte of a small file, changed: it is refused, or runs to some end.
#[test]
fn damaged_files_are_refused_or_run() {
    let lines =
        "num_ranks 2\nrank 0 {\na: calc 10\nb: send 8b to 1\nb requires a\n}\nrank 1 {\nrecv 8b from 0\n}\n";
    let good = compile_goal(Path::new("x.goal"), lines.as_bytes()).unwrap();
    let (mut refused, mut ran) = (0, 0);
    for at in 0..good.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let goal = Goal::from_bytes(Path::new("x.bin"), bytes).map_err(Into::into);
            match goal.and_then(|mut goal| replay(&mut goal)) {
                Ok(_) => ran += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 100 && ran > 100, "{refused} {ran}");
    for length in 0..good.len() {
        let cut = Goal::from_bytes(Path::new("x.bin"), good[..length].to_vec());
        assert!(cut.is_err(), "{length}");
    }
}

#[test]
fn text_and_binary_turn_into_each_other() {
    let folder = std::env::temp_dir().join(format!("mpirage-goal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (one, two) = (folder.join("a.goal"), folder.join("a.bin"));
    let lines = "num_ranks 2\n\nrank 0 {\nl1: calc 10\nl2: send 8b to 1 tag 3 cpu 1 nic 2\nl3: calc 7 cpu 2\n\
                 l2 requires l1\nl3 irequires l2\n}\n\nrank 1 {\nl1: recv 8b from -1 tag -1\n}\n";
    std::fs::write(&one, lines).unwrap();
    let mut schedules = GoalSchedules::open(&one).unwrap();
    let mut writer = GoalBinaryWriter::new(&two, Cursor::new(Vec::new()), schedules.ranks()).unwrap();
    while let Some(schedule) = schedules.next_rank().unwrap() {
        writer.rank(&schedule).unwrap();
    }
    std::fs::write(&two, writer.finish().unwrap().into_inner()).unwrap();
    let mut schedules = GoalSchedules::open(&two).unwrap();
    let mut writer = GoalTextWriter::new(&one, Vec::new(), schedules.ranks()).unwrap();
    while let Some(schedule) = schedules.next_rank().unwrap() {
        writer.rank(&schedule).unwrap();
    }
    assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), lines);
    for path in [&one, &two] {
        let mut workload = open(path.to_str().unwrap()).unwrap();
        assert_eq!(replay(workload.as_mut()).unwrap().ending, Ending::Finished);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Traces and patterns become schedules that take the same time: messages, collectives of any kind, computation between them.
#[test]
fn schedules_of_other_workloads_take_the_same_time() {
    let folder = std::env::temp_dir().join(format!("mpirage-goal-of-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for spec in ["halo2d,ranks=9", "random,ranks=7", "ring,ranks=5", "alltoall,ranks=6", "bcast,ranks=8"] {
        let spec = format!("gen:{spec},iterations=3");
        let original = replay(open(&spec).unwrap().as_mut()).unwrap();
        for ending in ["goal", "bin"] {
            let path = folder.join(format!("x.{ending}"));
            let mut workload = open(&spec).unwrap();
            let (ranks, computation) = (workload.ranks(), Computation::default());
            let mut writer = GoalWriter::create(&path, ending == "bin", ranks, computation).unwrap();
            convert(workload.as_mut(), &mut writer, &|| false).unwrap();
            let again = replay(open(path.to_str().unwrap()).unwrap().as_mut()).unwrap();
            let (one, other) = (original.seconds(), again.seconds());
            assert_eq!(again.ending, Ending::Finished, "{spec}");
            // Messages of collectives are not counted there.
            let is_collective = original.messages == 0;
            assert!(is_collective || again.messages == original.messages, "{spec}");
            assert!((one - other).abs() < 1e-3 * one, "{spec}: {one} and as a schedule {other}");
        }
        // Ranks receive as many bytes as they send.
        let mut schedules = GoalSchedules::open(&folder.join("x.goal")).unwrap();
        let mut bytes = [0, 0];
        while let Some(schedule) = schedules.next_rank().unwrap() {
            for op in schedule.ops.iter().filter(|op| op.kind != OpKind::Calc) {
                bytes[usize::from(op.kind == OpKind::Recv)] += op.size;
            }
        }
        assert_eq!(bytes[0], bytes[1], "{spec}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
