//! Messages about wrong options, in the C library's words.

use std::ffi::{CStr, c_char, c_int};

use super::Scan;

unsafe extern "C" {
    fn dprintf(file: c_int, format: *const c_char, ...) -> c_int;
}

impl Scan {
    unsafe fn speaks(&self) -> bool {
        // SAFETY: the rank's variables.
        unsafe { (*self.variables).opterr != 0 && !self.silent }
    }

    /// About a letter.
    pub(super) unsafe fn say(&self, format: &CStr, option: u8) {
        // SAFETY: the format takes the program's name and a character.
        unsafe {
            if self.speaks() {
                dprintf(2, format.as_ptr(), *self.arguments, c_int::from(option));
            }
        }
    }

    /// About a name.
    pub(super) unsafe fn say_about(&self, format: &CStr, prefix: &CStr, name: *const c_char) {
        // SAFETY: the format takes three strings.
        unsafe {
            if self.speaks() {
                dprintf(2, format.as_ptr(), *self.arguments, prefix.as_ptr(), name);
            }
        }
    }

    pub(super) unsafe fn say_ambiguous(&self, prefix: &CStr, candidates: &[usize]) {
        // SAFETY: names of the program's options.
        unsafe {
            if !self.speaks() {
                return;
            }
            let mut text = Vec::new();
            for &candidate in candidates {
                text.extend_from_slice(b" '");
                text.extend_from_slice(prefix.to_bytes());
                text.extend_from_slice(CStr::from_ptr(self.entry(candidate).name).to_bytes());
                text.push(b'\'');
            }
            let format = c"%s: option '%s%s' is ambiguous; possibilities:%.*s\n";
            let next = (*self.state).next as *const c_char;
            dprintf(
                2,
                format.as_ptr(),
                *self.arguments,
                prefix.as_ptr(),
                next,
                text.len() as c_int,
                text.as_ptr(),
            );
        }
    }
}
