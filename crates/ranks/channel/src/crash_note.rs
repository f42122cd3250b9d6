//! The note that a rank's process leaves in its mailbox when a signal kills it: the stack frames and the memory map.
//!
//! A signal handler writes the note, so it allocates nothing and takes no lock. The process dies right after that, and then
//! the simulator owns the mailbox. The memory map takes the place of the stores, which are empty while a line runs.

use std::ptr;
use std::sync::atomic::Ordering;

use rustix::fs::{Mode, OFlags};
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::process::Pid;

use crate::layout::{Mailbox, STORE_BYTES, STRIDE};
use crate::variable::{self, Writer};

/// The number of frames that a note holds.
pub const CRASH_FRAMES: usize = 32;

/// The note as it lies in the mailbox.
#[repr(C)]
pub(crate) struct CrashNote {
    /// The signal; zero if there is no note.
    signal: i32,
    stack_overflow: bool,
    /// How many of the frames there are.
    count: u32,
    /// Bytes of the memory map.
    map_bytes: u64,
    frames: [u64; CRASH_FRAMES],
}

/// A crash, as the simulator reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The signal.
    pub signal: i32,
    /// Did the process overflow its stack?
    pub stack_overflow: bool,
    /// The interrupted instruction, then the calls that led to it, innermost first.
    pub frames: Vec<u64>,
    /// The memory map as `/proc/PID/maps` shows it.
    pub map: String,
}

/// The place where a rank's process can leave a note.
pub struct CrashPlace {
    mailbox: Mailbox,
    process: Pid,
}

// SAFETY: the mailbox is memory of the whole process, and only a thread that ends it writes here.
unsafe impl Send for CrashPlace {}
// SAFETY: as for `Send`.
unsafe impl Sync for CrashPlace {}

impl CrashPlace {
    /// The place in the mailbox that the environment variable's value names.
    pub fn of(variable: &str) -> Option<CrashPlace> {
        let Writer::Ours(file, line) = variable::read(variable) else { return None };
        // SAFETY: only borrowed; if the number is no open file, `mmap` says so.
        let file = unsafe { std::os::fd::BorrowedFd::borrow_raw(file) };
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let offset = u64::from(line.get()) * STRIDE as u64;
        // SAFETY: a fresh mapping wherever the kernel likes touches nothing that exists.
        let base = unsafe { mmap(ptr::null_mut(), STRIDE, access, MapFlags::SHARED, file, offset) }.ok()?;
        // SAFETY: a mapping of `STRIDE` bytes that is never unmapped.
        let mailbox = unsafe { Mailbox::at(base.cast()) };
        Some(CrashPlace { mailbox, process: rustix::process::getpid() })
    }

    /// Leaves a note. May be called by a signal handler.
    ///
    /// Only the process that attached to the mailbox leaves one; a child of it, or another process of the rank, does not.
    pub fn leave(&self, signal: i32, stack_overflow: bool, frames: &[u64]) {
        let owner = self.mailbox.owner().load(Ordering::Acquire);
        let me = rustix::process::getpid();
        if me != self.process || (owner != 0 && owner != me.as_raw_nonzero().get() as u32) {
            return;
        }
        // SAFETY: this process runs, so its line has the turn; it is about to end and uses nothing else in the mailbox.
        unsafe {
            let note = &raw mut (*self.mailbox.header()).crash;
            let count = frames.len().min(CRASH_FRAMES);
            (&mut (*note).frames)[..count].copy_from_slice(&frames[..count]);
            (*note).count = count as u32;
            (*note).stack_overflow = stack_overflow;
            let stores = self.mailbox.stores();
            let room = std::slice::from_raw_parts_mut(stores.as_mut_ptr().cast::<u8>(), STORE_BYTES);
            (*note).map_bytes = read_map(room) as u64;
            (*note).signal = signal;
        }
    }
}

/// Reads the memory map of this process. Returns its length.
fn read_map(room: &mut [u8]) -> usize {
    let Ok(file) = rustix::fs::open(c"/proc/self/maps", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    else {
        return 0;
    };
    let mut length = 0;
    while let Ok(more) = rustix::io::read(&file, &mut room[length..]) {
        if more == 0 {
            break;
        }
        length += more;
    }
    length
}

/// The note in the mailbox of a process that has ended, if there is one.
pub(crate) fn read(mailbox: &Mailbox) -> Option<Crash> {
    // SAFETY: the process has ended, so the simulator owns the mailbox.
    let (note, stores) = unsafe { (&raw const (*mailbox.header()).crash, mailbox.stores()) };
    // SAFETY: as above; any bytes that the process may have written are valid numbers, and the flag is read as one.
    let (signal, count, map_bytes) = unsafe { ((*note).signal, (*note).count, (*note).map_bytes) };
    if signal == 0 {
        return None;
    }
    // SAFETY: as above.
    let stack_overflow = unsafe { (&raw const (*note).stack_overflow).cast::<u8>().read() } != 0;
    // SAFETY: as above.
    let frames = unsafe { (*note).frames };
    // SAFETY: the same memory as bytes.
    let bytes = unsafe { std::slice::from_raw_parts(stores.as_ptr().cast::<u8>(), STORE_BYTES) };
    let map = String::from_utf8_lossy(&bytes[..(map_bytes as usize).min(STORE_BYTES)]).into_owned();
    let frames = frames[..(count as usize).min(CRASH_FRAMES)].to_vec();
    Some(Crash { signal, stack_overflow, frames, map })
}
