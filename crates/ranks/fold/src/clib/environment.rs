//! Functions that read and change the environment of a rank.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;

use super::{Function, functions};
use crate::current;
use crate::rank::Rank;

/// The third argument of `main`.
///
/// # Safety
/// The rank is alive.
pub(crate) unsafe fn of(rank: *mut Rank) -> *mut *mut c_char {
    // SAFETY: as the caller vouches. A program that changes strings through this pointer changes them for all.
    unsafe {
        if Rank::program(rank).has_variables {
            return (*Rank::variables(rank)).environ;
        }
        (*rank).initial_environment = (*rank).environment.pointers();
        (*rank).initial_environment.as_mut_ptr()
    }
}

/// Gives the rank strings of its own.
///
/// # Safety
/// The rank is alive.
pub(crate) unsafe fn make_private(rank: *mut Rank) -> *mut *mut c_char {
    // SAFETY: as the caller vouches.
    unsafe { (*Rank::library(rank)).environment.vector(&(*rank).environment) }
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        getenv => getenv, secure_getenv => getenv, __secure_getenv => getenv, setenv => setenv, putenv => putenv,
        unsetenv => unsetenv, clearenv => clearenv,
    }
}

/// The variable of this name in the environment of the rank that runs.
pub(super) unsafe fn get(name: &CStr) -> *mut c_char {
    // SAFETY: a string.
    unsafe { getenv(name.as_ptr()) }
}

unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: the program's string; the vector ends in null.
    unsafe {
        let name = CStr::from_ptr(name).to_bytes();
        let vector = vector();
        if vector.is_null() {
            return ptr::null_mut();
        }
        let mut entry = vector;
        while !(*entry).is_null() {
            if is_of(*entry, name) {
                return (*entry).add(name.len() + 1);
            }
            entry = entry.add(1);
        }
        ptr::null_mut()
    }
}

unsafe extern "C" fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int {
    // SAFETY: the program's strings.
    unsafe {
        let Some(bytes) = checked(name) else { return invalid() };
        if overwrite == 0 && !getenv(name).is_null() {
            return 0;
        }
        let mut string = bytes.to_vec();
        string.push(b'=');
        string.extend_from_slice(CStr::from_ptr(value).to_bytes());
        // Like the C library, never freed: the program may hold a pointer to it.
        let Ok(string) = CString::new(string) else { return invalid() };
        put(bytes, string.into_raw());
        0
    }
}

unsafe extern "C" fn putenv(string: *mut c_char) -> c_int {
    // SAFETY: the program's string, which becomes part of its environment.
    unsafe {
        let bytes = CStr::from_ptr(string).to_bytes();
        match bytes.iter().position(|&byte| byte == b'=') {
            Some(end) => {
                put(&bytes[..end], string);
                0
            }
            None => unsetenv(string),
        }
    }
}

unsafe extern "C" fn unsetenv(name: *const c_char) -> c_int {
    // SAFETY: the program's string.
    unsafe {
        let Some(bytes) = checked(name) else { return invalid() };
        edit(|vector| vector.retain(|&entry| entry.is_null() || !is_of(entry, bytes)));
        0
    }
}

unsafe extern "C" fn clearenv() -> c_int {
    // SAFETY: of the rank that runs.
    unsafe { edit(|vector| vector.retain(|entry| entry.is_null())) };
    0
}

unsafe fn put(name: &[u8], string: *mut c_char) {
    // SAFETY: entries are strings.
    unsafe {
        edit(|vector| match vector.iter_mut().find(|entry| !entry.is_null() && is_of(**entry, name)) {
            Some(entry) => *entry = string,
            None => vector.insert(vector.len() - 1, string),
        });
    }
}

/// The vector as the program sees it: it may have assigned to `environ`.
unsafe fn vector() -> *mut *mut c_char {
    let rank = current::get();
    // SAFETY: the rank that runs.
    unsafe {
        if rank.is_null() {
            return ptr::null_mut();
        }
        if Rank::program(rank).has_variables { (*Rank::variables(rank)).environ } else { make_private(rank) }
    }
}

/// Changes the rank's vector, after taking over what the program assigned to `environ`.
unsafe fn edit(change: impl FnOnce(&mut Vec<*mut c_char>)) {
    let rank = current::get();
    // SAFETY: the rank that runs; entries up to null are the program's.
    unsafe {
        if rank.is_null() {
            return;
        }
        let seen = vector();
        make_private(rank);
        let vector = (*Rank::library(rank)).environment.edit(seen, change);
        if Rank::program(rank).has_variables {
            (*Rank::variables(rank)).environ = vector;
            Rank::publish_variables(rank);
        }
    }
}

unsafe fn is_of(entry: *const c_char, name: &[u8]) -> bool {
    // SAFETY: an entry is a string.
    let entry = unsafe { CStr::from_ptr(entry) }.to_bytes();
    entry.len() > name.len() && entry[name.len()] == b'=' && entry.starts_with(name)
}

/// A name that a variable can have.
unsafe fn checked<'a>(name: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the program's string or null.
    let name = if name.is_null() { return None } else { unsafe { CStr::from_ptr(name) }.to_bytes() };
    (!name.is_empty() && !name.contains(&b'=')).then_some(name)
}

fn invalid() -> c_int {
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() = libc::EINVAL };
    -1
}
