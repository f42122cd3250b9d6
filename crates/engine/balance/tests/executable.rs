//! A balancer that is a program of the user.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mpirage_balance::{BalanceError, Balancer, Core, CoreId, Executable, RankLoad, Snapshot};

/// A script in a folder that lasts as long as the first value.
fn script(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("balancer");
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    (folder, file)
}

fn ask(text: &str, ranks: usize) -> Result<Vec<CoreId>, BalanceError> {
    let (_folder, file) = script(text);
    let rank = RankLoad { seconds: 0.5, state_bytes: 7, core: CoreId(1) };
    let core = Core { host: 0, speed: 1.0, background: 0.0 };
    let snapshot = Snapshot::new(vec![rank; ranks], vec![core; 2], Vec::new()).unwrap();
    Executable::new(file.to_str().unwrap()).with_limit(Duration::from_secs(5)).map(&snapshot)
}

#[test]
fn its_answer_is_the_mapping() {
    assert_eq!(ask(r#"cat >/dev/null; echo '{"mapping": [1, 0]}'"#, 2).unwrap(), [CoreId(1), CoreId(0)]);
}

#[test]
fn it_reads_the_snapshot() {
    let check = r#"if grep -q '"seconds":0.5,"state_bytes":7,"core":1'; then echo '{"mapping": [0]}'; else exit 3; fi"#;
    assert_eq!(ask(check, 1).unwrap(), [CoreId(0)]);
}

#[test]
fn it_need_not_read_a_long_input() {
    let zeros = vec!["0"; 100_000].join(",");
    let answer = format!("echo '{{\"mapping\": ['; echo '{zeros}' | cat; echo ']}}'");
    // The text is too long for one argument of a program, but echo is part of the shell.
    assert_eq!(ask(&answer, 100_000).unwrap().len(), 100_000);
}

#[test]
fn mistakes_are_explained() {
    let says = |text: &str| ask(text, 1).unwrap_err().to_string();
    assert!(says("echo 'no such luck' >&2; exit 3").contains("(exit status: 3): no such luck"));
    assert!(says("echo hello").contains("something else than"));
    assert!(says(r#"echo '{"mapping": [0, 0]}'"#).contains("maps 2 ranks, but the snapshot has 1"));
    assert!(says(r#"echo '{"mapping": [2]}'"#).contains("rank 0 to core 2, but the machine has 2 cores"));
    let missing = Executable::new("./no/such/file").map(
        &Snapshot::new(Vec::new(), vec![Core { host: 0, speed: 1.0, background: 0.0 }], Vec::new()).unwrap(),
    );
    assert!(missing.unwrap_err().to_string().contains("No such file"));
}

#[test]
fn it_is_stopped_when_it_takes_too_long() {
    let (_folder, file) = script("exec sleep 60");
    let core = Core { host: 0, speed: 1.0, background: 0.0 };
    let snapshot = Snapshot::new(Vec::new(), vec![core], Vec::new()).unwrap();
    let started = Instant::now();
    let limit = Duration::from_millis(200);
    let error = Executable::new(file.to_str().unwrap()).with_limit(limit).map(&snapshot).unwrap_err();
    assert!(matches!(error, BalanceError::TimedOut { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(20));
}
