//! The C library's allocation functions for programs whose large allocations are folded (`--share-malloc`).
//!
//! The names begin with `mpirage_share_`; whoever starts a rank lets the program's own calls come here: of a process
//! a small library in front of the C library's (`crates/malloc`), of a folded rank the loader. Smaller allocations go on
//! to the C library. Memory from `mpirage_share_calloc` is not cleared if it is folded: it is everybody's.

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::{allocator, connection};

use super::arena::{self, Source};

/// `malloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_malloc(size: usize) -> *mut c_void {
    if is_folded(size) { fold(size, 1) } else { allocator::malloc(size) }
}

/// `calloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_calloc(count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(bytes) if is_folded(bytes) => fold(bytes, 1),
        _ => allocator::calloc(count, size),
    }
}

/// `realloc`.
///
/// # Safety
/// `old` is memory of this family, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_share_realloc(old: *mut c_void, size: usize) -> *mut c_void {
    let before = folded_length(old);
    if before.is_none() && !is_folded(size) {
        // SAFETY: it is the C library's.
        return unsafe { allocator::realloc(old, size) };
    }
    if before.is_some_and(|before| is_folded(size) && size <= before) {
        return old;
    }
    let new = mpirage_share_malloc(size);
    if old.is_null() || new.is_null() {
        return new;
    }
    // Of one folded block and another the contents are the same.
    if before.is_none() || !is_folded(size) {
        // SAFETY: it is the C library's where it is not ours.
        let had = before.unwrap_or_else(|| unsafe { libc::malloc_usable_size(old) });
        // SAFETY: both have so many bytes, and the new one is nobody else's.
        unsafe { ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast::<u8>(), had.min(size)) };
    }
    // SAFETY: by the contract above; nobody uses the old one any more.
    unsafe { super::free(old) };
    new
}

/// `free`.
///
/// # Safety
/// `data` is memory of this family that is not used any more, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpirage_share_free(data: *mut c_void) {
    // SAFETY: by the contract above.
    unsafe { super::free(data) }
}

/// `memalign`, `aligned_alloc`.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_memalign(alignment: usize, size: usize) -> *mut c_void {
    let sensible = alignment.is_power_of_two();
    if sensible && is_folded(size) { fold(size, alignment) } else { allocator::memalign(alignment, size) }
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
    folded_length(data).unwrap_or_else(|| unsafe { libc::malloc_usable_size(data) })
}

/// Bytes of folded memory; zero if it is not folded.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_share_length(data: *mut c_void) -> usize {
    folded_length(data).unwrap_or(0)
}

/// Is an allocation of this size folded?
fn is_folded(size: usize) -> bool {
    let briefing = &connection::line().briefing;
    briefing.share_malloc > 0 && size as u64 >= briefing.share_malloc && briefing.shared_file >= 0
}

fn fold(size: usize, alignment: usize) -> *mut c_void {
    let source = Source::window(size, alignment);
    match source.and_then(|source| super::allocate(source, size)) {
        Some(address) => address as *mut c_void,
        None => {
            // SAFETY: the C library's errno of this thread.
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            ptr::null_mut()
        }
    }
}

fn folded_length(data: *mut c_void) -> Option<usize> {
    if !arena::may_have(data.addr()) { None } else { arena::with(|arena| arena.length(data.addr())) }
}
