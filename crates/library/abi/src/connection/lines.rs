//! The lines of a rank's threads.
//!
//! All threads share the rank's first line, and one at a time makes a call, unless the program asked for `MPI_THREAD_MULTIPLE`. Then each thread gets a line of
//! its own when it first needs one, and the line ends with the thread. A thread that has never called MPI needs one if the simulator asks it to pass its turn.

use core::sync::atomic::{Ordering, compiler_fence};
use std::cell::{Cell, OnceCell};
use std::sync::OnceLock;

use mpirage_channel::LineOpener;

use super::rank_side::RankSide;
use super::state::{ConnectionState, Peer};
use crate::ground::lock::Lock;
use crate::timing::work;

thread_local! {
    /// The line of this thread, if threads have lines of their own.
    static OWN: OnceCell<ThreadLine> = const { OnceCell::new() };
    /// May a signal handler open a line for this thread? Nothing has to be allocated for it, and the thread is not opening one.
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// This thread has just begun: a signal handler may open a line for it from now on.
pub(crate) fn make_room_for_line() {
    // The first access registers the destructor.
    OWN.with(|_| HAS_ROOM.set(true));
}

/// The line of a thread.
enum ThreadLine {
    First,
    Own(Lock<ConnectionState>),
}

/// The line ends with its thread.
impl Drop for ThreadLine {
    fn drop(&mut self) {
        if let ThreadLine::Own(state) = self {
            state.get_mut().end_line();
        }
    }
}

/// The lines of a rank.
#[repr(C)]
pub(super) struct Lines {
    first: Lock<ConnectionState>,
    /// Set if threads have lines of their own.
    opener: OnceLock<LineOpener>,
}

impl Lines {
    pub(super) fn new(peer: Peer) -> Lines {
        Lines { first: Lock::new(ConnectionState::new(peer)), opener: OnceLock::new() }
    }

    /// From now on each thread has a line of its own, unless that is so already; the first line is this thread's.
    pub(super) fn one_for_each_thread(&self) {
        if self.opener.get().is_some() {
            return;
        }
        let Some(opener) = self.first.lock().announce_threads() else { return };
        // This thread has no line yet, and no other code sets the opener.
        OWN.with(|own| {
            own.get_or_init(|| ThreadLine::First);
        });
        work::count_by_line();
        let _ = self.opener.set(opener);
    }

    /// The line of this thread.
    #[inline(always)]
    pub(super) fn this(&self, rank: &RankSide) -> &Lock<ConnectionState> {
        match self.opener.get() {
            None => &self.first,
            Some(opener) => self.own(opener, rank),
        }
    }

    /// The line of this thread for a signal handler. None if the thread has none and it is not the time to open one.
    pub(super) fn for_handler(&self, rank: &RankSide) -> Option<&Lock<ConnectionState>> {
        let Some(opener) = self.opener.get() else { return Some(&self.first) };
        let is_open = OWN.try_with(|own| own.get().is_some()).ok()?;
        (is_open || HAS_ROOM.get()).then(|| self.own(opener, rank))
    }

    #[inline(never)]
    fn own(&self, opener: &LineOpener, rank: &RankSide) -> &Lock<ConnectionState> {
        let own = OWN.try_with(|own| {
            if own.get().is_none() {
                // A signal handler that interrupts this must not open a line as well. If it has just done so, the next look finds it.
                HAS_ROOM.set(false);
                compiler_fence(Ordering::SeqCst);
            }
            match own.get_or_init(|| open(opener, rank)) {
                ThreadLine::First => &raw const self.first,
                ThreadLine::Own(state) => &raw const *state,
            }
        });
        match own {
            // SAFETY: a part of `self`, or a thread-local variable of this thread, which has not ended; the caller is this thread, and gives the
            // reference back before its MPI function returns.
            Ok(state) => unsafe { &*state },
            Err(_) => rank.give_up("called by a thread that is about to end"),
        }
    }
}

fn open(opener: &LineOpener, rank: &RankSide) -> ThreadLine {
    let Some(end) = opener.open(work::thread_number()) else {
        rank.give_up(
            "cannot map a mailbox for this thread; has the program closed descriptors that are not its own?",
        )
    };
    work::this_thread_has_a_line();
    ThreadLine::Own(Lock::new(ConnectionState::of_thread(end)))
}
