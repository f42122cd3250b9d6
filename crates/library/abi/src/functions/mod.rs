//! The bodies of the MPI functions, one module per chapter of the standard.
//!
//! To add a function, write it in one of these modules under its own name, beginning the line exactly so:
//!
//! ```text
//! pub(crate) unsafe extern "C-unwind" fn MPI_Comm_rank(comm: MPI_Comm, rank: *mut c_int) -> c_int {
//! ```
//!
//! No more is needed. `build.rs` finds it, points the exported `MPI_Comm_rank` and `PMPI_Comm_rank` at it, and makes the
//! compiler compare it with its prototype in `functions.txt`: C's `const T *x` and `const T x[]` are `*const T`, `T *x`
//! and `T x[]` are `*mut T`, `T x[][3]` is `*mut [T; 3]`, a callback `F *f` is `Option<F>`, a `...` is left out.
//! `cargo run -p mpirage-abi --example skeleton MPI_Send MPI_Recv` prints the beginnings of bodies with these types.
//! Functions that exist in several forms, such as `MPI_Bcast`, `MPI_Ibcast` and `MPI_Bcast_c`, are written once; `forms`
//! says how. A function whose name is not in the table, or which is written twice, does not build.
//!
//! A body may call another body as the plain Rust function it is; it never goes through an exported symbol.

#![allow(non_snake_case)]
#![allow(clippy::too_many_arguments)] // as many as the standard says

pub(crate) mod attributes;
pub(crate) mod binary_interface;
pub(crate) mod collective;
pub(crate) mod communicators;
pub(crate) mod conversions;
pub(crate) mod dynamic;
pub(crate) mod environment;
pub(crate) mod errhandlers;
pub(crate) mod errors;
pub(crate) mod files;
pub(crate) mod groups;
pub(crate) mod infos;
pub(crate) mod intercomms;
pub(crate) mod memory;
pub(crate) mod ops;
pub(crate) mod pack;
pub(crate) mod pack_external;
pub(crate) mod pt2pt;
pub(crate) mod sessions;
pub(crate) mod spawn;
pub(crate) mod tools;
pub(crate) mod topologies;
pub(crate) mod types;
pub(crate) mod windows;

mod forms;

/// Compared by the compiler, never read.
#[allow(dead_code, non_camel_case_types)]
mod signatures {
    use crate::types::*;
    use core::ffi::{c_char, c_int, c_void};

    include!(concat!(env!("OUT_DIR"), "/signatures.rs"));
}
