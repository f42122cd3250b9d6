//! The layout of a mailbox.

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::crash_note::CrashNote;
use crate::line_requests::LineRequests;

const KIB: usize = 1024;

/// Bytes of the header.
pub(crate) const HEADER: usize = 4 * KIB;
/// Bytes of the outbox. Only pages that are used exist, so room is cheap.
pub(crate) const OUTBOX: usize = 4096 * KIB;
/// Bytes of the inbox.
pub(crate) const INBOX: usize = 4096 * KIB;
/// Bytes of the stores.
pub const STORE_BYTES: usize = 256 * KIB;
/// The most bytes one service moves, and the size of the region where a line leaves the result of a service.
pub const SERVICE_BYTES: usize = 1024 * KIB;
/// Bytes of one mailbox: an odd number of pages, so that mailboxes spread over the caches.
pub(crate) const STRIDE: usize = HEADER + OUTBOX + INBOX + STORE_BYTES + SERVICE_BYTES;

const _: () = assert!(STRIDE / (4 * KIB) % 2 == 1);
// The operands of a reduction are one service together; its other fields take a few words.
const _: () = assert!(SERVICE_BYTES + 4 * KIB <= INBOX);

/// Length of the memory file that ranks share, by which they recognise it; only pages that are used exist.
pub const SHARED_FILE_BYTES: u64 = 1 << 62;

/// `turn`: the line of control runs.
pub(crate) const LINE: u32 = 0;
/// `turn`: the simulator owns the mailbox.
pub(crate) const SIMULATOR: u32 = 1;

/// The facts that the simulator tells a rank before it starts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Briefing {
    /// Number of ranks in the world.
    pub size: u32,
    /// Where the world is among all ranks of the run.
    pub world: WorldPlace,
    /// Standard sends of fewer bytes return at once.
    pub eager_limit: u64,
    /// Buffered messages of fewer bytes do not stay in the program's buffer.
    pub buffered_limit: u64,
    /// Messages up to this many bytes travel inside the call.
    pub inline_bytes: u64,
    /// Are processor bursts to be measured?
    pub measure: bool,
    /// Do clock functions of the C library show simulated time?
    pub simulated_clock: bool,
    /// May the rank read the clock without asking? (Its own bursts then run at `speed_ratio`.)
    pub local_clock: bool,
    /// Simulated seconds per second of processor time here.
    pub speed_ratio: f64,
    /// May each thread of the rank have a line of its own?
    pub lines_for_threads: bool,
    /// Does the rank run in real time? Then it hands over each call when it makes it.
    pub real_time: bool,
    /// Simulated picoseconds that reading the clock costs.
    pub clock_cost: u64,
    /// Simulated date of the epoch-based clocks at the start of the run, in seconds.
    pub epoch: u64,
    /// The simulator's process; a rank does not outlive it.
    pub simulator: u32,
    /// Descriptor of the memory file that ranks share; negative if there is none.
    pub shared_file: i32,
    /// Allocations of at least this many bytes are shared; zero if none is.
    pub share_malloc: u64,
    /// The name of the network model, with zeros behind it.
    pub model: [u8; NAME],
    /// The name of the rules by which algorithms of collectives are chosen, with zeros behind it.
    pub collectives: [u8; NAME],
    /// Does what the program reads and writes without MPI take simulated time?
    pub posix_io: bool,
    /// Is the run checked? Then the rank says more about its calls.
    pub checked: bool,
    /// How many callers of a call its site stands for; with zero it is the address of the call.
    pub call_paths: u32,
}

/// The place of a rank's world among all ranks of a run, in which ranks may start others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct WorldPlace {
    /// The rank in the run that is the world's first.
    pub first: u32,
    /// How many ranks the run has room for.
    pub universe: u32,
    /// Has a rank started the world?
    pub spawned: bool,
    /// The rank in the run that has started it.
    pub parent: u32,
    /// The number of the parent's port, at which both meet.
    pub port: u32,
    /// The number of the rank's program among those that were started together.
    pub program: u32,
}

impl WorldPlace {
    /// The only world of a run.
    pub const fn only(size: u32) -> WorldPlace {
        WorldPlace { first: 0, universe: size, spawned: false, parent: 0, port: 0, program: 0 }
    }
}

/// Bytes of a name in a briefing.
const NAME: usize = 32;

/// As much of a name as a briefing has room for.
pub fn short_name(name: &str) -> [u8; NAME] {
    let mut bytes = [0; NAME];
    let length = (0..NAME).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
    bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
    bytes
}

/// Bursts that took longer than others before the same call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Disturbed {
    /// Those that were interrupted. They count as others do.
    pub interrupted: LongerBursts,
    /// Those that took far longer for no known reason. They count as measured.
    pub unusual: LongerBursts,
}

/// A number of bursts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LongerBursts {
    /// How many they are.
    pub bursts: u64,
    /// The nanoseconds by which all of them together were longer.
    pub nanos: u64,
}

impl LongerBursts {
    pub(crate) fn add(&mut self, nanos: u64) {
        *self = self.and(LongerBursts { bursts: 1, nanos });
    }

    /// Both together. A rank may have overwritten the numbers.
    pub(crate) fn and(self, other: LongerBursts) -> LongerBursts {
        LongerBursts {
            bursts: self.bursts.saturating_add(other.bursts),
            nanos: self.nanos.saturating_add(other.nanos),
        }
    }
}

