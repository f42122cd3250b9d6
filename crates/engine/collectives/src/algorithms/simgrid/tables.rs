//! SimGrid's own algorithms, and its names for algorithms that others also have.

use std::borrow::Cow;

use mpirage_call::{
    Algorithm::*,
    Collective::{self, *},
};

use super::{
    allgather, allreduce, bcast, doubling, exchange, halving, mesh, nodes, openmpi, reduce, reduce_scatter,
    relay, rooted, scan,
};
use crate::entry::{Table, entry};
use crate::shape::Shape;

const KIB: u64 = 1024;

/// SimGrid refuses other numbers of ranks.
fn power_of_two(shape: &Shape) -> bool {
    shape.size.is_power_of_two()
}

fn power_of_two_in_any_order(shape: &Shape) -> bool {
    power_of_two(shape) && shape.commutative
}

/// Ranks of a node follow each other, and all nodes have the same number of ranks.
fn equal_nodes(shape: &Shape) -> bool {
    rooted::has_whole_nodes(shape) && super::Groups::uniform(shape).is_some()
}

/// SimGrid's own algorithms of a collective.
pub(crate) fn table(collective: Collective) -> Table {
    match collective {
        Barrier => BARRIER,
        Bcast => BCAST,
        Reduce => REDUCE,
        Allreduce => ALLREDUCE,
        Gather => GATHER,
        Scatter => SCATTER,
        Allgather => ALLGATHER,
        Allgatherv => ALLGATHERV,
        Alltoall => ALLTOALL,
        Alltoallv => ALLTOALLV,
        ReduceScatter | ReduceScatterBlock => REDUCE_SCATTER,
        Scan | Exscan => SCAN,
        _ => &[],
    }
}

const BARRIER: Table = &[
    entry(SimgridMpichSmp, nodes::barrier),
    entry(SimgridDoubling, openmpi::barrier_doubling),
    entry(SimgridDoubleRing, openmpi::barrier_double_ring),
];

const BCAST: Table = &[
    entry(SimgridNtsl, relay::chain).segment(8 * KIB).parts("simgrid"),
    entry(SimgridNtsb, relay::binary_tree).segment(8 * KIB).parts("simgrid"),
    entry(SimgridFlattreePipeline, relay::from_the_root).segment(8 * KIB),
    entry(SimgridSmpLinear, relay::chain_of_nodes).segment(8 * KIB),
    entry(SimgridSmpBinary, relay::tree_of_nodes).segment(8 * KIB),
    entry(SimgridSmpBinomial, bcast::trees_of_nodes),
    entry(SimgridKnomial, bcast::four_nomial),
    entry(SimgridPipeline, openmpi::bcast_pipeline),
    entry(SimgridSplitBinary, openmpi::bcast_split_binary),
    entry(SimgridIntraNode, nodes::bcast),
];

const REDUCE: Table = &[
    entry(SimgridNtsl, reduce::chain).segment(8 * KIB).any_order(),
    entry(SimgridRab, halving::rab_reduce).any_order(),
    entry(SimgridScatterGather, halving::scatter_gather).any_order(),
    entry(SimgridKnomial, reduce::four_nomial).any_order(),
    entry(SimgridChain, openmpi::reduce_chain).any_order(),
    entry(SimgridPipeline, openmpi::reduce_pipeline).any_order(),
    entry(SimgridOmpiBinomial, openmpi::reduce_binomial).any_order(),
    entry(SimgridTwoLevel, nodes::reduce).any_order(),
];

const ALLREDUCE: Table = &[
    entry(SimgridLr, allreduce::ring).any_order().parts("simgrid"),
    entry(SimgridRingSegmented, openmpi::allreduce_ring).any_order().parts("simgrid"),
    entry(SimgridRedbcast, allreduce::reduce_bcast),
    entry(SimgridRab1, allreduce::padded_halving).only_if(power_of_two_in_any_order),
    entry(SimgridRabRdb, halving::blocks_allreduce).any_order(),
    entry(SimgridMvapich2Rs, halving::blocks_if_enough).any_order(),
    entry(SimgridRab2, allreduce::alltoall_allgather).any_order(),
    entry(SimgridSmpBinomial, allreduce::smp_binomial).any_order(),
    entry(SimgridSmpBinomialPipeline, allreduce::smp_binomial_pipeline).any_order(),
    entry(SimgridSmpRdb, allreduce::smp_doubling).any_order(),
    entry(SimgridSmpRsagLr, allreduce::smp_ring).any_order(),
    entry(SimgridSmpRsagRab, allreduce::smp_rabenseifner).only_if(power_of_two_in_any_order),
    entry(SimgridTwoLevel, nodes::allreduce).any_order(),
];

