//! An abstract machine: runs the schedules of all ranks and observes.
//!
//! A message takes one unit of time, everything else none. Ranks meet only through messages that
//! are matched in order, so the outcome does not depend on which rank is run first.
//!
//! The machine keeps for each rank the set of ranks it has heard of: itself from the beginning,
//! and, whenever a receive completes, all that the sender had heard of when it sent. This is the
//! happened-before relation ("who has started?"). What the messages carry is for [`super::memory`].

use std::collections::BTreeMap;

use mpirage_collectives::{Schedule, Step};

use super::memory::{Carried, Memory};

/// When a send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// At once.
    Eager,
    /// When it meets its receive.
    Synchronous,
}

/// The observations of a run that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Per rank, the ranks it has heard of, as bits.
    pub heard: Vec<u64>,
    /// The latest date at which a rank ended.
    pub rounds: u32,
    pub messages: usize,
    /// Bytes sent, by all ranks together.
    pub volume: u64,
    /// Per rank.
    pub sent: Vec<u64>,
    /// Per rank.
    pub received: Vec<u64>,
    /// Bytes reduced, by all ranks together.
    pub reduced: u64,
}

/// Why a run did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// These ranks wait forever.
    Deadlock(Vec<u32>),
    /// Sends and receives of a pair differ in number or in size.
    Mismatch { from: u32, to: u32, slot: u16, sent: Vec<u64>, received: Vec<u64> },
    /// The rank ends with requests it never waited for, or sends to itself or to a rank that does not exist.
    Careless(u32),
    /// The rank handles data wrongly.
    Data(u32, String),
}

/// Runs schedules of which only sizes count.
pub fn run(schedules: &[Schedule], sends: Sends) -> Result<Outcome, Failure> {
    run_with(schedules, sends, Memory::none(schedules.len()))
}

/// Runs annotated schedules on the memory of all ranks.
pub fn run_with(schedules: &[Schedule], sends: Sends, memory: Memory) -> Result<Outcome, Failure> {
    let mut machine = Machine::new(schedules, sends, memory);
    while (0..schedules.len()).filter(|&rank| machine.advance(rank)).count() > 0 {}
    machine.finish()
}

/// Runs schedules of which only sizes count, in which ranks may send to themselves.
pub fn run_among_neighbors(schedules: &[Schedule], sends: Sends) -> Result<Outcome, Failure> {
    let mut machine = Machine::new(schedules, sends, Memory::none(schedules.len()));
    machine.to_itself = true;
    while (0..schedules.len()).filter(|&rank| machine.advance(rank)).count() > 0 {}
    machine.finish()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    from: u32,
    to: u32,
    slot: u16,
}

/// Both ends of the messages of a pair; the n-th send meets the n-th receive.
#[derive(Default)]
struct Channel {
    sends: Vec<Posted>,
    receives: Vec<Posted>,
}

struct Posted {
    bytes: u64,
    date: u32,
    heard: u64,
    synchronous: bool,
    carried: Carried,
}

#[derive(Clone, Copy)]
enum RequestKind {
    Send,
    Receive,
}

#[derive(Clone, Copy)]
struct Request {
    kind: RequestKind,
    pair: Pair,
    index: usize,
    /// None if it is blocking.
    set: Option<u8>,
}

struct ScheduledRank<'a> {
    me: u32,
    schedule: &'a Schedule,
    next: usize,
    /// The blocking step at `next` has been posted already.
    posted: bool,
    outstanding: Vec<Request>,
    date: u32,
    heard: u64,
    careless: bool,
}

struct Machine<'a> {
    sends: Sends,
    ranks: Vec<ScheduledRank<'a>>,
    channels: BTreeMap<Pair, Channel>,
    memory: Memory,
    failure: Option<Failure>,
    /// May a rank send to itself?
    to_itself: bool,
}

