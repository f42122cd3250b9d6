//! The random number generators of a rank, with the states of glibc's functions.

use std::ffi::{c_int, c_ushort};
use std::ptr;

/// The state of `random_r`.
#[repr(C)]
pub(crate) struct RandomData {
    front: *mut i32,
    rear: *mut i32,
    pub state: *mut i32,
    kind: c_int,
    degree: c_int,
    separation: c_int,
    end: *mut i32,
}

/// The state of `drand48_r`; zero is its initial state.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Drand48Data {
    pub x: [c_ushort; 3],
    pub old_x: [c_ushort; 3],
    c: c_ushort,
    init: c_ushort,
    a: u64,
}

/// The generators of a rank.
pub(crate) struct Random {
    pub data: RandomData,
    pub table: [i32; 32],
    pub drand48: Drand48Data,
}

impl Random {
    /// Not seeded yet.
    pub(crate) fn new() -> Self {
        let data = RandomData {
            front: ptr::null_mut(),
            rear: ptr::null_mut(),
            state: ptr::null_mut(),
            kind: 0,
            degree: 0,
            separation: 0,
            end: ptr::null_mut(),
        };
        Self { data, table: [0; 32], drand48: Drand48Data::default() }
    }
}
