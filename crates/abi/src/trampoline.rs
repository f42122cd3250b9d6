//! The entry points: what the library exports, and the only thing it exports.
//!
//! Each function of the table has two, `MPI_X` and `PMPI_X`. An entry point notes who called (the return address) and what
//! was called (the function's index), then jumps to the body. It touches no register that carries an argument and leaves
//! the stack as it is, so arguments arrive as the caller put them there, however many; the body returns straight to the
//! caller. Unwind tables say so too, for debuggers and for exceptions of the program's functions that pass through the
//! body. Entry points of functions without a body jump to [`crate::missing`] with the index as the only argument.
//!
//! The notes serve diagnostics ("MPI_Send at solver.c:120"). They are one pair per process: with several threads inside MPI
//! at once the last caller's stays, which is why a body that wants it reads it first thing.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the entry points are written for x86-64 and aarch64");

/// The return address of the last call into MPI.
static CALL_SITE: AtomicUsize = AtomicUsize::new(0);
/// The index of the function called last.
static CALL_FUNCTION: AtomicU32 = AtomicU32::new(0);

/// A call into MPI, as its entry point saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnteredFrom {
    /// The name of the function, `MPI_Send` also when `PMPI_Send` was called.
    pub function: &'static str,
    /// Its place in the table of functions.
    pub index: u32,
    /// The address after the call instruction in the caller.
    pub call_site: usize,
}

/// The last call into MPI.
pub fn last_call() -> EnteredFrom {
    let index = CALL_FUNCTION.load(Ordering::Relaxed);
    EnteredFrom { function: name_of(index), index, call_site: CALL_SITE.load(Ordering::Relaxed) }
}

/// What the entry point has noted of the last call: the index of the function, and where it returns to.
#[derive(Clone, Copy)]
pub(crate) struct Note {
    pub index: u32,
    pub call_site: usize,
}

/// The note of the last call into MPI.
#[inline]
pub(crate) fn note() -> Note {
    Note { index: CALL_FUNCTION.load(Ordering::Relaxed), call_site: CALL_SITE.load(Ordering::Relaxed) }
}

/// Notes a call again after others were made meanwhile.
#[inline]
pub(crate) fn note_again(note: Note) {
    CALL_FUNCTION.store(note.index, Ordering::Relaxed);
    CALL_SITE.store(note.call_site, Ordering::Relaxed);
}

/// The name of the function with this index.
pub(crate) fn name_of(index: u32) -> &'static str {
    generated::NAMES[index as usize]
}

/// One entry point: notes the call, then jumps to `$target`, having executed `$before`.
macro_rules! entry_point {
    ($index:expr, $name:ident, $target:path $(, $($before:tt)*)?) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r11, [rsp]",
                "mov [rip + {call_site}], r11",
                "mov dword ptr [rip + {call_function}], {index}",
                $($($before)*,)?
                "jmp {target}",
                ".cfi_endproc",
                call_site = sym $crate::trampoline::CALL_SITE,
                call_function = sym $crate::trampoline::CALL_FUNCTION,
                index = const $index,
                target = sym $target,
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "adrp x16, {call_site}",
                "str x30, [x16, :lo12:{call_site}]",
                "mov w17, #{index}",
                "adrp x16, {call_function}",
                "str w17, [x16, :lo12:{call_function}]",
                $($($before)*,)?
                "b {target}",
                ".cfi_endproc",
                call_site = sym $crate::trampoline::CALL_SITE,
                call_function = sym $crate::trampoline::CALL_FUNCTION,
                index = const $index,
                target = sym $target,
            );
        }
    };
}

/// The instruction that makes the index the first argument.
#[cfg(target_arch = "x86_64")]
macro_rules! pass_the_index {
    () => {
        "mov edi, {index}"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! pass_the_index {
    () => {
        "mov w0, #{index}"
    };
}

/// The two entry points of a function with a body.
macro_rules! entry {
    ($index:expr, $name:ident, $profiling_name:ident, $body:path) => {
        entry_point!($index, $name, $body);
        entry_point!($index, $profiling_name, $body);
    };
}

/// The two entry points of a function without a body.
macro_rules! missing {
    ($index:expr, $name:ident, $profiling_name:ident) => {
        entry_point!($index, $name, not_there_yet, pass_the_index!());
        entry_point!($index, $profiling_name, not_there_yet, pass_the_index!());
    };
}

/// Made by `build.rs`, in the order of the table.
#[allow(non_snake_case)]
mod generated {
    use crate::missing::not_there_yet;

    include!(concat!(env!("OUT_DIR"), "/trampolines.rs"));
}

#[cfg(test)]
mod tests;
