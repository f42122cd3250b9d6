//! The addresses of shared memory in this process, and what is mapped there.
//!
//! One stretch of addresses is set aside at the first need, so that one comparison tells shared memory from other memory.
//! Blocks with private parts lie outside of it. Folded ranks have the arena in common.

use core::ffi::c_void;
use core::ops::Range;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use libc::{MAP_ANONYMOUS, MAP_FAILED, MAP_FIXED, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED};
use libc::{PROT_NONE, PROT_READ, PROT_WRITE, off_t};

use mpirage_channel::SHARED_FILE_BYTES;

use crate::connection::Connection;

/// Bytes that back all large allocations of unmodified programs.
const WINDOW: usize = 16 << 20;
/// Bytes of the file that a place of the program has for itself.
const PLACE: u64 = 1 << 40;
/// Bytes of addresses to set aside; fewer where a limit forbids that.
const ADDRESSES: usize = 1 << 44;
const FEWEST_ADDRESSES: usize = 1 << 32;
/// The unit of mappings.
const PAGE: usize = 4096;

/// The arena's first address and the one behind its last, once it is there.
static BASE: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
/// How many blocks with private parts there are.
static IN_PARTS: AtomicUsize = AtomicUsize::new(0);
static ARENA: Mutex<Option<Arena>> = Mutex::new(None);

/// The memory file that the simulator made.
#[derive(Clone, Copy)]
pub(super) struct SharedFile {
    descriptor: i32,
    /// The simulator's process, where the descriptor is open too.
    simulator: u32,
}

pub(super) struct Arena {
    file: SharedFile,
    /// The first address that was never used.
    next: usize,
    end: usize,
    blocks: BTreeMap<usize, Block>,
    /// The largest mapping of each view.
    views: BTreeMap<(Source, usize), Range<usize>>,
}

/// The memory behind a view. A rank that wants the same memory again while it still has it gets another view,
/// with addresses of its own; another rank gets the same view. Views stay, since they cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Source {
    /// A place of the program, by its number.
    Place(u64),
    /// The window, for blocks of this length and alignment.
    Window { length: usize, alignment: usize },
}

struct Block {
    length: usize,
    kind: BlockKind,
}

enum BlockKind {
    /// All of it is shared.
    View,
    /// These parts of it are shared.
    InParts(Vec<Range<usize>>),
}

/// Works on the arena, which is made of `file` at the first need.
pub(super) fn make<T>(file: SharedFile, work: impl FnOnce(&mut Arena) -> T) -> T {
    let mut arena = ARENA.lock().unwrap_or_else(PoisonError::into_inner);
    work(arena.get_or_insert_with(|| Arena::new(file)))
}

/// Works on the arena if it exists.
pub(super) fn with<T>(work: impl FnOnce(&mut Arena) -> T) -> Option<T> {
    ARENA.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(work)
}

/// Does the arena exist?
pub(super) fn exists() -> bool {
    END.load(Ordering::Relaxed) > 0
}

/// Can this address be in a shared block?
pub(super) fn may_have(address: usize) -> bool {
    in_arena(address) || IN_PARTS.load(Ordering::Relaxed) > 0
}

/// Is all of this memory shared?
pub(super) fn is_shared(address: usize, bytes: usize) -> bool {
    let Some(last) = bytes.checked_sub(1) else { return false };
    in_arena(address) && in_arena(address + last)
        || IN_PARTS.load(Ordering::Relaxed) > 0
            && with(|arena| arena.shares(address..address + bytes)) == Some(true)
}

fn in_arena(address: usize) -> bool {
    address >= BASE.load(Ordering::Relaxed) && address < END.load(Ordering::Relaxed)
}

impl SharedFile {
    /// The file of a rank's simulator, if there is one.
    pub(super) fn of(connection: &Connection) -> Option<SharedFile> {
        let (descriptor, simulator) = (connection.briefing().shared_file, connection.briefing().simulator);
        (connection.is_simulated() && descriptor >= 0).then_some(SharedFile { descriptor, simulator })
    }

    /// Uses the file. A program may have closed the descriptor that it inherited, and opened another file under that number:
    /// then the simulator's own descriptor leads to the file.
    fn with_descriptor(self, work: impl FnOnce(i32) -> bool) -> bool {
        if is_shared_file(self.descriptor) {
            return work(self.descriptor);
        }
        let path = format!("/proc/{}/fd/{}", self.simulator, self.descriptor);
        let Ok(file) = File::options().read(true).write(true).open(path) else { return false };
        is_shared_file(file.as_raw_fd()) && work(file.as_raw_fd())
    }
}

impl Arena {
    fn new(file: SharedFile) -> Arena {
        let mut length = ADDRESSES;
        let mut base = set_aside(length);
        while base.is_none() && length > FEWEST_ADDRESSES {
            length /= 2;
            base = set_aside(length);
        }
        // Without addresses the arena is empty, and every allocation fails.
        let base = base.unwrap_or(0);
        let end = if base == 0 { 0 } else { base + length };
        BASE.store(base, Ordering::Relaxed);
        END.store(end, Ordering::Relaxed);
        Arena { file, next: base, end, blocks: BTreeMap::new(), views: BTreeMap::new() }
    }

