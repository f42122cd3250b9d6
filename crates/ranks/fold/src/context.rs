//! State of the thread that has to follow the rank: `errno`, floating-point control, exceptions in flight.

use std::arch::asm;
use std::ptr;

/// Rounding, exception masks and flush-to-zero of the SSE unit; the rest of the register are sticky flags.
const CONTROL: u32 = 0xffc0;
const DEFAULT_SSE: u32 = 0x1f80;
const DEFAULT_X87: u16 = 0x037f;

/// A rank's part of the thread's state while it does not run.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    errno: i32,
    sse: u32,
    x87: u16,
    exceptions: Exceptions,
}

/// `__cxa_eh_globals`: the exceptions that are caught, and how many are on their way.
#[derive(Clone, Copy)]
#[repr(C)]
struct Exceptions {
    caught: usize,
    uncaught: u32,
}

/// Where the thread keeps it.
pub(crate) struct Thread {
    errno: *mut i32,
    exceptions: *mut Exceptions,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            errno: 0,
            sse: DEFAULT_SSE,
            x87: DEFAULT_X87,
            exceptions: Exceptions { caught: 0, uncaught: 0 },
        }
    }
}

impl Thread {
    pub(crate) fn current() -> Self {
        // SAFETY: the address of this thread's errno.
        Self { errno: unsafe { libc::__errno_location() }, exceptions: ptr::null_mut() }
    }

    /// The C++ library has been found: `get` is its `__cxa_get_globals`.
    pub(crate) fn set_exceptions(&mut self, get: usize) {
        if self.exceptions.is_null() {
            // SAFETY: the caller has resolved it under this name; it takes nothing and returns its thread's two words.
            let get = unsafe { std::mem::transmute::<usize, extern "C" fn() -> *mut Exceptions>(get) };
            self.exceptions = get();
        }
    }

    /// Makes the thread the rank's.
    #[inline]
    pub(crate) fn enter(&self, context: &Context) {
        // SAFETY: both places belong to this thread, which is the only one that runs ranks.
        unsafe {
            *self.errno = context.errno;
            if !self.exceptions.is_null() {
                *self.exceptions = context.exceptions;
            }
        }
        if sse() != context.sse {
            set_sse(context.sse);
        }
        if x87() != context.x87 {
            set_x87(context.x87);
        }
    }

    /// Keeps what is the rank's and gives the simulator its usual arithmetic back.
    #[inline]
    pub(crate) fn leave(&self, context: &mut Context) {
        // SAFETY: as in `enter`.
        unsafe {
            context.errno = *self.errno;
            if !self.exceptions.is_null() {
                context.exceptions = *self.exceptions;
            }
        }
        context.sse = sse();
        context.x87 = x87();
        if context.sse & CONTROL != DEFAULT_SSE & CONTROL {
            set_sse(DEFAULT_SSE);
        }
        if context.x87 != DEFAULT_X87 {
            set_x87(DEFAULT_X87);
        }
    }
}

#[inline]
fn sse() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores the control register into a local variable.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
    value
}

#[inline]
fn set_sse(value: u32) {
    // SAFETY: a value that `stmxcsr` gave, or the default.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags, readonly)) };
}

#[inline]
fn x87() -> u16 {
    let mut value = 0u16;
    // SAFETY: stores the control word into a local variable.
    unsafe { asm!("fnstcw word ptr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
    value
}

#[inline]
fn set_x87(value: u16) {
    // SAFETY: a value that `fnstcw` gave, or the default.
    unsafe {
        asm!("fldcw word ptr [{}]", in(reg) &raw const value, options(nostack, preserves_flags, readonly))
    };
}
