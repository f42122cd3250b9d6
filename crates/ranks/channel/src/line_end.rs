//! A line's end of its mailbox.

use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::ptr;
use std::sync::atomic::Ordering;

use mpirage_call::wire::{Answer, Full, WireError, decode_answer, encode_known_call, is_reply};
use mpirage_call::{Call, LineId, RankId, Reply, Service, Stamp};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::process::{Pid, Signal};
use rustix::thread::futex::{self, Timespec};
use rustix::thread::gettid;

use crate::layout::{Briefing, Disturbed, LINE, Mailbox, SIMULATOR, STRIDE};
use crate::variable::{self, Writer};

/// How often a waiting line checks that the simulator still lives.
const LIVENESS: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// Exit code of a rank whose simulator has died.
const ORPHANED: i32 = 84;

/// The role of this process, by its environment.
pub enum Attach {
    /// It is a rank of a simulation, whose first line has this end.
    Rank(LineEnd),
    /// It runs by itself.
    Alone,
    /// It is a rank of a simulator whose mailboxes this code does not know.
    OtherVersion,
}

/// Why a call could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelError {
    /// One call is larger than the mailbox.
    TooLarge,
    /// The simulator's answer makes no sense: the mailbox was overwritten.
    Garbled,
}

impl From<Full> for ChannelError {
    fn from(_: Full) -> Self {
        ChannelError::TooLarge
    }
}

impl From<WireError> for ChannelError {
    fn from(_: WireError) -> Self {
        ChannelError::Garbled
    }
}

/// The mailbox of a line, as the line uses it.
pub struct LineEnd {
    mailbox: Mailbox,
    line: LineId,
    rank: RankId,
    passing: Passing,
}

/// Opens lines for threads of a rank.
#[derive(Clone, Copy)]
pub struct LineOpener {
    /// The mailbox of the rank's first line.
    mailbox: Mailbox,
    file: RawFd,
}

impl LineOpener {
    /// Waits for a line for the calling thread, which has this number. None if its mailbox cannot be mapped.
    pub fn open(&self, thread: u32) -> Option<LineEnd> {
        let line = self.mailbox.shared().line_requests.ask(thread);
        let end = LineEnd::map(self.file, line)?;
        end.mailbox.owner().store(gettid().as_raw_nonzero().get() as u32, Ordering::Release);
        Some(end)
    }
}

// SAFETY: the opener uses only words that are atomic.
unsafe impl Send for LineOpener {}
// SAFETY: as above.
unsafe impl Sync for LineOpener {}

/// How the turn goes to the simulator and comes back.
#[derive(Clone, Copy)]
enum Passing {
    /// Through the word `turn`: the simulator is another process. The file is that of the mailboxes.
    Futex { file: RawFd },
    /// By a function that returns when the turn is back: the simulator is in this process.
    Call(extern "C" fn()),
}

/// The line of a rank that is folded into the simulator's process, and the mailbox that the line borrows.
#[derive(Clone, Copy)]
pub struct FoldedPlace {
    line: LineId,
    rank: RankId,
    mailbox: Mailbox,
    pass: extern "C" fn(),
}

// SAFETY: the mailbox is memory of the whole process; ranks that use it take turns.
unsafe impl Send for FoldedPlace {}
// SAFETY: as for `Send`; the place itself never changes.
unsafe impl Sync for FoldedPlace {}

impl FoldedPlace {
    /// A line of a rank. Its calls go to `mailbox`, and it waits by calling `pass`.
    ///
    /// # Safety
    /// `mailbox` is [`crate::Mailboxes::address`] of mailboxes that live as long as the rank, and no other code uses it while the
    /// rank runs.
    pub unsafe fn new(line: LineId, rank: RankId, mailbox: *mut u8, pass: extern "C" fn()) -> FoldedPlace {
        // SAFETY: by the contract above.
        FoldedPlace { line, rank, mailbox: unsafe { Mailbox::at(mailbox) }, pass }
    }
}

// SAFETY: the mailbox is memory of the whole process; `&mut self` methods keep threads apart.
unsafe impl Send for LineEnd {}

impl LineEnd {
    /// Attaches to the mailbox named by the environment variable's value, unless another process has it already.
    pub fn attach(variable: Option<&str>) -> Attach {
        let (file, line) = match variable.map_or(Writer::Unknown, variable::read) {
            Writer::Ours(file, line) => (file, line),
            Writer::OtherVersion => return Attach::OtherVersion,
            Writer::Unknown => return Attach::Alone,
        };
        match LineEnd::map(file, line) {
            Some(end) if end.claim() => Attach::Rank(end),
            _ => Attach::Alone,
        }
    }

    /// The end of a folded rank's line.
    pub fn folded(place: FoldedPlace) -> LineEnd {
        let FoldedPlace { line, rank, mailbox, pass } = place;
        LineEnd { mailbox, line, rank, passing: Passing::Call(pass) }
    }

    /// The line of control.
    pub fn line(&self) -> LineId {
        self.line
    }

    /// The rank that the line belongs to.
    pub fn rank(&self) -> RankId {
        self.rank
    }

