//! The program's standard output, kept in step with its calls.
//!
//! What the C library still buffers is written before a call is made, so that the simulator can print the output of all
//! ranks in simulated order.

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

/// Writes what is buffered. Was there anything?
pub(crate) fn flush() -> bool {
    // SAFETY: the stream belongs to the C library and lives as long as the process.
    unsafe { !stdout.is_null() && __fpending(stdout) > 0 && written(libc::fflush(stdout)) }
}

/// A broken pipe is the program's to find out; its output up to here is lost, not ours to tell of.
fn written(result: c_int) -> bool {
    result == 0
}
