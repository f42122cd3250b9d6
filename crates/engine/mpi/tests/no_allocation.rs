//! Once warm, a message costs no memory: nothing is allocated while patterns of communication repeat.

#[allow(dead_code)] // other tests use the rest
mod common;

use common::one_switch;
use common::patterns::{Pattern, Stage};
use counting::allocations;

/// Allocations while every rank plays some more rounds of a pattern it has played before.
fn allocated(pattern: Pattern, ranks: u32, model: &str) -> (u64, u64) {
    let mut stage = Stage::on(one_switch(ranks as usize), model, pattern, ranks);
    // Ranks go on in another order after a pause, so there is one before what counts, too.
    stage.play(4);
    stage.play(8);
    let before = allocations();
    stage.play(8);
    (allocations() - before, 8 * pattern.messages(ranks))
}

#[test]
fn repeated_patterns_allocate_nothing() {
    let mut wrong = Vec::new();
    // Long queues take long, and differ from those of 16 only in their size.
    let short = |(name, _): &(&str, Pattern)| !name.ends_with("-10000");
    for (name, pattern) in Pattern::ALL.into_iter().filter(short) {
        for (model, ranks) in
            [("simgrid", 2), ("simgrid", 64), ("flow:factors", 64), ("bus", 64), ("smp", 64), ("loggops", 64)]
        {
            let (count, messages) = allocated(pattern, ranks, model);
            if count > 0 {
                wrong.push(format!("{name} of {ranks} ranks, {model}: {count} for {messages} messages"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// An allocator that counts allocations per thread, so that tests in parallel do not disturb each other.
mod counting {
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
}
