//! Data and functions that MPICH's `mpi.h` refers to by name.

#![allow(non_upper_case_globals, non_snake_case)]

use core::ffi::{c_int, c_void};
use core::ptr::null;

/// A constant address.
#[repr(transparent)]
pub struct Address(pub *const c_int);

// SAFETY: programs compare the address and never read or write through it.
unsafe impl Sync for Address {}

/// The object whose address is `MPI_UNWEIGHTED`.
#[unsafe(no_mangle)]
pub static MPIR_C_MPI_UNWEIGHTED: [c_int; 1] = [0];
/// The object whose address is `MPI_WEIGHTS_EMPTY`.
#[unsafe(no_mangle)]
pub static MPIR_C_MPI_WEIGHTS_EMPTY: [c_int; 1] = [1];
/// All edges of a graph weigh the same.
#[unsafe(no_mangle)]
pub static MPI_UNWEIGHTED: Address = Address(&raw const MPIR_C_MPI_UNWEIGHTED as *const c_int);
/// There are no edges, hence no weights.
#[unsafe(no_mangle)]
pub static MPI_WEIGHTS_EMPTY: Address = Address(&raw const MPIR_C_MPI_WEIGHTS_EMPTY as *const c_int);
/// Set by the Fortran library.
#[unsafe(no_mangle)]
pub static mut MPI_F_STATUS_IGNORE: *mut c_int = null::<c_int>().cast_mut();
/// Set by the Fortran library.
#[unsafe(no_mangle)]
pub static mut MPI_F_STATUSES_IGNORE: *mut c_int = null::<c_int>().cast_mut();
/// Fortran 2008's `MPI_STATUS_IGNORE`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_STATUS_IGNORE_OBJ: [c_int; 5] = [0; 5];
/// Fortran 2008's `MPI_STATUSES_IGNORE`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_STATUSES_IGNORE_OBJ: [c_int; 5] = [0; 5];
/// Fortran 2008's `MPI_IN_PLACE`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_IN_PLACE: c_int = 0;
/// Fortran 2008's `MPI_BOTTOM`.
#[unsafe(no_mangle)]
pub static mut MPIR_F08_MPI_BOTTOM: c_int = 0;
/// The address of Fortran 2008's `MPI_STATUS_IGNORE`.
#[unsafe(no_mangle)]
pub static mut MPI_F08_STATUS_IGNORE: *mut c_int = (&raw mut MPIR_F08_MPI_STATUS_IGNORE_OBJ).cast();
/// The address of Fortran 2008's `MPI_STATUSES_IGNORE`.
#[unsafe(no_mangle)]
pub static mut MPI_F08_STATUSES_IGNORE: *mut c_int = (&raw mut MPIR_F08_MPI_STATUSES_IGNORE_OBJ).cast();
/// All handles of a session of the tool interface.
#[unsafe(no_mangle)]
pub static MPI_T_PVAR_ALL_HANDLES: Address = Address(core::ptr::without_provenance(1));

/// `MPI_DUP_FN`: the duplicate has the same attribute.
///
/// # Safety
/// The last two arguments can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn MPIR_Dup_fn(
    _object: c_int,
    _key: c_int,
    _extra_state: *mut c_void,
    value: *mut c_void,
    copy: *mut *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe {
        *copy = value;
        *flag = 1;
    }
    0
}
