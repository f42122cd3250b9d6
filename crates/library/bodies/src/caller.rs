//! The MPI function that a thread of the program has called last, and the place of the call.
//!
//! Entry points ([`entry_point!`](crate::entry_point)) store it, diagnostics read it ("MPI_Send at solver.c:120"). Each thread has two words, which lie at the
//! same distance from its thread pointer in all threads. Each library that contains this module has words of its own.

use core::arch::{asm, global_asm};

global_asm!(
    ".section .tbss.mpirage_caller,\"awT\",%nobits",
    ".balign 16",
    ".globl mpirage_caller",
    ".hidden mpirage_caller",
    ".type mpirage_caller, %object",
    ".size mpirage_caller, 16",
    "mpirage_caller:",
    ".zero 16",
    ".text",
);

/// A call into MPI, as its entry point saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Caller {
    /// The address after the call instruction in the caller.
    pub call_site: usize,
    /// The position of the function in the table of functions.
    pub function: u32,
}

impl Caller {
    /// The last call of this thread into MPI.
    #[inline]
    pub fn last() -> Caller {
        // SAFETY: the words of this thread, which live as long as it does; no other thread uses them.
        unsafe { words().read() }
    }

    /// Makes this the last call of this thread.
    #[inline]
    pub fn store(self) {
        // SAFETY: as for `last`.
        unsafe { words().write(self) }
    }
}

/// The words of this thread.
#[inline]
fn words() -> *mut Caller {
    let words: *mut Caller;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads the thread pointer and the distance of the words from it, which the dynamic linker has stored.
    unsafe {
        asm!(
            "mov {words}, qword ptr fs:[0]",
            "add {words}, qword ptr [rip + mpirage_caller@GOTTPOFF]",
            words = out(reg) words,
            options(pure, readonly, nostack),
        );
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        asm!(
            "adrp {distance}, :gottprel:mpirage_caller",
            "ldr {distance}, [{distance}, :gottprel_lo12:mpirage_caller]",
            "mrs {words}, tpidr_el0",
            "add {words}, {words}, {distance}",
            words = out(reg) words,
            distance = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    words
}

/// Defines an entry point: a function that stores the call ([`Caller`]), executes `$before`, and jumps to `$target`.
///
/// It changes no register that carries an argument and leaves the stack as it is. So all arguments arrive as the caller passed
/// them, and the target returns directly to the caller. Unwind tables say the same to debuggers and to exceptions.
#[macro_export]
macro_rules! entry_point {
    ($index:expr, $name:ident, $target:path $(, $($before:tt)*)?) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r10, [rip + mpirage_caller@GOTTPOFF]",
                "mov r11, [rsp]",
                "mov fs:[r10], r11",
                "mov dword ptr fs:[r10 + 8], {index}",
                $($($before)*,)?
                "jmp {target}",
                ".cfi_endproc",
                index = const $index,
                target = sym $target,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "adrp x16, :gottprel:mpirage_caller",
                "ldr x16, [x16, :gottprel_lo12:mpirage_caller]",
                "mrs x17, tpidr_el0",
                "add x16, x16, x17",
                "str x30, [x16]",
                "mov w17, #{index}",
                "str w17, [x16, #8]",
                $($($before)*,)?
                "b {target}",
                ".cfi_endproc",
                index = const $index,
                target = sym $target,
            );
        }
    };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the entry points are written for x86-64 and aarch64");

#[cfg(test)]
mod tests {
    use super::Caller;

    #[test]
    fn each_thread_has_words_of_its_own() {
        Caller { call_site: 1, function: 2 }.store();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(Caller::last(), Caller::default());
                Caller { call_site: 3, function: 4 }.store();
            });
        });
        assert_eq!(Caller::last(), Caller { call_site: 1, function: 2 });
    }
}
