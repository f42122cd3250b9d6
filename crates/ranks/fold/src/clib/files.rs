//! Streams and directories of ranks: `fopen`, `freopen`, `opendir` and their kin.
//!
//! The C library's own streams do the work. What is added: a stream has a number among the [descriptors] of its
//! rank, and is closed when its rank ends, as a process closes its streams.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::open_files::{bad_descriptor, find, real};
use super::state::File;
use super::stdio::{self, Cookie, ON_NUMBER, fopencookie};
use super::{Function, descriptors, file_limit, functions};
use crate::current::{self, library};

/// The rank that runs ends in an orderly way: its streams are written and closed.
pub(super) fn close_all() {
    // SAFETY: the state of the rank that runs.
    while let Some(stream) = unsafe { (*library()).streams.pop() } {
        // SAFETY: open, since `fclose` takes streams off the list.
        unsafe { libc::fclose(stream) };
    }
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        fopen => fopen, fopen64 => fopen, fdopen => fdopen, freopen => freopen, freopen64 => freopen, fclose => fclose,
        fcloseall => fcloseall, tmpfile => tmpfile, tmpfile64 => tmpfile, fileno => fileno, fileno_unlocked => fileno,
        setvbuf => setvbuf, setbuf => setbuf, setbuffer => setbuffer, setlinebuf => setlinebuf,
        fdopendir => fdopendir, dirfd => dirfd, closedir => closedir,
    }
}

/// Notes a stream that the C library has opened.
fn opened(stream: *mut libc::FILE) -> *mut libc::FILE {
    if stream.is_null() {
        file_limit::note_failure();
    }
    if !stream.is_null() && !current::get().is_null() {
        // SAFETY: an open stream; the state of the rank that runs.
        unsafe {
            descriptors::lend(libc::fileno(stream));
            (*library()).streams.add(stream);
        }
    }
    stream
}

unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    // SAFETY: the program's strings.
    unsafe {
        match descriptors::named(path) {
            Some(number) => match descriptors::dup(number) {
                -1 => ptr::null_mut(),
                copy => fdopen(copy, mode),
            },
            None => opened(libc::fopen(path, mode)),
        }
    }
}

unsafe extern "C" fn fdopen(number: c_int, mode: *const c_char) -> *mut libc::FILE {
    // SAFETY: the program's mode, and a descriptor that is open.
    unsafe {
        match find(number) {
            Some(File::Own(descriptor)) => {
                let stream = libc::fdopen(descriptor, mode);
                if !stream.is_null() {
                    descriptors::hand_over(number);
                }
                opened(stream)
            }
            Some(_) => on_number(number, mode),
            None => {
                bad_descriptor();
                ptr::null_mut()
            }
        }
    }
}

/// A stream that writes to, or reads from, a standard file.
unsafe fn on_number(number: c_int, mode: *const c_char) -> *mut libc::FILE {
    let functions = Cookie { close: Some(close_number), ..ON_NUMBER };
    // SAFETY: the program's mode; the cookie is no address.
    unsafe {
        let stream = fopencookie(number as usize as *mut c_void, mode, functions);
        if !stream.is_null() {
            (*library()).streams.add(stream);
        }
        stream
    }
}

unsafe extern "C" fn close_number(number: *mut c_void) -> c_int {
    descriptors::close(number as usize as c_int)
}

unsafe extern "C" fn freopen(
    path: *const c_char,
    mode: *const c_char,
    stream: *mut libc::FILE,
) -> *mut libc::FILE {
    // SAFETY: the program's strings and stream.
    unsafe {
        let Some(number) = stdio::number_of(stream).filter(|_| !path.is_null()) else {
            return reopen(path, mode, stream);
        };
        libc::fflush(stream);
        let opened = libc::open(path, open_flags(mode) | libc::O_CLOEXEC, 0o666);
        if opened < 0 {
            return ptr::null_mut();
        }
        descriptors::replace(number, File::Own(opened));
        if number == 0 { stdio::input() } else { stream }
    }
}

/// Opens another file with a stream of the program.
unsafe fn reopen(path: *const c_char, mode: *const c_char, stream: *mut libc::FILE) -> *mut libc::FILE {
    // SAFETY: the program's strings and stream.
    unsafe {
        if stdio::number_of(stream).is_some() {
            // Another mode for a standard stream, whose own mode allows nothing else.
            return stream;
        }
        descriptors::give_back(libc::fileno(stream));
        (*library()).streams.remove(stream);
        opened(libc::freopen(path, mode, stream))
    }
}

/// The flags of `open` for a mode of `fopen`.
unsafe fn open_flags(mode: *const c_char) -> c_int {
    // SAFETY: a string of the program.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let both = mode.contains(&b'+');
    let (access, extra) = match mode.first() {
        Some(b'w') => (libc::O_WRONLY, libc::O_CREAT | libc::O_TRUNC),
        Some(b'a') => (libc::O_WRONLY, libc::O_CREAT | libc::O_APPEND),
        _ => (libc::O_RDONLY, 0),
    };
    let exclusive = if mode.contains(&b'x') { libc::O_EXCL } else { 0 };
    (if both { libc::O_RDWR } else { access }) | extra | exclusive
}

unsafe extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    // SAFETY: the program's stream.
    unsafe {
        if let Some(number) = stdio::number_of(stream) {
            // The stream itself is common to all ranks and stays.
            let flushed = libc::fflush(stream);
            return if descriptors::close(number) == 0 { flushed } else { libc::EOF };
        }
        if !current::get().is_null() {
            descriptors::give_back(libc::fileno(stream));
            (*library()).streams.remove(stream);
        }
        libc::fclose(stream)
    }
}

unsafe extern "C" fn fcloseall() -> c_int {
    stdio::flush();
    close_all();
    for number in 0..3 {
        descriptors::close(number);
    }
    0
}

unsafe extern "C" fn tmpfile() -> *mut libc::FILE {
    // SAFETY: no arguments.
    opened(unsafe { libc::tmpfile() })
}

unsafe extern "C" fn fileno(stream: *mut libc::FILE) -> c_int {
    // SAFETY: the program's stream.
    stdio::number_of(stream).unwrap_or_else(|| descriptors::lend(unsafe { libc::fileno(stream) }))
}

/// The buffer of a common stream stays as it is: it is written at each switch anyway.
unsafe extern "C" fn setvbuf(
    stream: *mut libc::FILE,
    buffer: *mut c_char,
    mode: c_int,
    size: usize,
) -> c_int {
    if stdio::number_of(stream).is_some() {
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

unsafe extern "C" fn fdopendir(number: c_int) -> *mut libc::DIR {
    // SAFETY: a descriptor, or -1.
    let directory = unsafe { libc::fdopendir(real(number)) };
    if !directory.is_null() {
        descriptors::hand_over(number);
    }
    directory
}

unsafe extern "C" fn dirfd(directory: *mut libc::DIR) -> c_int {
    // SAFETY: the program's directory.
    descriptors::lend(unsafe { libc::dirfd(directory) })
}

unsafe extern "C" fn closedir(directory: *mut libc::DIR) -> c_int {
    // SAFETY: the program's directory.
    unsafe {
        descriptors::give_back(libc::dirfd(directory));
        libc::closedir(directory)
    }
}
