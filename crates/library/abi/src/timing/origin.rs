//! How a rank was started: as a process of its own, or folded into the simulator's process.

use core::ffi::{c_char, c_int};
use core::mem::zeroed;
use core::ptr;
use std::ffi::CStr;

use mpirage_call::{LineId, RankId};
use mpirage_channel::{FoldedPlace, FoldedRankInit};

/// Where a folded rank finds the simulator.
pub(crate) struct FoldedOrigin {
    pub host: Vec<u8>,
    pub place: FoldedPlace,
    pub control: Control,
}

/// How to end a rank and how to raise a signal in it.
#[derive(Clone, Copy)]
pub(crate) struct Control {
    /// Ends the running rank with an exit code.
    pub exit: extern "C" fn(c_int) -> !,
    /// Raises a signal in the running rank. True if a handler of the program has run.
    pub raise: extern "C" fn(c_int) -> bool,
}

impl FoldedOrigin {
    /// The origin of a rank, and the words of the command that starts it.
    ///
    /// # Safety
    /// `init` points to valid strings, and to a mailbox that stays.
    pub(crate) unsafe fn new(init: &FoldedRankInit) -> (FoldedOrigin, Vec<Vec<u8>>) {
        // SAFETY: by the contract above.
        let text = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
        // SAFETY: `argv` has `argc` strings.
        let words = (0..init.argc as usize).map(|at| text(unsafe { *init.argv.add(at) })).collect();
        // SAFETY: the mailbox stays, and belongs to the rank whenever the rank runs.
        let place = unsafe {
            FoldedPlace::new(LineId::new(init.line), RankId::new(init.rank), init.mailbox.cast(), init.pass)
        };
        let control = Control { exit: init.exit, raise: init.raise };
        (FoldedOrigin { host: text(init.host), place, control }, words)
    }
}

impl Control {
    /// Of a rank that is a process.
    pub(crate) const PROCESS: Control = Control { exit: exit_process, raise: raise_in_process };
}

extern "C" fn exit_process(code: c_int) -> ! {
    std::process::exit(code)
}

extern "C" fn raise_in_process(signal: c_int) -> bool {
    // SAFETY: empty structures are valid; the calls fill them in.
    unsafe {
        let (mut action, mut mask): (libc::sigaction, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigaction(signal, ptr::null(), &raw mut action);
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &raw mut mask);
        let handled = action.sa_sigaction != libc::SIG_IGN && libc::sigismember(&raw const mask, signal) == 0;
        // The signal goes to the process and not to the thread, as those of the kernel's timers do.
        libc::kill(libc::getpid(), signal);
        handled
    }
}
