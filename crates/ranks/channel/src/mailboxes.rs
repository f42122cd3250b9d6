//! The simulator's end: the mailboxes of all lines.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mpirage_call::wire::{Full, encode_reply, encode_service};
use mpirage_call::{LineId, RankId, Reply, Service};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::thread::futex::{self, ClockId, Timespec, WaitFlags, WaitPtr, WaitvFlags};

use crate::crash_note::{self, Crash};
#[cfg(doc)]
use crate::layout::SERVICE_BYTES;
use crate::layout::{Briefing, Disturbed, LINE, Mailbox, SIMULATOR, STRIDE};
use crate::line_requests::LineRequest;

/// The clock that measures patience.
const MONOTONIC: ClockId = ClockId::Monotonic;
/// How long a change of one of several lines may go unnoticed where the kernel cannot wait for several.
const LOOK: Duration = Duration::from_millis(1);
/// How many lines the kernel can wait for at once.
const MOST_WAITED: usize = 128;

/// How a wait for a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The simulator has the turn.
    Over,
    /// Time is up or a signal came; the line still runs, or its process has ended.
    Interrupted,
}

/// A child process has ended since a wait last looked.
static CHILD_ENDED: AtomicBool = AtomicBool::new(false);

/// The mailboxes of a run, one for each line of control.
pub struct Mailboxes {
    file: OwnedFd,
    base: *mut u8,
    /// How many lines the first mapping has room for.
    room: usize,
    /// The mailboxes of further lines, one mapping each.
    further: Vec<*mut u8>,
    /// The ranks of the open lines. The headers of the mailboxes say the same, but a rank's process can overwrite those.
    ranks: Vec<RankId>,
}

impl Mailboxes {
    /// Makes room for so many lines. Only the pages that are used exist.
    pub fn with_room_for(lines: usize) -> io::Result<Mailboxes> {
        let file = memfd_create("mpirage", MemfdFlags::empty())?;
        let length = lines * STRIDE;
        ftruncate(&file, length as u64)?;
        let base = map(&file, 0..length)?;
        Ok(Mailboxes { file, base, room: lines, further: Vec::new(), ranks: Vec::with_capacity(lines) })
    }

    /// Mailboxes for so many ranks that have one line each: line `i` belongs to rank `i`.
    pub fn of_ranks(ranks: usize, briefing: &Briefing) -> io::Result<Mailboxes> {
        let mut mailboxes = Mailboxes::with_room_for(ranks)?;
        for rank in 0..ranks as u32 {
            mailboxes.open_line(RankId::new(rank), briefing)?;
        }
        Ok(mailboxes)
    }

    /// Opens the next line. It belongs to `rank`, which finds `briefing` there.
    pub fn open_line(&mut self, rank: RankId, briefing: &Briefing) -> io::Result<LineId> {
        let line = LineId::new(self.ranks.len() as u32);
        if line.index() >= self.room {
            let start = line.index() * STRIDE;
            ftruncate(&self.file, (start + STRIDE) as u64)?;
            self.further.push(map(&self.file, start..start + STRIDE)?);
        }
        self.ranks.push(rank);
        let header = self.mailbox(line).header();
        // SAFETY: the line does not run yet, so the header is ours; the memory is mapped and aligned.
        unsafe {
            (*header).rank = rank.get();
            (*header).briefing = *briefing;
        }
        Ok(line)
    }

    /// Says something else to a line that has not started yet.
    pub fn brief(&mut self, line: LineId, briefing: &Briefing) {
        assert_eq!(self.owner(line), None, "line {line} has read its briefing");
        // SAFETY: as in `open_line`.
        unsafe { (*self.mailbox(line).header()).briefing = *briefing }
    }

    /// The rank that a line belongs to.
    pub fn rank_of(&self, line: LineId) -> RankId {
        self.ranks[line.index()]
    }

    /// Have the threads of the rank with this first line lines of their own?
    pub fn is_threaded(&self, first: LineId) -> bool {
        self.mailbox(first).shared().threaded.load(Ordering::Acquire) != 0
    }

