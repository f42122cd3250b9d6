//! Gathers what a report needs, in bounded memory.
//!
//! During the run, activities and messages are only [logged](crate::log). Sums, tiles, link use and paths are computed at the end. If a
//! log grows too long, because too little repeats, they are computed on the way, and the log is cleared.

use std::ops::Range;
use std::sync::Arc;

use mpirage_interpret::links::Transfers;
use mpirage_interpret::{LinkUse, RunInfo};
use mpirage_platform::HostId;
use mpirage_record::{MessageRecord, Scope};
use mpirage_units::{Duration, Time};
use serde_json::json;

use crate::activity::{Activity, ActivityConsumer};
use crate::calls::{CallKey, Calls};
use crate::category::{CATEGORIES, Category};
use crate::container::Container;
use crate::critical::Critical;
use crate::last_receipt::LastReceipt;
use crate::log::{Event, Part, Period};
use crate::logs::Logs;
use crate::path::Paths;
use crate::quiet::QuietNetwork;
use crate::ranks::RankAmong;
use crate::receipt::MessageReceipt;
use crate::tiles::{Level, Tiles};
use crate::traffic::Traffic;
use crate::waits::{State, TimedCall, Wait, Waits};

/// Bins of time for the use of links.
const LINK_BINS: usize = 256;

/// How much detail is kept.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Calls that are shown one by one, at most.
    pub calls: u64,
    /// Messages that are shown one by one, at most, messages inside collectives not counted.
    pub messages: u64,
    /// Rows of each log that holds what is not shown one by one, at most: messages inside collectives, and everything beyond the other
    /// limits. Half a million rows are some 30 MiB.
    pub rows: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { calls: 1_500_000, messages: 1_000_000, rows: 1 << 19 }
    }
}

/// A call that has returned. Times are in picoseconds.
pub(crate) struct ReturnedCall {
    pub key: CallKey,
    pub category: Category,
    pub bytes: u64,
    pub entered: u64,
    pub duration: u64,
    pub awaited: Awaited,
}

/// The rank that a call waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// None.
    Nothing,
    /// The other rank of its last message; in this state, if it is given.
    Message(Option<State>),
    /// This rank, in this state, until this time in picoseconds.
    Rank(u32, State, u64),
    /// A rank that is not known, as long as the call took.
    Unknown,
}

/// Everything that is gathered about ranks.
pub(crate) struct Aggregator {
    times: Vec<RankTime>,
    logs: Logs,
    traffic: Traffic,
    links: LinkUse,
    paths: Paths,
    tiles: Tiles,
    last_receipts: Vec<LastReceipt>,
    /// The same for completed sends; empty as long as no rank has waited for one.
    last_sends: Vec<LastReceipt>,
    waits: Waits,
    /// The host of each rank.
    placement: Arc<[HostId]>,
    /// The network for messages that are alone, if the model has one.
    quiet: Option<QuietNetwork>,
    call_count: u64,
    message_count: u64,
    budget: Budget,
    /// Whether activities have been aggregated on the way: there were too many that did not repeat.
    aggregated: bool,
    /// How often ranks changed from one category to another.
    changes: u64,
    show_collective_messages: bool,
}

/// How a rank has spent its time up to `now`, in picoseconds.
#[derive(Clone, Default)]
pub(crate) struct RankTime {
    pub now: u64,
    pub spent: [u64; CATEGORIES],
    /// In each function, by the page's number; shorter if the rank did not call the last ones.
    pub in_functions: Vec<u64>,
}

/// Sums up the activities of a rank.
struct Sums<'a> {
    spent: &'a mut [u64; CATEGORIES],
    in_functions: &'a mut Vec<u64>,
    calls: &'a mut Calls,
    changes: u64,
    last: Option<Category>,
}

impl ActivityConsumer for Sums<'_> {
    #[inline]
    fn spend(&mut self, category: Category, from: u64, until: u64, times: u32) {
        self.spent[category as usize] += (until - from) * u64::from(times);
        self.changes += if self.last == Some(category) { 0 } else { times.into() };
        self.last = Some(category);
    }

    fn iterations_at_once(&self, _: u64, _: Period) -> u64 {
        u32::MAX.into()
    }

    fn count(&mut self, activity: &Activity, times: u32) {
        self.calls.count(activity, times);
        if let Some((function, _)) = self.calls.place(activity.call) {
            let at = usize::from(function);
            if at >= self.in_functions.len() {
                self.in_functions.resize(at + 1, 0);
            }
            self.in_functions[at] += activity.duration * u64::from(times);
        }
    }
}

/// The same, and adds them to tiles.
struct SumsAndTiles<'a> {
    rank: u32,
    sums: Sums<'a>,
    tiles: &'a mut Tiles,
}

