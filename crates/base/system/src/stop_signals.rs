//! Signals that ask mpirage to stop: SIGINT, SIGTERM, SIGHUP.
//!
//! The first signal asks: the command ends its ranks and removes its temporary files. A later one kills the command at once, for
//! the case that it does not react. `timeout` sends a signal to its child and then to the whole group, so a signal that comes at
//! the same moment as the first counts as the same. Signals that the parent has told us to ignore (`nohup`) stay ignored.

use std::ffi::c_int;
use std::io;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// The signals by which users stop a command.
const ASKING: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// A second signal that comes within this time is the first one again.
const SAME_MILLISECONDS: u64 = 300;

/// The last signal that has come; 0 if none has.
static LAST: AtomicI32 = AtomicI32::new(0);
/// When the first signal came, in milliseconds of the monotonic clock; 0 if none has.
static FIRST: AtomicU64 = AtomicU64::new(0);

/// Remembers the signals by which users stop a command, from now on; none of them ends the process at once, unless it comes a
/// second time.
pub fn remember_stop_signals() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut installed = Ok(());
    ONCE.call_once(|| installed = stop_signals().try_for_each(install));
    installed
}

/// The last signal that asked this process to stop.
pub fn stop_signal() -> Option<c_int> {
    Some(LAST.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// The signals that stop this process: those that it does not ignore.
pub fn stop_signals() -> impl Iterator<Item = c_int> {
    ASKING.into_iter().filter(|&signal| !is_ignored(signal))
}

/// From now on the kernel delivers signals to other threads than this one.
pub fn leave_signals_to_others() {
    // SAFETY: both calls only use a local variable, and blocking signals of a thread that waits for none breaks nothing.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, ptr::null_mut());
    }
}

fn is_ignored(signal: c_int) -> bool {
    // SAFETY: an empty action is valid; the call only reads the present one into it.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, ptr::null(), &raw mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

fn install(signal: c_int) -> io::Result<()> {
    // SAFETY: an empty action is valid; the handler only uses atomics and two functions that are safe in handlers.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = note as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, ptr::null_mut())
    };
    if installed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

extern "C" fn note(signal: c_int) {
    let now = milliseconds();
    match FIRST.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed) {
        // SAFETY: ends the process without running any of its code.
        Err(first) if now.saturating_sub(first) > SAME_MILLISECONDS => unsafe { libc::_exit(128 + signal) },
        _ => LAST.store(signal, Ordering::Relaxed),
    }
}

/// The monotonic clock, at least 1.
fn milliseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a local variable; the function is safe in signal handlers.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    (now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000).max(1)
}
