//! The way to the simulator: every call goes through here, stamped.
//!
//! A process that no simulator started is a world of one rank, and [`Alone`] answers its calls; nobody else knows.
//! The line has a lock of its own, held while a call waits. A function of the program that runs meanwhile (a user's
//! operator) may ask about objects but must not communicate, which is said rather than waited for.

use std::env;
use std::os::unix::ffi::OsStringExt;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use mpirage_call::{Burst, Call, Reply, Stamp};
use mpirage_channel::{Attach, Briefing, CHANNEL_VARIABLE, ChannelError, RankEnd};
use mpirage_units::{Duration, Time};

use crate::alone::{self, Alone};
use crate::berth::{Origins, with_turns_passed};
use crate::disturbances::{self, Disturbances};
use crate::lock::{Guard, Lock};
use crate::rank;
use crate::trampoline;
use crate::{output, sampling, services, timers, work};

/// Readings of the clock in a row that cost the same; from there on each costs more.
const READINGS_BEFORE_GROWTH: u64 = 1024;

/// The name of the simulated host, as the simulator sets it.
const HOST_VARIABLE: &str = "MPIRAGE_HOST";

/// The line of a rank, and what it was told at its start. What each call needs comes first.
#[repr(C)]
pub(crate) struct Line {
    talk: Lock<Talk>,
    /// This rank in the world.
    pub rank: u32,
    /// Is there a simulator at all?
    pub simulated: bool,
    /// What the simulator said before the start.
    pub briefing: Briefing,
    /// The name of its host.
    pub host: Vec<u8>,
}

/// What changes from call to call.
struct Talk {
    peer: Peer,
    /// When the last call returned, unless the rank went on before that was known.
    returned: Option<Time>,
    /// What the next call has to add to its burst.
    delay: Duration,
    /// Readings of the clock since the last call that was more than that.
    readings: u64,
    disturbances: Disturbances,
}

enum Peer {
    Simulator(RankEnd),
    Alone(Box<Alone>),
}

/// The last answer, while it is looked at; one for all ranks of this process, since turns are passed only before that.
static REPLY: Lock<Reply> = Lock::new(Reply::new());

/// This process is a child of the rank's, made by `fork`: it has no line.
static CHILD: AtomicBool = AtomicBool::new(false);

/// The line of the rank that runs.
pub(crate) fn line() -> &'static Line {
    rank::this().line()
}

/// Leaves a call that needs no answer. Inlined, like what it leads to: who knows what call it is pays for that kind only.
#[inline(always)]
pub(crate) fn post(call: &Call<'_>) {
    debug_assert!(!call.needs_answer());
    let mut talk = talk();
    talk.readings = 0;
    talk.tell_of_output();
    talk.post(call);
}

/// Makes a call and waits for its answer.
pub(crate) fn ask(call: &Call<'_>) -> Reply {
    ask_then(call, Reply::clone)
}

/// Makes a call, waits for its answer, and takes from that what is wanted. The line is busy meanwhile.
pub(crate) fn ask_then<T>(call: &Call<'_>, take: impl FnOnce(&Reply) -> T) -> T {
    debug_assert!(call.needs_answer());
    let result = {
        let mut talk = talk();
        talk.readings = 0;
        talk.tell_of_output();
        talk.ask_then(call, take)
    };
    timers::raise_expired();
    result
}

/// Simulated time as this process sees it; none if no simulator runs it. Never waits for another thread's call.
pub(crate) fn now() -> Option<Time> {
    let line = line();
    if !line.simulated || CHILD.load(Ordering::Relaxed) {
        return None;
    }
    let now = line.talk.try_lock().map_or(Time::ZERO, |mut talk| talk.read_clock(&line.briefing));
    let shown = rank::this().show(now);
    timers::raise_expired();
    Some(shown)
}

/// May this process make calls now? Not if it is a rank's child, nor inside a call.
pub(crate) fn is_mine() -> bool {
    !CHILD.load(Ordering::Relaxed) && !rank::this().in_callback.load(Ordering::Relaxed)
}

/// Runs a function of the program inside a call.
pub(crate) fn call_back<T>(function: impl FnOnce() -> T) -> T {
    let inside = &rank::this().in_callback;
    inside.store(true, Ordering::Relaxed);
    let result = function();
    inside.store(false, Ordering::Relaxed);
    result
}

/// Is this process a child of the rank's?
pub(crate) fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}

/// What was computed since the last call does not count.
pub(crate) fn forget_burst() {
    if line_measures() {
        work::begin_burst(u64::MAX);
    }
}

