//! Arbitrary calls: a trace may contain any.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::{Script, drive};

fuzz_target!(|bytes: &[u8]| drive(&mut Script::new(bytes)));
