//! Training of transformers, from the text of its parameters.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::drive;
use mpirage_trace::{Training, Workload};

fuzz_target!(|text: &str| {
    if let Ok(mut workload) = Training::parse(text)
        && workload.ranks() <= 32
    {
        drive(&mut workload);
    }
});