    /// The simulator's briefing of the rank, written before it started.
    pub fn briefing(&self) -> Briefing {
        // SAFETY: written before this process was started and never changed.
        unsafe { (*self.mailbox.header()).briefing }
    }

    /// From now on programs that this process executes are no ranks.
    pub fn keep_from_programs(&self) {
        if let Passing::Futex { file } = self.passing {
            // SAFETY: only borrowed; if the number is no open file, the system says so.
            let _ = fcntl_setfd(unsafe { BorrowedFd::borrow_raw(file) }, FdFlags::CLOEXEC);
        }
    }

    /// From now on threads of the rank have lines of their own. The line is the rank's first, and the calling thread's.
    pub fn announce_threads(&self) {
        let thread = gettid().as_raw_nonzero().get() as u32;
        self.mailbox.shared().threaded.store(thread, Ordering::Release);
    }

    /// From now on other ranks change memory of this one. The line is the rank's first.
    pub fn announce_shared_memory(&self) {
        self.mailbox.shared().shares_memory.store(1, Ordering::Release);
    }

    /// Notes where the program was when [`YIELD_SIGNAL`](crate::YIELD_SIGNAL) interrupted the thread of the line.
    pub fn note_interruption(&self, place: u64) {
        self.mailbox.shared().interrupted_at.store(place, Ordering::Release);
    }

    /// The opener of lines for other threads of the rank; none if the rank is folded. This line must be the rank's first.
    pub fn opener(&self) -> Option<LineOpener> {
        match self.passing {
            Passing::Futex { file } => Some(LineOpener { mailbox: self.mailbox, file }),
            Passing::Call(_) => None,
        }
    }

    /// The thread of the line ends: the simulator gets its last calls, and no answer is expected.
    pub fn end(&mut self) {
        self.mailbox.shared().ended.store(1, Ordering::Relaxed);
        let turn = self.mailbox.turn();
        turn.store(SIMULATOR, Ordering::Release);
        let _ = futex::wake(turn, futex::Flags::empty(), 1);
    }

    /// Takes the nanoseconds of this line's burst that the simulator has counted while its thread slept.
    pub fn take_counted(&self) -> u64 {
        self.mailbox.shared().counted.swap(0, Ordering::AcqRel)
    }

    /// Leaves a call that needs no answer. False if the outbox is full: then [`LineEnd::post_later`] has to be called.
    #[inline(always)]
    pub fn post(&mut self, stamp: &Stamp, call: &Call<'_>) -> bool {
        self.append(stamp, call).is_ok()
    }

