//! Commands and their arguments: what processes that a rank starts execute (`MPI_Comm_spawn`).
//!
//! Fortran passes arrays of texts of one length. Arguments end with a blank text; those of several commands are the lines of a table, which
//! is stored column by column. Only the arguments of the root count: other ranks may pass arrays that have no end.

use core::ffi::{c_char, c_int};
use core::ptr::null_mut;
use std::ffi::CString;

use super::sentinels::{is_argv_null, is_argvs_null};
use super::text::stripped_text;

/// Strings of C, in an array with a null pointer behind them.
pub(crate) struct Strings {
    /// The pointers lead here.
    _owned: Vec<CString>,
    pointers: Vec<*mut c_char>,
}

impl Strings {
    fn new(texts: Vec<CString>) -> Strings {
        let pointers = texts.iter().map(|text| text.as_ptr().cast_mut()).chain([null_mut()]).collect();
        Strings { _owned: texts, pointers }
    }

    /// In place of strings that are absent.
    fn none() -> Strings {
        Strings { _owned: Vec::new(), pointers: Vec::new() }
    }

    /// The argument of the call. MPI does not write there.
    pub(crate) fn pointer(&self) -> *mut *mut c_char {
        if self.pointers.is_empty() { null_mut() } else { self.pointers.as_ptr().cast_mut() }
    }
}

/// The arguments of several commands.
pub(crate) struct Table {
    /// The pointers lead here.
    _owned: Vec<Strings>,
    pointers: Vec<*mut *mut c_char>,
}

impl Table {
    /// The argument of the call. MPI does not write there.
    pub(crate) fn pointer(&self) -> *mut *mut *mut c_char {
        if self.pointers.is_empty() { null_mut() } else { self.pointers.as_ptr().cast_mut() }
    }
}

/// The arguments of one command.
///
/// # Safety
/// At the root: `MPI_ARGV_NULL`, or texts of this length with a blank one behind them.
pub(crate) unsafe fn arguments(at_root: bool, first: *const c_char, length: usize) -> Strings {
    if !at_root || is_argv_null(first) {
        return Strings::none();
    }
    // SAFETY: the caller vouches for it.
    unsafe { until_blank(first, length, 1) }
}

/// So many commands.
///
/// # Safety
/// At the root: so many texts of this length.
pub(crate) unsafe fn texts(at_root: bool, first: *const c_char, length: usize, count: c_int) -> Strings {
    let count = usize::try_from(count).unwrap_or(0);
    if !at_root || count == 0 {
        return Strings::none();
    }
    // SAFETY: the caller vouches for it.
    let text = |nth| unsafe { stripped_text(first.add(nth * length), length) };
    Strings::new((0..count).map(text).collect())
}

/// The arguments of so many commands.
///
/// # Safety
/// At the root: `MPI_ARGVS_NULL`, or a table of texts of this length, each of whose lines ends with a blank one.
pub(crate) unsafe fn argument_table(
    at_root: bool,
    first: *const c_char,
    length: usize,
    count: c_int,
) -> Table {
    let count = usize::try_from(count).unwrap_or(0);
    if !at_root || count == 0 || is_argvs_null(first) {
        return Table { _owned: Vec::new(), pointers: Vec::new() };
    }
    // SAFETY: the caller vouches for it.
    let line = |nth| unsafe { until_blank(first.add(nth * length), length, count) };
    let owned: Vec<Strings> = (0..count).map(line).collect();
    let pointers = owned.iter().map(Strings::pointer).collect();
    Table { _owned: owned, pointers }
}

/// The texts before the first blank one, of which each is so many texts behind the one before.
///
/// # Safety
/// There is a blank text.
unsafe fn until_blank(first: *const c_char, length: usize, distance: usize) -> Strings {
    // SAFETY: the caller vouches for it.
    let text = |nth: usize| unsafe { stripped_text(first.add(nth * distance * length), length) };
    Strings::new((0..).map(text).take_while(|text| !text.is_empty()).collect())
}
