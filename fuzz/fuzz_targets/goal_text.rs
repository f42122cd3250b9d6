//! GOAL schedules as text.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::drive;
use mpirage_trace::{Goal, compile_goal};

fuzz_target!(|bytes: &[u8]| {
    let name = Path::new("fuzz.goal");
    let goal = Goal::from_text(name, bytes.to_vec());
    // A valid text can be compiled and read again.
    if let Ok(mut goal) = goal {
        drive(&mut goal);
        let compiled = compile_goal(name, bytes).expect("it was read before");
        assert!(Goal::from_bytes(name, compiled).is_ok());
    }
});
