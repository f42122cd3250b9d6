//! Alarms and interval timers, interposed: they follow the clock that the program sees.
//!
//! A timer of a rank expires at a simulated date. Its signal is raised
//!
//! - in a sleep, which it cuts short;
//! - when a call returns at or after that date;
//! - in the middle of a computation, if computation is measured: then a timer of the kernel counts processor time. Folded ranks
//!   have no such timer, since they share a thread.
//!
//! Timers of processor time, and those of a process without a simulator, are the kernel's.

mod system;

use core::ffi::{c_int, c_long, c_uint, c_void};
use core::mem::zeroed;
use core::ops::{Deref, DerefMut};
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libc::{clockid_t, itimerspec, itimerval, sigevent, suseconds_t, timespec, timeval, useconds_t};

use crate::clock::{self, NANOS, Slept, as_nanos, as_timespec};
use crate::{connection, rank};

/// Stands for no date.
const NEVER: u64 = u64::MAX;
/// The number of the alarm among the timers of a rank; timers of POSIX follow.
const ALARM: usize = 0;
/// In the identifier of a timer: it is ours and not the kernel's. Addresses of programs are smaller.
const OURS: usize = 0x6d70_0000_0000_0000;

/// The timers of a rank.
pub(crate) struct Timers {
    /// The date of the first one that expires, in picoseconds.
    next: AtomicU64,
    set: Mutex<TimerSet>,
    /// How often a handler of the program has run for a timer.
    handled: AtomicU64,
}

/// The timers, while they are looked at. No signal comes meanwhile, whose handler could want them too.
struct Held<'a> {
    set: MutexGuard<'a, TimerSet>,
    _masked: Masked,
}

/// All signals are blocked; what was blocked before is restored.
struct Masked(libc::sigset_t);

impl Masked {
    fn new() -> Masked {
        // SAFETY: empty sets are valid, and the calls fill them in.
        unsafe {
            let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (zeroed(), zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Masked(before)
        }
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        // SAFETY: a set that was in force.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, ptr::null_mut()) };
    }
}

impl Deref for Held<'_> {
    type Target = TimerSet;

    fn deref(&self) -> &TimerSet {
        &self.set
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut TimerSet {
        &mut self.set
    }
}

#[derive(Default)]
struct TimerSet {
    timers: Vec<Option<Timer>>,
    /// The kernel's timer of processor time, once it was needed.
    kernel: Option<KernelTimer>,
}

/// One timer.
#[derive(Clone, Copy)]
struct Timer {
    signal: Option<c_int>,
    /// Nanoseconds of simulated time; none if it is not running.
    expires: Option<u64>,
    /// Nanoseconds between two expirations; zero if there is only one.
    interval: u64,
    clock: clockid_t,
}

/// A timer of the kernel that counts processor time of this process.
struct KernelTimer {
    id: c_int,
    /// The date for which it is set, and the signal.
    set_for: Option<(u64, c_int)>,
}

impl Timers {
    pub(crate) fn new() -> Timers {
        Timers { next: AtomicU64::new(NEVER), set: Mutex::default(), handled: AtomicU64::new(0) }
    }

    /// The first date at which a timer expires, in nanoseconds of simulated time.
    pub(crate) fn next_nanos(&self) -> Option<u64> {
        let next = self.next.load(Ordering::Relaxed);
        (next != NEVER).then_some(next / 1_000)
    }

    /// How often a handler of the program has run for a timer: a sleep that sees a change was interrupted.
    pub(crate) fn handled(&self) -> u64 {
        self.handled.load(Ordering::Relaxed)
    }

    fn set(&self) -> Held<'_> {
        let masked = Masked::new();
        Held { set: self.set.lock().unwrap_or_else(PoisonError::into_inner), _masked: masked }
    }

    /// Changes the timers; the next date follows.
    fn change<T>(&self, change: impl FnOnce(&mut TimerSet) -> T) -> T {
        let mut set = self.set();
        let result = change(&mut set);
        let next = set.timers.iter().flatten().filter_map(|timer| timer.expires).min();
        self.next.store(next.map_or(NEVER, |nanos| nanos.saturating_mul(1_000)), Ordering::Relaxed);
        result
    }
}

