//! Buffers to which functions of the C library return pointers.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;

pub(crate) const TEXT_SIZE: usize = 256;

/// The buffers of functions that return texts.
pub(crate) struct TextBuffers {
    pub rest: *mut c_char,
    pub error: [c_char; TEXT_SIZE],
    pub signal: [c_char; TEXT_SIZE],
    pub number: [c_char; TEXT_SIZE],
    pub name: [c_char; libc::L_tmpnam as usize],
    pub address: [c_char; 16],
}

impl Default for TextBuffers {
    fn default() -> Self {
        Self {
            rest: ptr::null_mut(),
            error: [0; TEXT_SIZE],
            signal: [0; TEXT_SIZE],
            number: [0; TEXT_SIZE],
            name: [0; libc::L_tmpnam as usize],
            address: [0; 16],
        }
    }
}

const TIME_SIZE: usize = 64;

/// The buffers of calendar functions. The C library's functions share one, too.
pub(crate) struct TimeBuffers {
    pub broken_down: MaybeUninit<libc::tm>,
    pub text: [c_char; TIME_SIZE],
}

impl Default for TimeBuffers {
    fn default() -> Self {
        Self { broken_down: MaybeUninit::zeroed(), text: [0; TIME_SIZE] }
    }
}