    /// Leaves a call that needs no answer once the simulator has emptied the outbox. `serve` as in [`LineEnd::ask`].
    #[cold]
    pub fn post_later(
        &mut self,
        stamp: &Stamp,
        call: &Call<'_>,
        serve: &mut dyn FnMut(&Service<'_>, &mut [u8]),
    ) -> Result<(), ChannelError> {
        self.flush(stamp, serve)?;
        Ok(self.append(stamp, call)?)
    }

    /// Hands over the calls that were left, and waits until the simulator has carried them out. `serve` as in [`LineEnd::ask`].
    #[cold]
    pub fn flush(
        &mut self,
        site: &Stamp,
        serve: &mut dyn FnMut(&Service<'_>, &mut [u8]),
    ) -> Result<(), ChannelError> {
        let flush = Stamp { site: site.site, function: site.function, ..Stamp::default() };
        self.append(&flush, &Call::Flush)?;
        self.wait_for_reply(serve)
    }

    /// Makes a call and waits for its answer, which [`LineEnd::read_reply`] returns. Inlined, so that its stamp is in registers.
    /// `serve` carries out what the simulator asks meanwhile and leaves the result in the slice.
    #[inline(always)]
    pub fn ask(
        &mut self,
        stamp: &Stamp,
        call: &Call<'_>,
        serve: &mut dyn FnMut(&Service<'_>, &mut [u8]),
    ) -> Result<(), ChannelError> {
        if self.append(stamp, call).is_err() {
            self.post_later(stamp, call, serve)?;
        }
        self.wait_for_reply(serve)
    }

    /// Reads the answer to the last call.
    pub fn read_reply(&mut self, reply: &mut Reply) -> Result<(), ChannelError> {
        // SAFETY: the line has the turn whenever this code runs, so the inbox belongs to the line until the next `hand_over`.
        let inbox = unsafe { self.mailbox.inbox() };
        match decode_answer(inbox, reply)?.0 {
            Answer::Done => Ok(()),
            Answer::Serve(_) => Err(ChannelError::Garbled),
        }
    }

    /// Counts a burst that an interruption made longer by so many nanoseconds, which do not count.
    #[cold]
    pub fn note_interrupted_burst(&mut self, nanos: u64) {
        self.disturbed().interrupted.add(nanos);
    }

    /// Counts a burst that took so many nanoseconds longer than usual for no known reason.
    #[cold]
    pub fn note_unusual_burst(&mut self, nanos: u64) {
        self.disturbed().unusual.add(nanos);
    }

    fn disturbed(&mut self) -> &mut Disturbed {
        // SAFETY: the line has the turn whenever this code runs, and `&mut self` keeps other references away.
        unsafe { &mut (*self.mailbox.header()).disturbed }
    }

    /// Have calls been made since the last answer?
    pub fn has_calls(&self) -> bool {
        // SAFETY: the line has the turn whenever this code runs.
        unsafe { (*self.mailbox.header()).outbox_words > 0 }
    }

    #[inline(always)]
    fn append(&mut self, stamp: &Stamp, call: &Call<'_>) -> Result<(), Full> {
        // SAFETY: the line has the turn whenever this code runs, and `&mut self` keeps other references away.
        unsafe {
            let header = self.mailbox.header();
            let start = (*header).outbox_words as usize;
            // The last words stay free, so that `Flush` always fits.
            let outbox = self.mailbox.outbox();
            let end = outbox.len() - if matches!(call, Call::Flush) { 0 } else { 16 };
            let words = encode_known_call(stamp, call, &mut outbox[start.min(end)..end])?;
            (*header).outbox_words = (start + words) as u64;
        }
        Ok(())
    }

    #[inline(never)]
    fn wait_for_reply(&mut self, serve: &mut dyn FnMut(&Service<'_>, &mut [u8])) -> Result<(), ChannelError> {
        loop {
            self.hand_over();
            // SAFETY: the turn has come back, so the inbox belongs to the line until the next `hand_over`.
            let inbox = unsafe { self.mailbox.inbox() };
            if is_reply(inbox) {
                break;
            }
            self.serve(inbox, serve)?;
        }
        self.apply_stores();
        Ok(())
    }

    /// Carries out a service.
    #[cold]
    #[inline(never)]
    fn serve(
        &mut self,
        inbox: &[u64],
        serve: &mut dyn FnMut(&Service<'_>, &mut [u8]),
    ) -> Result<(), ChannelError> {
        match decode_answer(inbox, &mut Reply::new())?.0 {
            // SAFETY: the line has the turn, and `&mut self` keeps other references away.
            Answer::Serve(service) => serve(&service, unsafe { self.mailbox.result() }),
            Answer::Done => {}
        }
        Ok(())
    }

    fn hand_over(&self) {
        match self.passing {
            Passing::Futex { .. } => self.hand_over_to_a_process(),
            Passing::Call(pass) => pass(),
        }
    }

    fn hand_over_to_a_process(&self) {
        let turn = self.mailbox.turn();
        turn.store(SIMULATOR, Ordering::Release);
        let _ = futex::wake(turn, futex::Flags::empty(), 1);
        while turn.load(Ordering::Acquire) != LINE {
            let waited = futex::wait(turn, futex::Flags::empty(), SIMULATOR, Some(&LIVENESS));
            if waited == Err(rustix::io::Errno::TIMEDOUT) && !self.simulator_lives() {
                std::process::exit(ORPHANED);
            }
        }
    }

    fn simulator_lives(&self) -> bool {
        let simulator = Pid::from_raw(self.briefing().simulator as i32);
        simulator.is_none_or(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
    }

    /// Copies the bytes in the stores to their addresses.
    fn apply_stores(&mut self) {
        // SAFETY: the line has the turn. The simulator got each address and length from a call of this process that
        // gave that memory to MPI.
        unsafe {
            let header = self.mailbox.header();
            let mut rest = &self.mailbox.stores()[..(*header).store_words as usize];
            while let [address, length, tail @ ..] = rest {
                let length = *length as usize;
                ptr::copy_nonoverlapping(tail.as_ptr().cast::<u8>(), *address as *mut u8, length);
                rest = &tail[length.div_ceil(8)..];
            }
            (*header).store_words = 0;
        }
    }

    fn map(file: RawFd, line: LineId) -> Option<LineEnd> {
        // SAFETY: only borrowed; if the number is no open file, `mmap` says so.
        let mailboxes = unsafe { BorrowedFd::borrow_raw(file) };
        let offset = u64::from(line.get()) * STRIDE as u64;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a fresh mapping wherever the kernel likes touches nothing that exists.
        let base =
            unsafe { mmap(ptr::null_mut(), STRIDE, access, MapFlags::SHARED, mailboxes.as_fd(), offset) }
                .ok()?;
        // SAFETY: `base` is a mapping of `STRIDE` bytes that is never unmapped.
        let mailbox = unsafe { Mailbox::at(base.cast()) };
        // SAFETY: written before this process was started and never changed.
        let rank = RankId::new(unsafe { (*mailbox.header()).rank });
        Some(LineEnd { mailbox, line, rank, passing: Passing::Futex { file } })
    }

    /// The first process that claims a mailbox owns it. True if it is this one; it may execute another program.
    fn claim(&self) -> bool {
        let me = rustix::process::getpid().as_raw_nonzero().get() as u32;
        // The kernel kills the rank when the simulator dies.
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        let before = self.mailbox.owner().compare_exchange(0, me, Ordering::AcqRel, Ordering::Acquire);
        before.is_ok() || before == Err(me)
    }
}
