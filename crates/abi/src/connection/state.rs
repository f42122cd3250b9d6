//! The changing part of a connection: one line of control's end of its mailbox, and its account of time between calls.

use mpirage_call::{Burst, Call, Reply, Stamp};
use mpirage_channel::{ChannelError, LineEnd, LineOpener};
use mpirage_units::{Duration, Time};

use super::rank_side::RankSide;
use crate::alone::Alone;
use crate::caller::{Caller, keeping_caller};
use crate::disturbances::{self, Disturbances};
use crate::lock::Lock;
use crate::{output, work};

/// Readings of the clock in a row that cost the same; from there on each costs more.
const READINGS_BEFORE_GROWTH: u64 = 1024;

/// The last answer, while its caller reads it. All ranks of this process use one, because turns are passed only before that.
static REPLY: Lock<Reply> = Lock::new(Reply::new());

/// What changes from call to call.
pub(super) struct ConnectionState {
    peer: Peer,
    /// When the last call returned, unless the rank went on before that was known.
    returned: Option<Time>,
    /// What the next call adds to its burst.
    delay: Duration,
    /// Readings of the clock since the last other call.
    readings: u64,
    disturbances: Disturbances,
    /// Calls that need no answer are handed over at once. A thread that left them behind might sleep, and another wait for what they do.
    hands_over: bool,
}

/// Who answers the calls.
pub(super) enum Peer {
    Simulator(LineEnd),
    Alone(Box<Alone>),
}

impl ConnectionState {
    /// From now on programs that this process executes are no ranks.
    pub(super) fn keep_from_programs(&self) {
        if let Peer::Simulator(end) = &self.peer {
            end.keep_from_programs();
        }
    }

    pub(super) fn new(peer: Peer) -> ConnectionState {
        ConnectionState {
            peer,
            returned: Some(Time::ZERO),
            delay: Duration::ZERO,
            readings: 0,
            disturbances: Disturbances::default(),
            hands_over: false,
        }
    }

    /// The line of a further thread. When its last call returned is not known, since there was none.
    pub(super) fn of_thread(end: LineEnd) -> ConnectionState {
        ConnectionState { returned: None, hands_over: true, ..ConnectionState::new(Peer::Simulator(end)) }
    }

    /// Announces to the simulator that threads will ask for lines. Returns what opens them, if there is a simulator.
    pub(super) fn announce_threads(&mut self) -> Option<LineOpener> {
        self.hands_over = true;
        let Peer::Simulator(end) = &self.peer else { return None };
        end.announce_threads();
        end.opener()
    }

    /// The thread of this line ends.
    pub(super) fn end_line(&mut self) {
        if let Peer::Simulator(end) = &mut self.peer {
            end.end();
        }
    }

    /// Leaves a call of the program that needs no answer.
    #[inline(always)]
    pub(super) fn post(&mut self, rank: &RankSide, call: &Call<'_>) {
        self.begin_call(rank);
        let stamp = self.append(rank, call);
        if self.hands_over || rank.briefing().real_time {
            self.hand_over(rank, &stamp);
        }
    }

    /// Makes a call of the program and takes what the caller wants from the answer.
    #[inline]
    pub(super) fn ask_then<T>(
        &mut self,
        rank: &RankSide,
        call: &Call<'_>,
        take: impl FnOnce(&Reply) -> T,
    ) -> T {
        self.begin_call(rank);
        self.exchange(rank, call, take)
    }

    /// The time now, without a call if nothing has happened since the last answer.
    pub(super) fn read_clock(&mut self, rank: &RankSide) -> Time {
        let briefing = rank.briefing();
        let now = if briefing.local_clock && !self.has_calls() && !work::is_threaded() {
            let nanos = burst(rank).nanos() as f64 + rank.charged() as f64 * 1e-3;
            self.last_return(rank) + Duration::from_secs_f64(nanos * 1e-9 * briefing.speed_ratio) + self.delay
        } else {
            self.exchange(rank, &Call::Now, |reply| reply.now)
        };
        let cost = self.cost_of_reading(briefing.clock_cost);
        self.delay += cost;
        now
    }

    #[inline(always)]
    fn begin_call(&mut self, rank: &RankSide) {
        self.readings = 0;
        if output::flush() {
            self.post_output(rank);
        }
    }

    #[cold]
    fn post_output(&mut self, rank: &RankSide) {
        self.append(rank, &Call::Output);
    }

    #[inline(always)]
    fn append(&mut self, rank: &RankSide, call: &Call<'_>) -> Stamp {
        let stamp = self.stamp(rank);
        match &mut self.peer {
            Peer::Simulator(end) => {
                if !end.post(&stamp, call) {
                    post_later(rank, end, &stamp, call);
                }
            }
            Peer::Alone(alone) => alone.post(call),
        }
        stamp
    }

    /// The simulator gets the calls that were left, the last of which has this stamp, and the rank goes on when they are carried out.
    #[cold]
    fn hand_over(&mut self, rank: &RankSide, stamp: &Stamp) {
        let before = self.returned;
        if let Peer::Simulator(end) = &mut self.peer {
            let mut serve = rank.serve;
            accept(rank, keeping_caller(|| end.flush(stamp, &mut serve)));
        }
        self.read_answer(rank, &Call::Flush, &mut Reply::new());
        if rank.briefing().measure {
            work::begin_burst(self.passed(before, stamp.burst, rank.briefing().speed_ratio));
        }
    }

