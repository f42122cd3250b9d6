//! Barrier, broadcast, gathering and scattering.

use core::ffi::{c_int, c_void};
use mpirage_call::Collective;

use super::inter::Inter;
use super::{Membership, apart, equal, fits, is_in_place, varying, whole};
use crate::frame;
use crate::functions::forms::{argument, collective, collectives, operation};
use crate::ground::arguments::{Number, put};
use crate::ground::error::Result;
use crate::objects::Objects;
use crate::operations::collection::Side;
use crate::operations::operation::Operation;
use crate::operations::perform;
use crate::rank::with;
use crate::types::*;

collectives! {
    barrier(; comm) {
        with(|objects| {
            if let Some(inter) = Inter::of(objects, comm)? {
                return Ok(inter.both_ways(Collective::Barrier, Side::nothing(), Side::nothing()));
            }
            let place = Membership::of(objects, comm)?;
            Ok(place.operation(Collective::Barrier, Side::nothing(), Side::nothing()))
        })
    }:
        MPI_Barrier MPI_Ibarrier MPI_Barrier_init;

    bcast(buffer: Buffer, count: Count, datatype: MPI_Datatype, root: c_int; comm) {
        with(|objects| {
            if let Some(inter) = Inter::with_root(objects, comm, root)? {
                let data = || whole(objects, "buffer", buffer, count, datatype);
                return inter.root_gives(Collective::Bcast, |_| data(), data);
            }
            let (place, root) = Membership::with_root(objects, comm, root)?;
            let data = whole(objects, "buffer", buffer, count, datatype)?;
            let (gives, gets) = if place.is(root) { (data, Side::nothing()) } else { (Side::nothing(), data) };
            Ok(place.rooted(Collective::Bcast, root, gives, gets, None))
        })
    }:
        MPI_Bcast MPI_Ibcast MPI_Bcast_init MPI_Bcast_c MPI_Ibcast_c MPI_Bcast_init_c;

    gather(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
           recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype, root: c_int; comm) {
        let blocks = |objects: &Objects, ranks| equal(objects, "recvbuf", recvbuf, recvcount, recvtype, ranks);
        gathered(Collective::Gather, (sendbuf, sendcount, sendtype), root, comm, blocks)
    }:
        MPI_Gather MPI_Igather MPI_Gather_init MPI_Gather_c MPI_Igather_c MPI_Gather_init_c;

    gatherv(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
            recvbuf: Buffer, recvcounts: Counts, displs: Displs, recvtype: MPI_Datatype, root: c_int; comm) {
        // SAFETY: the caller vouches for the arrays.
        let blocks = |objects: &Objects, ranks| unsafe {
            varying(objects, "recvbuf", recvbuf, recvcounts, displs, recvtype, ranks)
        };
        gathered(Collective::Gatherv, (sendbuf, sendcount, sendtype), root, comm, blocks)
    }:
        MPI_Gatherv MPI_Igatherv MPI_Gatherv_init MPI_Gatherv_c MPI_Igatherv_c MPI_Gatherv_init_c;

    scatter(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
            recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype, root: c_int; comm) {
        let blocks = |objects: &Objects, ranks| equal(objects, "sendbuf", sendbuf, sendcount, sendtype, ranks);
        scattered(Collective::Scatter, (recvbuf, recvcount, recvtype), root, comm, blocks)
    }:
        MPI_Scatter MPI_Iscatter MPI_Scatter_init MPI_Scatter_c MPI_Iscatter_c MPI_Scatter_init_c;

    scatterv(sendbuf: ConstBuffer, sendcounts: Counts, displs: Displs, sendtype: MPI_Datatype,
             recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype, root: c_int; comm) {
        // SAFETY: the caller vouches for the arrays.
        let blocks = |objects: &Objects, ranks| unsafe {
            varying(objects, "sendbuf", sendbuf, sendcounts, displs, sendtype, ranks)
        };
        scattered(Collective::Scatterv, (recvbuf, recvcount, recvtype), root, comm, blocks)
    }:
        MPI_Scatterv MPI_Iscatterv MPI_Scatterv_init MPI_Scatterv_c MPI_Iscatterv_c MPI_Scatterv_init_c;

    allgather(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
              recvbuf: Buffer, recvcount: Count, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            if let Some(inter) = Inter::of(objects, comm)? {
                let gives = whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?;
                let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, inter.remote())?;
                return Ok(inter.both_ways(Collective::Allgather, gives, gets));
            }
            let place = Membership::of(objects, comm)?;
            let gets = equal(objects, "recvbuf", recvbuf, recvcount, recvtype, place.size)?;
            let gives = own_block(objects, (sendbuf, sendcount, sendtype), &gets, &place)?;
            Ok(place.operation(Collective::Allgather, gives, gets))
        })
    }:
        MPI_Allgather MPI_Iallgather MPI_Allgather_init MPI_Allgather_c MPI_Iallgather_c MPI_Allgather_init_c;

    allgatherv(sendbuf: ConstBuffer, sendcount: Count, sendtype: MPI_Datatype,
               recvbuf: Buffer, recvcounts: Counts, displs: Displs, recvtype: MPI_Datatype; comm) {
        with(|objects| {
            if let Some(inter) = Inter::of(objects, comm)? {
                let (gives, ranks) = (whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?, inter.remote());
                // SAFETY: the caller vouches for the arrays.
                let gets = unsafe { varying(objects, "recvbuf", recvbuf, recvcounts, displs, recvtype, ranks) }?;
                return Ok(inter.both_ways(Collective::Allgatherv, gives, gets));
            }
            let place = Membership::of(objects, comm)?;
            // SAFETY: the caller vouches for the arrays.
            let gets = unsafe { varying(objects, "recvbuf", recvbuf, recvcounts, displs, recvtype, place.size) }?;
            let gives = own_block(objects, (sendbuf, sendcount, sendtype), &gets, &place)?;
            Ok(place.operation(Collective::Allgatherv, gives, gets))
        })
    }:
        MPI_Allgatherv MPI_Iallgatherv MPI_Allgatherv_init MPI_Allgatherv_c MPI_Iallgatherv_c MPI_Allgatherv_init_c;
}

