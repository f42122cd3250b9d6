//! OTF2 archives that are made here, record by record. `tests/traces/test_otf2.py` replays those of another writer.

use std::collections::HashMap;

use mpirage_mpi::Ending;
use mpirage_otf2::{
    Anchor, ChunkWriter, Compression, Definition, Event, GroupType, LocationType, MpiMessage, OperationEnd,
    Paradigm, Role, RootCode, Substrate, UNDEFINED,
};
use mpirage_trace::{Otf2Trace, TraceError, Workload};
use proptest::prelude::*;

use crate::common::replay;

const CHUNK: usize = 1 << 20;
const SECOND: u64 = 1_000_000_000;

/// The files of an archive.
#[derive(Clone)]
struct Files {
    anchor: Vec<u8>,
    definitions: Vec<u8>,
    events: Vec<Vec<u8>>,
}

impl Files {
    /// Two ranks with these events.
    fn new(events: [&[(u64, Event)]; 2]) -> Files {
        let anchor = Anchor {
            event_chunk: CHUNK as u64,
            definition_chunk: CHUNK as u64,
            substrate: Substrate::Posix,
            compression: Compression::None,
            locations: 2,
            definitions: 0,
            machine: String::new(),
            creator: String::new(),
            description: String::new(),
            properties: Vec::new(),
            trace_id: 0,
        };
        let file = |events: &[(u64, Event)]| {
            let mut writer = ChunkWriter::new(Vec::new(), CHUNK);
            for (time, event) in events {
                let mut record = Vec::new();
                event.encode(&mut record);
                writer.event(*time, &record).unwrap();
            }
            writer.finish().unwrap()
        };
        Files { anchor: anchor.encode(), definitions: definitions(), events: events.map(file).to_vec() }
    }

    fn open(self) -> Result<Otf2Trace, TraceError> {
        let none = ChunkWriter::new(Vec::new(), CHUNK).finish().unwrap();
        let files = (0..).zip(self.events).map(|(location, events)| (location, [none.clone(), events]));
        Otf2Trace::from_bytes(self.anchor, self.definitions, files.collect::<HashMap<_, _>>())
    }
}

const SEND: u32 = 0;
const RECV: u32 = 1;
const LOCAL: u32 = 2;
const SENDRECV: u32 = 3;

fn definitions() -> Vec<u8> {
    let mut writer = ChunkWriter::new(Vec::new(), CHUNK);
    let mut add = |definition: Definition<'_>| {
        let mut record = Vec::new();
        definition.encode(&mut record);
        writer.definition(&record).unwrap();
    };
    add(Definition::Clock { resolution: SECOND, start: 0, length: 0 });
    for (text, id) in
        ["", "MPI_Send", "MPI_Recv", "MPI_Comm_rank", "MPI_Sendrecv", "MPI_COMM_WORLD"].into_iter().zip(0..)
    {
        add(Definition::Text { id, text });
    }
    for id in 0..2 {
        add(Definition::Location {
            id,
            name: 0,
            kind: LocationType::CPU_THREAD,
            events: 0,
            group: id as u32,
        });
    }
    for (id, role) in [
        (SEND, Role::POINT_TO_POINT),
        (RECV, Role::POINT_TO_POINT),
        (LOCAL, Role::FUNCTION),
        (SENDRECV, Role::POINT_TO_POINT),
    ] {
        add(Definition::Region { id, name: id + 1, role, paradigm: Paradigm::MPI });
    }
    let group =
        |id, kind| Definition::Group { id, name: 0, kind, paradigm: Paradigm::MPI, members: vec![0, 1] };
    add(group(0, GroupType::COMM_LOCATIONS));
    add(group(1, GroupType::COMM_GROUP));
    add(Definition::Comm { id: 0, name: 5, group: 1, parent: UNDEFINED });
    writer.finish().unwrap()
}

fn message(peer: u32, length: u64) -> MpiMessage {
    MpiMessage { peer, communicator: 0, tag: 1, length }
}

