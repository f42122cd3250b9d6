//! Collective communication (chapter 6 of the standard).

pub(crate) mod alltoall;
pub(crate) mod gather;
mod inter;
pub(crate) mod neighbor;
pub(crate) mod reduce;

use core::ffi::{c_int, c_void};
use mpirage_call::{Collective, ContextId, OnMismatch, Reduction};

use crate::constants::{MPI_BYTE, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TRUNCATE, MPI_IN_PLACE};
use crate::ground::arguments::{Number, array, count, numbers};
use crate::ground::error::{MpiError, Result, fail};
use crate::objects::Objects;
use crate::operations::collection::{Collection, Partners, Side};
use crate::operations::operation::{Operation, Step};
use crate::operations::region::{Region, displaced};
use crate::types::*;

/// The communicator of a collective, and the place of the rank in it.
#[derive(Clone, Copy)]
struct Membership {
    comm: MPI_Comm,
    context: ContextId,
    size: usize,
    rank: usize,
    on_mismatch: OnMismatch,
}

impl Membership {
    fn of(objects: &Objects, comm: MPI_Comm) -> Result<Membership> {
        let object = objects.comms.get(comm)?;
        let on_mismatch = objects.on_mismatch(comm);
        let (size, rank) = (object.size() as usize, object.rank as usize);
        Ok(Membership { comm, context: object.context, size, rank, on_mismatch })
    }

    /// The same, with the root that is named.
    fn with_root(objects: &Objects, comm: MPI_Comm, root: c_int) -> Result<(Membership, u32)> {
        let root = objects.comms.get(comm)?.member("root", root)?;
        Ok((Membership::of(objects, comm)?, root))
    }

    fn is(&self, root: u32) -> bool {
        self.rank == root as usize
    }

    fn operation(&self, kind: Collective, gives: Side, gets: Side) -> Operation {
        self.rooted(kind, 0, gives, gets, None)
    }

    fn rooted(
        &self,
        kind: Collective,
        root: u32,
        gives: Side,
        gets: Side,
        reduction: Option<Reduction>,
    ) -> Operation {
        self.among(kind, Partners::All, root, gives, gets, reduction)
    }

    /// The same with other partners than all ranks.
    fn among(
        &self,
        kind: Collective,
        partners: Partners,
        root: u32,
        gives: Side,
        gets: Side,
        reduction: Option<Reduction>,
    ) -> Operation {
        let &Membership { context, on_mismatch, .. } = self;
        let collection =
            Collection { kind, context, root, partners, gives, gets, reduction, plan: 0, on_mismatch };
        Operation::one(self.comm, Step::Collective(Box::new(collection)))
    }
}

/// A buffer with one block of `elements` for each of `ranks`.
fn equal(
    objects: &Objects,
    what: &str,
    buffer: *const c_void,
    elements: impl Number,
    datatype: MPI_Datatype,
    ranks: usize,
) -> Result<Side> {
    refuse_in_place(what, buffer)?;
    let elements = count("count", elements)?;
    let Some(all) = elements.checked_mul(ranks).and_then(|all| i64::try_from(all).ok()) else {
        fail!(MPI_ERR_COUNT, "count is {elements}, more than the memory of any machine holds");
    };
    let region = Region::of_arguments(&objects.datatypes, what, buffer, all, datatype)?;
    let bytes = region.bytes() / ranks.max(1);
    Ok(Side::equal(region, bytes))
}

/// A buffer with a block for each of `ranks`, of its own size and at its own place.
///
/// # Safety
/// Unless they are null, `counts` and `displs` have an entry for each of `ranks`.
unsafe fn varying(
    objects: &Objects,
    what: &str,
    buffer: *const c_void,
    counts: *const impl Number,
    displs: *const impl Number,
    datatype: MPI_Datatype,
    ranks: usize,
) -> Result<Side> {
    refuse_in_place(what, buffer)?;
    let datatype = objects.datatypes.committed(datatype)?;
    // SAFETY: the caller vouches for both.
    let (counts, displs) = unsafe { counts_and_displs(counts, displs, ranks)? };
    let block = |(&elements, &displacement): (&i64, &i64)| {
        let elements = count("a count", elements)?;
        if elements == 0 {
            return Region::new(buffer.addr(), 0, datatype);
        }
        let region = Region::new(displaced(buffer.addr(), displacement, datatype)?, elements, datatype)?;
        region.check_address(what)?;
        Ok(region)
    };
    Ok(Side::each(counts.iter().zip(&displs).map(block).collect::<Result<_>>()?))
}

