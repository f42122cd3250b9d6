//! Execution traces of Chakra: what waits for what, units, process groups, and files that are damaged. The files are written here, from the
//! public schema (`et_def.proto`, mlcommons/chakra).

use mpirage_mpi::Ending;
use mpirage_trace::{Chakra, Workload};

use crate::common::{Ran, replay};

const COMP: u64 = 4;
const SEND: u64 = 5;
const RECV: u64 = 6;
const COLL: u64 = 7;

fn varint(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

fn number(field: u64, value: u64, into: &mut Vec<u8>) {
    varint(field << 3, into);
    varint(value, into);
}

fn bytes(field: u64, value: &[u8], into: &mut Vec<u8>) {
    varint(field << 3 | 2, into);
    varint(value.len() as u64, into);
    into.extend_from_slice(value);
}

fn message(content: &[u8], into: &mut Vec<u8>) {
    varint(content.len() as u64, into);
    into.extend_from_slice(content);
}

/// A node that is being written.
#[derive(Clone)]
struct Node(Vec<u8>);

fn node(id: u64, kind: u64) -> Node {
    let mut node = Vec::new();
    number(1, id, &mut node);
    bytes(2, format!("n{id}").as_bytes(), &mut node);
    number(3, kind, &mut node);
    Node(node)
}

impl Node {
    /// Waits for these, as control dependencies if there are two, else as a data dependency.
    fn after(mut self, ids: &[u64]) -> Node {
        if let [id] = ids {
            number(5, *id, &mut self.0);
        } else {
            let mut list = Vec::new();
            ids.iter().for_each(|&id| varint(id, &mut list));
            bytes(4, &list, &mut self.0);
        }
        self
    }

    fn micros(mut self, micros: u64) -> Node {
        number(7, micros, &mut self.0);
        self
    }

    fn attribute(mut self, name: &str, field: u64, value: u64) -> Node {
        let mut attribute = Vec::new();
        bytes(1, name.as_bytes(), &mut attribute);
        number(field, value, &mut attribute);
        bytes(10, &attribute, &mut self.0);
        self
    }

    /// An attribute of type int64.
    fn with(self, name: &str, value: u64) -> Node {
        self.attribute(name, 9, value)
    }

    fn group(mut self, name: &str) -> Node {
        let mut attribute = Vec::new();
        bytes(1, b"pg_name", &mut attribute);
        bytes(29, name.as_bytes(), &mut attribute);
        bytes(10, &attribute, &mut self.0);
        self
    }

    fn on_host(self) -> Node {
        self.attribute("is_cpu_op", 27, 1)
    }

    fn inputs(mut self, values: &str) -> Node {
        let mut inputs = Vec::new();
        bytes(1, values.as_bytes(), &mut inputs);
        bytes(8, &inputs, &mut self.0);
        self
    }
}

fn comp(id: u64, micros: u64) -> Node {
    node(id, COMP).micros(micros)
}

fn coll(id: u64, kind: u64, size: u64) -> Node {
    node(id, COLL).with("comm_type", kind).with("comm_size", size)
}

fn file(nodes: &[Node]) -> Vec<u8> {
    let (mut file, mut head) = (Vec::new(), Vec::new());
    bytes(1, b"0.0.4", &mut head);
    message(&head, &mut file);
    nodes.iter().for_each(|node| message(&node.0, &mut file));
    file
}

fn open(ranks: &[&[Node]]) -> Result<Chakra, String> {
    Chakra::from_bytes(ranks.iter().map(|nodes| file(nodes)).collect()).map_err(|error| error.to_string())
}

fn ran(ranks: &[&[Node]]) -> Ran {
    let ran = replay(&mut open(ranks).unwrap()).unwrap();
    assert_eq!(ran.ending, Ending::Finished);
    ran
}

fn problem(ranks: &[&[Node]]) -> String {
    open(ranks).unwrap_err()
}

/// Microseconds of a single rank.
fn micros(nodes: &[Node]) -> f64 {
    (ran(&[nodes]).seconds() * 1e6 * 1e6).round() / 1e6
}

#[test]
fn a_device_computes_one_thing_at_a_time() {
    assert_eq!(micros(&[comp(0, 1), comp(1, 2), comp(2, 3)]), 6.0);
    // The host and the device compute at the same time.
    assert_eq!(micros(&[comp(0, 4), comp(1, 3).on_host(), comp(2, 2).on_host()]), 5.0);
    assert_eq!(micros(&[comp(0, 4), node(1, 2).micros(6), node(2, 3).micros(1)]), 7.0);
    assert_eq!(micros(&[comp(0, 0), node(1, 0), node(2, 1)]), 0.0);
    assert_eq!(micros(&[]), 0.0);
}

#[test]
fn dependencies_of_both_kinds_hold() {
    assert_eq!(micros(&[comp(7, 1), comp(3, 2).on_host().after(&[7])]), 3.0);
    let diamond =
        [comp(0, 1), comp(1, 2).after(&[0]), comp(2, 3).on_host().after(&[0]), comp(3, 4).after(&[1, 2])];
    assert_eq!(micros(&diamond), 8.0);
    // A node may come before those that it waits for; one that takes no time passes on.
    assert_eq!(micros(&[comp(0, 5).after(&[1]), node(1, 0).after(&[2]), comp(2, 3)]), 8.0);
    assert_eq!(micros(&[comp(0, 5), comp(1, 5).on_host().after(&[0, 0])]), 10.0);
}

/// As in converted traces of PyTorch: control dependencies say who called whom, also where the caller is left out; the metadata have the
/// version of PyTorch's schema; a collective is started by a node of the host that says nothing about it.
#[test]
fn callers_of_pytorch_do_not_count() {
    let nodes =
        [comp(5, 1).after(&[3, 6]), node(6, COLL).micros(2).on_host().after(&[5]), coll(7, 0, 8).after(&[6])];
    assert!(problem(&[&nodes]).contains("control=no"));
    let (mut file, mut head, mut schema) = (Vec::new(), Vec::new(), Vec::new());
    bytes(1, b"schema", &mut schema);
    bytes(29, b"1.0.2-chakra.0.0.4", &mut schema);
    bytes(2, &schema, &mut head);
    message(&head, &mut file);
    nodes.iter().for_each(|node| message(&node.0, &mut file));
    let ran = replay(&mut Chakra::from_bytes(vec![file]).unwrap()).unwrap();
    assert_eq!(ran.ending, Ending::Finished);
    // An allreduce of one rank copies its eight bytes.
    assert!((ran.ends[0] - 3e-6).abs() < 1e-8, "{:?}", ran.ends);
}

#[test]
fn of_what_can_start_the_first_of_the_file_does() {
    // Node 1 becomes free later than node 2, but before the device is.
    let nodes = [
        comp(0, 3),
        comp(1, 10).after(&[3]),
        comp(2, 1),
        comp(3, 1).on_host(),
        comp(4, 20).on_host().after(&[1]),
    ];
    assert_eq!(micros(&nodes), 33.0);
}

#[test]
fn operations_take_the_time_of_the_host_speed() {
    // 2e6 operations at 1 Gflop/s; as a double too.
    assert_eq!(micros(&[node(0, COMP).with("num_ops", 2_000_000).with("tensor_size", 8)]), 2000.0);
    // The duration of the trace counts where there is one.
    assert_eq!(micros(&[comp(0, 3).with("num_ops", 2_000_000)]), 3.0);
}

fn send(id: u64, to: u64, tag: u64, size: u64) -> Node {
    node(id, SEND).with("comm_dst", to).with("comm_tag", tag).with("comm_size", size)
}

fn recv(id: u64, from: u64, tag: u64, size: u64) -> Node {
    node(id, RECV).with("comm_src", from).with("comm_tag", tag).with("comm_size", size)
}

#[test]
fn messages_go_beside_computation() {
    let (sender, receiver) = ([send(0, 1, 3, 1 << 20)], [recv(0, 0, 3, 1 << 20)]);
    let alone = ran(&[&sender, &receiver]).seconds();
    let with = |receiver: &[Node]| ran(&[&sender, receiver]).seconds();
    assert_eq!(with(&[recv(0, 0, 3, 1 << 20), comp(1, 100)]), alone);
    let after = with(&[recv(0, 0, 3, 1 << 20), comp(1, 100).after(&[0])]);
    assert!((after - alone - 100e-6).abs() < 1e-11, "{alone} {after}");
}

/// As in the ring that ASTRA-sim's examples have: all send, and receive after that.
#[test]
fn sends_do_not_wait_for_receives() {
    let rank = |other| [send(0, other, 0, 1 << 20), recv(1, other, 0, 1 << 20).after(&[0])];
    assert_eq!(ran(&[&rank(1), &rank(0)]).messages, 2);
}

#[test]
fn messages_pair_up_by_tag() {
    let (one, other) = ([send(0, 1, 3, 100), send(1, 1, 4, 200)], [recv(0, 0, 4, 200), recv(1, 0, 3, 100)]);
    assert_eq!(ran(&[&one, &other]).messages, 2);
}

#[test]
fn a_receive_that_nobody_sends_to_is_a_deadlock() {
    let ran = replay(&mut open(&[&[recv(0, 1, 0, 8)], &[comp(0, 1)]]).unwrap()).unwrap();
    assert_eq!(ran.ending, Ending::Deadlock);
}

/// Every type, with all ranks: each rank ends, and none before the last has begun where all depend on all.
#[test]
fn collectives_of_every_type_run() {
    for kind in 0..10 {
        let late = [comp(0, 5000), coll(1, kind, 1000).after(&[0])];
        let early = [coll(1, kind, 1000)];
        let ran = ran(&[&early, &early, &late, &early]);
        let waits = !matches!(kind, 1 | 3 | 4 | 5);
        let least = ran.ends.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(ran.ends[2] >= 5e-3 && (!waits || least >= 5e-3), "{kind}: {:?}", ran.ends);
    }
}

fn groups(list: &str) -> Node {
    node(1000, 1).inputs(&format!("['[{list}]']"))
}

const HALVES: &str = r#"{"pg_name": "5", "ranks": [0, 1]}, {"pg_name": "6", "ranks": [2, 3]}, {"pg_name": "7", "ranks": [1, 2]}"#;

#[test]
fn groups_are_apart() {
    let rank =
        |group: &str, late: u64| [groups(HALVES), comp(0, late), coll(1, 9, 0).group(group).after(&[0])];
    let [a, b, c, d] = [rank("5", 1), rank("5", 1), rank("6", 9000), rank("6", 1)];
    let ran = ran(&[&a, &b, &c, &d]);
    assert!(ran.ends[0] < 8e-3 && ran.ends[1] < 8e-3, "{:?}", ran.ends);
    assert!(ran.ends[2] >= 9e-3 && ran.ends[3] >= 9e-3, "{:?}", ran.ends);
}

/// Ranks 1 and 2 are in two groups each, and start their collectives in different orders, several at a time.
#[test]
fn overlapping_groups_match_by_the_order_of_the_file() {
    let first = [groups(HALVES), coll(1, 0, 1 << 20).group("5"), coll(2, 0, 8).group("5")];
    let second = [
        groups(HALVES),
        coll(1, 0, 1 << 20).group("5").after(&[4]),
        coll(2, 0, 8).group("5"),
        coll(3, 6, 64).group("7"),
        comp(4, 50),
    ];
    let third = [groups(HALVES), coll(3, 6, 64).group("7").after(&[5]), coll(5, 2, 64).group("6")];
    let fourth = [groups(HALVES), coll(5, 2, 64).group("6")];
    assert_eq!(ran(&[&first, &second, &third, &fourth]).ends.len(), 4);
}

#[test]
fn more_collectives_than_plans_match() {
    let rank: Vec<Node> = (0..700).map(|id| coll(id, 0, 8 * (id + 1))).collect();
    assert_eq!(ran(&[&rank, &rank]).ends.len(), 2);
}

#[test]
fn collectives_of_different_sizes_are_found() {
    let error = replay(&mut open(&[&[coll(0, 0, 8)], &[coll(0, 0, 16)]]).unwrap()).unwrap();
    assert_ne!(error.ending, Ending::Finished);
}

#[test]
fn mistakes_are_told_with_file_and_node() {
    for (nodes, part) in [
        (vec![node(3, 42)], "chakra.0.et: at byte 8: node 3 `n3`: its type is 42"),
        (vec![comp(3, 1).after(&[9])], "a node waits for node 9, which is not in the file"),
        (vec![comp(3, 1).after(&[4]), comp(4, 1).after(&[3])], "this node waits for itself"),
        (vec![comp(3, 1), comp(3, 1)], "node 3 `n3`: another node has the same id"),
        (vec![node(3, SEND).with("comm_size", 1)], "it has no comm_dst"),
        (vec![send(3, 1, 0, 8)], "its comm_dst is 1, but the trace has ranks 0 to 0"),
        (vec![send(3, 0, 0, 8).with("comm_src", 4)], "its comm_src is 4, but it is in the file of rank 0"),
        (vec![send(3, 0, 0, u64::MAX)], "its comm_size is -1"),
        (vec![send(3, 0, 1 << 40, 1)], "its comm_tag is 1099511627776"),
        (vec![node(3, SEND).with("comm_dst", 0)], "it has no comm_size"),
        (vec![coll(3, 10, 8)], "its comm_type is 10"),
        (vec![node(3, COLL).with("comm_size", 8)], "it has no comm_type"),
        (vec![coll(3, 5, 8).with("comm_src", 7)], "its root (comm_src) is 7"),
        (vec![coll(3, 0, 8).group("tp")], "which ranks are in its process group `tp`"),
        (vec![comp(3, u64::MAX)], "duration_micros"),
        (vec![groups(r#"{"pg_name": "1", "ranks": [0, 4]}"#)], "process group `1` has a rank 4"),
    ] {
        let error = problem(&[&nodes]);
        assert!(error.contains(part) && error.starts_with("chakra.0.et: at byte"), "{part}: {error}");
    }
}

#[test]
fn files_that_are_no_traces_are_refused() {
    let error = |bytes: &[u8]| Chakra::from_bytes(vec![bytes.to_vec()]).unwrap_err().to_string();
    assert!(error(b"").contains("is empty"));
    assert!(error(b"hello world").contains("ends in the middle of this node"));
    assert!(error(b"\x07\x0a\x050.0.1").contains("schema 0.0.1 is too old"));
    assert!(error(b"\x03\x07ab").contains("this is no Chakra trace"));
    assert!(error(&[0xff; 40]).contains("more than ten bytes"));
    let whole = file(&[comp(0, 1), comp(1, 2).after(&[0])]);
    for length in 0..whole.len() {
        // Cut between two nodes, it is a trace that only lacks nodes.
        let cut = Chakra::from_bytes(vec![whole[..length].to_vec()]);
        let between = [8, 19].contains(&length);
        assert!(cut.is_err() || between, "{length} of {}", whole.len());
    }
}

/// Every byte of a small trace, changed: it is refused, or runs to some end.
#[test]
fn damaged_files_are_refused_or_run() {
    let nodes = [groups(HALVES), comp(0, 1), send(1, 1, 0, 8).after(&[0]), coll(2, 0, 64).group("5")];
    let good = file(&nodes);
    let other = file(&[groups(HALVES), recv(1, 0, 0, 8), coll(2, 0, 64).group("5")]);
    let (mut refused, mut ran) = (0, 0);
    for at in 0..good.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            let rest = [file(&[]), file(&[])];
            match Chakra::from_bytes([vec![bytes, other.clone()], rest.to_vec()].concat()) {
                Ok(mut trace) => ran += usize::from(replay(&mut trace).is_ok()),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 100 && ran > 100, "{refused} {ran}");
}

#[test]
fn communicators_are_the_groups() {
    let trace = open(&[&[groups(HALVES)], &[], &[], &[]]).unwrap();
    assert_eq!(trace.communicators(), [vec![0, 1], vec![2, 3], vec![1, 2]]);
}