impl TimerSet {
    /// A timer that has expired at `now`, in order of dates; it goes on if it has an interval.
    fn take_expired(&mut self, now: u64) -> Option<(u64, Option<c_int>)> {
        let expired = self.timers.iter_mut().flatten().filter(|timer| timer.expires <= Some(now));
        let timer = expired.filter(|timer| timer.expires.is_some()).min_by_key(|timer| timer.expires)?;
        let date = timer.expires.take()?;
        if let Some(missed) = (now - date).checked_div(timer.interval) {
            // Expirations that went unnoticed count as one, as with the kernel's timers.
            timer.expires = Some(date + (missed + 1) * timer.interval);
        }
        Some((date, timer.signal))
    }

    fn slot(&mut self, number: usize) -> &mut Option<Timer> {
        if self.timers.len() <= number {
            self.timers.resize(number + 1, None);
        }
        &mut self.timers[number]
    }

    /// The first timer that expires and raises a signal.
    fn first(&self) -> Option<(u64, c_int)> {
        let running = self.timers.iter().flatten();
        running.filter_map(|timer| Some((timer.expires?, timer.signal?))).min()
    }
}

/// Raises the signals of timers that have expired by the time that was last shown. Nothing of this library is locked meanwhile:
/// handlers may do what they like.
#[inline]
pub(crate) fn raise_expired() {
    let rank = rank::this();
    if rank.timers.next.load(Ordering::Relaxed) != NEVER {
        raise_expired_of(rank);
    }
}

#[cold]
fn raise_expired_of(rank: &rank::Rank) {
    let now = rank.last_shown().as_picos() / 1_000;
    while let Some((date, signal)) = rank.timers.change(|set| set.take_expired(now)) {
        let by_kernel = rank.timers.set().kernel.as_mut().is_some_and(|kernel| kernel.has_raised(date));
        let handled = match signal {
            Some(signal) if !by_kernel => raise(signal),
            _ => by_kernel,
        };
        rank.timers.handled.fetch_add(u64::from(handled), Ordering::Relaxed);
    }
    arm(rank, now);
}

/// Raises a signal in the rank that runs. Has a handler of the program run?
fn raise(signal: c_int) -> bool {
    let rank = rank::this();
    if let Some(origins) = &rank.origins {
        return origins.raise(signal);
    }
    // SAFETY: empty structures are valid; the calls fill them in.
    unsafe {
        let (mut action, mut mask): (libc::sigaction, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigaction(signal, ptr::null(), &raw mut action);
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &raw mut mask);
        let handled = action.sa_sigaction != libc::SIG_IGN && libc::sigismember(&raw const mask, signal) == 0;
        // The process and not the thread, as the kernel's timers do.
        libc::kill(libc::getpid(), signal);
        handled
    }
}

/// Has the kernel raise the next signal in the middle of a computation.
fn arm(rank: &rank::Rank, now: u64) {
    let briefing = &rank.line().briefing;
    if rank::is_folded() || !briefing.measure || briefing.speed_ratio <= 0.0 {
        return;
    }
    let mut set = rank.timers.set();
    let first = set.first();
    if first.is_none() && set.kernel.is_none() {
        return;
    }
    let kernel = set.kernel.get_or_insert_with(KernelTimer::new);
    kernel.set(first.map(|(date, signal)| {
        let span = (date.saturating_sub(now)) as f64 / briefing.speed_ratio;
        (date, signal, span as u64)
    }));
}

impl KernelTimer {
    fn new() -> KernelTimer {
        KernelTimer { id: -1, set_for: None }
    }

