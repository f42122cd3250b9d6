//! Waits of threads that end at a date, interposed: the program has computed the date from a clock that shows simulated time.
//!
//! Whoever ends the wait may itself sleep or communicate, which takes simulated time. If each thread has a line, a thread that waits for a semaphore
//! therefore tries again and again and sleeps in simulated time in between, as for [file locks](crate::c_library::locks). It notices at most an eighth of
//! its wait late that the semaphore is free.
//!
//! Waits for conditions and locks stay in the kernel, because another thread of the process may hold what they wait for while it computes: Python's threads wait so
//! for the interpreter. Their time limit is the same span of real time. So is that of semaphores if threads have no lines: the simulator
//! does not wait for the other threads then.

use core::ffi::{CStr, c_int};
use std::sync::OnceLock;

use libc::{clockid_t, pthread_cond_t, pthread_mutex_t, pthread_rwlock_t, sem_t, timespec};

use crate::c_library::clock::{Slept, pass, shown};
use crate::c_library::locks::{FIRST, MOST};
use crate::ground::process;
use crate::ground::system::{as_nanos, as_timespec, errno, fail_with, next, real};
use crate::rank;

type WaitForSemaphore = unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int;
type WaitForCondition =
    unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, clockid_t, *const timespec) -> c_int;
type WaitForConditionOfClock =
    unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int;

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int {
    // SAFETY: the program's arguments.
    unsafe { sem_clockwait(semaphore, libc::CLOCK_REALTIME, until) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> c_int {
    static REAL: OnceLock<Option<WaitForSemaphore>> = OnceLock::new();
    // SAFETY: the type of the function; the program hands over a semaphore, and a time or null.
    unsafe {
        let date = until.as_ref().and_then(as_nanos);
        if let Some(date) = date.filter(|_| has_lines() && shown(clock).is_some()) {
            return wait_in_simulated_time(semaphore, clock, date);
        }
        let real_date = date.and_then(|date| in_real_time(clock, date));
        match known(&REAL, c"sem_clockwait") {
            Some(wait) => wait(semaphore, clock, real_date.as_ref().map_or(until, |date| date)),
            None => fail_with(libc::ENOSYS),
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    static REAL: OnceLock<Option<WaitForCondition>> = OnceLock::new();
    // SAFETY: the type of the function; the program's arguments, of which the time may be null.
    unsafe {
        let real_date = until.as_ref().and_then(as_nanos).and_then(|date| in_real_time(clock, date));
        match known(&REAL, c"pthread_cond_clockwait") {
            Some(wait) => wait(condition, mutex, clock, real_date.as_ref().map_or(until, |date| date)),
            None => libc::ENOSYS,
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    static REAL: OnceLock<Option<WaitForConditionOfClock>> = OnceLock::new();
    // SAFETY: the type of the function; the program's arguments, of which the time may be null.
    unsafe {
        if let Some(clock) = until.as_ref().and_then(as_nanos).and_then(clock_of) {
            return pthread_cond_clockwait(condition, mutex, clock, until);
        }
        match known(&REAL, c"pthread_cond_timedwait") {
            Some(wait) => wait(condition, mutex, until),
            None => libc::ENOSYS,
        }
    }
}

/// Locks of threads with a time limit: on the clock of the calendar, and on one that the program names.
macro_rules! locks {
    ($($on_calendar:ident $on_clock:ident $of:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $on_calendar(lock: *mut $of, until: *const timespec) -> c_int {
            // SAFETY: the program's arguments.
            unsafe { $on_clock(lock, libc::CLOCK_REALTIME, until) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $on_clock(lock: *mut $of, clock: clockid_t, until: *const timespec) -> c_int {
            type Lock = unsafe extern "C" fn(*mut $of, clockid_t, *const timespec) -> c_int;
            static REAL: OnceLock<Option<Lock>> = OnceLock::new();
            let name = const {
                match CStr::from_bytes_with_nul(concat!(stringify!($on_clock), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name without NUL"),
                }
            };
            // SAFETY: the type of the function; the program's arguments, of which the time may be null.
            unsafe {
                let date = until.as_ref().and_then(as_nanos).and_then(|date| in_real_time(clock, date));
                match known(&REAL, name) {
                    Some(take) => take(lock, clock, date.as_ref().map_or(until, |date| date)),
                    None => libc::ENOSYS,
                }
            }
        }
    )*};
}

locks! {
    pthread_mutex_timedlock pthread_mutex_clocklock pthread_mutex_t;
    pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock pthread_rwlock_t;
    pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock pthread_rwlock_t;
}

/// May this thread wait in simulated time?
fn has_lines() -> bool {
    process::may_connect() && {
        let connection = rank::this().connection();
        connection.has_threads() && connection.may_call()
    }
}

/// # Safety
/// The address of a semaphore.
unsafe fn wait_in_simulated_time(semaphore: *mut sem_t, clock: clockid_t, date: u64) -> c_int {
    let mut waited = 0;
    loop {
        // SAFETY: the caller vouches for it.
        let result = unsafe { libc::sem_trywait(semaphore) };
        if result == 0 || errno() != libc::EAGAIN {
            return result;
        }
        let left = date.saturating_sub(shown(clock).unwrap_or(date));
        if left == 0 {
            return fail_with(libc::ETIMEDOUT);
        }
        let span = (waited / 8).clamp(FIRST, MOST).min(left);
        if pass(span) != Slept::Fully {
            return fail_with(libc::EINTR);
        }
        waited += span;
    }
}

/// The date on the real clock that is as far away as a date on the simulated one; none if the clock shows real time.
fn in_real_time(clock: clockid_t, date: u64) -> Option<timespec> {
    let left = date.saturating_sub(shown(clock)?);
    Some(as_timespec(as_nanos(&real(clock))?.saturating_add(left)))
}

/// The clock of a condition, which only the C library knows: the one that is nearer to the date. None if clocks show real time.
fn clock_of(date: u64) -> Option<clockid_t> {
    let clocks = [libc::CLOCK_MONOTONIC, libc::CLOCK_REALTIME];
    let distances = clocks.map(|clock| shown(clock).map(|now| date.abs_diff(now)));
    let [Some(monotonic), Some(real)] = distances else { return None };
    Some(clocks[usize::from(real < monotonic)])
}

/// The C library's function, looked up once.
///
/// # Safety
/// As for [`next`].
unsafe fn known<F: Copy>(place: &OnceLock<Option<F>>, name: &CStr) -> Option<F> {
    // SAFETY: the caller vouches for it.
    *place.get_or_init(|| unsafe { next(name) })
}
