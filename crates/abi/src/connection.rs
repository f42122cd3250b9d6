//! The way to the simulator: every call goes through here, stamped.
//!
//! A process that no simulator started is a world of one rank, and [`Alone`] answers its calls; nobody else knows.
//! The line has a lock of its own, held while a call waits. A function of the program that runs meanwhile (a user's
//! operator) may ask about objects but must not communicate, which is said rather than waited for.

use std::cell::Cell;
use std::env;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use mpirage_call::{Call, Reply, Stamp};
use mpirage_channel::{Attach, Briefing, CHANNEL_VARIABLE, ChannelError, RankEnd};
use mpirage_units::{Duration, Time};
use rustix::time::{ClockId, clock_gettime};

use crate::alone::{self, Alone};
use crate::trampoline;
use crate::{output, services};

/// Readings of the clock in a row that cost the same; from there on each costs more.
const READINGS_BEFORE_GROWTH: u64 = 1024;

/// The line of this process, and what it was told at its start.
pub(crate) struct Line {
    /// This process in the world.
    pub rank: u32,
    /// What the simulator said before the start.
    pub briefing: Briefing,
    /// Is there a simulator at all?
    pub simulated: bool,
    talk: Mutex<Talk>,
}

/// What changes from call to call.
struct Talk {
    peer: Peer,
    /// When the last answer came.
    now: Time,
    /// What the next call has to add to its burst.
    delay: Duration,
    /// Readings of the clock since the last call that was more than that.
    readings: u64,
}

enum Peer {
    Simulator(RankEnd),
    Alone(Alone),
}

/// A function of the program runs inside a call.
static IN_CALLBACK: AtomicBool = AtomicBool::new(false);
/// This process is a child of the rank's, made by `fork`: it has no line.
static CHILD: AtomicBool = AtomicBool::new(false);
/// The last time shown, for readers that cannot wait for the line.
static LAST_SHOWN: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Processor time of this thread when its last call returned.
    static MARK: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The line, opened at the first need.
pub(crate) fn line() -> &'static Line {
    static LINE: OnceLock<Line> = OnceLock::new();
    LINE.get_or_init(open)
}

/// Leaves a call that needs no answer.
pub(crate) fn post(call: &Call<'_>) {
    debug_assert!(!call.needs_answer());
    let mut talk = talk();
    talk.readings = 0;
    talk.tell_of_output();
    talk.post(call);
}

/// Makes a call and waits for its answer.
pub(crate) fn ask(call: &Call<'_>) -> Reply {
    debug_assert!(call.needs_answer());
    let mut talk = talk();
    talk.readings = 0;
    talk.tell_of_output();
    talk.ask(call)
}

/// Simulated time as this process sees it; none if no simulator runs it. Never waits for another thread's call.
pub(crate) fn now() -> Option<Time> {
    let line = line();
    if !line.simulated || CHILD.load(Ordering::Relaxed) {
        return None;
    }
    let now = match line.talk.try_lock() {
        Ok(mut talk) => talk.read_clock(&line.briefing),
        Err(TryLockError::Poisoned(talk)) => talk.into_inner().read_clock(&line.briefing),
        Err(TryLockError::WouldBlock) => Time::ZERO,
    };
    let before = LAST_SHOWN.fetch_max(now.as_picos(), Ordering::Relaxed);
    Some(Time::from_picos(before.max(now.as_picos())))
}

/// May this process make calls now? Not if it is a rank's child, nor inside a call.
pub(crate) fn is_mine() -> bool {
    !CHILD.load(Ordering::Relaxed) && !IN_CALLBACK.load(Ordering::Relaxed)
}

/// Runs a function of the program inside a call.
pub(crate) fn call_back<T>(function: impl FnOnce() -> T) -> T {
    IN_CALLBACK.store(true, Ordering::Relaxed);
    let result = function();
    IN_CALLBACK.store(false, Ordering::Relaxed);
    result
}

