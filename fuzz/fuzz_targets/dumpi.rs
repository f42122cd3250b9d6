//! DUMPI traces: the same file for two ranks.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::drive;
use mpirage_trace::Dumpi;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut trace) = Dumpi::from_bytes(vec![bytes.to_vec(); 2]) {
        drive(&mut trace);
    }
});
