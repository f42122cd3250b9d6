//! Error codes and classes (section 9.4 of the standard).

use crate::constants::{MPI_ERR_ARG, MPI_ERR_LASTCODE, MPI_SUCCESS};
use core::ffi::c_int;

/// Every predefined code is its own class.
pub(crate) unsafe extern "C" fn MPI_Error_class(errorcode: c_int, errorclass: *mut c_int) -> c_int {
    if !(MPI_SUCCESS..=MPI_ERR_LASTCODE).contains(&errorcode) {
        return MPI_ERR_ARG;
    }
    // SAFETY: the caller hands over a place for an int.
    unsafe { *errorclass = errorcode };
    MPI_SUCCESS
}
