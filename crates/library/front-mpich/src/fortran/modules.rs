//! Procedures and constants of MPICH's modules `mpi` and `mpi_f08`, under the names that gfortran gives to what is in a module.
//!
//! Programs that were compiled with MPICH's modules refer to them: comparison of handles, conversions, `MPI_Sizeof`, predefined functions of
//! attributes, and handles as constants in memory.

#![allow(non_upper_case_globals, non_snake_case)]

use core::ffi::{c_int, c_void};

use mpirage_front::unknown;

use super::predefined::{copies, deletions, no_conversions, sizes};
use crate::dialect::Status;

include!(concat!(env!("OUT_DIR"), "/f08_constants.rs"));

/// Comparisons of two handles, each one integer.
macro_rules! comparisons {
    ($($same:ident $other:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $same(one: *const c_int, other: *const c_int) -> c_int {
            // SAFETY: the program passes two handles.
            unsafe { (*one == *other).into() }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $other(one: *const c_int, other: *const c_int) -> c_int {
            // SAFETY: as above.
            unsafe { (*one != *other).into() }
        }
    )*};
}

/// Handles between C and Fortran, which are passed by value and are the same integer.
macro_rules! conversions {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        extern "C-unwind" fn $name(handle: c_int) -> c_int {
            handle
        }
    )*};
}

include!(concat!(env!("OUT_DIR"), "/f08_handles.rs"));
include!(concat!(env!("OUT_DIR"), "/extensions.rs"));

sizes! {
    __mpi_f08_types_MOD_mpi_sizeof_character: 1;
    __mpi_f08_types_MOD_mpi_sizeof_logical: 4;
    __mpi_f08_types_MOD_mpi_sizeof_xint8: 1;
    __mpi_f08_types_MOD_mpi_sizeof_xint16: 2;
    __mpi_f08_types_MOD_mpi_sizeof_xint32: 4;
    __mpi_f08_types_MOD_mpi_sizeof_xint64: 8;
    __mpi_f08_types_MOD_mpi_sizeof_xreal32: 4;
    __mpi_f08_types_MOD_mpi_sizeof_xreal64: 8;
    __mpi_f08_types_MOD_mpi_sizeof_xreal128: 16;
    __mpi_f08_types_MOD_mpi_sizeof_xcomplex32: 8;
    __mpi_f08_types_MOD_mpi_sizeof_xcomplex64: 16;
    __mpi_f08_types_MOD_mpi_sizeof_xcomplex128: 32;
    __mpi_sizeofs_MOD_mpi_sizeof_ch: 1;
    __mpi_sizeofs_MOD_mpi_sizeof_chv: 1;
    __mpi_sizeofs_MOD_mpi_sizeof_cx: 8;
    __mpi_sizeofs_MOD_mpi_sizeof_cxv: 8;
    __mpi_sizeofs_MOD_mpi_sizeof_d: 8;
    __mpi_sizeofs_MOD_mpi_sizeof_dv: 8;
    __mpi_sizeofs_MOD_mpi_sizeof_i: 4;
    __mpi_sizeofs_MOD_mpi_sizeof_iv: 4;
    __mpi_sizeofs_MOD_mpi_sizeof_i1: 1;
    __mpi_sizeofs_MOD_mpi_sizeof_i1v: 1;
    __mpi_sizeofs_MOD_mpi_sizeof_i2: 2;
    __mpi_sizeofs_MOD_mpi_sizeof_i2v: 2;
    __mpi_sizeofs_MOD_mpi_sizeof_i8: 8;
    __mpi_sizeofs_MOD_mpi_sizeof_i8v: 8;
    __mpi_sizeofs_MOD_mpi_sizeof_l: 4;
    __mpi_sizeofs_MOD_mpi_sizeof_lv: 4;
    __mpi_sizeofs_MOD_mpi_sizeof_r: 4;
    __mpi_sizeofs_MOD_mpi_sizeof_rv: 4;
}

copies! {
    __mpi_f08_callbacks_MOD_mpi_comm_dup_fn: i64, true;
    __mpi_f08_callbacks_MOD_mpi_comm_null_copy_fn: i64, false;
    __mpi_f08_callbacks_MOD_mpi_type_dup_fn: i64, true;
    __mpi_f08_callbacks_MOD_mpi_type_null_copy_fn: i64, false;
    __mpi_f08_callbacks_MOD_mpi_win_dup_fn: i64, true;
    __mpi_f08_callbacks_MOD_mpi_win_null_copy_fn: i64, false;
}

deletions! {
    __mpi_f08_callbacks_MOD_mpi_comm_null_delete_fn;
    __mpi_f08_callbacks_MOD_mpi_type_null_delete_fn;
    __mpi_f08_callbacks_MOD_mpi_win_null_delete_fn;
}

no_conversions! {
    __mpi_f08_callbacks_MOD_mpi_conversion_fn_null
    __mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c
}

/// Predefined functions that stand for no conversion.
pub(super) static NO_CONVERSIONS: [extern "C-unwind" fn(); 2] =
    [__mpi_f08_callbacks_MOD_mpi_conversion_fn_null, __mpi_f08_callbacks_MOD_mpi_conversion_fn_null_c];

/// Statuses of `mpi` and `mpi_f08`, which are the same five integers: (from, to, ierror).
macro_rules! status_conversions {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(from: *const Status, to: *mut Status, ierror: *mut c_int) {
            // SAFETY: the program passes two statuses, and a place for the error code unless it leaves it out.
            unsafe {
                to.write_unaligned(from.read_unaligned());
                super::arguments::finish(ierror, 0);
            }
        }
    )*};
}

status_conversions! {
    __mpi_f08_types_MOD_mpi_status_f2f08
    __mpi_f08_types_MOD_mpi_status_f082f
}

/// The assignment of statuses of C and `mpi_f08`: (to, from).
macro_rules! status_assignments {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(to: *mut Status, from: *const Status) {
            // SAFETY: the program passes two statuses.
            unsafe { to.write_unaligned(from.read_unaligned()) };
        }
    )*};
}

status_assignments! {
    __mpi_f08_types_MOD_mpi_status_f08_assign_c
    __mpi_f08_types_MOD_mpi_status_c_assign_f08
}

/// `MPI_F_sync_reg` of `mpi_f08`: being called is enough.
#[unsafe(no_mangle)]
extern "C-unwind" fn mpi_f_sync_reg_f08ts_(_buffer: *mut c_void) {}
