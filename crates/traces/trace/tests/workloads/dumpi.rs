//! DUMPI traces: the sample of its makers, and records that are written here.

use std::path::PathBuf;

use mpirage_call::wire::decode_call;
use mpirage_call::{Call, Completing, Reply, RequestId, function_name};
use mpirage_mpi::Ending;
use mpirage_trace::{Calls, Dumpi, Step, Workload, open};

use crate::common::{Ran, replay};

fn sample() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/dumpi")
}

/// Name and computation in nanoseconds of each call that a rank makes, if all are answered with nothing.
fn calls_of(workload: &mut dyn Workload, rank: u32) -> Vec<(&'static str, u64, String)> {
    let mut made = Vec::new();
    loop {
        let mut words = Vec::new();
        let step = workload.next(rank, &Reply::default(), &mut Calls::new(&mut words)).unwrap();
        let mut at = 0;
        while at < words.len() {
            let (stamp, call, length) = decode_call(&words[at..]).unwrap();
            made.push((function_name(stamp.function), stamp.burst.nanos(), format!("{call:?}")));
            at += length;
        }
        if step == Step::Ended {
            return made;
        }
    }
}

/// As the text that DUMPI's own tool makes of this rank has it; computation is what is between calls, and in the questions
/// for rank and size.
#[test]
fn the_sample_is_read_as_its_makers_read_it() {
    let mut trace = Dumpi::open(&sample().join("testtrace.meta")).unwrap();
    assert_eq!(trace.ranks(), 4);
    let calls = calls_of(&mut trace, 0);
    let short: Vec<_> = calls.iter().map(|&(name, burst, _)| (name, burst)).collect();
    assert_eq!(
        short,
        [
            ("MPI_Init", 0),
            ("MPI_Barrier", 24_000 + 4_000 + 6_000 + 1_000 + 7_000),
            ("MPI_Isend", 15_000),
            ("MPI_Recv", 10_000),
            ("MPI_Wait", 8_000),
            ("MPI_Allreduce", 15_000),
            ("MPI_Finalize", 7_000),
        ]
    );
    assert!(calls[2].2.contains("to: 1, tag: 1337, bytes: 4,"), "{}", calls[2].2);
    assert!(calls[3].2.contains("from: Some(3), tag: Some(1337), bytes: 4,"), "{}", calls[3].2);
}

#[test]
fn the_sample_runs_to_its_end_however_it_is_named() {
    for name in ["", "testtrace.meta", "testtrace-0002.bin"] {
        let mut workload = open(sample().join(name).to_str().unwrap()).unwrap();
        let ran = replay(workload.as_mut()).unwrap();
        assert_eq!((ran.ending, ran.messages), (Ending::Finished, 4), "{name}");
    }
}