    /// The thread of a line of a rank whose threads have lines of their own; none if it has not taken the line yet.
    pub fn thread(&self, line: LineId) -> Option<u32> {
        let first = self.mailbox(line).shared().threaded.load(Ordering::Acquire);
        if first == 0 { self.owner(line) } else { Some(first) }
    }

    /// Has the thread of this line ended?
    pub fn has_ended(&self, line: LineId) -> bool {
        self.mailbox(line).shared().ended.load(Ordering::Acquire) != 0
    }

    /// The threads that want lines, of the rank with this first line.
    pub fn line_requests(&self, first: LineId) -> Vec<LineRequest> {
        self.mailbox(first).shared().line_requests.waiting()
    }

    /// Gives a thread of the rank with this first line a line.
    pub fn give_line(&self, first: LineId, request: LineRequest, line: LineId) {
        self.mailbox(first).shared().line_requests.give(request, line);
    }

    /// Does the rank with this first line share memory with other ranks?
    pub fn shares_memory(&self, first: LineId) -> bool {
        self.mailbox(first).shared().shares_memory.load(Ordering::Acquire) != 0
    }

    /// Takes the note where the program was when [`YIELD_SIGNAL`](crate::YIELD_SIGNAL) interrupted the thread of a line.
    pub fn take_interruption(&self, line: LineId) -> Option<u64> {
        let place = self.mailbox(line).shared().interrupted_at.swap(0, Ordering::AcqRel);
        (place != 0).then_some(place)
    }

    /// Notes that the simulator has counted nanoseconds of a line's burst whose thread sleeps outside MPI.
    pub fn note_counted(&self, line: LineId, nanos: u64) {
        self.mailbox(line).shared().counted.fetch_add(nanos, Ordering::AcqRel);
    }

    /// The simulator's briefing of a line.
    pub fn briefing(&self, line: LineId) -> Briefing {
        // SAFETY: written when the line was opened and never changed.
        unsafe { (*self.mailbox(line).header()).briefing }
    }

    /// The memory file, for the ranks to inherit.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// The address of a line's mailbox in this process, for ranks that are folded into it.
    pub fn address(&self, line: LineId) -> *mut u8 {
        self.mailbox(line).header().cast()
    }

    /// Lets the line run.
    pub fn release(&self, line: LineId) {
        let mailbox = self.mailbox(line);
        let turn = mailbox.turn();
        turn.store(LINE, Ordering::Release);
        // A line that is not asleep yet sees the new value before it sleeps, so a failed wake is harmless.
        let _ = futex::wake(turn, futex::Flags::empty(), 1);
    }

    /// Does the line have the turn?
    pub fn is_running(&self, line: LineId) -> bool {
        self.mailbox(line).turn().load(Ordering::Acquire) == LINE
    }

