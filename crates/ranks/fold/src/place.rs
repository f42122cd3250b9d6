//! Instances of a program in memory.
//!
//! As long as the system allows a mapping for each, an instance is a private mapping of one memory file with the prepared
//! image: code and constants exist once. Beyond that, instances are copied into one reservation.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::ptr;
use std::rc::Rc;

use crate::image::Segment;
use crate::link::{Linked, Program};
use crate::memory::{self, PAGE, Reservation, round_to_page};
use crate::unwind;

/// Below this, `.bss` is part of the memory file: one mapping per instance instead of two.
const SMALL_BSS: usize = 64 << 10;
/// Address space is reserved in pieces of at most this size.
const CHUNK: usize = 1 << 40;
const RIGHTS: libc::c_int = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;

/// All instances of one program.
pub(crate) struct Instances {
    program: Rc<Program>,
    stride: usize,
    expected: usize,
    chunks: Vec<Chunk>,
    way: Way,
    /// Writing to code and constants is a fault, as in a process.
    protected: bool,
}

struct Chunk {
    memory: Reservation,
    room: usize,
    used: usize,
}

enum Way {
    /// A memory file with the first bytes of an instance.
    Mapped(OwnedFd, usize),
    Copied,
}

impl Instances {
    /// Prepares for about this many, each of which may take `mappings`.
    pub(crate) fn new(linked: &Linked, expected: usize, mappings: usize) -> Self {
        let program = Rc::clone(&linked.0);
        let stride = memory::odd_pages(program.size);
        let small = program.size - program.contents.len() <= SMALL_BSS;
        let enough = if small { 1 } else { 2 };
        let size = if small { stride } else { round_to_page(program.contents.len()) };
        let file = if mappings >= enough { prepare(&program, size).ok() } else { None };
        let way = file.map_or(Way::Copied, |file| Way::Mapped(file, size));
        let protected = mappings >= enough + program.segments.len();
        Self { program, stride, expected, chunks: Vec::new(), way, protected }
    }

    pub(crate) fn is_of(&self, linked: &Linked) -> bool {
        Rc::ptr_eq(&self.program, &linked.0)
    }

    /// Loads one more instance and says where it is.
    pub(crate) fn place(&mut self) -> io::Result<usize> {
        let base = self.room()?;
        let mapped = self.map(base);
        // SAFETY: the instance's memory belongs to this crate, and no rank runs in it yet.
        unsafe {
            if mapped == 0 {
                copy(&self.program, base);
            }
            copy_tail(&self.program, base, mapped);
        }
        for based in &self.program.based {
            // SAFETY: the places of relocations were checked to lie inside the instance, in which no rank runs yet.
            unsafe { ((base + based.offset) as *mut usize).write_unaligned(base.wrapping_add(based.value)) };
        }
        if self.protected {
            self.program
                .segments
                .iter()
                .filter(|segment| !segment.writable)
                .for_each(|segment| protect(segment, base));
        }
        Ok(base)
    }

    /// Maps an instance, if that is the way, and says how much of it. When the system has enough of mappings, the rest is
    /// copied.
    fn map(&mut self, base: usize) -> usize {
        let Way::Mapped(file, size) = &self.way else { return 0 };
        if map(file, base, *size).is_ok() {
            return *size;
        }
        self.way = Way::Copied;
        0
    }

    /// Address space for one more.
    fn room(&mut self) -> io::Result<usize> {
        if self.chunks.last().is_none_or(|chunk| chunk.used == chunk.room) {
            self.chunks.push(self.chunk()?);
        }
        let chunk = self.chunks.last_mut().ok_or(io::ErrorKind::OutOfMemory)?;
        chunk.used += 1;
        Ok(chunk.memory.start() + (chunk.used - 1) * self.stride)
    }

    fn chunk(&self) -> io::Result<Chunk> {
        let placed: usize = self.chunks.iter().map(|chunk| chunk.used).sum();
        let room = self.expected.saturating_sub(placed).clamp(1, (CHUNK / self.stride).max(1));
        let memory = Reservation::new(room * self.stride, RIGHTS)?;
        unwind::register(&memory, self.stride, &self.program.unwind_tables);
        Ok(Chunk { memory, room, used: 0 })
    }
}

impl Drop for Instances {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            unwind::forget(&chunk.memory);
        }
    }
}

/// A memory file with the template, holes where nothing is.
fn prepare(program: &Program, size: usize) -> io::Result<OwnedFd> {
    // SAFETY: a plain system call with a constant string.
    let file = unsafe { libc::memfd_create(c"mpirage-image".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and has no other owner.
    let file = unsafe { std::fs::File::from_raw_fd(file) };
    file.set_len(size as u64)?;
    for (offset, page) in memory::filled_pages(&program.contents) {
        file.write_all_at(page, offset as u64)?;
    }
    if program.tail.offset + program.tail.bytes.len() <= size {
        file.write_all_at(&program.tail.bytes, program.tail.offset as u64)?;
    }
    Ok(file.into())
}

fn map(file: &OwnedFd, base: usize, size: usize) -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: the range lies in this crate's reservation, at an instance that no rank uses yet.
    let mapped = unsafe { libc::mmap(base as *mut libc::c_void, size, RIGHTS, flags, file.as_raw_fd(), 0) };
    if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Takes the right to write away. Where that fails, the program runs all the same.
fn protect(segment: &Segment, base: usize) {
    let start = (base + segment.address) / PAGE * PAGE;
    let size = base + segment.address + segment.memory_size - start;
    let rights = if segment.executable { libc::PROT_READ | libc::PROT_EXEC } else { libc::PROT_READ };
    // SAFETY: pages of an instance of this crate; nothing that is written to shares them, as the linker has laid them out.
    unsafe { libc::mprotect(start as *mut libc::c_void, size, rights) };
}

/// Copies what a program needs to run, page by page, leaving out what is zero.
///
/// # Safety
/// The instance at `base` belongs to the caller and is zero.
unsafe fn copy(program: &Program, base: usize) {
    let unused = program.unused / PAGE * PAGE;
    for (offset, page) in memory::filled_pages(&program.contents).filter(|(offset, _)| *offset >= unused) {
        // SAFETY: the contents fit into the instance, as the caller vouches.
        unsafe { ptr::copy_nonoverlapping(page.as_ptr(), (base + offset) as *mut u8, page.len()) };
    }
}

/// Copies the initial variables, unless the first `mapped` bytes have them.
///
/// # Safety
/// The instance at `base` belongs to the caller.
unsafe fn copy_tail(program: &Program, base: usize, mapped: usize) {
    let tail = &program.tail;
    if tail.offset + tail.bytes.len() > mapped {
        // SAFETY: the tail lies inside the instance.
        unsafe {
            ptr::copy_nonoverlapping(tail.bytes.as_ptr(), (base + tail.offset) as *mut u8, tail.bytes.len())
        };
    }
}
