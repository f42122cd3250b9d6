//! Alarms and interval timers, interposed: they follow the clock that the program sees ([`crate::timing::timers`]).
//!
//! Timers of processor time, and those of a process without a simulator, are the kernel's.

use core::ffi::{c_int, c_long, c_uint, c_void};
use core::mem::zeroed;

use libc::{clockid_t, itimerspec, itimerval, sigevent, suseconds_t, timespec, timeval, useconds_t};

use crate::c_library::clock::{self, Slept};
use crate::ground::system::{NANOS, as_nanos, as_timespec, fail_with, next};
use crate::rank;
use crate::timing::timers::{ALARM, Setting, Timers};

/// In the identifier of a timer: it is ours and not the kernel's. Addresses of programs are smaller.
const OURS: usize = 0x6d70_0000_0000_0000;

/// Simulated time in nanoseconds, if timers of this clock follow it here.
fn now(clock: clockid_t) -> Option<u64> {
    let wall = matches!(
        clock,
        libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC | libc::CLOCK_BOOTTIME | libc::CLOCK_TAI
    );
    let connection = rank::this().connection();
    let simulated = connection.briefing().simulated_clock && connection.may_call();
    if wall && simulated { connection.now().map(|now| now.as_picos() / 1_000) } else { None }
}

