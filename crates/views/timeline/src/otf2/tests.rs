//! A small run as an archive. `tests/traces/test_otf2.py` reads archives with libotf2.

use std::fs;

use mpirage_otf2::{ByteOrder, CHUNK_HEADER, Marker, has_length};

use super::*;
use crate::testing::{Lines, index, play, run_on};

/// Times and events of a file with one chunk; attributes are left out.
fn events(path: &Path) -> Vec<(u64, Event)> {
    let bytes = fs::read(path).unwrap();
    let (mut at, mut time, mut events) = (CHUNK_HEADER, 0, Vec::new());
    loop {
        let kind = bytes[at];
        let length = usize::from(bytes[at + 1]);
        match Marker::from_code(kind) {
            Some(Marker::FileEnd) => return events,
            Some(Marker::Time) => {
                time = ByteOrder::Little.number(&bytes[at + 1..at + 9]);
                at += 9;
            }
            Some(Marker::Attributes) => at += 2 + length,
            _ => {
                let fields = if has_length(kind) { at + 2..at + 2 + length } else { at + 1..at + 2 + length };
                let event = Event::decode(kind, &bytes[fields], ByteOrder::Little).unwrap();
                events.extend(event.map(|event| (time, event)));
                at += 2 + length;
            }
        }
    }
}

fn archive(folder: &Path) -> PathBuf {
    let run = RunInfo { sites: Some(std::rc::Rc::new(Lines)), ..run_on("cluster:2", 2) };
    let path = folder.join("run.otf2");
    let files = || fs::read_dir(folder).unwrap().count();
    let before = files();
    let mut writer = Otf2::create(&path, &run).unwrap();
    play(&mut writer);
    assert_eq!(files(), before);
    writer.finish().unwrap();
    path
}

#[test]
fn a_run_becomes_events() {
    let folder = tempfile::tempdir().unwrap();
    archive(folder.path());
    let message = MpiMessage { peer: 1, communicator: 0, tag: 7, length: 4096 };
    let at = |time: u64| time * 1_000 + 500;
    let [computation, pause, isend, wait] = [0, 1, 3, 4];
    let (enter, leave) = (|region| Event::Enter { region }, |region| Event::Leave { region });
    let first = events(&folder.path().join("run/0.evt"));
    assert_eq!(
        first[..9],
        [
            (at(0), enter(computation)),
            (at(10), leave(computation)),
            (at(10), enter(isend)),
            (at(10), Event::Isend(message, 1)),
            (at(11), leave(isend)),
            (at(11), enter(wait)),
            (at(32), leave(wait)),
            (at(32), enter(5)),
            (at(32), Event::CollectiveBegin),
        ]
    );
    // A reduction of nothing in the communicator that was made: the root is the rank 1 of it, which is this rank.
    let end = OperationEnd { operation: 12, communicator: 2, root: 1, sent: 0, received: 0 };
    assert_eq!(
        first[9..],
        [
            (at(41), Event::CollectiveEnd(end)),
            (at(41), leave(5)),
            (at(41), enter(pause)),
            (at(45), leave(pause))
        ]
    );
    let second = events(&folder.path().join("run/1.evt"));
    let came = MpiMessage { peer: 0, ..message };
    assert!(
        second.contains(&(at(0), Event::IrecvRequest(1)))
            && second.contains(&(at(31), Event::Irecv(came, 1)))
    );
    // The call that never returned lasts to the end.
    assert!(
        matches!(second[second.len() - 2..], [(from, Event::Enter { .. }), (to, Event::Leave { .. })] if (from, to) == (at(40), at(45)))
    );
    // Overlapping computations are in two locations of rank 0.
    for (location, span) in [(2, [11, 20]), (3, [12, 21])] {
        let events = events(&folder.path().join(format!("run/{location}.evt")));
        assert_eq!(events, [(at(span[0]), enter(computation)), (at(span[1]), leave(computation))]);
    }
}

#[test]
fn equal_runs_give_equal_archives_and_replace_older_ones() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let archives = [archive(one.path()), archive(other.path()), archive(one.path())];
    for file in ["run.otf2", "run.def", "run/0.evt", "run/4.evt"] {
        let contents = archives.each_ref().map(|path| fs::read(path.with_file_name(file)).unwrap());
        assert!(contents[0] == contents[1] && contents[1] == contents[2], "{file}");
    }
    assert_eq!(fs::read_dir(one.path()).unwrap().count(), 3);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("run"), "").unwrap();
    let error = Otf2::create(&folder.path().join("run.otf2"), &run_on("cluster:2", 2)).err().unwrap();
    assert!(error.to_string().contains("OTF2 needs a folder"), "{error}");
}

#[test]
fn threads_have_locations_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Otf2::create(&folder.path().join("run.otf2"), &run_on("cluster:2", 2)).unwrap();
    for (thread, from, to) in [(0, 2, 5), (1, 1, 6), (0, 5, 7)] {
        let [entered, left] = [from, to].map(Time::from_picos);
        writer.thread(0, thread);
        writer.record(&Record::Call {
            rank: 0,
            function: index("MPI_Recv"),
            entered,
            left,
            site: 0,
            details: None,
        });
    }
    writer.finish().unwrap();
    let times =
        |file: &str| events(&folder.path().join(file)).iter().map(|(time, _)| *time).collect::<Vec<_>>();
    assert_eq!((times("run/0.evt"), times("run/2.evt")), (vec![2, 5, 5, 7], vec![1, 6]));
}
