//! The timers of a rank, which expire at simulated dates.
//!
//! The signal of a timer is raised
//!
//! - in a sleep, which it cuts short;
//! - when a call returns at or after the date;
//! - in the middle of a computation, if computation is measured: then a timer of the kernel counts processor time. Folded ranks
//!   have no such timer, because they share a thread.

use core::ffi::c_int;
use core::mem::zeroed;
use core::ops::{Deref, DerefMut};
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libc::{clockid_t, itimerspec, sigevent};

use crate::ground::system::{as_nanos, as_timespec};

/// The date of a timer that does not run.
const NEVER: u64 = u64::MAX;
/// The number of the alarm among the timers of a rank; timers of POSIX follow.
pub(crate) const ALARM: usize = 0;

/// The timers of a rank.
pub(crate) struct Timers {
    /// The date of the first one that expires, in picoseconds.
    next: AtomicU64,
    set: Mutex<TimerSet>,
    /// How often a handler of the program has run for a timer.
    handled: AtomicU64,
    /// Raises a signal in the rank. True if a handler of the program has run.
    raise: extern "C" fn(c_int) -> bool,
    /// Simulated seconds per second of processor time, if the kernel's timers count the rank's computations.
    kernel_speed: Option<f64>,
}

/// Access to the timers. All signals are blocked meanwhile, because a handler could use the timers too.
struct TimersGuard<'a> {
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

impl Deref for TimersGuard<'_> {
    type Target = TimerSet;

    fn deref(&self) -> &TimerSet {
        &self.set
    }
}

impl DerefMut for TimersGuard<'_> {
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
pub(crate) struct Timer {
    /// None if its end is not signalled.
    signal: Option<c_int>,
    /// Nanoseconds of simulated time; none if it is not running.
    expires: Option<u64>,
    /// Nanoseconds between two expirations; zero if there is only one.
    interval: u64,
    /// The clock that its owner measures it with.
    pub clock: clockid_t,
}

/// How a timer is to run.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    /// Nanoseconds until it expires; zero stops it.
    pub after: u64,
    /// Nanoseconds between two expirations; zero if there is only one.
    pub interval: u64,
}

/// A timer of the kernel that counts processor time of this process.
struct KernelTimer {
    id: c_int,
    /// The date for which it is set, and the signal.
    set_for: Option<(u64, c_int)>,
}

impl Timers {
    /// No timers yet. `kernel_speed` is given if the kernel's timers count the rank's computations.
    pub(crate) fn new(raise: extern "C" fn(c_int) -> bool, kernel_speed: Option<f64>) -> Timers {
        let (next, handled) = (AtomicU64::new(NEVER), AtomicU64::new(0));
        Timers { next, set: Mutex::default(), handled, raise, kernel_speed }
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

    /// Raises the signals of timers that have expired by `now`, in picoseconds. The caller holds no lock of this library, because
    /// handlers may call any function.
    #[inline]
    pub(crate) fn raise_expired(&self, now: impl FnOnce() -> u64) {
        if self.next.load(Ordering::Relaxed) != NEVER {
            self.raise_all_expired(now() / 1_000);
        }
    }

    #[cold]
    fn raise_all_expired(&self, now: u64) {
        while let Some((date, signal)) = self.change(|set| set.take_expired(now)) {
            let by_kernel = self.set().kernel.as_mut().is_some_and(|kernel| kernel.has_raised(date));
            let handled = match signal {
                Some(signal) if !by_kernel => (self.raise)(signal),
                _ => by_kernel,
            };
            self.handled.fetch_add(u64::from(handled), Ordering::Relaxed);
        }
        self.arm(now);
    }

    /// Starts or stops a timer. Returns what was left of it, and its interval.
    pub(crate) fn start(&self, number: usize, now: u64, Setting { after, interval }: Setting) -> (u64, u64) {
        let before = self.change(|set| {
            let slot = set.slot(number);
            let before = *slot;
            let alarm = Timer {
                signal: Some(libc::SIGALRM),
                expires: None,
                interval: 0,
                clock: libc::CLOCK_REALTIME,
            };
            let expires = (after > 0).then(|| now + after);
            *slot = Some(Timer { expires, interval, ..before.unwrap_or(alarm) });
            before
        });
        self.arm(now);
        before.map_or((0, 0), |timer| timer.left(now))
    }

    /// A new timer, which does not run yet.
    pub(crate) fn create(&self, signal: Option<c_int>, clock: clockid_t) -> usize {
        self.change(|set| {
            let number = (ALARM + 1..).find(|&number| set.slot(number).is_none()).unwrap_or(ALARM + 1);
            *set.slot(number) = Some(Timer { signal, expires: None, interval: 0, clock });
            number
        })
    }

    /// The timer with this number, if there is one.
    pub(crate) fn get(&self, number: usize) -> Option<Timer> {
        *self.set().slot(number)
    }

    /// Removes a timer. False if there is none with this number.
    pub(crate) fn delete(&self, number: usize) -> bool {
        self.change(|set| set.slot(number).take()).is_some()
    }

    /// Makes the kernel raise the next signal in the middle of a computation.
    fn arm(&self, now: u64) {
        let Some(speed) = self.kernel_speed else { return };
        let mut set = self.set();
        let first = set.first();
        if first.is_none() && set.kernel.is_none() {
            return;
        }
        let kernel = set.kernel.get_or_insert_with(KernelTimer::new);
        kernel.set(first.map(|(date, signal)| {
            let span = (date.saturating_sub(now)) as f64 / speed;
            (date, signal, span as u64)
        }));
    }

    fn set(&self) -> TimersGuard<'_> {
        let masked = Masked::new();
        TimersGuard { set: self.set.lock().unwrap_or_else(PoisonError::into_inner), _masked: masked }
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

impl Timer {
    /// Nanoseconds until it expires, and its interval. A timer whose signal is still to be raised has a little left.
    pub(crate) fn left(&self, now: u64) -> (u64, u64) {
        self.expires.map_or((0, 0), |expires| (expires.saturating_sub(now).max(1), self.interval))
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

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn ignored(_: c_int) -> bool {
        false
    }

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
        let timers = Timers::new(ignored, None);
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
        let timer = timer(50, 7).unwrap();
        assert_eq!([timer.left(20), timer.left(90)], [(30, 7), (1, 7)]);
        assert_eq!(Timer { expires: None, ..timer }.left(90), (0, 0));
    }
}
