//! Exceptions that functions of the program throw.
//!
//! The library calls error handlers and attribute functions where it holds no lock. Their exceptions pass through the frames
//! of the MPI function, whose destructors run, to the program's `catch`. For that all entry points and callbacks have the
//! ABI `C-unwind`.
//!
//! A reduction operator runs in the middle of the protocol between a rank and the simulator, which waits for the operator's
//! result. Its exception is held back ([`HeldException`]): the operator counts as done, the MPI call goes on to its end, and
//! there the exception is raised again. So a call that throws leaves the library in the same state as a call that returns.
//! While an exception is held, no operator of the rank is called.
//!
//! Rust cannot catch exceptions of other languages. [`catching`] is a frame in assembly. The unwinder asks its personality
//! routine, which catches all exceptions.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// An exception of any language. Only the unwinder knows its contents.
#[repr(C)]
struct Exception(c_void);

/// The unwinder's data about a frame.
#[repr(C)]
struct Context(c_void);

/// Actions that the unwinder asks of a personality routine (Itanium C++ ABI, exception handling, section 1.3).
const SEARCH_PHASE: c_int = 1;
const HANDLER_FRAME: c_int = 4;
const FORCED_UNWINDING: c_int = 8;
/// Answers of a personality routine.
const HANDLER_FOUND: c_int = 6;
const INSTALL_CONTEXT: c_int = 7;
const CONTINUE_UNWINDING: c_int = 8;
/// The register in which a landing pad gets the exception: `rax` on x86-64, `x0` on aarch64.
const EXCEPTION_REGISTER: c_int = 0;

unsafe extern "C-unwind" {
    fn _Unwind_RaiseException(exception: *mut Exception) -> c_int;
    fn _Unwind_SetGR(context: *mut Context, register: c_int, value: usize);
    fn _Unwind_SetIP(context: *mut Context, address: usize);
}

/// An exception that an operator of a rank has thrown, until the MPI call ends.
#[derive(Default)]
pub(crate) struct HeldException(AtomicPtr<Exception>);

impl HeldException {
    /// Calls an operator of the program and holds its exception. Does not call the operator if an exception is held already.
    pub(crate) fn hold_from(&self, operator: impl FnOnce()) {
        if self.0.load(Ordering::Relaxed).is_null() {
            self.0.store(catch(operator), Ordering::Relaxed);
        }
    }

    /// Raises the held exception, if there is one, at the end of an MPI function.
    #[inline]
    pub(crate) fn raise(&self) {
        if !self.0.load(Ordering::Relaxed).is_null() {
            raise(self.0.swap(ptr::null_mut(), Ordering::Relaxed));
        }
    }
}

/// Calls a function. Returns the exception that it throws, or null.
fn catch<F: FnOnce()>(function: F) -> *mut Exception {
    let mut function = Some(function);
    // SAFETY: `call_once` gets the address of the very type it expects, which lives until it returns or throws.
    unsafe { catching(call_once::<F>, (&raw mut function).cast()) }
}

unsafe extern "C-unwind" fn call_once<F: FnOnce()>(function: *mut c_void) {
    // SAFETY: `catch` passes the address of such a value.
    if let Some(function) = unsafe { (*function.cast::<Option<F>>()).take() } {
        function();
    }
}

/// Raises an exception again that [`catch`] has caught. One that no frame catches ends the program, as at a `throw`.
#[cold]
fn raise(exception: *mut Exception) -> ! {
    // SAFETY: the exception was caught, so it is whole and no other frame knows it.
    unsafe { _Unwind_RaiseException(exception) };
    // SAFETY: names of functions of the C++ library, which have these types.
    unsafe {
        let begin = libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_begin_catch".as_ptr());
        let terminate = libc::dlsym(libc::RTLD_DEFAULT, c"_ZSt9terminatev".as_ptr());
        if !begin.is_null() && !terminate.is_null() {
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut Exception) -> *mut c_void>(begin)(
                exception,
            );
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(terminate)();
        }
    }
    // Not the C++ library's way to end, but the same end: the signal SIGABRT.
    std::process::abort()
}

/// Calls `function(data)`. Returns null if the function returns, the exception if it throws.
#[unsafe(naked)]
unsafe extern "C-unwind" fn catching(
    function: unsafe extern "C-unwind" fn(*mut c_void),
    data: *mut c_void,
) -> *mut Exception {
    #[cfg(target_arch = "x86_64")]
    core::arch::naked_asm!(
        ".cfi_startproc",
        // Encoding: relative to its place, four bytes with sign.
        ".cfi_personality 0x1b, {personality}",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "xor eax, eax",
        // The unwinder goes on here, with the exception in rax.
        ".globl mpirage_caught_exception",
        ".hidden mpirage_caught_exception",
        "mpirage_caught_exception:",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        personality = sym catch_all,
    );
    #[cfg(target_arch = "aarch64")]
    core::arch::naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        "mov x2, x0",
        "mov x0, x1",
        "blr x2",
        "mov x0, #0",
        ".globl mpirage_caught_exception",
        ".hidden mpirage_caught_exception",
        "mpirage_caught_exception:",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa_offset 0",
        ".cfi_restore x29",
        ".cfi_restore x30",
        "ret",
        ".cfi_endproc",
        personality = sym catch_all,
    );
}

unsafe extern "C" {
    /// The place in [`catching`] where it returns the exception.
    fn mpirage_caught_exception();
}

/// The personality routine of [`catching`]: every exception ends there, but not the unwinding of a thread that is ended.
unsafe extern "C" fn catch_all(
    _version: c_int,
    actions: c_int,
    _class: u64,
    exception: *mut Exception,
    context: *mut Context,
) -> c_int {
    if actions & FORCED_UNWINDING != 0 {
        return CONTINUE_UNWINDING;
    }
    if actions & SEARCH_PHASE != 0 {
        return HANDLER_FOUND;
    }
    if actions & HANDLER_FRAME == 0 {
        return CONTINUE_UNWINDING;
    }
    // SAFETY: the unwinder passes a context of the frame of `catching`, whose stack at the landing pad is that of its call.
    unsafe {
        _Unwind_SetGR(context, EXCEPTION_REGISTER, exception.addr());
        _Unwind_SetIP(context, mpirage_caught_exception as *const () as usize);
    }
    INSTALL_CONTEXT
}
