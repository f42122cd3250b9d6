//! Reductions and scans.

use core::ffi::{c_int, c_void};
use mpirage_call::{Collective, Reduction};

use super::inter::{Inter, Root};
use super::{Membership, apart, is_in_place, whole};
use crate::constants::{MPI_ERR_COMM, MPI_ERR_COUNT};
use crate::frame;
use crate::functions::forms::{argument, collective, collectives, operation};
use crate::ground::arguments::{Number, count, numbers, put};
use crate::ground::error::{Result, fail};
use crate::objects::Objects;
use crate::operations::collection::Side;
use crate::operations::operation::Operation;
use crate::operations::perform;
use crate::rank::with;
use crate::types::*;

collectives! {
    reduce(sendbuf: ConstBuffer, recvbuf: Buffer, count: Count, datatype: MPI_Datatype, op: MPI_Op, root: c_int; comm) {
        let vectors = Vectors { sendbuf, recvbuf, count, datatype, op };
        with(|objects| {
            if let Some(inter) = Inter::with_root(objects, comm, root)? {
                return vectors.reduced_to_root(objects, &inter);
            }
            let (place, root) = Membership::with_root(objects, comm, root)?;
            let gets = if place.is(root) { vectors.got(objects)? } else { Side::nothing() };
            vectors.operation(objects, &place, Collective::Reduce, root, gets)
        })
    }:
        MPI_Reduce MPI_Ireduce MPI_Reduce_init MPI_Reduce_c MPI_Ireduce_c MPI_Reduce_init_c;

    allreduce(sendbuf: ConstBuffer, recvbuf: Buffer, count: Count, datatype: MPI_Datatype, op: MPI_Op; comm) {
        everywhere(Collective::Allreduce, Vectors { sendbuf, recvbuf, count, datatype, op }, comm)
    }:
        MPI_Allreduce MPI_Iallreduce MPI_Allreduce_init MPI_Allreduce_c MPI_Iallreduce_c MPI_Allreduce_init_c;

    scan(sendbuf: ConstBuffer, recvbuf: Buffer, count: Count, datatype: MPI_Datatype, op: MPI_Op; comm) {
        everywhere(Collective::Scan, Vectors { sendbuf, recvbuf, count, datatype, op }, comm)
    }:
        MPI_Scan MPI_Iscan MPI_Scan_init MPI_Scan_c MPI_Iscan_c MPI_Scan_init_c;

    exscan(sendbuf: ConstBuffer, recvbuf: Buffer, count: Count, datatype: MPI_Datatype, op: MPI_Op; comm) {
        everywhere(Collective::Exscan, Vectors { sendbuf, recvbuf, count, datatype, op }, comm)
    }:
        MPI_Exscan MPI_Iexscan MPI_Exscan_init MPI_Exscan_c MPI_Iexscan_c MPI_Exscan_init_c;

    reduce_scatter(sendbuf: ConstBuffer, recvbuf: Buffer, recvcounts: Counts, datatype: MPI_Datatype, op: MPI_Op; comm) {
        with(|objects| {
            let place = Membership::of(objects, comm)?;
            // SAFETY: the caller vouches for the array.
            let counts = unsafe { numbers("recvcounts", recvcounts, place.size) }?;
            let counts: Vec<usize> =
                counts.iter().map(|&n| count("a receive count", n)).collect::<Result<_>>()?;
            let all = total(&counts)?;
            let own = counts[place.rank] as i64;
            let bytes_each = objects.datatypes.committed(datatype)?.size();
            let share = whole(objects, "recvbuf", recvbuf, own, datatype)?.block_of(0, 1)?;
            let vectors = Vectors { sendbuf, recvbuf, count: all, datatype, op };
            let gets = Side::share(share, counts.iter().map(|count| count * bytes_each).collect());
            if let Some(inter) = Inter::of(objects, comm)? {
                return vectors.across(objects, &inter, Collective::ReduceScatter, gets);
            }
            vectors.operation(objects, &place, Collective::ReduceScatter, 0, gets)
        })
    }:
        MPI_Reduce_scatter MPI_Ireduce_scatter MPI_Reduce_scatter_init MPI_Reduce_scatter_c MPI_Ireduce_scatter_c MPI_Reduce_scatter_init_c;

    reduce_scatter_block(sendbuf: ConstBuffer, recvbuf: Buffer, recvcount: Count, datatype: MPI_Datatype, op: MPI_Op; comm) {
        with(|objects| {
            let place = Membership::of(objects, comm)?;
            let all = total(&vec![count("recvcount", recvcount)?; place.size])?;
            let gets = whole(objects, "recvbuf", recvbuf, recvcount, datatype)?;
            let vectors = Vectors { sendbuf, recvbuf, count: all, datatype, op };
            if let Some(inter) = Inter::of(objects, comm)? {
                return vectors.across(objects, &inter, Collective::ReduceScatterBlock, gets);
            }
            vectors.operation(objects, &place, Collective::ReduceScatterBlock, 0, gets)
        })
    }:
        MPI_Reduce_scatter_block MPI_Ireduce_scatter_block MPI_Reduce_scatter_block_init MPI_Reduce_scatter_block_c MPI_Ireduce_scatter_block_c MPI_Reduce_scatter_block_init_c;
}

