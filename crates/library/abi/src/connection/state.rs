//! The changing part of a connection: one line of control's end of its mailbox, and its account of time between calls.

use mpirage_call::{Burst, Call, Quiet, Reply, Stamp};
use mpirage_channel::{ChannelError, LineEnd, LineOpener};
use mpirage_units::{Duration, Time};

use super::failed_polls::FailedPolls;
use super::rank_side::RankSide;
use crate::caller::{Caller, keeping_caller};
use crate::ground::lock::{Lock, is_folded};
use crate::ground::output;
use crate::timing::alone::Alone;
use crate::timing::disturbances::{self, Disturbances, Verdict};
use crate::timing::work;

/// Readings of the clock in a row that cost the same; from there on each costs more.
const READINGS_BEFORE_GROWTH: u32 = 1024;

/// Nanoseconds of processor time in which a program that spins sees what others have changed. It goes on for so long before it lets others
/// go on again.
const LEAST_SPIN: u64 = 200_000;
/// Seconds that pass in the first turn of a program that spins, and at most in one turn. From turn to turn they grow by a factor.
const FIRST_SPIN: f64 = 5e-7;
const LONGEST_SPIN: f64 = 1e-3;
const SPIN_GROWTH: f64 = 1.05;

/// The last answer, while its caller reads it. All ranks of this process use one, because turns are passed only before that.
static REPLY: Lock<Reply> = Lock::new(Reply::new());

/// The state that changes from call to call.
pub(super) struct ConnectionState {
    peer: Peer,
    /// When the last call returned, unless the rank went on before that was known.
    returned: Option<Time>,
    /// The time that the next call adds to its burst.
    delay: Duration,
    since: SinceCall,
    /// Polls that have failed, if one ever has.
    failed_polls: Option<Box<FailedPolls>>,
    disturbances: Disturbances,
    /// The program knows how long the burst has taken up to now.
    clock_was_read: bool,
    /// Calls that need no answer are handed over at once: a thread that kept them might sleep while another waits for their effect.
    hands_over: bool,
    /// Others change memory of the program: other ranks, or threads that return from calls.
    watches_memory: bool,
    /// The processor time of the thread when it last went on after it had been interrupted.
    resumed_at: u64,
}

/// The last call, and what the line has done since. One word, so that a call forgets it with one store.
#[derive(Clone, Copy, Default)]
struct SinceCall {
    /// Readings of the clock.
    readings: u32,
    call: LastCall,
}

/// The kind of the last call.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(u32)]
enum LastCall {
    #[default]
    Other,
    /// A poll that failed. Polls that failed before it may still be known to fail.
    FailedPoll,
}

