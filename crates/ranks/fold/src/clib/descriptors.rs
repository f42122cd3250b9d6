//! Descriptors of ranks: each rank has its own numbers for its open files.
//!
//! A number of a rank stands for a descriptor of this process that the rank has opened, or for one of the standard files.
//! The simulator's own descriptors have no number in any rank, so that no rank can read, write or close them.
//!
//! Functions that only need the descriptor of this process are forwarded with it. A number that is not open becomes -1, with which
//! the C library itself reports `EBADF`.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::slice;

use super::open_files::{bad_descriptor, descriptors, find, read, real, write};
use super::state::File;
use super::{Function, file_limit, functions, locks, stdio};
use crate::current;

/// Numbers what the C library has opened; -1 is passed on.
pub(super) fn opened(descriptor: c_int) -> c_int {
    if descriptor < 0 {
        file_limit::note_failure();
    }
    if descriptor < 0 || current::get().is_null() {
        return descriptor;
    }
    insert(File::Own(descriptor), 0)
}

/// Gives a file the lowest free number from `least` on.
fn insert(file: File, least: usize) -> c_int {
    placed(descriptors().insert(file, least))
}

fn put(file: File, number: c_int) -> c_int {
    placed(descriptors().put(file, number as usize))
}

/// A file has been given this number.
fn placed(number: c_int) -> c_int {
    if number == 0 {
        stdio::own_input();
    }
    number
}

/// Numbers the descriptor of a stream or directory.
pub(super) fn lend(descriptor: c_int) -> c_int {
    if descriptor < 0 || current::get().is_null() {
        return descriptor;
    }
    match descriptors().lent(descriptor) {
        Some(number) => number as c_int,
        None => insert(File::Lent(descriptor), 0),
    }
}

/// A stream or directory with this descriptor is closed: its number is free again.
pub(super) fn give_back(descriptor: c_int) {
    if descriptor >= 0 && !current::get().is_null() {
        let descriptors = descriptors();
        if let Some(number) = descriptors.lent(descriptor) {
            descriptors.remove(number as c_int);
        }
    }
}

/// From here on a stream or directory owns the descriptor of this number.
pub(super) fn hand_over(number: c_int) {
    if let Some(File::Own(descriptor)) = find(number)
        && !current::get().is_null()
    {
        put(File::Lent(descriptor), number);
    }
}

/// Puts a file at a number, in place of what was there.
pub(super) fn replace(number: c_int, file: File) -> c_int {
    if let Some(before) = descriptors().remove(number) {
        // The call that replaces a file does not report errors of the old file.
        let _ = before.close();
    }
    put(file, number)
}

/// Another file with the same content behind it; `None` with `errno` if there is no room.
fn duplicate(file: File) -> Option<File> {
    match file {
        File::Own(descriptor) | File::Lent(descriptor) => {
            // SAFETY: a descriptor of this process. Above the standard ones, should the simulator have been started without them.
            let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) };
            if copy < 0 {
                file_limit::note_failure();
            }
            (copy >= 0).then_some(File::Own(copy))
        }
        standard => Some(standard),
    }
}

/// Does a path name a descriptor of the process that opens it? Then its number.
pub(super) fn named(path: *const c_char) -> Option<c_int> {
    if path.is_null() {
        return None;
    }
    // SAFETY: a string of the program.
    let path = unsafe { CStr::from_ptr(path) }.to_str().ok()?;
    match path {
        "/dev/stdin" => Some(0),
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        _ => {
            let number =
                ["/dev/fd/", "/proc/self/fd/"].iter().find_map(|folder| path.strip_prefix(folder))?;
            number.parse().ok()
        }
    }
}

pub(super) fn functions() -> Vec<Function> {
    let mut all = functions! {
        open => open, open64 => open, __open_2 => open, __open64_2 => open, creat => creat, creat64 => creat,
        openat => openat, openat64 => openat, __openat_2 => openat, __openat64_2 => openat,
        mkstemp => mkstemp, mkstemp64 => mkstemp, mkostemp => mkostemp, mkostemp64 => mkostemp, mkstemps => mkstemps,
        mkstemps64 => mkstemps, memfd_create => memfd_create, shm_open => shm_open,
        close => close, __close => close, close_range => close_range, closefrom => closefrom,
        dup => dup, dup2 => dup2, __dup2 => dup2, dup3 => dup3, pipe => pipe, pipe2 => pipe2, fcntl => fcntl, fcntl64 => fcntl,
        __fcntl => fcntl, flock => flock, lockf => lockf, lockf64 => lockf,
        write => write, __write => write, writev => writev, read => read, __read => read, __read_chk => read, readv => readv,
        __fxstat => fxstat, __fxstat64 => fxstat, __fxstatat => fxstatat, __fxstatat64 => fxstatat,
    };
    all.extend(forwarded());
    all
}