/// A gather whose blocks at the root are those that `blocks` tells.
fn gathered(
    kind: Collective,
    (sendbuf, sendcount, sendtype): (*const c_void, impl Number, MPI_Datatype),
    root: c_int,
    comm: MPI_Comm,
    blocks: impl FnOnce(&Objects, usize) -> Result<Side>,
) -> Result<Operation> {
    with(|objects| {
        if let Some(inter) = Inter::with_root(objects, comm, root)? {
            let given = || whole(objects, "sendbuf", sendbuf, sendcount, sendtype);
            return inter.root_gets(kind, |ranks| blocks(objects, ranks), given);
        }
        let (place, root) = Membership::with_root(objects, comm, root)?;
        if !place.is(root) {
            let gives = whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?;
            return Ok(place.rooted(kind, root, gives, Side::nothing(), None));
        }
        let gets = blocks(objects, place.size)?;
        let gives = own_block(objects, (sendbuf, sendcount, sendtype), &gets, &place)?;
        Ok(place.rooted(kind, root, gives, gets, None))
    })
}

/// A scatter whose blocks at the root are those that `blocks` tells.
fn scattered(
    kind: Collective,
    (recvbuf, recvcount, recvtype): (*mut c_void, impl Number, MPI_Datatype),
    root: c_int,
    comm: MPI_Comm,
    blocks: impl FnOnce(&Objects, usize) -> Result<Side>,
) -> Result<Operation> {
    with(|objects| {
        if let Some(inter) = Inter::with_root(objects, comm, root)? {
            let got = || whole(objects, "recvbuf", recvbuf, recvcount, recvtype);
            return inter.root_gives(kind, |ranks| blocks(objects, ranks), got);
        }
        let (place, root) = Membership::with_root(objects, comm, root)?;
        let gives = if place.is(root) { blocks(objects, place.size)? } else { Side::nothing() };
        let gets = match place.is(root) && is_in_place(recvbuf) {
            true => Side::whole(gives.block_of(place.rank, place.size)?).unstored().in_place(),
            false => whole(objects, "recvbuf", recvbuf, recvcount, recvtype)?,
        };
        if place.is(root) {
            apart(&gives, &gets)?;
            fits(&gives.block_of(place.rank, place.size)?, &gets.block_of(0, 1)?)?;
        }
        Ok(place.rooted(kind, root, gives, gets, None))
    })
}

/// This rank's contribution to a gather, which may be in its block of the receive buffer already.
fn own_block(
    objects: &Objects,
    (sendbuf, sendcount, sendtype): (*const c_void, impl Number, MPI_Datatype),
    gets: &Side,
    place: &Membership,
) -> Result<Side> {
    let block = gets.block_of(place.rank, place.size)?;
    if is_in_place(sendbuf) {
        return Ok(Side::whole(block).in_place());
    }
    let gives = whole(objects, "sendbuf", sendbuf, sendcount, sendtype)?;
    apart(&gives, gets)?;
    apart(&gives, &Side::whole(block.clone()))?;
    fits(&gives.block_of(0, 1)?, &block)?;
    Ok(gives)
}