/// Both ranks compute for a second, one more in a function that is local, and exchange something.
fn exchange() -> [Vec<(u64, Event)>; 2] {
    let events = |me: u32| {
        let (enter, leave) = (|region| Event::Enter { region }, |region| Event::Leave { region });
        let large = message(1 - me, 10_000_000);
        let end = OperationEnd { operation: 0, communicator: 0, root: RootCode::NONE, sent: 0, received: 0 };
        vec![
            (5 * SECOND, enter(9)),
            (6 * SECOND, enter(LOCAL)),
            (7 * SECOND, leave(LOCAL)),
            (7 * SECOND, enter(SENDRECV)),
            (7 * SECOND, Event::Send(large)),
            (9 * SECOND, Event::Recv(large)),
            (9 * SECOND, leave(SENDRECV)),
            (9 * SECOND, Event::IrecvRequest(4)),
            (9 * SECOND, Event::Isend(message(1 - me, 8), 5)),
            (9 * SECOND, Event::CollectiveEnd(end)),
            (10 * SECOND, Event::Irecv(message(1 - me, 8), 4)),
            (10 * SECOND, Event::IsendComplete(5)),
            (12 * SECOND, leave(9)),
        ]
    };
    [events(0), events(1)]
}

#[test]
fn computation_is_what_is_outside_mpi() {
    let events = exchange();
    let mut trace = Files::new([&events[0], &events[1]]).open().unwrap();
    assert_eq!(trace.ranks(), 2);
    let ran = replay(&mut trace).unwrap();
    assert!(matches!(ran.ending, Ending::Finished), "{:?}", ran.ending);
    assert_eq!(ran.messages, 4);
    // Two seconds before the exchange, three after; the rest is communication of 10 MB.
    assert!((5.0..5.2).contains(&ran.seconds()), "{}", ran.seconds());
}

#[test]
fn what_cannot_be_replayed_is_refused_with_its_place() {
    let refused = |events: &[(u64, Event)]| {
        let mut trace = Files::new([events, &[]]).open().unwrap();
        replay(&mut trace).unwrap_err().to_string()
    };
    let elsewhere = Event::Send(MpiMessage { communicator: 7, ..message(1, 8) });
    assert_eq!(refused(&[(0, elsewhere)]), "traces/0.evt: at byte 27: there is no communicator 7");
    assert!(
        refused(&[(0, Event::Send(message(2, 8)))]).contains("there is no rank 2 in a communicator of 2")
    );
    assert!(refused(&[(0, Event::CollectiveRequest(3))]).contains("request 3 never completes"));
    let rooted = OperationEnd { operation: 1, communicator: 0, root: 9, sent: 0, received: 0 };
    assert!(refused(&[(0, Event::CollectiveEnd(rooted))]).contains("there is no root 9"));
}

#[test]
fn archives_that_mpirage_cannot_read_are_refused() {
    let files = Files::new([&[], &[]]);
    let with = |at: usize, byte: u8| {
        let mut files = files.clone();
        files.anchor[at] = byte;
        files.open().err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(with(28, 2).contains("SIONlib"));
    assert!(with(29, 2).contains("compressed"));
    assert!(with(16, 9).contains("chunk size"));
    let mut short = files.clone();
    short.definitions.truncate(100);
    assert_eq!(
        short.open().unwrap_err().to_string(),
        "traces.def: at byte 100: the file ends too early; it is not complete"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// A damaged archive is replayed or refused, in little time and memory.
    #[test]
    fn damaged_archives_end_with_a_message(
        damages in prop::collection::vec((0usize..4, any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of((0usize..4, any::<prop::sample::Index>())),
    ) {
        let events = exchange();
        let mut files = Files::new([&events[0], &events[1]]);
        {
            let Files { anchor, definitions, events } = &mut files;
            let mut all: Vec<&mut Vec<u8>> = [anchor, definitions].into_iter().chain(events).collect();
            for (file, at, byte) in damages {
                let place = at.index(all[file].len());
                all[file][place] = byte;
            }
            if let Some((file, at)) = cut {
                let length = at.index(all[file].len());
                all[file].truncate(length);
            }
        }
        if let Ok(mut trace) = files.open() {
            let _ = replay(&mut trace);
        }
    }
}
