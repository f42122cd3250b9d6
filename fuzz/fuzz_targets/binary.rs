//! Traces in mpirage's own format: whole files, or their contents.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::{open_and_drive, sealed};

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"MPIRAGE\n") {
        open_and_drive("trace.mpirage", bytes);
    } else {
        open_and_drive("trace.mpirage", &sealed::binary(&sealed::pieces(bytes)));
    }
});
