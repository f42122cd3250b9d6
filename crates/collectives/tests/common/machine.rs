//! An abstract machine: runs the schedules of all ranks and observes.
//!
//! A message takes one unit of time, everything else none. Ranks meet only through messages that
//! are matched in order, so the outcome does not depend on which rank is run first.
//!
//! The machine keeps for each rank the set of ranks it has heard of: itself from the beginning,
//! and, whenever a receive completes, all that the sender had heard of when it sent. This is the
//! happened-before relation ("who has started?") and the flow of information at once.

use std::collections::BTreeMap;

use mpirage_collectives::{Schedule, Step};

/// When a send completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sends {
    /// At once.
    Eager,
    /// When it meets its receive.
    Synchronous,
}

/// What was seen in a run that ended.
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
    /// The rank ends with requests it never waited for, or talks to itself or to nobody.
    Careless(u32),
}

pub fn run(schedules: &[Schedule], sends: Sends) -> Result<Outcome, Failure> {
    let mut machine = Machine::new(schedules, sends);
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

#[derive(Clone, Copy)]
struct Posted {
    bytes: u64,
    date: u32,
    heard: u64,
}

#[derive(Clone, Copy)]
enum Request {
    Send(Pair, usize),
    Receive(Pair, usize),
}

struct Rank<'a> {
    me: u32,
    steps: &'a [Step],
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
    ranks: Vec<Rank<'a>>,
    channels: BTreeMap<Pair, Channel>,
}

impl<'a> Machine<'a> {
    fn new(schedules: &'a [Schedule], sends: Sends) -> Self {
        let rank = |(me, schedule): (usize, &'a Schedule)| Rank {
            me: me as u32,
            steps: &schedule.steps,
            next: 0,
            posted: false,
            outstanding: vec![],
            date: 0,
            heard: 1 << me,
            careless: false,
        };
        Machine { sends, ranks: schedules.iter().enumerate().map(rank).collect(), channels: BTreeMap::new() }
    }

    /// Runs a rank as far as it gets. Says whether it got anywhere.
    fn advance(&mut self, rank: usize) -> bool {
        let mut progress = false;
        while let Some(&step) = self.ranks[rank].steps.get(self.ranks[rank].next) {
            let waits = matches!(step, Step::WaitAll | Step::Send { .. } | Step::Recv { .. });
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
        let (pair, bytes, sends) = match step {
            Step::Isend { to, bytes, slot } | Step::Send { to, bytes, slot } => {
                (Pair { from: this.me, to, slot }, bytes, true)
            }
            Step::Irecv { from, bytes, slot } | Step::Recv { from, bytes, slot } => {
                (Pair { from, to: this.me, slot }, bytes, false)
            }
            _ => return,
        };
        this.careless |= pair.from == pair.to || pair.from.max(pair.to) >= others;
        let channel = self.channels.entry(pair).or_default();
        let end = if sends { &mut channel.sends } else { &mut channel.receives };
        let request = if sends { Request::Send } else { Request::Receive };
        this.outstanding.push(request(pair, end.len()));
        end.push(Posted { bytes, date: this.date, heard: this.heard });
    }

    /// Completes what the step at hand waits for, all or nothing.
    fn complete(&mut self, rank: usize, step: Step) -> bool {
        let outstanding = &self.ranks[rank].outstanding;
        let first = if step == Step::WaitAll { 0 } else { outstanding.len() - 1 };
        let done: Option<Vec<_>> = outstanding[first..].iter().map(|&request| self.result(request)).collect();
        let Some(done) = done else { return false };
        let this = &mut self.ranks[rank];
        this.outstanding.truncate(first);
        for (date, heard) in done {
            this.date = this.date.max(date);
            this.heard |= heard;
        }
        true
    }

    /// When a request completes and what is heard by it; none if that is not known yet.
    fn result(&self, request: Request) -> Option<(u32, u64)> {
        let (Request::Send(pair, index) | Request::Receive(pair, index)) = request;
        let channel = &self.channels[&pair];
        let (send, receive) = (channel.sends.get(index), channel.receives.get(index));
        match (self.sends, request) {
            (Sends::Eager, Request::Send(..)) => send.map(|send| (send.date, 0)),
            (Sends::Eager, Request::Receive(..)) => send.map(|send| (send.date + 1, send.heard)),
            (Sends::Synchronous, _) => {
                let met = send?.date.max(receive?.date) + 1;
                // A synchronous send tells the sender nothing: causality must not rely on the mode.
                Some((met, if matches!(request, Request::Send(..)) { 0 } else { send?.heard }))
            }
        }
    }

    fn finish(self) -> Result<Outcome, Failure> {
        let stuck = self.ranks.iter().filter(|rank| rank.next < rank.steps.len()).map(|rank| rank.me);
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
        Ok(self.outcome())
    }

    fn outcome(&self) -> Outcome {
        let (mut sent, mut received) = (vec![0; self.ranks.len()], vec![0; self.ranks.len()]);
        for (pair, channel) in &self.channels {
            let bytes: u64 = channel.sends.iter().map(|posted| posted.bytes).sum();
            sent[pair.from as usize] += bytes;
            received[pair.to as usize] += bytes;
        }
        let reduced = |step: &Step| if let Step::Reduce { bytes } = step { *bytes } else { 0 };
        Outcome {
            heard: self.ranks.iter().map(|rank| rank.heard).collect(),
            rounds: self.ranks.iter().map(|rank| rank.date).max().unwrap_or(0),
            messages: self.channels.values().map(|channel| channel.sends.len()).sum(),
            volume: sent.iter().sum(),
            sent,
            received,
            reduced: self.ranks.iter().flat_map(|rank| rank.steps).map(reduced).sum(),
        }
    }
}
