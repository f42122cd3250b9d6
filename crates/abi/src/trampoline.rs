//! The entry points: the MPI functions that the library exports.
//!
//! Each function of the table has two, `MPI_X` and `PMPI_X`. An entry point stores the return address and the function's index
//! ([`crate::caller`]), then jumps to the body. It changes no register that carries an argument and leaves the stack as it is.
//! So all arguments arrive as the caller passed them, and the body returns directly to the caller. Unwind tables say the same to
//! debuggers and to exceptions that pass through the body. Entry points of functions without a body jump to
//! [`crate::missing`] with the index as the only argument.

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the entry points are written for x86-64 and aarch64");

/// One entry point: stores the call, then jumps to `$target`, having executed `$before`.
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
                call_site = sym $crate::caller::CALL_SITE,
                call_function = sym $crate::caller::CALL_FUNCTION,
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
                call_site = sym $crate::caller::CALL_SITE,
                call_function = sym $crate::caller::CALL_FUNCTION,
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
        entry_point!($index, $name, not_implemented, pass_the_index!());
        entry_point!($index, $profiling_name, not_implemented, pass_the_index!());
    };
}

/// Made by `build.rs`, in the order of the table.
#[allow(non_snake_case)]
mod generated {
    use crate::missing::not_implemented;

    include!(concat!(env!("OUT_DIR"), "/trampolines.rs"));
}

#[cfg(test)]
mod tests;
