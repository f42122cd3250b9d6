//! The entry points: the MPI functions that the library exports.
//!
//! Each function of the table has two, `MPI_X` and `PMPI_X`: both store the call ([`mpirage_bodies::entry_point!`]) and jump to the body. Entry points
//! of functions without a body jump to [`crate::missing`] with the index as the only argument.

/// The instruction that makes the index the first argument.
#[cfg(target_arch = "x86_64")]
#[allow(unused_macros, reason = "every function of the table may have a body")]
macro_rules! pass_the_index {
    () => {
        "mov edi, {index}"
    };
}
#[cfg(target_arch = "aarch64")]
#[allow(unused_macros, reason = "every function of the table may have a body")]
macro_rules! pass_the_index {
    () => {
        "mov w0, #{index}"
    };
}

/// The two entry points of a function with a body.
macro_rules! entry {
    ($index:expr, $name:ident, $profiling_name:ident, $body:path) => {
        mpirage_bodies::entry_point!($index, $name, $body);
        mpirage_bodies::entry_point!($index, $profiling_name, $body);
    };
}

/// The two entry points of a function without a body.
#[allow(unused_macros, reason = "every function of the table may have a body")]
macro_rules! missing {
    ($index:expr, $name:ident, $profiling_name:ident) => {
        mpirage_bodies::entry_point!($index, $name, not_implemented, pass_the_index!());
        mpirage_bodies::entry_point!($index, $profiling_name, not_implemented, pass_the_index!());
    };
}

/// Made by `build.rs`, in the order of the table.
#[allow(non_snake_case)]
mod generated {
    #[allow(unused_imports, reason = "every function of the table may have a body")]
    use crate::missing::not_implemented;

    include!(concat!(env!("OUT_DIR"), "/trampolines.rs"));
}

#[cfg(test)]
mod tests;
