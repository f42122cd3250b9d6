//! Copying between ranks whose pointers may be wrong.

use std::arch::global_asm;

// Up to 2 KiB in pieces of 64 bytes: a string instruction takes long to begin, and valgrind counts it once per byte.
global_asm!(
    ".type mpirage_fold_copy, @function",
    ".globl mpirage_fold_copy, mpirage_fold_copy_moves, mpirage_fold_copy_moved, mpirage_fold_copy_fault",
    ".hidden mpirage_fold_copy, mpirage_fold_copy_moves, mpirage_fold_copy_moved, mpirage_fold_copy_fault",
    "mpirage_fold_copy:",
    "cmp rdx, 2048",
    "ja 3f",
    "mpirage_fold_copy_moves:",
    "2:",
    "cmp rdx, 64",
    "jb 3f",
    "movups xmm0, [rsi]",
    "movups xmm1, [rsi + 16]",
    "movups xmm2, [rsi + 32]",
    "movups xmm3, [rsi + 48]",
    "movups [rdi], xmm0",
    "movups [rdi + 16], xmm1",
    "movups [rdi + 32], xmm2",
    "movups [rdi + 48], xmm3",
    "add rsi, 64",
    "add rdi, 64",
    "sub rdx, 64",
    "jmp 2b",
    "3:",
    "mov rcx, rdx",
    "rep movsb",
    "mpirage_fold_copy_moved:",
    "mov eax, 1",
    "ret",
    "mpirage_fold_copy_fault:",
    "xor eax, eax",
    "ret",
    ".size mpirage_fold_copy, . - mpirage_fold_copy",
);

unsafe extern "C" {
    fn mpirage_fold_copy(to: *mut u8, from: *const u8, size: usize) -> i32;
    fn mpirage_fold_copy_moves();
    fn mpirage_fold_copy_moved();
    fn mpirage_fold_copy_fault();
}

/// Copies `size` bytes, which do not overlap. False if one side is not accessible; then a part may have been copied.
///
/// # Safety
/// The caller may write to `to`, as far as it is accessible. [`FoldedRanks`](crate::FoldedRanks) exist: without their signal
/// handlers a wrong address ends the process.
#[inline]
pub unsafe fn copy(to: *mut u8, from: *const u8, size: usize) -> bool {
    // SAFETY: as the caller vouches; faults are caught by `recovery`.
    unsafe { mpirage_fold_copy(to, from, size) != 0 }
}

/// Where to go on after a fault at `code`, if that is in a copy.
pub(crate) fn recovery(code: usize) -> Option<usize> {
    let moves = mpirage_fold_copy_moves as *const () as usize..mpirage_fold_copy_moved as *const () as usize;
    moves.contains(&code).then_some(mpirage_fold_copy_fault as *const () as usize)
}
