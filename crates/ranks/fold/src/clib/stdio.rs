//! Standard input, output and error of ranks.
//!
//! The C library's `stdout` and `stderr` become streams whose bytes go to files 1 and 2 of the rank that runs. `stdout` is flushed
//! whenever a rank stops, so that its buffer never holds the bytes of two. Rank 0 reads the real standard input, the others are at
//! its end; a rank that opens another file as its standard input gets a stream of its own.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::open_files::{self, has_input};
use super::state::File;
use crate::current::{self, library};
use crate::rank::Rank;

/// In the flags of a stream: it has seen the end of its file.
const END_SEEN: c_int = 0x10;
/// In the flags of a stream: an operation has failed.
const FAILED: c_int = 0x20;
const READ_AHEAD: usize = 4096;
/// In [`Rank::streams`]: the rank has a standard input of its own.
const OWN_INPUT: u8 = 0x80;

/// The functions of a stream that this module implements.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Cookie {
    pub read: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    pub write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    pub seek: Option<unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    pub close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

/// A stream on the file whose number the cookie is.
pub(super) const ON_NUMBER: Cookie =
    Cookie { read: Some(read_number), write: Some(write_number), seek: None, close: None };

unsafe extern "C" {
    static mut stdin: *mut libc::FILE;
    static mut stdout: *mut libc::FILE;
    static mut stderr: *mut libc::FILE;
    fn __fpending(stream: *mut libc::FILE) -> usize;
    fn __fpurge(stream: *mut libc::FILE);
    pub(super) fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: Cookie)
    -> *mut libc::FILE;
}

static OUTPUT: AtomicPtr<libc::FILE> = AtomicPtr::new(ptr::null_mut());
static ERROR: AtomicPtr<libc::FILE> = AtomicPtr::new(ptr::null_mut());
/// Of rank 0, and of all others.
static INPUT: [AtomicPtr<libc::FILE>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

/// Replaces the C library's streams until the process ends, because C++ streams keep their addresses.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let input = Cookie { read: Some(read_input), write: None, ..ON_NUMBER };
        let number = |number: usize| number as *mut c_void;
        // SAFETY: the streams live as long as the process. Should one not be made, the old ones stay.
        unsafe {
            libc::fflush(stdout);
            let output = fopencookie(number(1), c"w".as_ptr(), ON_NUMBER);
            let error = fopencookie(number(2), c"w".as_ptr(), ON_NUMBER);
            let first = fopencookie(number(0), c"r".as_ptr(), input);
            let others = fopencookie(number(0), c"r".as_ptr(), input);
            if [output, error, first, others].iter().any(|stream| stream.is_null()) {
                return;
            }
            libc::setvbuf(error, ptr::null_mut(), libc::_IONBF, 0);
            // Without a buffer of its own, so that no rank finds bytes that another one has not read.
            libc::setvbuf(first, ptr::null_mut(), libc::_IONBF, 0);
            OUTPUT.store(output, Ordering::Relaxed);
            ERROR.store(error, Ordering::Relaxed);
            INPUT[0].store(first, Ordering::Relaxed);
            INPUT[1].store(others, Ordering::Relaxed);
            (stdout, stderr, stdin) = (output, error, first);
        }
    });
}

/// A rank is about to run: the common streams become its own.
///
/// # Safety
/// The rank is alive and no other one runs.
#[inline]
pub(crate) unsafe fn enter(rank: *mut Rank) {
    // SAFETY: the C library's variable, which only this thread's ranks use; the rank is alive.
    unsafe {
        stdin = INPUT[usize::from((*rank).number != 0)].load(Ordering::Relaxed);
        if (*rank).streams != 0 {
            restore(rank);
        }
    }
}

/// A rank has stopped: what its streams have seen stays with it.
///
/// # Safety
/// The rank is the one that ran.
#[inline]
pub(crate) unsafe fn leave(rank: *mut Rank) {
    // SAFETY: a FILE starts with its flags (glibc's public struct); the rank is alive.
    unsafe {
        let seen = shared_streams().into_iter().fold(0, |seen, stream| seen | *flags(stream));
        if seen & (END_SEEN | FAILED) != 0 || (*rank).streams != 0 {
            save(rank);
        }
    }
}

/// The streams that ranks use in turn.
fn shared_streams() -> [*mut libc::FILE; 4] {
    [&INPUT[0], &INPUT[1], &OUTPUT, &ERROR].map(|stream| stream.load(Ordering::Relaxed))
}