    /// The addresses of a view of at least so many bytes.
    pub(super) fn view(&mut self, source: Source, view: usize, size: usize) -> Option<usize> {
        if let Some(mapped) = self.views.get(&(source, view)).filter(|mapped| mapped.len() >= size) {
            return Some(mapped.start);
        }
        let (length, alignment) = match source {
            Source::Place(_) => (rounded(size).filter(|&length| length as u64 <= PLACE)?, PAGE),
            Source::Window { length, alignment } => (length, alignment),
        };
        let addresses = self.take(length, alignment)?;
        let mapped = match source {
            Source::Place(number) => map_file(addresses.start, length, self.file, number * PLACE),
            Source::Window { .. } => map_window(addresses.clone(), self.file),
        };
        if !mapped {
            return None;
        }
        self.blocks.insert(addresses.start, Block { length, kind: BlockKind::View });
        let start = addresses.start;
        self.views.insert((source, view), addresses);
        Some(start)
    }

    /// A block with private and shared parts, and how many bytes of it are shared.
    pub(super) fn in_parts(&mut self, size: usize, offsets: &[usize]) -> Option<(usize, usize)> {
        let length = rounded(size)?;
        let address = map_private(length)?;
        let mut parts = Vec::new();
        for part in offsets.chunks_exact(2) {
            let inner = part[0].next_multiple_of(PAGE)..part[1] / PAGE * PAGE;
            if inner.is_empty() {
                continue;
            }
            let part = address + inner.start..address + inner.end;
            if !map_window(part.clone(), self.file) {
                unmap(address, length);
                return None;
            }
            parts.push(part);
        }
        let shared = parts.iter().map(ExactSizeIterator::len).sum();
        self.blocks.insert(address, Block { length, kind: BlockKind::InParts(parts) });
        IN_PARTS.fetch_add(1, Ordering::Relaxed);
        Some((address, shared))
    }

    /// Bytes of the block that begins here, if one does.
    pub(super) fn length(&self, address: usize) -> Option<usize> {
        self.blocks.get(&address).map(|block| block.length)
    }

    /// A rank does not need the block any more. False if no block begins here.
    pub(super) fn give_back(&mut self, address: usize) -> bool {
        let Some(block) = self.blocks.get(&address) else { return false };
        if let BlockKind::InParts(_) = block.kind {
            unmap(address, block.length);
            self.blocks.remove(&address);
            IN_PARTS.fetch_sub(1, Ordering::Relaxed);
        }
        true
    }

    fn shares(&self, wanted: Range<usize>) -> bool {
        let Some((_, block)) = self.blocks.range(..=wanted.start).next_back() else { return false };
        let BlockKind::InParts(parts) = &block.kind else { return false };
        parts.iter().any(|part| part.start <= wanted.start && wanted.end <= part.end)
    }

    /// Addresses that are not used.
    fn take(&mut self, length: usize, alignment: usize) -> Option<Range<usize>> {
        let start = self.next.checked_next_multiple_of(alignment)?;
        let end = start.checked_add(length).filter(|&end| end <= self.end)?;
        self.next = end;
        Some(start..end)
    }
}

impl Source {
    /// The window for an allocation. Lengths are coarse, so that there are few: at most an eighth more than is wanted.
    pub(super) fn window(size: usize, alignment: usize) -> Option<Source> {
        let step = (size.checked_next_power_of_two()? / 16).max(PAGE);
        Some(Source::Window { length: size.checked_next_multiple_of(step)?, alignment: alignment.max(PAGE) })
    }
}

fn rounded(size: usize) -> Option<usize> {
    size.checked_next_multiple_of(PAGE)
}

fn set_aside(length: usize) -> Option<usize> {
    map(0, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
}

fn map_private(length: usize) -> Option<usize> {
    map(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
}

fn map_file(address: usize, length: usize, file: SharedFile, offset: u64) -> bool {
    let (access, flags) = (PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE);
    file.with_descriptor(|file| map(address, length, access, flags, file, offset as off_t).is_some())
}

fn is_shared_file(number: i32) -> bool {
    // SAFETY: an empty status is valid, and only borrowed; if the number is no open file, the call says so.
    unsafe {
        let mut status: libc::stat = core::mem::zeroed();
        libc::fstat(number, &raw mut status) == 0 && status.st_size as u64 == SHARED_FILE_BYTES
    }
}

/// Maps the window to all of these addresses, over and over.
fn map_window(addresses: Range<usize>, file: SharedFile) -> bool {
    let end = addresses.end;
    addresses.step_by(WINDOW).all(|address| map_file(address, WINDOW.min(end - address), file, 0))
}

fn map(address: usize, length: usize, access: i32, flags: i32, file: i32, offset: off_t) -> Option<usize> {
    // SAFETY: at an address of the kernel's choice, or at one of the arena's or of a block that is not in use.
    let mapped = unsafe { libc::mmap(address as *mut c_void, length, access, flags, file, offset) };
    (mapped != MAP_FAILED && !mapped.is_null()).then(|| mapped.addr())
}

fn unmap(address: usize, length: usize) {
    // SAFETY: a block of the arena that is not used any more.
    let unmapped = unsafe { libc::munmap(address as *mut c_void, length) };
    debug_assert_eq!(unmapped, 0);
}
