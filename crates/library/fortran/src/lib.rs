//! MPI for Fortran: the library behind `mpif.h`, `use mpi` and `use mpi_f08`.
//!
//! Fortran passes everything by reference: handles as default integers, lengths of characters by value after all other arguments.
//! The entry points are generated from the table of MPI functions (`build/`). Each translates its arguments and calls the body of the C
//! function in `libmpi_abi.so.1`, as the fronts for other binary interfaces do ([`mpirage_front`]). So no logic of MPI is here.
//!
//! A handle is the same number in C and in Fortran, a status is the same eight integers, and `.TRUE.` is 1. The three interfaces differ only
//! in what the compiler checks: a handle of `mpi_f08` is a type with one integer, and an error code that is left out is a null address. So
//! each function has one entry point with four names: `mpi_send_`, `pmpi_send_`, and the same with `_f08`. A procedure of `mpi_f08` with buffers has
//! another one, `mpi_send_f08ts_`, which gets descriptors of arrays; `mpi_send_f08_` is for programs that were compiled before it was there.
//!
//! | module | contents |
//! |---|---|
//! | `representation` | integers that stand for handles, keys and error codes |
//! | `arguments` | handles, addresses, attributes, numbers |
//! | `descriptor` | buffers of `mpi_f08`: array sections |
//! | `array` | descriptors of array sections, and the datatypes that are made of them |
//! | `text` | characters |
//! | `commands` | what processes that a rank starts execute |
//! | `blocks` | the blocks of those variables that all folded ranks have |
//! | `sentinels` | variables whose address has a meaning: `MPI_BOTTOM`, `MPI_STATUS_IGNORE`, … |
//! | `procedures` | procedures of the program that MPI calls |
//! | `predefined` | procedures that only Fortran has |

mod arguments;
mod array;
mod blocks;
mod commands;
mod constants;
mod descriptor;
mod predefined;
mod procedures;
mod representation;
mod sentinels;
mod text;

/// Made by `build.rs`.
#[allow(clippy::too_many_arguments, clippy::let_and_return, clippy::useless_conversion, non_snake_case)]
mod generated {
    use core::ffi::{c_char, c_int, c_void};

    use mpirage_front::{body, entry_point, is_root, neighbours, peers};

    use crate::arguments::{
        addresses, finish, from_one, handle, handles, pointer, store, store_all, store_attribute,
        store_small_attribute,
    };
    use crate::commands::{argument_table, arguments, texts};
    use crate::descriptor::Section;
    use crate::procedures::{procedure, small_procedure};
    use crate::representation::key;
    use crate::sentinels::{address, error_codes, status, statuses, weights};
    use crate::text::{room, store_text, stripped_text, text, with_terminator};

    include!(concat!(env!("OUT_DIR"), "/wrappers.rs"));
}

extern "C" fn attach() {
    mpirage_front::library::attach();
}

/// Run by the dynamic linker when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static ATTACH: extern "C" fn() = attach;
