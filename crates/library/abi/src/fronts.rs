//! The services of this library for libraries with other binary interfaces ([`mpirage_bodies`]): bodies, where to store the caller, how
//! functions of the program are called.

use core::ffi::{CStr, c_char, c_int, c_void};

use mpirage_bodies::{Bodies, Body, Caller, FINGERPRINT};

use crate::frame;
use crate::ground::callbacks::CALLBACKS;
use crate::missing::not_implemented;
use crate::types::*;

/// Fronts find it by this name ([`mpirage_bodies::SYMBOL`]).
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static mpirage_bodies: Bodies = Bodies {
    fingerprint: FINGERPRINT,
    bodies: &BODIES,
    store_caller,
    callbacks: &CALLBACKS,
    not_implemented,
    misuse,
};

/// A function of a front is about to call a body.
extern "C" fn store_caller(caller: Caller) {
    caller.store();
}

/// A front reports a mistake of the program.
///
/// # Safety
/// `text` is a string.
unsafe extern "C" fn misuse(text: *const c_char) -> ! {
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(text) };
    frame::misuse(&text.to_string_lossy())
}

include!(concat!(env!("OUT_DIR"), "/bodies.rs"));
