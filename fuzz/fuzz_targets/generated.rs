//! Generated workloads, from the text of their parameters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::drive;
use mpirage_trace::Generated;

fuzz_target!(|text: &str| {
    if let Ok(mut workload) = Generated::parse(text) {
        drive(&mut workload);
    }
});
