//! Every format of measurements, as its benchmark prints it, and what is wrong with broken files.

use std::io::Write;

use mpirage_calibrate::{
    Format, Measurements, ReadOptions, SampleKind, read, read_breakpoints, read_records,
};

fn points(text: &str, kind: SampleKind) -> Vec<(u64, f64)> {
    let all = reading(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    all.points(kind).iter().map(|point| (point.bytes, (point.seconds * 1e12).round() / 1e12)).collect()
}

fn reading(bytes: &[u8]) -> Result<Measurements, String> {
    read("file", bytes, &ReadOptions::default()).map_err(|error| error.to_string())
}

const LATENCY: &str = "\
# OSU MPI Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
0                       1.05
1                       1.50
1024                    2.25
";

const RATE: &str = "\
# OSU MPI Multiple Bandwidth / Message Rate Test v5.6.3
# [ pairs: 2 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
1                       4.00        4000000.00
2                      10.00        5000000.00
";

const IMB: &str = "\
#------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part
#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.61         0.00
            8         1000         0.75        10.67

#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 2
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            8         1000         0.90         1.10         1.00        16.00
# Benchmarking Allreduce
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000         2.90         3.10         3.00
# Benchmarking Uniband
       #bytes #repetitions   Mbytes/sec      Msg/sec
            0          255         0.00      2000000
";

const SKAMPI: &str = "\
# SKaMPI Version 5.0 rev. 191
begin result \"Pingpong_Send_Recv\"
count= 1        4       6.6       0.1       54       6.6       6.5
count= 2        8       7.0       0.1       54       7.0       6.9
end result \"Pingpong_Send_Recv\"
begin result \"MPI_Bcast-nodes-length\"
nodes= 2 count= 1        1       6.6       0.1       54       3.1       6.6
end result
";

const NETPIPE: &str = "\
Latency: 0.000033600
Now starting the main loop
  0:       1 bytes  22315 times -->      0.23 Mbps in      33.61 usec
  1:       2 bytes  22315 times -->      0.46 Mbps in      34.00 usec
";

#[test]
fn osu() {
    assert_eq!(points(LATENCY, SampleKind::PingPong), [(0, 1.05e-6), (1, 1.5e-6), (1024, 2.25e-6)]);
    assert_eq!(points(RATE, SampleKind::Rate(2)), [(1, 0.25e-6), (2, 0.2e-6)]);
    let bandwidth = "# OSU MPI Bandwidth Test v5.6\n# Size      Bandwidth (MB/s)\n100    50.0\n";
    assert_eq!(points(bandwidth, SampleKind::Window), [(100, 2e-6)]);
    let both = "# OSU MPI Bi-Directional Bandwidth Test v5.6\n# Size      Bandwidth (MB/s)\n100    50.0\n";
    assert_eq!(points(both, SampleKind::BothWays), [(100, 4e-6)], "a message each way");
    let unknown = RATE.replace("pairs", "groups");
    let error = reading(unknown.as_bytes()).unwrap_err();
    assert!(
        error.starts_with("file:4: nothing says how many pairs") && error.contains("# [ pairs: N ]"),
        "{error}"
    );
    let collective =
        "# OSU MPI All-to-All Personalized Exchange Latency Test v5.6\n# Size    Avg Latency(us)\n4    5.0\n";
    assert_eq!(points(collective, SampleKind::Collective("alltoall")), [(4, 5e-6)]);
    for other in ["MPI_Put Latency", "MPI Barrier Latency"] {
        let text = format!("# OSU {other} Test v5.6\n# Size      Avg Latency(us)\n4    5.0\n");
        let error = reading(text.as_bytes()).unwrap_err();
        assert!(error.ends_with(&format!("; it has {other}")), "no ping-pong: {error}");
    }
}

#[test]
fn imb() {
    assert_eq!(points(IMB, SampleKind::PingPong), [(0, 0.61e-6), (8, 0.75e-6)]);
    assert_eq!(points(IMB, SampleKind::Exchange), [(8, 1e-6)]);
    assert_eq!(points(IMB, SampleKind::Gap), [(0, 0.5e-6)]);
    assert_eq!(reading(IMB.as_bytes()).unwrap().skipped(), ["Allreduce"]);
}

#[test]
fn skampi_measures_round_trips() {
    assert_eq!(points(SKAMPI, SampleKind::PingPong), [(4, 3.3e-6), (8, 3.5e-6)]);
    assert_eq!(reading(SKAMPI.as_bytes()).unwrap().skipped(), ["MPI_Bcast-nodes-length"]);
}

#[test]
fn netpipe() {
    assert_eq!(points(NETPIPE, SampleKind::PingPong), [(1, 33.61e-6), (2, 34e-6)]);
    let file = "       1 0.227002   0.00003361\n       2 0.448790   0.00003400\n";
    assert_eq!(points(file, SampleKind::PingPong), [(1, 33.61e-6), (2, 34e-6)]);
}

#[test]
fn tables() {
    assert_eq!(
        points("# mine\nbytes,seconds\n8,2e-6\n8,4e-6\n16, 5e-6\n", SampleKind::PingPong),
        [(8, 3e-6), (16, 5e-6)]
    );
    let testbed = "bench,mpi,topology,ranks,bytes,rank,seconds,repeat\npingpong,ompi,a,16,1,0,0.5,0\nring,ompi,a,16,1,0,9,0\n";
    assert_eq!(points(testbed, SampleKind::PingPong), [(1, 0.5)]);
    assert_eq!(points("op,bytes,seconds\nisend,1,2e-6\ngap,1,1e-6\n", SampleKind::Isend), [(1, 2e-6)]);
}

#[test]
fn a_file_with_several_libraries_needs_a_choice() {
    let text = "bench,mpi,bytes,seconds\npingpong,ompi,1,0.5\npingpong,mpich,1,0.25\n";
    assert_eq!(
        reading(text.as_bytes()).unwrap_err(),
        "file: holds measurements of mpich and ompi; --mpi says which count"
    );
    let choose = |mpi: &str| ReadOptions { mpi: Some(mpi.to_owned()), ..ReadOptions::default() };
    let chosen = read("file", text.as_bytes(), &choose("mpich")).unwrap();
    assert_eq!(chosen.samples().iter().map(|sample| sample.seconds).collect::<Vec<_>>(), [0.25]);
    let error = read("file", text.as_bytes(), &choose("intel")).unwrap_err().to_string();
    assert!(error.contains("it has mpich, ompi"), "{error}");
}

#[test]
fn gzip_is_unpacked() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(LATENCY.as_bytes()).unwrap();
    let mut packed = packer.finish().unwrap();
    assert_eq!(reading(&packed).unwrap(), reading(LATENCY.as_bytes()).unwrap());
    packed.truncate(packed.len() / 2);
    assert!(reading(&packed).unwrap_err().starts_with("file: cannot be unpacked"));
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    let cases = [
        ("bytes,seconds\n1,1e-6\n2,-1e-6\n", "file:3: a time is negative: -1e-6"),
        ("bytes,seconds\n1,0\n", "file:2: a time is zero"),
        ("bytes,seconds\n1,nan\n", "file:2: a time is not finite: nan"),
        ("bytes,seconds\n1K,1e-6\n", "file:2: `1K` is no message size in bytes"),
        ("bytes,seconds\n1\n", "file:2: the time is missing"),
        ("bytes,speed\n1,2\n", "file:1: no column holds times: name one `seconds`, `ms`, `us` or `ns`"),
        ("1,2e-6\n", "file:1: has no header; the first line names the columns, as in `bytes,seconds`"),
        ("MPI_Send,8,1.0,-2e-6\n", "file:1: a time is negative: -2e-6"),
        ("# OSU MPI Latency Test\n# Size  Latency (us)\n1   -1.5\n", "file:3: a time is negative: -1.5"),
        ("# OSU MPI Latency Test\n# Size  Latency (us)\n1\n", "file:3: has 1 columns only"),
        (
            "hello\n",
            "file: the format is not known; there are osu, imb, skampi, netpipe, csv (with commas, and a first line such as `bytes,seconds`)",
        ),
        ("", "file: is empty"),
        (
            "bench,bytes,seconds\nring,8,1\n",
            "file: holds no ping-pong, no overheads, no message rates and no collectives; it has ring",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(reading(text.as_bytes()).unwrap_err(), message, "{text}");
    }
    assert!(reading(&[0xff, 0xfe, 0x00]).unwrap_err().contains("UTF-8"));
    let forced = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    assert!(read("file", LATENCY.as_bytes(), &forced).is_err());
}

#[test]
fn breakpoints_are_the_first_column() {
    assert_eq!(read_breakpoints("b", "Limit, Name\n1420, Small\n65536, Large\n").unwrap(), [1420, 65536]);
    assert_eq!(read_breakpoints("b", "65536\n1420\n").unwrap(), [1420, 65536]);
    assert!(read_breakpoints("b", "Limit\n").is_err());
    assert_eq!(
        read_breakpoints("b", "1\nx\n").unwrap_err().to_string(),
        "b:2: `x` is no message size in bytes"
    );
}

#[test]
fn records_come_from_tables_json_and_measurements() {
    let records = |text: &str| read_records("file", text.as_bytes(), &ReadOptions::default());
    let table = records("bench,bytes,rank,seconds,repeat\nring,8,3,0.5,1\n").unwrap();
    let json = records("[{\"bench\":\"ring\",\"bytes\":8,\"rank\":3,\"seconds\":0.5,\"repeat\":1}]").unwrap();
    assert_eq!(table, json);
    let run = records("{\"simulated_seconds\":2.5,\"bytes\":12345,\"ranks\":4}").unwrap();
    assert_eq!((run[0].seconds, run[0].bytes, run[0].ranks), (2.5, None, Some(4)));
    assert_eq!(records(LATENCY).unwrap().len(), 3);
    let osu = "# OSU MPI Allreduce Latency Test v7.3\n# Size Avg Latency(us)\n8 3.0\n# OSU MPI Bandwidth Test v7.3\n# Size Bandwidth (MB/s)\n100 50\n";
    let osu: Vec<_> =
        records(osu).unwrap().into_iter().map(|it| (it.bench.unwrap(), it.bytes, it.seconds)).collect();
    assert_eq!(
        osu,
        [("MPI Allreduce Latency".to_owned(), Some(8), 3e-6), ("MPI Bandwidth".to_owned(), Some(100), 2e-6)]
    );
    assert!(records("{\"seconds\":-1}").unwrap_err().to_string().contains("no positive"));
    assert!(records("{\"seconds\":").unwrap_err().to_string().starts_with("file:1: is no JSON"));
}
