//! Open MPI's file of dynamic rules, read and written.

use mpirage_call::{Collective, Method};
use mpirage_collectives::Performed;
use mpirage_collectives::{Choice, Decision, Operation, Selector, Shape, write_dynamic_rules};

const FILE: &str = "
2          # collectives
7          # bcast
2          # sizes of communicators
8 1        # from 8 ranks on
0 1 0 0
64 3       # from 64 ranks on
0 6 0 0
1024 0 0 0 # the library decides
65536 2 4 8192
2          # allreduce
1
4 2
0 3 0 0
100000 5 0 4096
";

fn method(selector: &Selector, name: &str, shape: Shape) -> String {
    selector.method(Operation::from_name(name).unwrap(), &shape).unwrap().to_string()
}

#[test]
fn rules_apply_from_their_sizes_on() {
    let rules = Selector::read(FILE).unwrap();
    let bcast = |ranks, bytes| method(&rules, "bcast", Shape::new(ranks).bytes(bytes));
    assert_eq!(bcast(63, 1 << 20), "linear");
    assert_eq!(bcast(2, 1), "linear", "the first size holds for smaller communicators too");
    assert_eq!(bcast(64, 1023), "strided-binomial:segment=0");
    assert_eq!(bcast(64, 65_536), "chain:segment=8KiB:radix=4");
    assert_eq!(bcast(64, 0), "nothing", "a call that moves nothing returns at once");
    assert_eq!(bcast(64, 65_535), "k-nomial:radix=4", "algorithm 0 is the library's own decision");
    let allreduce = |bytes| method(&rules, "allreduce", Shape::new(4).bytes(bytes).element(4));
    assert_eq!([99_996, 100_000].map(allreduce), ["recursive-doubling", "overlapped-ring:segment=4KiB"]);
}

#[test]
fn the_library_decides_where_the_file_says_nothing() {
    let (rules, own) = (Selector::read(FILE).unwrap(), Selector::named("openmpi-4.1").unwrap());
    let shape = Shape::new(20).bytes(5000).element(4);
    for name in ["reduce", "alltoall", "barrier", "ibcast", "iallreduce", "scan"] {
        assert_eq!(method(&rules, name, shape), method(&own, name, shape), "{name}");
    }
}

#[test]
fn sizes_count_what_open_mpi_counts() {
    // All blocks together for alltoall, the average block for allgatherv.
    let text = "2\n3 1\n1 2\n0 1 0 0\n800 2 0 0\n1 1\n1 2\n0 2 0 0\n100 3 0 0\n";
    let rules = Selector::read(text).unwrap();
    let alltoall = |bytes| method(&rules, "alltoall", Shape::new(8).bytes(bytes));
    assert_eq!([99, 100].map(alltoall), ["linear", "pairwise"]);
    let counts = [0, 400, 0, 0];
    assert_eq!(method(&rules, "allgatherv", Shape::new(4).counts(&[], &counts)), "ring");
    assert_eq!(method(&rules, "allgatherv", Shape::new(4).counts(&[], &[0, 399, 0, 0])), "bruck");
}

#[test]
fn version_two_may_limit_requests() {
    let text = "rule-file-version-2\n1\n3 1\n2 2\n0 4 0 0 6\n64 4 0 0\n";
    let rules = Selector::read(text).unwrap();
    let alltoall = |bytes| method(&rules, "alltoall", Shape::new(32).bytes(bytes));
    assert_eq!([1, 64].map(alltoall), ["linear:requests=6", "linear:requests=0"]);
}

#[test]
fn the_choice_takes_such_a_file() {
    let read = |_: &str| Some(Ok(FILE.to_owned()));
    let choice = Choice::parse_with("my.rules,allreduce=ring", read).unwrap();
    let shape = Shape::new(8).bytes(9);
    assert_eq!(choice.method(Collective::Bcast, &shape).to_string(), "linear");
    assert_eq!(choice.method(Collective::Allreduce, &shape).to_string(), "ring");
}

#[test]
fn errors_name_line_and_remedy() {
    let error = |text: &str| Selector::read(text).unwrap_err().to_string();
    let cases = [
        (
            "1\n7\n1\n",
            "line 3: the file ends where the size of a communicator is expected; the numbers before say how many rules follow",
        ),
        (
            "1\n7\n1\n4 1\n0 x 0 0",
            "line 5: `x` stands where an algorithm is expected; write a whole number, and comments behind a #",
        ),
        (
            "1\n99\n",
            "line 2: 99 is no number of a collective; they go from 0 (allgather) to 16 (scatterv), bcast is 7, allreduce 2",
        ),
        ("1\n18\n", "line 2: Open MPI has no rules for neighbourhood collectives; remove them"),
        (
            "1\n4\n1\n2 1\n0 7 0 0",
            "line 5: alltoallv has no algorithm 7 in Open MPI; it has 1 (rank-order), 2 (pairwise), and 0 for its own decision",
        ),
        (
            "1\n7\n1\n4 1\n8 1 0 0",
            "line 5: the first rule of a communicator is from 0 bytes on, not from 8; Open MPI refuses the file otherwise",
        ),
        (
            "1\n7\n2\n8 1\n0 1 0 0\n4 1\n0 1 0 0\n",
            "line 6: 4 follows after 8; sort the sizes of communicators in ascending order",
        ),
        (
            "1\n14\n1\n2 2\n0 1 0 0\n9 2 0 0\n",
            "line 6: Open MPI does not look at the message of a scan here, but at its type; give the same algorithm for all sizes",
        ),
        (
            "0\n5\n",
            "line 2: `5` follows after the last rule; correct the numbers that say how many rules there are",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected);
    }
}

