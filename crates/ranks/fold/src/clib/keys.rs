//! Thread-specific data: each rank has keys and values of its own, as the thread of a process has.
//!
//! Destructors of values are for threads that end before their process, so they are never called here.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::state::Keys;
use super::{Function, functions};
use crate::current::library;

pub(super) fn functions() -> Vec<Function> {
    functions! {
        pthread_key_create => create, pthread_key_delete => delete, pthread_getspecific => get,
        pthread_setspecific => set,
    }
}

fn keys() -> *mut Keys {
    // SAFETY: the state of the rank that runs.
    unsafe { &raw mut (*library()).keys }
}

unsafe extern "C" fn create(key: *mut u32, _destructor: *const c_void) -> c_int {
    // SAFETY: no other code uses the rank's keys now; the caller's place for the key.
    unsafe {
        let Some(made) = (*keys()).create() else { return libc::EAGAIN };
        *key = made as u32;
    }
    0
}

unsafe extern "C" fn delete(key: u32) -> c_int {
    // SAFETY: as in `create`.
    if unsafe { (*keys()).delete(key) } { 0 } else { libc::EINVAL }
}

unsafe extern "C" fn get(key: u32) -> *mut c_void {
    // SAFETY: as in `create`.
    unsafe { (*keys()).value(key).map_or(ptr::null_mut(), |value| *value) }
}

unsafe extern "C" fn set(key: u32, value: *mut c_void) -> c_int {
    // SAFETY: as in `create`.
    match unsafe { (*keys()).value(key) } {
        Some(place) => {
            *place = value;
            0
        }
        None => libc::EINVAL,
    }
}