/// Ends the rank because the line is of no use any more.
pub(crate) fn give_up(reason: &str) -> ! {
    output::say(format_args!("{}: {reason}", trampoline::last_call().function));
    rank::this().exit(crate::missing::EXIT_CODE)
}

/// Opens the line of a rank: of a folded one from what its simulator said, else from what the environment says.
pub(crate) fn open(origins: Option<&Origins>) -> Line {
    let line = match origins {
        Some(origins) => {
            let (end, briefing) = origins.open();
            Line::to_simulator(end, briefing, origins.host.clone())
        }
        None => open_from_environment(),
    };
    if line.briefing.measure {
        work::begin_burst(u64::MAX);
    }
    line
}

fn open_from_environment() -> Line {
    static WATCHING_FORKS: Once = Once::new();
    WATCHING_FORKS.call_once(|| {
        // SAFETY: the handler only stores to an atomic, which is safe in a forked child.
        unsafe { libc::pthread_atfork(None, None, Some(now_a_child)) };
    });
    let host = env::var_os(HOST_VARIABLE).map_or_else(real_host, OsStringExt::into_vec);
    match RankEnd::attach(env::var(CHANNEL_VARIABLE).ok().as_deref()) {
        Attach::Rank(end) => {
            let briefing = end.briefing();
            keep_from_children(briefing.shared_file);
            Line::to_simulator(end, briefing, host)
        }
        Attach::Alone => Line::new(0, Peer::Alone(Box::default()), alone::BRIEFING, host),
    }
}

/// Children of this process are not ranks.
fn keep_from_children(file: i32) {
    // SAFETY: only a flag of a descriptor; if the number is none, the call says so.
    unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
}

fn real_host() -> Vec<u8> {
    rustix::system::uname().nodename().to_bytes().to_vec()
}

impl Line {
    fn to_simulator(end: RankEnd, briefing: Briefing, host: Vec<u8>) -> Line {
        Line::new(end.rank(), Peer::Simulator(end), briefing, host)
    }

    fn new(rank: u32, peer: Peer, briefing: Briefing, host: Vec<u8>) -> Line {
        let simulated = matches!(peer, Peer::Simulator(_));
        let talk = Lock::new(Talk {
            peer,
            returned: Some(Time::ZERO),
            delay: Duration::ZERO,
            readings: 0,
            disturbances: Disturbances::default(),
        });
        Line { talk, rank, simulated, briefing, host }
    }
}

extern "C" fn now_a_child() {
    CHILD.store(true, Ordering::Relaxed);
}

#[inline(always)]
fn talk() -> Guard<'static, Talk> {
    let rank = rank::this();
    let line = rank.line();
    if rank.in_callback.load(Ordering::Relaxed) || CHILD.load(Ordering::Relaxed) {
        must_be_silent(rank, line);
    }
    line.talk.lock()
}

/// Somebody wants to communicate who perhaps must not.
#[cold]
fn must_be_silent(rank: &rank::Rank, line: &Line) {
    if rank.in_callback.load(Ordering::Relaxed) {
        give_up("communication inside a reduction operator");
    }
    if line.simulated {
        give_up("called by a child process of the rank");
    }
}

impl Talk {
    #[inline(always)]
    fn tell_of_output(&mut self) {
        if output::flush() {
            self.post_output();
        }
    }

    /// A burst that is worth a look: was it disturbed?
    #[cold]
    fn note_long_burst(&mut self, place: usize, burst: Burst) {
        let longer = self.disturbances.note(place, burst.nanos());
        if let (Some(nanos), Peer::Simulator(end)) = (longer, &mut self.peer) {
            end.note_disturbance(nanos);
        }
    }

    #[cold]
    fn post_output(&mut self) {
        self.post(&Call::Output);
    }

    #[inline(always)]
    fn post(&mut self, call: &Call<'_>) {
        let stamp = self.stamp();
        match &mut self.peer {
            Peer::Simulator(end) => {
                if !end.post(&stamp, call) {
                    post_later(end, &stamp, call);
                }
            }
            Peer::Alone(alone) => alone.post(call),
        }
    }

    /// Asks, and takes from the answer what is wanted.
    #[inline]
    fn ask_then<T>(&mut self, call: &Call<'_>, take: impl FnOnce(&Reply) -> T) -> T {
        let before = self.returned;
        let burst = self.wait(call);
        let (mut shared, mut own) = (REPLY.try_lock(), None);
        let reply = match &mut shared {
            Some(shared) => &mut **shared,
            None => own.insert(Box::new(Reply::new())),
        };
        self.read_answer(call, reply);
        if line_measures() {
            work::begin_burst(self.passed(before, burst));
        }
        take(reply)
    }

