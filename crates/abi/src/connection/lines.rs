//! The lines of a rank's threads.
//!
//! All threads share the rank's first line, and one at a time makes a call, unless the program asked for `MPI_THREAD_MULTIPLE`. Then each thread gets a line of
//! its own when it first needs one, and the line ends with the thread.

use std::cell::OnceCell;
use std::sync::OnceLock;

use mpirage_channel::LineOpener;

use super::rank_side::RankSide;
use super::state::{ConnectionState, Peer};
use crate::lock::Lock;
use crate::work;

thread_local! {
    /// The line of this thread, if threads have lines of their own.
    static OWN: OnceCell<ThreadLine> = const { OnceCell::new() };
}

/// Which line a thread has.
enum ThreadLine {
    First,
    Own(Box<Lock<ConnectionState>>),
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
        let _ = OWN.with(|own| own.set(ThreadLine::First));
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

    #[inline(never)]
    fn own(&self, opener: &LineOpener, rank: &RankSide) -> &Lock<ConnectionState> {
        let own = OWN.try_with(|own| match own.get_or_init(|| open(opener, rank)) {
            ThreadLine::First => &raw const self.first,
            ThreadLine::Own(state) => &raw const **state,
        });
        match own {
            // SAFETY: a part of `self`, or a box that lives as long as this thread has thread-local variables; the caller is this thread, and gives the
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
    ThreadLine::Own(Box::new(Lock::new(ConnectionState::of_thread(end))))
}
