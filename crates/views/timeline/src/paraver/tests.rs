//! The files of a small run, line by line.

use std::fs;
use std::rc::Rc;

use crate::create;
use crate::testing::{Lines, play, run_on};

#[test]
fn a_small_run_is_written_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.prv");
    let run = mpirage_interpret::RunInfo { sites: Some(Rc::new(Lines)), ..run_on("cluster:2", 2) };
    let mut writer = create(&path, &run).unwrap();
    play(&mut *writer);
    writer.finish().unwrap();
    let expected = "\
#Paraver (01/01/2000 at 00:00):45_ns:2(1,1):1:2(3:1,1:2),2
c:1:1:2:1:2
c:1:2:2:2:1
2:2:1:2:1:0:50000001:4:80000001:1
2:2:1:2:1:0:50000001:0:80000001:0
1:1:1:1:1:0:10:1
1:2:1:2:1:0:31:8
2:2:1:2:1:0:50000001:5:80000001:3
1:1:1:1:1:10:11:10
2:1:1:1:1:10:50000001:3:80000001:2
3:1:1:1:1:10:12:2:1:2:1:30:30:4096:7
2:1:1:1:1:11:50000001:0:80000001:0
1:1:1:1:2:11:20:1
1:1:1:1:1:11:32:8
2:1:1:1:1:11:50000001:5:80000001:4
1:1:1:1:3:12:21:1
2:2:1:2:1:31:50000001:0:80000001:0
1:2:1:2:1:31:40:13
2:2:1:2:1:31:50000002:9:80000001:5:50100001:64:50100002:64:50100003:0:50100004:2
2:1:1:1:1:32:50000001:0:80000001:0
1:1:1:1:1:32:41:13
2:1:1:1:1:32:50000002:9:80000001:6:50100001:64:50100002:64:50100003:1:50100004:2
2:2:1:2:1:40:50000002:0:80000001:0
1:2:1:2:1:40:45:3
2:2:1:2:1:40:50000001:2:80000001:7
2:1:1:1:1:41:50000002:0:80000001:0
1:1:1:1:1:41:45:0
2:2:1:2:1:45:50000001:0:80000001:0
";
    assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    let row = fs::read_to_string(path.with_extension("row")).unwrap();
    assert!(row.contains("LEVEL NODE SIZE 2\nhost-0\nhost-1\n"), "{row}");
    assert!(
        row.ends_with("LEVEL THREAD SIZE 4\nrank 0\nrank 0 beside 1\nrank 0 beside 2\nrank 1\n"),
        "{row}"
    );
    let pcf = fs::read_to_string(path.with_extension("pcf")).unwrap();
    assert!(
        pcf.contains(
            "\n9    50000002    MPI Collective Comm\nVALUES\n0      Outside MPI\n9      MPI_Reduce\n"
        ),
        "{pcf}"
    );
    assert!(pcf.contains("\n3      a.c:36 main\n"), "{pcf}");
}

#[test]
fn messages_of_collectives_are_there_if_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.prv");
    let run = mpirage_interpret::RunInfo { collective_messages: true, ..run_on("cluster:2", 2) };
    let mut writer = create(&path, &run).unwrap();
    play(&mut *writer);
    writer.finish().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\n3:1:1:1:1:32:32:2:1:2:1:40:40:64:0\n"), "{text}");
}
