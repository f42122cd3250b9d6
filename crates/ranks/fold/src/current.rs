//! The rank that runs on this thread.

use std::cell::Cell;
use std::ptr;

use crate::clib::state::Library;
use crate::rank::{Fault, Leave, Rank};

thread_local! {
    static CURRENT: Cell<*mut Rank> = const { Cell::new(ptr::null_mut()) };
}

/// The number of the rank that runs on this thread.
pub fn current_rank() -> Option<usize> {
    let rank = get();
    // SAFETY: the rank that runs lives until it has left.
    (!rank.is_null()).then(|| unsafe { (*rank).number as usize })
}

#[inline]
pub(crate) fn get() -> *mut Rank {
    CURRENT.get()
}

#[inline]
pub(crate) fn set(rank: *mut Rank) {
    CURRENT.set(rank);
}

/// The C library's state of the rank that runs.
pub(crate) fn library() -> *mut Library {
    let rank = get();
    if rank.is_null() {
        return spare();
    }
    // SAFETY: the rank that runs is alive, and its code is the only one that uses this.
    unsafe { Rank::library(rank) }
}

/// A state for calls that are not a rank's: a library may call the functions when there are no folded ranks any more.
fn spare() -> *mut Library {
    thread_local! {
        static SPARE: Cell<*mut Library> = const { Cell::new(ptr::null_mut()) };
    }
    if SPARE.get().is_null() {
        SPARE.set(Box::into_raw(Box::default()));
    }
    SPARE.get()
}

/// Ends the rank by a signal.
///
/// # Safety
/// `rank` is the one that runs.
#[cold]
pub(crate) unsafe fn end_by(rank: *mut Rank, fault: Fault) -> ! {
    // SAFETY: as the caller vouches.
    unsafe {
        (*rank).fault = fault;
        leave(rank, Leave::Fault)
    }
}

/// Ends the rank.
///
/// # Safety
/// `rank` is the one that runs.
#[cold]
pub(crate) unsafe fn leave(rank: *mut Rank, how: Leave) -> ! {
    loop {
        // SAFETY: the yielder was set when the rank started; a rank that has ended is never resumed.
        unsafe { (*(*rank).yielder).suspend(how) };
    }
}
