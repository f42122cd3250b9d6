//! The C library's allocator, also where programs' calls of it lead somewhere else.
//!
//! With `--share-malloc` the process has another `malloc` in front. What this library allocates for itself must not be
//! folded, so it goes past it.

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

/// Where the C library has no other names for them, a `malloc` in front is not passed by.
#[cfg(not(target_env = "gnu"))]
mod names {
    pub use libc::{
        calloc as __libc_calloc, free as __libc_free, malloc as __libc_malloc, memalign as __libc_memalign,
        realloc as __libc_realloc,
    };
}

pub(crate) fn malloc(size: usize) -> *mut c_void {
    // SAFETY: any size will do.
    unsafe { names::__libc_malloc(size) }
}

pub(crate) fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: any sizes will do.
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

/// What the C library aligns to anyway.
const ALIGNED: usize = 16;

/// Memory for this library itself.
struct Past;

// SAFETY: the C library's allocator, which keeps the contract; larger alignments are asked for.
unsafe impl GlobalAlloc for Past {
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
static PAST: Past = Past;
