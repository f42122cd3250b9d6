//! Communicators with a topology. Ranks keep their order: we never reorder.

use crate::constants::MPI_COMM_NULL;
use crate::functions::communicators::make_object;
use crate::ground::error::Result;
use crate::objects::comm::Comm;
use crate::objects::topology::Topology;
use crate::rank;
use crate::types::MPI_Comm;
use mpirage_call::CommRequest;
use std::sync::Arc;

/// Of the first `members` ranks; the others get `MPI_COMM_NULL`.
pub(super) fn of_first(parent: MPI_Comm, members: u32, topology: Topology) -> Result<MPI_Comm> {
    let rank = super::rank_in(parent)?;
    let color = (rank < members).then_some(0);
    with_topology(parent, CommRequest::Split { color, key: rank as i32 }, topology)
}

/// Of the ranks that name the same `slice`, in the order of their `rank` there.
pub(super) fn of_slice(parent: MPI_Comm, slice: u32, rank: u32, topology: Topology) -> Result<MPI_Comm> {
    with_topology(parent, CommRequest::Split { color: Some(slice as i32), key: rank as i32 }, topology)
}

/// Of all ranks.
pub(super) fn of_all(parent: MPI_Comm, topology: Topology) -> Result<MPI_Comm> {
    with_topology(parent, CommRequest::Dup, topology)
}

fn with_topology(parent: MPI_Comm, how: CommRequest<'_>, topology: Topology) -> Result<MPI_Comm> {
    let Some(made) = make_object(parent, how)? else { return Ok(MPI_COMM_NULL) };
    let comm = Comm { topology: Some(Arc::new(topology)), ..made };
    Ok(rank::with(|objects| objects.comms.insert(comm)))
}
