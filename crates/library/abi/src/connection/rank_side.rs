//! The data that all lines of control of a rank share: the rank's identity, its clock and its account of work.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use mpirage_call::{RankId, Service};
use mpirage_channel::Briefing;
use mpirage_units::Time;

use crate::caller::last_name;
use crate::checked::window_memory::WindowMemory;
use crate::ground::lock::{Lock, is_folded, is_single_threaded};
use crate::ground::output;
use crate::ground::process::MISUSE_EXIT_CODE;
use crate::timing::origin::Control;
use crate::timing::timers::Timers;
use crate::timing::work;

/// Carries out a request of the simulator; the result goes to the front of the slice.
pub(crate) type Serve = fn(&Service<'_>, &mut [u8]);

/// The facts about a rank that are known when it connects.
pub(crate) struct Identity {
    /// The rank in the world.
    pub rank: RankId,
    /// False if the process runs without a simulator.
    pub simulated: bool,
    /// The simulator's briefing before the start.
    pub briefing: Briefing,
    /// The name of the rank's host.
    pub host: Vec<u8>,
}

/// The part of a connection that belongs to the rank. What each call needs comes first.
#[repr(C)]
pub(super) struct RankSide {
    /// The last time shown to the program, in picoseconds, for readers that cannot wait for a lock.
    last_shown: AtomicU64,
    /// Picoseconds of this machine that skipped blocks stand for, since the last call.
    charged: AtomicU64,
    /// A block runs whose work the program has declared: its processor time does not count.
    muted: AtomicBool,
    /// Flags for conditions that a call has to handle first: [`IN_CALLBACK`], [`HAS_NOTES`].
    attention: AtomicU8,
    pub(super) timers: Timers,
    pub(super) identity: Identity,
    /// The name of the host to which the rank has moved.
    pub(super) moved_to: Lock<Option<Vec<u8>>>,
    pub(super) serve: Serve,
    exit: extern "C" fn(c_int) -> !,
    /// The program's accesses to the memory of its windows.
    pub(super) memory: WindowMemory,
}

/// A function of the program runs inside a call.
const IN_CALLBACK: u8 = 1;
/// There are loads and stores to tell, or to release ([`WindowMemory::take`]).
const HAS_NOTES: u8 = 2;

impl RankSide {
    pub(super) fn new(identity: Identity, serve: Serve, control: Control) -> RankSide {
        let Briefing { measure, speed_ratio, .. } = identity.briefing;
        let kernel_speed = (!is_folded() && measure && speed_ratio > 0.0).then_some(speed_ratio);
        RankSide {
            last_shown: AtomicU64::new(0),
            charged: AtomicU64::new(0),
            muted: AtomicBool::new(false),
            attention: AtomicU8::new(0),
            timers: Timers::new(control.raise, kernel_speed),
            identity,
            moved_to: Lock::new(None),
            serve,
            exit: control.exit,
            memory: WindowMemory::default(),
        }
    }

    #[inline]
    pub(super) fn briefing(&self) -> &Briefing {
        &self.identity.briefing
    }

    /// Notes a time that is shown to the program. Returns it, or a later one that was shown before.
    #[inline]
    pub(super) fn show(&self, now: Time) -> Time {
        let before = if is_single_threaded() {
            let before = self.last_shown.load(Ordering::Relaxed);
            self.last_shown.store(before.max(now.as_picos()), Ordering::Relaxed);
            before
        } else {
            self.last_shown.fetch_max(now.as_picos(), Ordering::Relaxed)
        };
        now.max(Time::from_picos(before))
    }

    /// Raises the signals of timers that have expired by the time that was last shown. The caller holds no lock.
    #[inline]
    pub(super) fn raise_expired(&self) {
        self.timers.raise_expired(|| self.last_shown.load(Ordering::Relaxed));
    }

    #[inline]
    pub(super) fn is_in_callback(&self) -> bool {
        self.attention.load(Ordering::Relaxed) & IN_CALLBACK != 0
    }

    /// Is there something that a call has to look at first?
    #[inline]
    pub(super) fn needs_attention(&self) -> bool {
        self.attention.load(Ordering::Relaxed) != 0
    }

    /// Are there loads and stores to tell, or to release, before the next call?
    pub(super) fn has_notes(&self) -> bool {
        self.attention.load(Ordering::Relaxed) & HAS_NOTES != 0
    }

    /// There are, or are no longer, loads and stores to tell.
    pub(super) fn set_notes(&self, exist: bool) {
        if exist {
            self.attention.fetch_or(HAS_NOTES, Ordering::Relaxed);
        } else {
            self.attention.fetch_and(!HAS_NOTES, Ordering::Relaxed);
        }
    }

    /// Runs a function of the program inside a call.
    pub(super) fn call_back<T>(&self, function: impl FnOnce() -> T) -> T {
        self.attention.fetch_or(IN_CALLBACK, Ordering::Relaxed);
        let result = function();
        self.attention.fetch_and(!IN_CALLBACK, Ordering::Relaxed);
        result
    }

    /// Adds work of this machine that the rank did not do to its next burst.
    pub(super) fn charge(&self, picos: u64) {
        self.charged.fetch_add(picos, Ordering::Relaxed);
    }

    /// Picoseconds charged since the last call.
    pub(super) fn charged(&self) -> u64 {
        self.charged.load(Ordering::Relaxed)
    }

    /// Takes the whole nanoseconds that were charged; the rest stays for the next call.
    #[inline(always)]
    pub(super) fn take_charged(&self) -> u64 {
        let picos = self.charged();
        if picos > 0 {
            self.charged.store(picos % 1_000, Ordering::Relaxed);
        }
        picos / 1_000
    }

    /// From now on the rank's processor time does not count, or counts again.
    pub(super) fn mute(&self, muted: bool) {
        self.forget_burst();
        self.muted.store(muted, Ordering::Relaxed);
    }

    /// Drops the work done so far if it does not count.
    pub(super) fn drop_muted_burst(&self) {
        if self.muted.load(Ordering::Relaxed) {
            self.forget_burst();
        }
    }

    /// Drops the work done since the last call.
    pub(super) fn forget_burst(&self) {
        if self.briefing().measure {
            work::begin_burst(u64::MAX);
        }
    }

    /// Ends the rank.
    pub(super) fn exit(&self, code: c_int) -> ! {
        (self.exit)(code)
    }

    /// Ends the rank because its connection is of no use any more.
    #[cold]
    pub(super) fn give_up(&self, reason: &str) -> ! {
        output::say(format_args!("{}: {reason}", last_name()));
        self.exit(MISUSE_EXIT_CODE)
    }
}