    #[inline]
    fn exchange<T>(&mut self, rank: &RankSide, call: &Call<'_>, take: impl FnOnce(&Reply) -> T) -> T {
        let before = self.returned;
        let burst = self.wait(rank, call);
        let (mut shared, mut own) = (REPLY.try_lock(), None);
        let reply = match &mut shared {
            Some(shared) => &mut **shared,
            None => own.insert(Box::new(Reply::new())),
        };
        self.read_answer(rank, call, reply);
        if rank.briefing().measure {
            work::begin_burst(self.passed(before, burst, rank.briefing().speed_ratio));
        }
        take(reply)
    }

    /// The simulated time that a call took, as nanoseconds of processor time of this machine. Other threads may have worked that
    /// long meanwhile. A call that ended before its date was known took as long as they worked.
    #[inline]
    fn passed(&self, before: Option<Time>, burst: Burst, speed_ratio: f64) -> u64 {
        let (true, Some(before), Some(returned)) = (work::is_threaded(), before, self.returned) else {
            return u64::MAX;
        };
        let nanos = returned.since(before).as_secs_f64() * 1e9 / speed_ratio;
        (nanos as u64).saturating_sub(burst.elapsed(f64::INFINITY))
    }

    /// Waits for the answer to a call. Returns the burst before the call.
    fn wait(&mut self, rank: &RankSide, call: &Call<'_>) -> Burst {
        let stamp = self.stamp(rank);
        if let Peer::Simulator(end) = &mut self.peer {
            let mut serve = rank.serve;
            accept(rank, keeping_caller(|| end.ask(&stamp, call, &mut serve)));
        }
        stamp.burst
    }

    /// Reads the answer to the call that the line has waited for.
    fn read_answer(&mut self, rank: &RankSide, call: &Call<'_>, reply: &mut Reply) {
        match &mut self.peer {
            Peer::Simulator(end) => accept(rank, end.read_reply(reply)),
            Peer::Alone(alone) => {
                reply.clear();
                alone.ask(call, reply);
            }
        }
        self.returned = (!reply.early).then_some(reply.now);
        rank.show(reply.now);
    }

    /// When the last call returned. The question is no call of the program's: the burst goes on.
    fn last_return(&mut self, rank: &RankSide) -> Time {
        if let Some(returned) = self.returned {
            return returned;
        }
        let burst = burst(rank);
        let mut reply = Reply::new();
        if let Peer::Simulator(end) = &mut self.peer {
            let mut serve = rank.serve;
            accept(rank, keeping_caller(|| end.ask(&Stamp::default(), &Call::When, &mut serve)));
        }
        self.read_answer(rank, &Call::When, &mut reply);
        if rank.briefing().measure {
            work::resume_burst(burst);
        }
        reply.now
    }

    /// A program that only reads the clock waits for a date: the longer it reads, the faster time passes.
    fn cost_of_reading(&mut self, clock_cost: u64) -> Duration {
        self.readings += 1;
        let growth = 1 + self.readings / READINGS_BEFORE_GROWTH;
        Duration::from_picos(clock_cost.saturating_mul(growth))
    }

    fn has_calls(&self) -> bool {
        matches!(&self.peer, Peer::Simulator(end) if end.has_calls())
    }

    /// The stamp of a call made now; the next burst begins here.
    #[inline(always)]
    fn stamp(&mut self, rank: &RankSide) -> Stamp {
        let from = Caller::last();
        if work::is_threaded() {
            self.skip_counted();
        }
        let burst = if rank.briefing().measure { take_burst(rank) } else { Burst::NONE };
        if burst.nanos() >= disturbances::LEAST_NANOS {
            self.note_long_burst(from.call_site, burst);
        }
        let charged = rank.take_charged();
        let delay = std::mem::take(&mut self.delay);
        if charged > 0 && rank.briefing().real_time {
            // Nothing of it has passed in real time.
            let skipped = Duration::from_secs_f64(charged as f64 * 1e-9 * rank.briefing().speed_ratio);
            let (site, function) = (from.call_site as u64, from.function as u16);
            return Stamp { burst, delay: delay + skipped, site, function };
        }
        let burst = if charged > 0 { burst.then(charged) } else { burst };
        Stamp { burst, delay, site: from.call_site as u64, function: from.function as u16 }
    }

    /// What the simulator has counted while this thread slept does not count again.
    #[cold]
    fn skip_counted(&mut self) {
        if let Peer::Simulator(end) = &self.peer {
            work::skip(end.take_counted());
        }
    }

    /// Reports a long burst to the simulator if it is far longer than others before the same call.
    #[cold]
    fn note_long_burst(&mut self, place: usize, burst: Burst) {
        let longer = self.disturbances.note(place, burst.nanos());
        if let (Some(nanos), Peer::Simulator(end)) = (longer, &mut self.peer) {
            end.note_disturbance(nanos);
        }
    }
}

/// The outbox is full: the simulator has to empty it first.
#[cold]
fn post_later(rank: &RankSide, end: &mut LineEnd, stamp: &Stamp, call: &Call<'_>) {
    let mut serve = rank.serve;
    accept(rank, keeping_caller(|| end.post_later(stamp, call, &mut serve)));
}

fn accept(rank: &RankSide, result: Result<(), ChannelError>) {
    match result {
        Ok(()) => {}
        Err(ChannelError::TooLarge) => rank.give_up("the call is too large for the way to the simulator"),
        Err(ChannelError::Garbled) => {
            rank.give_up("the simulator's answer makes no sense; did the program overwrite memory?")
        }
    }
}

/// The work of the rank since its last call returned, if it is measured.
fn burst(rank: &RankSide) -> Burst {
    if !rank.briefing().measure {
        return Burst::NONE;
    }
    rank.drop_muted_burst();
    work::burst()
}

/// The burst up to here; the next begins.
#[inline(never)]
fn take_burst(rank: &RankSide) -> Burst {
    rank.drop_muted_burst();
    work::take_burst()
}
