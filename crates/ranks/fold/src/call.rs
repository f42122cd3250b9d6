//! Calls of functions of the program.

use std::arch::global_asm;

/// Calls a function of the program with up to three words.
///
/// # Safety
/// `function` is the address of a C function that takes them.
pub(crate) unsafe fn call(function: usize, arguments: [usize; 3]) -> usize {
    // SAFETY: as the caller vouches.
    unsafe { mpirage_fold_call(function, arguments[0], arguments[1], arguments[2]) }
}

// The way into the program has no unwind information: an exception that no frame catches ends its search here, and the program
// is terminated as it would be in a process of its own.
global_asm!(
    ".type mpirage_fold_call, @function",
    ".globl mpirage_fold_call",
    ".hidden mpirage_fold_call",
    "mpirage_fold_call:",
    "push rbp",
    "mov rbp, rsp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "mov rsi, rdx",
    "mov rdx, rcx",
    "call rax",
    "pop rbp",
    "ret",
    ".size mpirage_fold_call, . - mpirage_fold_call",
);

unsafe extern "C" {
    fn mpirage_fold_call(function: usize, first: usize, second: usize, third: usize) -> usize;
}

/// Calls the function whose address stands at `entry`, as in `.init_array`.
///
/// # Safety
/// The entry is one of an instance that is loaded, its function takes these arguments.
pub(crate) unsafe fn call_entry(entry: usize, arguments: [usize; 3]) {
    // SAFETY: as the caller vouches. Linkers fill gaps with 0 and -1.
    unsafe {
        let function = (entry as *const usize).read();
        if function != 0 && function != usize::MAX {
            call(function, arguments);
        }
    }
}
