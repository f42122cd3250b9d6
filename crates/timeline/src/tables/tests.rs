//! The tables of a small run.

use std::fs::{self, File};
use std::rc::Rc;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};

use crate::create;
use crate::testing::{Lines, play, run_on};
use mpirage_interpret::RunInfo;

fn written(ending: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run").with_extension(ending);
    let run = RunInfo { sites: Some(Rc::new(Lines)), ..run_on("cluster:2", 2) };
    let mut writer = create(&path, &run).unwrap();
    play(&mut *writer);
    assert!(!path.join("ranks").with_extension(ending).exists());
    writer.finish().unwrap();
    folder
}

#[test]
fn csv_has_a_line_per_row() {
    let folder = written("csv");
    let read = |table: &str| fs::read_to_string(folder.path().join("run.csv").join(table)).unwrap();
    assert_eq!(
        read("messages.csv"),
        "\
source,destination,bytes,tag,comm,collective,sent,departed,arrived,delivered
0,1,4096,7,0,,0.0000000105,0.0000000125,0.0000000305,0.0000000305
0,1,64,0,,5,0.0000000325,0.0000000325,0.0000000405,0.0000000405
"
    );
    let calls = read("calls.csv");
    assert_eq!(calls.lines().count(), 8);
    assert_eq!(
        calls.lines().nth(2).unwrap(),
        "0,MPI_Isend,0.0000000105,0.0000000115,1,4096,,7,0,a.c:16 main,1"
    );
    assert_eq!(calls.lines().last().unwrap(), "1,MPI_Recv,0.0000000405,0.0000000455,,,,,,a.c:44 main,0");
    assert_eq!(read("computations.csv").lines().last().unwrap(), "0,0.0000000125,0.0000000215,,9,1");
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
fn a_file_in_the_way_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    fs::write(&path, "").unwrap();
    let error = create(&path, &run_on("cluster:2", 2)).err().unwrap();
    assert!(error.to_string().contains("written to a folder"), "{error}");
}