#[test]
fn what_is_missing_is_told() {
    let folder = std::env::temp_dir().join(format!("mpirage-dumpi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let meta = folder.join("x.meta");
    let problem = |text: &str| {
        std::fs::write(&meta, text).unwrap();
        Dumpi::open(&meta).unwrap_err().to_string()
    };
    assert!(problem("hostname=here\n").contains("numprocs"));
    assert!(problem("numprocs=many\n").contains("x.meta:1: `many` is no number of ranks"));
    assert!(problem("numprocs=1\nfileprefix=/elsewhere/y\n").contains("y-0000.bin"));
    std::fs::write(folder.join("x-0000.bin"), b"\xff\xaa\xddDUMPI and no more than that").unwrap();
    assert!(
        problem("numprocs=1\n").contains("x-0000.bin: at byte 30: there is no index"),
        "{}",
        problem("numprocs=1\n")
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A file of one rank, record by record.
struct File {
    bytes: Vec<u8>,
    now: u32,
}

impl File {
    fn new() -> File {
        let mut bytes = b"\xff\xaa\xddDUMPI".to_vec();
        bytes.extend([0; 8]);
        let mut file = File { bytes, now: 0 };
        file.call(124).int(0);
        file
    }

    /// A call: begins 1 µs after the one before ended, and takes 2 µs.
    fn call(&mut self, function: u16) -> &mut File {
        self.short(function as i16);
        self.bytes.push(0b1011);
        for passes in [1_000, 2_000] {
            self.now += passes;
            self.short(0);
            self.int(self.now as i32);
        }
        self
    }

    fn ints(&mut self, numbers: &[i32]) -> &mut File {
        for &number in numbers {
            self.int(number);
        }
        self
    }

    fn int(&mut self, number: i32) -> &mut File {
        self.bytes.extend(number.to_be_bytes());
        self
    }

    fn short(&mut self, number: i16) -> &mut File {
        self.bytes.extend(number.to_be_bytes());
        self
    }

    fn list(&mut self, numbers: &[i32]) -> &mut File {
        self.int(numbers.len() as i32).ints(numbers)
    }

    /// Count, datatype, peer, tag, communicator.
    fn message(&mut self, count: i32, datatype: i16, peer: i32, tag: i32, comm: i16) -> &mut File {
        self.int(count).short(datatype).ints(&[peer, tag]).short(comm)
    }

    fn no_status(&mut self) -> &mut File {
        self.int(0)
    }

    fn byte(&mut self, byte: u8) -> &mut File {
        self.bytes.push(byte);
        self
    }

    fn finish(mut self) -> Vec<u8> {
        self.call(125);
        self.short(293);
        let header = self.bytes.len() as u64;
        self.bytes.extend([1, 0, 0]);
        self.bytes.extend(b"\xff\xaa\xddDUMPI");
        for offset in [0, 0, 0, header, 8, 0, 0] {
            self.bytes.extend(u64::to_be_bytes(offset));
        }
        self.bytes
    }
}

/// Ranks that make the same calls, but for what depends on their rank.
fn files(ranks: i32, calls: impl Fn(&mut File, i32)) -> Vec<Vec<u8>> {
    let file = |rank| {
        let mut file = File::new();
        calls(&mut file, rank);
        file.finish()
    };
    (0..ranks).map(file).collect()
}

fn ran(files: Vec<Vec<u8>>) -> Ran {
    let ran = replay(&mut Dumpi::from_bytes(files).unwrap()).unwrap();
    assert_eq!(ran.ending, Ending::Finished);
    ran
}

fn problem(calls: impl Fn(&mut File)) -> String {
    replay(&mut Dumpi::from_bytes(files(4, |file, _| calls(file))).unwrap()).unwrap_err().to_string()
}

const INT: i16 = 9;
const DOUBLE: i16 = 14;
const WORLD: i16 = 2;

#[test]
fn requests_are_waited_for_as_they_were() {
    let trace = files(2, |file, rank| {
        let peer = 1 - rank;
        for request in 2..5 {
            file.call(12).message(10, INT, peer, request, WORLD).int(request);
        }
        for request in 2..5 {
            file.call(8).message(10, INT, peer, request, WORLD).int(10 + request);
        }
        // A test that found nothing; Waitany that found the second; Waitsome that found the third; Waitall of all.
        file.call(14).ints(&[2, 0]).no_status();
        file.call(16).int(3).list(&[2, 3, 4]).int(1).no_status();
        file.call(20).int(3).list(&[2, 1, 4]).int(1).list(&[2]).no_status();
        file.call(18).int(6).list(&[2, 1, 1, 12, 13, 14]).no_status();
    });
    let waits: Vec<_> = calls_of(&mut Dumpi::from_bytes(trace.clone()).unwrap(), 0)
        .into_iter()
        .filter(|(name, ..)| name.contains("Wait"))
        .collect();
    let wait = |requests: &[u32]| {
        let requests = RequestId::slice(requests);
        format!("{:?}", Call::Wait { how: Completing::All, poll: false, requests })
    };
    assert_eq!(waits[0], ("MPI_Waitany", 2_000, wait(&[2])));
    assert_eq!(waits[1], ("MPI_Waitsome", 1_000, wait(&[3])));
    assert_eq!(waits[2], ("MPI_Waitall", 1_000, wait(&[1, 4, 5, 6])));
    assert_eq!(ran(trace).messages, 6);
}

#[test]
fn requests_that_persist_are_started_again_and_again() {
    let trace = files(2, |file, rank| {
        let peer = 1 - rank;
        file.call(26).message(10, DOUBLE, peer, 0, WORLD).int(7);
        file.call(30).message(10, DOUBLE, peer, 0, WORLD).int(8);
        for _ in 0..3 {
            file.call(32).int(2).list(&[8, 7]);
            file.call(18).int(2).list(&[8, 7]).no_status();
        }
        file.call(15).int(7);
    });
    assert_eq!(ran(trace).messages, 6);
}

#[test]
fn exchanges_and_nobody_are_replayed() {
    let trace = files(4, |file, rank| {
        let (left, right) = ((rank + 3) % 4, (rank + 1) % 4);
        file.call(33);
        file.int(5).short(INT).ints(&[right, 3]);
        file.int(5).short(INT).ints(&[left, 3]);
        file.short(WORLD).no_status();
        // Sends to and receives from nobody.
        file.call(0).message(5, INT, -2, 3, WORLD);
        file.call(1).message(5, INT, -2, 3, WORLD).no_status();
    });
    assert_eq!(ran(trace).messages, 4);
}

#[test]
fn collectives_with_counts_are_replayed() {
    let trace = files(4, |file, rank| {
        let counts = [1, 2, 3, 4];
        let places = [0, 1, 3, 6];
        // Gatherv to rank 1, Allgatherv, Alltoallv, Reduce_scatter.
        file.call(55);
        file.ints(&[rank, 4, counts[rank as usize]]).short(INT).int(1).short(WORLD);
        if rank == 1 {
            file.list(&counts).list(&places);
        }
        file.short(INT);
        file.call(59);
        file.ints(&[4, counts[rank as usize]]).short(INT).list(&counts).list(&places);
        file.short(INT).short(WORLD);
        file.call(61);
        file.int(4).list(&[rank + 1; 4]).list(&places).short(INT);
        file.list(&counts).list(&places).short(INT).short(WORLD);
        file.call(66).int(4).list(&counts).short(INT).byte(3).short(WORLD);
    });
    ran(trace);
}

#[test]
fn communicators_are_made_and_used() {
    let trace = files(4, |file, rank| {
        // Split into two, a sum in each; a group of the world without rank 0, made a communicator; a 2 × 2 grid and its rows.
        file.call(86).short(WORLD).ints(&[rank % 2, -rank]).short(5);
        file.call(65).int(1).short(DOUBLE).byte(3).short(5);
        file.call(72).short(WORLD).short(3);
        file.call(77).short(3).int(1).list(&[0]).short(4);
        file.call(85).short(WORLD).short(4).short(6);
        if rank > 0 {
            file.call(52).short(6);
        }
        file.call(99);
        file.short(WORLD).int(2).list(&[2, 2]).list(&[0, 0]).int(0).short(7);
        file.call(111).int(2).short(7).list(&[0, 1]).short(8);
        // In a row: the other one.
        let other = 1 - rank % 2;
        file.call(8).message(1, INT, other, 0, 8).int(2);
        file.call(1).message(1, INT, other, 0, 8).no_status();
        file.call(13).int(2).no_status();
        file.call(87).short(8);
    });
    assert_eq!(ran(trace).messages, 4);
}

#[test]
fn datatypes_of_the_program_have_the_size_of_their_parts() {
    let trace = files(2, |file, rank| {
        file.call(35).int(3).short(DOUBLE).short(30);
        file.call(222);
        file.int(2).list(&[2, 5]).list(&[0, 48]).int(2);
        file.short(30).short(INT).short(31);
        if rank == 0 {
            file.call(0).message(10, 31, 1, 0, WORLD);
        } else {
            file.call(1).message(10, 31, 0, 0, WORLD).no_status();
        }
    });
    let calls = calls_of(&mut Dumpi::from_bytes(trace.clone()).unwrap(), 0);
    assert!(calls[1].2.contains(&format!("bytes: {},", 10 * (2 * 24 + 5 * 4))), "{}", calls[1].2);
    // Making types is computation.
    assert_eq!(calls[1].1, 1_000 + 2_000 + 1_000 + 2_000 + 1_000);
    ran(trace);
}

#[test]
fn computation_is_the_time_between_calls() {
    let trace = files(1, |_, _| {});
    let ran = ran(trace);
    assert_eq!(ran.seconds(), 1e-6);
}

#[test]
fn mistakes_are_told_with_their_place() {
    let text = problem(|file| {
        file.call(0).message(1, INT, 9, 0, WORLD);
    });
    assert!(
        text.contains("dumpi-0000.bin: at byte 35: Send: there is no rank 9 in a communicator of 4"),
        "{text}"
    );
    let text = problem(|file| {
        file.call(0).message(1, 99, 1, 0, WORLD);
    });
    assert!(text.contains("the size of datatype 99 is not known"), "{text}");
    let text = problem(|file| {
        file.call(52).short(12);
    });
    assert!(text.contains("Barrier: there is no communicator 12"), "{text}");
    let text = problem(|file| {
        file.call(146).byte(0).short(1);
    });
    assert!(text.contains("Win_fence: this cannot be replayed"), "{text}");
    let text = problem(|file| {
        file.call(400);
    });
    assert!(text.contains("function 400 is none of DUMPI's"), "{text}");
    let text = problem(|file| {
        file.call(59);
        file.ints(&[4, 1]).short(INT).list(&[1, 1]).list(&[0, 1]);
        file.short(INT).short(WORLD);
    });
    assert!(text.contains("not one length for each of the 4 ranks"), "{text}");
}
