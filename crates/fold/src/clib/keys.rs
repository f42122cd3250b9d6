//! Thread-specific data: each rank has keys and values of its own, as the thread of a process has.
//!
//! Destructors of values are for threads that end before their process, so they are never called here.

use std::ffi::{c_int, c_void};
use std::ptr;

use super::{Function, functions, library};

/// As many keys as POSIX systems have (`PTHREAD_KEYS_MAX` of Linux).
const MOST: usize = 1024;

/// A rank's keys: the value of each, none if the key is free.
#[derive(Default)]
pub(super) struct Keys {
    values: Vec<Option<*mut c_void>>,
}

impl Keys {
    fn create(&mut self) -> Option<usize> {
        if let Some(free) = self.values.iter().position(Option::is_none) {
            self.values[free] = Some(ptr::null_mut());
            return Some(free);
        }
        if self.values.len() == MOST {
            return None;
        }
        self.values.push(Some(ptr::null_mut()));
        Some(self.values.len() - 1)
    }

    fn value(&mut self, key: u32) -> Option<&mut *mut c_void> {
        self.values.get_mut(key as usize)?.as_mut()
    }

    fn delete(&mut self, key: u32) -> bool {
        self.values.get_mut(key as usize).is_some_and(|value| value.take().is_some())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_reused_and_values_kept() {
        let mut keys = Keys::default();
        let (first, second) = (keys.create().unwrap() as u32, keys.create().unwrap() as u32);
        *keys.value(second).unwrap() = ptr::without_provenance_mut(7);
        assert!(keys.delete(first) && !keys.delete(first) && keys.value(first).is_none());
        assert_eq!(keys.create(), Some(first as usize));
        assert_eq!(keys.value(second).unwrap().addr(), 7);
        assert!(keys.value(first).unwrap().is_null());
    }

    #[test]
    fn there_is_an_end_of_keys() {
        let mut keys = Keys::default();
        assert!((0..MOST).all(|_| keys.create().is_some()));
        assert_eq!(keys.create(), None);
    }
}
