//! GOAL schedules, compiled: a whole file, or the schedules of its ranks.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::{drive, sealed};
use mpirage_trace::Goal;

fuzz_target!(|bytes: &[u8]| {
    let file = if bytes.starts_with(&4223u64.to_le_bytes()) {
        bytes.to_vec()
    } else {
        sealed::goal(&sealed::pieces(bytes))
    };
    if let Ok(mut goal) = Goal::from_bytes(Path::new("fuzz.bin"), file) {
        drive(&mut goal);
    }
});
