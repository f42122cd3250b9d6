//! How a rank that runs passes its turn, or gives it up.

use crate::clib::stdio;
use crate::current;
use crate::rank::{Fault, Leave, Rank};
use crate::signal::{self, Pending};

/// Lets other ranks run: returns when this rank is resumed. Before that the rank's output is collected.
///
/// Does nothing if no rank runs on this thread.
#[inline]
pub fn pass_turn() {
    let rank = current::get();
    if rank.is_null() {
        return;
    }
    stdio::flush();
    // SAFETY: the rank that runs lives until it has left, and leaving is what happens here.
    unsafe {
        let here = &raw const rank as usize;
        let how = match signal::take_pending() {
            None => Leave::Turn,
            Some(Pending::Yield) => Leave::Yield,
            Some(Pending::Interrupt(fault)) => current::end_by(rank, fault),
        };
        if let Some(fault) = overflow(rank, here) {
            current::end_by(rank, fault);
        }
        (*rank).resting = here;
        (*(*rank).yielder).suspend(how);
    }
}

/// Ends the rank that runs on this thread at once, without its exit handlers.
///
/// # Panics
/// If no rank runs on this thread.
pub fn exit_rank(code: i32) -> ! {
    let rank = current::get();
    assert!(!rank.is_null(), "no rank runs");
    stdio::flush();
    // SAFETY: the rank that runs.
    unsafe { current::leave(rank, Leave::Exited(code & 0xff)) }
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
