//! Turns of programs that do not call MPI.
//!
//! A program may wait in a loop for memory that another rank or thread changes. The simulator lets one rank run at a time, so such a
//! loop would never end. After a while the simulator sends a signal, whose handler makes a call for the program: others go on.
//! Folded ranks are interrupted by the simulator itself, which calls [`mpirage_fold_yield`].

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use mpirage_channel::YIELD_SIGNAL;

use crate::ground::crash::interrupted;
use crate::ground::lock::is_folded;
use crate::rank;

/// Folded ranks share memory. The simulator reads it by its name.
#[unsafe(no_mangle)]
pub static mpirage_fold_shares_memory: AtomicBool = AtomicBool::new(false);

/// The program interrupts itself when the simulator asks for it, unless it handles the signal already.
pub(crate) fn listen() {
    if is_folded() || !rank::this().connection().is_simulated() {
        return;
    }
    // SAFETY: the structures are ours; the handler makes a call only where no call is under way.
    unsafe {
        let mut now: libc::sigaction = core::mem::zeroed();
        if libc::sigaction(YIELD_SIGNAL, ptr::null(), &mut now) != 0 || now.sa_sigaction != libc::SIG_DFL {
            return;
        }
        let mut new: libc::sigaction = core::mem::zeroed();
        new.sa_sigaction = on_signal as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(YIELD_SIGNAL, &new, ptr::null_mut());
    }
}

/// Other ranks change memory of this one from now on.
pub(crate) fn announce_shared_memory() {
    if is_folded() {
        mpirage_fold_shares_memory.store(true, Ordering::Relaxed);
    }
    rank::this().connection().announce_shared_memory();
}

/// The simulator has interrupted the folded rank that runs, in its own code.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_fold_yield(place: usize) {
    rank::this().connection().yield_turn(place);
}

extern "C" fn on_signal(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: this thread's errno, which the interrupted code may be about to read.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the kernel hands over the state of the interrupted code.
    let (place, _) = unsafe { interrupted(&*context.cast()) };
    rank::this().connection().yield_turn(place);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}