    /// Sleeps until one of the lines gives the turn back, `patience` at most. Where the kernel cannot wait for several
    /// (Linux before 5.16), a change of any but the first is noticed a little later.
    pub fn wait_any(&self, lines: &[LineId], patience: Duration) -> Waiting {
        if let [line] = *lines {
            return self.wait(line, patience);
        }
        if lines.iter().any(|&line| !self.is_running(line)) {
            return Waiting::Over;
        }
        if CHILD_ENDED.swap(false, Ordering::AcqRel) {
            return Waiting::Interrupted;
        }
        let patience = if lines.len() > MOST_WAITED { patience.min(LOOK) } else { patience };
        match futex::waitv(&self.turns(lines), WaitvFlags::empty(), Some(&deadline(patience)), MONOTONIC) {
            Ok(_) | Err(rustix::io::Errno::AGAIN) => Waiting::Over,
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                self.wait(lines[0], patience.min(LOOK))
            }
            Err(_) => Waiting::Interrupted,
        }
    }

    /// Sleeps until the line gives the turn back, `patience` at most.
    pub fn wait(&self, line: LineId, patience: Duration) -> Waiting {
        let mailbox = self.mailbox(line);
        let turn = mailbox.turn();
        let timeout = timespec(patience);
        while turn.load(Ordering::Acquire) == LINE {
            // A child that ended before this sleep would not interrupt it.
            if CHILD_ENDED.swap(false, Ordering::AcqRel) {
                return Waiting::Interrupted;
            }
            match futex::wait(turn, futex::Flags::empty(), LINE, Some(&timeout)) {
                Ok(()) | Err(rustix::io::Errno::AGAIN) => {}
                Err(_) if turn.load(Ordering::Acquire) != LINE => {}
                Err(_) => return Waiting::Interrupted,
            }
        }
        Waiting::Over
    }

    /// The line's process has ended: the simulator takes its mailbox.
    pub fn take_back(&self, line: LineId) {
        self.mailbox(line).turn().store(SIMULATOR, Ordering::Release);
    }

    /// The note that a process which has ended left about its crash.
    pub fn crash(&mut self, line: LineId) -> Option<Crash> {
        crash_note::read(&self.own(line))
    }

    /// The process that has attached to the mailbox, if one has.
    pub fn owner(&self, line: LineId) -> Option<u32> {
        Some(self.mailbox(line).owner().load(Ordering::Acquire)).filter(|&pid| pid != 0)
    }

    /// The calls that the line has made since it was last released.
    pub fn calls(&mut self, line: LineId) -> &[u64] {
        let mailbox = self.own(line);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe {
            let words = (*mailbox.header()).outbox_words as usize;
            let outbox = mailbox.outbox();
            &outbox[..words.min(outbox.len())]
        }
    }

    /// Empties the outbox.
    pub fn forget_calls(&mut self, line: LineId) {
        let mailbox = self.own(line);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe { (*mailbox.header()).outbox_words = 0 };
    }

    /// Empties the outbox and puts a reply into the inbox. The line sees it when released.
    pub fn answer(&mut self, line: LineId, reply: &Reply) -> Result<(), Full> {
        let mailbox = self.own(line);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe {
            (*mailbox.header()).outbox_words = 0;
            encode_reply(reply, mailbox.inbox()).map(drop)
        }
    }

    /// The same with a reply or service that is encoded already.
    pub fn put(&mut self, line: LineId, encoded: &[u64]) {
        let mailbox = self.own(line);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe {
            (*mailbox.header()).outbox_words = 0;
            mailbox.inbox()[..encoded.len()].copy_from_slice(encoded);
        }
    }

    /// After a fork: the mailboxes of the first mapping belong to this process alone, at the addresses that they have.
    pub fn keep_private(&mut self) -> io::Result<()> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let (flags, length) = (MapFlags::PRIVATE | MapFlags::FIXED, self.room * STRIDE);
        // SAFETY: the new mapping takes the place of the one made in `with_room_for`, with the same contents; what is written there from
        // now on is seen by this process only, in which no reference to it is held (`&mut self`, and no line runs).
        unsafe { mmap(self.base.cast(), length, access, flags, &self.file, 0)? };
        Ok(())
    }

    /// Asks a waiting line for a service.
    pub fn serve(&mut self, line: LineId, service: &Service<'_>) -> Result<(), Full> {
        let mailbox = self.own(line);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe { encode_service(service, mailbox.inbox()).map(drop) }
    }

    /// Copies the result that the line left for a service. A service never has a larger result than [`SERVICE_BYTES`].
    pub fn served(&mut self, line: LineId, into: &mut [u8]) {
        let mailbox = self.own(line);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        into.copy_from_slice(unsafe { &mailbox.result()[..into.len()] });
    }

    /// Bursts of all lines that took longer than usual. No line runs any more.
    pub fn disturbed(&self) -> Disturbed {
        (0..self.ranks.len() as u32).map(LineId::new).fold(Disturbed::default(), |sum, line| {
            // SAFETY: inside the mapping; a line that runs against the contract can only change these numbers.
            let one = unsafe { (*self.mailbox(line).header()).disturbed };
            Disturbed {
                interrupted: sum.interrupted.and(one.interrupted),
                unusual: sum.unusual.and(one.unusual),
            }
        })
    }

    /// Leaves bytes that the line stores in its memory before its call returns. False if there is no room.
    pub fn store(&mut self, line: LineId, address: u64, bytes: &[u8]) -> bool {
        let mailbox = self.own(line);
        let words = 2 + bytes.len().div_ceil(8);
        // SAFETY: the simulator has the turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe {
            let header = mailbox.header();
            let start = (*header).store_words as usize;
            let Some(slot) = mailbox.stores().get_mut(start..start + words) else { return false };
            slot[0] = address;
            slot[1] = bytes.len() as u64;
            ptr::copy_nonoverlapping(bytes.as_ptr(), slot[2..].as_mut_ptr().cast(), bytes.len());
            (*header).store_words = (start + words) as u64;
        }
        true
    }

    /// The futexes to wait for: they change when a line no longer has the turn.
    fn turns(&self, lines: &[LineId]) -> Vec<futex::Wait> {
        let turn = |&line: &LineId| {
            let mut wait = futex::Wait::new();
            wait.val = u64::from(LINE);
            wait.uaddr = WaitPtr::new(ptr::from_ref(self.mailbox(line).turn()).cast_mut().cast());
            wait.flags = WaitFlags::SIZE_U32;
            wait
        };
        lines.iter().take(MOST_WAITED).map(turn).collect()
    }

    /// The mailbox, which the simulator must own.
    fn own(&self, line: LineId) -> Mailbox {
        let mailbox = self.mailbox(line);
        assert_eq!(mailbox.turn().load(Ordering::Acquire), SIMULATOR, "line {line} is running");
        mailbox
    }

    fn mailbox(&self, line: LineId) -> Mailbox {
        assert!(line.index() < self.ranks.len(), "line {line} is not open");
        // SAFETY: `line` is in range, so the mailbox lies within the first mapping or is one; they live as long as `self`.
        unsafe {
            match line.index().checked_sub(self.room) {
                None => Mailbox::at(self.base.add(line.index() * STRIDE)),
                Some(further) => Mailbox::at(self.further[further]),
            }
        }
    }
}

