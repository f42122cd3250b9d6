//! Collectives among the neighbours of a topology: a message along every edge.
//!
//! The messages have a tag that no program can name, and several edges between two ranks keep their order.

use core::ffi::{c_int, c_void};

use mpirage_call::{ContextId, SendMode};

use super::{equal, typed, varying, whole};
use crate::arguments::{Number, put};
use crate::collection::Side;
use crate::constants::MPI_ERR_TOPOLOGY;
use crate::error::{Result, fail};
use crate::frame;
use crate::functions::forms::{argument, collective, collectives, operation};
use crate::message::{Incoming, Outgoing};
use crate::objects::Objects;
use crate::objects::topology::{Neighbors, Topology};
use crate::operation::{Operation, Step, Steps};
use crate::perform;
use crate::rank::with;
use crate::region::Region;
use crate::types::*;

collectives! {
    allgather(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
              recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let gives = whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?;
            let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, here.sources())?;
            here.exchange(&gives, &gets)
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
            here.exchange(&gives, &gets)
        })
    }:
        MPI_Neighbor_allgatherv MPI_Ineighbor_allgatherv MPI_Neighbor_allgatherv_init MPI_Neighbor_allgatherv_c MPI_Ineighbor_allgatherv_c MPI_Neighbor_allgatherv_init_c;

    alltoall(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
             recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let here = Neighborhood::of(objects, comm)?;
            let gives = equal(objects, "sendbuf", sendbuf, sendcount, sendtype, here.destinations())?;
            let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, here.sources())?;
            here.exchange(&gives, &gets)
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
            here.exchange(&gives, &gets)
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
            here.exchange(&gives, &gets)
        })
    }:
        MPI_Neighbor_alltoallw MPI_Ineighbor_alltoallw MPI_Neighbor_alltoallw_init MPI_Neighbor_alltoallw_c MPI_Ineighbor_alltoallw_c MPI_Neighbor_alltoallw_init_c;
}

/// The tag of these messages. Programs have tags from 0 up, and wildcards mean only those.
///
/// In a grid the two neighbours of a dimension may be one rank. Then what it sends up is what comes from below, so there
/// tags go down from here by direction.
const TAG: i32 = -7;

/// This rank among its neighbours.
struct Neighborhood {
    comm: MPI_Comm,
    context: ContextId,
    neighbors: Neighbors,
    grid: bool,
}

impl Neighborhood {
    fn of(objects: &Objects, comm: MPI_Comm) -> Result<Neighborhood> {
        let object = objects.comms.get(comm)?;
        let Some(topology) = &object.topology else {
            fail!(MPI_ERR_TOPOLOGY, "{} has no topology", object.title());
        };
        let neighbors = topology.neighbors(object.rank)?;
        let grid = matches!(**topology, Topology::Cart(_));
        Ok(Neighborhood { comm, context: object.context, neighbors, grid })
    }

    fn sources(&self) -> usize {
        self.neighbors.sources.len()
    }

    fn destinations(&self) -> usize {
        self.neighbors.destinations.len()
    }

    /// Receives the blocks of `gets` from the sources and sends those of `gives` to the destinations.
    fn exchange(&self, gives: &Side, gets: &Side) -> Result<Operation> {
        let mut steps = Steps::with_capacity(self.sources() + self.destinations());
        for (index, source) in self.neighbors.sources.iter().enumerate() {
            if let Some(from) = *source {
                steps.push(Step::Receive(self.incoming(
                    from,
                    self.tag(index ^ 1),
                    gets.block_of(index, self.sources())?,
                )));
            }
        }
        for (index, destination) in self.neighbors.destinations.iter().enumerate() {
            if let Some(to) = *destination {
                steps.push(Step::Send(self.outgoing(
                    to,
                    self.tag(index),
                    gives.block_of(index, self.destinations())?,
                )));
            }
        }
        Ok(Operation { comm: self.comm, steps, collective: true })
    }

    /// The tag of what goes in the direction `index`.
    fn tag(&self, index: usize) -> i32 {
        if self.grid { TAG - index as i32 } else { TAG }
    }

    fn incoming(&self, from: u32, tag: i32, region: Region) -> Incoming {
        Incoming {
            context: self.context,
            from: Some(from),
            tag: Some(tag),
            region,
            matched: None,
            bridge: None,
        }
    }

    fn outgoing(&self, to: u32, tag: i32, region: Region) -> Outgoing {
        Outgoing { mode: SendMode::Standard, context: self.context, to, tag, region, copy: None }
    }
}
