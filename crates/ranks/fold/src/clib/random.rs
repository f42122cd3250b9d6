//! Random numbers: glibc's generators, one state per rank.

use std::ffi::{c_char, c_double, c_int, c_long, c_uint, c_ushort, c_void};
use std::ptr;

use super::state::{Drand48Data, Random, RandomData};
use super::{Function, functions};
use crate::current::library;

unsafe extern "C" {
    fn random_r(data: *mut RandomData, result: *mut i32) -> c_int;
    fn srandom_r(seed: c_uint, data: *mut RandomData) -> c_int;
    fn initstate_r(seed: c_uint, state: *mut c_char, size: usize, data: *mut RandomData) -> c_int;
    fn setstate_r(state: *mut c_char, data: *mut RandomData) -> c_int;
    fn erand48_r(x: *mut c_ushort, data: *mut Drand48Data, result: *mut c_double) -> c_int;
    fn nrand48_r(x: *mut c_ushort, data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn jrand48_r(x: *mut c_ushort, data: *mut Drand48Data, result: *mut c_long) -> c_int;
    fn srand48_r(seed: c_long, data: *mut Drand48Data) -> c_int;
    fn seed48_r(seed: *mut c_ushort, data: *mut Drand48Data) -> c_int;
    fn lcong48_r(parameters: *mut c_ushort, data: *mut Drand48Data) -> c_int;
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        rand => rand, srand => srandom, random => random, srandom => srandom, initstate => initstate,
        setstate => setstate, drand48 => drand48, erand48 => erand48, lrand48 => lrand48, nrand48 => nrand48,
        mrand48 => mrand48, jrand48 => jrand48, srand48 => srand48, seed48 => seed48, lcong48 => lcong48,
    }
}

/// The generators of the rank that runs, seeded with 1 at first.
unsafe fn generators() -> *mut Random {
    // SAFETY: the state is the running rank's, and boxed: it does not move, although it points to itself.
    unsafe {
        let place = &mut (*library()).random;
        if place.is_none() {
            let fresh = place.insert(Box::new(Random::new()));
            initstate_r(1, fresh.table.as_mut_ptr().cast(), size_of_val(&fresh.table), &raw mut fresh.data);
        }
        place.as_mut().map_or(ptr::null_mut(), |random| &raw mut **random)
    }
}

unsafe extern "C" fn random() -> c_long {
    let mut result = 0;
    // SAFETY: the rank's own state.
    unsafe { random_r(&raw mut (*generators()).data, &raw mut result) };
    c_long::from(result)
}

unsafe extern "C" fn rand() -> c_int {
    // SAFETY: as `random`.
    unsafe { random() as c_int }
}

unsafe extern "C" fn srandom(seed: c_uint) {
    // SAFETY: as `random`.
    unsafe { srandom_r(seed, &raw mut (*generators()).data) };
}

unsafe extern "C" fn initstate(seed: c_uint, state: *mut c_char, size: usize) -> *mut c_char {
    // SAFETY: as `random`; the new state is the program's.
    unsafe {
        let data = &raw mut (*generators()).data;
        let old = (*data).state.sub(1).cast();
        if initstate_r(seed, state, size, data) == 0 { old } else { ptr::null_mut() }
    }
}

unsafe extern "C" fn setstate(state: *mut c_char) -> *mut c_char {
    // SAFETY: as `initstate`.
    unsafe {
        let data = &raw mut (*generators()).data;
        let old = (*data).state.sub(1).cast();
        if setstate_r(state, data) == 0 { old } else { ptr::null_mut() }
    }
}

/// The rank's state of the 48-bit generator, and its current number.
unsafe fn drand48_data() -> (*mut Drand48Data, *mut c_ushort) {
    // SAFETY: as `random`.
    unsafe {
        let data = &raw mut (*generators()).drand48;
        (data, (&raw mut (*data).x).cast())
    }
}

unsafe extern "C" fn drand48() -> c_double {
    // SAFETY: as `random`.
    unsafe { erand48(drand48_data().1) }
}

unsafe extern "C" fn lrand48() -> c_long {
    // SAFETY: as `random`.
    unsafe { nrand48(drand48_data().1) }
}

unsafe extern "C" fn mrand48() -> c_long {
    // SAFETY: as `random`.
    unsafe { jrand48(drand48_data().1) }
}

unsafe extern "C" fn erand48(x: *mut c_ushort) -> c_double {
    let mut result = 0.0;
    // SAFETY: as `random`; `x` is the program's or the rank's.
    unsafe { erand48_r(x, drand48_data().0, &raw mut result) };
    result
}

unsafe extern "C" fn nrand48(x: *mut c_ushort) -> c_long {
    let mut result = 0;
    // SAFETY: as `erand48`.
    unsafe { nrand48_r(x, drand48_data().0, &raw mut result) };
    result
}

unsafe extern "C" fn jrand48(x: *mut c_ushort) -> c_long {
    let mut result = 0;
    // SAFETY: as `erand48`.
    unsafe { jrand48_r(x, drand48_data().0, &raw mut result) };
    result
}

unsafe extern "C" fn srand48(seed: c_long) {
    // SAFETY: as `random`.
    unsafe { srand48_r(seed, drand48_data().0) };
}

unsafe extern "C" fn seed48(seed: *mut c_ushort) -> *mut c_void {
    // SAFETY: as `random`; the program gets the number before, as from the C library.
    unsafe {
        let data = drand48_data().0;
        seed48_r(seed, data);
        (&raw mut (*data).old_x).cast()
    }
}

unsafe extern "C" fn lcong48(parameters: *mut c_ushort) {
    // SAFETY: as `random`.
    unsafe { lcong48_r(parameters, drand48_data().0) };
}
