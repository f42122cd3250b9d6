//! Data representations of the program's own.

use core::ffi::{c_char, c_int, c_void};

use crate::constants::{MPI_ERR_ARG, MPI_FILE_NULL, MPI_MAX_DATAREP_STRING};
use crate::files::representation::UserRepresentation;
use crate::frame;
use crate::ground::arguments::string;
use crate::ground::callbacks::Conversion;
use crate::ground::error::{MpiError, Result, ensure};
use crate::rank;
use crate::types::*;

pub(crate) unsafe extern "C-unwind" fn MPI_Register_datarep(
    datarep: *const c_char,
    read_conversion_fn: Option<MPI_Datarep_conversion_function>,
    write_conversion_fn: Option<MPI_Datarep_conversion_function>,
    dtype_file_extent_fn: Option<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> c_int {
    let (read, write) = (read_conversion_fn.map(Conversion::Int), write_conversion_fn.map(Conversion::Int));
    // SAFETY: the program hands over a string.
    unsafe { register(datarep, (read, write), dtype_file_extent_fn, extra_state) }
}

pub(crate) unsafe extern "C-unwind" fn MPI_Register_datarep_c(
    datarep: *const c_char,
    read_conversion_fn: Option<MPI_Datarep_conversion_function_c>,
    write_conversion_fn: Option<MPI_Datarep_conversion_function_c>,
    dtype_file_extent_fn: Option<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> c_int {
    let (read, write) =
        (read_conversion_fn.map(Conversion::Large), write_conversion_fn.map(Conversion::Large));
    // SAFETY: the program hands over a string.
    unsafe { register(datarep, (read, write), dtype_file_extent_fn, extra_state) }
}

/// # Safety
/// Unless it is null, `name` is a string.
unsafe fn register(
    name: *const c_char,
    (read, write): (Option<Conversion>, Option<Conversion>),
    extent: Option<MPI_Datarep_extent_function>,
    extra_state: *mut c_void,
) -> c_int {
    frame::outcome_of_file(MPI_FILE_NULL, || {
        // SAFETY: the caller vouches for it.
        let name = unsafe { string("datarep", name) }?.to_string_lossy().into_owned();
        check_length(&name)?;
        let null = || MpiError::new(MPI_ERR_ARG, "dtype_file_extent_fn is a null pointer");
        let extent = extent.ok_or_else(null)?;
        let extra_state = extra_state.expose_provenance();
        rank::with(|objects| {
            objects.files.register(name, UserRepresentation { read, write, extent, extra_state })
        })
    })
}

fn check_length(name: &str) -> Result<()> {
    let fits = !name.is_empty() && name.len() < MPI_MAX_DATAREP_STRING as usize;
    ensure(fits, MPI_ERR_ARG, || format!("datarep has {} characters", name.len()))
}
