//! Standard input and output of ranks.
//!
//! The C library's `stdout` becomes one stream whose bytes go to the rank that runs; it is flushed whenever a rank stops, so
//! that its buffer never holds the bytes of two. Rank 0 reads the real standard input, the others are at its end.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{ptr, slice};

use super::{Function, functions};
use crate::current;

/// What a stream has seen the end of its file with.
const END_SEEN: c_int = 0x10;
const READ_AHEAD: usize = 4096;

#[repr(C)]
#[derive(Clone, Copy)]
struct Cookie {
    read: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

unsafe extern "C" {
    static mut stdout: *mut libc::FILE;
    static mut stdin: *mut libc::FILE;
    fn __fpending(stream: *mut libc::FILE) -> usize;
    fn __fpurge(stream: *mut libc::FILE);
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: Cookie) -> *mut libc::FILE;
}

static OUTPUT: AtomicPtr<libc::FILE> = AtomicPtr::new(ptr::null_mut());
/// Of rank 0, and of all others.
static INPUT: [AtomicPtr<libc::FILE>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

/// Takes over the C library's streams, for good: C++ streams remember them.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let nothing = Cookie { read: None, write: None, seek: None, close: None };
        // SAFETY: the streams live as long as the process. Should one not be made, the old one stays.
        unsafe {
            libc::fflush(stdout);
            let output =
                fopencookie(ptr::null_mut(), c"w".as_ptr(), Cookie { write: Some(write_stream), ..nothing });
            let first =
                fopencookie(ptr::null_mut(), c"r".as_ptr(), Cookie { read: Some(read_stream), ..nothing });
            let others = fopencookie(ptr::null_mut(), c"r".as_ptr(), nothing);
            if output.is_null() || first.is_null() || others.is_null() {
                return;
            }
            // Without a buffer of its own, so that no rank finds bytes that another one has not read.
            libc::setvbuf(first, ptr::null_mut(), libc::_IONBF, 0);
            OUTPUT.store(output, Ordering::Relaxed);
            INPUT[0].store(first, Ordering::Relaxed);
            INPUT[1].store(others, Ordering::Relaxed);
            stdout = output;
            stdin = first;
        }
    });
}

/// A rank is about to run.
#[inline]
pub(crate) fn enter(rank: usize) {
    let input = INPUT[usize::from(rank != 0)].load(Ordering::Relaxed);
    // SAFETY: the C library's variable; only this thread runs code that reads standard input.
    unsafe { stdin = input };
    if rank == 0 && !INPUT_ENDED.get() {
        // Another rank may have seen an end through a C++ stream, which knows only this FILE.
        // SAFETY: a FILE starts with its flags (glibc's public struct).
        unsafe { *input.cast::<c_int>() &= !END_SEEN };
    }
}

/// Gives what the stream holds to the rank that runs.
#[inline]
pub(crate) fn flush() {
    // SAFETY: the C library's stream, or the program's that replaced it.
    unsafe {
        if __fpending(stdout) > 0 {
            libc::fflush(stdout);
        }
    }
}

/// Forgets what the stream holds.
pub(crate) fn discard() {
    // SAFETY: as in `flush`.
    unsafe { __fpurge(stdout) };
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        write => write, __write => write, writev => writev, read => read, __read => read, __read_chk => read,
        fileno => fileno, fileno_unlocked => fileno, fclose => fclose, setvbuf => setvbuf, setbuf => setbuf,
        setbuffer => setbuffer, setlinebuf => setlinebuf,
    }
}

unsafe extern "C" fn write_stream(_cookie: *mut c_void, bytes: *const c_char, size: usize) -> isize {
    // SAFETY: the C library's bytes.
    unsafe { write(1, bytes.cast(), size) }
}

/// Takes what is written to file 1; other files are the process's.
unsafe extern "C" fn write(file: c_int, bytes: *const c_void, size: usize) -> isize {
    let rank = current::get();
    // SAFETY: the program's bytes and the rank that runs.
    unsafe {
        if file != 1 || rank.is_null() {
            return libc::write(file, bytes, size);
        }
        (*rank).output.extend_from_slice(slice::from_raw_parts(bytes.cast(), size));
    }
    size as isize
}

