//! Makes exceptions find their handlers in instances, which the dynamic linker does not know.
//!
//! The unwinder asks `_dl_find_object` which object an address belongs to and where its unwind table is. This module defines
//! that function: addresses of instances are answered here, all others by the C library. Symbols of the main program come
//! first, so the unwinder of every library uses it.

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use mpirage_system::for_each_frame;

use crate::image::UnwindTable;
use crate::memory::Reservation;

/// The answer to `_dl_find_object`, as glibc lays it out on x86-64.
#[repr(C)]
struct Found {
    flags: u64,
    start: usize,
    end: usize,
    link_map: usize,
    eh_frame_header: usize,
    reserved: [u64; 7],
}

/// Instances side by side.
#[derive(Clone)]
struct Range {
    start: usize,
    end: usize,
    stride: usize,
    tables: Vec<UnwindTable>,
}

/// The part of an instance that has an address: the program, or a library.
struct Part {
    start: usize,
    end: usize,
    eh_frame_header: usize,
}

impl Range {
    fn part_of(&self, address: usize) -> Option<Part> {
        let instance = self.start + (address - self.start) / self.stride * self.stride;
        let index = self.tables.iter().position(|table| address < instance + table.end)?;
        let before = index.checked_sub(1).map_or(0, |before| self.tables[before].end);
        let table = self.tables[index];
        let (start, end) = (instance + before, instance + table.end);
        Some(Part { start, end, eh_frame_header: instance + table.address })
    }
}

type Find = unsafe extern "C" fn(*mut c_void, *mut Found) -> c_int;

static RANGES: RwLock<Vec<Range>> = RwLock::new(Vec::new());
/// The C library's function: 0 not looked for yet, 1 not there.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Tells the unwinder of a reservation.
pub(crate) fn register(memory: &Reservation, stride: usize, tables: &[UnwindTable]) {
    if tables.is_empty() {
        return;
    }
    let range = Range { start: memory.start(), end: memory.end(), stride, tables: tables.to_vec() };
    RANGES.write().unwrap_or_else(PoisonError::into_inner).push(range);
}

/// The reservation is about to go.
pub(crate) fn forget(memory: &Reservation) {
    RANGES.write().unwrap_or_else(PoisonError::into_inner).retain(|range| range.start != memory.start());
}

/// Does the unwinder of libraries call this function?
pub(crate) fn possible() -> bool {
    // SAFETY: looking up a symbol by a constant name.
    let asked = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr()) };
    ptr::eq(asked, _dl_find_object as *const c_void) && next().is_some()
}

/// The function for an unwinder that is part of a program.
pub(crate) fn address_of_find() -> usize {
    _dl_find_object as *const () as usize
}

/// Finds the object that contains this address.
///
/// # Safety
/// As glibc's function: `found` has room for the answer.
#[unsafe(no_mangle)]
unsafe extern "C" fn _dl_find_object(address: *mut c_void, found: *mut Found) -> c_int {
    if let Some(part) = part_of(address as usize) {
        // SAFETY: the caller's struct, as agreed with the C library.
        unsafe {
            (*found).flags = 0;
            (*found).start = part.start;
            (*found).end = part.end;
            (*found).link_map = 0;
            (*found).eh_frame_header = part.eh_frame_header;
        }
        return 0;
    }
    match next() {
        // SAFETY: the C library's function of this name, with the arguments of this call.
        Some(next) => unsafe { next(address, found) },
        None => -1,
    }
}

/// Frames above which the program is looked for.
const DEPTH: usize = 32;

/// In a signal handler: the innermost frame of the interrupted code that `is_own` accepts, at its call; `code`, the interrupted
/// instruction, if there is none.
///
/// # Safety
/// `stack` is the stack pointer of the interrupted code, and can be read from.
pub(crate) unsafe fn innermost(code: usize, stack: usize, is_own: &dyn Fn(usize) -> bool) -> usize {
    if is_own(code) {
        return code;
    }
    let (mut depth, mut found) = (0, code);
    for_each_frame(|frame| {
        // The interrupted instruction was no match, so all frames that count are calls.
        let call = frame.address.wrapping_sub(1);
        depth += 1;
        if is_own(call) {
            found = call;
        }
        if found != code || depth == DEPTH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    // A call through a bad pointer: no table knows its target, but it has left the address to return to.
    // SAFETY: by the contract above.
    let back = unsafe { (stack as *const usize).read_unaligned() }.wrapping_sub(1);
    if found == code && is_own(back) { back } else { found }
}

fn part_of(address: usize) -> Option<Part> {
    let ranges = RANGES.read().unwrap_or_else(PoisonError::into_inner);
    ranges.iter().find(|range| (range.start..range.end).contains(&address))?.part_of(address)
}

fn next() -> Option<Find> {
    let mut next = NEXT.load(Ordering::Relaxed);
    if next == 0 {
        // SAFETY: looking up a symbol by a constant name, behind this object.
        next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"_dl_find_object".as_ptr()) } as usize;
        next = next.max(1);
        NEXT.store(next, Ordering::Relaxed);
    }
    // SAFETY: the C library's function has this type.
    (next != 1).then(|| unsafe { std::mem::transmute::<usize, Find>(next) })
}
