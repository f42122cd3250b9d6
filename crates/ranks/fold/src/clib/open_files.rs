//! The open files of the rank that runs: which descriptor of this process is behind a number.

use std::ffi::{c_int, c_void};
use std::slice;
use std::sync::OnceLock;

use super::state::{Descriptors, File};
use crate::current::{self, library};

/// The table of the rank that runs.
pub(super) fn descriptors<'a>() -> &'a mut Descriptors {
    // SAFETY: the state of the rank that runs, which only its own code uses; no reference is kept across a switch.
    unsafe { &mut (*library()).descriptors }
}

/// The file behind a descriptor. Outside of ranks it is a descriptor of this process.
pub(super) fn find(number: c_int) -> Option<File> {
    let rank = current::get();
    // SAFETY: the rank that runs.
    match unsafe { rank.as_ref() } {
        None => Some(File::Own(number)),
        // Most ranks only print: they need no table.
        Some(rank) if rank.library.is_none() => File::standard(number),
        Some(_) => descriptors().get(number),
    }
}

/// The descriptor of this process behind a number; -1 if it is not open. Special values (`AT_FDCWD`, -1) stay.
pub(super) fn real(number: c_int) -> c_int {
    if number < 0 { number } else { find(number).map_or(-1, behind) }
}

fn behind(file: File) -> c_int {
    match file {
        File::Own(descriptor) | File::Lent(descriptor) => descriptor,
        File::Input if has_input() => libc::STDIN_FILENO,
        File::Input => stand_ins().nothing,
        File::Output => stand_ins().pipe,
        File::Error => libc::STDERR_FILENO,
    }
}

/// Does the rank that runs read the simulator's standard input? Only rank 0 does.
pub(super) fn has_input() -> bool {
    let rank = current::get();
    // SAFETY: the rank that runs.
    rank.is_null() || unsafe { (*rank).number == 0 }
}

/// Descriptors that stand in for the standard files of ranks where the C library asks about them: is it a terminal, what is its size.
struct StandIns {
    /// An empty file.
    nothing: c_int,
    /// The end of a pipe, which is what launchers give ranks to print to.
    pipe: c_int,
}

fn stand_ins() -> &'static StandIns {
    static STAND_INS: OnceLock<StandIns> = OnceLock::new();
    STAND_INS.get_or_init(|| {
        let mut ends = [-1; 2];
        // SAFETY: a name and a local variable; a failure leaves -1, with which functions report `EBADF`.
        unsafe {
            libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC);
            StandIns {
                nothing: libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC),
                pipe: ends[1],
            }
        }
    })
}

pub(super) fn bad_descriptor() -> c_int {
    // SAFETY: this thread's errno.
    unsafe { *libc::__errno_location() = libc::EBADF };
    -1
}

/// Writes to a file of the rank. What it prints is kept until the simulator shows it.
pub(super) unsafe extern "C" fn write(number: c_int, bytes: *const c_void, size: usize) -> isize {
    // SAFETY: the program's bytes and the rank that runs.
    unsafe {
        match find(number) {
            Some(File::Output) => {
                (*current::get()).output.extend_from_slice(slice::from_raw_parts(bytes.cast(), size));
                size as isize
            }
            _ => libc::write(real(number), bytes, size),
        }
    }
}

pub(super) unsafe extern "C" fn read(number: c_int, bytes: *mut c_void, size: usize) -> isize {
    // SAFETY: the program's buffer.
    unsafe { libc::read(real(number), bytes, size) }
}
