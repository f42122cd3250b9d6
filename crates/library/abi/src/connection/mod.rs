//! The connection of a rank to the simulator: every call goes through it, stamped.
//!
//! ```text
//!  Connection ── Lines ── ConnectionState: a line of control's end of its mailbox, and the time between its calls
//!             └─ RankSide: the rank's identity, clock, timers and account of work
//! ```
//!
//! A rank has one line of control, or one for each thread ([`lines`]). A process that no simulator started is a world of one
//! rank, and [`Alone`] answers its calls; only this module knows the difference. The state has a lock of its own, held while
//! a call waits. A function of the program that runs meanwhile (a user's operator) may ask about objects, but the run ends
//! with a message if it communicates.

mod failed_polls;
mod lines;
mod other_launcher;
mod rank_side;
mod state;

use core::ffi::c_int;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::env;
use std::ffi::CStr;
use std::os::unix::ffi::OsStringExt;

use mpirage_call::{Call, ContextId, RankId, Reply, UNIVERSE, WORLD};
use mpirage_channel::{Attach, Briefing, CHANNEL_VARIABLE, LineEnd};
use mpirage_data::Group;
use mpirage_units::Time;

use crate::caller::last_name;
use crate::checked::window_memory::{Note, ProgramAccess, Told};
use crate::ground::callbacks::has_front;
use crate::ground::lock::{Guard, is_folded};
use crate::ground::output;
use crate::ground::process::{self, MISUSE_EXIT_CODE};
use crate::ground::system::clocks_are_reached;
use crate::objects::comm::world_group;
use crate::timing::alone::{self, Alone};
use crate::timing::origin::{Control, FoldedOrigin};
use crate::timing::timers::Timers;
use crate::timing::work;

use lines::Lines;
use rank_side::{Identity, RankSide};
use state::{ConnectionState, Peer};

pub(crate) use lines::make_room_for_line;
pub(crate) use rank_side::Serve;

/// The environment variable with the name of the simulated host.
const HOST_VARIABLE: &str = "MPIRAGE_HOST";

/// A rank's way to the simulator.
#[repr(C)]
pub(crate) struct Connection {
    lines: Lines,
    rank: RankSide,
    /// Declarations of a checked run so far.
    tickets: AtomicU64,
    /// May threads be inside MPI at the same time?
    threads: AtomicBool,
}

impl Connection {
    /// Opens the connection of a rank: of a folded one to the mailbox that the simulator lends, else to the one that the
    /// environment names. `serve` carries out requests of the simulator.
    pub(crate) fn open(origin: Option<&FoldedOrigin>, serve: Serve) -> Connection {
        let (peer, identity) = match origin {
            Some(origin) => to_simulator(LineEnd::folded(origin.place), origin.host.clone()),
            None => from_environment(),
        };
        let control = origin.map_or(Control::PROCESS, |origin| origin.control);
        let rank = RankSide::new(identity, serve, control);
        rank.forget_burst();
        Connection {
            lines: Lines::new(peer),
            rank,
            tickets: AtomicU64::new(0),
            threads: AtomicBool::new(false),
        }
    }

    /// MPI begins: this process is the rank, and programs that it executes are not.
    pub(crate) fn settle(&self) {
        if self.is_simulated() && !is_folded() {
            // A front that a script's program has loaded brings the library too late; such programs run with real clocks.
            if self.briefing().simulated_clock && !clocks_are_reached() && !has_front() {
                self.ask(&Call::Misuse { text: &process::about_real_clock() });
                self.exit(MISUSE_EXIT_CODE);
            }
            output::find_cout();
            self.lock().keep_from_programs();
            process::close_on_exec(self.briefing().shared_file);
        }
    }

    /// Leaves a call that needs no answer. Inlined, so that each caller pays only for encoding its own kind of call.
    #[inline(always)]
    pub(crate) fn post(&self, call: &Call<'_>) {
        debug_assert!(!call.needs_answer());
        self.lock().post(&self.rank, call);
    }

    /// Makes a call and waits for its answer.
    pub(crate) fn ask(&self, call: &Call<'_>) -> Reply {
        self.ask_then(call, Reply::clone)
    }

