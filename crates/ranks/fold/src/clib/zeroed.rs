//! `calloc` without writing to fresh pages, which are zero already.
//!
//! All ranks share one heap. Most memory that a rank gets from `calloc` was never used before, and its pages are
//! zeros that take no memory until they are written. The C library cannot know that and writes zeros over zeros: for
//! thousands of ranks that costs more memory than all else they have. The kernel knows which pages exist.

use std::cell::Cell;
use std::ffi::c_void;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::OnceLock;

use crate::memory::{PAGE, round_to_page};

/// The fewest and the most bytes for which this asks the kernel. Larger blocks the C library maps itself, which are zero.
const LARGE: usize = 4 * PAGE;
const VERY_LARGE: usize = 32 << 20;

/// A thread that found used pages this many times in a row asks seldom from then on.
const PATIENCE: u32 = 8;
const SELDOM: u32 = 16;

/// Pages of one request.
const AT_ONCE: usize = 64;
/// Bits of a page's entry: it is in memory, it is swapped out, it belongs to a file. Without any of them it does not exist.
const EXISTS: u64 = 7 << 61;

thread_local! {
    /// How often in a row asking gained nothing.
    static IN_VAIN: Cell<u32> = const { Cell::new(0) };
}

/// The kernel's table of the pages of this process. A child process has another.
struct PageMap {
    file: File,
    process: u32,
}

impl PageMap {
    fn of_this_process() -> Option<&'static PageMap> {
        static MAP: OnceLock<Option<PageMap>> = OnceLock::new();
        MAP.get_or_init(PageMap::open).as_ref().filter(|map| map.process == std::process::id())
    }

    /// None if the table is wrong, as in some sandboxes: the page of this variable exists.
    fn open() -> Option<PageMap> {
        let map = PageMap { file: File::open("/proc/self/pagemap").ok()?, process: std::process::id() };
        let mut words = [0; AT_ONCE];
        let here = (&raw const words) as usize / PAGE;
        let honest = map.read(here, &mut words, 1) && words[0] & EXISTS != 0;
        honest.then_some(map)
    }

    /// Reads which pages from `first` on exist. False if the table cannot be read.
    fn read(&self, first: usize, words: &mut [u64; AT_ONCE], count: usize) -> bool {
        let mut bytes = [0; AT_ONCE * size_of::<u64>()];
        let bytes = &mut bytes[..count * size_of::<u64>()];
        if self.file.read_exact_at(bytes, (first * size_of::<u64>()) as u64).is_err() {
            return false;
        }
        let (read, _) = bytes.as_chunks();
        words.iter_mut().zip(read).for_each(|(word, bytes)| *word = u64::from_ne_bytes(*bytes));
        true
    }
}

/// The address that replaces a function: this module's for the C library's `calloc`. A program with another heap keeps its own.
pub(crate) fn instead_of(function: usize) -> usize {
    let theirs = libc::calloc as *const () as usize;
    if function == theirs { calloc as *const () as usize } else { function }
}

/// `calloc`, which does not write to pages that were never used.
unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let bytes = count.checked_mul(size).filter(|bytes| (LARGE..VERY_LARGE).contains(bytes));
    match bytes.zip(page_map()) {
        // SAFETY: the memory was just allocated.
        Some((bytes, map)) => unsafe {
            let memory = libc::malloc(bytes);
            if !memory.is_null() {
                clear(memory as usize, bytes, map);
            }
            memory
        },
        // SAFETY: the C library's own, with the caller's arguments.
        None => unsafe { libc::calloc(count, size) },
    }
}

/// The kernel's table, if asking it may be worthwhile.
fn page_map() -> Option<&'static PageMap> {
    let in_vain = IN_VAIN.get();
    if in_vain >= PATIENCE && !in_vain.is_multiple_of(SELDOM) {
        IN_VAIN.set(in_vain.wrapping_add(1));
        return None;
    }
    PageMap::of_this_process()
}

/// # Safety
/// The bytes may be written.
unsafe fn clear(start: usize, bytes: usize, map: &PageMap) {
    let (end, mut at) = (start + bytes, start);
    let (mut words, mut spared) = ([0; AT_ONCE], false);
    while at < end {
        let first = round_to_page(at);
        let count = ((end - end % PAGE).saturating_sub(first) / PAGE).min(AT_ONCE);
        let known = count > 0 && map.read(first / PAGE, &mut words, count);
        // SAFETY: all of it is between `start` and `end`, as the caller vouches.
        let zero = |from: usize, until: usize| unsafe { ptr::write_bytes(from as *mut u8, 0, until - from) };
        if !known {
            zero(at, end);
            break;
        }
        zero(at, first);
        for (nth, word) in words[..count].iter().enumerate() {
            if word & EXISTS != 0 {
                zero(first + nth * PAGE, first + (nth + 1) * PAGE);
            } else {
                spared = true;
            }
        }
        at = first + count * PAGE;
    }
    IN_VAIN.set(if spared { 0 } else { IN_VAIN.get().wrapping_add(1) });
}
