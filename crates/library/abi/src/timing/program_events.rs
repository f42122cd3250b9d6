//! Events that the program itself completes: generalised requests, and partitions that it makes ready.
//!
//! A thread that waits for such an event sleeps in real time: the event comes from another thread of the same rank, whose
//! processor time counts as work of the rank.

use core::ptr;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use core::time::Duration;

use crate::ground::lock::is_single_threaded;
use crate::timing::work;

/// How long a thread sleeps before it looks whether there is another thread at all.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Counts events of the program, so that a thread can wait for the next one.
#[derive(Debug, Default)]
pub(crate) struct ProgramEvents {
    count: AtomicU32,
    /// Nanoseconds for which threads have tested in vain since the last one.
    tested: AtomicU64,
}

impl ProgramEvents {
    /// Can an event come while this thread waits?
    pub(crate) fn may_come() -> bool {
        !is_single_threaded() && work::has_other_threads()
    }

    /// The number of events so far.
    pub(crate) fn count(&self) -> u32 {
        self.count.load(Ordering::Acquire)
    }

    /// An event has happened.
    pub(crate) fn note(&self) {
        self.tested.store(0, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Release);
        if !is_single_threaded() {
            let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
            // SAFETY: the kernel uses only the address of the word.
            unsafe { libc::syscall(libc::SYS_futex, self.count.as_ptr(), operation, i32::MAX) };
        }
    }

    /// The nanoseconds that pass until a thread that has tested in vain tests again: an eighth of what it has waited.
    pub(crate) fn until_next_test(&self, least: u64) -> u64 {
        let span = (self.tested.load(Ordering::Relaxed) / 8).max(least);
        self.tested.fetch_add(span, Ordering::Relaxed);
        span
    }

    /// Waits for an event after the first `seen`. False if none can come, since there is no other thread.
    pub(crate) fn wait(&self, seen: u32) -> bool {
        loop {
            // A thread may note its event and end: so whether there are threads is asked before the events are counted.
            let may_come = ProgramEvents::may_come();
            if self.count() != seen {
                return true;
            }
            if !may_come {
                return false;
            }
            self.wait_briefly(seen, LOOK_EVERY);
        }
    }

    /// The same, but not longer than `limit`.
    pub(crate) fn wait_briefly(&self, seen: u32, limit: Duration) {
        let limit =
            libc::timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
        let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the word and the limit live as long as the call. A call that returns early does no harm.
        unsafe {
            libc::syscall(libc::SYS_futex, self.count.as_ptr(), operation, seen, ptr::from_ref(&limit))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::ProgramEvents;

    #[test]
    fn an_event_that_has_come_already_is_not_waited_for() {
        let events = ProgramEvents::default();
        let seen = events.count();
        events.note();
        assert!(events.wait(seen));
    }

    #[test]
    fn tests_in_vain_become_rare() {
        let events = ProgramEvents::default();
        let passed: u64 = (0..150).map(|_| events.until_next_test(1_000)).sum();
        assert!(passed > 1_000_000_000);
        events.note();
        assert_eq!(events.until_next_test(1_000), 1_000);
    }
}
