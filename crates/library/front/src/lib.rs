//! The common part of the fronts: libraries with the binary interfaces of MPICH and Open MPI in front of `libmpi_abi.so.1`.
//!
//! ```text
//!  program built for MPICH ── MPI_Send ──> libmpi.so.12 ── Bodies ──> libmpi_abi.so.1 ──> simulator
//!                                           a front        numbers of the MPI 5 ABI
//! ```
//!
//! # Why fronts translate
//!
//! The other way would be to compile the crate `abi` once per interface, with other types for handles and other values for
//! constants. Then every module that names a constant would be generic or compiled three times, a rank folded with others would
//! need the library's state three times, and a bug could hide in one of three. A translation costs a few comparisons per argument,
//! and it can be generated: `abi/functions.txt` says what each parameter is. Behind these fronts is one library, whose handles are small
//! numbers. So a front computes a handle from the library's number and back, keeps no state, and can be shared by all ranks of a process.
//!
//! # Parts
//!
//! | module | |
//! |---|---|
//! | [`library`] | finds `libmpi_abi.so.1` and its [`mpirage_bodies::Bodies`] |
//! | `entry` | entry points |
//! | [`places`] | arguments that are pointers: handles, arrays, statuses, texts |
//! | [`callbacks`] | functions of the program, called with handles of its own interface |
//! | [`numbers`] | integers without a meaning in one of the interfaces |
//!
//! `build/` generates, for a crate of one interface, the translation of each function and the conversions of constants.

pub mod callbacks;
mod entry;
pub mod library;
pub mod numbers;
pub mod places;
mod topology;

pub use mpirage_bodies::{Bodies, Callbacks, CopiedAttribute, MPI_Status, Owner, entry_point};
pub use topology::{is_root, neighbours, peers};

/// A handle in another interface.
pub trait Handle: Copy {
    /// The number of the MPI 5 ABI.
    fn to_abi(self) -> usize;
    /// The handle with this number.
    fn from_abi(number: usize) -> Self;
}

/// A status in another interface.
pub trait Status: Copy {
    /// The address that means "no status", besides null.
    const IGNORE: usize;
    /// The status of the MPI 5 ABI.
    fn to_abi(&self) -> MPI_Status;
    /// The other status.
    fn from_abi(status: &MPI_Status) -> Self;
}

/// The first handle of the MPI 5 ABI that is not predefined, and the distance between two (`abi/src/ground/handles.rs`).
pub const FIRST_DYNAMIC: usize = 0x10000;
/// See [`FIRST_DYNAMIC`].
pub const DYNAMIC_STEP: usize = 16;

/// A number that is the handle of nothing, made from one that is not a handle in the other interface.
pub fn no_handle(value: usize) -> usize {
    value | 0xbad << 32
}
