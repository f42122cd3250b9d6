//! Variables of the C library that programs use by name: each rank has its own, behind its `.bss`.

use std::ffi::{c_char, c_int};
use std::mem::offset_of;
use std::{ptr, slice};

/// Their layout in memory.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variables {
    pub environ: *mut *mut c_char,
    pub optarg: *mut c_char,
    pub program: *mut c_char,
    pub program_short: *mut c_char,
    pub optind: c_int,
    pub opterr: c_int,
    pub optopt: c_int,
    pub signgam: c_int,
}

/// Their values before the first call.
pub(crate) const INITIAL: Variables = Variables {
    environ: ptr::null_mut(),
    optarg: ptr::null_mut(),
    program: ptr::null_mut(),
    program_short: ptr::null_mut(),
    optind: 1,
    opterr: 1,
    optopt: b'?' as c_int,
    signgam: 0,
};

impl Variables {
    pub(crate) fn initial() -> Vec<u8> {
        let initial = INITIAL;
        // SAFETY: the struct has no padding, so that all its bytes are initialized.
        unsafe { slice::from_raw_parts((&raw const initial).cast::<u8>(), size_of::<Self>()) }.to_vec()
    }
}

/// Where a variable is.
pub(crate) fn offset(name: &str) -> Option<usize> {
    Some(match name {
        "environ" | "__environ" | "_environ" => offset_of!(Variables, environ),
        "optarg" => offset_of!(Variables, optarg),
        "optind" => offset_of!(Variables, optind),
        "opterr" => offset_of!(Variables, opterr),
        "optopt" => offset_of!(Variables, optopt),
        "signgam" | "__signgam" => offset_of!(Variables, signgam),
        "program_invocation_name" | "__progname_full" => offset_of!(Variables, program),
        "program_invocation_short_name" | "__progname" => offset_of!(Variables, program_short),
        _ => return None,
    })
}

/// The part after the last slash.
///
/// # Safety
/// A string or null.
pub(crate) unsafe fn short_name(name: *mut c_char) -> *mut c_char {
    // SAFETY: as the caller vouches.
    unsafe {
        let slash = if name.is_null() { name } else { libc::strrchr(name, c_int::from(b'/')) };
        if slash.is_null() { name } else { slash.add(1) }
    }
}
