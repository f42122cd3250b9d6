//! What one rank knows: everything in this library that changes and belongs to a rank.
//!
//! A process is one rank, and has one of these. A simulator that folds ranks has many in one process and says which of
//! them runs ([`crate::berth`]); they take turns on one thread.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};
use std::thread::ThreadId;

use crate::berth::Origins;
use crate::connection::{self, Line};
use crate::library::{Library, Stage};
use crate::objects::predefined_attributes::PredefinedAttributes;
use crate::sampling::Sampling;
use crate::sharing::Sharing;

/// One rank, as this library knows it.
pub(crate) struct Rank {
    /// The objects of the program.
    pub library: Mutex<Library>,
    /// How far it is, a [`Stage`].
    pub stage: AtomicU8,
    /// Who initialized MPI, and what it was granted.
    pub main: OnceLock<(ThreadId, c_int)>,
    /// The values behind the attributes of the standard.
    pub attributes: PredefinedAttributes,
    /// A function of the program runs inside a call.
    pub in_callback: AtomicBool,
    /// The last time shown, for readers that cannot wait for the line.
    pub last_shown: AtomicU64,
    /// Its sampled blocks.
    pub sampling: Sampling,
    /// Its shared memory.
    pub sharing: Sharing,
    /// The way to the simulator, opened at the first need.
    line: OnceLock<Line>,
    /// Where it comes from, if it is folded.
    pub origins: Option<Origins>,
}

/// The rank that is this process.
static PROCESS: LazyLock<Rank> = LazyLock::new(|| Rank::new(None));
/// The folded rank that runs; null in a process that is a rank.
static RUNNING: AtomicPtr<Rank> = AtomicPtr::new(ptr::null_mut());

/// The rank that runs.
pub(crate) fn this() -> &'static Rank {
    let running = RUNNING.load(Ordering::Relaxed);
    // SAFETY: null, or a folded rank; those are never freed before another one runs.
    unsafe { running.as_ref() }.unwrap_or_else(|| &PROCESS)
}

/// From now on this one runs.
pub(crate) fn switch_to(rank: *mut Rank) {
    RUNNING.store(rank, Ordering::Relaxed);
}

impl Rank {
    pub(crate) fn new(origins: Option<Origins>) -> Rank {
        Rank {
            library: Mutex::new(Library::new()),
            stage: AtomicU8::new(Stage::Before as u8),
            main: OnceLock::new(),
            attributes: PredefinedAttributes::new(),
            in_callback: AtomicBool::new(false),
            last_shown: AtomicU64::new(0),
            sampling: Sampling::default(),
            sharing: Sharing::default(),
            line: OnceLock::new(),
            origins,
        }
    }

    /// The way to the simulator.
    pub(crate) fn line(&self) -> &Line {
        self.line.get_or_init(|| connection::open(self.origins.as_ref()))
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
