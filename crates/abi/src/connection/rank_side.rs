//! What all lines of control of a rank share on their way to the simulator: the rank's identity, its clock and its account of work.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mpirage_call::{RankId, Service};
use mpirage_channel::Briefing;
use mpirage_units::Time;

use crate::caller::last_name;
use crate::lock::{Lock, is_folded, is_single_threaded};
use crate::origin::Control;
use crate::output;
use crate::process::MISUSE_EXIT_CODE;
use crate::timers::Timers;
use crate::work;

/// Carries out a request of the simulator; the result goes to the front of the slice.
pub(crate) type Serve = fn(&Service<'_>, &mut [u8]);

/// What is known of a rank when it connects.
pub(crate) struct Identity {
    /// The rank in the world.
    pub rank: RankId,
    /// False if the process runs without a simulator.
    pub simulated: bool,
    /// What the simulator said before the start.
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
    /// A function of the program runs inside a call.
    in_callback: AtomicBool,
    pub(super) timers: Timers,
    pub(super) identity: Identity,
    /// The name of the host to which the rank has moved.
    pub(super) moved_to: Lock<Option<Vec<u8>>>,
    pub(super) serve: Serve,
    exit: extern "C" fn(c_int) -> !,
}

impl RankSide {
    pub(super) fn new(identity: Identity, serve: Serve, control: Control) -> RankSide {
        let Briefing { measure, speed_ratio, .. } = identity.briefing;
        let kernel_speed = (!is_folded() && measure && speed_ratio > 0.0).then_some(speed_ratio);
        RankSide {
            last_shown: AtomicU64::new(0),
            charged: AtomicU64::new(0),
            muted: AtomicBool::new(false),
            in_callback: AtomicBool::new(false),
            timers: Timers::new(control.raise, kernel_speed),
            identity,
            moved_to: Lock::new(None),
            serve,
            exit: control.exit,
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
        self.in_callback.load(Ordering::Relaxed)
    }

    /// Runs a function of the program inside a call.
    pub(super) fn call_back<T>(&self, function: impl FnOnce() -> T) -> T {
        self.in_callback.store(true, Ordering::Relaxed);
        let result = function();
        self.in_callback.store(false, Ordering::Relaxed);
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
