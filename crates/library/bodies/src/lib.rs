//! The contract between `libmpi_abi.so.1` and the libraries in front of it.
//!
//! A front has the binary interface of another MPI (MPICH, Open MPI). It translates arguments, calls the bodies of the MPI functions
//! in `libmpi_abi.so.1`, and translates results. Functions of the program go the other way: the library calls them
//! through [`Callbacks`] if a front is there.
//!
//! ```text
//!  program ── MPI_Send of MPICH ──> front ── Bodies ──> libmpi_abi.so.1
//!     ^                               ^                    │
//!     └── user function, MPICH's ─────┴──── Callbacks ─────┘
//! ```
//!
//! Handles are words here, with the numbers of the MPI 5 ABI.

mod caller;
mod status;

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::AtomicPtr;

pub use caller::Caller;
pub use status::MPI_Status;

/// The exported symbol of the library that is a [`Bodies`].
pub const SYMBOL: &core::ffi::CStr = c"mpirage_bodies";

/// The table of functions that both sides were built with.
const TABLE: &str = include_str!("../../abi/functions.txt");

/// The same for a library and a front that were built from the same table.
pub const FINGERPRINT: u64 = ((size_of::<Callbacks>() as u64) << 32) + TABLE.len() as u64;

/// An MPI function's body; its real type is that of its prototype in the table, with words for handles.
pub type Body = unsafe extern "C-unwind" fn();

/// The services of the library for fronts.
#[repr(C)]
pub struct Bodies {
    /// [`FINGERPRINT`] of the library.
    pub fingerprint: u64,
    /// The bodies in the order of the table; `None` where the library lacks the function.
    pub bodies: &'static [Option<Body>],
    /// Makes this the last call of the calling thread.
    pub store_caller: extern "C" fn(Caller),
    /// How the library calls functions of the program; null if the program has the library's own ABI.
    pub callbacks: &'static AtomicPtr<Callbacks>,
    /// Ends the run: the function with this position in the table has no body.
    pub not_implemented: extern "C" fn(u32) -> !,
    /// Ends the run: the program has made the mistake that this text names.
    pub misuse: unsafe extern "C" fn(*const c_char) -> !,
}

/// The kind of object that has an attribute or an error handler.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A communicator.
    Comm,
    /// A datatype.
    Datatype,
    /// A window.
    Win,
    /// A file.
    File,
    /// A session.
    Session,
}

/// How a front calls functions of the program, and what else depends on the interface. The first argument of each is the function's address; the other arguments and the
/// result have the values of the MPI 5 ABI.
#[repr(C)]
pub struct Callbacks {
    /// A reduction operator: (function, invec, inoutvec, len, datatype).
    pub user_function: unsafe extern "C-unwind" fn(usize, *mut c_void, *mut c_void, *mut c_int, usize),
    /// The same with a large count.
    pub user_function_c: unsafe extern "C-unwind" fn(usize, *mut c_void, *mut c_void, *mut i64, usize),
    /// Copies an attribute.
    pub copy_attribute: unsafe extern "C-unwind" fn(usize, &CopiedAttribute, *mut c_int) -> c_int,
    /// Deletes an attribute: (function, owner, object, key, value, extra state).
    pub delete_attribute:
        unsafe extern "C-unwind" fn(usize, Owner, usize, c_int, *mut c_void, *mut c_void) -> c_int,
    /// Handles an error: (function, owner, object, error code). Gives the code that the function leaves.
    pub handle_error: unsafe extern "C-unwind" fn(usize, Owner, usize, c_int) -> c_int,
    /// Fills the status of a generalized request: (function, extra state, status).
    pub query_request: unsafe extern "C-unwind" fn(usize, *mut c_void, &mut MPI_Status) -> c_int,
    /// Frees a generalized request: (function, extra state).
    pub free_request: unsafe extern "C-unwind" fn(usize, *mut c_void) -> c_int,
    /// Cancels a generalized request: (function, extra state, complete).
    pub cancel_request: unsafe extern "C-unwind" fn(usize, *mut c_void, c_int) -> c_int,
    /// Converts elements between memory and a file: (function, has a large count, memory, datatype, count, file, extra state).
    pub convert:
        unsafe extern "C-unwind" fn(usize, bool, *mut c_void, usize, i64, *mut c_void, *mut c_void) -> c_int,
    /// Gives the extent of a datatype in a file: (function, datatype, extent, extra state).
    pub datarep_extent: unsafe extern "C-unwind" fn(usize, usize, *mut isize, *mut c_void) -> c_int,
    /// `MPI_BSEND_OVERHEAD` that the program was compiled with.
    pub bsend_overhead: usize,
}

/// The arguments of a function that copies an attribute.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopiedAttribute {
    /// The kind of object that has the attribute.
    pub owner: Owner,
    /// The object that is duplicated.
    pub object: usize,
    /// The attribute's key.
    pub key: c_int,
    /// The extra state that the program gave with the key.
    pub extra_state: *mut c_void,
    /// The attribute's value.
    pub value: *mut c_void,
    /// Where the function stores the value of the duplicate.
    pub copied: *mut c_void,
}