/// The vector that is reduced, and the operator.
#[derive(Clone, Copy)]
struct Vectors<Count> {
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
}

impl<Count: Number> Vectors<Count> {
    /// This rank's contribution, which may be in the receive buffer.
    fn given(&self, objects: &Objects) -> Result<Side> {
        match is_in_place(self.sendbuf) {
            true => Ok(self.got(objects)?.in_place()),
            false => whole(objects, "sendbuf", self.sendbuf, self.count, self.datatype),
        }
    }

    /// Refuses a send buffer that is the receive buffer, unless `MPI_IN_PLACE` says so.
    fn apart(&self, objects: &Objects) -> Result<()> {
        match is_in_place(self.sendbuf) {
            true => Ok(()),
            false => apart(&self.given(objects)?, &self.got(objects)?),
        }
    }

    fn got(&self, objects: &Objects) -> Result<Side> {
        whole(objects, "recvbuf", self.recvbuf, self.count, self.datatype)
    }

    fn reduction(&self, objects: &mut Objects) -> Result<Reduction> {
        objects.reduction(self.op, count("count", self.count)?, self.datatype)
    }

    /// The root of an inter-communicator gets what the other side's vectors combine to.
    fn reduced_to_root(&self, objects: &mut Objects, inter: &Inter) -> Result<Operation> {
        let (gives, gets) = match inter.root() {
            Root::Beside => {
                return Ok(inter.rooted(Collective::Reduce, Side::nothing(), Side::nothing(), None));
            }
            Root::Here => (Side::nothing(), self.got(objects)?),
            Root::There(_) => (self.given(objects)?, Side::nothing()),
        };
        let reduction = self.reduction(objects)?;
        Ok(inter.rooted(Collective::Reduce, gives, gets, Some(reduction)))
    }

    /// This rank's result combines the vectors of the other side, and the other way round.
    fn across(
        &self,
        objects: &mut Objects,
        inter: &Inter,
        kind: Collective,
        gets: Side,
    ) -> Result<Operation> {
        let gives = self.given(objects)?;
        let reduction = self.reduction(objects)?;
        Ok(inter.reduced(kind, gives, gets, reduction))
    }

    /// The operation in which this rank gets `gets`.
    fn operation(
        &self,
        objects: &mut Objects,
        place: &Membership,
        kind: Collective,
        root: u32,
        gets: Side,
    ) -> Result<Operation> {
        let gives = self.given(objects)?;
        if !is_in_place(self.sendbuf) {
            apart(&gives, &gets)?;
        }
        let reduction = self.reduction(objects)?;
        Ok(place.rooted(kind, root, gives, gets, Some(reduction)))
    }
}

/// A reduction whose result all ranks get; an exclusive scan gives the first rank nothing.
fn everywhere(kind: Collective, vectors: Vectors<impl Number>, comm: MPI_Comm) -> Result<Operation> {
    with(|objects| {
        if let Some(inter) = Inter::of(objects, comm)? {
            if kind != Collective::Allreduce {
                fail!(MPI_ERR_COMM, "scans are of one group, but the communicator is an inter-communicator");
            }
            let gets = vectors.got(objects)?;
            return vectors.across(objects, &inter, kind, gets);
        }
        let place = Membership::of(objects, comm)?;
        let gets = match (kind, place.rank) {
            (Collective::Exscan, 0) => {
                vectors.apart(objects)?;
                vectors.given(objects)?.unstored()
            }
            _ => vectors.got(objects)?,
        };
        vectors.operation(objects, &place, kind, 0, gets)
    })
}

fn total(counts: &[usize]) -> Result<i64> {
    let sum = counts.iter().try_fold(0_i64, |sum, &count| sum.checked_add_unsigned(count as u64));
    match sum {
        Some(sum) => Ok(sum),
        None => fail!(MPI_ERR_COUNT, "the counts add up to more than 63 bits"),
    }
}
