//! The simulator's end: the mailboxes of all ranks.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mpirage_call::wire::{Full, encode_reply, encode_service};
use mpirage_call::{Reply, Service};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::thread::futex::{self, ClockId, Timespec, WaitFlags, WaitPtr, WaitvFlags};

use crate::crash_note::{self, Crash};
#[cfg(doc)]
use crate::layout::SERVICE_BYTES;
use crate::layout::{Briefing, Disturbed, Mailbox, RANK, SIMULATOR, STRIDE};

/// The clock that patience is measured with.
const MONOTONIC: ClockId = ClockId::Monotonic;
/// How long a change of one of several ranks may go unnoticed where the kernel cannot wait for several.
const LOOK: Duration = Duration::from_millis(1);
/// How many ranks the kernel can wait for at once.
const MOST_WAITED: usize = 128;

/// How a wait for a rank ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It is the simulator's turn.
    Over,
    /// Time is up or a signal came; the rank still runs, or is no more.
    Interrupted,
}

/// A child process has ended since a wait last looked.
static CHILD_ENDED: AtomicBool = AtomicBool::new(false);

/// The mailboxes of all ranks of a run.
pub struct Fleet {
    file: OwnedFd,
    base: *mut u8,
    ranks: usize,
}

impl Fleet {
    /// Makes the mailboxes of `ranks` ranks; each rank is to find `briefing`.
    pub fn new(ranks: usize, briefing: &Briefing) -> io::Result<Fleet> {
        let file = memfd_create("mpirage", MemfdFlags::empty())?;
        let length = ranks * STRIDE;
        ftruncate(&file, length as u64)?;
        // SAFETY: a fresh mapping wherever the kernel likes touches nothing that exists.
        let base = unsafe {
            mmap(ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0)?
        };
        let fleet = Fleet { file, base: base.cast(), ranks };
        for rank in 0..ranks {
            let header = fleet.mailbox(rank).header();
            // SAFETY: no rank exists yet, so the header is ours; the memory is mapped and aligned.
            unsafe { (*header).briefing = *briefing };
        }
        Ok(fleet)
    }

    /// The memory file, for the ranks to inherit.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Where a rank's mailbox is in this process, for a rank that is folded into it.
    pub fn address(&self, rank: usize) -> *mut u8 {
        self.mailbox(rank).header().cast()
    }

    /// Lets the rank run.
    pub fn release(&self, rank: usize) {
        let mailbox = self.mailbox(rank);
        let turn = mailbox.turn();
        turn.store(RANK, Ordering::Release);
        // A rank that is not asleep yet sees the new value before it sleeps, so a failed wake is harmless.
        let _ = futex::wake(turn, futex::Flags::empty(), 1);
    }

    /// Does the rank have the turn?
    pub fn is_running(&self, rank: usize) -> bool {
        self.mailbox(rank).turn().load(Ordering::Acquire) == RANK
    }

