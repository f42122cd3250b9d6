//! Memory folding: memory that exists once for all ranks.
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
//! What is in shared memory is whatever the last rank has written there. MPI does not copy it either.

mod arena;
pub(crate) mod malloc;

use core::ffi::c_void;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpirage_call::Call;

use crate::allocator;
use crate::{connection, library, rank};
use arena::Source;

/// What a rank knows of shared memory.
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
    blocks: HashMap<usize, Held>,
    /// Which views of each memory it uses.
    views: HashMap<Source, Vec<bool>>,
    /// What calls gave that are made once.
    calls: HashMap<(Vec<u8>, Vec<u8>), usize>,
}

/// A block that a rank has.
struct Held {
    size: usize,
    /// The memory it is of, and which view of it.
    view: Option<(Source, usize)>,
}

/// Shared memory of a place of the program. What one rank has of one place at one time has different addresses but is the
/// same memory; folded ranks have these addresses in common.
pub(crate) fn of_site(size: usize, name: &str) -> *mut c_void {
    let line = connection::line();
    if !line.simulated || line.briefing.shared_file < 0 || size == 0 {
        return allocator::malloc(size);
    }
    let known = places().numbers.get(name).copied();
    let number = known.unwrap_or_else(|| {
        let number = connection::ask(&Call::Share { site: name }).number.unwrap_or(0);
        places().numbers.insert(name.into(), number);
        number
    });
    match allocate(Source::Place(number), size) {
        Some(address) => address as *mut c_void,
        None => out_of_memory("SMPI_SHARED_MALLOC", size),
    }
}

/// Memory of which some parts are shared, given as their beginnings and ends.
pub(crate) fn in_parts(size: usize, offsets: &[usize]) -> *mut c_void {
    let line = connection::line();
    if !line.simulated || line.briefing.shared_file < 0 || size == 0 {
        return allocator::malloc(size);
    }
    match arena::with(|arena| arena.in_parts(size, offsets)) {
        Some((address, shared)) => {
            note(address, Held { size: shared, view: None });
            address as *mut c_void
        }
        None => out_of_memory("SMPI_PARTIAL_SHARED_MALLOC", size),
    }
}

/// Gives back memory, shared or not.
///
/// # Safety
/// `data` was allocated and is not used any more; or it is null.
pub(crate) unsafe fn free(data: *mut c_void) {
    if arena::may_have(data.addr()) && arena::with(|arena| arena.give_back(data.addr())) {
        forget(data.addr());
    } else {
        // SAFETY: by the contract above; nobody else allocates.
        unsafe { allocator::free(data) }
    }
}

/// Has there been any shared memory?
pub(crate) fn is_used() -> bool {
    arena::is_there()
}

/// Is all of this memory shared?
pub(crate) fn is_shared(address: usize, bytes: usize) -> bool {
    arena::may_have(address) && arena::is_shared(address, bytes)
}

/// The most bytes this rank had in shared blocks.
pub(crate) fn peak() -> u64 {
    this().peak.load(Ordering::Relaxed)
}

/// What this rank's call of a function with this input gave, if it has been made.
pub(crate) fn known_call(key: (Vec<u8>, Vec<u8>)) -> Option<usize> {
    places().calls.get(&key).copied()
}

/// Keeps what a call gave.
pub(crate) fn keep_call(key: (Vec<u8>, Vec<u8>), data: usize) {
    places().calls.insert(key, data);
}

/// Lets this rank have a block of this memory.
fn allocate(source: Source, size: usize) -> Option<usize> {
    let view = places().take_view(source);
    let address = arena::with(|arena| arena.view(source, view, size));
    match address {
        Some(address) => note(address, Held { size, view: Some((source, view)) }),
        None => places().give_view(source, view),
    }
    address
}

/// This rank has a block more.
fn note(address: usize, block: Held) {
    let size = block.size as u64;
    places().blocks.insert(address, block);
    let bytes = this().bytes.fetch_add(size, Ordering::Relaxed) + size;
    this().peak.fetch_max(bytes, Ordering::Relaxed);
}

/// It has a block less.
fn forget(address: usize) {
    let mut places = places();
    let Some(Held { size, view }) = places.blocks.remove(&address) else { return };
    if let Some((source, view)) = view {
        places.give_view(source, view);
    }
    this().bytes.fetch_sub(size as u64, Ordering::Relaxed);
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

fn out_of_memory(function: &str, size: usize) -> ! {
    library::misuse(&format!("{function}: there is no room for {size} bytes among this process' addresses"))
}

fn this() -> &'static Sharing {
    &rank::this().sharing
}

fn places() -> MutexGuard<'static, Places> {
    this().places.lock().unwrap_or_else(PoisonError::into_inner)
}
