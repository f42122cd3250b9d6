//! DUMPI traces: a whole file, which two ranks share, or the records of each rank.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::{drive, sealed};
use mpirage_trace::Dumpi;

fuzz_target!(|bytes: &[u8]| {
    let files = if bytes.starts_with(b"\xff\xaa\xddDUMPI") {
        vec![bytes.to_vec(); 2]
    } else {
        sealed::pieces(bytes).into_iter().map(sealed::dumpi).collect()
    };
    if let Ok(mut trace) = Dumpi::from_bytes(files) {
        drive(&mut trace);
    }
});
