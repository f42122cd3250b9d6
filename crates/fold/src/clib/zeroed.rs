//! `calloc` without writing to fresh pages, which are zero already.
//!
//! All ranks share one heap. Most memory that a rank gets from `calloc` was never used before, and its pages are
//! zeros that take no memory until they are written. The C library cannot know that and writes zeros over zeros: for
//! thousands of ranks that costs more memory than all else they have. The system knows which pages there are.

use std::cell::Cell;
use std::ffi::c_void;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::ptr;
use std::sync::OnceLock;

use crate::memory::{PAGE, round_to_page};

/// From so many bytes on the system is asked; and up to so many, for what is larger the C library asks the system for itself.
const LARGE: usize = 4 * PAGE;
const VERY_LARGE: usize = 32 << 20;

/// Who found so many times in a row that pages had been used before asks seldom from then on.
const PATIENCE: u32 = 8;
const SELDOM: u32 = 16;

/// Pages that are asked about at once.
const AT_ONCE: usize = 64;
/// A word about a page: it is in memory, it is somewhere else, it belongs to a file. Else there is none.
const EXISTS: u64 = 7 << 61;

thread_local! {
    /// How often in a row asking gained nothing.
    static IN_VAIN: Cell<u32> = const { Cell::new(0) };
}

/// What the system says of the pages of this process. A child of it has others.
struct PageMap {
    file: File,
    process: u32,
}

impl PageMap {
    fn of_this_process() -> Option<&'static PageMap> {
        static MAP: OnceLock<Option<PageMap>> = OnceLock::new();
        MAP.get_or_init(PageMap::open).as_ref().filter(|map| map.process == std::process::id())
    }

    /// None if it does not tell the truth, in a sandbox say: the page of this very variable exists.
    fn open() -> Option<PageMap> {
        let map = PageMap { file: File::open("/proc/self/pagemap").ok()?, process: std::process::id() };
        let mut words = [0; AT_ONCE];
        let here = (&raw const words) as usize / PAGE;
        let honest = map.read(here, &mut words, 1) && words[0] & EXISTS != 0;
        honest.then_some(map)
    }

    /// Says of pages from `first` on which of them exist. False if it cannot be said.
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

/// Whom to ask, if it may be worthwhile.
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
