//! Characters: Fortran's have a length and end with blanks, C's end with a zero.

use core::ffi::{c_char, c_int};
use std::ffi::CString;

/// The longest string that MPI stores where the program has no say (`MPI_MAX_LIBRARY_VERSION_STRING`).
const LONGEST: usize = 8192;
/// The first byte of room in which nothing was stored: no text of MPI begins with it.
const UNTOUCHED: u8 = 0xff;

/// A text without the blanks after it.
///
/// # Safety
/// So many characters are there.
pub(crate) unsafe fn text(characters: *const c_char, length: usize) -> CString {
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { core::slice::from_raw_parts(characters.cast::<u8>(), length) };
    terminated(bytes.trim_ascii_end())
}

/// A text without the blanks around it: a key or value of an info object, a command or an argument of one.
///
/// # Safety
/// So many characters are there.
pub(crate) unsafe fn stripped_text(characters: *const c_char, length: usize) -> CString {
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { core::slice::from_raw_parts(characters.cast::<u8>(), length) };
    terminated(bytes.trim_ascii())
}

fn terminated(text: &[u8]) -> CString {
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Room for what MPI stores for a program that has room for so many characters.
pub(crate) fn room(length: usize) -> Vec<u8> {
    vec![UNTOUCHED; LONGEST.max(length) + 1]
}

/// Stores a text with blanks after it, unless the function stored none.
///
/// # Safety
/// There is room for so many characters.
pub(crate) unsafe fn store_text(characters: *mut c_char, length: usize, stored: &[u8]) {
    if stored.first() == Some(&UNTOUCHED) {
        return;
    }
    let text = stored.split(|byte| *byte == 0).next().unwrap_or_default();
    // SAFETY: the caller vouches for it.
    let room = unsafe { core::slice::from_raw_parts_mut(characters.cast::<u8>(), length) };
    let copied = text.len().min(length);
    room[..copied].copy_from_slice(&text[..copied]);
    room[copied..].fill(b' ');
}

/// The length of room in C, which counts the terminator; no room stays none.
///
/// # Safety
/// An integer is there.
pub(crate) unsafe fn with_terminator(length: *const c_int) -> c_int {
    // SAFETY: the caller vouches for it.
    match unsafe { *length } {
        0 => 0,
        length => length + 1,
    }
}
