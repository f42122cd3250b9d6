//! The program's standard output, in step with its calls.
//!
//! Before each call the library flushes the C library's buffer, and that of `std::cout` in a program that has separated it from C's
//! (`sync_with_stdio(false)`), so that the simulator can print the output of all ranks in simulated order.

use core::ffi::{CStr, c_int, c_void};
use core::mem::transmute;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::io::Write;

use crate::ground::lock::is_single_threaded;

unsafe extern "C" {
    static stdout: *mut libc::FILE;
    /// Bytes waiting in the buffer of a stream (glibc, musl).
    fn __fpending(stream: *mut libc::FILE) -> usize;
}

/// Writes a message to standard error. If that is closed or full, the message is lost.
pub(crate) fn say(text: core::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "mpirage: {text}");
}

/// Flushes the buffers. True if they contained anything.
pub(crate) fn flush() -> bool {
    let cout = COUT.load(Ordering::Relaxed);
    let of_cout = !cout.is_null() && flush_cout(cout);
    // SAFETY: the stream belongs to the C library and lives as long as the process.
    let of_c = unsafe { !stdout.is_null() && __fpending(stdout) > 0 && written(libc::fflush(stdout)) };
    of_cout || of_c
}

/// `std::cout` of GCC's C++ library; null in a program without it.
static COUT: AtomicPtr<Cout> = AtomicPtr::new(ptr::null_mut());

/// A stream of GCC's C++ library, as far as it matters here. The layout is part of that library's binary interface.
#[repr(C)]
struct Cout {
    table: *const isize,
    /// `std::ios_base`, and in `std::ios` what comes before the buffer.
    before: [u64; 29],
    buffer: *const StreamBuffer,
}

#[repr(C)]
struct StreamBuffer {
    table: *const c_void,
    input: [*const u8; 3],
    output_start: *const u8,
    output_next: *const u8,
}

/// Looks for `std::cout` when MPI begins.
pub(crate) fn find_cout() {
    let cout = symbol(c"_ZSt4cout").cast::<Cout>();
    let buffer_of = symbol(c"_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv");
    if cout.is_null() || buffer_of.is_null() {
        return;
    }
    // SAFETY: the variable and `std::ios::rdbuf() const`. The stream's table has the distance to its `std::ios` three words before.
    unsafe {
        let buffer_of = transmute::<
            *mut c_void,
            unsafe extern "C-unwind" fn(*const c_void) -> *const StreamBuffer,
        >(buffer_of);
        let table = (*cout).table;
        let constructed = !table.is_null();
        if constructed && buffer_of(cout.cast::<c_void>().byte_offset(*table.sub(3))) == (*cout).buffer {
            COUT.store(cout, Ordering::Relaxed);
        }
    }
}

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Flushes `std::cout` if its buffer has something, and says whether. A program with threads flushes it itself: another thread may be writing.
#[inline]
fn flush_cout(cout: *mut Cout) -> bool {
    // SAFETY: the stream lives as long as the process; this is its only thread.
    unsafe {
        let buffer = (*cout).buffer;
        !buffer.is_null()
            && (*buffer).output_next != (*buffer).output_start
            && is_single_threaded()
            && write_out(cout)
    }
}

/// # Safety
/// It is the stream.
#[cold]
unsafe fn write_out(cout: *mut Cout) -> bool {
    let flush = symbol(c"_ZNSo5flushEv");
    if !flush.is_null() {
        // SAFETY: `std::ostream::flush()` of a stream.
        unsafe { transmute::<*mut c_void, unsafe extern "C-unwind" fn(*mut Cout) -> *mut Cout>(flush)(cout) };
    }
    !flush.is_null()
}

/// After a broken pipe there is no output to report; the program sees the error in its own calls.
fn written(result: c_int) -> bool {
    result == 0
}
