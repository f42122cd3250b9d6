//! Integer constants of MPI, made by `build.rs`.

#![allow(dead_code)]

use core::ffi::c_int;

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