impl<'a> Machine<'a> {
    fn new(schedules: &'a [Schedule], sends: Sends, memory: Memory) -> Self {
        let rank = |(me, schedule): (usize, &'a Schedule)| ScheduledRank {
            me: me as u32,
            schedule,
            next: 0,
            posted: false,
            outstanding: vec![],
            date: 0,
            heard: 1 << me,
            careless: false,
        };
        let ranks = schedules.iter().enumerate().map(rank).collect();
        Machine { sends, ranks, channels: BTreeMap::new(), memory, failure: None, to_itself: false }
    }

    /// Runs a rank as far as it gets. Says whether it got anywhere.
    fn advance(&mut self, rank: usize) -> bool {
        let mut progress = false;
        while let (None, Some(&step)) =
            (&self.failure, self.ranks[rank].schedule.steps.get(self.ranks[rank].next))
        {
            let waits = matches!(
                step,
                Step::WaitAll
                    | Step::Wait { .. }
                    | Step::Send { .. }
                    | Step::Ssend { .. }
                    | Step::Recv { .. }
            );
            if !self.ranks[rank].posted {
                self.post(rank, step);
                self.ranks[rank].posted = true;
                progress = true;
            }
            if waits && !self.complete(rank, step) {
                break;
            }
            self.ranks[rank].posted = false;
            self.ranks[rank].next += 1;
            progress = true;
        }
        progress
    }

    fn post(&mut self, rank: usize, step: Step) {
        let others = self.ranks.len() as u32;
        let this = &mut self.ranks[rank];
        let me = this.me;
        let (pair, bytes, set, kind) = match step {
            Step::Isend { to, bytes, slot, set } | Step::Issend { to, bytes, slot, set } => {
                (Pair { from: me, to, slot }, bytes, Some(set), RequestKind::Send)
            }
            Step::Send { to, bytes, slot } | Step::Ssend { to, bytes, slot } => {
                (Pair { from: me, to, slot }, bytes, None, RequestKind::Send)
            }
            Step::Irecv { from, bytes, slot, set } => {
                (Pair { from, to: me, slot }, bytes, Some(set), RequestKind::Receive)
            }
            Step::Recv { from, bytes, slot } => {
                (Pair { from, to: me, slot }, bytes, None, RequestKind::Receive)
            }
            Step::Reduce { bytes } | Step::Combine { bytes } => {
                if let Err(text) = self.memory.reduce(rank, bytes) {
                    self.failure = Some(Failure::Data(me, text));
                }
                return;
            }
            Step::Copy { .. } | Step::Delay { .. } | Step::WaitAll | Step::Wait { .. } => return,
        };
        this.careless |= pair.from == pair.to && !self.to_itself || pair.from.max(pair.to) >= others;
        let carried = match kind {
            RequestKind::Send => self.memory.send(rank, this.schedule.carried(this.next), bytes),
            RequestKind::Receive => Ok(Carried::default()),
        };
        let carried = carried.unwrap_or_else(|text| {
            self.failure = Some(Failure::Data(me, text));
            Carried::default()
        });
        let channel = self.channels.entry(pair).or_default();
        let end = if matches!(kind, RequestKind::Send) { &mut channel.sends } else { &mut channel.receives };
        let this = &mut self.ranks[rank];
        this.outstanding.push(Request { kind, pair, index: end.len(), set });
        let synchronous = matches!(step, Step::Ssend { .. } | Step::Issend { .. });
        end.push(Posted { bytes, date: this.date, heard: this.heard, synchronous, carried });
    }

    /// Completes what the step at hand waits for, all or nothing.
    fn complete(&mut self, rank: usize, step: Step) -> bool {
        let outstanding = &self.ranks[rank].outstanding;
        let all = 0..outstanding.len();
        let wanted: Vec<usize> = match step {
            Step::WaitAll => all.collect(),
            Step::Wait { set, .. } => all.filter(|&at| outstanding[at].set == Some(set)).collect(),
            _ => vec![outstanding.len() - 1],
        };
        let left = if let Step::Wait { left, .. } = step { left as usize } else { 0 };
        let mut done: Vec<(usize, u32, u64)> = wanted
            .iter()
            .filter_map(|&at| self.result(outstanding[at]).map(|(date, heard)| (at, date, heard)))
            .collect();
        if wanted.len() - done.len() > left {
            return false;
        }
        // A wait that lets some remain takes the first that are complete.
        done.sort_by_key(|&(at, date, _)| (date, at));
        done.truncate(wanted.len().saturating_sub(left));
        done.sort_by_key(|&(at, ..)| at);
        for (before, &(at, date, heard)) in done.iter().enumerate() {
            let this = &mut self.ranks[rank];
            let request = this.outstanding.remove(at - before);
            this.date = this.date.max(date);
            this.heard |= heard;
            self.deliver(rank, request);
        }
        true
    }

