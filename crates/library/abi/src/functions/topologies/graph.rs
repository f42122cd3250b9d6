//! Graphs that every process knows as a whole.

use super::{make, rank_in, size_of, topology_of, wrong_kind};
use crate::constants::*;
use crate::frame::outcome;
use crate::ground::arguments::{array, put, put_all, size};
use crate::ground::error::{Result, ensure};
use crate::objects::topology::Topology;
use crate::types::MPI_Comm;
use core::ffi::c_int;
use mpirage_data::Graph;

pub(crate) unsafe extern "C-unwind" fn MPI_Graph_create(
    comm_old: MPI_Comm,
    nnodes: c_int,
    index: *const c_int,
    edges: *const c_int,
    _reorder: c_int,
    comm_graph: *mut MPI_Comm,
) -> c_int {
    outcome(comm_old, || {
        // SAFETY: the program hands over an index of `nnodes` entries and as many edges as it says.
        let graph = unsafe { graph(comm_old, nnodes, index, edges) }?;
        let members = graph.size();
        let comm = make::of_first(comm_old, members, Topology::Graph(graph))?;
        // SAFETY: the program hands over a place for the handle.
        unsafe { put("comm_graph", comm_graph, comm) }
    })
}

/// Ranks are not reordered, so each keeps its number; ranks outside the graph get `MPI_UNDEFINED`.
pub(crate) unsafe extern "C-unwind" fn MPI_Graph_map(
    comm: MPI_Comm,
    nnodes: c_int,
    index: *const c_int,
    edges: *const c_int,
    newrank: *mut c_int,
) -> c_int {
    outcome(comm, || {
        // SAFETY: the program hands over an index of `nnodes` entries and as many edges as it says.
        let graph = unsafe { graph(comm, nnodes, index, edges) }?;
        let rank = rank_in(comm)?;
        let mapped = if rank < graph.size() { rank as c_int } else { MPI_UNDEFINED };
        // SAFETY: the program hands over a place for an int.
        unsafe { put("newrank", newrank, mapped) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Graphdims_get(
    comm: MPI_Comm,
    nnodes: *mut c_int,
    nedges: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let graph = graph_of(comm)?;
        // SAFETY: the program hands over places for two ints.
        unsafe {
            put("nnodes", nnodes, graph.size() as c_int)?;
            put("nedges", nedges, graph.edges().len() as c_int)
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Graph_get(
    comm: MPI_Comm,
    maxindex: c_int,
    maxedges: c_int,
    index: *mut c_int,
    edges: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let graph = graph_of(comm)?;
        check_room("maxindex", maxindex, graph.index().len())?;
        check_room("maxedges", maxedges, graph.edges().len())?;
        // SAFETY: the program hands over arrays of these lengths, which are enough.
        unsafe {
            put_all("index", index, graph.index().iter().map(|&end| end as c_int))?;
            put_all("edges", edges, graph.edges().iter().map(|&edge| edge as c_int))
        }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Graph_neighbors_count(
    comm: MPI_Comm,
    rank: c_int,
    nneighbors: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let count = graph_of(comm)?.neighbors(rank)?.len();
        // SAFETY: the program hands over a place for an int.
        unsafe { put("nneighbors", nneighbors, count as c_int) }
    })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Graph_neighbors(
    comm: MPI_Comm,
    rank: c_int,
    maxneighbors: c_int,
    neighbors: *mut c_int,
) -> c_int {
    outcome(comm, || {
        let graph = graph_of(comm)?;
        let found = graph.neighbors(rank)?;
        check_room("maxneighbors", maxneighbors, found.len())?;
        // SAFETY: the program hands over an array of `maxneighbors` entries, which are enough.
        unsafe { put_all("neighbors", neighbors, found.iter().map(|&rank| rank as c_int)) }
    })
}

fn graph_of(comm: MPI_Comm) -> Result<Graph> {
    match &*topology_of(comm)?.0 {
        Topology::Graph(graph) => Ok(graph.clone()),
        _ => Err(wrong_kind("a graph topology")),
    }
}

/// The graph that arguments describe, which must not have more nodes than the communicator has processes.
///
/// # Safety
/// Unless null, the index has `nnodes` entries, and there are as many edges as it says.
unsafe fn graph(comm: MPI_Comm, nnodes: c_int, index: *const c_int, edges: *const c_int) -> Result<Graph> {
    let (nodes, processes) = (size("nnodes", nnodes)?, size_of(comm)?);
    ensure(nodes <= processes as usize, MPI_ERR_ARG, || {
        format!("a graph of {nodes} nodes is larger than a communicator of {processes}")
    })?;
    // SAFETY: the caller vouches for it.
    let index = unsafe { array("index", index, nodes) }?;
    let count = index.last().map_or(Ok(0), |&last| size("the last entry of index", last))?;
    // SAFETY: the caller vouches for it.
    Ok(Graph::new(index, unsafe { array("edges", edges, count) }?)?)
}

pub(super) fn check_room(what: &str, room: c_int, needed: usize) -> Result<()> {
    let room = size(what, room)?;
    ensure(room >= needed, MPI_ERR_ARG, || format!("{what} is {room}, but there are {needed} entries"))
}
