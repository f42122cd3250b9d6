//! Finds `libmpi_abi.so.1`, in which the MPI functions are.
//!
//! The library is loaded already if the simulator started the program. Else it is next to the front, or in the folder above. It is opened without making its
//! symbols global, for they have the names of the front's.

use core::ffi::{CStr, c_char, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::ffi::CString;

use mpirage_bodies::{Bodies, Callbacks, Caller, FINGERPRINT, SYMBOL};

pub use mpirage_bodies::Body;

const LIBRARY: &CStr = c"libmpi_abi.so.1";

static BODIES: AtomicPtr<Bodies> = AtomicPtr::new(ptr::null_mut());

/// The services of `libmpi_abi.so.1`.
#[inline]
pub fn bodies() -> &'static Bodies {
    // SAFETY: null until `connect` has stored the library's table, which is never unloaded.
    match unsafe { BODIES.load(Ordering::Relaxed).as_ref() } {
        Some(bodies) => bodies,
        None => end(c"an MPI function was called before the library was loaded"),
    }
}

/// The body of a function, which the caller is about to call. Ends the run if there is none.
#[inline]
pub fn body(index: usize) -> Body {
    let bodies = bodies();
    (bodies.store_caller)(Caller::last());
    match bodies.bodies[index] {
        Some(body) => body,
        None => (bodies.not_implemented)(index as u32),
    }
}

/// Ends the run: a function beyond the standard is not there.
pub fn unknown_function(name: &CStr) -> ! {
    let text = format!("{} is not there yet", name.to_string_lossy());
    misuse(&text)
}

/// Ends the run with a message.
pub fn misuse(text: &str) -> ! {
    let text = CString::new(text).unwrap_or_default();
    // SAFETY: a string.
    unsafe { (bodies().misuse)(text.as_ptr()) }
}

/// Connects a front with the library. Called when the front is loaded.
pub fn connect(callbacks: &'static Callbacks) {
    attach();
    let own = ptr::from_ref(callbacks).cast_mut();
    let others = bodies().callbacks.swap(own, Ordering::Relaxed);
    if !others.is_null() && others != own {
        misuse(
            "the program loads libraries of two MPIs, Open MPI and MPICH; if it is an interpreter, \
             `mpirage run --mpi-abi` says which of them its modules were built for",
        );
    }
}

/// Finds the library. Functions of the program are called as before.
pub fn attach() {
    let Some(bodies) = find() else { end(c"cannot load libmpi_abi.so.1; it belongs next to this library") };
    if bodies.fingerprint != FINGERPRINT {
        end(c"libmpi_abi.so.1 is of another version than the library in front of it");
    }
    BODIES.store(ptr::from_ref(bodies).cast_mut(), Ordering::Relaxed);
}

fn find() -> Option<&'static Bodies> {
    let loaded = open(LIBRARY, libc::RTLD_NOLOAD);
    let near = || ["", "../"].iter().find_map(|way| open(&near_this_library(way)?, 0));
    let library = loaded.or_else(near).or_else(|| open(LIBRARY, 0))?;
    // SAFETY: the symbol of a loaded library, which is never closed.
    unsafe { libc::dlsym(library.as_ptr(), SYMBOL.as_ptr()).cast::<Bodies>().as_ref() }
}

fn open(name: &CStr, flags: i32) -> Option<ptr::NonNull<c_void>> {
    // SAFETY: a string, and flags of the function.
    ptr::NonNull::new(unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL | flags) })
}

/// The path of the library in the folder that the front was loaded from, or a way from there.
fn near_this_library(way: &str) -> Option<CString> {
    let mut information = MaybeUninit::<libc::Dl_info>::uninit();
    let inside = ptr::from_ref(&BODIES).cast();
    // SAFETY: an address and a place; the name is a string if the call succeeds.
    let path = unsafe {
        if libc::dladdr(inside, information.as_mut_ptr()) == 0 {
            return None;
        }
        CStr::from_ptr(information.assume_init().dli_fname)
    };
    let bytes = path.to_bytes();
    let folder = &bytes[..bytes.iter().rposition(|&byte| byte == b'/')? + 1];
    CString::new([folder, way.as_bytes(), LIBRARY.to_bytes()].concat()).ok()
}

/// Ends the process where no library is there to do it.
#[cold]
fn end(text: &CStr) -> ! {
    let parts: [*const c_char; 3] = [c"mpirage: ".as_ptr(), text.as_ptr(), c"\n".as_ptr()];
    for part in parts {
        // SAFETY: a string, whose bytes are written to standard error.
        unsafe { libc::write(libc::STDERR_FILENO, part.cast(), libc::strlen(part)) };
    }
    // SAFETY: ends the process; nothing of ours needs an exit handler.
    unsafe { libc::_exit(1) }
}
