//! Calendar functions with buffers per rank, and the clocks of C++.

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Function, functions};
use crate::current::library;

unsafe extern "C" {
    fn tzset();
    fn asctime_r(time: *const libc::tm, buffer: *mut c_char) -> *mut c_char;
    fn ctime_r(time: *const libc::time_t, buffer: *mut c_char) -> *mut c_char;
}

/// The `clock_gettime` that C++ clocks are to use; 0 is the C library's.
static CLOCK: AtomicUsize = AtomicUsize::new(0);

/// Lets `std::chrono`'s clocks in folded programs read this `clock_gettime`.
pub fn set_clock(clock_gettime: unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int) {
    CLOCK.store(clock_gettime as *const () as usize, Ordering::Relaxed);
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        localtime => localtime, gmtime => gmtime, asctime => asctime, ctime => ctime,
        _ZNSt6chrono3_V212system_clock3nowEv => system_now, _ZNSt6chrono3_V212steady_clock3nowEv => steady_now,
        _ZNSt6chrono12system_clock3nowEv => system_now, _ZNSt6chrono12steady_clock3nowEv => steady_now,
    }
}

unsafe fn broken_down() -> *mut libc::tm {
    // SAFETY: the state of the rank that runs.
    unsafe { (*library()).time.broken_down.as_mut_ptr() }
}

unsafe fn text() -> *mut c_char {
    // SAFETY: as above.
    unsafe { (&raw mut (*library()).time.text).cast() }
}

unsafe extern "C" fn localtime(time: *const libc::time_t) -> *mut libc::tm {
    // SAFETY: the program's time; only `localtime` itself looks at the time zone each time.
    unsafe {
        tzset();
        libc::localtime_r(time, broken_down())
    }
}

unsafe extern "C" fn gmtime(time: *const libc::time_t) -> *mut libc::tm {
    // SAFETY: the program's time.
    unsafe { libc::gmtime_r(time, broken_down()) }
}

unsafe extern "C" fn asctime(time: *const libc::tm) -> *mut c_char {
    // SAFETY: the program's time; the buffer is larger than the 26 bytes it takes.
    unsafe { asctime_r(time, text()) }
}

unsafe extern "C" fn ctime(time: *const libc::time_t) -> *mut c_char {
    // SAFETY: as `asctime`.
    unsafe {
        tzset();
        ctime_r(time, text())
    }
}

extern "C" fn system_now() -> i64 {
    now(libc::CLOCK_REALTIME)
}

extern "C" fn steady_now() -> i64 {
    now(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds, as a `time_point` holds them.
fn now(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let address = CLOCK.load(Ordering::Relaxed);
    // SAFETY: `set_clock` took a function of this type.
    unsafe {
        if address == 0 {
            libc::clock_gettime(clock, &raw mut time);
        } else {
            type Clock = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;
            std::mem::transmute::<usize, Clock>(address)(clock, &raw mut time);
        }
    }
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