/// The head of a mailbox.
#[repr(C)]
pub(crate) struct Header {
    /// [`LINE`] or [`SIMULATOR`].
    pub turn: AtomicU32,
    /// The process of the line, once it has attached; of a further line of a rank, its thread.
    pub owner: AtomicU32,
    /// The rank that the line belongs to.
    pub rank: u32,
    /// In the mailbox of a rank's first line: the thread of this line if the rank's threads have lines of their own, otherwise zero.
    pub threaded: AtomicU32,
    /// Not zero once the thread of the line has ended.
    pub ended: AtomicU32,
    /// Nanoseconds of the line's burst that the simulator has counted already.
    pub counted: AtomicU64,
    /// In the mailbox of a rank's first line: not zero once the rank shares memory with other ranks.
    pub shares_memory: AtomicU32,
    /// Where the program was when [`YIELD_SIGNAL`](crate::YIELD_SIGNAL) last interrupted the thread of the line.
    pub interrupted_at: AtomicU64,
    /// Words in the outbox.
    pub outbox_words: u64,
    /// Words in the stores.
    pub store_words: u64,
    /// Bursts that took longer than usual.
    pub disturbed: Disturbed,
    /// The simulator's briefing of the rank.
    pub briefing: Briefing,
    /// In the mailbox of a rank's first line: the requests of its threads for lines.
    pub line_requests: LineRequests,
    /// Where the process was when a signal killed it.
    pub crash: CrashNote,
}

const _: () = assert!(size_of::<Header>() <= HEADER);

/// The parts of a header that the simulator and the rank both use at any time; all are atomic.
pub(crate) struct Shared<'a> {
    pub threaded: &'a AtomicU32,
    pub ended: &'a AtomicU32,
    pub counted: &'a AtomicU64,
    pub shares_memory: &'a AtomicU32,
    pub interrupted_at: &'a AtomicU64,
    pub line_requests: &'a LineRequests,
}

/// One mailbox, at the address where it is mapped.
#[derive(Clone, Copy)]
pub(crate) struct Mailbox {
    base: *mut u8,
}

impl Mailbox {
    /// # Safety
    /// `base` points to `STRIDE` bytes of shared memory, aligned to a page, mapped as long as the mailbox is used.
    pub(crate) unsafe fn at(base: *mut u8) -> Mailbox {
        Mailbox { base }
    }

    pub(crate) fn turn(&self) -> &AtomicU32 {
        // SAFETY: `base` is valid and aligned (see `at`), and `turn` is only ever used atomically.
        unsafe { &(*self.base.cast::<Header>()).turn }
    }

    pub(crate) fn owner(&self) -> &AtomicU32 {
        // SAFETY: as for `turn`.
        unsafe { &(*self.base.cast::<Header>()).owner }
    }

    /// The parts of the header that both sides use at any time.
    pub(crate) fn shared(&self) -> Shared<'_> {
        // SAFETY: as for `turn`.
        unsafe {
            let header = self.base.cast::<Header>();
            Shared {
                threaded: &(*header).threaded,
                ended: &(*header).ended,
                counted: &(*header).counted,
                shares_memory: &(*header).shares_memory,
                interrupted_at: &(*header).interrupted_at,
                line_requests: &(*header).line_requests,
            }
        }
    }

    pub(crate) fn header(&self) -> *mut Header {
        self.base.cast()
    }

    /// # Safety
    /// It is the caller's turn, and it holds no other reference to the outbox.
    pub(crate) unsafe fn outbox<'a>(&self) -> &'a mut [u64] {
        // SAFETY: inside the mailbox, aligned; exclusive by the contract above.
        unsafe { words(self.base.add(HEADER), OUTBOX) }
    }

    /// # Safety
    /// It is the caller's turn, and it holds no other reference to the inbox.
    pub(crate) unsafe fn inbox<'a>(&self) -> &'a mut [u64] {
        // SAFETY: inside the mailbox, aligned; exclusive by the contract above.
        unsafe { words(self.base.add(HEADER + OUTBOX), INBOX) }
    }

    /// # Safety
    /// It is the caller's turn, and it holds no other reference to the stores.
    pub(crate) unsafe fn stores<'a>(&self) -> &'a mut [u64] {
        // SAFETY: inside the mailbox, aligned; exclusive by the contract above.
        unsafe { words(self.base.add(HEADER + OUTBOX + INBOX), STORE_BYTES) }
    }

    /// # Safety
    /// It is the caller's turn, and it holds no other reference to the result.
    pub(crate) unsafe fn result<'a>(&self) -> &'a mut [u8] {
        // SAFETY: inside the mailbox; any bit pattern is a byte; exclusive by the contract above.
        unsafe {
            let start = self.base.add(HEADER + OUTBOX + INBOX + STORE_BYTES);
            std::slice::from_raw_parts_mut(start, SERVICE_BYTES)
        }
    }
}

/// # Safety
/// `base` points to `bytes` bytes aligned to 8 that no other reference covers while the slice lives.
unsafe fn words<'a>(base: *mut u8, bytes: usize) -> &'a mut [u64] {
    // SAFETY: by the contract above; any bit pattern is a u64.
    unsafe { std::slice::from_raw_parts_mut(base.cast(), bytes / 8) }
}
