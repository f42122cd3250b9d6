//! All-to-all exchanges.

use core::ffi::{c_int, c_void};
use mpirage_call::Collective;

use super::inter::Inter;
use super::{Membership, apart, equal, fits, is_in_place, typed, varying};
use crate::frame;
use crate::functions::forms::{argument, collective, collectives, operation};
use crate::ground::arguments::{Number, put};
use crate::ground::error::Result;
use crate::operations::collection::Side;
use crate::operations::operation::Operation;
use crate::operations::perform;
use crate::rank::with;
use crate::types::*;

collectives! {
    alltoall(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
             recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let (place, inter) = (Membership::of(objects, comm)?, Inter::of(objects, comm)?);
            let ranks = inter.as_ref().map_or(place.size, Inter::remote);
            let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, ranks)?;
            let gives = match is_in_place(sendbuf) {
                true => gets.clone().copied().in_place(),
                false => equal(objects, "sendbuf", sendbuf, sendcount, sendtype, ranks)?,
            };
            exchanged(&place, inter, Collective::Alltoall, gives, gets)
        })
    }:
        MPI_Alltoall MPI_Ialltoall MPI_Alltoall_init MPI_Alltoall_c MPI_Ialltoall_c MPI_Alltoall_init_c;

    alltoallv(sendbuf: ConstBuffer, sendcounts: Counts, sdispls: Displs, sendtype: MPI_Datatype,
              recvbuf: Buffer, recvcounts: Counts, rdispls: Displs, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            let (place, inter) = (Membership::of(objects, comm)?, Inter::of(objects, comm)?);
            let ranks = inter.as_ref().map_or(place.size, Inter::remote);
            // SAFETY: the caller vouches for the arrays.
            let gets = unsafe { varying(objects, "recvbuf", recvbuf, recvcounts, rdispls, recvtype, ranks) }?;
            let gives = match is_in_place(sendbuf) {
                true => gets.clone().copied().in_place(),
                false => {
                    // SAFETY: the caller vouches for the arrays.
                    unsafe { varying(objects, "sendbuf", sendbuf, sendcounts, sdispls, sendtype, ranks) }?
                }
            };
            exchanged(&place, inter, Collective::Alltoallv, gives, gets)
        })
    }:
        MPI_Alltoallv MPI_Ialltoallv MPI_Alltoallv_init MPI_Alltoallv_c MPI_Ialltoallv_c MPI_Alltoallv_init_c;

    alltoallw(sendbuf: ConstBuffer, sendcounts: Counts, sdispls: Displs, sendtypes: Types,
              recvbuf: Buffer, recvcounts: Counts, rdispls: Displs, recvtypes: Types; comm) {
        with(|objects| {
            let (place, inter) = (Membership::of(objects, comm)?, Inter::of(objects, comm)?);
            let ranks = inter.as_ref().map_or(place.size, Inter::remote);
            // SAFETY: the caller vouches for the arrays.
            let gets = unsafe { typed(objects, "recvbuf", recvbuf, recvcounts, rdispls, recvtypes, ranks) }?;
            let gives = match is_in_place(sendbuf) {
                true => gets.clone().copied().in_place(),
                false => {
                    // SAFETY: the caller vouches for the arrays.
                    unsafe { typed(objects, "sendbuf", sendbuf, sendcounts, sdispls, sendtypes, ranks) }?
                }
            };
            exchanged(&place, inter, Collective::Alltoallw, gives, gets)
        })
    }:
        MPI_Alltoallw MPI_Ialltoallw MPI_Alltoallw_init MPI_Alltoallw_c MPI_Ialltoallw_c MPI_Alltoallw_init_c;
}

fn exchanged(
    place: &Membership,
    inter: Option<Inter>,
    kind: Collective,
    gives: Side,
    gets: Side,
) -> Result<Operation> {
    if !gives.aliased {
        apart(&gives, &gets)?;
    }
    if let Some(inter) = inter {
        return Ok(inter.both_ways(kind, gives, gets));
    }
    fits(&gives.block_of(place.rank, place.size)?, &gets.block_of(place.rank, place.size)?)?;
    Ok(place.operation(kind, gives, gets))
}
