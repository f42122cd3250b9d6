//! The names of algorithms.

use std::fmt;

use crate::shape::Shape;
use crate::step::Schedule;

/// Writes the steps of one rank.
pub(crate) type Build = fn(&Shape, &mut Schedule);

/// The algorithms of one collective. This is the only place that says which are valid.
pub(crate) type Table = &'static [(Algorithm, Build)];

/// A way to perform a collective. One name may serve several collectives;
/// [`Collective::algorithms`](crate::Collective::algorithms) says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "`info` says what each one is")]
pub enum Algorithm {
    Linear,
    Binomial,
    BinaryTree,
    Chain,
    Dissemination,
    RecursiveDoubling,
    RecursiveHalving,
    Rabenseifner,
    Ring,
    DoubleRing,
    Pairwise,
    Bruck,
    NeighborExchange,
    ScatterAllgather,
    ScatterDoubling,
    GatherBcast,
    ReduceBcast,
    ReduceThenScatter,
}

use Algorithm::*;

/// Name and one line of explanation.
const NAMES: &[(Algorithm, &str, &str)] = &[
    (Linear, "linear", "everybody with the root, or with everybody, directly and at once"),
    (Binomial, "binomial", "a binomial tree: log P rounds, whole subtrees at a time"),
    (BinaryTree, "binary-tree", "a binary tree with the vector in segments of 64 KiB behind each other"),
    (Chain, "chain", "one rank after the other with the vector in segments of 64 KiB behind each other"),
    (Dissemination, "dissemination", "in round k tell rank + 2^k: log P rounds for any number of ranks"),
    (RecursiveDoubling, "recursive-doubling", "swap all you have with rank ^ 2^k: log P rounds"),
    (
        RecursiveHalving,
        "recursive-halving",
        "swap halves of what is left, farthest partner first: log P rounds",
    ),
    (Rabenseifner, "rabenseifner", "reduce-scatter by halving, then (all)gather: 2 log P rounds, 2 n bytes"),
    (Ring, "ring", "one block to the right neighbour per round: P-1 rounds per pass"),
    (DoubleRing, "double-ring", "a token goes around twice: 2 P messages one after the other"),
    (Pairwise, "pairwise", "in round i send to rank + i, receive from rank - i: P-1 rounds, each block once"),
    (
        Bruck,
        "bruck",
        "many blocks per message to rank ± 2^k, then rotate: log P rounds for any number of ranks",
    ),
    (
        NeighborExchange,
        "neighbor-exchange",
        "two blocks left and right in turn: P/2 rounds; ring if P is odd",
    ),
    (ScatterAllgather, "scatter-allgather", "van de Geijn: scatter the vector, allgather it around the ring"),
    (ScatterDoubling, "scatter-doubling", "scatter the vector, allgather it by recursive doubling"),
    (GatherBcast, "gather-bcast", "gather at rank 0, broadcast from there, both binomial"),
    (ReduceBcast, "reduce-bcast", "reduce to rank 0, broadcast from there, both binomial"),
    (
        ReduceThenScatter,
        "reduce-then-scatter",
        "binomial reduction to rank 0, which sends each rank its block",
    ),
];

impl Algorithm {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        NAMES.iter().map(|&(algorithm, ..)| algorithm)
    }

    /// The algorithm of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known, _)| *known == name).map(|&(algorithm, ..)| algorithm)
    }

    /// As it is written in options and reports.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// One line that says how it goes.
    pub fn info(self) -> &'static str {
        self.entry().2
    }

    fn entry(self) -> &'static (Algorithm, &'static str, &'static str) {
        NAMES.iter().find(|(algorithm, ..)| *algorithm == self).expect("every algorithm has a name")
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
