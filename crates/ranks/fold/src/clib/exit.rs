//! The end of a rank, and the handlers that run then.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::state::{Handler, HandlerKind};
use super::variables::short_name;
use super::{Function, files, functions, stdio};
use crate::call::{call, call_entry};
use crate::current;
use crate::rank::{Leave, Rank};

unsafe extern "C" {
    fn dprintf(file: c_int, format: *const c_char, ...) -> c_int;
}

pub(super) fn functions() -> Vec<Function> {
    functions! {
        exit => exit, _exit => exit_at_once, _Exit => exit_at_once, quick_exit => quick_exit,
        atexit => atexit, at_quick_exit => at_quick_exit, on_exit => on_exit,
        __cxa_atexit => cxa_atexit, __cxa_at_quick_exit => cxa_at_quick_exit, __cxa_finalize => cxa_finalize,
        __cxa_thread_atexit => cxa_thread_atexit, __cxa_thread_atexit_impl => cxa_thread_atexit,
        __assert_fail => assert_fail,
        _gfortran_exit_i4 => fortran_exit, _gfortran_exit_i8 => fortran_exit,
        _gfortran_stop_numeric => fortran_stop_numeric, _gfortran_error_stop_numeric => fortran_error_stop_numeric,
        _gfortran_stop_string => fortran_stop_string, _gfortran_error_stop_string => fortran_error_stop_string,
    }
}

/// The program's `main` has returned, or it has called `exit`.
///
/// # Safety
/// `rank` is the one that runs.
pub(crate) unsafe fn finish(rank: *mut Rank, code: c_int) -> ! {
    // SAFETY: handlers are functions of the program that take what was registered with them. They may register
    // more, and call `exit` again: what is left is then done by that call.
    unsafe {
        while let Some(handler) = (*rank).thread_exits.pop() {
            handler.run(code);
        }
        while let Some(at) = (*rank).exits.iter().rposition(|handler| handler.kind != HandlerKind::QuickExit)
        {
            (*rank).exits.remove(at).run(code);
        }
        if !std::mem::replace(&mut (*rank).finishing, true) {
            run_finishers(rank);
        }
        stdio::flush();
        files::close_all();
        current::leave(rank, Leave::Exited(code & 0xff))
    }
}

/// The program's own clean-up: `.fini_array` from its end, then `_fini`.
unsafe fn run_finishers(rank: *mut Rank) {
    // SAFETY: the functions are where the program's file says.
    unsafe {
        let base = (*rank).base;
        for finishers in &Rank::program(rank).finishers {
            for index in (0..finishers.count).rev() {
                call_entry(base + finishers.array + 8 * index, [0; 3]);
            }
            if let Some(last) = finishers.single {
                call(base + last, [0; 3]);
            }
        }
    }
}

unsafe extern "C" fn exit(code: c_int) -> ! {
    // SAFETY: called by the rank that runs; without one, it is the process that ends.
    unsafe { if current::get().is_null() { libc::exit(code) } else { finish(current::get(), code) } }
}

unsafe extern "C" fn exit_at_once(code: c_int) -> ! {
    // SAFETY: as in `exit`. What is in the stream's buffer is lost, as in a process.
    unsafe {
        if current::get().is_null() {
            libc::_exit(code);
        }
        stdio::discard();
        current::leave(current::get(), Leave::Exited(code & 0xff))
    }
}

unsafe extern "C" fn quick_exit(code: c_int) -> ! {
    let rank = current::get();
    // SAFETY: as in `finish`.
    unsafe {
        while !rank.is_null() {
            let Some(at) = (*rank).exits.iter().rposition(|handler| handler.kind == HandlerKind::QuickExit)
            else {
                break;
            };
            (*rank).exits.remove(at).run(code);
        }
        exit_at_once(code)
    }
}

extern "C" fn atexit(function: usize) -> c_int {
    register(HandlerKind::Exit, function, 0, 0)
}

extern "C" fn at_quick_exit(function: usize) -> c_int {
    register(HandlerKind::QuickExit, function, 0, 0)
}