/// Functions whose first argument is a number and that need nothing but the descriptor behind it.
macro_rules! forward {
    ($($function:ident($($argument:ident: $type:ty),*) -> $result:ty => $($name:ident),+;)*) => {
        $(unsafe extern "C" fn $function(number: c_int $(, $argument: $type)*) -> $result {
            // SAFETY: the program's arguments, with the descriptor that its number stands for.
            unsafe { libc::$function(real(number) $(, $argument)*) }
        })*

        fn forwarded() -> Vec<Function> {
            vec![$($((stringify!($name), $function as *const () as usize)),+),*]
        }
    };
}

forward! {
    lseek(offset: i64, whence: c_int) -> i64 => lseek, lseek64, __lseek;
    pread(to: *mut c_void, size: usize, offset: i64) -> isize => pread, pread64, __pread_chk, __pread64_chk;
    pwrite(from: *const c_void, size: usize, offset: i64) -> isize => pwrite, pwrite64;
    preadv(pieces: *const libc::iovec, count: c_int, offset: i64) -> isize => preadv, preadv64;
    pwritev(pieces: *const libc::iovec, count: c_int, offset: i64) -> isize => pwritev, pwritev64;
    fsync() -> c_int => fsync;
    fdatasync() -> c_int => fdatasync;
    ftruncate(size: i64) -> c_int => ftruncate, ftruncate64;
    fallocate(mode: c_int, offset: i64, size: i64) -> c_int => fallocate, fallocate64;
    posix_fallocate(offset: i64, size: i64) -> c_int => posix_fallocate, posix_fallocate64;
    posix_fadvise(offset: i64, size: i64, advice: c_int) -> c_int => posix_fadvise, posix_fadvise64;
    fstat(place: *mut libc::stat) -> c_int => fstat, fstat64;
    fstatfs(place: *mut libc::statfs) -> c_int => fstatfs, fstatfs64;
    fstatvfs(place: *mut libc::statvfs) -> c_int => fstatvfs, fstatvfs64;
    fchmod(mode: libc::mode_t) -> c_int => fchmod;
    fchown(user: libc::uid_t, group: libc::gid_t) -> c_int => fchown;
    futimens(times: *const libc::timespec) -> c_int => futimens;
    isatty() -> c_int => isatty;
    ttyname_r(to: *mut c_char, size: usize) -> c_int => ttyname_r;
    fpathconf(name: c_int) -> c_long => fpathconf;
    ioctl(request: libc::c_ulong, argument: usize) -> c_int => ioctl;
    fstatat(path: *const c_char, place: *mut libc::stat, flags: c_int) -> c_int => fstatat, fstatat64, newfstatat;
    faccessat(path: *const c_char, mode: c_int, flags: c_int) -> c_int => faccessat;
    mkdirat(path: *const c_char, mode: libc::mode_t) -> c_int => mkdirat;
    unlinkat(path: *const c_char, flags: c_int) -> c_int => unlinkat;
    readlinkat(path: *const c_char, to: *mut c_char, size: usize) -> isize => readlinkat;
    utimensat(path: *const c_char, times: *const libc::timespec, flags: c_int) -> c_int => utimensat;
    fchmodat(path: *const c_char, mode: libc::mode_t, flags: c_int) -> c_int => fchmodat;
}

unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the program's path.
    unsafe { openat(libc::AT_FDCWD, path, flags, mode) }
}

unsafe extern "C" fn creat(path: *const c_char, mode: libc::mode_t) -> c_int {
    // SAFETY: the program's path.
    unsafe { open(path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode) }
}

unsafe extern "C" fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    if let Some(number) = named(path) {
        return dup(number);
    }
    // SAFETY: the program's path. Nothing is inherited: folded ranks start no processes.
    opened(unsafe { libc::openat(real(folder), path, flags | libc::O_CLOEXEC, mode) })
}

unsafe extern "C" fn mkstemp(template: *mut c_char) -> c_int {
    // SAFETY: the program's template.
    opened(unsafe { libc::mkstemp(template) })
}

unsafe extern "C" fn mkostemp(template: *mut c_char, flags: c_int) -> c_int {
    // SAFETY: the program's template.
    opened(unsafe { libc::mkostemp(template, flags) })
}

