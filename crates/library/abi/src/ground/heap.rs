//! The memory that a folded rank has allocated and not freed.
//!
//! Folded ranks share one heap. If a program calls `AMPI_Migrate`, the loader links it to the functions below, which count for each rank
//! the memory that its program allocates. Libraries go on using the C library's own. Memory that they allocate and the program frees is not
//! counted twice: the count does not go below zero. A rank that is a process asks its allocator.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

use crate::ground::allocator;
use crate::ground::lock::is_folded;
use crate::rank;

/// Bytes that a rank has allocated.
#[derive(Default)]
pub(crate) struct Heap(AtomicU64);

impl Heap {
    fn add(&self, data: *mut c_void) {
        self.0.fetch_add(size(data), Ordering::Relaxed);
    }

    fn remove(&self, data: *mut c_void) {
        let bytes = size(data);
        let _ =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| Some(all.saturating_sub(bytes)));
    }

    /// Bytes that the rank has allocated and not freed.
    pub(crate) fn live(&self) -> u64 {
        if is_folded() {
            return self.0.load(Ordering::Relaxed);
        }
        // SAFETY: it only reads the allocator's counters.
        let info = unsafe { libc::mallinfo2() };
        (info.uordblks + info.hblkhd) as u64
    }
}

/// Bytes of memory from the C library.
fn size(data: *mut c_void) -> u64 {
    // SAFETY: it is the C library's, or null.
    unsafe { libc::malloc_usable_size(data) as u64 }
}

fn counted(data: *mut c_void) -> *mut c_void {
    rank::this().heap.add(data);
    data
}

/// `malloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_count_malloc(size: usize) -> *mut c_void {
    counted(allocator::malloc(size))
}

/// `calloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_count_calloc(count: usize, size: usize) -> *mut c_void {
    counted(allocator::calloc(count, size))
}

/// `realloc`.
///
/// # Safety
/// `old` is the C library's, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_count_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let heap = &rank::this().heap;
    heap.remove(old);
    // SAFETY: by the contract above.
    let new = unsafe { allocator::realloc(old, size) };
    // If there is no room, the old memory is still there.
    heap.add(if new.is_null() && size > 0 { old } else { new });
    new
}

/// `free`, and `operator delete`.
///
/// # Safety
/// `data` is the C library's and not used any more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_count_free(data: *mut c_void) {
    rank::this().heap.remove(data);
    // SAFETY: by the contract above.
    unsafe { allocator::free(data) }
}

/// `memalign`, `aligned_alloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_count_memalign(alignment: usize, size: usize) -> *mut c_void {
    counted(allocator::memalign(alignment, size))
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