/// The flags of a stream, or a place without any if the stream was not made.
fn flags(stream: *mut libc::FILE) -> *mut c_int {
    static mut NONE: c_int = 0;
    if stream.is_null() { &raw mut NONE } else { stream.cast() }
}

/// The two streams whose flags are kept: its input and output. Nothing reads those of standard error.
fn kept_streams(number: u32) -> [*mut libc::FILE; 2] {
    [&INPUT[usize::from(number != 0)], &OUTPUT].map(|stream| stream.load(Ordering::Relaxed))
}

#[cold]
unsafe fn save(rank: *mut Rank) {
    // SAFETY: as in `leave`.
    unsafe {
        let kept = kept_streams((*rank).number).map(|stream| (*flags(stream) & (END_SEEN | FAILED)) as u8);
        (*rank).streams = (*rank).streams & OWN_INPUT | kept[0] >> 4 | kept[1] >> 2;
        for stream in shared_streams() {
            *flags(stream) &= !(END_SEEN | FAILED);
        }
    }
}

#[cold]
unsafe fn restore(rank: *mut Rank) {
    // SAFETY: as in `enter`.
    unsafe {
        let seen = c_int::from((*rank).streams);
        let [input, output] = kept_streams((*rank).number);
        *flags(input) |= (seen << 4) & (END_SEEN | FAILED);
        *flags(output) |= (seen << 2) & (END_SEEN | FAILED);
        if (*rank).streams & OWN_INPUT != 0 {
            stdin = (*Rank::library(rank)).input;
        }
    }
}

/// The rank has opened a file as its standard input: from here on it has a stream of its own.
pub(super) fn own_input() {
    let rank = current::get();
    // SAFETY: the rank that runs; the stream is closed with the rank's others.
    unsafe {
        let stream = fopencookie(ptr::null_mut(), c"r".as_ptr(), ON_NUMBER);
        if rank.is_null() || stream.is_null() {
            return;
        }
        (*library()).input = stream;
        (*library()).streams.add(stream);
        (*rank).streams |= OWN_INPUT;
        stdin = stream;
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

unsafe extern "C" fn write_number(number: *mut c_void, bytes: *const c_char, size: usize) -> isize {
    // SAFETY: the C library's bytes.
    let written = unsafe { open_files::write(number as c_int, bytes.cast(), size) };
    // A stream knows an error by a count of zero.
    written.max(0)
}

unsafe extern "C" fn read_number(number: *mut c_void, bytes: *mut c_char, size: usize) -> isize {
    // SAFETY: the C library's buffer.
    unsafe { open_files::read(number as c_int, bytes.cast(), size) }
}

thread_local! {
    /// Bytes of the simulator's standard input that are read ahead, and how many of them have been used.
    static AHEAD: Cell<(Vec<u8>, usize)> = const { Cell::new((Vec::new(), 0)) };
}

unsafe extern "C" fn read_input(_cookie: *mut c_void, bytes: *mut c_char, size: usize) -> isize {
    if open_files::find(0) != Some(File::Input) {
        // SAFETY: the C library's buffer.
        return unsafe { open_files::read(0, bytes.cast(), size) };
    }
    if !has_input() {
        return 0;
    }
    let (mut ahead, mut used) = AHEAD.take();
    if used == ahead.len() {
        ahead.resize(READ_AHEAD, 0);
        // SAFETY: the buffer belongs to this module.
        let count = unsafe { libc::read(0, ahead.as_mut_ptr().cast(), READ_AHEAD) };
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

/// The number of a standard stream.
pub(super) fn number_of(stream: *mut libc::FILE) -> Option<c_int> {
    if INPUT.iter().any(|input| stream == input.load(Ordering::Relaxed)) {
        return Some(0);
    }
    if stream == OUTPUT.load(Ordering::Relaxed) {
        return Some(1);
    }
    if stream == ERROR.load(Ordering::Relaxed) {
        return Some(2);
    }
    let rank = current::get();
    // SAFETY: the rank that runs.
    let own = !rank.is_null() && unsafe { (*rank).streams } & OWN_INPUT != 0;
    // SAFETY: the state of the rank that runs.
    (own && stream == unsafe { (*library()).input }).then_some(0)
}

/// The standard input of the rank that runs.
pub(super) fn input() -> *mut libc::FILE {
    // SAFETY: the C library's variable.
    unsafe { stdin }
}
