//! The C library and the kernel behind the functions of the same name that this library interposes.
//!
//! Code of this library must not call the C library's clock functions, because those are interposed too: it reads clocks
//! with [`real`].

use core::ffi::{CStr, c_int};
use core::mem::{size_of, transmute_copy};

use libc::{clockid_t, time_t, timespec};

/// Nanoseconds of a second.
pub(crate) const NANOS: u64 = 1_000_000_000;

/// The function that the program would call if this library did not define `name`.
///
/// # Safety
/// `F` is a pointer to a function with the type of the C library's function.
pub(crate) unsafe fn next<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // SAFETY: `name` ends with NUL; `F` is as large as the pointer, and the caller vouches for its type.
    unsafe {
        let address = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        (!address.is_null()).then(|| transmute_copy(&address))
    }
}

/// A clock that no kernel has. Only [`clocks_are_reached`] reads it.
pub(crate) const PROBE: clockid_t = 0x6d70_6972;
/// The time that this clock shows.
pub(crate) const PROBED: timespec = timespec { tv_sec: PROBE as time_t, tv_nsec: 1 };

/// Does a program that calls `clock_gettime` reach the one of this library? It may be called through functions of the same name that come first,
/// such as those of sanitizers. Another `clock_gettime` comes first if the program finds the C library before this one.
pub(crate) fn clocks_are_reached() -> bool {
    let mut shown = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the name of a function of the C library, which has this type; a place for a time.
    unsafe {
        let address = libc::dlsym(libc::RTLD_DEFAULT, c"clock_gettime".as_ptr());
        let first: Option<unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int> =
            core::mem::transmute(address);
        first.is_some_and(|first| first(PROBE, &raw mut shown) == 0)
            && (shown.tv_sec, shown.tv_nsec) == (PROBED.tv_sec, PROBED.tv_nsec)
    }
}

/// The real clock, read with a system call.
pub(crate) fn real(clock: clockid_t) -> timespec {
    let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes to a local variable.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut now) };
    now
}

pub(crate) fn as_timespec(nanos: u64) -> timespec {
    timespec { tv_sec: (nanos / NANOS) as time_t, tv_nsec: (nanos % NANOS) as i64 }
}

/// Nanoseconds of a time; none if the kernel would refuse it.
pub(crate) fn as_nanos(time: &timespec) -> Option<u64> {
    let (seconds, nanos) = (u64::try_from(time.tv_sec).ok()?, u64::try_from(time.tv_nsec).ok()?);
    (nanos < NANOS).then(|| seconds.saturating_mul(NANOS).saturating_add(nanos))
}

/// This thread's `errno`.
pub(crate) fn errno() -> c_int {
    // SAFETY: the address of a variable of this thread.
    unsafe { *libc::__errno_location() }
}

/// Sets this thread's `errno` and returns -1, as functions of the C library fail.
pub(crate) fn fail_with(error: c_int) -> c_int {
    // SAFETY: the address of a variable of this thread.
    unsafe { *libc::__errno_location() = error };
    -1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_split_and_joined() {
        let time = as_timespec(3 * NANOS + 7);
        assert_eq!((time.tv_sec, time.tv_nsec), (3, 7));
        assert_eq!(as_nanos(&time), Some(3 * NANOS + 7));
        assert_eq!(as_nanos(&timespec { tv_sec: -1, tv_nsec: 0 }), None);
        assert_eq!(as_nanos(&timespec { tv_sec: 0, tv_nsec: NANOS as i64 }), None);
    }
}
