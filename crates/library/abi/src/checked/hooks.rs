//! The functions that a program compiled with `--watch-memory` calls before each load and store.
//!
//! GCC calls these functions for ThreadSanitizer; here they only note accesses to the memory of windows. As long as no window is
//! watched, each compares one word and returns. `memcpy`, `memmove` and `memset` come under the names that the linker's option
//! `--wrap` gives them.

mod atomics;

use core::ffi::{c_int, c_void};

use crate::checked::window_memory::{ProgramAccess, WATCHED, note_hooks};
use crate::rank;

/// The program calls hooks: each of its object files says so before `main`.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {
    note_hooks();
}

/// A function of the program begins, or ends: nothing is to be done.
#[unsafe(no_mangle)]
extern "C" fn __tsan_func_entry(_caller: *const c_void) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_func_exit() {}

/// An object of C++ gets its class: not the program's own store.
#[unsafe(no_mangle)]
extern "C" fn __tsan_vptr_update(_object: *mut c_void, _class: *const c_void) {}

/// Defines a hook: if some window is watched, it completes the arguments of `$target` and jumps there, else it returns.
macro_rules! hook {
    ($name:ident, $target:path, x86_64: [$($intel:expr),*], aarch64: [$($arm:expr),*]) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "cmp qword ptr [rip + {watched}], 0",
                "jne 2f",
                "ret",
                "2:",
                $($intel,)*
                "jmp {target}",
                ".cfi_endproc",
                watched = sym WATCHED,
                target = sym $target,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "adrp x16, {watched}",
                "ldr x16, [x16, :lo12:{watched}]",
                "cbnz x16, 2f",
                "ret",
                "2:",
                $($arm,)*
                "b {target}",
                ".cfi_endproc",
                watched = sym WATCHED,
                target = sym $target,
            );
        }
    };
}

/// Hooks of loads, or stores, with these numbers of bytes.
macro_rules! sized_hooks {
    ($target:path: $($name:ident $bytes:literal),*) => {
        $(hook!($name, $target,
            x86_64: [concat!("mov esi, ", $bytes), "mov rdx, [rsp]"],
            aarch64: [concat!("mov x1, #", $bytes), "mov x2, x30"]);)*
    };
}

sized_hooks!(note_load: __tsan_read1 1, __tsan_read2 2, __tsan_read4 4, __tsan_read8 8, __tsan_read16 16);
sized_hooks!(note_store: __tsan_write1 1, __tsan_write2 2, __tsan_write4 4, __tsan_write8 8, __tsan_write16 16);
hook!(__tsan_read_range, note_load, x86_64: ["mov rdx, [rsp]"], aarch64: ["mov x2, x30"]);
hook!(__tsan_write_range, note_store, x86_64: ["mov rdx, [rsp]"], aarch64: ["mov x2, x30"]);

/// Notes a load of the program.
extern "C" fn note_load(address: usize, bytes: usize, site: usize) {
    note(ProgramAccess { address, bytes, site, written: false });
}

/// Notes a store of the program.
extern "C" fn note_store(address: usize, bytes: usize, site: usize) {
    note(ProgramAccess { address, bytes, site, written: true });
}

fn note(access: ProgramAccess) {
    if let Some(connection) = rank::this().opened_connection() {
        connection.note_access(access);
    }
}

/// Hooks of functions that copy and fill memory; the caller's address becomes their fourth argument.
macro_rules! wrapped {
    ($name:ident, $target:path) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov rcx, [rsp]",
                "jmp {target}",
                ".cfi_endproc",
                target = sym $target,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov x3, x30",
                "b {target}",
                ".cfi_endproc",
                target = sym $target,
            );
        }
    };
}

wrapped!(__wrap_memcpy, copy);
wrapped!(__wrap_memmove, copy);
wrapped!(__wrap_memset, fill);

/// `memmove`, which is right for `memcpy` too.
unsafe extern "C" fn copy(to: *mut c_void, from: *const c_void, bytes: usize, site: usize) -> *mut c_void {
    if WATCHED.load(core::sync::atomic::Ordering::Relaxed) > 0 {
        note_load(from.addr(), bytes, site);
        note_store(to.addr(), bytes, site);
    }
    // SAFETY: the program calls it with these arguments.
    unsafe { libc::memmove(to, from, bytes) }
}

/// `memset`.
unsafe extern "C" fn fill(to: *mut c_void, byte: c_int, bytes: usize, site: usize) -> *mut c_void {
    if WATCHED.load(core::sync::atomic::Ordering::Relaxed) > 0 {
        note_store(to.addr(), bytes, site);
    }
    // SAFETY: the program calls it with these arguments.
    unsafe { libc::memset(to, byte, bytes) }
}
