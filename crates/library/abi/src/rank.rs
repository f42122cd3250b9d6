//! One rank: its connection, its objects, and the rest of what belongs to it. All state of this library that belongs to a rank
//! is here.
//!
//! A process is one rank. A simulator that folds ranks has many in one process and says which of them runs
//! ([`crate::folded_ranks`]); they take turns on one thread.
//!
//! The parts know nothing of each other. The functions above them get a rank from [`this`] and pass to each part what it needs.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::thread::ThreadId;

use mpirage_call::{Call, Reply, Service};
use mpirage_prefetch::fetch_bytes;

use crate::connection::Connection;
use crate::ground::error::Result;
use crate::ground::exceptions::HeldException;
use crate::ground::heap::Heap;
use crate::ground::lock::{Guard, Lock};
use crate::ground::process;
use crate::objects::Objects;
use crate::objects::predefined_attributes::PredefinedAttributes;
use crate::sharing::Sharing;
use crate::timing::call_paths::CallPaths;
use crate::timing::origin::FoldedOrigin;
use crate::timing::posix_io::PosixIo;
use crate::timing::program_events::ProgramEvents;
use crate::timing::sampling::Sampling;
use crate::timing::services::{self, UserReduce};
use crate::types::MPI_Comm;

/// A rank. What most calls need comes first: with many ranks in one process the caches hold nothing of a rank when its turn comes.
#[repr(C, align(64))]
pub(crate) struct Rank {
    /// A [`Stage`].
    stage: AtomicU8,
    /// How often MPI is in use: once between `MPI_Init` and `MPI_Finalize`, once in each session.
    uses: AtomicU32,
    /// The exception that an operator of the program has thrown.
    pub held_exception: HeldException,
    /// Opened at the first need, because the rank's first burst begins then.
    connection: OnceLock<Connection>,
    /// The objects behind the program's handles.
    ///
    /// The lock is held for moments only: never while a call waits for the simulator, and never while a function of the
    /// program runs, because operators, attribute callbacks and error handlers may call MPI.
    objects: Lock<Objects>,
    /// The thread that initialized MPI, and the thread level it was granted.
    pub main: OnceLock<(ThreadId, c_int)>,
    /// The inter-communicator with those that started the rank, if others have.
    pub parent: OnceLock<MPI_Comm>,
    /// The values behind the attributes of the standard.
    pub attributes: PredefinedAttributes,
    pub sampling: Sampling,
    pub sharing: Sharing,
    /// The memory that a folded rank has allocated.
    pub heap: Heap,
    /// The call paths of MPI calls, which the rank records with `--call-paths`.
    pub call_paths: CallPaths,
    /// The program's reads and writes without MPI.
    pub posix_io: PosixIo,
    /// Completions by other threads of the program.
    pub program_events: ProgramEvents,
    /// A thread that asks whether a partition has arrived holds it.
    pub partitions: Lock<()>,
    /// How the rank finds the simulator, if it is folded.
    origin: Option<FoldedOrigin>,
}

/// How far a rank is in the life of an MPI program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Stage {
    /// `MPI_Init` has not been called.
    Before,
    /// Between `MPI_Init` and `MPI_Finalize`.
    Running,
    /// `MPI_Finalize` has been called.
    After,
}

/// The stage of a rank that runs, in a run in which functions look closer: one comparison tells.
const WATCHED: u8 = 3;

/// The rank that is this process.
static PROCESS: LazyLock<Rank> = LazyLock::new(|| Rank::new(None, None));
/// The folded rank that runs; null in a process that is a rank.
static RUNNING: AtomicPtr<Rank> = AtomicPtr::new(ptr::null_mut());

/// The rank that runs.
#[inline]
pub(crate) fn this() -> &'static Rank {
    let running = RUNNING.load(Ordering::Relaxed);
    // SAFETY: null, or a folded rank; those are never freed before another one runs.
    unsafe { running.as_ref() }.unwrap_or_else(|| &PROCESS)
}

/// Makes a folded rank the one that runs.
pub(crate) fn switch_to(rank: *mut Rank) {
    RUNNING.store(rank, Ordering::Relaxed);
}

/// Works on the objects of the rank that runs. They are locked meanwhile: `work` makes no calls and runs no callbacks.
#[inline]
pub(crate) fn with<T>(work: impl FnOnce(&mut Objects) -> T) -> T {
    work(&mut this().objects())
}

/// The same for work that may fail.
pub(crate) fn try_with<T>(work: impl FnOnce(&mut Objects) -> Result<T>) -> Result<T> {
    with(work)
}

