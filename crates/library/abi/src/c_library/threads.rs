//! Threads that the program starts: `pthread_create` in front of the C library's.
//!
//! A new thread gets its number, its work is counted from the beginning, and it has room for a line, so that a signal handler can open one.

use core::ffi::{c_int, c_void};

use libc::{pthread_attr_t, pthread_t};

use crate::connection;
use crate::ground::process;
use crate::ground::system::next;
use crate::timing::work;

type Routine = extern "C-unwind" fn(*mut c_void) -> *mut c_void;

/// The function that a new thread runs, and its argument.
struct Start {
    number: u32,
    routine: Routine,
    argument: *mut c_void,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    place: *mut pthread_t,
    attributes: *const pthread_attr_t,
    routine: Routine,
    argument: *mut c_void,
) -> c_int {
    type Create = unsafe extern "C" fn(*mut pthread_t, *const pthread_attr_t, Routine, *mut c_void) -> c_int;
    // SAFETY: the C library's function under its name, with its type.
    let Some(create) = (unsafe { next::<Create>(c"pthread_create") }) else { return libc::EAGAIN };
    if process::is_child() {
        // SAFETY: the program's arguments.
        return unsafe { create(place, attributes, routine, argument) };
    }
    let start = Box::into_raw(Box::new(Start { number: work::thread_starts(), routine, argument }));
    // SAFETY: the program's arguments; the thread takes what it is to run.
    unsafe {
        let result = create(place, attributes, run, start.cast());
        if result != 0 {
            work::thread_was_not_started();
            drop(Box::from_raw(start));
        }
        result
    }
}

/// The first function of a thread. Nothing of ours is on its stack while it runs the program's, which may end the thread from within.
extern "C-unwind" fn run(start: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` has made it for this thread alone.
    let Start { number, routine, argument } = unsafe { *Box::from_raw(start.cast::<Start>()) };
    work::thread_runs(number);
    connection::make_room_for_line();
    routine(argument)
}
