//! Variables of the C library that programs use by name: each rank has its own, behind its `.bss`.

use std::ffi::{c_char, c_int};
use std::mem::offset_of;
use std::{ptr, slice};

use crate::clib::Environment;
use crate::rank::Rank;

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

    /// Those of a rank, with what the program has changed in its own data. Code that changes one calls
    /// [`Variables::publish`] afterwards.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn of(rank: *mut Rank) -> *mut Self {
        // SAFETY: the instance has room for them at this place, and copies are of this size.
        unsafe {
            let variables = Self::place(rank);
            for copy in &Rank::program(rank).copied_variables {
                let own = ((*rank).base + copy.offset) as *const u8;
                ptr::copy_nonoverlapping(own, variables.byte_add(copy.address).cast(), copy.size);
            }
            variables
        }
    }

    /// Shows a change to a program that has variables in its own data, as an ordinary executable does.
    ///
    /// # Safety
    /// The rank is alive.
    pub(crate) unsafe fn publish(rank: *mut Rank) {
        // SAFETY: as in `of`.
        unsafe {
            let variables = Self::place(rank);
            for copy in &Rank::program(rank).copied_variables {
                let own = ((*rank).base + copy.offset) as *mut u8;
                ptr::copy_nonoverlapping(variables.byte_add(copy.address).cast(), own, copy.size);
            }
        }
    }

    unsafe fn place(rank: *mut Rank) -> *mut Self {
        // SAFETY: the instance has room for them at this place.
        unsafe { ((*rank).base + Rank::program(rank).variables) as *mut Self }
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

/// Gives a new rank its values. A program that uses none of them does not pay for the page they are on.
///
/// # Safety
/// The rank is loaded and does not run yet.
pub(crate) unsafe fn fill(rank: *mut Rank) {
    // SAFETY: as the caller vouches; there is always an argument or a zero in its place.
    unsafe {
        if !Rank::program(rank).has_variables {
            return;
        }
        let variables = Variables::place(rank);
        (*variables).environ = Environment::make_private(rank);
        (*variables).program = *(*rank).arguments;
        (*variables).program_short = short_name(*(*rank).arguments);
        Variables::publish(rank);
    }
}

/// What follows the last slash.
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
