//! The entry points of Open MPI's libraries for Fortran (`libmpi_mpifh.so.40`, `libmpi_usempif08.so.40`): `mpi_send_`, `mpi_send_f08_`.
//!
//! They are generated from the table of MPI functions, like those of the crate `fortran`, whose modules they share. Each makes C's arguments of
//! Fortran's and calls this library's C function. Handles are Open MPI's numbers, statuses are C's.
//!
//! The modules `mpi` and `mpi_f08` of programs stay Open MPI's own: their constants are data of `libmpi_usempif08.so.40` and of the program.

#[path = "../../../fortran/src/arguments.rs"]
mod arguments;
#[path = "../../../fortran/src/blocks.rs"]
mod blocks;
#[path = "../../../fortran/src/commands.rs"]
mod commands;
#[path = "../../../front-mpich/src/fortran/converted.rs"]
mod converted;
#[path = "../../../fortran/src/predefined.rs"]
mod predefined;
#[path = "../../../fortran/src/procedures.rs"]
mod procedures;
mod representation;
#[path = "../../../fortran/src/sentinels.rs"]
mod sentinels;
#[path = "../../../fortran/src/text.rs"]
mod text;

use crate::conversions::abi as constants;

/// Made by `build.rs`.
#[allow(clippy::all, clippy::undocumented_unsafe_blocks, non_snake_case, unused_mut)]
mod generated {
    use core::ffi::{c_char, c_int, c_void};

    use mpirage_front::{Handle as _, entry_point, is_root, neighbours, peers};

    use super::arguments::{
        addresses, finish, from_one, handle, handles, pointer, store, store_all, store_attribute,
        store_small_attribute,
    };
    use super::commands::{argument_table, arguments, texts};
    use super::procedures::{procedure, small_procedure};
    use super::representation::key;
    use super::sentinels::{address, error_codes, status, statuses, weights};
    use super::text::{room, store_text, stripped_text, text, with_terminator};
    use crate::dialect::Comm;

    /// The functions of C.
    mod c {
        pub(super) use crate::by_hand::*;
        pub(super) use crate::translations::*;
    }

    include!(concat!(env!("OUT_DIR"), "/fortran.rs"));
}
