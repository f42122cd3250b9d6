//! `malloc` and its family in front of the C library's, for ranks of `mpirage run --share-malloc SIZE`.
//!
//! The simulator preloads this library into ranks that share their large allocations, and only into these. Small allocations go
//! to the C library. Large ones, and memory that may be shared because it begins with a page, go to `mpirage_share_*` of the MPI
//! library, if the process has one. Nothing here allocates.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(data: *mut c_void);
    static environ: *const *const c_char;
}

/// Environment variable with the smallest size that is shared, in bytes.
const VARIABLE: &CStr = c"MPIRAGE_SHARE_MALLOC";
const PAGE: usize = 4096;

/// The smallest size that is shared; zero before it was looked up.
static THRESHOLD: AtomicUsize = AtomicUsize::new(0);
/// One if any memory was shared. Until then all memory is the C library's.
static SHARED: AtomicUsize = AtomicUsize::new(0);

/// `malloc`.
#[unsafe(no_mangle)]
pub extern "C" fn malloc(size: usize) -> *mut c_void {
    if size >= threshold()
        && let Some(function) = SHARE_MALLOC.find()
    {
        // SAFETY: it has this type.
        return shared(unsafe { transmute::<usize, extern "C" fn(usize) -> *mut c_void>(function)(size) });
    }
    // SAFETY: any size will do.
    unsafe { __libc_malloc(size) }
}

/// `calloc`.
#[unsafe(no_mangle)]
pub extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    if count.saturating_mul(size) >= threshold()
        && let Some(function) = SHARE_CALLOC.find()
    {
        // SAFETY: it has this type.
        let calloc = unsafe { transmute::<usize, extern "C" fn(usize, usize) -> *mut c_void>(function) };
        return shared(calloc(count, size));
    }
    // SAFETY: any sizes will do.
    unsafe { __libc_calloc(count, size) }
}

/// `realloc`.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    if (size >= threshold() || may_be_shared(old))
        && let Some(function) = SHARE_REALLOC.find()
    {
        // SAFETY: it has this type, and takes memory of the C library too.
        let realloc =
            unsafe { transmute::<usize, extern "C" fn(*mut c_void, usize) -> *mut c_void>(function) };
        return shared(realloc(old, size));
    }
    // SAFETY: it is the C library's.
    unsafe { __libc_realloc(old, size) }
}

/// `free`.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(data: *mut c_void) {
    if may_be_shared(data)
        && let Some(function) = SHARE_FREE.find()
    {
        // SAFETY: it has this type, and takes memory of the C library too.
        return unsafe { transmute::<usize, extern "C" fn(*mut c_void)>(function)(data) };
    }
    // SAFETY: it is the C library's.
    unsafe { __libc_free(data) }
}

/// `memalign`.
#[unsafe(no_mangle)]
pub extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    if size >= threshold()
        && let Some(function) = SHARE_MEMALIGN.find()
    {
        // SAFETY: it has this type.
        let memalign = unsafe { transmute::<usize, extern "C" fn(usize, usize) -> *mut c_void>(function) };
        return shared(memalign(alignment, size));
    }
    // SAFETY: the C library checks both.
    unsafe { __libc_memalign(alignment, size) }
}

/// `aligned_alloc`.
#[unsafe(no_mangle)]
pub extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    memalign(alignment, size)
}

/// `posix_memalign`.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
        return libc::EINVAL;
    }
    let data = memalign(alignment, size);
    if data.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the program hands over a place for an address.
    unsafe { *place = data };
    0
}

/// `valloc`.
#[unsafe(no_mangle)]
pub extern "C" fn valloc(size: usize) -> *mut c_void {
    memalign(PAGE, size)
}

/// `pvalloc`.
#[unsafe(no_mangle)]
pub extern "C" fn pvalloc(size: usize) -> *mut c_void {
    memalign(PAGE, size.next_multiple_of(PAGE))
}

/// `malloc_usable_size`.
///
/// # Safety
/// As for C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc_usable_size(data: *mut c_void) -> usize {
    if may_be_shared(data)
        && let Some(function) = SHARE_LENGTH.find()
    {
        // SAFETY: it has this type, and takes memory of the C library too, of which it says zero.
        let length = unsafe { transmute::<usize, extern "C" fn(*mut c_void) -> usize>(function)(data) };
        if length > 0 {
            return length;
        }
    }
    match LIBC_USABLE_SIZE.find() {
        // SAFETY: it has this type, and the memory is the C library's.
        Some(function) => unsafe { transmute::<usize, extern "C" fn(*mut c_void) -> usize>(function)(data) },
        None => 0,
    }
}

/// A function of the MPI library, found when it is first needed.
struct Found {
    name: &'static CStr,
    /// True to search only the libraries behind this one.
    behind: bool,
    /// Zero before the first search; one if the function does not exist.
    address: AtomicUsize,
}

static SHARE_MALLOC: Found = Found::new(c"mpirage_share_malloc");
static SHARE_CALLOC: Found = Found::new(c"mpirage_share_calloc");
static SHARE_REALLOC: Found = Found::new(c"mpirage_share_realloc");
static SHARE_MEMALIGN: Found = Found::new(c"mpirage_share_memalign");
static SHARE_FREE: Found = Found::new(c"mpirage_share_free");
static SHARE_LENGTH: Found = Found::new(c"mpirage_share_length");
/// It has no other name in the C library.
static LIBC_USABLE_SIZE: Found =
    Found { name: c"malloc_usable_size", behind: true, address: AtomicUsize::new(0) };

impl Found {
    const fn new(name: &'static CStr) -> Found {
        Found { name, behind: false, address: AtomicUsize::new(0) }
    }

    fn find(&self) -> Option<usize> {
        if self.address.load(Ordering::Relaxed) == 0 {
            let scope = if self.behind { libc::RTLD_NEXT } else { libc::RTLD_DEFAULT };
            // SAFETY: a string; what it allocates is small and goes to the C library.
            let address = unsafe { libc::dlsym(scope, self.name.as_ptr()) }.addr();
            self.address.store(address.max(1), Ordering::Relaxed);
        }
        Some(self.address.load(Ordering::Relaxed)).filter(|&address| address > 1)
    }
}

/// Notes that memory may be shared from now on.
fn shared(data: *mut c_void) -> *mut c_void {
    SHARED.store(1, Ordering::Relaxed);
    data
}

/// Shared memory begins with a page. Memory of the C library does so only if the program asks for that alignment.
fn may_be_shared(data: *mut c_void) -> bool {
    data.addr().is_multiple_of(PAGE) && SHARED.load(Ordering::Relaxed) != 0
}

fn threshold() -> usize {
    match THRESHOLD.load(Ordering::Relaxed) {
        0 => look_up_threshold(),
        known => known,
    }
}

/// Nothing is shared before the process has an environment, that is while it is being loaded.
fn look_up_threshold() -> usize {
    // SAFETY: the C library's own variable, read only.
    if unsafe { environ }.is_null() {
        return usize::MAX;
    }
    // SAFETY: a string; the program does not change its environment while it allocates its first memory.
    let value = unsafe { libc::getenv(VARIABLE.as_ptr()) };
    let threshold = match value.is_null() {
        true => usize::MAX,
        // SAFETY: a string of the environment.
        false => match unsafe { libc::strtoull(value, core::ptr::null_mut(), 10) } as usize {
            0 => usize::MAX,
            bytes => bytes,
        },
    };
    THRESHOLD.store(threshold, Ordering::Relaxed);
    threshold
}
