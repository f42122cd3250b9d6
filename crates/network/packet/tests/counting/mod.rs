//! An allocator that counts allocations per thread, so that tests in parallel do not disturb each other.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far, those that only grew included.
pub fn allocations() -> u64 {
    COUNT.get()
}

fn count() {
    // The thread may be ending, and its counter gone.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every request goes to the system's allocator as it came; counting touches no memory of the heap.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: `at` came from `System` with this layout, as all memory of this allocator does.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above, and the caller keeps the contract of `realloc`.
        unsafe { System.realloc(at, layout, size) }
    }
}
