//! Option parsing as GNU's C library does it: permutation, long options, abbreviations, messages.

mod long;
mod message;
mod short;

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::state::{Order, Scanner};
use super::variables::{INITIAL, Variables};
use super::{Function, environment, functions};
use crate::current;
use crate::rank::Rank;

const UNKNOWN: c_int = b'?' as c_int;
const DONE: c_int = -1;

/// `struct option`.
#[repr(C)]
pub(super) struct LongOption {
    name: *const c_char,
    argument: c_int,
    flag: *mut c_int,
    value: c_int,
}

/// One call: the rank's state and what the program passed.
struct Scan {
    state: *mut Scanner,
    variables: *mut Variables,
    count: c_int,
    arguments: *mut *mut c_char,
    options: &'static [u8],
    long: *const LongOption,
    index: *mut c_int,
    /// Long options may start with one dash.
    long_only: bool,
    /// Nothing is printed, and a missing argument is `:`.
    silent: bool,
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        getopt => getopt, __posix_getopt => posix_getopt, getopt_long => getopt_long,
        getopt_long_only => getopt_long_only,
    }
}

unsafe extern "C" fn getopt(count: c_int, arguments: *mut *mut c_char, options: *const c_char) -> c_int {
    // SAFETY: the program's arguments, as for the C library's function.
    unsafe { parse(count, arguments, options, (ptr::null(), ptr::null_mut()), false, false) }
}

unsafe extern "C" fn posix_getopt(
    count: c_int,
    arguments: *mut *mut c_char,
    options: *const c_char,
) -> c_int {
    // SAFETY: as `getopt`.
    unsafe { parse(count, arguments, options, (ptr::null(), ptr::null_mut()), false, true) }
}

unsafe extern "C" fn getopt_long(
    count: c_int,
    arguments: *mut *mut c_char,
    options: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    // SAFETY: as `getopt`.
    unsafe { parse(count, arguments, options, (long, index), false, false) }
}

unsafe extern "C" fn getopt_long_only(
    count: c_int,
    arguments: *mut *mut c_char,
    options: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    // SAFETY: as `getopt`.
    unsafe { parse(count, arguments, options, (long, index), true, false) }
}

/// # Safety
/// The arguments are a program's, valid as C's `getopt` wants them.
unsafe fn parse(
    count: c_int,
    arguments: *mut *mut c_char,
    options: *const c_char,
    (long, index): (*const LongOption, *mut c_int),
    long_only: bool,
    posix: bool,
) -> c_int {
    let rank = current::get();
    if rank.is_null() || count < 1 {
        return DONE;
    }
    // SAFETY: the rank that runs; the strings are the caller's.
    unsafe {
        let options: &'static [u8] = CStr::from_ptr(options).to_bytes();
        let state = &raw mut (*Rank::library(rank)).getopt;
        let variables = variables(rank, state);
        let mut scan =
            Scan { state, variables, count, arguments, options, long, index, long_only, silent: false };
        scan.begin(posix);
        let option = scan.step();
        Rank::publish_variables(rank);
        option
    }
}

/// The program's variables. If the program uses none of them, the first scan gives them their initial values.
unsafe fn variables(rank: *mut Rank, state: *mut Scanner) -> *mut Variables {
    // SAFETY: the rank that runs.
    unsafe {
        let variables = Rank::variables(rank);
        if !Rank::program(rank).has_variables && !(*state).begun {
            variables.write(INITIAL);
        }
        variables
    }
}

impl Scan {
    /// # Safety
    /// As for `parse`.
    unsafe fn begin(&mut self, posix: bool) {
        // SAFETY: the rank's state.
        unsafe {
            (*self.variables).optarg = ptr::null_mut();
            let mark = self.options.first().copied();
            if (*self.variables).optind == 0 || !(*self.state).begun {
                let start = (*self.variables).optind.max(1);
                (*self.variables).optind = start;
                let strict = posix || !environment::get(c"POSIXLY_CORRECT").is_null();
                let order = match mark {
                    Some(b'-') => Order::Return,
                    Some(b'+') => Order::Require,
                    _ if strict => Order::Require,
                    _ => Order::Permute,
                };
                *self.state = Scanner { begun: true, order, next: 0, first: start, last: start };
            }
            if matches!(mark, Some(b'-' | b'+')) {
                self.options = &self.options[1..];
            }
            self.silent = self.options.first() == Some(&b':');
        }
    }

