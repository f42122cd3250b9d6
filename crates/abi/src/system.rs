//! The C library behind the functions of the same name that this library puts in front.

use core::ffi::CStr;
use core::mem::{size_of, transmute_copy};

/// The function that would be called if this library had none of this name.
///
/// # Safety
/// `F` is a pointer to a function of the type that the C library's has.
pub(crate) unsafe fn next<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // SAFETY: a name with its end; `F` is as large as the pointer, and the caller vouches for its type.
    unsafe {
        let address = libc::dlsym(libc::RTLD_NEXT, name.as_ptr());
        (!address.is_null()).then(|| transmute_copy(&address))
    }
}
