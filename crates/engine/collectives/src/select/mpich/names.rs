//! MPICH's names of algorithms and ours.

use mpirage_call::{
    Algorithm::{self, *},
    Collective::{self, *},
};

/// Collective, our algorithm, and the end of MPICH's name, which begins with `MPIR_Bcast_intra_`, or for the non-blocking form with
/// `MPIR_Ibcast_intra_sched_`. Where several of ours have one name of MPICH's, the first is what that name is read as.
const NAMES: &[(Collective, Algorithm, &str, &str)] = &[
    (Barrier, Dissemination, "dissemination", "recursive_doubling"),
    (Bcast, Binomial, "binomial", "binomial"),
    (Bcast, ScatterSubtrees, "scatter_recursive_doubling_allgather", "scatter_recursive_doubling_allgather"),
    (Bcast, ScatterRing, "scatter_ring_allgather", "scatter_ring_allgather"),
    (Bcast, TwoLevelByLeader, "smp", "smp"),
    (Gather, Binomial, "binomial", "binomial"),
    (Gatherv, Sparse, "linear", "linear"),
    (Gatherv, SparseSynchronous, "linear", "linear"),
    (Scatter, Binomial, "binomial", "binomial"),
    (Scatterv, Sparse, "linear", "linear"),
    (Allgather, RecursiveDoubling, "recursive_doubling", "recursive_doubling"),
    (Allgather, Bruck, "brucks", "brucks"),
    (Allgather, Ring, "ring", "ring"),
    (Allgatherv, RecursiveDoubling, "recursive_doubling", "recursive_doubling"),
    (Allgatherv, Bruck, "brucks", "brucks"),
    (Allgatherv, Ring, "ring", "ring"),
    (Alltoall, Bruck, "brucks", "brucks"),
    (Alltoall, Pairwise, "pairwise", "pairwise"),
    (Alltoall, PairwiseExchange, "pairwise", "pairwise"),
    (Alltoall, Batched, "scattered", "permuted_sendrecv"),
    (Alltoall, Linear, "scattered", "permuted_sendrecv"),
    (Alltoall, AscendingExchange, "pairwise_sendrecv_replace", "inplace"),
    (Alltoallv, Batched, "scattered", "blocked"),
    (Alltoallv, Linear, "scattered", "blocked"),
    (Alltoallv, AscendingExchange, "pairwise_sendrecv_replace", "inplace"),
    (Alltoallw, Batched, "scattered", "blocked"),
    (Alltoallw, Linear, "scattered", "blocked"),
    (Alltoallw, AscendingExchange, "pairwise_sendrecv_replace", "inplace"),
    (Reduce, Binomial, "binomial", "binomial"),
    (Reduce, HalvingGather, "reduce_scatter_gather", "reduce_scatter_gather"),
    (Reduce, HalvingGatherLongLast, "reduce_scatter_gather", "reduce_scatter_gather"),
    (Reduce, Rabenseifner, "reduce_scatter_gather", "reduce_scatter_gather"),
    (Reduce, TwoLevel, "smp", "smp"),
    (Allreduce, RecursiveDoubling, "recursive_doubling", "recursive_doubling"),
    (Allreduce, Rabenseifner, "reduce_scatter_allgather", "reduce_scatter_allgather"),
    (Allreduce, RabenseifnerLongLast, "reduce_scatter_allgather", "reduce_scatter_allgather"),
    (Allreduce, TwoLevel, "smp", "smp"),
    (ReduceScatter, RecursiveHalving, "recursive_halving", "recursive_halving"),
    (ReduceScatter, Pairwise, "pairwise", "pairwise"),
    (ReduceScatter, SubtreeDoubling, "recursive_doubling", "recursive_doubling"),
    (ReduceScatter, MirroredHalving, "noncommutative", "noncommutative"),
    (ReduceScatterBlock, RecursiveHalving, "recursive_halving", "recursive_halving"),
    (ReduceScatterBlock, Pairwise, "pairwise", "pairwise"),
    (ReduceScatterBlock, SubtreeDoubling, "recursive_doubling", "recursive_doubling"),
    (ReduceScatterBlock, MirroredHalving, "noncommutative", "noncommutative"),
    (Barrier, TwoLevel, "smp", "smp"),
    (Scan, RecursiveDoubling, "recursive_doubling", "recursive_doubling"),
    // A scan of two levels has no schedule of its own.
    (Scan, RecursiveDoubling, "smp", "smp"),
    (Exscan, RecursiveDoubling, "recursive_doubling", "recursive_doubling"),
];

/// MPICH's name of an algorithm, if it has it.
pub(super) fn written(collective: Collective, nonblocking: bool, algorithm: Algorithm) -> Option<String> {
    let found = NAMES.iter().find(|&&(c, a, ..)| (c, a) == (collective, algorithm));
    found.map(|&(_, _, blocking, other)| {
        beginning(collective, nonblocking) + if nonblocking { other } else { blocking }
    })
}

/// Our algorithm of that name, if there is one.
pub(super) fn named(collective: Collective, nonblocking: bool, name: &str) -> Option<Algorithm> {
    let end = name.strip_prefix(&beginning(collective, nonblocking))?;
    let fits = |&&(c, _, blocking, other): &&(_, _, _, _)| {
        c == collective && end == if nonblocking { other } else { blocking }
    };
    NAMES.iter().find(fits).map(|&(_, algorithm, ..)| algorithm)
}

/// The names of MPICH's that can be read for a collective.
pub(super) fn known(collective: Collective, nonblocking: bool) -> Vec<String> {
    let of = NAMES.iter().filter(|&&(c, ..)| c == collective);
    of.filter_map(|&(_, algorithm, ..)| written(collective, nonblocking, algorithm)).collect()
}

fn beginning(collective: Collective, nonblocking: bool) -> String {
    let name = underscored(collective);
    let scope = if matches!(collective, Gatherv | Scatterv) { "allcomm" } else { "intra" };
    match nonblocking {
        true => format!("MPIR_I{name}_{scope}_sched_"),
        false => format!("MPIR_{}{}_{scope}_", name[..1].to_ascii_uppercase(), &name[1..]),
    }
}

/// `reduce_scatter_block`.
pub(super) fn underscored(collective: Collective) -> String {
    collective.name().replace('-', "_")
}