/// Makes a call of the rank that runs and waits for its answer.
pub(crate) fn ask(call: &Call<'_>) -> Reply {
    this().connection().ask(call)
}

/// Leaves a call of the rank that runs, which needs no answer.
#[inline(always)]
pub(crate) fn post(call: &Call<'_>) {
    this().connection().post(call);
}

impl Rank {
    /// A rank whose connection is still to be opened. `command` is what started it, if it is not this process.
    pub(crate) fn new(origin: Option<FoldedOrigin>, command: Option<Vec<Vec<u8>>>) -> Rank {
        process::abort_on_panic();
        Rank {
            stage: AtomicU8::new(Stage::Before as u8),
            uses: AtomicU32::new(0),
            held_exception: HeldException::default(),
            connection: OnceLock::new(),
            objects: Lock::new(Objects::new(command)),
            main: OnceLock::new(),
            parent: OnceLock::new(),
            posix_io: PosixIo::new(),
            attributes: PredefinedAttributes::new(),
            sampling: Sampling::default(),
            sharing: Sharing::default(),
            heap: Heap::default(),
            call_paths: CallPaths::default(),
            program_events: ProgramEvents::default(),
            partitions: Lock::new(()),
            origin,
        }
    }

    /// How far this rank is.
    #[inline]
    pub(crate) fn stage(&self) -> Stage {
        match self.stage.load(Ordering::Acquire) {
            before if before == Stage::Before as u8 => Stage::Before,
            running if running == Stage::Running as u8 || running == WATCHED => Stage::Running,
            _ => Stage::After,
        }
    }

    /// Does it run, in a checked run?
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.stage.load(Ordering::Relaxed) == WATCHED
    }

    /// It runs, in a run in which functions look closer.
    pub(crate) fn watch(&self) {
        self.stage.store(WATCHED, Ordering::Release);
    }

    /// This rank has reached a stage.
    pub(crate) fn enter(&self, stage: Stage) {
        self.stage.store(stage as u8, Ordering::Release);
    }

    /// Is MPI in use?
    pub(crate) fn is_in_use(&self) -> bool {
        self.uses.load(Ordering::Acquire) > 0
    }

    /// MPI is used once more. The simulator learns of the first use.
    pub(crate) fn begin_use(&self) {
        if self.uses.fetch_add(1, Ordering::AcqRel) == 0 {
            self.connection().settle();
            self.connection().ask(&Call::Init);
        }
    }

    /// MPI is used once less. True if that was the last use.
    pub(crate) fn end_use(&self) -> bool {
        self.uses.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// The way to the simulator.
    #[inline]
    pub(crate) fn connection(&self) -> &Connection {
        self.connection.get_or_init(|| Connection::open(self.origin.as_ref(), serve))
    }

    /// The same if it has been opened.
    pub(crate) fn opened_connection(&self) -> Option<&Connection> {
        self.connection.get()
    }

    /// The objects, locked. For functions that every message calls, where [`with`] would move results around in memory.
    #[inline(always)]
    pub(crate) fn objects(&self) -> Guard<'_, Objects> {
        // A panic ends the process, so objects that a panic left in the middle of a change are never used.
        self.objects.lock()
    }

    /// Prefetches what most calls need; what lies behind pointers only when the pointers themselves are in the cache.
    pub(crate) fn fetch(&self, pointers_are_near: bool) {
        // SAFETY: a folded rank that does not run; nothing changes its objects meanwhile.
        let objects = unsafe { &*self.objects.data_ptr() };
        if pointers_are_near {
            objects.comms.fetch();
            return objects.requests.fetch();
        }
        let start = ptr::from_ref(self).addr();
        fetch_bytes(start..ptr::from_ref(objects).addr() + Objects::HOT);
    }

    /// Applies a function of the program for the simulator, with no lock held that the function could want.
    fn reduce(&self, UserReduce { number, elements, incoming, inout }: UserReduce<'_>) {
        let reduction = self.objects().reductions.get(number).cloned();
        let reduction = reduction.expect("the simulator knows only numbers that this rank sent");
        let combine = || reduction.combine(elements, incoming, inout, &self.held_exception);
        if let Err(error) = self.connection().call_back(combine) {
            self.connection().give_up(&error.text);
        }
    }
}

/// Carries out a request of the simulator to the rank that runs.
fn serve(service: &Service<'_>, out: &mut [u8]) {
    services::serve(service, out, |reduce| this().reduce(reduce));
}
