//! The program's standard output, in step with its calls.
//!
//! Before each call the library flushes the C library's buffer, so that the simulator can print the output of all ranks in
//! simulated order.

use core::ffi::c_int;
use std::io::Write;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    /// Bytes waiting in the buffer of a stream (glibc, musl).
    fn __fpending(stream: *mut libc::FILE) -> usize;
}

/// Writes a message to standard error. If that is closed or full, the message is lost.
pub(crate) fn say(text: core::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "mpirage: {text}");
}

/// Flushes the buffer. True if it contained anything.
pub(crate) fn flush() -> bool {
    // SAFETY: the stream belongs to the C library and lives as long as the process.
    unsafe { !stdout.is_null() && __fpending(stdout) > 0 && written(libc::fflush(stdout)) }
}

/// After a broken pipe there is no output to report; the program sees the error in its own calls.
fn written(result: c_int) -> bool {
    result == 0
}
