//! Copying between ranks whose pointers may be wrong.

use std::arch::global_asm;

global_asm!(
    ".type mpirage_fold_copy, @function",
    ".globl mpirage_fold_copy, mpirage_fold_copy_move, mpirage_fold_copy_fault",
    ".hidden mpirage_fold_copy, mpirage_fold_copy_move, mpirage_fold_copy_fault",
    "mpirage_fold_copy:",
    "mov rcx, rdx",
    "mpirage_fold_copy_move:",
    "rep movsb",
    "mov eax, 1",
    "ret",
    "mpirage_fold_copy_fault:",
    "xor eax, eax",
    "ret",
    ".size mpirage_fold_copy, . - mpirage_fold_copy",
);

unsafe extern "C" {
    fn mpirage_fold_copy(to: *mut u8, from: *const u8, size: usize) -> i32;
    fn mpirage_fold_copy_move();
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

/// Where to go on after a fault at `code`, if that is a copy.
pub(crate) fn recovery(code: usize) -> Option<usize> {
    (code == mpirage_fold_copy_move as *const () as usize)
        .then_some(mpirage_fold_copy_fault as *const () as usize)
}
