//! Handles, statuses and addresses with a meaning, as MPICH has them.

use core::ffi::{c_int, c_void};

use mpirage_front::{DYNAMIC_STEP, FIRST_DYNAMIC, Handle, MPI_Status, no_handle};

use crate::conversions::{
    error_from_abi, error_to_abi, rank_from_abi, rank_to_abi, tag_from_abi, tag_to_abi,
};
use crate::symbols::{MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};

/// Objects that the program made: the two highest bits, then the class, then a number. With the highest bit alone begin some
/// predefined datatypes.
const MADE: u32 = 0xc000_0000;
const NUMBER: u32 = 0x03ff_ffff;

/// A class of handles that are integers, with its bits and the predefined ones.
macro_rules! integer_handle {
    ($name:ident, $class:expr, { $($to:tt)* }, { $($from:tt)* }) => {
        #[doc = concat!("`MPI_", stringify!($name), "`.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(c_int);

        impl Handle for $name {
            #[inline]
            fn to_abi(self) -> usize {
                match self.0 as u32 {
                    $($to)*
                    made if made & !NUMBER == MADE | $class => {
                        FIRST_DYNAMIC + DYNAMIC_STEP * (made & NUMBER) as usize
                    }
                    other => no_handle(other as usize),
                }
            }

            #[inline]
            fn from_abi(number: usize) -> $name {
                let value = match number {
                    $($from)*
                    made if made >= FIRST_DYNAMIC => {
                        MADE | $class | ((made - FIRST_DYNAMIC) / DYNAMIC_STEP) as u32
                    }
                    other => other as u32,
                };
                $name(value as c_int)
            }
        }

        #[allow(dead_code)] // for Fortran
        impl $name {
            /// The handle in Fortran, which is the same number.
            pub(crate) fn to_fortran(self) -> c_int {
                self.0
            }

            pub(crate) fn from_fortran(handle: c_int) -> $name {
                $name(handle)
            }
        }
    };
}

/// Handles that are pointers: files.
macro_rules! pointer_handle {
    ($name:ident, $class:expr, { $($to:tt)* }, { $($from:tt)* }) => {
        #[doc = concat!("`MPI_", stringify!($name), "`.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name(usize);

        impl Handle for $name {
            fn to_abi(self) -> usize {
                match self.0 {
                    $($to)*
                    other => other,
                }
            }

            fn from_abi(number: usize) -> $name {
                $name(match number {
                    $($from)*
                    other => other,
                })
            }
        }

        impl $name {
            pub(crate) fn to_fortran(self) -> c_int {
                self.0 as c_int
            }

            pub(crate) fn from_fortran(handle: c_int) -> $name {
                $name(handle as usize)
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/handles.rs"));

/// `MPI_Status`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Status {
    count_low: c_int,
    /// The highest bits of the count, and in bit 0 whether the operation was cancelled.
    count_high_and_cancelled: c_int,
    source: c_int,
    tag: c_int,
    error: c_int,
}

impl mpirage_front::Status for Status {
    const IGNORE: usize = 1;

    fn to_abi(&self) -> MPI_Status {
        let high = self.count_high_and_cancelled as u32;
        let mut status = MPI_Status {
            MPI_SOURCE: rank_to_abi(self.source),
            MPI_TAG: tag_to_abi(self.tag),
            MPI_ERROR: error_to_abi(self.error),
            ..MPI_Status::default()
        };
        status.set_bytes(u64::from(self.count_low as u32) | u64::from(high >> 1) << 32);
        status.set_cancelled(high & 1 != 0);
        status
    }

    fn from_abi(status: &MPI_Status) -> Status {
        let bytes = status.bytes();
        Status {
            count_low: bytes as c_int,
            count_high_and_cancelled: ((bytes >> 32) << 1) as c_int | c_int::from(status.is_cancelled()),
            source: rank_from_abi(status.MPI_SOURCE),
            tag: tag_from_abi(status.MPI_TAG),
            error: error_from_abi(status.MPI_ERROR),
        }
    }
}

/// `MPI_IN_PLACE` here and in the MPI 5 ABI.
const IN_PLACE: usize = usize::MAX;
const IN_PLACE_OF_ABI: usize = 1;
/// `MPI_UNWEIGHTED` and `MPI_WEIGHTS_EMPTY` of the MPI 5 ABI.
const UNWEIGHTED_OF_ABI: usize = 10;
const NO_WEIGHTS_OF_ABI: usize = 11;
/// `MPI_COMM_DUP_FN` of the MPI 5 ABI.
const DUPLICATE_OF_ABI: usize = 1;

pub(crate) fn is_in_place(buffer: *const c_void) -> bool {
    buffer.addr() == IN_PLACE
}

pub(crate) fn buffer_to_abi(buffer: *const c_void) -> *mut c_void {
    let buffer = buffer.cast_mut();
    if is_in_place(buffer) { core::ptr::without_provenance_mut(IN_PLACE_OF_ABI) } else { buffer }
}

pub(crate) fn weights_to_abi(weights: *mut c_int) -> *mut c_int {
    if core::ptr::eq(weights, MPI_UNWEIGHTED.0) {
        core::ptr::without_provenance_mut(UNWEIGHTED_OF_ABI)
    } else if core::ptr::eq(weights, MPI_WEIGHTS_EMPTY.0) {
        core::ptr::without_provenance_mut(NO_WEIGHTS_OF_ABI)
    } else {
        weights
    }
}

/// `MPI_NULL_COPY_FN` is null in both.
pub(crate) fn copy_function_to_abi(function: usize) -> usize {
    if function == crate::symbols::MPIR_Dup_fn as *const () as usize { DUPLICATE_OF_ABI } else { function }
}

/// `MPI_NULL_DELETE_FN` is null in both.
pub(crate) fn delete_function_to_abi(function: usize) -> usize {
    function
}
