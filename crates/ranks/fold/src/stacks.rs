//! Stacks of ranks, side by side in one reservation, with guards between them.

use std::io;

use corosensei::stack::{Stack, StackPointer};

use crate::memory::{self, PAGE, Reservation};

/// Pages that fault instead of being memory, at no mapping of their own (Linux 6.13).
const MADV_GUARD_INSTALL: libc::c_int = 102;
/// Wider than one page: arrays on the stack skip over a single one.
const GUARD: usize = 16 * PAGE;
/// All stacks together, of the 128 TiB a process has.
const ALL: usize = 32 << 40;
/// No program can do with less.
const LEAST: usize = 64 << 10;

/// Room for a number of stacks.
pub(crate) struct Stacks {
    memory: Reservation,
    stride: usize,
    room: usize,
    guards: usize,
    guard: Guard,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    Advised,
    Mapped,
    Absent,
}

/// The bounds of one stack.
#[derive(Clone, Copy)]
pub(crate) struct RankStack {
    /// Its first address, in the guard.
    pub limit: usize,
    /// Its end; what the rank gets as arguments lies above.
    pub base: usize,
}

impl Stacks {
    /// `size` usable bytes for each rank, or less if that is too much for all.
    pub(crate) fn new(ranks: usize, size: usize, mappings: usize) -> io::Result<Self> {
        let ranks = ranks.max(1);
        let size = size.clamp(LEAST, (ALL / ranks).max(LEAST));
        let (memory, stride) = reserve(ranks, size)?;
        let guard = if advise(memory.start()) { Guard::Advised } else { Guard::Mapped };
        Ok(Self { memory, stride, room: ranks, guards: mappings, guard })
    }

    /// The stack of a rank.
    pub(crate) fn stack(&mut self, rank: usize) -> io::Result<RankStack> {
        if rank >= self.room {
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, "more ranks than were announced"));
        }
        let limit = self.memory.start() + rank * self.stride;
        self.guard(limit);
        Ok(RankStack { limit, base: limit + self.stride })
    }

    /// Installs a guard in the best way that is left.
    fn guard(&mut self, limit: usize) {
        let done = match self.guard {
            Guard::Advised => advise(limit),
            Guard::Mapped if self.guards >= 2 => protect(limit),
            _ => false,
        };
        if !done {
            self.guard = Guard::Absent;
        } else if self.guard == Guard::Mapped {
            self.guards -= 2;
        }
    }
}

impl RankStack {
    /// Is an access to `address` with this stack pointer an overflow? Large frames skip the guard.
    pub(crate) fn overflown(&self, address: usize, pointer: usize) -> bool {
        (self.limit..self.bottom()).contains(&address) || !(self.bottom()..=self.base).contains(&pointer)
    }

    /// The lowest address the rank may use.
    pub(crate) fn bottom(&self) -> usize {
        self.limit + GUARD
    }
}

// SAFETY: the bounds are those of memory that stays as long as the coroutines; the guard is there as far as the
// system allows, and each turn checks the stack pointer.
unsafe impl Stack for RankStack {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.base).unwrap_or(StackPointer::MIN)
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.limit).unwrap_or(StackPointer::MIN)
    }
}

/// Where the system counts address space as memory, smaller stacks may fit.
fn reserve(ranks: usize, mut size: usize) -> io::Result<(Reservation, usize)> {
    loop {
        let stride = memory::odd_pages(size + GUARD);
        match Reservation::new(stride * ranks, libc::PROT_READ | libc::PROT_WRITE) {
            Ok(memory) => return Ok((memory, stride)),
            Err(error) if size <= LEAST => return Err(error),
            Err(_) => size = (size / 2).max(LEAST),
        }
    }
}

fn advise(limit: usize) -> bool {
    // SAFETY: pages at the end of a stack that no rank has used yet.
    unsafe { libc::madvise(limit as *mut libc::c_void, GUARD, MADV_GUARD_INSTALL) == 0 }
}

fn protect(limit: usize) -> bool {
    // SAFETY: as above.
    unsafe { libc::mprotect(limit as *mut libc::c_void, GUARD, libc::PROT_NONE) == 0 }
}
