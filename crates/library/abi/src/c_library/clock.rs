//! Time as the program sees it: the clock functions of the C library, interposed.
//!
//! In a rank whose simulator says so they show simulated time, and sleeping lets simulated time pass; everywhere else they
//! are the real ones. They work before `MPI_Init`, after `MPI_Finalize`, in every thread and in signal handlers: a reading
//! never waits for a call that is under way.
//!
//! Code of this library must not call the C library's clock functions, because these functions replace them.

use core::ffi::{c_int, c_uint, c_void};

use libc::{clockid_t, suseconds_t, time_t, timespec, timeval, useconds_t};
use mpirage_call::Call;
use mpirage_units::{Duration, Time};

use crate::connection::Connection;
use crate::ground::process;
use crate::ground::system::{NANOS, PROBE, PROBED, as_nanos, as_timespec, errno, fail_with, real};
use crate::rank;

/// The time since the simulated machine was started, when the program starts.
const UPTIME: u64 = NANOS;

/// Seconds, for `MPI_Wtime`: simulated in a rank of a simulation, real elsewhere.
pub(crate) fn seconds() -> f64 {
    match rank::this().connection().now() {
        Some(now) => now.as_secs_f64(),
        None => {
            let now = real(libc::CLOCK_MONOTONIC);
            now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: clockid_t, place: *mut timespec) -> c_int {
    match shown(clock) {
        Some(nanos) if !place.is_null() => {
            // SAFETY: not null; the program hands over a place for a time.
            unsafe { *place = as_timespec(nanos) };
            0
        }
        _ if clock == PROBE && !place.is_null() => {
            // SAFETY: not null; `clocks_are_reached` hands over a place for a time.
            unsafe { *place = PROBED };
            0
        }
        // SAFETY: the kernel checks the address; `syscall` sets `errno`.
        _ => unsafe { libc::syscall(libc::SYS_clock_gettime, clock, place) as c_int },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(place: *mut timeval, zone: *mut c_void) -> c_int {
    let now = shown(libc::CLOCK_REALTIME).map(as_timespec).unwrap_or_else(|| real(libc::CLOCK_REALTIME));
    // SAFETY: the program hands over places for a time and for a zone, or null.
    unsafe {
        if let Some(place) = place.as_mut() {
            *place = timeval { tv_sec: now.tv_sec, tv_usec: (now.tv_nsec / 1_000) as suseconds_t };
        }
        if !zone.is_null() {
            // `struct timezone` is two ints, which are obsolete.
            zone.cast::<[c_int; 2]>().write([0, 0]);
        }
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn time(place: *mut time_t) -> time_t {
    let now = shown(libc::CLOCK_REALTIME).map(as_timespec).unwrap_or_else(|| real(libc::CLOCK_REALTIME));
    // SAFETY: the program hands over a place for a time, or null.
    if let Some(place) = unsafe { place.as_mut() } {
        *place = now.tv_sec;
    }
    now.tv_sec
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sleep(seconds: c_uint) -> c_uint {
    let left = match pass(u64::from(seconds) * NANOS) {
        Slept::Fully => return 0,
        Slept::Woken(left) => as_timespec(left),
        Slept::Not => {
            let wanted = timespec { tv_sec: seconds.into(), tv_nsec: 0 };
            let mut left = wanted;
            // SAFETY: two times of ours.
            if unsafe { libc::syscall(libc::SYS_nanosleep, &raw const wanted, &raw mut left) } == 0 {
                return 0;
            }
            left
        }
    };
    // Rounded, as the C library does.
    (left.tv_sec + i64::from(left.tv_nsec >= NANOS as i64 / 2)) as c_uint
}

#[unsafe(no_mangle)]
unsafe extern "C" fn usleep(micros: useconds_t) -> c_int {
    let wanted = as_timespec(u64::from(micros) * 1_000);
    // SAFETY: a local variable; the remaining time is not wanted.
    unsafe { nanosleep(&raw const wanted, core::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(wanted: *const timespec, left: *mut timespec) -> c_int {
    // SAFETY: the program hands over a time, or null.
    match unsafe { wanted.as_ref() }.and_then(as_nanos).map(pass) {
        Some(Slept::Fully) => 0,
        Some(Slept::Woken(nanos)) => {
            // SAFETY: the program hands over a place for a time, or null.
            unsafe { put(left, nanos) };
            fail_with(libc::EINTR)
        }
        // SAFETY: the kernel checks the addresses and the time; `syscall` sets `errno`.
        _ => unsafe { libc::syscall(libc::SYS_nanosleep, wanted, left) as c_int },
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: clockid_t,
    flags: c_int,
    wanted: *const timespec,
    left: *mut timespec,
) -> c_int {
    // SAFETY: the program hands over a time, or null.
    let time = unsafe { wanted.as_ref() }.and_then(as_nanos);
    if let (Some(time), Some(now)) = (time, shown(clock)) {
        let until = flags & libc::TIMER_ABSTIME != 0;
        match pass(if until { time.saturating_sub(now) } else { time }) {
            Slept::Fully => return 0,
            Slept::Woken(nanos) => {
                if !until {
                    // SAFETY: the program hands over a place for a time, or null.
                    unsafe { put(left, nanos) };
                }
                return libc::EINTR;
            }
            Slept::Not => {}
        }
    }
    // SAFETY: the kernel checks the addresses and the time.
    match unsafe { libc::syscall(libc::SYS_clock_nanosleep, clock, flags, wanted, left) } {
        0 => 0,
        _ => errno(),
    }
}

/// # Safety
/// A place for a time, or null.
unsafe fn put(place: *mut timespec, nanos: u64) {
    // SAFETY: by the contract above.
    if let Some(place) = unsafe { place.as_mut() } {
        *place = as_timespec(nanos);
    }
}

/// Simulated time on a clock, in nanoseconds; none if the clock shows real time.
pub(crate) fn shown(clock: clockid_t) -> Option<u64> {
    if !process::may_connect() {
        return None;
    }
    let connection = rank::this().connection();
    if !connection.briefing().simulated_clock {
        return None;
    }
    let offset = match clock {
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => {
            connection.briefing().epoch * NANOS
        }
        libc::CLOCK_MONOTONIC
        | libc::CLOCK_MONOTONIC_RAW
        | libc::CLOCK_MONOTONIC_COARSE
        | libc::CLOCK_BOOTTIME => UPTIME,
        // Processor time is what it is.
        _ => return None,
    };
    connection.now().map(|now: Time| offset + now.as_picos() / 1_000)
}

/// How a sleep in simulated time ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slept {
    /// This process has no simulated time: the sleep must be real.
    Not,
    /// For the whole time.
    Fully,
    /// A signal interrupted it; so many nanoseconds are left.
    Woken(u64),
}

/// Lets simulated time pass.
pub(crate) fn pass(nanos: u64) -> Slept {
    if !process::may_connect() {
        return Slept::Not;
    }
    let connection = rank::this().connection();
    if !(connection.briefing().simulated_clock && connection.may_call()) {
        return Slept::Not;
    }
    let timers = connection.timers();
    if timers.next_nanos().is_none() {
        sleep_for(connection, nanos);
        return Slept::Fully;
    }
    let handled = timers.handled();
    let now = || connection.now().map_or(0, |now| now.as_picos().div_ceil(1_000));
    let mut at = now();
    let until = at + nanos;
    while at < until && timers.handled() == handled {
        sleep_for(connection, until.min(timers.next_nanos().unwrap_or(until)).saturating_sub(at));
        // Reading the clock raises the signals of timers that have expired.
        at = now();
    }
    if timers.handled() == handled { Slept::Fully } else { Slept::Woken(until.saturating_sub(at)) }
}

fn sleep_for(connection: &Connection, nanos: u64) {
    connection.ask(&Call::Sleep { span: Duration::from_nanos(nanos) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_time_is_real() {
        let (before, std) = (real(libc::CLOCK_REALTIME), std::time::SystemTime::now());
        let std = std.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        assert!(std.abs_diff(before.tv_sec as u64) <= 2);
        let one = seconds();
        assert!(seconds() >= one);
    }
}
