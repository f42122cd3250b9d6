//! Patterns made from parameters, as a user types them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::drive;
use mpirage_trace::Generated;

fuzz_target!(|text: &str| {
    if let Ok(mut workload) = Generated::parse(text) {
        drive(&mut workload);
    }
});
