//! The C library's allocator, also if the program's calls of `malloc` are interposed.
//!
//! With `--share-malloc` a preloaded library interposes `malloc`. Memory that this library allocates for itself must not be
//! shared, so this module calls the C library directly.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;

#[cfg(target_env = "gnu")]
mod names {
    use core::ffi::c_void;
    unsafe extern "C" {
        pub fn __libc_malloc(size: usize) -> *mut c_void;
        pub fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
        pub fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
        pub fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
        pub fn __libc_free(data: *mut c_void);
    }
}

/// Other C libraries have no second names for these functions, so an interposed `malloc` is used there.
#[cfg(not(target_env = "gnu"))]
mod names {
    pub use libc::{
        calloc as __libc_calloc, free as __libc_free, malloc as __libc_malloc, memalign as __libc_memalign,
        realloc as __libc_realloc,
    };
}

pub(crate) fn malloc(size: usize) -> *mut c_void {
    // SAFETY: all sizes are valid.
    unsafe { names::__libc_malloc(size) }
}

pub(crate) fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: all sizes are valid.
    unsafe { names::__libc_calloc(count, size) }
}

/// # Safety
/// `old` is the C library's, or null.
pub(crate) unsafe fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: by the contract above.
    unsafe { names::__libc_realloc(old, size) }
}

pub(crate) fn memalign(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: the C library checks both.
    unsafe { names::__libc_memalign(alignment, size) }
}

/// # Safety
/// `data` is the C library's and not used any more, or null.
pub(crate) unsafe fn free(data: *mut c_void) {
    // SAFETY: by the contract above.
    unsafe { names::__libc_free(data) }
}

/// The allocator of programs: in a process, whichever the dynamic linker has found.
pub(crate) mod program {
    use core::ffi::c_void;

    use crate::ground::lock::is_folded;

    pub(crate) fn malloc(size: usize) -> *mut c_void {
        // SAFETY: all sizes are valid.
        if is_folded() { super::malloc(size) } else { unsafe { libc::malloc(size) } }
    }

    pub(crate) fn calloc(count: usize, size: usize) -> *mut c_void {
        // SAFETY: all sizes are valid.
        if is_folded() { super::calloc(count, size) } else { unsafe { libc::calloc(count, size) } }
    }

    /// # Safety
    /// `old` is this allocator's, or null.
    pub(crate) unsafe fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
        // SAFETY: by the contract above.
        unsafe { if is_folded() { super::realloc(old, size) } else { libc::realloc(old, size) } }
    }

    pub(crate) fn memalign(alignment: usize, size: usize) -> *mut c_void {
        if is_folded() {
            return super::memalign(alignment, size);
        }
        // SAFETY: the C library checks both.
        unsafe { libc::memalign(alignment, size) }
    }

    /// # Safety
    /// `data` is this allocator's and not used any more, or null.
    pub(crate) unsafe fn free(data: *mut c_void) {
        // SAFETY: by the contract above.
        unsafe { if is_folded() { super::free(data) } else { libc::free(data) } }
    }
}

/// The alignment of all memory from the C library.
const ALIGNED: usize = 16;

/// The allocator of this library.
struct CLibrary;

// SAFETY: the C library's allocator, which keeps the contract; larger alignments are asked for.
unsafe impl GlobalAlloc for CLibrary {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match layout.align() <= ALIGNED {
            true => malloc(layout.size()).cast(),
            false => memalign(layout.align(), layout.size()).cast(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ALIGNED {
            return calloc(1, layout.size()).cast();
        }
        let data = memalign(layout.align(), layout.size()).cast::<u8>();
        if !data.is_null() {
            // SAFETY: so many bytes were just allocated.
            unsafe { data.write_bytes(0, layout.size()) };
        }
        data
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ALIGNED {
            // SAFETY: it came from here.
            return unsafe { realloc(old.cast(), size).cast() };
        }
        let new = memalign(layout.align(), size).cast::<u8>();
        if !new.is_null() {
            // SAFETY: both have so many bytes; the old one came from here and is not used any more.
            unsafe {
                new.copy_from_nonoverlapping(old, layout.size().min(size));
                free(old.cast());
            }
        }
        new
    }

    unsafe fn dealloc(&self, data: *mut u8, _: Layout) {
        // SAFETY: it came from here.
        unsafe { free(data.cast()) }
    }
}

#[global_allocator]
static ALLOCATOR: CLibrary = CLibrary;