unsafe extern "C" fn writev(file: c_int, pieces: *const libc::iovec, count: c_int) -> isize {
    // SAFETY: the program's vector.
    unsafe {
        if file != 1 || count < 0 || current::get().is_null() {
            return libc::writev(file, pieces, count);
        }
        let pieces = slice::from_raw_parts(pieces, count as usize);
        pieces.iter().map(|piece| write(file, piece.iov_base, piece.iov_len)).sum()
    }
}

unsafe extern "C" fn read(file: c_int, bytes: *mut c_void, size: usize) -> isize {
    // SAFETY: the program's buffer.
    unsafe { if file == 0 && !has_input() { 0 } else { libc::read(file, bytes, size) } }
}

/// Rank 0 has the standard input.
fn has_input() -> bool {
    let rank = current::get();
    // SAFETY: the rank that runs.
    rank.is_null() || unsafe { (*rank).number == 0 }
}

thread_local! {
    static INPUT_ENDED: Cell<bool> = const { Cell::new(false) };
    /// Bytes read ahead, and how many of them have been used.
    static AHEAD: Cell<(Vec<u8>, usize)> = const { Cell::new((Vec::new(), 0)) };
}

unsafe extern "C" fn read_stream(_cookie: *mut c_void, bytes: *mut c_char, size: usize) -> isize {
    if !has_input() {
        return 0;
    }
    let (mut ahead, mut used) = AHEAD.take();
    if used == ahead.len() {
        ahead.resize(READ_AHEAD, 0);
        // SAFETY: the buffer is ours.
        let count = unsafe { libc::read(0, ahead.as_mut_ptr().cast(), READ_AHEAD) };
        INPUT_ENDED.set(count == 0);
        ahead.truncate(count.max(0) as usize);
        used = 0;
        if count <= 0 {
            return count;
        }
    }
    let count = size.min(ahead.len() - used);
    // SAFETY: the C library's buffer has room for `size` bytes.
    unsafe { ptr::copy_nonoverlapping(ahead[used..].as_ptr(), bytes.cast(), count) };
    AHEAD.set((ahead, used + count));
    count as isize
}

/// Our streams stand for files 0 and 1.
unsafe extern "C" fn fileno(stream: *mut libc::FILE) -> c_int {
    if is_output(stream) {
        return 1;
    }
    // SAFETY: the program's stream.
    if is_input(stream) { 0 } else { unsafe { libc::fileno(stream) } }
}

/// A rank that closes the common stream has only written its last byte.
unsafe extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    if is_input(stream) {
        return 0;
    }
    // SAFETY: the program's stream.
    unsafe { if is_output(stream) { libc::fflush(stream) } else { libc::fclose(stream) } }
}

/// The buffer of a common stream is nobody's to replace, and it is written at each turn anyway.
unsafe extern "C" fn setvbuf(
    stream: *mut libc::FILE,
    buffer: *mut c_char,
    mode: c_int,
    size: usize,
) -> c_int {
    if is_output(stream) || is_input(stream) {
        return 0;
    }
    // SAFETY: the program's stream and buffer.
    unsafe { libc::setvbuf(stream, buffer, mode, size) }
}

unsafe extern "C" fn setbuf(stream: *mut libc::FILE, buffer: *mut c_char) {
    // SAFETY: as in `setvbuf`.
    unsafe { setbuffer(stream, buffer, libc::BUFSIZ as usize) };
}

unsafe extern "C" fn setbuffer(stream: *mut libc::FILE, buffer: *mut c_char, size: usize) {
    let mode = if buffer.is_null() { libc::_IONBF } else { libc::_IOFBF };
    // SAFETY: as in `setvbuf`.
    unsafe { setvbuf(stream, buffer, mode, size) };
}

unsafe extern "C" fn setlinebuf(stream: *mut libc::FILE) {
    // SAFETY: as in `setvbuf`.
    unsafe { setvbuf(stream, ptr::null_mut(), libc::_IOLBF, 0) };
}

fn is_output(stream: *mut libc::FILE) -> bool {
    stream == OUTPUT.load(Ordering::Relaxed)
}

fn is_input(stream: *mut libc::FILE) -> bool {
    INPUT.iter().any(|input| stream == input.load(Ordering::Relaxed))
}