impl ActivityConsumer for SumsAndTiles<'_> {
    fn spend(&mut self, category: Category, from: u64, until: u64, times: u32) {
        self.sums.spend(category, from, until, times);
        self.tiles.put(self.rank, category, from, until);
    }

    fn iterations_at_once(&self, _: u64, _: Period) -> u64 {
        1
    }

    fn count(&mut self, activity: &Activity, times: u32) {
        self.sums.count(activity, times);
    }
}

impl Aggregator {
    pub fn new(run: &RunInfo, budget: Budget) -> Aggregator {
        let ranks = run.placement.len();
        Aggregator {
            times: vec![RankTime::default(); ranks],
            logs: Logs::new(run),
            traffic: Traffic::new(run.ranks()),
            links: LinkUse::new(run).coarse(LINK_BINS),
            paths: Paths::new(ranks),
            tiles: Tiles::new(run.ranks()),
            last_receipts: vec![LastReceipt::default(); ranks],
            last_sends: Vec::new(),
            waits: Waits::new(ranks),
            placement: Arc::clone(&run.placement),
            quiet: None,
            call_count: 0,
            message_count: 0,
            budget,
            aggregated: false,
            changes: 0,
            show_collective_messages: run.collective_messages,
        }
    }

    /// Finds contention by comparing with this network, which has no other traffic.
    pub fn compare_with(&mut self, quiet: QuietNetwork) {
        self.quiet = Some(quiet);
    }

    pub fn waits(&self) -> &Waits {
        &self.waits
    }

    pub fn calls(&self) -> &Calls {
        &self.logs.calls
    }

    pub fn calls_mut(&mut self) -> &mut Calls {
        &mut self.logs.calls
    }

    pub fn times(&self) -> &[RankTime] {
        &self.times
    }

    pub fn links(&self) -> &LinkUse {
        &self.links
    }

    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// A call of a rank has returned.
    #[inline(always)]
    pub fn call(&mut self, rank: u32, call: ReturnedCall) {
        let ReturnedCall { key, category, bytes, entered, duration, awaited } = call;
        self.call_count += 1;
        let wait = if duration == 0 { Wait::NONE } else { self.wait(rank, entered, duration, awaited) };
        let waited = wait.waited;
        let (gap, end) = (entered.wrapping_sub(self.logs.activities.end(rank)), entered + duration);
        let mut activity = Activity { gap, duration, waited, bytes, category, ..Activity::default() };
        if let Some(expected) = self.logs.activities.expected(rank) {
            activity.call = expected.call;
            if *expected == activity && *self.logs.calls.key(expected.call) == key {
                self.logs.activities.on_hit(rank, end);
                return self.account(rank, activity.call, &activity, entered, &wait);
            }
        }
        let call = self.log_call(rank, &key, activity);
        self.account(rank, call, &activity, entered, &wait);
    }

    /// Adds a call to the wait states.
    #[inline(always)]
    fn account(&mut self, rank: u32, call: u32, activity: &Activity, entered: u64, wait: &Wait) {
        let &Activity { duration, category, .. } = activity;
        let communicates = category != Category::Other;
        let call = TimedCall { rank, call, entered, duration, communicates };
        self.waits.returned(&call, wait, &self.logs.calls);
    }

    #[inline(never)]
    fn log_call(&mut self, rank: u32, key: &CallKey, activity: Activity) -> u32 {
        let call = self.logs.calls.number(key);
        self.log(rank, Activity { call, ..activity });
        call
    }

    /// A rank did something that is not a call.
    #[inline]
    pub fn spend(&mut self, rank: u32, category: Category, time: Range<u64>) {
        let gap = time.start.wrapping_sub(self.logs.activities.end(rank));
        let duration = time.end.saturating_sub(time.start);
        if duration > 0 {
            self.waits.spent(rank, time.start, time.end);
        }
        self.log(rank, Activity { gap, duration, category, ..Activity::default() });
    }

    #[inline]
    fn log(&mut self, rank: u32, activity: Activity) {
        let end = self.logs.activities.end(rank).wrapping_add(activity.span());
        match self.logs.activities.expected(rank) {
            Some(expected) if *expected == activity => self.logs.activities.on_hit(rank, end),
            _ => {
                self.logs.activities.on_miss(rank, end, &[activity]);
                if self.logs.activities.is_full() {
                    self.make_room();
                }
            }
        }
    }

