//! An allocator that says what happened when the machine has no memory left.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The system's allocator. If there is no memory, the program ends with a message and an exit code instead of a stack of calls.
#[derive(Clone, Copy, Debug)]
pub struct NamesExhaustion {
    /// The exit code.
    pub code: i32,
}

// SAFETY: all memory is that of the system's allocator, for the same layouts.
unsafe impl GlobalAlloc for NamesExhaustion {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is the caller's.
        self.checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is the caller's.
        self.checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the memory came from the same allocator with this layout.
        self.checked(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from the same allocator with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

impl NamesExhaustion {
    #[inline]
    fn checked(self, memory: *mut u8, size: usize) -> *mut u8 {
        if memory.is_null() {
            self.end(size);
        }
        memory
    }

    /// Ends the program. Nothing here needs memory, and no destructor runs.
    #[cold]
    fn end(self, size: usize) -> ! {
        let _ = writeln!(
            std::io::stderr(),
            "mpirage: memory is exhausted ({size} more bytes); use fewer ranks, write no report, or raise the limit (ulimit -v)"
        );
        // SAFETY: the function takes any code and does not return.
        unsafe { libc::_exit(self.code) }
    }
}