    /// Makes a call, waits for its answer, and takes what the caller wants from it. The connection is locked meanwhile.
    pub(crate) fn ask_then<T>(&self, call: &Call<'_>, take: impl FnOnce(&Reply) -> T) -> T {
        debug_assert!(call.needs_answer());
        let result = self.lock().ask_then(&self.rank, call, take);
        self.rank.raise_expired();
        result
    }

    /// The same for a poll, which the line answers itself if it knows that nothing can have come.
    pub(crate) fn poll_then<T>(&self, call: &Call<'_>, take: impl FnOnce(&Reply) -> T) -> T {
        let result = self.lock().poll_then(&self.rank, call, take);
        self.rank.raise_expired();
        result
    }

    /// Simulated time as this process sees it; none if no simulator runs it. Never waits for another thread's call.
    pub(crate) fn now(&self) -> Option<Time> {
        if !self.is_simulated() || process::is_child() {
            return None;
        }
        let line = self.lines.this(&self.rank);
        let now = line.try_lock().map_or(Time::ZERO, |mut state| state.read_clock(&self.rank));
        let shown = self.rank.show(now);
        self.rank.raise_expired();
        Some(shown)
    }

    /// May this process make calls now? A child of a rank may not, nor may a function of the program inside a call.
    pub(crate) fn may_call(&self) -> bool {
        !process::is_child() && !self.rank.is_in_callback()
    }

    /// Runs a function of the program inside a call.
    pub(crate) fn call_back<T>(&self, function: impl FnOnce() -> T) -> T {
        self.rank.call_back(function)
    }

    /// May threads be inside MPI at the same time? A folded rank has one thread.
    pub(crate) fn can_have_threads(&self) -> bool {
        is_folded() || self.briefing().lines_for_threads
    }

    /// From now on threads may be inside MPI at the same time.
    pub(crate) fn allow_threads(&self) {
        if self.briefing().lines_for_threads {
            self.threads.store(true, Ordering::Relaxed);
            self.lines.one_for_each_thread();
        }
    }

    /// Other ranks change memory of this one from now on.
    pub(crate) fn announce_shared_memory(&self) {
        self.lock().announce_shared_memory();
    }

    /// The simulator has interrupted this thread of the program at `place`. Does nothing inside a call.
    pub(crate) fn yield_turn(&self, place: usize) {
        if process::is_child() || !work::can_count() {
            return;
        }
        if let Some(mut state) = self.lines.for_handler(&self.rank).and_then(|line| line.try_lock()) {
            state.yield_turn(&self.rank, place);
        }
    }

    /// The group of the world.
    pub(crate) fn world(&self) -> Group {
        let Briefing { size, world, .. } = self.briefing();
        world_group(world.first, *size)
    }

    /// The context in which all ranks of the run reach each other by their ranks in the run.
    pub(crate) fn universe(&self) -> ContextId {
        let Briefing { size, world, .. } = self.briefing();
        if world.universe > *size { UNIVERSE } else { WORLD }
    }

    /// The rank in the run, which is the rank in the world unless another rank has started the world.
    pub(crate) fn rank(&self) -> RankId {
        self.rank.identity.rank
    }

    /// Is there a simulator?
    pub(crate) fn is_simulated(&self) -> bool {
        self.rank.identity.simulated
    }

    /// The simulator's briefing before the start.
    #[inline]
    pub(crate) fn briefing(&self) -> &Briefing {
        self.rank.briefing()
    }

    /// Is the run checked?
    #[inline]
    pub(crate) fn is_checked(&self) -> bool {
        self.briefing().checked
    }

    /// Are threads allowed to be inside MPI at the same time?
    pub(crate) fn has_threads(&self) -> bool {
        self.threads.load(Ordering::Relaxed)
    }

