//! The entry points of a front, as those of `libmpi_abi.so.1` (`abi/src/trampoline.rs`): they store the return address and the
//! function, change no register that carries an argument, and jump.

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the entry points are written for x86-64 and aarch64");

/// One entry point: stores the call, then jumps to `$target`.
#[macro_export]
macro_rules! entry_point {
    ($index:expr, $name:ident, $target:path) => {
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $name() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "mov r10, [rip + {call_site}]",
                "mov r11, [rsp]",
                "mov [r10], r11",
                "mov r10, [rip + {call_function}]",
                "mov dword ptr [r10], {index}",
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
                "ldr x16, [x16, :lo12:{call_site}]",
                "str x30, [x16]",
                "adrp x16, {call_function}",
                "ldr x16, [x16, :lo12:{call_function}]",
                "mov w17, #{index}",
                "str w17, [x16]",
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

/// The two entry points of a function beyond the standard that only returns a number.
#[macro_export]
macro_rules! returning {
    ($name:ident, $profiling_name:ident, $value:expr) => {
        #[unsafe(no_mangle)]
        extern "C" fn $name() -> core::ffi::c_int {
            $value
        }
        #[unsafe(no_mangle)]
        extern "C" fn $profiling_name() -> core::ffi::c_int {
            $value
        }
    };
}

/// The two entry points of a function that is not there yet.
#[macro_export]
macro_rules! unknown {
    ($name:ident, $profiling_name:ident, $text:expr) => {
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            $crate::library::unknown_function($text)
        }
        #[unsafe(no_mangle)]
        extern "C" fn $profiling_name() {
            $crate::library::unknown_function($text)
        }
    };
}

/// The body of the function with an index, or the end of the run if `libmpi_abi.so.1` has none.
#[macro_export]
macro_rules! body {
    ($index:expr, $of:ty) => {
        // SAFETY: both libraries are built from one table, so the body has the type of its prototype.
        core::mem::transmute::<$crate::library::Body, $of>($crate::library::body($index))
    };
}
