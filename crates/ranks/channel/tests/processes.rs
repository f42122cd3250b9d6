//! Lines in other processes: this test program starts itself again as a rank.

mod common;

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use common::*;
use mpirage_call::{Call, LineId, Reply};
use mpirage_channel::{
    Attach, Briefing, CHANNEL_VARIABLE, CrashPlace, LineEnd, Mailboxes, Waiting,
    interrupt_waits_when_children_end,
};
use rustix::io::{FdFlags, fcntl_setfd};

/// The variable that says which part a rank plays.
const ROLE: &str = "MPIRAGE_TEST_ROLE";
/// The exit code of a rank whose simulator has died.
const ORPHANED: i32 = 84;

/// Starts a rank with the mailbox of rank 0.
fn rank_process(mailboxes: &Mailboxes, role: &str) -> Child {
    fcntl_setfd(mailboxes.file(), FdFlags::empty()).expect("an open file");
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", "as_a_rank", "--nocapture", "--test-threads=1"]);
    command.env(CHANNEL_VARIABLE, variable(mailboxes, LINE)).env(ROLE, role);
    command.stdout(std::process::Stdio::null()).spawn().expect("this program runs")
}

/// The rank's side of the tests below; in an ordinary run of this file, nothing.
#[test]
fn as_a_rank() {
    let (Ok(role), Ok(variable)) = (std::env::var(ROLE), std::env::var(CHANNEL_VARIABLE)) else { return };
    match role.as_str() {
        "talks" => {
            let mut end = attach(&variable);
            assert!(end.post(&stamp(8), &send(5, b"from another process")));
            end.ask(&stamp(9), &Call::Now, &mut no_service).unwrap();
            let mut reply = Reply::new();
            end.read_reply(&mut reply).unwrap();
            std::process::exit(reply.now.as_picos() as i32);
        }
        "runs" => {
            let mut end = attach(&variable);
            end.ask(&stamp(0), &Call::Now, &mut no_service).unwrap();
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        "is refused" => {
            let alone = matches!(LineEnd::attach(Some(&variable)), Attach::Alone);
            std::process::exit(if alone { 0 } else { 1 });
        }
        "crashes" => {
            let place = CrashPlace::of(&variable).expect("a mailbox");
            place.leave(11, true, &[0x1234, 0x5678]);
            std::process::abort();
        }
        other => panic!("there is no role {other}"),
    }
}

fn code(mut child: Child) -> Option<i32> {
    child.wait().expect("a child that was not waited for").code()
}

#[test]
fn calls_and_answers_cross_processes() {
    let mut mailboxes = of_two_ranks();
    let child = rank_process(&mailboxes, "talks");
    let words = calls(&mut mailboxes, LINE);
    assert_eq!(tags(&words), [(5, 8)]);
    assert_eq!(mailboxes.owner(LINE), Some(child.id()));
    assert_eq!(mailboxes.owner(LineId::new(1)), None);
    answer(&mut mailboxes, LINE, &at(37));
    assert_eq!(code(child), Some(37));
}

#[test]
fn only_one_process_gets_a_mailbox() {
    let mut mailboxes = of_two_ranks();
    let mut first = rank_process(&mailboxes, "runs");
    calls(&mut mailboxes, LINE);
    assert_eq!(code(rank_process(&mailboxes, "is refused")), Some(0));
    assert_eq!(mailboxes.owner(LINE), Some(first.id()));
    first.kill().expect("it runs");
    first.wait().expect("it was killed");
}

#[test]
fn the_end_of_a_process_is_noticed_and_its_mailbox_taken_back() {
    interrupt_waits_when_children_end().expect("a handler");
    let mut mailboxes = of_two_ranks();
    let mut child = rank_process(&mailboxes, "runs");
    calls(&mut mailboxes, LINE);
    answer(&mut mailboxes, LINE, &at(0));
    child.kill().expect("it runs");
    let began = Instant::now();
    // Other tests end children too, and the signal may interrupt another thread: so the wait is short and repeated.
    while child.try_wait().expect("our child").is_none() {
        assert_eq!(mailboxes.wait(LINE, Duration::from_millis(50)), Waiting::Interrupted);
        assert!(began.elapsed() < PATIENCE);
    }
    assert!(mailboxes.is_running(LINE));
    mailboxes.take_back(LINE);
    assert_eq!(mailboxes.wait(LINE, PATIENCE), Waiting::Over);
    assert_eq!(mailboxes.calls(LINE), [0_u64; 0]);
    assert_eq!(mailboxes.crash(LINE), None);
}

#[test]
fn a_rank_ends_when_its_simulator_has_died() {
    let mut gone = Command::new("true").spawn().expect("every system has it");
    let simulator = gone.id();
    gone.wait().expect("it ends");
    let mailboxes = Mailboxes::of_ranks(1, &Briefing { simulator, ..briefing() }).expect("memory");
    assert_eq!(code(rank_process(&mailboxes, "runs")), Some(ORPHANED));
}

#[test]
fn a_crash_leaves_a_note_with_frames_and_memory_map() {
    let mut mailboxes = of_two_ranks();
    let mut child = rank_process(&mailboxes, "crashes");
    child.wait().expect("it ends");
    mailboxes.take_back(LINE);
    let crash = mailboxes.crash(LINE).expect("a note");
    assert_eq!((crash.signal, crash.stack_overflow), (11, true));
    assert_eq!(crash.frames, [0x1234, 0x5678]);
    let program = std::env::current_exe().expect("a test has a path");
    assert!(crash.map.contains(&*program.to_string_lossy()), "{}", crash.map);
}

#[test]
fn what_names_no_mailbox_means_that_a_process_runs_alone() {
    for value in [None, Some(""), Some("3"), Some("-1:0"), Some("x:0"), Some("9999:0")] {
        assert!(matches!(LineEnd::attach(value), Attach::Alone), "{value:?}");
    }
}
