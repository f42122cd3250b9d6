//! The tables of a small run.

use std::fs::{self, File};
use std::rc::Rc;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};

use mpirage_kernel::{
    ConnectionCounts, ConnectionHistory, ConnectionSample, LinkStatistics, NetworkHistory, QueueHistory,
    QueueSample,
};
use mpirage_platform::LinkId;
use mpirage_units::Time;

use crate::create;
use crate::testing::{Lines, play, run_on};
use mpirage_interpret::RunInfo;

fn written(ending: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run").with_extension(ending);
    let run = RunInfo { sites: Some(Rc::new(Lines)), ..run_on("cluster:2", 2) };
    let mut writer = create(&path, &run).unwrap();
    play(&mut *writer);
    writer.network(&network());
    assert!(!path.join("ranks").with_extension(ending).exists());
    writer.finish().unwrap();
    folder
}

/// A queue that drops frames, and a connection that sends some of them again.
fn network() -> NetworkHistory {
    let queue = |at, waiting, frames, dropped| QueueSample {
        at: Time::from_picos(at),
        waiting,
        left: waiting / 2,
        frames,
        bytes: frames * 1514,
        dropped,
        ..QueueSample::default()
    };
    let connection = |at, window, threshold, round_trip, retransmissions| ConnectionSample {
        at: Time::from_picos(at),
        window,
        threshold,
        round_trip,
        in_flight: 2896,
        retransmissions,
    };
    NetworkHistory {
        queues: vec![QueueHistory {
            totals: LinkStatistics {
                link: LinkId(0),
                frames: 9,
                bytes: 13_626,
                dropped: 3,
                lost: 0,
                marked: 0,
                most_waiting: 4542,
            },
            samples: vec![queue(2_000_000, 4542, 4, 2), queue(3_000_000, 0, 9, 3)],
        }],
        connections: vec![ConnectionHistory {
            number: 0,
            source: 1,
            target: 0,
            totals: ConnectionCounts { segments: 12, retransmissions: 3, ..ConnectionCounts::default() },
            samples: vec![
                connection(1_000_000, 14_480, None, None, 0),
                connection(4_000_000, 7_240, Some(7_240), Some(0.5), 2),
                connection(5_000_000, 7_240, Some(7_240), Some(0.5), 3),
            ],
        }],
        ..NetworkHistory::default()
    }
}

#[test]
fn rows_of_the_network_have_counts_since_the_row_before() {
    let folder = written("csv");
    let read = |table: &str| fs::read_to_string(folder.path().join("run.csv").join(table)).unwrap();
    let queues = read("queues.csv");
    let (head, rows) = queues.split_once('\n').unwrap();
    assert_eq!(head, "link,time,waiting,left,frames,bytes,dropped,lost,marked");
    let rows: Vec<&str> = rows.lines().map(|row| row.split_once(',').unwrap().1).collect();
    assert_eq!(rows, ["0.000002,4542,2271,4,6056,2,0,0", "0.000003,0,0,5,7570,1,0,0"]);
    assert_eq!(
        read("connections.csv"),
        "\
connection,source,destination,time,window,threshold,round_trip,in_flight,retransmissions
0,1,0,0.000001,14480,,,2896,0
0,1,0,0.000004,7240,7240,0.5,2896,2
0,1,0,0.000005,7240,7240,0.5,2896,1
"
    );
    assert!(read("link_totals.csv").ends_with(",9,13626,3,0,0,4542\n"));
    assert!(read("connection_totals.csv").ends_with("\n0,1,0,12,3,0,0,0,0,0\n"));
}

#[test]
fn a_network_that_records_nothing_has_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    let mut writer = create(&path, &run_on("cluster:2", 2)).unwrap();
    play(&mut *writer);
    writer.finish().unwrap();
    assert!(path.join("ranks.csv").exists() && !path.join("queues.csv").exists());
}

#[test]
fn csv_has_a_line_per_row() {
    let folder = written("csv");
    let read = |table: &str| fs::read_to_string(folder.path().join("run.csv").join(table)).unwrap();
    assert_eq!(
        read("messages.csv"),
        "\
source,destination,bytes,tag,comm,collective,sent,departed,arrived,delivered,unexpected
0,1,4096,7,0,,0.0000000105,0.0000000125,0.0000000305,0.0000000305,0
0,1,64,0,,5,0.0000000325,0.0000000325,0.0000000405,0.0000000405,0
"
    );
    let calls = read("calls.csv");
    assert_eq!(calls.lines().count(), 8);
    assert_eq!(
        calls.lines().nth(2).unwrap(),
        "0,MPI_Isend,0.0000000105,0.0000000115,1,4096,,7,0,a.c:16 main,1,0"
    );
    assert_eq!(calls.lines().last().unwrap(), "1,MPI_Recv,0.0000000405,0.0000000455,,,,,,a.c:44 main,0,0");
    assert_eq!(read("computations.csv").lines().last().unwrap(), "0,0.0000000125,0.0000000215,,9,1,0");
    let ranks = read("ranks.csv");
    assert!(ranks.contains("\n0,host-0,0.0000000455,0.00000001,"), "{ranks}");
    let links = read("links.csv");
    let bytes: f64 =
        links.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap()).sum();
    let names: std::collections::BTreeSet<_> =
        links.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert!((bytes - 4160.0 * names.len() as f64).abs() < 1e-6);
}

#[test]
fn parquet_says_the_same() {
    let folder = written("parquet");
    let open = |table: &str| {
        SerializedFileReader::new(File::open(folder.path().join("run.parquet").join(table)).unwrap()).unwrap()
    };
    let messages = open("messages.parquet");
    let rows: Vec<_> = messages.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!((rows.len(), rows[0].get_long(2).unwrap(), rows[0].get_long(4).unwrap()), (2, 4096, 0));
    let missing = rows[1].get_column_iter().nth(4).unwrap().1;
    assert_eq!((missing, rows[1].get_long(5).unwrap()), (&Field::Null, 5));
    assert_eq!(rows[1].get_double(9).unwrap(), 40.5e-9);
    let calls = open("calls.parquet");
    let rows: Vec<_> = calls.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows[1].get_string(1).unwrap(), "MPI_Isend");
    assert_eq!(rows[1].get_string(9).unwrap(), "a.c:16 main");
    let facts = calls.metadata().file_metadata().key_value_metadata().unwrap();
    assert!(facts.iter().any(|fact| fact.key == "model" && fact.value.as_deref() == Some("flow")));
}

#[test]
fn parquet_has_the_network_too() {
    let folder = written("parquet");
    let file = File::open(folder.path().join("run.parquet/connections.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let missing = rows[0].get_column_iter().nth(5).unwrap().1;
    assert_eq!((rows.len(), missing, rows[2].get_long(8).unwrap()), (3, &Field::Null, 1));
    assert_eq!((rows[1].get_double(3).unwrap(), rows[1].get_double(6).unwrap()), (4e-6, 0.5));
}

#[test]
fn a_file_in_the_way_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    fs::write(&path, "").unwrap();
    let error = create(&path, &run_on("cluster:2", 2)).err().unwrap();
    assert!(error.to_string().contains("written to a folder"), "{error}");
}
