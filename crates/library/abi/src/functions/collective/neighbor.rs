//! Collectives among the neighbours of a topology.

use core::ffi::{c_int, c_void};
use mpirage_call::Collective;

use super::{Membership, equal, typed, varying, whole};
use crate::constants::MPI_ERR_TOPOLOGY;
use crate::frame;
use crate::functions::forms::{argument, collective, collectives, operation};
use crate::ground::arguments::{Number, put};
use crate::ground::error::{Result, fail};
use crate::objects::Objects;
use crate::objects::topology::{Edges, Neighbor, Neighbors};
use crate::operations::collection::{Cut, Partners, Side};
use crate::operations::operation::Operation;
use crate::operations::perform;
use crate::rank::with;
use crate::types::*;

collectives! {
    allgather(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
              recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let gives = whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?;
            let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, here.sources())?;
            here.exchange(Collective::NeighborAllgather, gives, gets)
        })
    }:
        MPI_Neighbor_allgather MPI_Ineighbor_allgather MPI_Neighbor_allgather_init MPI_Neighbor_allgather_c MPI_Ineighbor_allgather_c MPI_Neighbor_allgather_init_c;

    allgatherv(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
               recvbuf: Buffer, recvcounts: Counts, displs: Displs, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let gives = whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?;
            // SAFETY: the caller vouches for the arrays.
            let gets =
                unsafe { varying(objects, "recvbuf", recvbuf, recvcounts, displs, recvtype, here.sources()) }?;
            here.exchange(Collective::NeighborAllgatherv, gives, gets)
        })
    }:
        MPI_Neighbor_allgatherv MPI_Ineighbor_allgatherv MPI_Neighbor_allgatherv_init MPI_Neighbor_allgatherv_c MPI_Ineighbor_allgatherv_c MPI_Neighbor_allgatherv_init_c;

    alltoall(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
             recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let gives = equal(objects, "sendbuf", sendbuf, sendcount, sendtype, here.destinations())?;
            let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, here.sources())?;
            here.exchange(Collective::NeighborAlltoall, gives, gets)
        })
    }:
        MPI_Neighbor_alltoall MPI_Ineighbor_alltoall MPI_Neighbor_alltoall_init MPI_Neighbor_alltoall_c MPI_Ineighbor_alltoall_c MPI_Neighbor_alltoall_init_c;

    alltoallv(sendbuf: ConstBuffer, sendcounts: Counts, sdispls: Displs, sendtype: MPI_Datatype,
              recvbuf: Buffer, recvcounts: Counts, rdispls: Displs, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let (sources, destinations) = (here.sources(), here.destinations());
            // SAFETY: the caller vouches for the arrays.
            let (gives, gets) = unsafe {
                (
                    varying(objects, "sendbuf", sendbuf, sendcounts, sdispls, sendtype, destinations)?,
                    varying(objects, "recvbuf", recvbuf, recvcounts, rdispls, recvtype, sources)?,
                )
            };
            here.exchange(Collective::NeighborAlltoallv, gives, gets)
        })
    }:
        MPI_Neighbor_alltoallv MPI_Ineighbor_alltoallv MPI_Neighbor_alltoallv_init MPI_Neighbor_alltoallv_c MPI_Ineighbor_alltoallv_c MPI_Neighbor_alltoallv_init_c;

    alltoallw(sendbuf: ConstBuffer, sendcounts: Counts, sdispls: Addresses, sendtypes: Types,
              recvbuf: Buffer, recvcounts: Counts, rdispls: Addresses, recvtypes: Types; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let (sources, destinations) = (here.sources(), here.destinations());
            // SAFETY: the caller vouches for the arrays.
            let (gives, gets) = unsafe {
                (
                    typed(objects, "sendbuf", sendbuf, sendcounts, sdispls, sendtypes, destinations)?,
                    typed(objects, "recvbuf", recvbuf, recvcounts, rdispls, recvtypes, sources)?,
                )
            };
            here.exchange(Collective::NeighborAlltoallw, gives, gets)
        })
    }:
        MPI_Neighbor_alltoallw MPI_Ineighbor_alltoallw MPI_Neighbor_alltoallw_init MPI_Neighbor_alltoallw_c MPI_Ineighbor_alltoallw_c MPI_Neighbor_alltoallw_init_c;
}

/// This rank among its neighbours.
struct Neighborhood {
    place: Membership,
    neighbors: Neighbors,
}

impl Neighborhood {
    fn of(objects: &Objects, comm: MPI_Comm) -> Result<Neighborhood> {
        let object = objects.comms.get(comm)?;
        let Some(topology) = &object.topology else {
            fail!(MPI_ERR_TOPOLOGY, "{} has no topology", object.title());
        };
        Ok(Neighborhood {
            place: Membership::of(objects, comm)?,
            neighbors: topology.neighbors(object.rank)?,
        })
    }

    fn sources(&self) -> usize {
        self.neighbors.sources.blocks
    }

    fn destinations(&self) -> usize {
        self.neighbors.destinations.blocks
    }

    /// Receives the blocks of `gets` from the sources and sends those of `gives` to the destinations.
    fn exchange(&self, kind: Collective, gives: Side, gets: Side) -> Result<Operation> {
        let Neighbors { sources, destinations } = &self.neighbors;
        let (gives, gets) = (destinations.arranged(gives)?, sources.arranged(gets)?);
        let partners = Partners::Neighbors { sources: sources.ranks(), destinations: destinations.ranks() };
        Ok(self.place.among(kind, partners, 0, gives, gets, None))
    }
}

impl Edges {
    /// The blocks of a buffer in the order of the neighbours they belong to. A whole buffer is for all of them.
    fn arranged(&self, side: Side) -> Result<Side> {
        if side.cut == Cut::Whole || self.is_in_order() {
            return Ok(side);
        }
        let block = |neighbor: &Neighbor| side.block_of(neighbor.block, self.blocks);
        Ok(Side::each(self.neighbors.iter().map(block).collect::<Result<_>>()?))
    }
}
