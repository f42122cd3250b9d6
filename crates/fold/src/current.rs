//! The rank that runs on this thread.

use std::cell::Cell;
use std::ptr;

use crate::clib::stdio;
use crate::rank::{Fault, Leave, Rank};
use crate::signal;

thread_local! {
    static CURRENT: Cell<*mut Rank> = const { Cell::new(ptr::null_mut()) };
}

/// Lets other ranks run: returns when this rank is resumed. Before that the rank's output is collected.
///
/// Does nothing if no rank runs on this thread.
#[inline]
pub fn pass_turn() {
    let rank = get();
    if rank.is_null() {
        return;
    }
    stdio::flush();
    // SAFETY: the rank that runs lives until it has left, and leaving is what happens here.
    unsafe {
        let here = &raw const rank as usize;
        if let Some(fault) = signal::take_pending().or_else(|| overflow(rank, here)) {
            (*rank).fault = fault;
            leave(rank, Leave::Fault);
        }
        (*rank).resting = here;
        (*(*rank).yielder).suspend(Leave::Turn);
    }
}

/// Ends the rank that runs on this thread at once, without its exit handlers.
///
/// # Panics
/// If no rank runs on this thread.
pub fn exit_rank(code: i32) -> ! {
    let rank = get();
    assert!(!rank.is_null(), "no rank runs");
    stdio::flush();
    // SAFETY: the rank that runs.
    unsafe { leave(rank, Leave::Exited(code & 0xff)) }
}

/// The number of the rank that runs on this thread.
pub fn current_rank() -> Option<usize> {
    let rank = get();
    // SAFETY: as in `pass_turn`.
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

/// A frame so large that it skipped the guard.
///
/// # Safety
/// `rank` is the one that runs.
#[inline]
unsafe fn overflow(rank: *mut Rank, here: usize) -> Option<Fault> {
    // SAFETY: the rank is alive.
    let stack = unsafe { (*rank).stack };
    stack.overflown(here, here).then_some(Fault {
        number: libc::SIGSEGV,
        address: here,
        stack_overflow: true,
        ..Fault::default()
    })
}