    /// The simulated time that a call took, as nanoseconds of processor time here. Other threads may have worked as long meanwhile. A
    /// call that ended before its date was known took as long as they worked.
    #[inline]
    fn passed(&self, before: Option<Time>, burst: Burst) -> u64 {
        let (true, Some(before), Some(returned)) = (work::is_threaded(), before, self.returned) else {
            return u64::MAX;
        };
        let nanos = returned.since(before).as_secs_f64() * 1e9 / line().briefing.speed_ratio;
        (nanos as u64).saturating_sub(burst.elapsed(f64::INFINITY))
    }

    /// Waits for the answer to a call; gives the burst before it.
    fn wait(&mut self, call: &Call<'_>) -> Burst {
        let stamp = self.stamp();
        if let Peer::Simulator(end) = &mut self.peer {
            accept(with_turns_passed(|| end.ask(&stamp, call, &mut services::serve)));
        }
        stamp.burst
    }

    /// Reads the answer to the call that was waited for.
    fn read_answer(&mut self, call: &Call<'_>, reply: &mut Reply) {
        match &mut self.peer {
            Peer::Simulator(end) => accept(end.read_reply(reply)),
            Peer::Alone(alone) => {
                reply.clear();
                alone.ask(call, reply);
            }
        }
        self.returned = (!reply.early).then_some(reply.now);
        rank::this().show(reply.now);
    }

    /// The time now, known without asking if nothing has happened since the last answer.
    fn read_clock(&mut self, briefing: &Briefing) -> Time {
        let now = if briefing.local_clock && !self.has_calls() && !work::is_threaded() {
            let nanos = burst().nanos() as f64 + sampling::charged() as f64 * 1e-3;
            self.last_return() + Duration::from_secs_f64(nanos * 1e-9 * briefing.speed_ratio) + self.delay
        } else {
            self.ask_then(&Call::Now, |reply| reply.now)
        };
        let cost = self.cost_of_reading(briefing);
        self.delay += cost;
        now
    }

    /// When the last call returned. Asking for it is not a call of the program's: the burst goes on.
    fn last_return(&mut self) -> Time {
        if let Some(returned) = self.returned {
            return returned;
        }
        let burst = burst();
        let mut reply = Reply::new();
        if let Peer::Simulator(end) = &mut self.peer {
            accept(with_turns_passed(|| end.ask(&Stamp::default(), &Call::When, &mut services::serve)));
        }
        self.read_answer(&Call::When, &mut reply);
        if line_measures() {
            work::resume_burst(burst);
        }
        reply.now
    }

    /// A program that does nothing but read the clock waits for a date: the longer it reads, the faster time passes.
    fn cost_of_reading(&mut self, briefing: &Briefing) -> Duration {
        self.readings += 1;
        let growth = 1 + self.readings / READINGS_BEFORE_GROWTH;
        Duration::from_picos(briefing.clock_cost.saturating_mul(growth))
    }

    fn has_calls(&self) -> bool {
        matches!(&self.peer, Peer::Simulator(end) if end.has_calls())
    }

    /// The stamp of a call made now; the next burst begins here.
    #[inline(always)]
    fn stamp(&mut self) -> Stamp {
        let from = trampoline::note();
        let burst = if line_measures() { take_burst() } else { Burst::NONE };
        if burst.nanos() >= disturbances::LEAST_NANOS {
            self.note_long_burst(from.call_site, burst);
        }
        let charged = sampling::take_charged();
        let burst = if charged > 0 { burst.then(charged) } else { burst };
        let delay = std::mem::take(&mut self.delay);
        Stamp { burst, delay, site: from.call_site as u64, function: from.index as u16 }
    }
}

/// The outbox is full: the simulator has to empty it first.
#[cold]
fn post_later(end: &mut RankEnd, stamp: &Stamp, call: &Call<'_>) {
    accept(with_turns_passed(|| end.post_later(stamp, call, &mut services::serve)));
}

fn accept(result: Result<(), ChannelError>) {
    match result {
        Ok(()) => {}
        Err(ChannelError::TooLarge) => give_up("the call is too large for the way to the simulator"),
        Err(ChannelError::Garbled) => {
            give_up("the simulator's answer makes no sense; did the program overwrite memory?")
        }
    }
}

/// The work of the rank since its last call returned, if that is measured.
fn burst() -> Burst {
    if !line_measures() {
        return Burst::NONE;
    }
    if sampling::is_muted() {
        forget_burst();
    }
    work::burst()
}

/// The burst up to here; the next begins.
#[inline(never)]
fn take_burst() -> Burst {
    if sampling::is_muted() {
        forget_burst();
    }
    work::take_burst()
}

#[inline]
fn line_measures() -> bool {
    line().briefing.measure
}
