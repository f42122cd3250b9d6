//! What one rank knows: everything in this library that changes and belongs to a rank.
//!
//! A process is one rank, and has one of these. A simulator that folds ranks has many in one process and says which of
//! them runs ([`crate::berth`]); they take turns on one thread.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::thread::ThreadId;

use mpirage_prefetch::fetch_bytes;
use mpirage_units::Time;

use crate::berth::Origins;
use crate::connection::{self, Line};
use crate::exceptions::{self, Exception};
use crate::library::{Library, Stage};
use crate::lock::{Lock, is_single_threaded};
use crate::objects::predefined_attributes::PredefinedAttributes;
use crate::sampling::Sampling;
use crate::sharing::Sharing;
use crate::timers::Timers;

/// One rank, as this library knows it. What most calls need comes first: with many ranks in one process nothing of one is in a
/// near cache when its turn comes.
#[repr(C, align(64))]
pub(crate) struct Rank {
    /// How far it is, a [`Stage`].
    pub stage: AtomicU8,
    /// A function of the program runs inside a call.
    pub in_callback: AtomicBool,
    /// What an operator has thrown, to be raised at the end of the call; null if nothing.
    pub held_exception: AtomicPtr<Exception>,
    /// The last time shown, for readers that cannot wait for the line.
    last_shown: AtomicU64,
    /// The way to the simulator, opened at the first need.
    line: OnceLock<Line>,
    /// Its sampled blocks.
    pub sampling: Sampling,
    /// The objects of the program.
    pub library: Lock<Library>,
    /// Who initialized MPI, and what it was granted.
    pub main: OnceLock<(ThreadId, c_int)>,
    /// The values behind the attributes of the standard.
    pub attributes: PredefinedAttributes,
    /// Its shared memory.
    pub sharing: Sharing,
    /// Its alarms and interval timers.
    pub timers: Timers,
    /// Where it comes from, if it is folded.
    pub origins: Option<Origins>,
}

/// The rank that is this process.
static PROCESS: LazyLock<Rank> = LazyLock::new(|| Rank::new(None));
/// The folded rank that runs; null in a process that is a rank.
static RUNNING: AtomicPtr<Rank> = AtomicPtr::new(ptr::null_mut());

/// The rank that runs.
#[inline]
pub(crate) fn this() -> &'static Rank {
    let running = RUNNING.load(Ordering::Relaxed);
    // SAFETY: null, or a folded rank; those are never freed before another one runs.
    unsafe { running.as_ref() }.unwrap_or_else(|| &PROCESS)
}

/// Is the rank that runs one of many in this process?
#[inline]
pub(crate) fn is_folded() -> bool {
    !RUNNING.load(Ordering::Relaxed).is_null()
}

/// From now on this one runs.
pub(crate) fn switch_to(rank: *mut Rank) {
    RUNNING.store(rank, Ordering::Relaxed);
}

impl Rank {
    pub(crate) fn new(origins: Option<Origins>) -> Rank {
        exceptions::end_at_panics();
        Rank {
            library: Lock::new(Library::new()),
            stage: AtomicU8::new(Stage::Before as u8),
            main: OnceLock::new(),
            attributes: PredefinedAttributes::new(),
            in_callback: AtomicBool::new(false),
            held_exception: AtomicPtr::new(ptr::null_mut()),
            last_shown: AtomicU64::new(0),
            sampling: Sampling::default(),
            sharing: Sharing::default(),
            line: OnceLock::new(),
            timers: Timers::new(),
            origins,
        }
    }

    /// Notes a time that is shown to the program; gives it, or a later one that was shown already.
    #[inline]
    pub(crate) fn show(&self, now: Time) -> Time {
        let before = if is_single_threaded() {
            let before = self.last_shown.load(Ordering::Relaxed);
            self.last_shown.store(before.max(now.as_picos()), Ordering::Relaxed);
            before
        } else {
            self.last_shown.fetch_max(now.as_picos(), Ordering::Relaxed)
        };
        now.max(Time::from_picos(before))
    }

    /// The last time that was shown to the program.
    pub(crate) fn last_shown(&self) -> Time {
        Time::from_picos(self.last_shown.load(Ordering::Relaxed))
    }

    /// The way to the simulator.
    #[inline]
    pub(crate) fn line(&self) -> &Line {
        self.line.get_or_init(|| connection::open(self.origins.as_ref()))
    }

    /// Brings near what most calls need; what is behind pointers only once the pointers are near.
    pub(crate) fn fetch(&self, pointers_are_near: bool) {
        // SAFETY: a folded rank that does not run; nobody changes its library meanwhile.
        let library = unsafe { &*self.library.data_ptr() };
        if pointers_are_near {
            library.comms.fetch();
            return library.requests.fetch();
        }
        let start = ptr::from_ref(self).addr();
        fetch_bytes(start, ptr::from_ref(library).addr() + Library::HOT - start);
    }

    /// The command that started it, word by word.
    pub(crate) fn words(&self) -> Vec<Vec<u8>> {
        match &self.origins {
            Some(origins) => origins.words.clone(),
            None => std::env::args_os().map(|word| word.into_encoded_bytes()).collect(),
        }
    }

    /// Ends the rank where it stands.
    pub(crate) fn exit(&self, code: c_int) -> ! {
        match &self.origins {
            Some(origins) => origins.exit(code),
            None => std::process::exit(code),
        }
    }
}
