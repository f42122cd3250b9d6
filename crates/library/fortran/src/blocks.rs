//! The common blocks whose variables have an address with a meaning: `MPI_BOTTOM`, `MPI_IN_PLACE`, and others.
//!
//! A program that names one has the block itself, and then this is the one that counts. These are for libraries that are loaded
//! at run time, whose blocks are not visible to others, and for folded ranks, which all have these instead of their own.
//!
//! The names are those of Open MPI, so that programs built for its libraries have them too.

#![allow(non_upper_case_globals)]

use core::ffi::{CStr, c_int};

use super::sentinels::{Addresses, find};

macro_rules! blocks {
    ($($name:ident: [$of:ty; $number:expr];)*) => {$(
        /// A common block.
        #[unsafe(no_mangle)]
        static mut $name: [$of; $number] = [0; $number];
    )*};
}

blocks! {
    mpi_fortran_bottom_: [c_int; 1];
    mpi_fortran_in_place_: [c_int; 1];
    mpi_fortran_buffer_automatic_: [c_int; 1];
    mpi_fortran_argv_null_: [u8; 1];
    mpi_fortran_argvs_null_: [u8; 1];
    mpi_fortran_errcodes_ignore_: [c_int; 1];
    mpi_fortran_status_ignore_: [c_int; 8];
    mpi_fortran_statuses_ignore_: [c_int; 8];
    mpi_fortran_unweighted_: [c_int; 1];
    mpi_fortran_weights_empty_: [c_int; 1];
}

/// Where the variables of the program are.
pub(crate) fn addresses() -> Addresses {
    let both = |name: &CStr| [find(name); 2];
    Addresses {
        bottom: both(c"mpi_fortran_bottom_"),
        in_place: both(c"mpi_fortran_in_place_"),
        buffer_automatic: both(c"mpi_fortran_buffer_automatic_"),
        status_ignore: both(c"mpi_fortran_status_ignore_"),
        statuses_ignore: both(c"mpi_fortran_statuses_ignore_"),
        unweighted: both(c"mpi_fortran_unweighted_"),
        weights_empty: both(c"mpi_fortran_weights_empty_"),
        argv_null: both(c"mpi_fortran_argv_null_"),
        argvs_null: both(c"mpi_fortran_argvs_null_"),
        errcodes_ignore: both(c"mpi_fortran_errcodes_ignore_"),
    }
}
