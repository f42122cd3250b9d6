//! The C library's allocation functions for programs whose large allocations are shared (`--share-malloc`).
//!
//! The names begin with `mpirage_share_`. In a rank that is a process a small preloaded library (`crates/library/malloc`) forwards the
//! program's calls to these functions; in a folded rank the loader links the program to them. Small allocations go on to the
//! C library. `mpirage_share_calloc` does not clear shared memory, because other ranks use it.

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::ground::allocator;
use crate::ground::system::fail_with;
use crate::rank;

use super::arena::{self, SharedFile, Source};

/// `malloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_malloc(size: usize) -> *mut c_void {
    if is_shared_size(size) { share(size, 1) } else { allocator::malloc(size) }
}

/// `calloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_calloc(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(bytes) if is_shared_size(bytes) => share(bytes, 1),
        _ => allocator::calloc(count, size),
    }
}

/// `realloc`.
///
/// # Safety
/// `old` is memory of this family, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_share_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let before = shared_length(old);
    if before.is_none() && !is_shared_size(size) {
        // SAFETY: it is the C library's.
        return unsafe { allocator::realloc(old, size) };
    }
    if before.is_some_and(|before| is_shared_size(size) && size <= before) {
        return old;
    }
    let new = mpirage_share_malloc(size);
    if old.is_null() || new.is_null() {
        return new;
    }
    // All shared blocks have the same contents.
    if before.is_none() || !is_shared_size(size) {
        // SAFETY: it is the C library's where it is not ours.
        let had = before.unwrap_or_else(|| unsafe { libc::malloc_usable_size(old) });
        // SAFETY: both have so many bytes, and only this function knows the new one.
        unsafe { ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), had.min(size)) };
    }
    // SAFETY: by the contract above; the old memory is not used any more.
    unsafe { rank::this().sharing.free(old) };
    new
}

/// `free`.
///
/// # Safety
/// `data` is memory of this family that is not used any more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_share_free(data: *mut c_void) {
    // SAFETY: by the contract above.
    unsafe { rank::this().sharing.free(data) }
}

/// `memalign`, `aligned_alloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_memalign(alignment: usize, size: usize) -> *mut c_void {
    let sensible = alignment.is_power_of_two();
    if sensible && is_shared_size(size) {
        share(size, alignment)
    } else {
        allocator::memalign(alignment, size)
    }
}

/// `posix_memalign`.
///
/// # Safety
/// `place` is a place for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_share_posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<*mut c_void>()) {
        return libc::EINVAL;
    }
    let data = mpirage_share_memalign(alignment, size);
    if data.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: by the contract above.
    unsafe { *place = data };
    0
}

/// `malloc_usable_size`.
///
/// # Safety
/// `data` is memory of this family, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_share_usable_size(data: *mut c_void) -> usize {
    // SAFETY: it is the C library's where it is not ours.
    shared_length(data).unwrap_or_else(|| unsafe { libc::malloc_usable_size(data) })
}

/// Bytes of shared memory; zero if the memory is not shared.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_length(data: *mut c_void) -> usize {
    shared_length(data).unwrap_or(0)
}

/// Is an allocation of this size shared?
fn is_shared_size(size: usize) -> bool {
    let briefing = rank::this().connection().briefing();
    briefing.share_malloc > 0 && size as u64 >= briefing.share_malloc && briefing.shared_file >= 0
}

fn share(size: usize, alignment: usize) -> *mut c_void {
    let rank = rank::this();
    let (file, source) = (SharedFile::of(rank.connection()), Source::window(size, alignment));
    let address = file.zip(source).and_then(|(file, source)| rank.sharing.allocate(file, source, size));
    address.map_or_else(
        || {
            fail_with(libc::ENOMEM);
            ptr::null_mut()
        },
        |address| address as *mut c_void,
    )
}

fn shared_length(data: *mut c_void) -> Option<usize> {
    if !arena::may_have(data.addr()) {
        None
    } else {
        arena::with(|arena| arena.length(data.addr())).flatten()
    }
}