    /// Why a call could not return earlier.
    #[inline(never)]
    fn wait(&mut self, rank: u32, entered: u64, duration: u64, awaited: Awaited) -> Wait {
        let receipt = match awaited {
            Awaited::Nothing => return Wait::NONE,
            Awaited::Unknown => return Wait { waited: duration, ..Wait::NONE },
            Awaited::Message(_) | Awaited::Rank(..) => self.last_receipt(rank, entered, entered + duration),
        };
        let (state, cause, until) = match (awaited, &receipt) {
            (Awaited::Rank(cause, state, until), _) => (state, cause, until),
            (Awaited::Message(state), Some(last)) => {
                (state.unwrap_or_else(|| last.state()), last.other, last.late_until)
            }
            _ => return Wait::NONE,
        };
        let waited = until.saturating_sub(entered).min(duration);
        let wait = Wait { state, waited, cause, ..Wait::NONE };
        receipt.map_or(wait, |receipt| self.with_contention(rank, wait, &receipt, entered))
    }

    /// The message that was delivered when a call returned, or else the last message that was delivered during the call.
    #[inline(always)]
    fn last_receipt(&self, rank: u32, entered: u64, left: u64) -> Option<LastReceipt> {
        let last = self.last_receipts[rank as usize];
        match self.last_sends.get(rank as usize) {
            _ if last.delivered == left => Some(last),
            Some(send) if send.delivered == left => Some(*send),
            _ if last.delivered > entered && last.delivered < left => Some(last),
            _ => None,
        }
    }

    /// The same wait, with how much longer than alone its last message took.
    fn with_contention(&mut self, rank: u32, wait: Wait, receipt: &LastReceipt, entered: u64) -> Wait {
        let &LastReceipt { departed, arrived, bytes, other, is_send, .. } = receipt;
        let (from, to) = if is_send { (rank, other) } else { (other, rank) };
        let Some(quiet) = &mut self.quiet else { return wait };
        let host = |rank: u32| self.placement[rank as usize];
        // Within a host there are no links.
        let alone = if host(from) == host(to) { None } else { quiet.picos(host(from), host(to), bytes) };
        let Some(alone) = alone else { return wait };
        let contention = arrived.saturating_sub((departed + alone).max(entered + wait.waited));
        Wait { contention, route: (from, to), ..wait }
    }

    /// These messages will be passed to [`Aggregator::message`] soon.
    #[inline]
    pub fn prefetch(&self, messages: &[MessageRecord]) {
        for message in messages {
            mpirage_prefetch::fetch(&self.last_receipts[message.to as usize]);
        }
    }

    /// A message was delivered.
    #[inline]
    pub fn message(&mut self, message: &MessageRecord) {
        self.last_receipts[message.to as usize] = LastReceipt::new(message, false);
        self.deliver(message, false);
        if message.held || message.awaited {
            self.deliver_to_sender(message);
        }
    }

    /// The sender of a message waited for its delivery, or for the receiver.
    fn deliver_to_sender(&mut self, message: &MessageRecord) {
        self.last_sends.resize(self.last_receipts.len(), LastReceipt::default());
        self.last_sends[message.from as usize] = LastReceipt::new(message, true);
        self.deliver(message, true);
    }

    /// Logs a message for its receiver, or for its sender.
    #[inline(always)]
    fn deliver(&mut self, message: &MessageRecord, to_sender: bool) {
        let in_collective = matches!(message.scope, Scope::Collective(_));
        let shown = !in_collective || self.show_collective_messages;
        self.message_count += u64::from(shown && !to_sender);
        if self.logs.messages_mut(shown).is_full() {
            // Before the message is logged: the call that waits for it returns later.
            self.make_room();
        }
        self.logs.messages_mut(shown).deliver(message, to_sender);
    }

    /// Sorts the logs. Those that are too long are aggregated and cleared.
    #[cold]
    fn make_room(&mut self) {
        self.logs.activities.sort();
        self.logs.messages.sort();
        self.logs.inner_messages.sort();
        let Budget { calls, messages, rows } = self.budget;
        let limit = |count: u64, shown: u64| if count > shown { rows } else { 2 * shown as usize };
        let activities = self.logs.activities.rows() > limit(self.call_count, calls);
        let messages = self.logs.messages.rows() > limit(self.message_count, messages);
        if !activities && !messages && self.logs.inner_messages.rows() <= rows {
            return;
        }
        self.logs.settle();
        let ends = (0..self.times.len() as u32).map(|rank| self.logs.activities.end(rank)).collect();
        self.paths.follow(&self.logs, ends);
        self.add_up_messages(messages || activities);
        self.logs.inner_messages.clear();
        if messages || activities {
            self.logs.messages.clear();
            self.budget.messages = 0;
        }
        if activities {
            self.aggregated = true;
            self.budget.calls = 0;
            self.logs.calls.keep_few();
            self.add_up_activities();
            self.logs.activities.clear();
        }
    }