/// The peer that answers the calls.
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
            since: SinceCall::default(),
            failed_polls: None,
            disturbances: Disturbances::default(),
            clock_was_read: false,
            hands_over: false,
            watches_memory: false,
            resumed_at: 0,
        }
    }

    /// The line of a further thread. When its last call returned is not known, since there was none.
    pub(super) fn of_thread(end: LineEnd) -> ConnectionState {
        let state = ConnectionState::new(Peer::Simulator(end));
        ConnectionState { returned: None, hands_over: true, watches_memory: true, ..state }
    }

    /// Announces to the simulator that threads will ask for lines. Returns what opens them, if there is a simulator.
    pub(super) fn announce_threads(&mut self) -> Option<LineOpener> {
        (self.hands_over, self.watches_memory) = (true, true);
        let Peer::Simulator(end) = &self.peer else { return None };
        end.announce_threads();
        end.opener()
    }

    /// Other ranks change memory of the program from now on.
    pub(super) fn announce_shared_memory(&mut self) {
        self.watches_memory = true;
        if let Peer::Simulator(end) = &self.peer {
            end.announce_shared_memory();
        }
    }

    /// The simulator has interrupted the program at `place`, because it has not called MPI for a while. If the program may wait for memory
    /// to change, it lets others go on: that takes as long as it has computed, or grows from turn to turn if computation takes no time.
    /// Allocates nothing, since the program may be about to.
    pub(super) fn yield_turn(&mut self, rank: &RankSide, place: usize) {
        let Peer::Simulator(end) = &self.peer else { return };
        if work::processor_time().saturating_sub(self.resumed_at) < LEAST_SPIN {
            return;
        }
        end.note_interruption(place as u64);
        if !self.watches_memory && !is_folded() {
            return;
        }
        if self.watches_memory && !rank.briefing().measure {
            self.since.readings = self.since.readings.saturating_add(1);
            self.delay += cost_of_spinning(self.since.readings);
        }
        let (before, burst) = (self.returned, self.next_burst(rank));
        let stamp = self.stamp_with(rank, Caller::last(), burst);
        self.wait(rank, &Call::Now, &stamp);
        self.read_answer(rank, &Call::Now, &mut Reply::new());
        self.begin_burst(rank, before, burst);
        self.resumed_at = work::processor_time();
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

    /// Makes a poll of the program, or answers it here: if it failed before and nothing can have come since.
    pub(super) fn poll_then<T>(
        &mut self,
        rank: &RankSide,
        call: &Call<'_>,
        take: impl FnOnce(&Reply) -> T,
    ) -> T {
        let still_polling = self.since.call == LastCall::FailedPoll;
        let wrote = self.begin_call(rank);
        let stamp = self.stamp(rank);
        if still_polling && !wrote && self.repeat_failure(rank, call, &stamp) {
            return take(&Reply::new());
        }
        self.exchange_stamped(rank, call, stamp, |state, reply| {
            if let Some(quiet) = Quiet::unpack(&reply.members).filter(|_| reply.completions.is_empty()) {
                let polls = state.failed_polls.get_or_insert_default();
                if !still_polling {
                    polls.forget();
                }
                polls.note(call, quiet);
                state.since.call = LastCall::FailedPoll;
            }
            take(reply)
        })
    }

    /// Answers a poll here if it fails for certain: the simulator hears of it later.
    fn repeat_failure(&mut self, rank: &RankSide, call: &Call<'_>, stamp: &Stamp) -> bool {
        let briefing = rank.briefing();
        let alone = !self.watches_memory && !self.hands_over && !work::is_threaded();
        let (true, Some(returned), Some(polls)) =
            (alone && briefing.local_clock, self.returned, &self.failed_polls)
        else {
            return false;
        };
        let burst = Duration::from_secs_f64(stamp.burst.nanos() as f64 * 1e-9 * briefing.speed_ratio);
        let date = returned + burst + stamp.delay;
        let Some(quiet) = polls.fails_at(call, date) else { return false };
        let returns = date + quiet.cost.of(date.since(quiet.since));
        let Peer::Simulator(end) = &mut self.peer else { return false };
        if !end.post(stamp, &Call::RepeatedPoll) {
            return false;
        }
        self.returned = Some(returns);
        self.since.call = LastCall::FailedPoll;
        rank.show(returns);
        if briefing.measure {
            work::begin_burst(u64::MAX);
        }
        true
    }

    /// The time now, without a call if nothing has happened since the last answer.
    pub(super) fn read_clock(&mut self, rank: &RankSide) -> Time {
        let briefing = rank.briefing();
        // Polls that were answered here have moved the date of the last return.
        let is_dated = !self.has_calls() || self.since.call == LastCall::FailedPoll;
        let now = if briefing.local_clock && is_dated && !work::is_threaded() {
            self.clock_was_read = true;
            let nanos = burst(rank).nanos() as f64 + rank.charged() as f64 * 1e-3;
            self.last_return(rank) + Duration::from_secs_f64(nanos * 1e-9 * briefing.speed_ratio) + self.delay
        } else {
            self.exchange(rank, &Call::Now, |reply| reply.now)
        };
        let cost = self.cost_of_reading(briefing.clock_cost);
        self.delay += cost;
        now
    }

    /// A call of the program begins. True if the program has written something.
    #[inline(always)]
    fn begin_call(&mut self, rank: &RankSide) -> bool {
        self.since = SinceCall::default();
        let wrote = output::flush();
        if wrote {
            self.post_output(rank);
        }
        wrote
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
        self.begin_burst(rank, before, stamp.burst);
    }

    #[inline]
    fn exchange<T>(&mut self, rank: &RankSide, call: &Call<'_>, take: impl FnOnce(&Reply) -> T) -> T {
        let stamp = self.stamp(rank);
        self.exchange_stamped(rank, call, stamp, |_, reply| take(reply))
    }

    #[inline]
    fn exchange_stamped<T>(
        &mut self,
        rank: &RankSide,
        call: &Call<'_>,
        stamp: Stamp,
        take: impl FnOnce(&mut ConnectionState, &Reply) -> T,
    ) -> T {
        let before = self.returned;
        self.wait(rank, call, &stamp);
        let (mut shared, mut own) = (REPLY.try_lock(), None);
        let reply = match &mut shared {
            Some(shared) => &mut **shared,
            None => own.insert(Box::new(Reply::new())),
        };
        self.read_answer(rank, call, reply);
        self.begin_burst(rank, before, stamp.burst);
        take(self, reply)
    }

    /// A call has returned that was made after this burst; the last call before it returned at this date.
    #[inline]
    fn begin_burst(&self, rank: &RankSide, before: Option<Time>, burst: Burst) {
        if rank.briefing().measure {
            work::begin_burst(self.passed(before, burst, rank.briefing().speed_ratio));
        }
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

    /// Waits for the answer to a call.
    fn wait(&mut self, rank: &RankSide, call: &Call<'_>, stamp: &Stamp) {
        if let Peer::Simulator(end) = &mut self.peer {
            let mut serve = rank.serve;
            accept(rank, keeping_caller(|| end.ask(stamp, call, &mut serve)));
        }
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
        self.since.readings = self.since.readings.saturating_add(1);
        let growth = 1 + self.since.readings / READINGS_BEFORE_GROWTH;
        Duration::from_picos(clock_cost.saturating_mul(u64::from(growth)))
    }

    fn has_calls(&self) -> bool {
        matches!(&self.peer, Peer::Simulator(end) if end.has_calls())
    }

    /// The stamp of a call made now; the next burst begins here.
    #[inline(always)]
    fn stamp(&mut self, rank: &RankSide) -> Stamp {
        let (from, burst) = (Caller::last(), self.next_burst(rank));
        let burst = if burst.is_none() { burst } else { self.undisturbed(rank, from.call_site, burst) };
        self.stamp_with(rank, from, burst)
    }

    /// The burst up to a call that is made now.
    #[inline(always)]
    fn next_burst(&mut self, rank: &RankSide) -> Burst {
        if work::is_threaded() {
            self.skip_counted();
        }
        if rank.briefing().measure { take_burst(rank) } else { Burst::NONE }
    }

    #[inline(always)]
    fn stamp_with(&mut self, rank: &RankSide, from: Caller, burst: Burst) -> Stamp {
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

    /// Skips the processor time that the simulator has counted while this thread slept, so that it does not count again.
    #[cold]
    fn skip_counted(&mut self) {
        if let Peer::Simulator(end) = &self.peer {
            work::skip(end.take_counted());
        }
    }

    /// The burst before the call at `place`, or its likes if it was interrupted. The simulator counts disturbed bursts.
    #[inline(never)]
    fn undisturbed(&mut self, rank: &RankSide, place: usize, burst: Burst) -> Burst {
        // Time that the program has seen passes, and so does real time; the kernel tells of one thread.
        let seen = std::mem::take(&mut self.clock_was_read);
        let Peer::Simulator(end) = &mut self.peer else { return burst };
        if seen || burst.is_parallel() || rank.briefing().real_time {
            return burst;
        }
        match self.disturbances.note(place, burst.nanos(), disturbances::waited) {
            Verdict::Usual => burst,
            Verdict::Interrupted(usual) => {
                end.note_interrupted_burst(burst.nanos() - usual);
                Burst::serial(usual)
            }
            Verdict::Unusual(longer) => {
                end.note_unusual_burst(longer);
                burst
            }
        }
    }
}

/// The simulated time that passes in the n-th turn in a row of a program that spins: few turns, and a bounded error.
fn cost_of_spinning(turns: u32) -> Duration {
    let grown = FIRST_SPIN * SPIN_GROWTH.powi(turns.min(1 << 16) as i32);
    Duration::from_secs_f64(grown.min(LONGEST_SPIN))
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