    /// The number of the next declaration of a checked run.
    pub(crate) fn next_ticket(&self) -> u64 {
        self.tickets.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Bytes up to which a message travels inside its call.
    #[inline]
    pub(crate) fn inline_bytes(&self) -> usize {
        self.briefing().inline_bytes as usize
    }

    /// The name of the rank's host.
    pub(crate) fn host(&self) -> Vec<u8> {
        self.rank.moved_to.lock().clone().unwrap_or_else(|| self.rank.identity.host.clone())
    }

    /// The rank is on another host from now on.
    pub(crate) fn move_to(&self, host: Vec<u8>) {
        *self.rank.moved_to.lock() = Some(host);
    }

    /// The rank's alarms and interval timers.
    pub(crate) fn timers(&self) -> &Timers {
        &self.rank.timers
    }

    /// Adds picoseconds of work of this machine that the rank did not do to its next burst.
    pub(crate) fn charge(&self, picos: u64) {
        self.rank.charge(picos);
    }

    /// From now on the rank's processor time does not count, or counts again.
    pub(crate) fn mute(&self, muted: bool) {
        self.rank.mute(muted);
    }

    /// Ends the rank.
    pub(crate) fn exit(&self, code: c_int) -> ! {
        self.rank.exit(code)
    }

    /// Ends the rank because its connection is of no use any more.
    pub(crate) fn give_up(&self, reason: &str) -> ! {
        self.rank.give_up(reason)
    }

    /// In a checked run, watches the program's own accesses to the memory of a window.
    pub(crate) fn watch_memory(&self, window: ContextId, memory: Range<usize>) {
        // With threads, it is not known which of them accesses memory when.
        if self.is_checked() && !self.has_threads() {
            self.rank.memory.watch(window, memory);
        }
    }

    /// A window has been freed.
    pub(crate) fn forget_memory(&self, window: ContextId) {
        if self.is_checked() {
            self.rank.memory.forget(window);
        }
    }

    /// Memory has been detached from a window.
    pub(crate) fn forget_memory_at(&self, window: ContextId, address: usize) {
        if self.is_checked() {
            self.rank.memory.forget_at(window, address);
        }
    }

    /// The program loads or stores something.
    pub(crate) fn note_access(&self, access: ProgramAccess) {
        if self.rank.memory.note(access) {
            self.rank.set_notes(true);
        }
    }

    /// Tells the simulator what the program has done with the memory of its windows before this call.
    fn tell_accesses(&self) {
        let (told, more) = self.rank.memory.take(last_name());
        self.rank.set_notes(more);
        let Some(Told { notes, released }) = told else { return };
        let mut line = self.lines.this(&self.rank).lock();
        for Note { site, written, stretches } in &notes {
            let (site, stretches) = (*site as u64, stretches.words());
            let call = Call::LoadStore { written: *written, released, site, stretches: &stretches };
            line.post(&self.rank, &call);
        }
        if notes.is_empty() {
            let call = Call::LoadStore { written: false, released, site: 0, stretches: &[] };
            line.post(&self.rank, &call);
        }
    }

    #[inline(always)]
    fn lock(&self) -> Guard<'_, ConnectionState> {
        if self.rank.needs_attention() || process::is_child() {
            self.attend();
        }
        self.lines.this(&self.rank).lock()
    }

    /// Handles conditions that need attention before a call.
    #[cold]
    fn attend(&self) {
        self.check_caller();
        if self.rank.has_notes() {
            self.tell_accesses();
        }
    }

    /// Ends the rank if the caller must not communicate.
    fn check_caller(&self) {
        if self.rank.is_in_callback() {
            self.give_up("communication inside a reduction operator");
        }
        if self.is_simulated() && process::is_child() {
            self.give_up("called by a child process of the rank");
        }
    }
}

fn to_simulator(end: LineEnd, host: Vec<u8>) -> (Peer, Identity) {
    let identity = Identity { rank: end.rank(), simulated: true, briefing: end.briefing(), host };
    (Peer::Simulator(end), identity)
}

fn from_environment() -> (Peer, Identity) {
    process::watch_forks();
    process::note_connection();
    let host = env::var_os(HOST_VARIABLE).map_or_else(real_host, OsStringExt::into_vec);
    match LineEnd::attach(env::var(CHANNEL_VARIABLE).ok().as_deref()) {
        Attach::Rank(end) => to_simulator(end, host),
        Attach::OtherVersion => process::end_with_other_library(),
        Attach::Alone => {
            other_launcher::warn();
            let identity =
                Identity { rank: RankId::default(), simulated: false, briefing: alone::BRIEFING, host };
            (Peer::Alone(Box::<Alone>::default()), identity)
        }
    }
}

fn real_host() -> Vec<u8> {
    let mut name = [0_u8; 256];
    // SAFETY: the C library writes at most so many bytes; the last one stays zero.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    CStr::from_bytes_until_nul(&name).map(CStr::to_bytes).unwrap_or_default().to_vec()
}