const GATHER: Table = &[
    entry(SimgridLinearSync, openmpi::gather_linear_sync),
    entry(SimgridTwoLevel, rooted::gather_on_nodes).only_if(rooted::has_whole_nodes),
];

const SCATTER: Table = &[
    entry(SimgridOmpiBinomial, rooted::scatter_smallest_first),
    entry(SimgridTwoLevelDirect, rooted::scatter_direct_on_nodes).only_if(rooted::has_whole_nodes),
    entry(SimgridTwoLevelBinomial, rooted::scatter_tree_on_nodes).only_if(rooted::has_whole_nodes),
];

const ALLGATHER: Table = &[
    entry(SimgridMesh2d, mesh::allgather_plane).only_if(mesh::is_plane),
    entry(SimgridMesh3d, mesh::allgather_cuboid).only_if(mesh::is_cuboid),
    entry(SimgridRdb, doubling::allgather),
    entry(SimgridRhv, allgather::reversed_halving).only_if(power_of_two),
    entry(SimgridNtslrNb, allgather::ring_posted_ahead),
    entry(SimgridNeighborExchange, allgather::neighbors_or_pairs),
    entry(SimgridGb, allgather::gather_bcast),
    entry(SimgridLooselyLr, allgather::rings_of_nodes),
    entry(SimgridSmpNts, allgather::ring_of_leaders),
    entry(SimgridSmpSimple, allgather::all_leaders),
    entry(SimgridMvapich2Smp, allgather::through_leaders).only_if(equal_nodes),
];

const ALLGATHERV: Table = &[
    entry(SimgridMpichRing, allgather::ring_in_parts).only_if(allgather::has_no_empty_block),
    entry(SimgridRdb, doubling::allgather),
    entry(SimgridNeighborExchange, allgather::neighbors_or_pairs),
    entry(SimgridGb, allgather::gather_bcast),
];

const ALLTOALL: Table = &[
    entry(SimgridMesh2d, mesh::alltoall_plane).only_if(mesh::is_plane),
    entry(SimgridMesh3d, mesh::alltoall_cuboid).only_if(mesh::is_cuboid),
    entry(SimgridRdb, doubling::alltoall),
    entry(SimgridPairLightBarrier, exchange::pair_signals).only_if(power_of_two),
    entry(SimgridPairMpiBarrier, exchange::pair_barriers).only_if(power_of_two),
    entry(SimgridPairOneBarrier, exchange::pair_one_barrier).only_if(power_of_two),
    entry(SimgridRingLightBarrier, exchange::ring_signals),
    entry(SimgridRingMpiBarrier, exchange::ring_barriers),
    entry(SimgridRingOneBarrier, exchange::ring_one_barrier),
];

const ALLTOALLV: Table = &[
    entry(SimgridPairLightBarrier, exchange::pair_signals).only_if(power_of_two),
    entry(SimgridPairMpiBarrier, exchange::pair_barriers).only_if(power_of_two),
    entry(SimgridPairOneBarrier, exchange::pair_one_barrier).only_if(power_of_two),
    entry(SimgridRingLightBarrier, exchange::ring_signals),
    entry(SimgridRingMpiBarrier, exchange::ring_barriers),
    entry(SimgridRingOneBarrier, exchange::ring_one_barrier),
    entry(SimgridPairOrRing, exchange::pair_or_ring),
];

const REDUCE_SCATTER: Table = &[
    entry(SimgridDefault, reduce_scatter::default),
    entry(SimgridNoncomm, reduce_scatter::in_order).only_if(reduce_scatter::halves_in_order),
];

const SCAN: Table = &[entry(SimgridDefault, scan::to_all_higher)];