    /// The data of a completed receive reaches the rank's memory.
    fn deliver(&mut self, rank: usize, Request { kind, pair, index, .. }: Request) {
        if matches!(kind, RequestKind::Receive) {
            let send = &self.channels[&pair].sends[index];
            if let Err(text) = self.memory.receive(rank, &send.carried) {
                self.failure = Some(Failure::Data(pair.to, format!("{text} (from {})", pair.from)));
            }
        }
    }

    /// When a request completes and what is heard by it; none if that is not known yet.
    fn result(&self, request: Request) -> Option<(u32, u64)> {
        let Request { kind, pair, index, .. } = request;
        let channel = &self.channels[&pair];
        let (send, receive) = (channel.sends.get(index), channel.receives.get(index));
        let synchronous = self.sends == Sends::Synchronous || send.is_some_and(|send| send.synchronous);
        match (synchronous, kind) {
            (false, RequestKind::Send) => send.map(|send| (send.date, 0)),
            (false, RequestKind::Receive) => send.map(|send| (send.date + 1, send.heard)),
            (true, _) => {
                let met = send?.date.max(receive?.date) + 1;
                // A synchronous send tells the sender nothing: causality must not rely on the mode.
                Some((met, if matches!(kind, RequestKind::Send) { 0 } else { send?.heard }))
            }
        }
    }

    fn finish(mut self) -> Result<Outcome, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let stuck =
            self.ranks.iter().filter(|rank| rank.next < rank.schedule.steps.len()).map(|rank| rank.me);
        let stuck: Vec<_> = stuck.collect();
        if !stuck.is_empty() {
            return Err(Failure::Deadlock(stuck));
        }
        if let Some(rank) = self.ranks.iter().find(|rank| rank.careless || !rank.outstanding.is_empty()) {
            return Err(Failure::Careless(rank.me));
        }
        let sizes = |end: &[Posted]| end.iter().map(|posted| posted.bytes).collect::<Vec<_>>();
        for (&Pair { from, to, slot }, channel) in &self.channels {
            let (sent, received) = (sizes(&channel.sends), sizes(&channel.receives));
            if sent != received {
                return Err(Failure::Mismatch { from, to, slot, sent, received });
            }
        }
        for rank in 0..self.ranks.len() {
            self.memory.check(rank).map_err(|text| Failure::Data(rank as u32, text))?;
        }
        Ok(self.outcome())
    }

    fn outcome(&self) -> Outcome {
        let (mut sent, mut received) = (vec![0; self.ranks.len()], vec![0; self.ranks.len()]);
        for (pair, channel) in &self.channels {
            let bytes: u64 = channel.sends.iter().map(|posted| posted.bytes).sum();
            sent[pair.from as usize] += bytes;
            received[pair.to as usize] += bytes;
        }
        let reduced = |step: &Step| {
            if let Step::Reduce { bytes } | Step::Combine { bytes } = step { *bytes } else { 0 }
        };
        Outcome {
            heard: self.ranks.iter().map(|rank| rank.heard).collect(),
            rounds: self.ranks.iter().map(|rank| rank.date).max().unwrap_or(0),
            messages: self.channels.values().map(|channel| channel.sends.len()).sum(),
            volume: sent.iter().sum(),
            sent,
            received,
            reduced: self.ranks.iter().flat_map(|rank| &rank.schedule.steps).map(reduced).sum(),
        }
    }
}
