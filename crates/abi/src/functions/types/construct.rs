//! Constructors of derived datatypes, each in its two forms: counts as `int` and as `MPI_Count`.

use super::{datatype, derive, hand_out};
use crate::arguments::{self, Number, array, numbers};
use crate::error::Result;
use crate::frame::outcome;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};
use core::ffi::c_int;
use mpirage_data::{Datatype, Interface};

const CLASSIC: Interface = Interface::Classic;
const LARGE: Interface = Interface::Large;

pub(crate) unsafe extern "C-unwind" fn MPI_Type_contiguous(
    count: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { derive(CLASSIC, oldtype, newtype, |old| Ok(old.contiguous(count.wide())?)) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_contiguous_c(
    count: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { derive(LARGE, oldtype, newtype, |old| Ok(old.contiguous(count.wide())?)) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_vector(
    count: c_int,
    blocklength: c_int,
    stride: c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe {
        derive(CLASSIC, oldtype, newtype, |old| {
            Ok(old.vector(count.wide(), blocklength.wide(), stride.wide())?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_vector_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe {
        derive(LARGE, oldtype, newtype, |old| {
            Ok(old.vector(count.wide(), blocklength.wide(), stride.wide())?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_hvector(
    count: c_int,
    blocklength: c_int,
    stride: MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe {
        derive(CLASSIC, oldtype, newtype, |old| {
            Ok(old.hvector(count.wide(), blocklength.wide(), stride.wide())?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_hvector_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe {
        derive(LARGE, oldtype, newtype, |old| {
            Ok(old.hvector(count.wide(), blocklength.wide(), stride.wide())?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_indexed(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(CLASSIC, oldtype, newtype, |old| {
            let blocks = blocks(count, array_of_blocklengths, array_of_displacements)?;
            Ok(old.indexed(&blocks.lengths, &blocks.displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_indexed_c(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(LARGE, oldtype, newtype, |old| {
            let blocks = blocks(count, array_of_blocklengths, array_of_displacements)?;
            Ok(old.indexed(&blocks.lengths, &blocks.displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_hindexed(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(CLASSIC, oldtype, newtype, |old| {
            let blocks = blocks(count, array_of_blocklengths, array_of_displacements)?;
            Ok(old.hindexed(&blocks.lengths, &blocks.displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_hindexed_c(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(LARGE, oldtype, newtype, |old| {
            let blocks = blocks(count, array_of_blocklengths, array_of_displacements)?;
            Ok(old.hindexed(&blocks.lengths, &blocks.displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_indexed_block(
    count: c_int,
    blocklength: c_int,
    array_of_displacements: *const c_int,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(CLASSIC, oldtype, newtype, |old| {
            let displacements =
                numbers("array_of_displacements", array_of_displacements, arguments::count("count", count)?)?;
            Ok(old.indexed_block(blocklength.wide(), &displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_indexed_block_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(LARGE, oldtype, newtype, |old| {
            let displacements =
                numbers("array_of_displacements", array_of_displacements, arguments::count("count", count)?)?;
            Ok(old.indexed_block(blocklength.wide(), &displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_hindexed_block(
    count: c_int,
    blocklength: c_int,
    array_of_displacements: *const MPI_Aint,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(CLASSIC, oldtype, newtype, |old| {
            let displacements =
                numbers("array_of_displacements", array_of_displacements, arguments::count("count", count)?)?;
            Ok(old.hindexed_block(blocklength.wide(), &displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_hindexed_block_c(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: *const MPI_Count,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        derive(LARGE, oldtype, newtype, |old| {
            let displacements =
                numbers("array_of_displacements", array_of_displacements, arguments::count("count", count)?)?;
            Ok(old.hindexed_block(blocklength.wide(), &displacements)?)
        })
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_struct(
    count: c_int,
    array_of_blocklengths: *const c_int,
    array_of_displacements: *const MPI_Aint,
    array_of_types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe {
        structure(CLASSIC, count, array_of_blocklengths, array_of_displacements, array_of_types, newtype)
    }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_struct_c(
    count: MPI_Count,
    array_of_blocklengths: *const MPI_Count,
    array_of_displacements: *const MPI_Count,
    array_of_types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over arrays of `count` entries and a place for the handle.
    unsafe { structure(LARGE, count, array_of_blocklengths, array_of_displacements, array_of_types, newtype) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_resized(
    oldtype: MPI_Datatype,
    lb: MPI_Aint,
    extent: MPI_Aint,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { derive(CLASSIC, oldtype, newtype, |old| Ok(old.resized(lb.wide(), extent.wide())?)) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Type_create_resized_c(
    oldtype: MPI_Datatype,
    lb: MPI_Count,
    extent: MPI_Count,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the program hands over a place for the handle.
    unsafe { derive(LARGE, oldtype, newtype, |old| Ok(old.resized(lb.wide(), extent.wide())?)) }
}

/// Blocks of an indexed datatype, or members of a structure.
pub(super) struct Blocks {
    pub lengths: Vec<i64>,
    pub displacements: Vec<i64>,
}

/// # Safety
/// Unless null, both arrays have `count` entries.
pub(super) unsafe fn blocks<N: Number, D: Number>(
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
/// Unless null, the arrays have `count` entries and `newtype` can be written.
pub(super) unsafe fn structure<N: Number, D: Number>(
    interface: Interface,
    count: N,
    lengths: *const N,
    displacements: *const D,
    types: *const MPI_Datatype,
    newtype: *mut MPI_Datatype,
) -> c_int {
    // SAFETY: the caller vouches for it.
    outcome(None, || unsafe {
        let members = blocks(count, lengths, displacements)?;
        let types = array("array_of_types", types, members.lengths.len())?;
        let types = types.iter().map(|&of| datatype(of)).collect::<Result<Vec<_>>>()?;
        hand_out(interface, Datatype::structure(&members.lengths, &members.displacements, &types)?, newtype)
    })
}