fn timers() -> &'static Timers {
    rank::this().connection().timers()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn alarm(seconds: c_uint) -> c_uint {
    let Some(now) = now(libc::CLOCK_REALTIME) else {
        // SAFETY: a number.
        return unsafe { libc::syscall(libc::SYS_alarm, seconds) as c_uint };
    };
    let (left, _) = timers().start(ALARM, now, Setting { after: u64::from(seconds) * NANOS, interval: 0 });
    // Never zero if there was an alarm, and rounded otherwise, as the kernel does.
    let rounded = (left + NANOS / 2) / NANOS;
    if left > 0 { rounded.max(1) as c_uint } else { 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ualarm(micros: useconds_t, interval: useconds_t) -> useconds_t {
    let value = itimerval {
        it_interval: as_timeval(u64::from(interval) * 1_000),
        it_value: as_timeval(u64::from(micros) * 1_000),
    };
    // SAFETY: an empty value is valid; both are ours.
    unsafe {
        let mut before: itimerval = zeroed();
        match setitimer(libc::ITIMER_REAL, &raw const value, &raw mut before) {
            0 => (before.it_value.tv_sec * 1_000_000 + before.it_value.tv_usec) as useconds_t,
            _ => useconds_t::MAX,
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int {
    let now = if which == libc::ITIMER_REAL { now(libc::CLOCK_REALTIME) } else { None };
    // SAFETY: the program hands over a value, or null.
    let value =
        unsafe { new.as_ref() }.map(|new| (from_timeval(&new.it_value), from_timeval(&new.it_interval)));
    let (Some(now), Some((Some(after), Some(interval)))) = (now, value) else {
        // SAFETY: the kernel checks what the program hands over; `syscall` sets `errno`.
        return unsafe { libc::syscall(libc::SYS_setitimer, which, new, old) as c_int };
    };
    let before = timers().start(ALARM, now, Setting { after, interval });
    // SAFETY: the program hands over a place for a value, or null.
    unsafe { put_timeval(old, before) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn getitimer(which: c_int, place: *mut itimerval) -> c_int {
    let now = if which == libc::ITIMER_REAL { now(libc::CLOCK_REALTIME) } else { None };
    let Some(now) = now.filter(|_| !place.is_null()) else {
        // SAFETY: the kernel checks what the program hands over; `syscall` sets `errno`.
        return unsafe { libc::syscall(libc::SYS_getitimer, which, place) as c_int };
    };
    let left = timers().get(ALARM).map_or((0, 0), |timer| timer.left(now));
    // SAFETY: the program hands over a place for a value.
    unsafe { put_timeval(place, left) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_create(clock: clockid_t, event: *mut sigevent, place: *mut *mut c_void) -> c_int {
    // SAFETY: the program hands over an event, or null.
    let wanted = unsafe { event.as_ref() };
    let signal = match wanted.map(|event| event.sigev_notify) {
        None => Some(libc::SIGALRM),
        Some(libc::SIGEV_SIGNAL) => wanted.map(|event| event.sigev_signo),
        Some(libc::SIGEV_NONE) => None,
        // Notification by a thread is the C library's.
        Some(_) => return kernel_create(clock, event, place),
    };
    if now(clock).is_none() || place.is_null() {
        return kernel_create(clock, event, place);
    }
    let number = timers().create(signal, clock);
    // SAFETY: the program hands over a place for the timer.
    unsafe { *place = (OURS + number) as *mut c_void };
    0
}

/// The number of a timer of ours.
fn ours(timer: *mut c_void) -> Option<usize> {
    timer.addr().checked_sub(OURS).filter(|&number| number < 1 << 32)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_settime(
    timer: *mut c_void,
    flags: c_int,
    new: *const itimerspec,
    old: *mut itimerspec,
) -> c_int {
    let Some(number) = ours(timer) else { return kernel_settime(timer, flags, new, old) };
    let known = timers().get(number);
    // SAFETY: the program hands over a value, or null.
    let value = unsafe { new.as_ref() }.map(|new| (as_nanos(&new.it_value), as_nanos(&new.it_interval)));
    let (Some(known), Some((Some(value), Some(interval)))) = (known, value) else {
        return fail_with(libc::EINVAL);
    };
    let (Some(now), Some(shown)) = (now(known.clock), clock::shown(known.clock)) else {
        return fail_with(libc::EINVAL);
    };
    let absolute = flags & libc::TIMER_ABSTIME != 0 && value > 0;
    // A date in the past expires at once.
    let after = if absolute { value.saturating_sub(shown).max(1) } else { value };
    let before = timers().start(number, now, Setting { after, interval });
    // SAFETY: the program hands over a place for a value, or null.
    unsafe { put_timespec(old, before) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_gettime(timer: *mut c_void, place: *mut itimerspec) -> c_int {
    let Some(number) = ours(timer) else { return kernel_gettime(timer, place) };
    let known = timers().get(number);
    let Some((known, now)) = known.and_then(|timer| Some((timer, now(timer.clock)?))) else {
        return fail_with(libc::EINVAL);
    };
    // SAFETY: the program hands over a place for a value, or null.
    unsafe { put_timespec(place, known.left(now)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_getoverrun(timer: *mut c_void) -> c_int {
    match ours(timer) {
        Some(_) => 0,
        None => kernel_getoverrun(timer),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_delete(timer: *mut c_void) -> c_int {
    let Some(number) = ours(timer) else { return kernel_delete(timer) };
    if timers().delete(number) { 0 } else { fail_with(libc::EINVAL) }
}

/// Waits for a signal: for the next timer, if one runs.
#[unsafe(no_mangle)]
unsafe extern "C" fn pause() -> c_int {
    while let Some((now, next)) = now(libc::CLOCK_REALTIME).zip(timers().next_nanos()) {
        if let Slept::Woken(_) = clock::pass(next.saturating_sub(now).max(1)) {
            return fail_with(libc::EINTR);
        }
    }
    // SAFETY: no arguments.
    unsafe { libc::syscall(libc::SYS_pause) as c_int }
}

/// Defines functions that call those of the C library, whose timers are the kernel's.
macro_rules! kernel {
    ($($function:ident = $name:literal($($argument:ident: $type:ty),*);)*) => {
        $(fn $function($($argument: $type),*) -> c_int {
            // SAFETY: the C library's function under its name, with its type; it checks what the program hands over.
            unsafe {
                match next::<unsafe extern "C" fn($($type),*) -> c_int>($name) {
                    Some(function) => function($($argument),*),
                    None => fail_with(libc::EINVAL),
                }
            }
        })*
    };
}

kernel! {
    kernel_create = c"timer_create"(clock: clockid_t, event: *mut sigevent, place: *mut *mut c_void);
    kernel_settime = c"timer_settime"(timer: *mut c_void, flags: c_int, new: *const itimerspec, old: *mut itimerspec);
    kernel_gettime = c"timer_gettime"(timer: *mut c_void, place: *mut itimerspec);
    kernel_getoverrun = c"timer_getoverrun"(timer: *mut c_void);
    kernel_delete = c"timer_delete"(timer: *mut c_void);
}

fn as_timeval(nanos: u64) -> timeval {
    let timespec { tv_sec, tv_nsec } = as_timespec(nanos);
    timeval { tv_sec, tv_usec: (tv_nsec / 1_000) as suseconds_t }
}

/// None if the kernel would refuse it.
fn from_timeval(value: &timeval) -> Option<u64> {
    let valid = (0..1_000_000).contains(&value.tv_usec);
    as_nanos(&timespec { tv_sec: value.tv_sec, tv_nsec: value.tv_usec as c_long * 1_000 }).filter(|_| valid)
}

/// # Safety
/// A place for a value, or null.
unsafe fn put_timeval(place: *mut itimerval, (left, interval): (u64, u64)) {
    // SAFETY: by the contract above.
    if let Some(place) = unsafe { place.as_mut() } {
        *place = itimerval { it_value: as_timeval(left), it_interval: as_timeval(interval) };
    }
}

/// # Safety
/// A place for a value, or null.
unsafe fn put_timespec(place: *mut itimerspec, (left, interval): (u64, u64)) {
    // SAFETY: by the contract above.
    if let Some(place) = unsafe { place.as_mut() } {
        *place = itimerspec { it_value: as_timespec(left), it_interval: as_timespec(interval) };
    }
}
