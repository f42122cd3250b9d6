//! Graphs of which every process knows its own edges.

use super::graph::check_room;
use super::{exchange, make, size_of, topology_of, wrong_kind};
use crate::constants::*;
use crate::frame::outcome;
use crate::ground::arguments::{array, put, put_all, size};
use crate::ground::error::{MpiError, Result};
use crate::objects::topology::Topology;
use crate::rank;
use crate::types::{MPI_Comm, MPI_Info};
use core::ffi::c_int;
use mpirage_data::{Adjacency, Edge};

pub(crate) unsafe extern "C-unwind" fn MPI_Dist_graph_create_adjacent(
    comm_old: MPI_Comm,
    indegree: c_int,
    sources: *const c_int,
    sourceweights: *const c_int,
    outdegree: c_int,
    destinations: *const c_int,
    destweights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> c_int {
    outcome(comm_old, || {
        rank::with(|objects| objects.infos.hints(info))?;
        // SAFETY: the program hands over arrays of these lengths.
        let adjacency = unsafe {
            let (from, to) = (size("indegree", indegree)?, size("outdegree", outdegree)?);
            Adjacency::new(
                size_of(comm_old)?,
                array("sources", sources, from)?,
                weights("sourceweights", sourceweights, from)?,
                array("destinations", destinations, to)?,
                weights("destweights", destweights, to)?,
            )?
        };
        let comm = make::of_all(comm_old, Topology::DistGraph(adjacency))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("comm_dist_graph", comm_dist_graph, comm) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Dist_graph_create(
    comm_old: MPI_Comm,
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
    info: MPI_Info,
    _reorder: c_int,
    comm_dist_graph: *mut MPI_Comm,
) -> c_int {
    outcome(comm_old, || {
        rank::with(|objects| objects.infos.hints(info))?;
        // SAFETY: the program hands over arrays of these lengths.
        let own = unsafe { contributed(n, sources, degrees, destinations, weights) }?;
        let adjacency = dealt(comm_old, own)?;
        let comm = make::of_all(comm_old, Topology::DistGraph(adjacency))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("comm_dist_graph", comm_dist_graph, comm) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Dist_graph_neighbors_count(
    comm: MPI_Comm,
    indegree: *mut c_int,
    outdegree: *mut c_int,
    weighted: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let adjacency = adjacency_of(comm)?;
        // SAFETY: the program hands over places for three ints.
        unsafe {
            put("indegree", indegree, adjacency.sources.len() as c_int)?;
            put("outdegree", outdegree, adjacency.destinations.len() as c_int)?;
            put("weighted", weighted, adjacency.source_weights.is_some().into())
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Dist_graph_neighbors(
    comm: MPI_Comm,
    maxindegree: c_int,
    sources: *mut c_int,
    sourceweights: *mut c_int,
    maxoutdegree: c_int,
    destinations: *mut c_int,
    destweights: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let adjacency = adjacency_of(comm)?;
        check_room("maxindegree", maxindegree, adjacency.sources.len())?;
        check_room("maxoutdegree", maxoutdegree, adjacency.destinations.len())?;
        // SAFETY: the program hands over arrays of these lengths, which are enough.
        unsafe {
            put_all("sources", sources, adjacency.sources.iter().map(|&rank| rank as c_int))?;
            put_weights("sourceweights", sourceweights, adjacency.source_weights)?;
            put_all("destinations", destinations, adjacency.destinations.iter().map(|&rank| rank as c_int))?;
            put_weights("destweights", destweights, adjacency.destination_weights)
        }
    })
}

/// Edges that one process contributes.
struct Contribution {
    edges: Vec<Edge>,
    weighted: bool,
}

fn adjacency_of(comm: MPI_Comm) -> Result<Adjacency> {
    match &*topology_of(comm)?.0 {
        Topology::DistGraph(adjacency) => Ok(adjacency.clone()),
        _ => Err(wrong_kind("a distributed graph topology")),
    }
}

/// # Safety
/// Unless null, the arrays have the lengths that the arguments before them say.
unsafe fn contributed(
    n: c_int,
    sources: *const c_int,
    degrees: *const c_int,
    destinations: *const c_int,
    weights: *const c_int,
) -> Result<Contribution> {
    let n = size("n", n)?;
    // SAFETY: the caller vouches for it.
    let (sources, degrees) = unsafe { (array("sources", sources, n)?, array("degrees", degrees, n)?) };
    let degrees = degrees.iter().map(|&degree| size("a degree", degree)).collect::<Result<Vec<_>>>()?;
    let total = degrees.iter().sum();
    // SAFETY: the caller vouches for it.
    let destinations = unsafe { array("destinations", destinations, total) }?;
    // SAFETY: the caller vouches for it.
    let weights = unsafe { self::weights("weights", weights, total) }?;
    let starts =
        sources.iter().zip(degrees).flat_map(|(&source, degree)| core::iter::repeat_n(source, degree));
    let edges = starts.zip(destinations).enumerate().map(|(i, (source, &destination))| {
        let weight = weights.map_or(0, |weights| weights[i]);
        Ok(Edge { source: rank(source)?, destination: rank(destination)?, weight })
    });
    Ok(Contribution { edges: edges.collect::<Result<_>>()?, weighted: weights.is_some() })
}

/// Sends all edges to all ranks; each rank keeps the edges that it is an end of.
fn dealt(comm: MPI_Comm, own: Contribution) -> Result<Adjacency> {
    let words =
        own.edges.iter().flat_map(|edge| [edge.source as c_int, edge.destination as c_int, edge.weight]);
    let all = exchange::all_words(comm, &words.collect::<Vec<_>>())?;
    let edges = all.chunks_exact(3).map(|edge| Edge {
        source: edge[0] as u32,
        destination: edge[1] as u32,
        weight: edge[2],
    });
    let mut dealt = Adjacency::deal(size_of(comm)?, edges, own.weighted)?;
    Ok(dealt.swap_remove(super::rank_in(comm)? as usize))
}

/// None for `MPI_UNWEIGHTED`.
///
/// # Safety
/// Unless it is null or a constant of MPI, the array has `length` entries.
unsafe fn weights<'a>(what: &str, weights: *const c_int, length: usize) -> Result<Option<&'a [c_int]>> {
    if weights == MPI_UNWEIGHTED.cast_const() {
        return Ok(None);
    }
    if weights == MPI_WEIGHTS_EMPTY.cast_const() && length == 0 {
        return Ok(Some(&[]));
    }
    // SAFETY: the caller vouches for it.
    unsafe { array(what, weights, length) }.map(Some)
}

/// # Safety
/// Unless it is null or `MPI_UNWEIGHTED`, the array has room for the weights.
unsafe fn put_weights(what: &str, place: *mut c_int, weights: Option<Vec<c_int>>) -> Result<()> {
    match weights {
        // SAFETY: the caller vouches for it.
        Some(weights) if place != MPI_UNWEIGHTED => unsafe { put_all(what, place, weights.into_iter()) },
        _ => Ok(()),
    }
}

fn rank(rank: c_int) -> Result<u32> {
    u32::try_from(rank).map_err(|_| MpiError::new(MPI_ERR_RANK, format!("an edge has rank {rank} as an end")))
}
