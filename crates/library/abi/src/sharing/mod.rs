//! Shared memory: memory that exists once for all ranks.
//!
//! All of it lies in one anonymous memory file that the simulator makes. Its first [`WINDOW`] bytes back large
//! allocations of unmodified programs, over and over; behind them every place of a program that allocates shared
//! memory has a stretch of its own, of which only the pages exist that are used.
//!
//! ```text
//!  file:     │ window │ … │ place 1: 1 TiB, mostly holes │ place 2 │ …
//!  process:  arena │ place 1 │ window window windo │ place 2 │ …       everything in the arena is shared
//! ```
//!
//! Shared memory contains what the last rank has written there. MPI messages from and to it carry sizes only.

mod arena;
pub(crate) mod malloc;

use core::ffi::c_void;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_call::Call;

use crate::connection::Connection;
use crate::ground::allocator;
use arena::{SharedFile, Source};

/// The shared memory of a rank.
#[derive(Default)]
pub(crate) struct Sharing {
    /// Bytes it has in shared blocks, and the most it had.
    bytes: AtomicU64,
    peak: AtomicU64,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Numbers of places, as the simulator gave them.
    numbers: HashMap<Box<str>, u64>,
    /// The shared blocks it has, by address.
    blocks: HashMap<usize, SharedBlock>,
    /// For each memory, whether it uses each view.
    views: HashMap<Source, Vec<bool>>,
    /// Results of calls that are made only once.
    calls: HashMap<(Vec<u8>, Vec<u8>), usize>,
}

/// A block that a rank has.
struct SharedBlock {
    size: usize,
    /// The memory it is of, and which view of it.
    view: Option<(Source, usize)>,
}

/// Why there is no shared memory.
pub(crate) struct OutOfAddresses;

impl Sharing {
    /// Shared memory of a place of the program. One rank's blocks of one place at one time have different addresses but are
    /// the same memory. Folded ranks have these addresses in common.
    pub(crate) fn of_site(
        &self,
        connection: &Connection,
        size: usize,
        name: &str,
    ) -> Result<*mut c_void, OutOfAddresses> {
        let Some(file) = SharedFile::of(connection).filter(|_| size > 0) else {
            return Ok(allocator::malloc(size));
        };
        let known = self.places().numbers.get(name).copied();
        let number = known.unwrap_or_else(|| {
            let number = connection.ask(&Call::Share { site: name }).number.unwrap_or(0);
            self.places().numbers.insert(name.into(), number);
            number
        });
        let address = self.allocate(file, Source::Place(number), size).ok_or(OutOfAddresses)?;
        Ok(address as *mut c_void)
    }

    /// Memory of which some parts are shared, given as their beginnings and ends.
    pub(crate) fn in_parts(
        &self,
        connection: &Connection,
        size: usize,
        offsets: &[usize],
    ) -> Result<*mut c_void, OutOfAddresses> {
        let Some(file) = SharedFile::of(connection).filter(|_| size > 0) else {
            return Ok(allocator::malloc(size));
        };
        let (address, shared) =
            arena::make(file, |arena| arena.in_parts(size, offsets)).ok_or(OutOfAddresses)?;
        self.note(address, SharedBlock { size: shared, view: None });
        Ok(address as *mut c_void)
    }

    /// Frees memory, shared or not.
    ///
    /// # Safety
    /// `data` was allocated and is not used any more; or it is null.
    pub(crate) unsafe fn free(&self, data: *mut c_void) {
        let address = data.addr();
        if arena::may_have(address) && arena::with(|arena| arena.give_back(address)) == Some(true) {
            self.forget(address);
        } else {
            // SAFETY: by the contract above; the C library is the only other allocator.
            unsafe { allocator::free(data) }
        }
    }

    /// The most bytes the rank had in shared blocks.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// The result of this rank's call of a function with this input, if it has made the call.
    pub(crate) fn known_call(&self, key: (Vec<u8>, Vec<u8>)) -> Option<usize> {
        self.places().calls.get(&key).copied()
    }

    /// Keeps the result of a call.
    pub(crate) fn keep_call(&self, key: (Vec<u8>, Vec<u8>), data: usize) {
        self.places().calls.insert(key, data);
    }

    /// Gives the rank a block of this memory.
    fn allocate(&self, file: SharedFile, source: Source, size: usize) -> Option<usize> {
        let view = self.places().take_view(source);
        let address = arena::make(file, |arena| arena.view(source, view, size));
        match address {
            Some(address) => self.note(address, SharedBlock { size, view: Some((source, view)) }),
            None => self.places().give_view(source, view),
        }
        address
    }

    fn note(&self, address: usize, block: SharedBlock) {
        let size = block.size as u64;
        self.places().blocks.insert(address, block);
        let bytes = self.bytes.fetch_add(size, Ordering::Relaxed) + size;
        self.peak.fetch_max(bytes, Ordering::Relaxed);
    }

    fn forget(&self, address: usize) {
        let mut places = self.places();
        let Some(SharedBlock { size, view }) = places.blocks.remove(&address) else { return };
        if let Some((source, view)) = view {
            places.give_view(source, view);
        }
        self.bytes.fetch_sub(size as u64, Ordering::Relaxed);
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Is any memory of this process shared?
pub(crate) fn is_used() -> bool {
    arena::exists()
}

/// Is all of this memory shared?
pub(crate) fn is_shared(address: usize, bytes: usize) -> bool {
    arena::may_have(address) && arena::is_shared(address, bytes)
}

impl Places {
    /// The first view of this memory that this rank does not use yet.
    fn take_view(&mut self, source: Source) -> usize {
        let used = self.views.entry(source).or_default();
        let view = used.iter().position(|used| !used).unwrap_or(used.len());
        if view == used.len() {
            used.push(false);
        }
        used[view] = true;
        view
    }

    fn give_view(&mut self, source: Source, view: usize) {
        if let Some(used) = self.views.get_mut(&source) {
            used[view] = false;
        }
    }
}
