//! Handles, statuses and addresses with a meaning, as Open MPI has them.

use core::ffi::{c_int, c_void};

use mpirage_front::{FIRST_DYNAMIC, Handle, MPI_Status, no_handle};

use crate::conversions::{
    error_from_abi, error_to_abi, rank_from_abi, rank_to_abi, tag_from_abi, tag_to_abi,
};
use crate::symbols;

/// A bit that is set in handles of objects that the program made, and in no address.
const MADE: usize = 1 << 62;

/// A class of handles, with the predefined ones as (number in the MPI 5 ABI, number in Fortran).
macro_rules! handle {
    ($name:ident, [$($fortran:tt)*]) => {
        #[doc = concat!("`MPI_", stringify!($name), "`.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(usize);

        impl Handle for $name {
            #[inline]
            fn to_abi(self) -> usize {
                number_of(self.0)
            }

            #[inline]
            fn from_abi(number: usize) -> $name {
                $name(address_of(number))
            }
        }

        impl $name {
            const FORTRAN: &[(usize, c_int)] = &[$($fortran)*];

            pub(crate) fn to_fortran(self) -> c_int {
                let number = self.to_abi();
                let known = Self::FORTRAN.iter().find(|(abi, _)| *abi == number);
                known.map_or(number as c_int, |(_, fortran)| *fortran)
            }

            pub(crate) fn from_fortran(handle: c_int) -> $name {
                let known = Self::FORTRAN.iter().find(|(_, fortran)| *fortran == handle);
                Self::from_abi(known.map_or(handle as usize, |(abi, _)| *abi))
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/handles.rs"));

/// The number in the MPI 5 ABI of the object that a handle points to.
#[inline]
fn number_of(address: usize) -> usize {
    if address & MADE != 0 {
        return address & !MADE;
    }
    // SAFETY: the program hands over a handle: the address of a predefined object, or of one that the program got from Open MPI's
    // headers, which are larger than two words.
    unsafe { symbols::number_at(address) }.unwrap_or_else(|| no_handle(address))
}

/// The handle of the object with this number.
#[inline]
fn address_of(number: usize) -> usize {
    if number >= FIRST_DYNAMIC { number | MADE } else { symbols::address_of(number).unwrap_or(number) }
}

/// `MPI_Status`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Status {
    source: c_int,
    tag: c_int,
    error: c_int,
    cancelled: c_int,
    bytes: usize,
}

impl mpirage_front::Status for Status {
    const IGNORE: usize = 0;

    fn to_abi(&self) -> MPI_Status {
        let mut status = MPI_Status {
            MPI_SOURCE: rank_to_abi(self.source),
            MPI_TAG: tag_to_abi(self.tag),
            MPI_ERROR: error_to_abi(self.error),
            ..MPI_Status::default()
        };
        status.set_bytes(self.bytes as u64);
        status.set_cancelled(self.cancelled != 0);
        status
    }

    fn from_abi(status: &MPI_Status) -> Status {
        Status {
            source: rank_from_abi(status.MPI_SOURCE),
            tag: tag_from_abi(status.MPI_TAG),
            error: error_from_abi(status.MPI_ERROR),
            cancelled: status.is_cancelled().into(),
            bytes: status.bytes() as usize,
        }
    }
}

/// `MPI_IN_PLACE`, the same in the MPI 5 ABI.
const IN_PLACE: usize = 1;
/// `MPI_UNWEIGHTED` and `MPI_WEIGHTS_EMPTY` here and in the MPI 5 ABI.
const WEIGHTS: [(usize, usize); 2] = [(2, 10), (3, 11)];

pub(crate) fn is_in_place(buffer: *const c_void) -> bool {
    buffer.addr() == IN_PLACE
}

pub(crate) fn buffer_to_abi(buffer: *const c_void) -> *mut c_void {
    buffer.cast_mut()
}

pub(crate) fn weights_to_abi(weights: *mut c_int) -> *mut c_int {
    let known = WEIGHTS.iter().find(|(theirs, _)| *theirs == weights.addr());
    known.map_or(weights, |(_, abi)| core::ptr::without_provenance_mut(*abi))
}

/// The predefined functions are functions, which `libmpi_abi.so.1` can call.
pub(crate) fn copy_function_to_abi(function: usize) -> usize {
    function
}

/// As for [`copy_function_to_abi`].
pub(crate) fn delete_function_to_abi(function: usize) -> usize {
    function
}