/// Ends the process because the line is of no use any more.
pub(crate) fn give_up(reason: &str) -> ! {
    eprintln!("mpirage: {}: {reason}", trampoline::last_call().function);
    std::process::exit(crate::missing::EXIT_CODE)
}

fn open() -> Line {
    let variable = env::var(CHANNEL_VARIABLE).ok();
    let (peer, rank, briefing) = match RankEnd::attach(variable.as_deref()) {
        Attach::Rank(end) => {
            let (rank, briefing) = (end.rank(), end.briefing());
            (Peer::Simulator(end), rank, briefing)
        }
        Attach::Alone => (Peer::Alone(Alone::default()), 0, alone::BRIEFING),
    };
    // SAFETY: the handler only stores to an atomic, which is safe in a forked child.
    unsafe { libc::pthread_atfork(None, None, Some(now_a_child)) };
    let simulated = matches!(peer, Peer::Simulator(_));
    let talk = Mutex::new(Talk { peer, now: Time::ZERO, delay: Duration::ZERO, readings: 0 });
    MARK.set(Some(processor_time()));
    Line { rank, briefing, simulated, talk }
}

extern "C" fn now_a_child() {
    CHILD.store(true, Ordering::Relaxed);
}

fn talk() -> MutexGuard<'static, Talk> {
    if IN_CALLBACK.load(Ordering::Relaxed) {
        give_up("communication inside a reduction operator");
    }
    if CHILD.load(Ordering::Relaxed) && line().simulated {
        give_up("called by a child process of the rank");
    }
    line().talk.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Talk {
    fn tell_of_output(&mut self) {
        if output::flush() {
            self.post(&Call::Output);
        }
    }

    fn post(&mut self, call: &Call<'_>) {
        let stamp = self.stamp();
        let sent = match &mut self.peer {
            Peer::Simulator(end) => end.post(&stamp, call, &mut Reply::default(), &mut services::serve),
            Peer::Alone(alone) => {
                alone.post(call);
                Ok(())
            }
        };
        accept(sent);
    }

    fn ask(&mut self, call: &Call<'_>) -> Reply {
        let mut reply = Reply::default();
        let stamp = self.stamp();
        let answered = match &mut self.peer {
            Peer::Simulator(end) => end.ask(&stamp, call, &mut reply, &mut services::serve),
            Peer::Alone(alone) => {
                alone.ask(call, &mut reply);
                Ok(())
            }
        };
        accept(answered);
        self.now = reply.now;
        LAST_SHOWN.fetch_max(reply.now.as_picos(), Ordering::Relaxed);
        if line_measures() {
            MARK.set(Some(processor_time()));
        }
        reply
    }

    /// The time now, known without asking if nothing has happened since the last answer.
    fn read_clock(&mut self, briefing: &Briefing) -> Time {
        let now = if briefing.local_clock && !self.has_calls() {
            let burst = Duration::from_secs_f64(burst() as f64 * 1e-9 * briefing.speed_ratio);
            self.now + burst + self.delay
        } else {
            self.ask(&Call::Now).now
        };
        let cost = self.cost_of_reading(briefing);
        self.delay += cost;
        now
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
    fn stamp(&mut self) -> Stamp {
        let from = trampoline::last_call();
        let burst = burst();
        if burst > 0 {
            MARK.set(MARK.get().map(|mark| mark + burst));
        }
        let delay = std::mem::take(&mut self.delay);
        Stamp { burst, delay, site: from.call_site as u64, function: from.index as u16 }
    }
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

/// Processor time in nanoseconds that this thread has used since its last call returned, if that is measured.
fn burst() -> u64 {
    if !line_measures() {
        return 0;
    }
    let now = processor_time();
    match MARK.get() {
        Some(mark) => now.saturating_sub(mark),
        None => {
            MARK.set(Some(now));
            0
        }
    }
}

fn line_measures() -> bool {
    line().briefing.measure
}

fn processor_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
