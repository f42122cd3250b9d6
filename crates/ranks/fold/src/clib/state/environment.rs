//! The environment of a rank.
//!
//! Ranks share one until they look at it: programs cut strings that `getenv` gave them into pieces.

use std::ffi::{CString, c_char};
use std::ptr;
use std::rc::Rc;

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

    /// Its strings as C has them: pointers, and null at the end.
    pub(crate) fn pointers(&self) -> Vec<*mut c_char> {
        pointers(self.entries())
    }

    /// The common entries that the rank does not replace, then the rank's own.
    fn entries(&self) -> impl Iterator<Item = &CString> {
        let name = |string: &CString| string.as_bytes().iter().position(|&byte| byte == b'=').unwrap_or(0);
        let replaced = move |old: &&CString| {
            let end = name(old) + 1;
            self.own.iter().any(|new| new.as_bytes().get(..end) == old.as_bytes().get(..end))
        };
        self.common.iter().filter(move |old| !replaced(old)).chain(self.own.iter())
    }
}

impl Private {
    /// The vector, with strings of its own for those of the rank's environment.
    pub(crate) fn vector(&mut self, environment: &Environment) -> *mut *mut c_char {
        if self.vector.is_empty() {
            self._owned = environment.entries().cloned().collect();
            self.vector = pointers(self._owned.iter());
        }
        self.vector.as_mut_ptr()
    }

    /// Changes the vector, after taking over what the program assigned to `environ`.
    ///
    /// # Safety
    /// `seen` is what the program has there: null, or pointers up to null.
    pub(crate) unsafe fn edit(
        &mut self,
        seen: *mut *mut c_char,
        change: impl FnOnce(&mut Vec<*mut c_char>),
    ) -> *mut *mut c_char {
        if seen != self.vector.as_mut_ptr() {
            // SAFETY: as the caller vouches.
            unsafe {
                let count = if seen.is_null() {
                    0
                } else {
                    (0..).take_while(|&at| !(*seen.add(at)).is_null()).count()
                };
                self.vector = (0..count).map(|at| *seen.add(at)).chain([ptr::null_mut()]).collect();
            }
        }
        change(&mut self.vector);
        self.vector.as_mut_ptr()
    }
}

fn pointers<'a>(entries: impl Iterator<Item = &'a CString>) -> Vec<*mut c_char> {
    entries.map(|entry| entry.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}
