//! A note about where a rank's process was when a signal killed it.
//!
//! When the library is loaded into a rank's process, it handles the signals of crashes unless they are handled already.
//! The handler leaves a note for the simulator, and then the signal has its usual effect. A handler that the program
//! installs replaces this one. Crashes of folded ranks are handled by the simulator.

use core::ffi::{c_int, c_void};
use core::ops::ControlFlow;
use core::ptr;
use std::ffi::CString;
use std::sync::OnceLock;

use mpirage_channel::{CHANNEL_VARIABLE, CRASH_FRAMES, CrashPlace};
use mpirage_system::for_each_frame;

/// Signals of crashes.
const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];
/// Bytes of the stack that handlers run on, because a rank may have overflowed its own.
const STACK: usize = 64 << 10;
/// An access that fails so near to the stack pointer is a stack overflow.
const NEAR: usize = 64 << 10;

static PLACE: OnceLock<CrashPlace> = OnceLock::new();

/// Called by the dynamic linker when it has loaded the library.
#[used]
#[unsafe(link_section = ".init_array")]
static INSTALL: extern "C" fn() = install;

extern "C" fn install() {
    let Ok(name) = CString::new(CHANNEL_VARIABLE) else { return };
    // SAFETY: the name is a string; no other thread changes the environment while libraries are loaded.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return;
    }
    // SAFETY: a string of the environment.
    let value = unsafe { core::ffi::CStr::from_ptr(value) };
    let Some(place) = value.to_str().ok().and_then(CrashPlace::of) else { return };
    if PLACE.set(place).is_ok() {
        prepare_stack();
        SIGNALS.into_iter().for_each(handle);
    }
}

/// Gives this thread a stack for handlers, unless it has one.
fn prepare_stack() {
    // SAFETY: plain system calls with memory of ours; a fresh mapping touches nothing that exists.
    unsafe {
        let mut now: libc::stack_t = core::mem::zeroed();
        if libc::sigaltstack(ptr::null(), &mut now) != 0 || now.ss_flags & libc::SS_DISABLE == 0 {
            return;
        }
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(ptr::null_mut(), STACK, access, kind, -1, 0);
        if memory != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: STACK };
            libc::sigaltstack(&stack, ptr::null_mut());
        }
    }
}

/// Handles a signal for which the program has no handler.
fn handle(number: c_int) {
    // SAFETY: the structures are ours, and the handler does only what a handler may.
    unsafe {
        let mut now: libc::sigaction = core::mem::zeroed();
        if libc::sigaction(number, ptr::null(), &mut now) != 0 || now.sa_sigaction != libc::SIG_DFL {
            return;
        }
        let mut new: libc::sigaction = core::mem::zeroed();
        new.sa_sigaction = on_crash as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(number, &new, ptr::null_mut());
    }
}

extern "C" fn on_crash(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: from here on the signal has its default effect, also if this handler makes a mistake.
    unsafe { libc::signal(number, libc::SIG_DFL) };
    // SAFETY: the kernel hands over the state of the interrupted code and what happened.
    let (code, stack) = unsafe { interrupted(&*context.cast()) };
    // SAFETY: as above.
    let (cause, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let overflow = number == libc::SIGSEGV && cause > 0 && address.abs_diff(stack) < NEAR;
    if let Some(place) = PLACE.get() {
        // This much is known even if the stack cannot be walked; the note is replaced if it can.
        place.leave(number, overflow, &[code as u64]);
        if !overflow {
            let (mut frames, mut count) = ([0; CRASH_FRAMES], 0);
            for_each_frame(|frame| {
                // The frames before the interrupted one are the handler's.
                if count > 0 || frame.address == code {
                    frames[count] = frame.instruction() as u64;
                    count += 1;
                }
                if count == CRASH_FRAMES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if count > 1 {
                place.leave(number, overflow, &frames[..count]);
            } else {
                // A call through a bad pointer: no table knows its target, but it has left the address to return to.
                // SAFETY: the kernel hands over the state of the interrupted code.
                let back = unsafe { return_address(&*context.cast()) };
                place.leave(number, overflow, &[code as u64, back.wrapping_sub(1)]);
            }
        }
    }
    // A fault of the processor happens again when the handler returns; a signal that was sent has to be sent again.
    if cause <= 0 {
        // SAFETY: a system call.
        unsafe { libc::raise(number) };
    }
}

/// The instruction and the stack pointer of interrupted code.
pub(crate) fn interrupted(context: &libc::ucontext_t) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    return (
        context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize,
        context.uc_mcontext.gregs[libc::REG_RSP as usize] as usize,
    );
    #[cfg(target_arch = "aarch64")]
    return (context.uc_mcontext.pc as usize, context.uc_mcontext.sp as usize);
}

/// The address that code returns to which has just been called.
///
/// # Safety
/// The stack pointer is that of a stack; if not, this is one more crash, which the default action of the signal ends.
unsafe fn return_address(context: &libc::ucontext_t) -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: by the contract above.
    return unsafe { (context.uc_mcontext.gregs[libc::REG_RSP as usize] as *const u64).read() };
    #[cfg(target_arch = "aarch64")]
    return context.uc_mcontext.regs[30];
}
