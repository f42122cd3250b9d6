//! Datatypes (chapter 5 of the standard).

pub(crate) mod arrays;
mod bounds;
pub(crate) mod construct;
pub(crate) mod contents;
pub(crate) mod fortran;
pub(crate) mod life;
pub(crate) mod query;
pub(crate) mod removed;

use crate::frame::outcome;
use crate::ground::arguments::put;
use crate::ground::error::Result;
use crate::objects::datatype::DatatypeObject;
use crate::rank;
use crate::types::MPI_Datatype;
use core::ffi::c_int;
use mpirage_data::{Datatype, Interface};

/// Makes a datatype of another one.
///
/// # Safety
/// Unless it is null, `newtype` can be written.
unsafe fn derive(
    interface: Interface,
    oldtype: MPI_Datatype,
    newtype: *mut MPI_Datatype,
    make: impl FnOnce(&Datatype) -> Result<Datatype>,
) -> c_int {
    outcome(None, || {
        let made = make(&datatype(oldtype)?)?;
        // SAFETY: the caller vouches for it.
        unsafe { hand_out(interface, made, newtype) }
    })
}

/// Gives a datatype that was just made a handle.
///
/// # Safety
/// Unless it is null, `newtype` can be written.
unsafe fn hand_out(interface: Interface, made: Datatype, newtype: *mut MPI_Datatype) -> Result<()> {
    let object = DatatypeObject { interface, ..DatatypeObject::derived(made) };
    // SAFETY: the caller vouches for it.
    unsafe { put("newtype", newtype, rank::with(|objects| objects.datatypes.insert(object))) }
}

/// The datatype of a handle, committed or not.
fn datatype(handle: MPI_Datatype) -> Result<Datatype> {
    rank::with(|objects| Ok(objects.datatypes.get(handle)?.datatype.clone()))
}
