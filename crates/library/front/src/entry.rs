//! Entry points of functions that a front answers itself, and the way from its functions to the bodies in `libmpi_abi.so.1`.

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