fn decision(collective: Collective, ranks: u32, bytes: u64, method: &str) -> Decision {
    Decision { collective, ranks, bytes, method: Some(mpirage_collectives::read_method(method).unwrap()) }
}

#[test]
fn decisions_are_written_for_open_mpi() {
    let text = write_dynamic_rules(&[
        decision(Collective::Alltoall, 64, 0, "bruck"),
        decision(Collective::Alltoall, 64, 512, "pairwise"),
        decision(Collective::Bcast, 64, 8192, "chain:segment=8KiB:radix=4"),
        Decision { collective: Collective::Bcast, ranks: 65, bytes: 0, method: None },
    ]);
    let expected = "\
2   # collectives
3   # alltoall
2   # sizes of communicators
0 1   # from 0 ranks on: rules
0 0 0 0
64 2   # from 64 ranks on: rules
0 3 0 0
32768 2 0 0
7   # bcast
3   # sizes of communicators
0 1   # from 0 ranks on: rules
0 0 0 0
64 2   # from 64 ranks on: rules
0 0 0 0
8192 2 4 8192
65 1   # from 65 ranks on: rules
0 0 0 0
";
    assert_eq!(text.unwrap(), expected);
}

/// Reading a written file gives the methods that were meant.
#[test]
fn what_is_written_can_be_read() {
    let methods = [
        (Collective::Bcast, "scatter-ring"),
        (Collective::Bcast, "k-nomial:segment=32KiB"),
        (Collective::Bcast, "chain:segment=4KiB:radix=1"),
        (Collective::Reduce, "in-order-binary:segment=1KiB"),
        (Collective::Allreduce, "overlapped-ring:segment=1MiB"),
        (Collective::Allreduce, "linear:requests=1"),
        (Collective::Gather, "linear-sync:segment=1KiB"),
        (Collective::Scatter, "linear"),
        (Collective::Allgather, "neighbor-exchange"),
        (Collective::ReduceScatterBlock, "butterfly"),
        (Collective::Barrier, "dissemination"),
        (Collective::Scan, "recursive-doubling"),
    ];
    for (collective, text) in methods {
        let written = write_dynamic_rules(&[decision(collective, 16, 0, text)]).unwrap();
        let rules = Selector::read(&written).unwrap();
        let shape = Shape::new(16).bytes(1 << 20).element(8);
        let (read, meant): (Method, Method) = (
            rules.method(collective.into(), &shape).unwrap(),
            mpirage_collectives::read_method(text).unwrap(),
        );
        let defaults = collective.defaults(meant.algorithm).unwrap();
        assert_eq!(read.settings.or(defaults), meant.settings.or(defaults), "{collective} {text}");
        assert_eq!(read.algorithm, meant.algorithm, "{collective} {text}");
    }
}

#[test]
fn what_open_mpi_does_not_have_is_refused() {
    let error = |collective, method| {
        write_dynamic_rules(&[decision(collective, 4, 0, method)]).unwrap_err().to_string()
    };
    assert_eq!(
        error(Collective::Bcast, "double-tree"),
        "Open MPI has no algorithm like double-tree for bcast"
    );
    assert_eq!(
        error(Collective::Bcast, "k-nomial:radix=7"),
        "Open MPI has no algorithm like k-nomial:radix=7 for bcast"
    );
    assert_eq!(error(Collective::Gatherv, "linear"), "Open MPI has no algorithm like linear for gatherv");
}

#[test]
fn open_mpi_4_0_decides_by_its_own_limits() {
    let own = Selector::named("openmpi-4.0").unwrap();
    let shape = |bytes| Shape::new(64).bytes(bytes).element(4);
    let allreduce = |bytes| method(&own, "allreduce", shape(bytes));
    assert_eq!([9996, 10_000].map(allreduce), ["recursive-doubling", "overlapped-ring"]);
    assert_eq!(allreduce(65 << 20), "overlapped-ring:segment=1MiB");
    let allgather = |bytes| method(&own, "allgather", shape(bytes));
    assert_eq!([781, 782].map(allgather), ["recursive-doubling", "neighbor-exchange"]);
    let alltoall = |bytes| method(&own, "alltoall", shape(bytes));
    assert_eq!([199, 200, 3000].map(alltoall), ["bruck", "linear", "pairwise"]);
    assert_eq!(method(&own, "barrier", Shape::new(12)), "dissemination");
    assert_eq!(method(&own, "ibcast", shape(8)), "swapped-binomial", "libnbc is that of 4.1");
}
