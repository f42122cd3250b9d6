//! The memory that a rank's program has allocated and not freed: the state of a rank that migrates.
//!
//! If a program calls `AMPI_Migrate`, its calls of allocation functions go to the functions below, which count. The loader of folded
//! ranks links the program to them; in a process, [`install`] does it. The program includes its own libraries, but not those of the
//! system: what they allocate for themselves does not count. Memory that they allocate and the program frees is not counted twice: the
//! count does not go below zero.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mpirage_channel::CHANNEL_VARIABLE;

use crate::ground::allocator;
use crate::ground::imports::Objects;
use crate::ground::lock::is_folded;
use crate::rank;

/// Bytes that a rank has allocated.
#[derive(Default)]
pub(crate) struct Heap(AtomicU64);

/// The heap of the rank that is this process.
static PROCESS: Heap = Heap(AtomicU64::new(0));
/// Does the program of this process call the functions below?
static COUNTS: AtomicBool = AtomicBool::new(false);

/// Programs that import one of these are counted.
const MIGRATE: [&CStr; 2] = [c"AMPI_Migrate", c"mpirage_migrate"];

/// Called by the dynamic linker when it has loaded the library, before the program starts.
#[used]
#[unsafe(link_section = ".init_array")]
static INSTALL: extern "C" fn() = install;

extern "C" fn install() {
    if std::env::var_os(CHANNEL_VARIABLE).is_none() {
        return;
    }
    let program = Objects::of_program();
    if program.import_any(&MIGRATE) && program.redirect(&functions()) {
        COUNTS.store(true, Ordering::Relaxed);
    }
}

/// The allocation functions of C and C++, and what stands in for them.
fn functions() -> [(&'static CStr, usize); 13] {
    let (new, delete) =
        (mpirage_count_malloc as *const () as usize, mpirage_count_free as *const () as usize);
    let memalign = mpirage_count_memalign as *const () as usize;
    [
        (c"malloc", new),
        (c"calloc", mpirage_count_calloc as *const () as usize),
        (c"realloc", mpirage_count_realloc as *const () as usize),
        (c"free", delete),
        (c"memalign", memalign),
        (c"aligned_alloc", memalign),
        (c"posix_memalign", mpirage_count_posix_memalign as *const () as usize),
        (c"_Znwm", new),
        (c"_Znam", new),
        (c"_ZdlPv", delete),
        (c"_ZdlPvm", delete),
        (c"_ZdaPv", delete),
        (c"_ZdaPvm", delete),
    ]
}

/// Bytes that the rank that runs has allocated and not freed. If its calls could not be redirected, its allocator says.
pub(crate) fn live() -> u64 {
    if is_folded() || COUNTS.load(Ordering::Relaxed) {
        return with_heap(|heap| heap.0.load(Ordering::Relaxed));
    }
    // SAFETY: it only reads the allocator's counters.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as u64
}

fn with_heap<T>(work: impl FnOnce(&Heap) -> T) -> T {
    if is_folded() { work(&rank::this().heap) } else { work(&PROCESS) }
}

impl Heap {
    fn add(&self, data: *mut c_void) {
        self.0.fetch_add(size(data), Ordering::Relaxed);
    }

    fn remove(&self, data: *mut c_void) {
        let bytes = size(data);
        let _ =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| Some(all.saturating_sub(bytes)));
    }
}

/// Bytes of memory from the C library.
fn size(data: *mut c_void) -> u64 {
    // SAFETY: it is the C library's, or null.
    unsafe { libc::malloc_usable_size(data) as u64 }
}

fn counted(data: *mut c_void) -> *mut c_void {
    with_heap(|heap| heap.add(data));
    data
}

/// `malloc`, `operator new`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_count_malloc(size: usize) -> *mut c_void {
    counted(allocator::program::malloc(size))
}

/// `calloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_count_calloc(count: usize, size: usize) -> *mut c_void {
    counted(allocator::program::calloc(count, size))
}

/// `realloc`.
///
/// # Safety
/// `old` is the C library's, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_count_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    with_heap(|heap| heap.remove(old));
    // SAFETY: by the contract above.
    let new = unsafe { allocator::program::realloc(old, size) };
    // If there is no room, the old memory is still there.
    with_heap(|heap| heap.add(if new.is_null() && size > 0 { old } else { new }));
    new
}

/// `free`, and `operator delete`.
///
/// # Safety
/// `data` is the C library's and not used any more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_count_free(data: *mut c_void) {
    with_heap(|heap| heap.remove(data));
    // SAFETY: by the contract above.
    unsafe { allocator::program::free(data) }
}

/// `memalign`, `aligned_alloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_count_memalign(alignment: usize, size: usize) -> *mut c_void {
    counted(allocator::program::memalign(alignment, size))
}

/// `posix_memalign`.
///
/// # Safety
/// `place` is a place for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_count_posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    // SAFETY: by the contract above; the C library checks the alignment.
    let code = unsafe { libc::posix_memalign(place, alignment, size) };
    if code == 0 {
        // SAFETY: it was just stored.
        counted(unsafe { *place });
    }
    code
}