    /// The logs, which have been settled.
    pub fn logs(&self) -> &Logs {
        &self.logs
    }

    /// Adds up the log of activities. If it is not complete, it also goes into tiles.
    fn add_up_activities(&mut self) {
        for (rank, RankTime { now, spent, in_functions }) in self.times.iter_mut().enumerate() {
            let calls = &mut self.logs.calls;
            let mut sums = Sums { spent, in_functions, calls, changes: 0, last: None };
            if self.aggregated {
                let tiles = &mut self.tiles;
                self.logs.activities.consume(rank, now, &mut SumsAndTiles { rank: rank as u32, sums, tiles });
            } else {
                self.logs.activities.consume(rank, now, &mut sums);
                self.changes += sums.changes;
            }
        }
    }

    /// Adds up the messages inside collectives that are not shown, and `all` others.
    fn add_up_messages(&mut self, all: bool) {
        let Aggregator { traffic, links, logs: Logs { messages, inner_messages, .. }, .. } = self;
        for rank in 0..messages.ranks() as u32 {
            let mut add = |part: Part<'_, MessageReceipt>| match part {
                Part::Once(receipt, delivered) => {
                    add_up(receipt, rank, delivered, (1, Period(0)), traffic, links);
                }
                Part::Loop { events, times, begin, period } => {
                    let mut delivered = begin;
                    for receipt in events {
                        delivered += receipt.span();
                        add_up(receipt, rank, delivered, (times, period), traffic, links);
                    }
                }
            };
            inner_messages.for_each_part(rank as usize, &mut add);
            if all {
                messages.for_each_part(rank as usize, &mut add);
            }
        }
    }

    /// The run ended at `end`.
    pub fn finish(&mut self, end: u64) {
        self.logs.settle();
        self.waits.finish();
        self.add_up_activities();
        self.links.reach(Time::from_picos(end));
        self.add_up_messages(true);
    }

    /// Adds calls one by one to the data of the page, if there are not too many.
    pub fn write_events(&self, out: &mut Container) {
        if self.call_count > self.budget.calls {
            return out.set("events", ());
        }
        out.set("events", json!({"count": self.call_count}));
        self.logs.calls.write_kinds(out);
        self.logs.activities.write(out);
    }

    /// Adds messages one by one to the data of the page, if there are not too many.
    pub fn write_messages(&self, out: &mut Container) {
        if self.message_count > self.budget.messages {
            return out.set("messages", ());
        }
        out.set("messages", json!({"count": self.message_count}));
        self.logs.messages.write(out);
    }

    /// The categories of ranks over time, in tiles of all widths.
    pub fn levels(&self, end: u64) -> (&Tiles, Vec<Level>) {
        (&self.tiles, self.tiles.levels(Time::from_picos(end), &self.logs.activities, self.changes))
    }

    /// The end of a rank's last activity.
    pub fn last_end(&self, rank: u32) -> u64 {
        self.logs.activities.end(rank)
    }

    /// The path that led a rank to where it was at `time`.
    pub fn path(&self, rank: u32, time: u64) -> Critical {
        let mut critical = Critical::new();
        self.paths.back_from(self.logs(), rank, time, &mut critical);
        critical
    }
}

/// A copy for a look at a run that goes on: no messages are added to it, so it has no quiet network.
impl Clone for Aggregator {
    fn clone(&self) -> Aggregator {
        Aggregator {
            times: self.times.clone(),
            logs: self.logs.clone(),
            traffic: self.traffic.clone(),
            links: self.links.clone(),
            paths: self.paths.clone(),
            tiles: self.tiles.clone(),
            last_receipts: self.last_receipts.clone(),
            last_sends: self.last_sends.clone(),
            waits: self.waits.clone(),
            placement: Arc::clone(&self.placement),
            quiet: None,
            ..*self
        }
    }
}

/// Adds up a message that was delivered to `rank`, and again so many times after each period.
#[inline]
fn add_up(
    receipt: &MessageReceipt,
    rank: u32,
    delivered: u64,
    (times, Period(period)): (u32, Period),
    traffic: &mut Traffic,
    links: &mut LinkUse,
) {
    // Each message is counted at its receiver.
    if receipt.is_send {
        return;
    }
    let from = receipt.other(RankAmong { rank, ranks: traffic.ranks() });
    let departed = delivered.wrapping_sub(receipt.duration).wrapping_add(receipt.until_departure);
    let [departed, arrived] = [departed, delivered.wrapping_sub(receipt.after_arrival)].map(Time::from_picos);
    let period = Duration::from_picos(period);
    let transfers = Transfers { from, to: rank, bytes: receipt.bytes, departed, arrived, times, period };
    traffic.add(&transfers, receipt.in_collective);
    links.add_transfers(transfers);
}
