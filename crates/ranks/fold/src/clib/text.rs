//! Functions that return a pointer to a buffer of their own, or remember where they were.

use std::ffi::{c_char, c_double, c_float, c_int};

use super::state::{TEXT_SIZE, TextBuffers};
use super::{Function, functions};
use crate::current::{self, library};
use crate::rank::Rank;

unsafe extern "C" {
    /// GNU's, which returns the text.
    fn strerror_r(error: c_int, buffer: *mut c_char, size: usize) -> *mut c_char;
    fn sigdescr_np(signal: c_int) -> *const c_char;
    fn tmpnam(buffer: *mut c_char) -> *mut c_char;
    fn ecvt_r(
        value: c_double,
        digits: c_int,
        point: *mut c_int,
        sign: *mut c_int,
        to: *mut c_char,
        size: usize,
    ) -> c_int;
    fn fcvt_r(
        value: c_double,
        digits: c_int,
        point: *mut c_int,
        sign: *mut c_int,
        to: *mut c_char,
        size: usize,
    ) -> c_int;
    fn lgamma_r(value: c_double, sign: *mut c_int) -> c_double;
    fn lgammaf_r(value: c_float, sign: *mut c_int) -> c_float;
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        strtok => strtok, strerror => strerror, strsignal => strsignal, tmpnam => temporary_name,
        inet_ntoa => inet_ntoa, ecvt => ecvt, fcvt => fcvt, lgamma => lgamma, gamma => lgamma, lgammaf => lgammaf,
        gammaf => lgammaf,
    }
}

unsafe fn buffers() -> *mut TextBuffers {
    // SAFETY: the state of the rank that runs.
    unsafe { &raw mut (*library()).text }
}

unsafe extern "C" fn strtok(text: *mut c_char, separators: *const c_char) -> *mut c_char {
    // SAFETY: the program's strings.
    unsafe { libc::strtok_r(text, separators, &raw mut (*buffers()).rest) }
}

unsafe extern "C" fn strerror(error: c_int) -> *mut c_char {
    // SAFETY: the buffer has this size.
    unsafe { strerror_r(error, (&raw mut (*buffers()).error).cast(), TEXT_SIZE) }
}

unsafe extern "C" fn strsignal(signal: c_int) -> *mut c_char {
    // SAFETY: constant texts, or a buffer of this module.
    unsafe {
        let known = sigdescr_np(signal);
        if !known.is_null() {
            return known.cast_mut();
        }
        let buffer: *mut c_char = (&raw mut (*buffers()).signal).cast();
        libc::snprintf(buffer, TEXT_SIZE, c"Unknown signal %d".as_ptr(), signal);
        buffer
    }
}

unsafe extern "C" fn temporary_name(buffer: *mut c_char) -> *mut c_char {
    // SAFETY: the program's buffer or this module's, both of the size the C library names.
    unsafe { tmpnam(if buffer.is_null() { (&raw mut (*buffers()).name).cast() } else { buffer }) }
}

/// The address comes in network order, in the low half of a register.
unsafe extern "C" fn inet_ntoa(address: u32) -> *mut c_char {
    let [a, b, c, d] = address.to_ne_bytes().map(c_int::from);
    // SAFETY: four numbers of three digits and three dots fit.
    unsafe {
        let buffer: *mut c_char = (&raw mut (*buffers()).address).cast();
        libc::snprintf(buffer, 16, c"%d.%d.%d.%d".as_ptr(), a, b, c, d);
        buffer
    }
}

unsafe extern "C" fn ecvt(
    value: c_double,
    digits: c_int,
    point: *mut c_int,
    sign: *mut c_int,
) -> *mut c_char {
    // SAFETY: the buffer has this size.
    unsafe {
        let buffer = (&raw mut (*buffers()).number).cast();
        ecvt_r(value, digits, point, sign, buffer, TEXT_SIZE);
        buffer
    }
}

unsafe extern "C" fn fcvt(
    value: c_double,
    digits: c_int,
    point: *mut c_int,
    sign: *mut c_int,
) -> *mut c_char {
    // SAFETY: the buffer has this size.
    unsafe {
        let buffer = (&raw mut (*buffers()).number).cast();
        fcvt_r(value, digits, point, sign, buffer, TEXT_SIZE);
        buffer
    }
}

/// Where `lgamma` leaves the sign.
unsafe fn with_sign<T>(function: impl FnOnce(*mut c_int) -> T) -> T {
    let rank = current::get();
    let mut sign = 0;
    let result = function(&raw mut sign);
    // SAFETY: the rank that runs; only programs that know `signgam` get it.
    unsafe {
        if !rank.is_null() && Rank::program(rank).has_variables {
            (*Rank::variables(rank)).signgam = sign;
            Rank::publish_variables(rank);
        }
    }
    result
}

unsafe extern "C" fn lgamma(value: c_double) -> c_double {
    // SAFETY: a pure function with a place for the sign.
    unsafe { with_sign(|sign| lgamma_r(value, sign)) }
}

unsafe extern "C" fn lgammaf(value: c_float) -> c_float {
    // SAFETY: as above.
    unsafe { with_sign(|sign| lgammaf_r(value, sign)) }
}