    unsafe fn step(&mut self) -> c_int {
        // SAFETY: the rank's state and the program's arguments.
        unsafe {
            if self.rest().is_empty() {
                if let Some(result) = self.next_argument() {
                    return result;
                }
                let argument = self.argument((*self.variables).optind);
                if let Some(result) = self.try_long(argument) {
                    return result;
                }
                (*self.state).next = argument as usize + 1;
            }
            self.short()
        }
    }

    /// Moves on to the next argument that holds options; `Some` if there is none.
    unsafe fn next_argument(&mut self) -> Option<c_int> {
        // SAFETY: as `step`.
        unsafe {
            let (state, at) = (&mut *self.state, &mut (*self.variables).optind);
            state.last = state.last.min(*at);
            state.first = state.first.min(*at);
            if state.order == Order::Permute {
                self.gather();
                while *at < self.count && !self.is_option(*at) {
                    *at += 1;
                }
                state.last = *at;
            }
            if *at != self.count && CStr::from_ptr(self.argument(*at)) == c"--" {
                *at += 1;
                if state.first == state.last {
                    state.first = *at;
                } else {
                    self.gather();
                }
                state.last = self.count;
                *at = self.count;
            }
            if *at == self.count {
                if state.first != state.last {
                    *at = state.first;
                }
                return Some(DONE);
            }
            if self.is_option(*at) {
                return None;
            }
            if state.order == Order::Require {
                return Some(DONE);
            }
            (*self.variables).optarg = self.argument(*at);
            *at += 1;
            Some(1)
        }
    }

    /// Brings the skipped arguments behind the options that followed them.
    unsafe fn gather(&mut self) {
        // SAFETY: all indices are below the count.
        unsafe {
            let (state, at) = (&mut *self.state, (*self.variables).optind);
            if state.first != state.last && state.last != at {
                let all = std::slice::from_raw_parts_mut(self.arguments, self.count as usize);
                all[state.first as usize..at as usize].rotate_left((state.last - state.first) as usize);
                state.first += at - state.last;
                state.last = at;
            } else if state.last != at {
                state.first = at;
            }
        }
    }

    /// `--name`, or `-name` if that is allowed and no short option.
    unsafe fn try_long(&mut self, argument: *mut c_char) -> Option<c_int> {
        if self.long.is_null() {
            return None;
        }
        // SAFETY: an option has at least two characters.
        unsafe {
            let second = *argument.add(1) as u8;
            if second == b'-' {
                (*self.state).next = argument as usize + 2;
                return self.long(self.long_only, c"--");
            }
            if self.long_only && (*argument.add(2) != 0 || !self.options.contains(&second)) {
                (*self.state).next = argument as usize + 1;
                return self.long(true, c"-");
            }
        }
        None
    }

    unsafe fn rest(&self) -> &'static [u8] {
        // SAFETY: null, or inside one of the program's arguments.
        unsafe {
            let next = (*self.state).next as *const c_char;
            if next.is_null() { &[] } else { CStr::from_ptr(next).to_bytes() }
        }
    }

    unsafe fn argument(&self, at: c_int) -> *mut c_char {
        // SAFETY: below the count.
        unsafe { *self.arguments.add(at as usize) }
    }

    unsafe fn is_option(&self, at: c_int) -> bool {
        // SAFETY: a string of the program.
        let text = unsafe { CStr::from_ptr(self.argument(at)) }.to_bytes();
        text.len() > 1 && text[0] == b'-'
    }
}
