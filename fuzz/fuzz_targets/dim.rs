//! Dimemas traces.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::open_and_drive;

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"#DIMEMAS") {
        open_and_drive("trace.dim", bytes);
    }
});
