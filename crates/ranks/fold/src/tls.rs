//! Thread-local variables of the program: one copy per rank.
//!
//! Compiled with `-fPIC`, the program asks `__tls_get_addr` with a pair of words that the loader has filled in: the module
//! and an offset in it. Here the "module" is the address of the rank's copy, so that the answer is the sum.

use std::arch::global_asm;

global_asm!(
    ".globl mpirage_fold_tls_get",
    ".hidden mpirage_fold_tls_get",
    ".type mpirage_fold_tls_get, @function",
    "mpirage_fold_tls_get:",
    "mov rax, [rdi]",
    "add rax, [rdi + 8]",
    "ret",
    ".size mpirage_fold_tls_get, . - mpirage_fold_tls_get",
);

unsafe extern "C" {
    fn mpirage_fold_tls_get();
}

/// The address of the function that replaces `__tls_get_addr` in folded programs.
pub(crate) fn address_of_get() -> usize {
    mpirage_fold_tls_get as *const () as usize
}

/// The thread pointer, which the processor adds to initial-exec offsets.
pub(crate) fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: on x86-64 Linux the first word at the thread pointer is the thread pointer itself.
    unsafe {
        std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags))
    };
    pointer
}
