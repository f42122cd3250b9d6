//! File locks of ranks: the functions of the MPI library, which wait in simulated time.
//!
//! A rank that waited for a lock in the kernel would keep the rank that holds it from running, since ranks share a thread.

use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

type Fcntl = unsafe extern "C" fn(c_int, c_int, usize) -> c_int;
type Flock = unsafe extern "C" fn(c_int, c_int) -> c_int;
type Lockf = unsafe extern "C" fn(c_int, c_int, i64) -> c_int;

static FCNTL: AtomicUsize = AtomicUsize::new(0);
static FLOCK: AtomicUsize = AtomicUsize::new(0);
static LOCKF: AtomicUsize = AtomicUsize::new(0);

/// Sets the functions by which ranks wait for file locks, instead of those of the C library.
pub fn set_locks(fcntl: Fcntl, flock: Flock, lockf: Lockf) {
    FCNTL.store(fcntl as *const () as usize, Ordering::Relaxed);
    FLOCK.store(flock as *const () as usize, Ordering::Relaxed);
    LOCKF.store(lockf as *const () as usize, Ordering::Relaxed);
}

/// # Safety
/// The argument is what the command takes.
pub(super) unsafe fn fcntl(descriptor: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: `set_locks` took a function of this type; the argument is the program's.
    unsafe {
        match FCNTL.load(Ordering::Relaxed) {
            0 => libc::fcntl(descriptor, command, argument),
            address => std::mem::transmute::<usize, Fcntl>(address)(descriptor, command, argument),
        }
    }
}

pub(super) fn flock(descriptor: c_int, operation: c_int) -> c_int {
    // SAFETY: `set_locks` took a function of this type.
    unsafe {
        match FLOCK.load(Ordering::Relaxed) {
            0 => libc::flock(descriptor, operation),
            address => std::mem::transmute::<usize, Flock>(address)(descriptor, operation),
        }
    }
}

pub(super) fn lockf(descriptor: c_int, command: c_int, size: i64) -> c_int {
    // SAFETY: `set_locks` took a function of this type.
    unsafe {
        match LOCKF.load(Ordering::Relaxed) {
            0 => libc::lockf(descriptor, command, size),
            address => std::mem::transmute::<usize, Lockf>(address)(descriptor, command, size),
        }
    }
}
