//! Samples of the program's stack, which say in which functions it computes.
//!
//! A timer of the thread's processor time interrupts the program now and then. The handler keeps the return addresses on the stack, and the
//! next call of MPI hands them over. Time inside this library belongs to calls, so what is interrupted there is dropped.
//!
//! The handler allocates nothing: it may have interrupted the allocator. One thread is sampled, the one that initialises MPI. Folded ranks share
//! one thread; a sample counts for the rank that calls MPI next, which is nearly always the one that was interrupted.

use core::ffi::{c_int, c_void};
use core::ops::{ControlFlow, Range};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use mpirage_channel::{Briefing, SAMPLE_SIGNAL};
use mpirage_system::{Frame, SamplingTimer, for_each_frame};

use crate::ground::lock::is_folded;
use crate::ground::process;

/// Frames of a sample, the innermost first; those further out are dropped.
const FRAMES: usize = 64;
/// Words that keep samples: the number of frames, then the frames. While the program does not call MPI and no words are left, there are no more
/// samples.
const WORDS: usize = 1 << 14;

static KEPT: [AtomicUsize; WORDS] = [const { AtomicUsize::new(0) }; WORDS];
static USED: AtomicUsize = AtomicUsize::new(0);
/// The thread that is sampled.
static THREAD: AtomicUsize = AtomicUsize::new(0);
/// Addresses of this library.
static OWN: OnceLock<Range<usize>> = OnceLock::new();

/// The program is sampled from now on if a report is to have paths and computation is measured. Folded ranks are sampled by the simulator, which
/// calls [`mpirage_fold_sample`].
pub(crate) fn begin(briefing: &Briefing) {
    if briefing.call_paths == 0 || !briefing.measure || THREAD.load(Ordering::Relaxed) != 0 {
        return;
    }
    let Some(own) = process::own_addresses() else { return };
    OWN.get_or_init(|| own);
    if is_folded() || listen() {
        THREAD.store(this_thread(), Ordering::Relaxed);
    }
}

/// Handles the signal and starts the timer, unless the program handles the signal.
fn listen() -> bool {
    // SAFETY: the structures are ours; the handler allocates nothing and takes no lock of this library.
    let listens = unsafe {
        let mut now: libc::sigaction = core::mem::zeroed();
        if libc::sigaction(SAMPLE_SIGNAL, ptr::null(), &mut now) != 0 || now.sa_sigaction != libc::SIG_DFL {
            return false;
        }
        let mut new: libc::sigaction = core::mem::zeroed();
        new.sa_sigaction = on_signal as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(SAMPLE_SIGNAL, &new, ptr::null_mut()) == 0
    };
    listens && SamplingTimer::start(SAMPLE_SIGNAL).map(SamplingTimer::keep).is_some()
}

extern "C" fn on_signal(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: this thread's errno, which the interrupted code may be about to read.
    let errno = unsafe { *libc::__errno_location() };
    keep();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// The simulator has interrupted the folded rank that runs.
#[unsafe(no_mangle)]
pub extern "C" fn mpirage_fold_sample() {
    keep();
}

/// Keeps the frames of the interrupted code, unless this library is among them.
fn keep() {
    let start = USED.load(Ordering::Relaxed);
    let (Some(own), true) = (OWN.get(), start + FRAMES < WORDS) else { return };
    let (mut frames, mut interrupted) = (0, false);
    for_each_frame(|frame| {
        interrupted |= frame.interrupted;
        if !interrupted {
            return ControlFlow::Continue(());
        }
        if own.contains(&frame.address) {
            frames = 0;
        }
        if frame.address == 0 || own.contains(&frame.address) || frames == FRAMES {
            return ControlFlow::Break(());
        }
        frames += 1;
        KEPT[start + frames].store(return_address(frame), Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    if frames > 0 {
        KEPT[start].store(frames, Ordering::Relaxed);
        USED.store(start + frames + 1, Ordering::Relaxed);
    }
}

/// Paths have return addresses, which lie behind the instruction that is executed.
fn return_address(frame: Frame) -> usize {
    frame.instruction() + 1
}

/// Takes the samples since the last call of MPI: the frames of each, the innermost first.
#[inline]
pub(crate) fn take(mut each: impl FnMut(&[u64])) {
    let used = USED.load(Ordering::Relaxed);
    if used == 0 || THREAD.load(Ordering::Relaxed) != this_thread() {
        return;
    }
    let mut at = 0;
    while at < used {
        let frames = KEPT[at].load(Ordering::Relaxed);
        let kept = &KEPT[at + 1..at + 1 + frames];
        let sample: Vec<u64> = kept.iter().map(|word| word.load(Ordering::Relaxed) as u64).collect();
        each(&sample);
        at += frames + 1;
    }
    USED.store(0, Ordering::Relaxed);
}

fn this_thread() -> usize {
    // SAFETY: it always works.
    unsafe { libc::pthread_self() as usize }
}
