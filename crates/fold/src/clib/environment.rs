//! The environment of a rank.
//!
//! Ranks share one until they look at it: programs cut strings that `getenv` gave them into pieces.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::rc::Rc;

use super::variables::Variables;
use super::{Function, functions};
use crate::current;
use crate::rank::Rank;

/// Environment variables, shared by all ranks that get them; cheap to clone.
#[derive(Clone)]
pub struct Environment {
    common: Rc<Vec<CString>>,
    own: Rc<Vec<CString>>,
}

/// A rank's own.
#[derive(Default)]
pub(crate) struct Private {
    vector: Vec<*mut c_char>,
    /// The strings that this module frees; the others belong to the program (`putenv`).
    _owned: Vec<CString>,
}

impl Environment {
    /// From `NAME=value` strings.
    pub fn new(strings: Vec<CString>) -> Self {
        Self { common: Rc::new(strings), own: Rc::default() }
    }

    /// The same with a few more, or with other values of some. What is common is stored once.
    pub fn with(&self, own: Vec<CString>) -> Self {
        let name =
            |string: &CString| string.as_bytes().split(|&byte| byte == b'=').next().map(<[u8]>::to_vec);
        let kept = self.own.iter().filter(|old| !own.iter().any(|new| name(new) == name(old))).cloned();
        Self { common: Rc::clone(&self.common), own: Rc::new(kept.chain(own.iter().cloned()).collect()) }
    }

    /// The one of this process.
    pub fn inherited() -> Self {
        use std::os::unix::ffi::OsStringExt;
        let entry = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            let mut bytes = name.into_vec();
            bytes.push(b'=');
            bytes.extend(value.into_vec());
            CString::new(bytes).ok()
        };
        Self::new(std::env::vars_os().filter_map(entry).collect())
    }

    /// What `main` gets as its third argument.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn of(rank: *mut Rank) -> *mut *mut c_char {
        // SAFETY: as the caller vouches. A program that changes strings through this pointer changes them for all.
        unsafe {
            if Rank::program(rank).has_variables {
                return (*Variables::of(rank)).environ;
            }
            let environment = &(*rank).environment;
            (*rank).initial_environment =
                environment.entries().map(|entry| entry.as_ptr().cast_mut()).collect();
            (*rank).initial_environment.push(ptr::null_mut());
            (*rank).initial_environment.as_mut_ptr()
        }
    }

    /// What is common, as far as the rank has no other value, then the rank's own.
    fn entries(&self) -> impl Iterator<Item = &CString> {
        let name = |string: &CString| string.as_bytes().iter().position(|&byte| byte == b'=').unwrap_or(0);
        let replaced = move |old: &&CString| {
            let end = name(old) + 1;
            self.own.iter().any(|new| new.as_bytes().get(..end) == old.as_bytes().get(..end))
        };
        self.common.iter().filter(move |old| !replaced(old)).chain(self.own.iter())
    }

    /// Gives the rank strings of its own.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn make_private(rank: *mut Rank) -> *mut *mut c_char {
        // SAFETY: as the caller vouches.
        unsafe {
            let private = &mut (*super::library_of(rank)).environment;
            if private.vector.is_empty() {
                let environment = &(*rank).environment;
                private._owned = environment.entries().cloned().collect();
                private.vector = private._owned.iter().map(|string| string.as_ptr().cast_mut()).collect();
                private.vector.push(ptr::null_mut());
            }
            private.vector.as_mut_ptr()
        }
    }
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
        if Rank::program(rank).has_variables {
            (*Variables::of(rank)).environ
        } else {
            Environment::make_private(rank)
        }
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
        Environment::make_private(rank);
        let private = &mut (*super::library_of(rank)).environment;
        if seen != private.vector.as_mut_ptr() {
            let count =
                if seen.is_null() { 0 } else { (0..).take_while(|&at| !(*seen.add(at)).is_null()).count() };
            private.vector = (0..count).map(|at| *seen.add(at)).chain([ptr::null_mut()]).collect();
        }
        change(&mut private.vector);
        if Rank::program(rank).has_variables {
            (*Variables::of(rank)).environ = private.vector.as_mut_ptr();
            Variables::publish(rank);
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