/// Maps a stretch of the file.
fn map(file: &OwnedFd, stretch: Range<usize>) -> io::Result<*mut u8> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
    let base = unsafe {
        mmap(ptr::null_mut(), stretch.len(), access, MapFlags::SHARED, file, stretch.start as u64)?
    };
    Ok(base.cast())
}

fn timespec(span: Duration) -> Timespec {
    Timespec { tv_sec: span.as_secs() as i64, tv_nsec: i64::from(span.subsec_nanos()) }
}

/// The date `patience` from now.
fn deadline(patience: Duration) -> Timespec {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the C library writes to a local variable. The clock function of rustix does not exist under valgrind.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    timespec(Duration::new(now.tv_sec as u64, now.tv_nsec as u32) + patience)
}

/// Makes the end of a child process interrupt [`Mailboxes::wait`], so that the simulator notices it at once.
pub fn interrupt_waits_when_children_end() -> io::Result<()> {
    extern "C" fn note(_: i32) {
        CHILD_ENDED.store(true, Ordering::Release);
    }
    // SAFETY: an empty action is valid; the handler only stores to an atomic, which is safe at any moment.
    let installed = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = note as extern "C" fn(i32) as usize;
        // Without SA_RESTART: the system call that is under way returns.
        action.sa_flags = libc::SA_NOCLDSTOP;
        libc::sigaction(libc::SIGCHLD, &raw const action, ptr::null_mut())
    };
    if installed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Makes the kernel kill this child when the simulator dies, also a child that never calls MPI.
pub fn kill_with_us(command: &mut Command) {
    let simulator = rustix::process::getpid();
    let in_child = move || {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // The simulator may have been killed before that.
        if rustix::process::getppid() == Some(simulator) {
            Ok(())
        } else {
            Err(io::ErrorKind::NotConnected.into())
        }
    };
    // SAFETY: two system calls and no memory, which is safe in a child between `fork` and `exec`.
    unsafe { command.pre_exec(in_child) };
}

impl Drop for Mailboxes {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length and no reference to it outlives `self`.
        let unmapped = unsafe { munmap(self.base.cast(), self.room * STRIDE) };
        debug_assert!(unmapped.is_ok());
        for &mailbox in &self.further {
            // SAFETY: as above, with the length of one mailbox.
            let unmapped = unsafe { munmap(mailbox.cast(), STRIDE) };
            debug_assert!(unmapped.is_ok());
        }
    }
}
