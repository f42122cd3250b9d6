//! Execution traces of Chakra: the file of each rank.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::{drive, sealed};
use mpirage_trace::Chakra;

fuzz_target!(|bytes: &[u8]| {
    let files = sealed::pieces(bytes).into_iter().map(<[u8]>::to_vec).collect();
    if let Ok(mut trace) = Chakra::from_bytes(files) {
        drive(&mut trace);
    }
});
