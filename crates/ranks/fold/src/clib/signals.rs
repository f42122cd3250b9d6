//! Signals that a rank raises itself, those of its timers, and those of its crashes: each rank has handlers and a mask of its own.
//!
//! Signals from outside the process are the simulator's ([`crate::signal`]).

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;

use super::state::{SIGNALS, Set, Signals};
use super::{Function, functions};
use crate::call::call;
use crate::current::{self, library};
use crate::rank::Fault;

/// Words before the address in the kernel's `siginfo_t`.
const INFO_ADDRESS: usize = 2;

fn bit(number: c_int) -> Set {
    1 << (number - 1)
}

/// # Safety
/// A set of the program, or null.
unsafe fn read(set: *const libc::sigset_t) -> Option<Set> {
    // SAFETY: by the contract above; the C library's type begins with the kernel's.
    unsafe { set.cast::<Set>().as_ref().copied() }
}

/// # Safety
/// A place for a set, or null.
unsafe fn write(place: *mut libc::sigset_t, set: Set) {
    // SAFETY: by the contract above; as in `read`.
    unsafe {
        if let Some(place) = place.as_mut() {
            *place = zeroed();
            *ptr::from_mut(place).cast() = set;
        }
    }
}

fn signals<'a>() -> &'a mut Signals {
    // SAFETY: the state of the rank that runs, which only its own code uses.
    unsafe { (*library()).signals.get_or_insert_with(Box::default) }
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        sigaction => sigaction, __sigaction => sigaction, signal => signal, bsd_signal => signal, __sysv_signal => sysv_signal,
        sysv_signal => sysv_signal, raise => raise, gsignal => raise, sigprocmask => sigprocmask, pthread_sigmask => pthread_sigmask,
        sigpending => sigpending,
    }
}

/// Raises a signal in the rank that runs. Has a handler of the program run?
pub fn raise_in_rank(number: c_int) -> bool {
    if current::get().is_null() || !is_signal(number) {
        return false;
    }
    let signals = signals();
    if signals.mask & bit(number) != 0 {
        signals.pending |= bit(number);
        return false;
    }
    let action = signals.actions[number as usize];
    match action.sa_sigaction {
        libc::SIG_IGN => false,
        libc::SIG_DFL if is_ignored_by_default(number) => false,
        // The rank ends as a process would by this signal.
        // SAFETY: the rank that runs.
        libc::SIG_DFL => unsafe { current::end_by(current::get(), Fault { number, ..Fault::default() }) },
        _ => {
            run(number, action, libc::SI_TIMER, 0);
            true
        }
    }
}

/// Does the rank that runs have a handler for a signal, and is it not blocked?
pub(crate) fn handles(number: c_int) -> bool {
    let rank = current::get();
    // SAFETY: the rank that runs.
    let known = unsafe { rank.as_ref() }.and_then(|rank| rank.library.as_ref()?.signals.as_ref());
    let Some(signals) = known.filter(|_| is_signal(number)) else { return false };
    signals.actions[number as usize].sa_sigaction > libc::SIG_IGN && signals.mask & bit(number) == 0
}

/// Runs the handler for a crash at an address.
pub(crate) fn handle(number: c_int, address: usize) {
    run(number, signals().actions[number as usize], libc::SI_KERNEL, address);
}

fn is_signal(number: c_int) -> bool {
    (1..SIGNALS as c_int).contains(&number)
}

fn is_ignored_by_default(number: c_int) -> bool {
    matches!(number, libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT)
}

/// Runs a handler with its mask.
fn run(number: c_int, action: libc::sigaction, code: c_int, address: usize) {
    let before = signals().mask;
    if action.sa_flags & libc::SA_RESETHAND != 0 {
        signals().actions[number as usize].sa_sigaction = libc::SIG_DFL;
    }
    // SAFETY: a set that the program has given; an empty structure is valid. The handler is the program's and gets what it was
    // installed for. It may not return.
    unsafe {
        let own = if action.sa_flags & libc::SA_NODEFER == 0 { bit(number) } else { 0 };
        signals().mask = before | own | read(&raw const action.sa_mask).unwrap_or(0);
        let mut info: libc::siginfo_t = zeroed();
        (info.si_signo, info.si_code) = (number, code);
        // The address follows the head of the structure, which the `libc` crate keeps to itself.
        (&raw mut info).cast::<usize>().add(INFO_ADDRESS).write(address);
        let information = if action.sa_flags & libc::SA_SIGINFO != 0 { &raw mut info as usize } else { 0 };
        call(action.sa_sigaction, [number as usize, information, 0]);
    }
    set_mask(before);
}

/// Sets the mask; what was pending and is not blocked any more comes now.
fn set_mask(mask: Set) {
    signals().mask = mask;
    for number in 1..SIGNALS as c_int {
        let signals = signals();
        if signals.pending & !signals.mask & bit(number) != 0 {
            signals.pending &= !bit(number);
            raise_in_rank(number);
        }
    }
}

fn fail(error: c_int) -> c_int {
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() = error };
    -1
}

unsafe extern "C" fn sigaction(
    number: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let fixed = matches!(number, libc::SIGKILL | libc::SIGSTOP);
    if !is_signal(number) || fixed && !new.is_null() {
        return fail(libc::EINVAL);
    }
    let action = &mut signals().actions[number as usize];
    // SAFETY: the program's structures, or null; the two may be one.
    unsafe {
        let wanted = new.as_ref().copied();
        if !old.is_null() {
            *old = *action;
        }
        if let Some(wanted) = wanted {
            *action = wanted;
        }
    }
    0
}

unsafe extern "C" fn signal(number: c_int, handler: usize) -> usize {
    install(number, handler, libc::SA_RESTART)
}

/// The semantics of System V: a handler runs once.
unsafe extern "C" fn sysv_signal(number: c_int, handler: usize) -> usize {
    install(number, handler, libc::SA_RESETHAND | libc::SA_NODEFER)
}

fn install(number: c_int, handler: usize, flags: c_int) -> usize {
    // SAFETY: empty structures are valid.
    unsafe {
        let (mut new, mut old): (libc::sigaction, libc::sigaction) = (zeroed(), zeroed());
        (new.sa_sigaction, new.sa_flags) = (handler, flags);
        match sigaction(number, &raw const new, &raw mut old) {
            0 => old.sa_sigaction,
            _ => libc::SIG_ERR,
        }
    }
}

extern "C" fn raise(number: c_int) -> c_int {
    if !is_signal(number) {
        return fail(libc::EINVAL);
    }
    raise_in_rank(number);
    0
}

unsafe extern "C" fn sigprocmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    // SAFETY: the program's sets, or null.
    match unsafe { pthread_sigmask(how, new, old) } {
        0 => 0,
        error => fail(error),
    }
}

unsafe extern "C" fn pthread_sigmask(
    how: c_int,
    new: *const libc::sigset_t,
    old: *mut libc::sigset_t,
) -> c_int {
    let before = signals().mask;
    // SAFETY: the program's sets, or null; the two may be one.
    unsafe {
        let wanted = read(new);
        write(old, before);
        let Some(wanted) = wanted else { return 0 };
        match how {
            libc::SIG_BLOCK => set_mask(before | wanted),
            libc::SIG_UNBLOCK => set_mask(before & !wanted),
            libc::SIG_SETMASK => set_mask(wanted),
            _ => return libc::EINVAL,
        }
    }
    0
}

unsafe extern "C" fn sigpending(place: *mut libc::sigset_t) -> c_int {
    // SAFETY: the program's set.
    unsafe { write(place, signals().pending) };
    0
}
