//! Constructors of derived datatypes, each in its two forms: counts as `int` and as `MPI_Count`.

use super::bounds::structure;
use super::{derive, hand_out};
use crate::frame::outcome;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{self, Number, array, numbers};
use crate::ground::error::Result;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};
use core::ffi::c_int;

both_forms! {
    (count: Count, oldtype: MPI_Datatype, newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| Ok(old.contiguous(count.wide())?))
    }:
        MPI_Type_contiguous MPI_Type_contiguous_c;
    (count: Count, blocklength: Count, stride: Count, oldtype: MPI_Datatype, newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            Ok(old.vector(count.wide(), blocklength.wide(), stride.wide())?)
        })
    }:
        MPI_Type_vector MPI_Type_vector_c;
    (count: Count, blocklength: Count, stride: Aint, oldtype: MPI_Datatype, newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            Ok(old.hvector(count.wide(), blocklength.wide(), stride.wide())?)
        })
    }:
        MPI_Type_create_hvector MPI_Type_create_hvector_c;
    (count: Count, array_of_blocklengths: Counts, array_of_displacements: Counts, oldtype: MPI_Datatype,
     newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            let blocks = blocks(count, array_of_blocklengths, array_of_displacements)?;
            Ok(old.indexed(&blocks.lengths, &blocks.displacements)?)
        })
    }:
        MPI_Type_indexed MPI_Type_indexed_c;
    (count: Count, array_of_blocklengths: Counts, array_of_displacements: Aints, oldtype: MPI_Datatype,
     newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            let blocks = blocks(count, array_of_blocklengths, array_of_displacements)?;
            Ok(old.hindexed(&blocks.lengths, &blocks.displacements)?)
        })
    }:
        MPI_Type_create_hindexed MPI_Type_create_hindexed_c;
    (count: Count, blocklength: Count, array_of_displacements: Counts, oldtype: MPI_Datatype,
     newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            Ok(old.indexed_block(blocklength.wide(), &displacements(count, array_of_displacements)?)?)
        })
    }:
        MPI_Type_create_indexed_block MPI_Type_create_indexed_block_c;
    (count: Count, blocklength: Count, array_of_displacements: Aints, oldtype: MPI_Datatype,
     newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| {
            Ok(old.hindexed_block(blocklength.wide(), &displacements(count, array_of_displacements)?)?)
        })
    }:
        MPI_Type_create_hindexed_block MPI_Type_create_hindexed_block_c;
    (count: Count, array_of_blocklengths: Counts, array_of_displacements: Aints, array_of_types: Types,
     newtype: TypePlace) {
        outcome(None, || {
            let members = blocks(count, array_of_blocklengths, array_of_displacements)?;
            let types = array("array_of_types", array_of_types, members.lengths.len())?;
            hand_out(INTERFACE, structure(&members.lengths, &members.displacements, types)?, newtype)
        })
    }:
        MPI_Type_create_struct MPI_Type_create_struct_c;
    (oldtype: MPI_Datatype, lb: Aint, extent: Aint, newtype: TypePlace) {
        derive(INTERFACE, oldtype, newtype, |old| Ok(old.resized(lb.wide(), extent.wide())?))
    }:
        MPI_Type_create_resized MPI_Type_create_resized_c;
}

/// Blocks of an indexed datatype, or members of a structure.
struct Blocks {
    lengths: Vec<i64>,
    displacements: Vec<i64>,
}

/// # Safety
/// Unless null, both arrays have `count` entries.
unsafe fn blocks<N: Number, D: Number>(
    count: N,
    lengths: *const N,
    displacements: *const D,
) -> Result<Blocks> {
    let count = arguments::count("count", count)?;
    // SAFETY: the caller vouches for it.
    unsafe {
        Ok(Blocks {
            lengths: numbers("array_of_blocklengths", lengths, count)?,
            displacements: numbers("array_of_displacements", displacements, count)?,
        })
    }
}

/// # Safety
/// Unless null, the array has `count` entries.
unsafe fn displacements(count: impl Number, displacements: *const impl Number) -> Result<Vec<i64>> {
    // SAFETY: the caller vouches for it.
    unsafe { numbers("array_of_displacements", displacements, arguments::count("count", count)?) }
}