    /// Sets it for a date, that is so many nanoseconds of processor time away, or stops it.
    fn set(&mut self, next: Option<(u64, c_int, u64)>) {
        if self.set_for.map(|(_, signal)| signal) != next.map(|(_, signal, _)| signal) {
            self.make(next.map(|(_, signal, _)| signal));
        }
        self.set_for = next.map(|(date, signal, _)| (date, signal));
        // A span of zero would stop it.
        let span = next.map_or(0, |(_, _, span)| span.max(1));
        let value = itimerspec { it_interval: as_timespec(0), it_value: as_timespec(span) };
        // SAFETY: a timer of ours, or -1, which the kernel refuses; a value of ours.
        unsafe { libc::syscall(libc::SYS_timer_settime, self.id, 0, &raw const value, 0) };
    }

    /// The kernel's timer raises one signal for all of its life.
    fn make(&mut self, signal: Option<c_int>) {
        // SAFETY: a timer of ours or -1; an empty event is valid, and its fields that count are set.
        unsafe {
            libc::syscall(libc::SYS_timer_delete, self.id);
            self.id = -1;
            if let Some(signal) = signal {
                let mut event: sigevent = zeroed();
                (event.sigev_notify, event.sigev_signo) = (libc::SIGEV_SIGNAL, signal);
                let clock = libc::CLOCK_PROCESS_CPUTIME_ID;
                libc::syscall(libc::SYS_timer_create, clock, &raw mut event, &raw mut self.id);
            }
        }
    }

    /// Has it raised the signal of this date?
    fn has_raised(&mut self, date: u64) -> bool {
        if self.set_for.map(|(date, _)| date) != Some(date) {
            return false;
        }
        // SAFETY: an empty value is valid, and the kernel fills it in.
        let (known, left) = unsafe {
            let mut value: itimerspec = zeroed();
            let known = libc::syscall(libc::SYS_timer_gettime, self.id, &raw mut value) == 0;
            (known, as_nanos(&value.it_value))
        };
        self.set_for = None;
        known && left == Some(0)
    }
}

/// Simulated time in nanoseconds, if timers of this clock follow it here.
fn now(clock: clockid_t) -> Option<u64> {
    let wall = matches!(
        clock,
        libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC | libc::CLOCK_BOOTTIME | libc::CLOCK_TAI
    );
    let simulated = connection::line().briefing.simulated_clock && connection::is_mine();
    if wall && simulated { connection::now().map(|now| now.as_picos() / 1_000) } else { None }
}

/// Sets a timer to expire in so many nanoseconds; zero stops it. Gives what was left, and the interval.
fn set_timer(now: u64, number: usize, signal: c_int, after: u64, interval: u64) -> (u64, u64) {
    let rank = rank::this();
    let before = rank.timers.change(|set| {
        let slot = set.slot(number);
        let before = *slot;
        let expires = (after > 0).then(|| now + after);
        let (signal, clock) =
            before.map_or((Some(signal), libc::CLOCK_REALTIME), |timer| (timer.signal, timer.clock));
        *slot = Some(Timer { signal, expires, interval, clock });
        before
    });
    arm(rank, now);
    left(before, now)
}

