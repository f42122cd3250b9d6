//! Algorithms of MPICH 4.3 that have parameters: keys below the algorithm, in any order.
//!
//! ```text
//! "algorithm=MPIR_Allreduce_intra_recexch": { "k=4": {}, "single_phase_recv=0": {} }
//! ```
//!
//! Parameters without an effect on our schedules are read and left aside: memory for each child, receives of one round or of two.

use mpirage_call::{
    Algorithm::{self, *},
    Collective::{self, *},
    Method, SendStyle, Settings,
};

use super::tree::Branch;
use crate::operation::Operation;
use crate::performed::Performed;

/// An algorithm: whether the collective blocks, our name, MPICH's, what else a file says of it, and whether it cuts the vector.
struct Named {
    collective: Collective,
    nonblocking: bool,
    algorithm: Algorithm,
    name: &'static str,
    keys: &'static [&'static str],
    chunks: bool,
}

const fn named(collective: Collective, algorithm: Algorithm, name: &'static str) -> Named {
    Named { collective, nonblocking: false, algorithm, name, keys: &[], chunks: false }
}

impl Named {
    const fn nonblocking(self) -> Named {
        Named { nonblocking: true, ..self }
    }

    const fn keys(self, keys: &'static [&'static str]) -> Named {
        Named { keys, ..self }
    }

    const fn chunks(self) -> Named {
        Named { chunks: true, ..self }
    }

    fn is_of(&self, operation: Operation) -> bool {
        (self.collective, self.nonblocking) == (operation.collective, operation.nonblocking)
    }

    /// Does it fit the keys of a file? The kind of a tree is not a parameter: it is part of the algorithm.
    fn fits(&self, below: &[Branch]) -> bool {
        let kind = |key: &&str| key.starts_with("tree_type=");
        let wanted = self.keys.iter().copied().find(kind);
        wanted.is_none() || wanted == below.iter().map(|branch| branch.key.as_str()).find(kind)
    }
}

/// Where several have the same name of MPICH's and the same keys, the first is what the name is read as.
const ALL: &[Named] = &[
    named(Barrier, RecursiveExchange, "MPIR_Barrier_intra_recexch"),
    named(Allgather, RecursiveExchange, "MPIR_Allgather_intra_recexch_doubling").keys(TWO_ROUNDS),
    named(Allreduce, RecursiveExchange, "MPIR_Allreduce_intra_recexch").keys(TWO_ROUNDS),
    named(Allreduce, KReduceScatterAllgather, "MPIR_Allreduce_intra_k_reduce_scatter_allgather")
        .keys(TWO_ROUNDS),
    named(Allreduce, RecursiveMultiplying, "MPIR_Allreduce_intra_recursive_multiplying"),
    named(Allreduce, TreeKAry, "MPIR_Allreduce_intra_tree").keys(K_ARY).chunks(),
    named(Allreduce, TreeKNomial1, "MPIR_Allreduce_intra_tree").keys(K_NOMIAL_1).chunks(),
    named(Allreduce, TreeKNomial2, "MPIR_Allreduce_intra_tree").keys(K_NOMIAL_2).chunks(),
    named(Allreduce, RecursiveExchange, "MPIR_Iallreduce_intra_tsp_recexch_multiple_buffer").nonblocking(),
    named(Allreduce, RecursiveExchange, "MPIR_Iallreduce_intra_tsp_recexch_single_buffer").nonblocking(),
    named(Bcast, TreeKAry, "MPIR_Bcast_intra_tree").keys(&["tree_type=kary"]),
    named(Bcast, TreeKNomial1, "MPIR_Bcast_intra_tree").keys(&["tree_type=knomial_1"]),
    named(Bcast, TreeKNomial2, "MPIR_Bcast_intra_tree").keys(&["tree_type=knomial_2"]),
    named(Bcast, TreeKAry, "MPIR_Ibcast_intra_tsp_tree").nonblocking().keys(&["tree_type=kary"]).chunks(),
    named(Bcast, TreeKNomial1, "MPIR_Ibcast_intra_tsp_tree")
        .nonblocking()
        .keys(&["tree_type=knomial_1"])
        .chunks(),
    named(Bcast, TreeKNomial2, "MPIR_Ibcast_intra_tsp_tree")
        .nonblocking()
        .keys(&["tree_type=knomial_2"])
        .chunks(),
    named(Reduce, TreeKAry, "MPIR_Ireduce_intra_tsp_tree").nonblocking().keys(K_ARY).chunks(),
    named(Reduce, TreeKNomial1, "MPIR_Ireduce_intra_tsp_tree").nonblocking().keys(K_NOMIAL_1).chunks(),
    named(Reduce, TreeKNomial2, "MPIR_Ireduce_intra_tsp_tree").nonblocking().keys(K_NOMIAL_2).chunks(),
];

/// The receives of two rounds are posted together.
const TWO_ROUNDS: &[&str] = &["single_phase_recv=0"];
const K_ARY: &[&str] = &["tree_type=kary", "buffer_per_child=0"];
const K_NOMIAL_1: &[&str] = &["tree_type=knomial_1", "buffer_per_child=0"];
const K_NOMIAL_2: &[&str] = &["tree_type=knomial_2", "buffer_per_child=0"];

/// The method that a file means, if the algorithm is one of these.
pub(super) fn read(operation: Operation, name: &str, below: &[Branch]) -> Option<Method> {
    let value = |key: &str| below.iter().find_map(|branch| branch.key.strip_prefix(key));
    let known = |one: &&Named| one.is_of(operation) && one.name == name && one.fits(below);
    let found = ALL.iter().find(known)?;
    let radix: Option<u32> = value("k=").and_then(|radix| radix.parse().ok());
    let segment: Option<u64> = value("chunk_size=").and_then(|bytes| bytes.parse().ok());
    let sends = (value("is_non_blocking=") == Some("0")).then_some(SendStyle::InOrder);
    let settings = Settings {
        radix: radix.filter(|&radix| radix >= 2),
        segment: segment.filter(|_| found.chunks),
        sends,
        ..Settings::default()
    };
    Some(Method { algorithm: found.algorithm, settings })
}

/// The key of an algorithm with its parameters below it, if MPICH 4.3 has it.
pub(super) fn written(operation: Operation, method: Method) -> Option<String> {
    let found = ALL.iter().find(|one| one.is_of(operation) && one.algorithm == method.algorithm)?;
    let Settings { radix, segment, sends, .. } =
        method.settings.or(operation.collective.defaults(method.algorithm)?);
    let mut keys = vec![format!("k={}", radix.unwrap_or(2))];
    match segment {
        Some(segment) if found.chunks => keys.push(format!("chunk_size={segment}")),
        Some(1..) => return None,
        _ => {}
    }
    if found.name == "MPIR_Bcast_intra_tree" {
        keys.push(format!("is_non_blocking={}", u8::from(sends == Some(SendStyle::AtOnce))));
    }
    keys.extend(found.keys.iter().map(|&key| key.to_owned()));
    let below: Vec<String> = keys.iter().map(|key| format!("\"{key}\": {{}}")).collect();
    Some(format!("\"algorithm={}\": {{ {} }}", found.name, below.join(", ")))
}

/// The names of MPICH's for an operation.
pub(super) fn names(operation: Operation) -> impl Iterator<Item = String> {
    ALL.iter().filter(move |one| one.is_of(operation)).map(|one| one.name.to_owned())
}
