//! Time-independent traces, all ranks in one file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mpirage_fuzz::open_and_drive;

fuzz_target!(|bytes: &[u8]| open_and_drive("ti.txt", bytes));