/// What is left until a timer expires, and its interval. One that has expired and was not noticed yet has a little left.
fn left(timer: Option<Timer>, now: u64) -> (u64, u64) {
    let Some(Timer { expires: Some(expires), interval, .. }) = timer else { return (0, 0) };
    (expires.saturating_sub(now).max(1), interval)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn alarm(seconds: c_uint) -> c_uint {
    let Some(now) = now(libc::CLOCK_REALTIME) else {
        // SAFETY: a number.
        return unsafe { libc::syscall(libc::SYS_alarm, seconds) as c_uint };
    };
    let (left, _) = set_timer(now, ALARM, libc::SIGALRM, u64::from(seconds) * NANOS, 0);
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
    let before = set_timer(now, ALARM, libc::SIGALRM, after, interval);
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
    let timer = *rank::this().timers.set().slot(ALARM);
    // SAFETY: the program hands over a place for a value.
    unsafe { put_timeval(place, left(timer, now)) };
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
        Some(_) => return system::timer_create(clock, event, place),
    };
    if now(clock).is_none() || place.is_null() {
        return system::timer_create(clock, event, place);
    }
    let number = rank::this().timers.change(|set| {
        let number = (ALARM + 1..).find(|&number| set.slot(number).is_none()).unwrap_or(ALARM + 1);
        *set.slot(number) = Some(Timer { signal, expires: None, interval: 0, clock });
        number
    });
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
    let Some(number) = ours(timer) else { return system::timer_settime(timer, flags, new, old) };
    let known = *rank::this().timers.set().slot(number);
    // SAFETY: the program hands over a value, or null.
    let value = unsafe { new.as_ref() }.map(|new| (as_nanos(&new.it_value), as_nanos(&new.it_interval)));
    let (Some(known), Some((Some(value), Some(interval)))) = (known, value) else { return invalid() };
    let (Some(now), Some(shown)) = (now(known.clock), clock::shown(known.clock)) else { return invalid() };
    let absolute = flags & libc::TIMER_ABSTIME != 0 && value > 0;
    // A date in the past expires at once.
    let after = if absolute { value.saturating_sub(shown).max(1) } else { value };
    let before = set_timer(now, number, libc::SIGALRM, after, interval);
    // SAFETY: the program hands over a place for a value, or null.
    unsafe { put_timespec(old, before) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_gettime(timer: *mut c_void, place: *mut itimerspec) -> c_int {
    let Some(number) = ours(timer) else { return system::timer_gettime(timer, place) };
    let known = *rank::this().timers.set().slot(number);
    let Some((known, now)) = known.and_then(|timer| Some((timer, now(timer.clock)?))) else {
        return invalid();
    };
    // SAFETY: the program hands over a place for a value, or null.
    unsafe { put_timespec(place, left(Some(known), now)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_getoverrun(timer: *mut c_void) -> c_int {
    match ours(timer) {
        Some(_) => 0,
        None => system::timer_getoverrun(timer),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn timer_delete(timer: *mut c_void) -> c_int {
    let Some(number) = ours(timer) else { return system::timer_delete(timer) };
    match rank::this().timers.change(|set| set.slot(number).take()) {
        Some(_) => 0,
        None => invalid(),
    }
}

/// Waits for a signal: for the next timer, if one runs.
#[unsafe(no_mangle)]
unsafe extern "C" fn pause() -> c_int {
    while let Some((now, next)) = now(libc::CLOCK_REALTIME).zip(rank::this().timers.next_nanos()) {
        if let Slept::Woken(_) = clock::pass(next.saturating_sub(now).max(1)) {
            // SAFETY: this thread's errno.
            unsafe { *libc::__errno_location() = libc::EINTR };
            return -1;
        }
    }
    // SAFETY: no arguments.
    unsafe { libc::syscall(libc::SYS_pause) as c_int }
}

fn invalid() -> c_int {
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() = libc::EINVAL };
    -1
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

#[cfg(test)]
mod tests {
    use super::*;

    fn timer(expires: u64, interval: u64) -> Option<Timer> {
        Some(Timer {
            signal: Some(libc::SIGALRM),
            expires: Some(expires),
            interval,
            clock: libc::CLOCK_REALTIME,
        })
    }

    #[test]
    fn timers_expire_in_order_and_go_on() {
        let timers = Timers::new();
        assert_eq!(timers.next_nanos(), None);
        timers.change(|set| set.timers = vec![timer(50, 0), None, timer(20, 15)]);
        assert_eq!(timers.next_nanos(), Some(20));
        let expired = |now| timers.change(|set| set.take_expired(now)).map(|(date, _)| date);
        assert_eq!(expired(19), None);
        assert_eq!(expired(20), Some(20));
        assert_eq!((expired(20), timers.next_nanos()), (None, Some(35)));
        // 35 and 50 have passed unnoticed: the interval timer expires once for both.
        assert_eq!([expired(60), expired(60), expired(60)], [Some(35), Some(50), None]);
        assert_eq!(timers.next_nanos(), Some(65));
    }

    #[test]
    fn what_is_left_is_never_zero_while_a_timer_runs() {
        assert_eq!(left(timer(50, 7), 20), (30, 7));
        assert_eq!(left(timer(50, 7), 90), (1, 7));
        assert_eq!(left(None, 90), (0, 0));
    }
}
