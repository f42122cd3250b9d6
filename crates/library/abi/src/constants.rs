//! The constants of the MPI 5 ABI, made from `constants.txt`, which is the place to read them.
//!
//! Predefined callbacks such as `MPI_COMM_DUP_FN` are addresses (`usize`) that no function has.

use crate::types::*;
use core::ffi::{c_char, c_int, c_void};

include!(concat!(env!("OUT_DIR"), "/constants.rs"));
