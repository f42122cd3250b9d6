//! Notes that a rank has met the limit of open files. All folded ranks share the limit of one process, so they meet it earlier
//! than processes would.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::current;

const NO_RANK: usize = usize::MAX;

/// The first rank that could not open a file.
static REFUSED: AtomicUsize = AtomicUsize::new(NO_RANK);

/// To be called when the C library has failed to open something: notes the rank if the reason was the limit.
pub(super) fn note_failure() {
    let rank = current::get();
    // SAFETY: this thread's errno.
    if rank.is_null() || unsafe { *libc::__errno_location() } != libc::EMFILE {
        return;
    }
    // SAFETY: the rank that runs.
    let number = unsafe { (*rank).number };
    let _ = REFUSED.compare_exchange(NO_RANK, number as usize, Ordering::Relaxed, Ordering::Relaxed);
}

/// The first rank that could not open a file because so many were open, if there was one.
pub fn rank_out_of_files() -> Option<usize> {
    Some(REFUSED.load(Ordering::Relaxed)).filter(|&rank| rank != NO_RANK)
}
