//! A lock that costs next to nothing while the process has one thread, which is nearly always.
//!
//! An atomic exchange waits until all earlier stores have left the processor. Among these stores are the bytes of messages that
//! were just copied, so the exchange may take longer than the rest of an MPI function. A folded rank has one thread, and the
//! C library says whether a process has more. The word means the same in both cases, because the program may start a thread
//! while the lock is taken.

use core::ffi::c_char;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use lock_api::{GuardSend, RawMutex};

/// A value behind such a lock.
pub(crate) type Lock<T> = lock_api::Mutex<Word, T>;
/// Access to the value while the lock is held.
pub(crate) type Guard<'a, T> = lock_api::MutexGuard<'a, Word, T>;

/// The state of a lock: free, taken or awaited.
pub(crate) struct Word(AtomicU32);

/// The ranks of this process are folded: they take turns on one thread.
static FOLDED: AtomicBool = AtomicBool::new(false);

const FREE: u32 = 0;
const TAKEN: u32 = 1;
/// Taken, and at least one thread sleeps until it is free.
const AWAITED: u32 = 2;

unsafe extern "C" {
    /// Non-zero as long as the process has never had a second thread (glibc 2.32 and later).
    static __libc_single_threaded: c_char;
}

// SAFETY: the word changes from free to taken in one step that no other thread can share: an atomic exchange, or any store
// if there is no other thread.
unsafe impl RawMutex for Word {
    #[allow(clippy::declare_interior_mutable_const, reason = "that is how lock_api makes one")]
    const INIT: Word = Word(AtomicU32::new(FREE));
    type GuardMarker = GuardSend;

    #[inline]
    fn lock(&self) {
        if !self.try_lock() {
            self.sleep_until_taken();
        }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        if is_single_threaded() {
            let free = self.0.load(Ordering::Relaxed) == FREE;
            if free {
                self.0.store(TAKEN, Ordering::Relaxed);
            }
            return free;
        }
        self.0.compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[inline]
    unsafe fn unlock(&self) {
        if is_single_threaded() {
            self.0.store(FREE, Ordering::Relaxed);
        } else if self.0.swap(FREE, Ordering::Release) == AWAITED {
            self.wake_one();
        }
    }
}

impl Word {
    #[cold]
    fn wake_one(&self) {
        let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the kernel uses only the address of the word.
        unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), operation, 1) };
    }

    #[cold]
    fn sleep_until_taken(&self) {
        while self.0.swap(AWAITED, Ordering::Acquire) != FREE {
            let (operation, forever) =
                (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, ptr::null::<libc::timespec>());
            // SAFETY: the word lives as long as the call. A call that returns early is repeated.
            unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), operation, AWAITED, forever) };
        }
    }
}

/// The ranks of this process are folded from now on.
pub(crate) fn note_folded_ranks() {
    FOLDED.store(true, Ordering::Relaxed);
}

/// Are the ranks of this process folded?
#[inline]
pub(crate) fn is_folded() -> bool {
    FOLDED.load(Ordering::Relaxed)
}

/// Is this thread the only one that can be inside this library?
#[inline]
pub(crate) fn is_single_threaded() -> bool {
    // SAFETY: a byte of the C library that changes only when this thread starts another.
    is_folded() || unsafe { (&raw const __libc_single_threaded).read_volatile() } != 0
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn threads_take_turns() {
        let sum = Lock::new(0_u64);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| *sum.lock() += 1));
            }
        });
        assert_eq!(*sum.lock(), 40_000);
    }

    #[test]
    fn what_is_taken_is_not_free() {
        let lock = Lock::new(());
        let guard = lock.lock();
        assert!(lock.try_lock().is_none());
        drop(guard);
        assert!(lock.try_lock().is_some());
    }
}
