//! Address space: large reservations that cost nothing until they are touched.

use std::io;
use std::ops::Range;
use std::ptr;

/// Bytes in a page of memory (x86-64).
pub(crate) const PAGE: usize = 4096;

/// The next multiple of a page.
pub(crate) fn round_to_page(size: usize) -> usize {
    size.next_multiple_of(PAGE)
}

/// A distance between neighbours that spreads them over the cache's sets: an odd number of pages.
pub(crate) fn odd_pages(size: usize) -> usize {
    (size.div_ceil(PAGE) | 1) * PAGE
}

/// Reserved address space, freed when dropped.
pub(crate) struct Reservation {
    start: usize,
    size: usize,
}

impl Reservation {
    /// Zeroed memory with these rights (`PROT_…`), committed page by page as it is touched.
    pub(crate) fn new(size: usize, rights: libc::c_int) -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, rights, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let reservation = Self { start: start as usize, size };
        // A rank touches single pages: huge ones would multiply its memory.
        // SAFETY: advice about this value's own mapping. An old kernel may refuse it, and nothing is lost.
        unsafe { libc::madvise(start, size, libc::MADV_NOHUGEPAGE) };
        Ok(reservation)
    }

    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.size
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value alone, and all ranks in it have ended when it is dropped.
        unsafe { libc::munmap(self.start as *mut libc::c_void, self.size) };
    }
}

/// Gives whole pages of these addresses back to the system: they have the contents of their file again, or zeros.
pub(crate) fn give_back(memory: Range<usize>) {
    let (start, end) = (round_to_page(memory.start), memory.end / PAGE * PAGE);
    // SAFETY: memory of a rank, which is not used any more. Advice that the system refuses costs nothing but memory.
    unsafe { libc::madvise(start as *mut libc::c_void, end.saturating_sub(start), libc::MADV_DONTNEED) };
}

/// How many mappings this process may have, less a third that other code may need.
pub(crate) fn mappings_to_spend() -> usize {
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok();
    limit.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(65530) / 3 * 2
}

/// The pages that are not all zeros, with their offsets.
pub(crate) fn filled_pages(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let pages = bytes.chunks(PAGE).enumerate().map(|(index, page)| (index * PAGE, page));
    pages.filter(|(_, page)| page.iter().any(|&byte| byte != 0))
}

/// A copy that takes memory only for pages that are not all zeros.
pub(crate) fn sparse_copy(bytes: &[u8]) -> Vec<u8> {
    let mut copy = vec![0; bytes.len()];
    for (offset, page) in filled_pages(bytes) {
        copy[offset..offset + page.len()].copy_from_slice(page);
    }
    copy
}
