//! Process topologies (chapter 8 of the standard).

pub(crate) mod cart;
pub(crate) mod dist_graph;
mod exchange;
pub(crate) mod graph;
mod make;

use crate::constants::{MPI_ERR_TOPOLOGY, MPI_UNDEFINED};
use crate::frame::outcome;
use crate::ground::arguments::put;
use crate::ground::error::{MpiError, Result};
use crate::objects::topology::Topology;
use crate::rank;
use crate::types::MPI_Comm;
use core::ffi::c_int;
use std::sync::Arc;

pub(crate) unsafe extern "C-unwind" fn MPI_Topo_test(comm: MPI_Comm, status: *mut c_int) -> c_int {
    outcome(comm, || {
        let kind = rank::try_with(|objects| {
            Ok(objects.comms.get(comm)?.topology.as_ref().map_or(MPI_UNDEFINED, |topology| topology.status()))
        })?;
        // SAFETY: the program hands over a place for an int.
        unsafe { put("status", status, kind) }
    })
}

/// The topology of a communicator that has one, and this process's rank.
fn topology_of(comm: MPI_Comm) -> Result<(Arc<Topology>, u32)> {
    rank::try_with(|objects| {
        let object = objects.comms.get(comm)?;
        let topology = object.topology.clone().ok_or_else(|| wrong_kind("a topology"))?;
        Ok((topology, object.rank))
    })
}

fn wrong_kind(expected: &str) -> MpiError {
    MpiError::new(MPI_ERR_TOPOLOGY, format!("the communicator does not have {expected}"))
}

fn size_of(comm: MPI_Comm) -> Result<u32> {
    rank::try_with(|objects| Ok(objects.comms.get(comm)?.size()))
}

fn rank_in(comm: MPI_Comm) -> Result<u32> {
    rank::try_with(|objects| Ok(objects.comms.get(comm)?.rank))
}
