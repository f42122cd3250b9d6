//! Many ranks in one process: the functions that a simulator which folds ranks calls.
//!
//! The simulator loads this library once and the program once per rank, and runs the ranks as coroutines of one thread.
//! It makes a rank for each, says which one runs before it lets it run, and lends all of them one mailbox. A rank puts
//! its calls there and passes the turn by calling a function that returns when the rank may go on.

use core::ffi::{c_char, c_void};

use mpirage_channel::{FoldedRankInit, VERSION};

use crate::ground::lock;
use crate::rank::{self, Rank};
use crate::timing::origin::FoldedOrigin;

/// The version of the mailboxes that this library knows.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_channel_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Makes a folded rank.
///
/// # Safety
/// `init` points to a valid description whose mailbox and functions stay; its strings are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_rank(init: *const FoldedRankInit) -> *mut c_void {
    lock::note_folded_ranks();
    // SAFETY: by the contract above.
    let (origin, command) = unsafe { FoldedOrigin::new(&*init) };
    Box::into_raw(Box::new(Rank::new(Some(origin), Some(command)))).cast()
}

/// From now on this rank runs.
///
/// # Safety
/// `rank` was made by [`mpirage_fold_rank`] and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_switch(rank: *mut c_void) {
    rank::switch_to(rank.cast());
}

/// Prefetches what most calls of a rank need, which will run soon, or next if `next` is true.
///
/// # Safety
/// `rank` was made by [`mpirage_fold_rank`] and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_expect(rank: *mut c_void, next: bool) {
    // SAFETY: by the contract above; nothing is changed, and no other thread is in this library.
    unsafe { &*rank.cast::<Rank>() }.fetch(next);
}

/// Frees a rank that has ended.
///
/// # Safety
/// `rank` was made by [`mpirage_fold_rank`]; it will not run again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_end(rank: *mut c_void) {
    // SAFETY: by the contract above.
    drop(unsafe { Box::from_raw(rank.cast::<Rank>()) });
}
