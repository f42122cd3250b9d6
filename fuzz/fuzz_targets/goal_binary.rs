//! GOAL schedules, compiled.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::drive;
use mpirage_trace::Goal;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut goal) = Goal::from_bytes(Path::new("fuzz.bin"), bytes.to_vec()) {
        drive(&mut goal);
    }
});
