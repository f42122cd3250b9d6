//! Statuses: what a program learns about a completed operation.

use core::ffi::c_int;

use mpirage_call::Completion;
use mpirage_units::counted;

use crate::constants::*;
use crate::ground::error::{Result, fail};
use crate::types::MPI_Status;

/// Takes over everything but the error, which only calls with several statuses set.
fn describe(status: &mut MPI_Status, completion: &Completion) {
    status.MPI_SOURCE = if completion.source == -1 { MPI_ANY_SOURCE } else { completion.source };
    status.MPI_TAG = if completion.tag == -1 { MPI_ANY_TAG } else { completion.tag };
    status.set_bytes(completion.bytes);
    status.set_cancelled(completion.cancelled);
}

/// Stores a status if the program wants one.
///
/// # Safety
/// `status` is null (`MPI_STATUS_IGNORE`) or a place for a status.
pub(crate) unsafe fn store(status: *mut MPI_Status, completion: &Completion) {
    // SAFETY: the caller vouches for it.
    if let Some(status) = unsafe { status.as_mut() } {
        describe(status, completion);
    }
}

/// Stores the error into a status if the program wants one.
///
/// # Safety
/// As for [`store`].
pub(crate) unsafe fn store_error(status: *mut MPI_Status, class: c_int) {
    // SAFETY: the caller vouches for it.
    if let Some(status) = unsafe { status.as_mut() } {
        status.MPI_ERROR = class;
    }
}

/// Stores the status of no operation, whose error is part of it.
///
/// # Safety
/// As for [`store`].
pub(crate) unsafe fn store_empty(status: *mut MPI_Status) {
    // SAFETY: the caller vouches for it.
    unsafe {
        store(status, &Completion::empty(0));
        store_error(status, MPI_SUCCESS);
    }
}

/// The completion of a receive from `MPI_PROC_NULL`.
pub(crate) fn from_proc_null() -> Completion {
    Completion { source: MPI_PROC_NULL, tag: MPI_ANY_TAG, ..Completion::empty(0) }
}

/// A message that did not fit is an error.
pub(crate) fn check_room(completion: &Completion, room: u64) -> Result<()> {
    let Completion { source, tag, bytes, truncated, .. } = completion;
    if completion.mismatched {
        let class = if *truncated { MPI_ERR_TRUNCATE } else { MPI_ERR_OTHER };
        fail!(
            class,
            "ranks of this collective give different sizes: another gives {}",
            counted(*bytes, "byte")
        );
    }
    if *truncated {
        fail!(
            MPI_ERR_TRUNCATE,
            "the message of {} from rank {source} with tag {tag} does not fit into {}",
            counted(*bytes, "byte"),
            counted(room, "byte")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_holds_large_counts() {
        let mut status = MPI_Status::default();
        let completion = Completion { source: 3, tag: 9, bytes: 5_000_000_000, ..Completion::empty(0) };
        // SAFETY: a status of ours.
        unsafe { store(&mut status, &completion) };
        assert_eq!((status.MPI_SOURCE, status.MPI_TAG, status.bytes()), (3, 9, 5_000_000_000));
        assert!(!status.is_cancelled());
    }

    #[test]
    fn the_empty_status_is_the_standards() {
        let mut status = MPI_Status { MPI_SOURCE: 7, ..MPI_Status::default() };
        // SAFETY: a status of ours.
        unsafe { store(&mut status, &Completion::empty(0)) };
        assert_eq!((status.MPI_SOURCE, status.MPI_TAG, status.bytes()), (MPI_ANY_SOURCE, MPI_ANY_TAG, 0));
    }
}