unsafe extern "C" fn mkstemps(template: *mut c_char, suffix: c_int) -> c_int {
    // SAFETY: the program's template.
    opened(unsafe { libc::mkstemps(template, suffix) })
}

unsafe extern "C" fn memfd_create(name: *const c_char, flags: libc::c_uint) -> c_int {
    // SAFETY: the program's name.
    opened(unsafe { libc::memfd_create(name, flags) })
}

unsafe extern "C" fn shm_open(name: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the program's name.
    opened(unsafe { libc::shm_open(name, flags, mode) })
}

pub(super) extern "C" fn close(number: c_int) -> c_int {
    if current::get().is_null() {
        // SAFETY: not a rank's.
        return unsafe { libc::close(number) };
    }
    descriptors().remove(number).map_or_else(bad_descriptor, File::close)
}

extern "C" fn close_range(first: libc::c_uint, last: libc::c_uint, _flags: c_int) -> c_int {
    let end = descriptors().end().min(last as usize + 1);
    for number in first as usize..end {
        close(number as c_int);
    }
    0
}

extern "C" fn closefrom(first: c_int) {
    close_range(first.max(0) as libc::c_uint, libc::c_uint::MAX, 0);
}

pub(super) extern "C" fn dup(number: c_int) -> c_int {
    duplicate_from(number, 0)
}

fn duplicate_from(number: c_int, least: usize) -> c_int {
    let Some(file) = find(number) else { return bad_descriptor() };
    duplicate(file).map_or(-1, |copy| insert(copy, least))
}

extern "C" fn dup2(from: c_int, to: c_int) -> c_int {
    if from == to {
        return if find(from).is_some() { to } else { bad_descriptor() };
    }
    let Some(file) = find(from).filter(|_| to >= 0) else { return bad_descriptor() };
    duplicate(file).map_or(-1, |copy| replace(to, copy))
}

extern "C" fn dup3(from: c_int, to: c_int, _flags: c_int) -> c_int {
    if from == to {
        // SAFETY: this thread's errno.
        unsafe { *libc::__errno_location() = libc::EINVAL };
        return -1;
    }
    dup2(from, to)
}

unsafe extern "C" fn pipe(ends: *mut c_int) -> c_int {
    // SAFETY: the program's place for two numbers.
    unsafe { pipe2(ends, 0) }
}

unsafe extern "C" fn pipe2(ends: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: the program's place for two numbers.
    unsafe {
        let result = libc::pipe2(ends, flags | libc::O_CLOEXEC);
        if result == 0 {
            for end in slice::from_raw_parts_mut(ends, 2) {
                *end = opened(*end);
            }
        }
        result
    }
}

unsafe extern "C" fn fcntl(number: c_int, command: c_int, argument: usize) -> c_int {
    match command {
        libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicate_from(number, argument),
        // SAFETY: the program's argument.
        _ => unsafe { locks::fcntl(real(number), command, argument) },
    }
}

extern "C" fn flock(number: c_int, operation: c_int) -> c_int {
    locks::flock(real(number), operation)
}

extern "C" fn lockf(number: c_int, command: c_int, size: i64) -> c_int {
    locks::lockf(real(number), command, size)
}

unsafe extern "C" fn writev(number: c_int, pieces: *const libc::iovec, count: c_int) -> isize {
    // SAFETY: the program's vector.
    unsafe {
        if count < 0 || find(number) != Some(File::Output) {
            return libc::writev(real(number), pieces, count);
        }
        let pieces = slice::from_raw_parts(pieces, count as usize);
        pieces.iter().map(|piece| write(number, piece.iov_base, piece.iov_len)).sum()
    }
}

unsafe extern "C" fn readv(number: c_int, pieces: *const libc::iovec, count: c_int) -> isize {
    // SAFETY: the program's vector.
    unsafe { libc::readv(real(number), pieces, count) }
}

/// The `fstat` of programs that were built with an older C library.
unsafe extern "C" fn fxstat(_version: c_int, number: c_int, place: *mut libc::stat) -> c_int {
    // SAFETY: the program's place.
    unsafe { libc::fstat(real(number), place) }
}

unsafe extern "C" fn fxstatat(
    _version: c_int,
    folder: c_int,
    path: *const c_char,
    place: *mut libc::stat,
    flags: c_int,
) -> c_int {
    // SAFETY: the program's path and place.
    unsafe { libc::fstatat(real(folder), path, place, flags) }
}
