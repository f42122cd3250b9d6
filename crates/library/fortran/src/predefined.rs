//! Procedures that only Fortran has: predefined functions of attributes and conversions, which have addresses here and are constants in C; comparison of
//! handles; `MPI_Sizeof`; `MPI_F_sync_reg`.

use core::ffi::{c_int, c_void};

use super::representation;

/// A predefined function that a program may also call itself, to copy a value or to do nothing.
macro_rules! copies {
    ($($name:ident: $word:ty, $is_copied:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            _object: *mut c_int,
            _key: *mut c_int,
            _extra_state: *mut $word,
            value: *mut $word,
            copied: *mut $word,
            flag: *mut c_int,
            ierror: *mut c_int,
        ) {
            // SAFETY: the standard says that a program passes these.
            unsafe {
                if $is_copied {
                    copied.write(*value);
                }
                flag.write($is_copied.into());
                ierror.write(0);
            }
        }
    )*};
}

macro_rules! deletions {
    ($($name:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            _object: *mut c_int,
            _key: *mut c_int,
            _value: *mut c_void,
            _extra_state: *mut c_void,
            ierror: *mut c_int,
        ) {
            // SAFETY: the standard says that a program passes it.
            unsafe { ierror.write(0) };
        }
    )*};
}

/// `MPI_Sizeof` for a type and kind: the module has an interface for each.
macro_rules! sizes {
    ($($name:ident: $size:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(_x: *const c_void, size: *mut c_int, ierror: *mut c_int) {
            // SAFETY: the program passes a place for the size, and one for the error code unless it leaves it out.
            unsafe {
                size.write($size);
                if !ierror.is_null() {
                    ierror.write(0);
                }
            }
        }
    )*};
}

sizes! {
    mpi_sizeof_integer_int8_: 1;
    mpi_sizeof_integer_int16_: 2;
    mpi_sizeof_integer_int32_: 4;
    mpi_sizeof_integer_int64_: 8;
    mpi_sizeof_real_real32_: 4;
    mpi_sizeof_real_real64_: 8;
    mpi_sizeof_complex_real32_: 8;
    mpi_sizeof_complex_real64_: 16;
}

copies! {
    mpi_dup_fn_: c_int, true;
    mpi_null_copy_fn_: c_int, false;
    mpi_comm_dup_fn_: i64, true;
    mpi_comm_null_copy_fn_: i64, false;
    mpi_type_dup_fn_: i64, true;
    mpi_type_null_copy_fn_: i64, false;
    mpi_win_dup_fn_: i64, true;
    mpi_win_null_copy_fn_: i64, false;
}

deletions! {
    mpi_null_delete_fn_;
    mpi_comm_null_delete_fn_;
    mpi_type_null_delete_fn_;
    mpi_win_null_delete_fn_;
}

/// `MPI_CONVERSION_FN_NULL` and its kin, which are recognised by their addresses and never called.
macro_rules! no_conversions {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub(crate) extern "C-unwind" fn $name() {}
    )*};
}

no_conversions! {
    mpi_conversion_fn_null_
    mpi_conversion_fn_null_c_
}

#[allow(unused_imports)] // MPICH's modules have more of them
pub(crate) use {copies, deletions, no_conversions, sizes};

macro_rules! address {
    ($function:ident) => {
        $function as *const () as usize
    };
}

/// The constant of C for a predefined function: 0 copies and deletes nothing, 1 copies the value.
pub(crate) fn constant(address: usize) -> Option<usize> {
    let dup = [
        address!(mpi_dup_fn_),
        address!(mpi_comm_dup_fn_),
        address!(mpi_type_dup_fn_),
        address!(mpi_win_dup_fn_),
    ];
    let null = [
        address!(mpi_null_copy_fn_),
        address!(mpi_comm_null_copy_fn_),
        address!(mpi_type_null_copy_fn_),
        address!(mpi_win_null_copy_fn_),
        address!(mpi_null_delete_fn_),
        address!(mpi_comm_null_delete_fn_),
        address!(mpi_type_null_delete_fn_),
        address!(mpi_win_null_delete_fn_),
        address!(mpi_conversion_fn_null_),
        address!(mpi_conversion_fn_null_c_),
    ];
    let is_null = || null.contains(&address) || representation::is_null_procedure(address);
    if dup.contains(&address) { Some(1) } else { is_null().then_some(0) }
}

/// `==` of handles of `mpi_f08`.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mpirage_same_handle_(one: *const c_int, other: *const c_int) -> c_int {
    // SAFETY: two handles, each one integer.
    unsafe { (*one == *other).into() }
}

/// `/=` of handles of `mpi_f08`.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mpirage_other_handle_(one: *const c_int, other: *const c_int) -> c_int {
    // SAFETY: two handles, each one integer.
    unsafe { (*one != *other).into() }
}

/// The compiler must not keep the argument in a register; being called is enough.
#[unsafe(no_mangle)]
extern "C-unwind" fn mpi_f_sync_reg_(_buffer: *mut c_void) {}

/// The same for `mpi_f08`.
#[unsafe(no_mangle)]
extern "C-unwind" fn mpi_f_sync_reg_f08_(_buffer: *mut c_void) {}
