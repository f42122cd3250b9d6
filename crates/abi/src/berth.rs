//! Many ranks in one process: what a simulator that folds ranks calls.
//!
//! The simulator loads this library once and the program once per rank, and runs the ranks as coroutines of one thread.
//! It makes a [`Rank`] for each, says which one runs before it lets it run, and lends all of them one mailbox: a rank puts
//! its calls there and passes the turn by calling a function that comes back when the rank is to go on.

use core::ffi::{c_char, c_int, c_void};
use std::ffi::CStr;

use mpirage_channel::{Berth, Briefing, FoldedPlace, RankEnd};

use crate::rank::{self, Rank};
use crate::trampoline;

/// Where a folded rank comes from.
pub(crate) struct Origins {
    pub host: Vec<u8>,
    pub words: Vec<Vec<u8>>,
    place: FoldedPlace,
    exit: extern "C" fn(c_int) -> !,
    raise: extern "C" fn(c_int) -> bool,
}

impl Origins {
    pub(crate) fn open(&self) -> (RankEnd, Briefing) {
        let end = RankEnd::folded(self.place);
        let briefing = end.briefing();
        (end, briefing)
    }

    pub(crate) fn exit(&self, code: c_int) -> ! {
        (self.exit)(code)
    }

    /// Raises a signal in the rank. Has a handler of the program run?
    pub(crate) fn raise(&self, signal: c_int) -> bool {
        (self.raise)(signal)
    }

    /// # Safety
    /// What the berth points to is there: a mailbox that stays, and strings.
    unsafe fn of(berth: &Berth) -> Origins {
        // SAFETY: by the contract above.
        let text = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
        // SAFETY: `argv` has `argc` strings.
        let words = (0..berth.argc as usize).map(|at| text(unsafe { *berth.argv.add(at) })).collect();
        // SAFETY: the mailbox stays, and is the rank's whenever it runs.
        let place = unsafe { FoldedPlace::new(berth.rank, berth.mailbox.cast(), berth.pass) };
        Origins { host: text(berth.host), words, place, exit: berth.exit, raise: berth.raise }
    }
}

/// Makes a folded rank.
///
/// # Safety
/// `berth` points to a valid berth whose mailbox and functions stay; its strings are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_rank(berth: *const Berth) -> *mut c_void {
    // SAFETY: by the contract above.
    let origins = unsafe { Origins::of(&*berth) };
    Box::into_raw(Box::new(Rank::new(Some(origins)))).cast()
}

/// From now on this rank runs.
///
/// # Safety
/// `rank` was made by [`mpirage_fold_rank`] and is not gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_switch(rank: *mut c_void) {
    rank::switch_to(rank.cast());
}

/// This rank will run soon, or `next`: brings near what most calls need.
///
/// # Safety
/// `rank` was made by [`mpirage_fold_rank`] and is not gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_expect(rank: *mut c_void, next: bool) {
    // SAFETY: by the contract above; nothing is changed, and no other thread is in here.
    unsafe { &*rank.cast::<Rank>() }.fetch(next);
}

/// Forgets a rank that has ended.
///
/// # Safety
/// `rank` was made by [`mpirage_fold_rank`]; it will not run again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_fold_end(rank: *mut c_void) {
    // SAFETY: by the contract above.
    drop(unsafe { Box::from_raw(rank.cast::<Rank>()) });
}

/// Does work during which other ranks may run, and with them their notes of who called.
pub(crate) fn with_turns_passed<T>(work: impl FnOnce() -> T) -> T {
    let note = trampoline::note();
    let result = work();
    trampoline::note_again(note);
    result
}
