//! Data and functions that Open MPI's `mpi.h` refers to by name.

#![allow(non_upper_case_globals, non_snake_case)]

use core::ffi::{c_int, c_void};

/// The second word of a predefined object.
const MARK: usize = 0x6d70_6972_6167_6521;
/// Addresses below are none.
const LOWEST: usize = 4096;
/// Numbers of predefined objects in the MPI 5 ABI are below.
const COUNT: usize = 0x300;

/// A predefined object, in as many words as Open MPI's has.
const fn predefined<const WORDS: usize>(number: usize) -> [usize; WORDS] {
    let mut words = [0; WORDS];
    words[0] = number;
    words[1] = MARK;
    words
}

include!(concat!(env!("OUT_DIR"), "/symbols.rs"));

#[derive(Clone, Copy)]
#[repr(transparent)]
struct Address(*const c_void);

// SAFETY: the address of a static.
unsafe impl Sync for Address {}

const NO_ADDRESS: Address = Address(core::ptr::null());

/// The addresses of predefined objects, by their numbers. The dynamic linker fills them in, so they are those that the program sees.
static ADDRESSES: [Address; COUNT] = include!(concat!(env!("OUT_DIR"), "/addresses.rs"));

/// The number of the object at an address, if it is a predefined one.
///
/// # Safety
/// Unless the address is too low for one, two words can be read there.
#[inline]
pub(crate) unsafe fn number_at(address: usize) -> Option<usize> {
    if address < LOWEST || !address.is_multiple_of(align_of::<usize>()) {
        return None;
    }
    let words = core::ptr::with_exposed_provenance::<usize>(address);
    // SAFETY: the caller vouches for it.
    unsafe { (words.add(1).read() == MARK).then(|| words.read()) }
}

/// The address of the predefined object with this number.
#[inline]
pub(crate) fn address_of(number: usize) -> Option<usize> {
    let address = ADDRESSES.get(number)?.0;
    (!address.is_null()).then(|| address.expose_provenance())
}

/// Functions that copy attributes: all, or none.
macro_rules! copying {
    ($($name:ident $flag:expr;)*) => {$(
        /// A predefined function for attributes.
        ///
        /// # Safety
        /// The last two arguments can be written.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _object: usize,
            _key: c_int,
            _extra_state: *mut c_void,
            value: *mut c_void,
            copy: *mut *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: the caller vouches for it.
            unsafe {
                if $flag != 0 {
                    *copy = value;
                }
                *flag = $flag;
            }
            0
        }
    )*};
}

copying! {
    OMPI_C_MPI_DUP_FN 1;
    OMPI_C_MPI_COMM_DUP_FN 1;
    OMPI_C_MPI_TYPE_DUP_FN 1;
    OMPI_C_MPI_WIN_DUP_FN 1;
    OMPI_C_MPI_NULL_COPY_FN 0;
    OMPI_C_MPI_COMM_NULL_COPY_FN 0;
    OMPI_C_MPI_TYPE_NULL_COPY_FN 0;
    OMPI_C_MPI_WIN_NULL_COPY_FN 0;
}

/// Functions that do nothing when an attribute is deleted.
macro_rules! deleting {
    ($($name:ident)*) => {$(
        /// A predefined function for attributes.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_object: usize, _key: c_int, _value: *mut c_void, _extra_state: *mut c_void) -> c_int {
            0
        }
    )*};
}

deleting! {
    OMPI_C_MPI_NULL_DELETE_FN
    OMPI_C_MPI_COMM_NULL_DELETE_FN
    OMPI_C_MPI_TYPE_NULL_DELETE_FN
    OMPI_C_MPI_WIN_NULL_DELETE_FN
}

/// Set by the Fortran library.
#[unsafe(no_mangle)]
pub static mut MPI_F_STATUS_IGNORE: *mut c_int = core::ptr::null_mut();
/// Set by the Fortran library.
#[unsafe(no_mangle)]
pub static mut MPI_F_STATUSES_IGNORE: *mut c_int = core::ptr::null_mut();

/// Of Open MPI's own: its library for C++ refers to it.
#[unsafe(no_mangle)]
pub static mut ompi_errcode_intern_lastused: c_int = 0;
/// As above.
#[unsafe(no_mangle)]
pub static mut ompi_errcodes_intern: [usize; 15] = [0; 15];
/// As above.
#[unsafe(no_mangle)]
pub static mut ompi_registered_datareps: [usize; 8] = [0; 8];