/// The same with a datatype of its own for each block; displacements are bytes. Where there are no elements, the library ignores
/// the datatype, as in MPICH.
///
/// # Safety
/// Unless they are null, the arrays have an entry for each of `ranks`.
unsafe fn typed(
    objects: &Objects,
    what: &str,
    buffer: *const c_void,
    counts: *const impl Number,
    displs: *const impl Number,
    types: *const MPI_Datatype,
    ranks: usize,
) -> Result<Side> {
    refuse_in_place(what, buffer)?;
    // SAFETY: the caller vouches for all three.
    let (counts, displs) = unsafe { counts_and_displs(counts, displs, ranks)? };
    let empty = counts.iter().all(|&elements| elements == 0);
    let nothing = vec![MPI_BYTE; if empty { ranks } else { 0 }];
    // SAFETY: as above.
    let types = if empty { &nothing[..] } else { unsafe { array("types", types, ranks)? } };
    let block = |((&elements, &displacement), &datatype): ((&i64, &i64), &MPI_Datatype)| {
        let address = buffer.addr().wrapping_add_signed(displacement as isize);
        let datatype = objects.datatypes.committed(if elements == 0 { MPI_BYTE } else { datatype })?;
        Region::new(address, count("a count", elements)?, datatype)
    };
    Ok(Side::each(counts.iter().zip(&displs).zip(types).map(block).collect::<Result<_>>()?))
}

/// The number of elements for each rank and their places, which mean nothing if there are no elements at all.
///
/// # Safety
/// Unless they are null, both have an entry for each of `ranks`.
unsafe fn counts_and_displs(
    counts: *const impl Number,
    displs: *const impl Number,
    ranks: usize,
) -> Result<(Vec<i64>, Vec<i64>)> {
    // SAFETY: the caller vouches for it.
    let counts = unsafe { numbers("counts", counts, ranks) }?;
    if counts.iter().all(|&elements| elements == 0) {
        return Ok((counts, vec![0; ranks]));
    }
    // SAFETY: the caller vouches for it.
    let displs = unsafe { numbers("displs", displs, ranks) }?;
    Ok((counts, displs))
}

/// One region of this rank's own.
fn whole(
    objects: &Objects,
    what: &str,
    buffer: *const c_void,
    elements: impl Number,
    datatype: MPI_Datatype,
) -> Result<Side> {
    refuse_in_place(what, buffer)?;
    Region::of_arguments(&objects.datatypes, what, buffer, elements, datatype).map(Side::whole)
}

/// The data that a rank sends must fit into the block that receives it; each rank can check its own block.
fn fits(gives: &Region, gets: &Region) -> Result<()> {
    if gives.bytes() > gets.bytes() {
        let (sent, room) = (gives.bytes(), gets.bytes());
        fail!(MPI_ERR_TRUNCATE, "{sent} bytes are sent to a block of {room} bytes");
    }
    Ok(())
}

/// Send and receive buffers must not be the same memory.
fn apart(gives: &Side, gets: &Side) -> Result<()> {
    if gives.start().is_some() && gives.start() == gets.start() {
        fail!(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same memory; if that is meant, say MPI_IN_PLACE");
    }
    Ok(())
}

fn is_in_place(buffer: *const c_void) -> bool {
    buffer == MPI_IN_PLACE.cast_const()
}

fn refuse_in_place(what: &str, buffer: *const c_void) -> Result<()> {
    if is_in_place(buffer) {
        return Err(MpiError::new(
            MPI_ERR_BUFFER,
            format!("{what} is MPI_IN_PLACE, which it cannot be here"),
        ));
    }
    Ok(())
}
