//! Traces of our own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::open_and_drive;

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"MPIRAGE\n") {
        open_and_drive("trace.mpirage", bytes);
    }
});
