//! Memory that ranks map at addresses of their choice.
//!
//! Folded ranks share one address space, so two of them cannot map private memory at the same fixed address. The second rank that
//! tries ends with a message. A rank may map over memory that it already has.

use std::ffi::{c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::open_files::real;
use super::{Function, functions};
use crate::current;

/// Memory at a fixed address that was free before a rank mapped it.
struct Fixed {
    place: Range<usize>,
    rank: u32,
}

static FIXED: Mutex<Vec<Fixed>> = Mutex::new(Vec::new());

unsafe extern "C" {
    fn dprintf(file: c_int, format: *const std::ffi::c_char, ...) -> c_int;
}

pub(super) fn functions() -> Vec<Function> {
    functions! { mmap => mmap, mmap64 => mmap, mremap => mremap, munmap => munmap }
}

unsafe extern "C" fn mmap(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    number: c_int,
    offset: i64,
) -> *mut c_void {
    if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) != 0 {
        claim(address as usize, size);
    }
    // SAFETY: the program's arguments.
    unsafe { libc::mmap(address, size, protection, flags, real(number), offset) }
}

unsafe extern "C" fn mremap(
    from: *mut c_void,
    old_size: usize,
    size: usize,
    flags: c_int,
    to: *mut c_void,
) -> *mut c_void {
    if flags & libc::MREMAP_FIXED != 0 {
        claim(to as usize, size);
    }
    // SAFETY: the program's arguments.
    unsafe { libc::mremap(from, old_size, size, flags, to) }
}

unsafe extern "C" fn munmap(address: *mut c_void, size: usize) -> c_int {
    release(&(address as usize..(address as usize).saturating_add(size)));
    // SAFETY: the program's arguments.
    unsafe { libc::munmap(address, size) }
}

/// Notes that the rank that runs maps memory at this address. Ends the rank if another one has mapped memory there.
fn claim(address: usize, size: usize) {
    let place = address..address.saturating_add(size);
    let rank = this_rank();
    let mut fixed = FIXED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(other) = fixed.iter().find(|fixed| fixed.rank != rank && overlap(&fixed.place, &place)) {
        let owner = other.rank;
        drop(fixed);
        refuse(rank, address, owner);
    }
    if is_free(&place) {
        fixed.push(Fixed { place, rank });
    }
}

/// Forgets what was mapped at fixed addresses within a place.
fn release(place: &Range<usize>) {
    let mut fixed = FIXED.lock().unwrap_or_else(PoisonError::into_inner);
    let released = fixed.extract_if(.., |fixed| overlap(&fixed.place, place)).collect::<Vec<_>>();
    for Fixed { place: old, rank } in released {
        let rest = [old.start..place.start.max(old.start), place.end.min(old.end)..old.end];
        fixed.extend(rest.into_iter().filter(|rest| !rest.is_empty()).map(|place| Fixed { place, rank }));
    }
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// True if nothing of this process lies there.
fn is_free(place: &Range<usize>) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    let start = place.start as *mut c_void;
    // SAFETY: maps free addresses, which no code uses, and frees them again.
    unsafe {
        let mapped = libc::mmap(start, place.len(), libc::PROT_NONE, flags, -1, 0);
        mapped != libc::MAP_FAILED && libc::munmap(mapped, place.len()) == 0
    }
}

fn this_rank() -> u32 {
    let rank = current::get();
    // SAFETY: the rank that runs, if one does.
    if rank.is_null() { u32::MAX } else { unsafe { (*rank).number } }
}

fn refuse(rank: u32, address: usize, owner: u32) -> ! {
    let text = c"mpirage: rank %u maps memory at the fixed address %#zx, where rank %u has memory of its own: folded ranks share one address space; use --ranks-as processes\n";
    // SAFETY: the text takes these three numbers.
    unsafe {
        dprintf(2, text.as_ptr(), rank as c_uint, address, owner as c_uint);
        libc::abort()
    }
}