extern "C" fn on_exit(function: usize, argument: usize) -> c_int {
    register(HandlerKind::OnExit, function, argument, 0)
}

extern "C" fn cxa_atexit(function: usize, argument: usize, object: usize) -> c_int {
    register(HandlerKind::Exit, function, argument, object)
}

extern "C" fn cxa_at_quick_exit(function: usize, object: usize) -> c_int {
    register(HandlerKind::QuickExit, function, 0, object)
}

extern "C" fn cxa_thread_atexit(function: usize, argument: usize, object: usize) -> c_int {
    let rank = current::get();
    if rank.is_null() {
        return -1;
    }
    // SAFETY: the rank that runs.
    let exits = unsafe { &mut (*rank).thread_exits };
    exits.push(Handler { kind: HandlerKind::Exit, function, argument, object });
    0
}

fn register(kind: HandlerKind, function: usize, argument: usize, object: usize) -> c_int {
    let rank = current::get();
    if rank.is_null() {
        return -1;
    }
    // SAFETY: the rank that runs.
    let exits = unsafe { &mut (*rank).exits };
    exits.push(Handler { kind, function, argument, object });
    0
}

/// Runs what an object has registered; null is every object.
unsafe extern "C" fn cxa_finalize(object: usize) {
    let rank = current::get();
    // SAFETY: as in `finish`.
    unsafe {
        while !rank.is_null() {
            let of_object = |handler: &Handler| {
                handler.kind == HandlerKind::Exit && (object == 0 || handler.object == object)
            };
            let Some(at) = (*rank).exits.iter().rposition(of_object) else { return };
            (*rank).exits.remove(at).run(0);
        }
    }
}

/// The message names the program and not the simulator.
unsafe extern "C" fn assert_fail(
    text: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
) -> ! {
    let rank = current::get();
    // SAFETY: strings of the program; `dprintf` writes what C's own function writes to standard error.
    unsafe {
        let name = if rank.is_null() { c"".as_ptr().cast_mut() } else { short_name(*(*rank).arguments) };
        let function = if function.is_null() { c"?".as_ptr() } else { function };
        dprintf(2, c"%s: %s:%u: %s: Assertion `%s' failed.\n".as_ptr(), name, file, line, function, text);
        libc::abort()
    }
}

unsafe extern "C" fn fortran_exit(code: *const c_int) -> ! {
    // SAFETY: a Fortran integer, if it is there; both kinds start with these bytes.
    unsafe { exit(if code.is_null() { 0 } else { *code }) }
}

unsafe extern "C" fn fortran_stop_numeric(code: c_int, quiet: bool) -> ! {
    // SAFETY: as Fortran's library does.
    unsafe {
        if !quiet {
            dprintf(2, c"STOP %d\n".as_ptr(), code);
        }
        exit(code)
    }
}

unsafe extern "C" fn fortran_error_stop_numeric(code: c_int, quiet: bool) -> ! {
    // SAFETY: as Fortran's library does.
    unsafe {
        if !quiet {
            dprintf(2, c"ERROR STOP %d\n".as_ptr(), code);
        }
        exit(code)
    }
}

unsafe extern "C" fn fortran_stop_string(text: *const c_char, length: usize, quiet: bool) -> ! {
    // SAFETY: a Fortran string.
    unsafe {
        say(c"STOP ".as_ptr().cast(), text, length, quiet);
        exit(0)
    }
}

unsafe extern "C" fn fortran_error_stop_string(text: *const c_char, length: usize, quiet: bool) -> ! {
    // SAFETY: a Fortran string.
    unsafe {
        say(c"ERROR STOP ".as_ptr().cast(), text, length, quiet);
        exit(1)
    }
}

unsafe fn say(prefix: *const c_void, text: *const c_char, length: usize, quiet: bool) {
    // SAFETY: both are strings, one of them with a length.
    unsafe {
        if !quiet && !text.is_null() {
            dprintf(2, c"%s%.*s\n".as_ptr(), prefix, length as c_int, text);
        }
    }
}
