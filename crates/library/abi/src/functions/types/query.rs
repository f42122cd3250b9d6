//! Sizes, extents and addresses.

use super::datatype;
use crate::constants::MPI_UNDEFINED;
use crate::frame::outcome;
use crate::functions::forms::{argument, both_forms, form};
use crate::ground::arguments::{Number, put};
use crate::ground::error::Result;
use crate::types::{MPI_Aint, MPI_Count, MPI_Datatype};
use core::ffi::{c_int, c_void};
use mpirage_data::Datatype;

both_forms! {
    (datatype: MPI_Datatype, size: CountPlace) { tell(datatype, ("size", size), |of| of.size() as i64) }:
        MPI_Type_size MPI_Type_size_c MPI_Type_size_x;
    (datatype: MPI_Datatype, lb: AintPlace, extent: AintPlace) {
        tell_two(datatype, ("lb", lb), ("extent", extent), |of| (of.lb(), of.extent()))
    }:
        MPI_Type_get_extent MPI_Type_get_extent_c MPI_Type_get_extent_x;
    (datatype: MPI_Datatype, true_lb: AintPlace, true_extent: AintPlace) {
        let answer = |of: &Datatype| (of.true_lb(), of.true_extent());
        tell_two(datatype, ("true_lb", true_lb), ("true_extent", true_extent), answer)
    }:
        MPI_Type_get_true_extent MPI_Type_get_true_extent_c MPI_Type_get_true_extent_x;
}

pub(crate) unsafe extern "C-unwind" fn MPI_Get_address(
    location: *const c_void,
    address: *mut MPI_Aint,
) -> c_int {
    // SAFETY: the program hands over a place for the answer.
    outcome(None, || unsafe { put("address", address, location.expose_provenance() as MPI_Aint) })
}

pub(crate) unsafe extern "C-unwind" fn MPI_Aint_add(base: MPI_Aint, disp: MPI_Aint) -> MPI_Aint {
    base.wrapping_add(disp)
}

pub(crate) unsafe extern "C-unwind" fn MPI_Aint_diff(addr1: MPI_Aint, addr2: MPI_Aint) -> MPI_Aint {
    addr1.wrapping_sub(addr2)
}

/// Where an answer goes, and what the argument is called.
type OutArgument<N> = (&'static str, *mut N);

/// Answers a question about a datatype.
///
/// # Safety
/// Unless it is null, the place can be written.
pub(super) unsafe fn tell<N: Number>(
    handle: MPI_Datatype,
    place: OutArgument<N>,
    answer: impl FnOnce(&Datatype) -> i64,
) -> c_int {
    // SAFETY: the caller vouches for it.
    outcome(None, || unsafe { store(place, answer(&datatype(handle)?)) })
}

/// # Safety
/// As for [`tell`].
unsafe fn tell_two<N: Number>(
    handle: MPI_Datatype,
    one: OutArgument<N>,
    other: OutArgument<N>,
    answer: impl FnOnce(&Datatype) -> (i64, i64),
) -> c_int {
    outcome(None, || {
        let (first, second) = answer(&datatype(handle)?);
        // SAFETY: the caller vouches for it.
        unsafe {
            store(one, first)?;
            store(other, second)
        }
    })
}

/// A number that does not fit is `MPI_UNDEFINED`.
unsafe fn store<N: Number>((what, place): OutArgument<N>, value: i64) -> Result<()> {
    let undefined = || N::narrow(MPI_UNDEFINED.wide()).expect("fits everywhere");
    // SAFETY: the caller vouches for it.
    unsafe { put(what, place, N::narrow(value).unwrap_or_else(undefined)) }
}