    /// Sleeps until one of the ranks gives the turn back, `patience` at most. Where the kernel cannot wait for several
    /// (Linux before 5.16), a change of any but the first is noticed a little later.
    pub fn wait_any(&self, ranks: &[u32], patience: Duration) -> Waiting {
        if let [rank] = *ranks {
            return self.wait(rank as usize, patience);
        }
        if ranks.iter().any(|&rank| !self.is_running(rank as usize)) {
            return Waiting::Over;
        }
        if CHILD_ENDED.swap(false, Ordering::AcqRel) {
            return Waiting::Interrupted;
        }
        match futex::waitv(&self.turns(ranks), WaitvFlags::empty(), Some(&deadline(patience)), MONOTONIC) {
            Ok(_) | Err(rustix::io::Errno::AGAIN) => Waiting::Over,
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                self.wait(ranks[0] as usize, patience.min(LOOK))
            }
            Err(_) => Waiting::Interrupted,
        }
    }

    /// Sleeps until the rank gives the turn back, `patience` at most.
    pub fn wait(&self, rank: usize, patience: Duration) -> Waiting {
        let mailbox = self.mailbox(rank);
        let turn = mailbox.turn();
        let timeout = timespec(patience);
        while turn.load(Ordering::Acquire) == RANK {
            // A child that ended before we sleep interrupts nothing any more.
            if CHILD_ENDED.swap(false, Ordering::AcqRel) {
                return Waiting::Interrupted;
            }
            match futex::wait(turn, futex::Flags::empty(), RANK, Some(&timeout)) {
                Ok(()) | Err(rustix::io::Errno::AGAIN) => {}
                Err(_) if turn.load(Ordering::Acquire) != RANK => {}
                Err(_) => return Waiting::Interrupted,
            }
        }
        Waiting::Over
    }

    /// The rank's process is no more: its mailbox is ours for good.
    pub fn take_back(&self, rank: usize) {
        self.mailbox(rank).turn().store(SIMULATOR, Ordering::Release);
    }

    /// What a process that is no more has left about its crash.
    pub fn crash(&mut self, rank: usize) -> Option<Crash> {
        crash_note::read(&self.own(rank))
    }

    /// Has a process attached to the mailbox yet?
    pub fn owner(&self, rank: usize) -> Option<u32> {
        Some(self.mailbox(rank).owner().load(Ordering::Acquire)).filter(|&pid| pid != 0)
    }

    /// The calls the rank has made since it was last released.
    pub fn calls(&mut self, rank: usize) -> &[u64] {
        let mailbox = self.own(rank);
        // SAFETY: it is our turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe {
            let words = (*mailbox.header()).outbox_words as usize;
            let outbox = mailbox.outbox();
            &outbox[..words.min(outbox.len())]
        }
    }

    /// Empties the outbox.
    pub fn forget_calls(&mut self, rank: usize) {
        let mailbox = self.own(rank);
        // SAFETY: it is our turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe { (*mailbox.header()).outbox_words = 0 };
    }

    /// Empties the outbox and puts a reply into the inbox; the rank sees it when released.
    pub fn answer(&mut self, rank: usize, reply: &Reply) -> Result<(), Full> {
        let mailbox = self.own(rank);
        // SAFETY: it is our turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe {
            (*mailbox.header()).outbox_words = 0;
            encode_reply(reply, mailbox.inbox()).map(drop)
        }
    }

    /// Asks a waiting rank for a service.
    pub fn serve(&mut self, rank: usize, service: &Service<'_>) -> Result<(), Full> {
        let mailbox = self.own(rank);
        // SAFETY: it is our turn (checked by `own`) and `&mut self` keeps other references away.
        unsafe { encode_service(service, mailbox.inbox()).map(drop) }
    }

    /// Copies the result that the rank left for a service. A service never has a larger result than [`SERVICE_BYTES`].
    pub fn served(&mut self, rank: usize, into: &mut [u8]) {
        let mailbox = self.own(rank);
        // SAFETY: it is our turn (checked by `own`) and `&mut self` keeps other references away.
        into.copy_from_slice(unsafe { &mailbox.result()[..into.len()] });
    }

    /// Bursts of all ranks that took far longer than usual. No rank runs any more.
    pub fn disturbances(&self) -> Disturbed {
        (0..self.ranks).fold(Disturbed::default(), |sum, rank| {
            // SAFETY: inside the mapping; a rank that runs against the contract can only spoil two numbers.
            let one = unsafe { (*self.mailbox(rank).header()).disturbances };
            Disturbed { bursts: sum.bursts + one.bursts, nanos: sum.nanos + one.nanos }
        })
    }

    /// Notes bytes for the rank to store in its memory before its call returns; false if there is no room.
    pub fn store(&mut self, rank: usize, address: u64, bytes: &[u8]) -> bool {
        let mailbox = self.own(rank);
        let words = 2 + bytes.len().div_ceil(8);
        // SAFETY: it is our turn (checked by `own`) and `&mut self` keeps other references away.
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

    /// What to wait for: that ranks no longer have the turn.
    fn turns(&self, ranks: &[u32]) -> Vec<futex::Wait> {
        let turn = |&rank: &u32| {
            let mut wait = futex::Wait::new();
            wait.val = u64::from(RANK);
            wait.uaddr = WaitPtr::new(ptr::from_ref(self.mailbox(rank as usize).turn()).cast_mut().cast());
            wait.flags = WaitFlags::SIZE_U32;
            wait
        };
        ranks.iter().take(MOST_WAITED).map(turn).collect()
    }

    /// The mailbox, asserted to be ours.
    fn own(&self, rank: usize) -> Mailbox {
        let mailbox = self.mailbox(rank);
        assert_eq!(mailbox.turn().load(Ordering::Acquire), SIMULATOR, "rank {rank} is running");
        mailbox
    }

    fn mailbox(&self, rank: usize) -> Mailbox {
        assert!(rank < self.ranks);
        // SAFETY: `rank` is in range, so the mailbox lies within the mapping, which lives as long as `self`.
        unsafe { Mailbox::at(self.base.add(rank * STRIDE)) }
    }
}

fn timespec(span: Duration) -> Timespec {
    Timespec { tv_sec: span.as_secs() as i64, tv_nsec: i64::from(span.subsec_nanos()) }
}

/// `patience` from now.
fn deadline(patience: Duration) -> Timespec {
    // Asked of the C library: what rustix calls is not there under valgrind.
    let now = nix::time::ClockId::CLOCK_MONOTONIC.now().map(Duration::from).unwrap_or_default();
    timespec(now + patience)
}

/// Makes the end of a child process interrupt [`Fleet::wait`], so that it is noticed at once.
pub fn interrupt_waits_when_children_end() -> io::Result<()> {
    extern "C" fn note(_: i32) {
        CHILD_ENDED.store(true, Ordering::Release);
    }
    // Without SA_RESTART: the system call that is under way returns.
    let action = SigAction::new(SigHandler::Handler(note), SaFlags::SA_NOCLDSTOP, SigSet::empty());
    // SAFETY: the handler only stores to an atomic, which is safe at any moment.
    unsafe { sigaction(Signal::SIGCHLD, &action) }?;
    Ok(())
}

/// Whatever kills the simulator kills this child too, also one that never calls MPI.
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

impl Drop for Fleet {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length and no reference to it outlives `self`.
        let unmapped = unsafe { munmap(self.base.cast(), self.ranks * STRIDE) };
        debug_assert!(unmapped.is_ok());
    }
}
