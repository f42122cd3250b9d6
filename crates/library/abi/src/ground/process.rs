//! The process that this library is loaded into: whether it is a forked child, and how it ends.

use core::ffi::{CStr, c_int, c_void};
use core::mem::MaybeUninit;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};
use std::env;
use std::sync::{Once, OnceLock};

use mpirage_channel::{CHANNEL_VARIABLE, simulator_of};

use crate::ground::lock::is_folded;
use crate::ground::output;

/// The beginning of this library's name.
const LIBRARY: &str = "libmpi_abi.so";

/// The exit code of a program that misuses MPI or needs a function that this library does not implement.
pub(crate) const MISUSE_EXIT_CODE: c_int = 81;

/// This process was forked by a rank. It is no rank itself.
static CHILD: AtomicBool = AtomicBool::new(false);

/// Is this process a child that a rank has forked?
#[inline]
pub(crate) fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}

/// Makes [`is_child`] true in the children that this process forks from now on.
pub(crate) fn watch_forks() {
    extern "C" fn note_child() {
        CHILD.store(true, Ordering::Relaxed);
    }
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        // SAFETY: the handler only stores to an atomic, which is safe in a forked child.
        unsafe { libc::pthread_atfork(None, None, Some(note_child)) };
    });
}

/// Is there a connection to the simulator, or the knowledge that there is none?
static CONNECTED: AtomicBool = AtomicBool::new(false);

/// The process has looked for its simulator.
pub(crate) fn note_connection() {
    CONNECTED.store(true, Ordering::Relaxed);
}

/// May a clock connect this process with the simulator, so that it becomes the rank?
///
/// Interpreters start helpers (a shell starts `uname`), which inherit the preloaded library and are not meant. So in a preloaded
/// library only the process that the simulator has started may; others become ranks when they initialise MPI.
pub(crate) fn may_connect() -> bool {
    CONNECTED.load(Ordering::Relaxed) || is_folded() || !is_preloaded() || is_started_by_simulator()
}

fn is_preloaded() -> bool {
    static PRELOADED: OnceLock<bool> = OnceLock::new();
    let named = || env::var_os("LD_PRELOAD").is_some_and(|paths| paths.to_string_lossy().contains(LIBRARY));
    *PRELOADED.get_or_init(named)
}

fn is_started_by_simulator() -> bool {
    static SIMULATOR: OnceLock<Option<u32>> = OnceLock::new();
    let simulator = SIMULATOR.get_or_init(|| simulator_of(&env::var(CHANNEL_VARIABLE).ok()?));
    simulator.is_some_and(|simulator| simulator == std::os::unix::process::parent_id())
}

/// Ends a rank that the dynamic linker has given the library of another build than its simulator's: their mailboxes differ.
pub(crate) fn end_with_other_library() -> ! {
    output::say(format_args!(
        "the simulator and this program's MPI library ({}) are of different builds of mpirage. Run the program with the mpirage \
         that the library belongs to; or build mpirage as a whole (`make build`), build the program anew with this mpirage's \
         compiler wrappers, and let no RPATH, LD_PRELOAD or LD_LIBRARY_PATH name the other library",
        own_path(),
    ));
    std::process::exit(MISUSE_EXIT_CODE)
}

/// Why a rank cannot run whose program calls the C library's clocks instead of this library's, and what helps.
pub(crate) fn about_real_clock() -> String {
    format!(
        "the program finds the C library before {}, so its clocks and sleeps would be real, not simulated; link it with mpirage's \
         compiler wrappers and without -lc, or name `-Wl,--no-as-needed -lmpi_abi` before the C library in your own linker command; \
         a program that loads its MPI library at run time needs `mpirage run --mpi-abi mpi5`",
        own_path()
    )
}

/// Where this library was loaded from.
fn own_path() -> String {
    let mut information = MaybeUninit::<libc::Dl_info>::uninit();
    let inside = (&raw const CHILD).cast();
    // SAFETY: an address and a place; if the call succeeds, the name is a string that lives as long as the library.
    unsafe {
        match libc::dladdr(inside, information.as_mut_ptr()) {
            0 => LIBRARY.to_owned(),
            _ => CStr::from_ptr(information.assume_init().dli_fname).to_string_lossy().into_owned(),
        }
    }
}

/// The addresses of this library's code and data.
pub(crate) fn own_addresses() -> Option<Range<usize>> {
    let mut found = None;
    // SAFETY: the callback gets back the place that it fills.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

/// Notes the addresses of the object that has this function.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the C library hands over a valid description, and the place that `own_addresses` gave it.
    let (info, found) = unsafe { (&*info, &mut *found.cast::<Option<Range<usize>>>()) };
    // SAFETY: the description says how many headers there are.
    let headers = unsafe { core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let base = info.dlpi_addr as usize;
    let loaded = headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let parts = loaded
        .map(|header| base + header.p_vaddr as usize..base + (header.p_vaddr + header.p_memsz) as usize);
    let all = parts.reduce(|one, next| one.start.min(next.start)..one.end.max(next.end));
    *found = all.filter(|all| all.contains(&(visit as *const () as usize)));
    c_int::from(found.is_some())
}

/// Keeps programs that this process executes from inheriting a descriptor.
pub(crate) fn close_on_exec(file: c_int) {
    // SAFETY: this sets a flag of a descriptor; the kernel refuses a number that is none.
    unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// Ends a panicking process. Above the entry points there are only frames of the program, through which a Rust panic must not
/// unwind.
pub(crate) fn abort_on_panic() {
    static ONCE: Once = Once::new();
    if cfg!(test) {
        return;
    }
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            report(panic);
            std::process::abort();
        }));
    });
}
