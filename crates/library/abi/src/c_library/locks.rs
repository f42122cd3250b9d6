//! File locks, interposed: a rank waits for them in simulated time.
//!
//! The rank that holds a lock may sleep or communicate, and then goes on only when simulated time advances. A rank that waited for
//! the lock in the kernel would block the simulator, and simulated time with it. Instead the rank tries again and again, and
//! sleeps in simulated time in between.

use core::ffi::{c_int, c_long, c_short};

use libc::timespec;
use mpirage_call::Call;
use mpirage_units::Duration;

use crate::ground::lock::is_folded;
use crate::ground::system::{errno, fail_with};
use crate::rank;

/// Nanoseconds until the second try.
pub(crate) const FIRST: u64 = 10_000;
/// Nanoseconds between two tries at most.
pub(crate) const MOST: u64 = 1_000_000_000;
/// After so many tries the holder may be a process outside of the simulation, which needs real time.
const PATIENT: u32 = 100;
/// The real time between two tries.
static NAP: timespec = timespec { tv_sec: 0, tv_nsec: 1_000_000 };

#[unsafe(no_mangle)]
unsafe extern "C" fn flock(file: c_int, operation: c_int) -> c_int {
    // SAFETY: a number and flags, which the kernel checks.
    let system = |operation: c_int| unsafe { libc::syscall(libc::SYS_flock, file, operation) };
    if operation & (libc::LOCK_NB | libc::LOCK_UN) != 0 {
        return system(operation) as c_int;
    }
    until_free(|| system(operation | libc::LOCK_NB), || system(operation))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl(file: c_int, command: c_int, argument: usize) -> c_int {
    let command = if is_folded() { of_file(command, argument) } else { command };
    // SAFETY: the program's argument, which the kernel checks.
    let system = |command: c_int| unsafe { libc::syscall(libc::SYS_fcntl, file, command, argument) };
    let attempt = match command {
        libc::F_SETLKW => libc::F_SETLK,
        libc::F_OFD_SETLKW => libc::F_OFD_SETLK,
        _ => return system(command) as c_int,
    };
    until_free(|| system(attempt), || system(command))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl64(file: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the program's argument.
    unsafe { fcntl(file, command, argument) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn lockf(file: c_int, command: c_int, size: i64) -> c_int {
    // SAFETY: an empty description is valid.
    let mut lock: libc::flock = unsafe { core::mem::zeroed() };
    (lock.l_whence, lock.l_len) = (libc::SEEK_CUR as c_short, size);
    let (command, kind) = match command {
        libc::F_LOCK => (libc::F_SETLKW, libc::F_WRLCK),
        libc::F_TLOCK => (libc::F_SETLK, libc::F_WRLCK),
        libc::F_ULOCK => (libc::F_SETLK, libc::F_UNLCK),
        libc::F_TEST => (libc::F_GETLK, libc::F_WRLCK),
        _ => return fail_with(libc::EINVAL),
    };
    lock.l_type = kind as c_short;
    // SAFETY: a lock of ours.
    let result = unsafe { fcntl(file, command, &raw mut lock as usize) };
    let held = command == libc::F_GETLK && result == 0 && lock.l_type != libc::F_UNLCK as c_short;
    if held { fail_with(libc::EACCES) } else { result }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn lockf64(file: c_int, command: c_int, size: i64) -> c_int {
    // SAFETY: numbers.
    unsafe { lockf(file, command, size) }
}

/// Record locks of POSIX belong to a process, and all folded ranks are one process. Locks of open files behave as if each rank were
/// a process.
fn of_file(command: c_int, lock: usize) -> c_int {
    let command = match command {
        libc::F_SETLK => libc::F_OFD_SETLK,
        libc::F_SETLKW => libc::F_OFD_SETLKW,
        libc::F_GETLK => libc::F_OFD_GETLK,
        other => return other,
    };
    // SAFETY: the program's description of a lock, or null; the kernel wants no process in it.
    if let Some(lock) = unsafe { (lock as *mut libc::flock).as_mut() } {
        lock.l_pid = 0;
    }
    command
}

/// Tries until the lock is free. Outside of a simulation the kernel waits.
fn until_free(attempt: impl Fn() -> c_long, wait: impl Fn() -> c_long) -> c_int {
    let connection = rank::this().connection();
    if !connection.is_simulated() || !connection.may_call() {
        return wait() as c_int;
    }
    let (mut waited, mut tries) = (0, 0);
    loop {
        let result = attempt();
        if result != -1 || !matches!(errno(), libc::EAGAIN | libc::EACCES) {
            return result as c_int;
        }
        let span = (waited / 8).clamp(FIRST, MOST);
        connection.ask(&Call::Sleep { span: Duration::from_nanos(span) });
        waited += span;
        tries += 1;
        if tries > PATIENT {
            // SAFETY: a time of ours.
            unsafe { libc::syscall(libc::SYS_nanosleep, &raw const NAP, 0) };
        }
    }
}
