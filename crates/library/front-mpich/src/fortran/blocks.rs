//! The variables of MPICH whose address has a meaning: `MPI_BOTTOM`, `MPI_IN_PLACE`, and others.
//!
//! `mpif.h` and `mpi` have them in common blocks. A program that names one has the block itself, and then that is the one that counts; these
//! are for libraries that are loaded at run time. `mpi_f08` has variables of the library (`symbols`), and some of its module.

#![allow(non_upper_case_globals, non_snake_case)]

use core::ffi::{CStr, c_int};

use super::sentinels::{Addresses, find};

macro_rules! variables {
    ($($name:ident: [$of:ty; $number:expr];)*) => {$(
        /// A common block, or a variable of a module.
        #[unsafe(no_mangle)]
        static mut $name: [$of; $number] = [0; $number];
    )*};
}

variables! {
    mpipriv1_: [c_int; 7];
    mpipriv2_: [c_int; 6];
    mpiprivc_: [u8; 2];
    mpifcmb5_: [c_int; 1];
    mpifcmb9_: [c_int; 1];
    __mpi_f08_link_constants_MOD_mpi_argv_null: [u8; 1];
    __mpi_f08_link_constants_MOD_mpi_argvs_null: [u8; 1];
    __mpi_f08_link_constants_MOD_mpi_errcodes_ignore: [c_int; 1];
    __mpi_f08_link_constants_MOD_mpi_unweighted: [c_int; 1];
    __mpi_f08_link_constants_MOD_mpi_weights_empty: [c_int; 1];
}

/// Integers in the block `mpipriv1`: `MPI_BOTTOM`, `MPI_IN_PLACE`, then `MPI_STATUS_IGNORE`.
const IN_PLACE_AT: usize = size_of::<c_int>();
const STATUS_IGNORE_AT: usize = 2 * size_of::<c_int>();
/// In the block `mpipriv2`: `MPI_STATUSES_IGNORE`, a status of five integers, then `MPI_ERRCODES_IGNORE`.
const ERRCODES_IGNORE_AT: usize = 5 * size_of::<c_int>();
/// Characters in the block `mpiprivc`: `MPI_ARGVS_NULL`, then `MPI_ARGV_NULL`.
const ARGV_NULL_AT: usize = 1;

/// Where the variables of the program are.
pub(crate) fn addresses() -> Addresses {
    let in_first = |at: usize| find(c"mpipriv1_") + at;
    let pair = |of_mpi: usize, of_f08: &CStr| [of_mpi, find(of_f08)];
    Addresses {
        bottom: pair(in_first(0), c"MPIR_F08_MPI_BOTTOM"),
        in_place: pair(in_first(IN_PLACE_AT), c"MPIR_F08_MPI_IN_PLACE"),
        buffer_automatic: [0; 2],
        status_ignore: pair(in_first(STATUS_IGNORE_AT), c"MPIR_F08_MPI_STATUS_IGNORE_OBJ"),
        statuses_ignore: pair(find(c"mpipriv2_"), c"MPIR_F08_MPI_STATUSES_IGNORE_OBJ"),
        unweighted: pair(find(c"mpifcmb5_"), c"__mpi_f08_link_constants_MOD_mpi_unweighted"),
        weights_empty: pair(find(c"mpifcmb9_"), c"__mpi_f08_link_constants_MOD_mpi_weights_empty"),
        argv_null: pair(find(c"mpiprivc_") + ARGV_NULL_AT, c"__mpi_f08_link_constants_MOD_mpi_argv_null"),
        argvs_null: pair(find(c"mpiprivc_"), c"__mpi_f08_link_constants_MOD_mpi_argvs_null"),
        errcodes_ignore: pair(
            find(c"mpipriv2_") + ERRCODES_IGNORE_AT,
            c"__mpi_f08_link_constants_MOD_mpi_errcodes_ignore",
        ),
    }
}
