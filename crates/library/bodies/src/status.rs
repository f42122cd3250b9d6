//! The status of the MPI 5 ABI.
//!
//! Of the fields that are the library's own, the first two hold the number of bytes and the third whether the operation was cancelled.

use core::ffi::c_int;

const LOW: usize = 0;
const HIGH: usize = 1;
const CANCELLED: usize = 2;

/// The status of a received message.
#[allow(non_camel_case_types, non_snake_case)]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MPI_Status {
    /// Rank of the sender.
    pub MPI_SOURCE: c_int,
    /// Tag of the message.
    pub MPI_TAG: c_int,
    /// Error code, set only where several statuses come back at once.
    pub MPI_ERROR: c_int,
    /// Ours to use.
    pub MPI_internal: [c_int; 5],
}

impl MPI_Status {
    /// Packed bytes received.
    pub fn bytes(&self) -> u64 {
        u64::from(self.MPI_internal[LOW] as u32) | u64::from(self.MPI_internal[HIGH] as u32) << 32
    }

    /// Stores the number of packed bytes received.
    pub fn set_bytes(&mut self, bytes: u64) {
        self.MPI_internal[LOW] = bytes as c_int;
        self.MPI_internal[HIGH] = (bytes >> 32) as c_int;
    }

    /// Was the operation cancelled?
    pub fn is_cancelled(&self) -> bool {
        self.MPI_internal[CANCELLED] != 0
    }

    /// Stores whether the operation was cancelled.
    pub fn set_cancelled(&mut self, cancelled: bool) {
        self.MPI_internal[CANCELLED] = cancelled.into();
    }
}