/// SimGrid's names of algorithms that have another name here.
const NAMES: &[(Collective, &str, &str)] = &[
    (Barrier, "ompi_basic_linear", "linear"),
    (Barrier, "ompi_two_procs", "recursive-doubling"),
    (Barrier, "ompi_tree", "binomial"),
    (Barrier, "ompi_bruck", "dissemination"),
    (Barrier, "mvapich2_pair", "simgrid/ompi-recursivedoubling"),
    (Bcast, "binomial_tree", "binomial"),
    (Bcast, "flattree", "linear"),
    (Bcast, "scatter_LR_allgather", "scatter-ring"),
    (Bcast, "scatter_rdb_allgather", "scatter-subtrees"),
    (Bcast, "NTSL_Isend", "simgrid/ntsl"),
    (Bcast, "mvapich2_knomial_intra_node", "simgrid/mvapich2-knomial"),
    (Reduce, "binomial", "binomial"),
    (Reduce, "ompi_binary", "strided-tree:radix=2:segment=32KiB"),
    (Reduce, "ompi_in_order_binary", "in-order-binary"),
    (Reduce, "flat_tree", "linear:requests=1"),
    (Reduce, "ompi_basic_linear", "linear:requests=1"),
    (Allreduce, "rab", "halved-rabenseifner"),
    (Allreduce, "rdb", "recursive-doubling"),
    (Allreduce, "smp_rsag", "simgrid/smp-rsag-lr"),
    (Gather, "ompi_basic_linear", "linear:requests=1"),
    (Gather, "ompi_binomial", "binomial"),
    (Scatter, "ompi_basic_linear", "linear:sends=in-order"),
    (Scatter, "ompi_linear_nb", "linear:sends=at-once"),
    (Allgather, "bruck", "bruck"),
    (Allgather, "NTSLR", "ring"),
    (Allgather, "pair", "pairwise-exchange"),
    (Allgather, "ring", "pairwise"),
    (Allgather, "spreading_simple", "linear"),
    (Allgatherv, "pair", "pairwise-exchange"),
    (Allgatherv, "ring", "pairwise"),
    (Allgatherv, "ompi_bruck", "bruck"),
    (Allgatherv, "mpich_rdb", "simgrid/rdb"),
    (Alltoall, "basic_linear", "linear"),
    (Alltoall, "bruck", "bruck"),
    (Alltoall, "pair", "pairwise-exchange"),
    (Alltoall, "ring", "pairwise"),
    (Alltoall, "mvapich2_scatter_dest", "batched:requests=4"),
    (Alltoallv, "bruck", "batched:requests=4"),
    (Alltoallv, "ompi_basic_linear", "rank-order"),
    (Alltoallv, "pair", "pairwise-exchange"),
    (Alltoallv, "ring", "simgrid/pair-or-ring"),
    (ReduceScatter, "mpich_pair", "pairwise"),
    (ReduceScatter, "ompi_basic_recursivehalving", "recursive-halving"),
    (ReduceScatter, "ompi_butterfly", "butterfly"),
    (ReduceScatter, "ompi_ring", "overlapped-ring"),
    (ReduceScatter, "mpich_rdb", "subtree-doubling"),
];

/// The user's text, with SimGrid's name replaced by ours: `simgrid/flattree` of bcast is `linear`. Like all names, SimGrid's
/// match in any case, with `-` for `_`.
pub(crate) fn spelled(collective: Collective, text: &str) -> Cow<'_, str> {
    let (name, parameters) = text.split_at(text.find(':').unwrap_or(text.len()));
    let same = |known: &str| {
        let given = name.trim().get("simgrid/".len()..).unwrap_or_default();
        known.eq_ignore_ascii_case(&given.replace('-', "_"))
    };
    // In SimGrid, MPI_Reduce_scatter_block is MPI_Reduce_scatter with equal counts.
    let collective = if collective == ReduceScatterBlock { ReduceScatter } else { collective };
    let is_simgrid = name.trim().to_ascii_lowercase().starts_with("simgrid/");
    match NAMES.iter().find(|&&(of, known, _)| is_simgrid && of == collective && same(known)) {
        Some((_, _, method)) => Cow::Owned(format!("{method}{parameters}")),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::performed::Performed;

    #[test]
    fn every_name_stands_for_an_algorithm_of_its_collective() {
        for &(collective, name, method) in NAMES {
            let method =
                crate::selectors::read_method(method).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(collective.knows(method.algorithm), "{collective} {name}");
        }
    }

    #[test]
    fn names_are_found_in_any_spelling() {
        assert_eq!(spelled(Bcast, "simgrid/flattree"), "linear");
        assert_eq!(spelled(Bcast, "simgrid/ntsl-isend:segment=4KiB"), "simgrid/ntsl:segment=4KiB");
        assert_eq!(spelled(Allreduce, "simgrid/smp-binomial"), "simgrid/smp-binomial");
        assert_eq!(spelled(Bcast, "flattree"), "flattree");
        assert_eq!(spelled(Bcast, "simgrid/none"), "simgrid/none");
    }
}
