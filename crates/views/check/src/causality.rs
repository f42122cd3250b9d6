//! Finds the other messages that a wildcard receive could have got.
//!
//! Another message is a candidate if
//!
//! - it fits, and no receive got it that was posted earlier,
//! - its send does not depend on what the receive got: the end of the receive does not happen before it ([`Clocks`]),
//! - wildcard receives that were posted earlier, still wait and would take it, too, can get their own messages first.
//!
//! Too much order only hides candidates; it never invents one. Replaying a receive with another source is the idea of Vo et al., *A
//! Scalable and Distributed Dynamic Formal Verifier for MPI Programs* (2010). A run in which sources were chosen proves something
//! only if each of these receives got its message, in an order that MPI allows ([`Causality::is_possible`]).

#[cfg(test)]
mod tests;

use mpirage_call::{ContextId, RequestId};
use mpirage_interpret::comms::Comms;
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use crate::clocks::Clocks;
use crate::messages::{Channel, Pair, Pattern};
use crate::raw::CallSite;
use crate::wildcard::{Decided, Ended, OtherSource, Wildcard};

/// Events that are kept; of a longer run, nothing is said about wildcards.
const MOST_EVENTS: usize = 4_000_000;
/// Alternatives that are listed.
const MOST_ALTERNATIVES: usize = 10_000;

/// Another source that a wildcard receive could have got its message from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The rank that receives.
    pub rank: u32,
    /// The number of the wildcard receive or probe, counted per rank.
    pub wildcard: u32,
    /// The other source, as a rank of the communicator.
    pub source: u32,
    /// The same as a rank of `MPI_COMM_WORLD`.
    pub other: u32,
    /// The rank of `MPI_COMM_WORLD` whose message it got.
    pub got: u32,
    /// The communicator of that message.
    pub context: ContextId,
    /// Its tag; none if it is not known.
    pub tag: Option<i32>,
    /// The receive.
    pub call: CallSite,
    /// Earlier wildcard receives of the rank that wait beside it and would take the message, too: which they are, and the sources
    /// that they must get their messages from instead, as ranks of the communicator.
    pub beside: Vec<(u32, u32)>,
}

/// Something that a rank did.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// It sent a message.
    Send(Channel),
    /// It posted a receive, or a probe waits for a message.
    Post(Pattern, CallSite),
    /// It probed without waiting, or received what a matched probe took.
    Poll,
    /// The receive or probe of an earlier event ended.
    Received(usize),
    /// The send of an earlier event ended, which waits for its receive.
    Delivered(usize),
    /// It entered a collective.
    Enter(u64),
    /// It left one.
    Leave(u64),
}

/// The operation of a request of a rank.
#[derive(Clone, Copy, Debug)]
enum Under {
    Receive(usize),
    Send(usize),
    Collective(u64),
}

/// A place in the log of a rank.
pub(crate) type At = (u32, usize);

/// The events of all ranks, and what orders them.
#[derive(Debug)]
pub(crate) struct Causality {
    logs: Vec<Vec<Event>>,
    requests: FxHashMap<(u32, RequestId), Under>,
    /// How receives ended.
    ends: FxHashMap<At, Ended>,
    /// When wildcard receives were posted.
    posted: FxHashMap<At, Time>,
    /// When the call that is recorded began.
    entered: Time,
    /// The receive of a send, and the send of a receive.
    received_by: FxHashMap<At, At>,
    sent_by: FxHashMap<At, At>,
    /// Probes that saw a message and did not take it.
    probes: FxHashMap<At, Channel>,
    events: usize,
    wildcards: usize,
    given_up: bool,
}

impl Causality {
    pub(crate) fn new(ranks: u32) -> Causality {
        Causality {
            logs: vec![Vec::new(); ranks as usize],
            requests: FxHashMap::default(),
            ends: FxHashMap::default(),
            posted: FxHashMap::default(),
            entered: Time::ZERO,
            received_by: FxHashMap::default(),
            sent_by: FxHashMap::default(),
            probes: FxHashMap::default(),
            events: 0,
            wildcards: 0,
            given_up: false,
        }
    }

    /// Ranks communicate in ways that are not followed here.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// A call that began at this time is recorded next.
    pub(crate) fn set_time(&mut self, entered: Time) {
        self.entered = entered;
    }

    /// A rank does something. Gives the position in its log.
    pub(crate) fn add(&mut self, rank: u32, event: Event) -> usize {
        self.events += 1;
        self.given_up |= self.events > MOST_EVENTS;
        let Some(log) = self.logs.get_mut(rank as usize).filter(|_| !self.given_up) else { return 0 };
        log.push(event);
        let at = log.len() - 1;
        if matches!(event, Event::Post(Pattern { from: None, .. }, _)) {
            self.wildcards += 1;
            self.posted.insert((rank, at), self.entered);
        }
        at
    }

    /// The last event of a rank was a send; `awaited` if its end waits for its receive.
    pub(crate) fn begin_send(&mut self, rank: u32, event: usize, request: Option<RequestId>, awaited: bool) {
        match request {
            _ if !awaited => {}
            Some(request) => drop(self.requests.insert((rank, request), Under::Send(event))),
            None => drop(self.add(rank, Event::Delivered(event))),
        }
    }

    /// A receive completes with a request.
    pub(crate) fn begin_receive(&mut self, rank: u32, request: RequestId, event: usize) {
        self.requests.insert((rank, request), Under::Receive(event));
    }

    /// A rank enters a collective.
    pub(crate) fn enter(&mut self, rank: u32, number: u64, request: Option<RequestId>) {
        self.add(rank, Event::Enter(number));
        match request {
            Some(request) => drop(self.requests.insert((rank, request), Under::Collective(number))),
            None => drop(self.add(rank, Event::Leave(number))),
        }
    }

    /// A request is complete. Gives the event and the communicator if it was a receive.
    pub(crate) fn complete(&mut self, rank: u32, request: RequestId) -> Option<(usize, ContextId)> {
        match self.requests.remove(&(rank, request))? {
            Under::Receive(event) => match self.logs.get(rank as usize)?.get(event)? {
                Event::Post(pattern, _) => Some((event, pattern.context)),
                _ => None,
            },
            Under::Send(event) => {
                self.add(rank, Event::Delivered(event));
                None
            }
            Under::Collective(number) => {
                self.add(rank, Event::Leave(number));
                None
            }
        }
    }

    /// A receive or probe has ended with a message from a rank of `MPI_COMM_WORLD`.
    pub(crate) fn end(&mut self, rank: u32, event: usize, from: Option<u32>) {
        let at = self.add(rank, Event::Received(event));
        if let Some(from) = from {
            self.ends.insert((rank, event), Ended { at, from });
        }
    }

    /// A send belongs to a receive.
    pub(crate) fn pair(&mut self, pair: &Pair) {
        let send = (pair.channel.from, pair.send.event);
        let receive = (pair.channel.to, pair.receive.event);
        self.received_by.insert(send, receive);
        self.sent_by.insert(receive, send);
    }

    /// A probe has seen a message and left it.
    pub(crate) fn probed(&mut self, event: usize, channel: Channel) {
        self.end(channel.to, event, Some(channel.from));
        self.probes.insert((channel.to, event), channel);
    }

    /// Other messages that wildcard receives could have got. In a run with decided receives, only for receives that were posted later:
    /// an earlier one could take the messages of the decided ones.
    pub(crate) fn alternatives(&self, comms: &Comms, decided: &[Decided]) -> Vec<Alternative> {
        if self.given_up || self.wildcards == 0 {
            return Vec::new();
        }
        let Some(clocks) = Clocks::of(self) else { return Vec::new() };
        let all = self.all_wildcards();
        let last = all.iter().filter(|one| one.is_among(decided)).map(Wildcard::order).max();
        let mut found = Vec::new();
        for receive in all.iter().filter(|one| last.is_none_or(|last| one.order() > last)) {
            let Some(ended) = receive.ended else { continue };
            let beside: Vec<&Wildcard> = all.iter().filter(|one| one.waits_beside(receive)).collect();
            for other in self.other_sources(receive, ended, &beside, &clocks) {
                let Wildcard { rank, number: wildcard, call, .. } = *receive;
                let source = comms.rank_of(receive.pattern.context, other.rank);
                let (Some(source), Some(beside)) = (source, other.sources(comms)) else { continue };
                let (got, context) = (ended.from, receive.pattern.context);
                let tag = self.channel_of((rank, receive.at)).map(|channel| channel.tag);
                let other = other.rank;
                found.push(Alternative { rank, wildcard, source, other, got, context, tag, call, beside });
            }
            if found.len() > MOST_ALTERNATIVES {
                break;
            }
        }
        found
    }

    /// Could the program have run like this? Each decided receive has got its message: its end was recorded, or `is_complete` says so
    /// of its request. No receive that was posted later has got a message that a decided one would have taken, unless the
    /// decided one could get its own first.
    pub(crate) fn is_possible(
        &self,
        decided: &[Decided],
        is_complete: impl Fn(u32, RequestId) -> bool,
    ) -> bool {
        if decided.is_empty() {
            return true;
        }
        let Some(clocks) = Clocks::of(self).filter(|_| !self.given_up) else { return false };
        let all = self.all_wildcards();
        let chosen: Vec<&Wildcard> = all.iter().filter(|one| one.is_among(decided)).collect();
        let has_got = |one: &Wildcard| one.ended.is_some() || self.is_complete(one, &is_complete);
        chosen.len() == decided.len()
            && chosen.iter().all(|one| has_got(one) && self.could_come_first(one, &clocks))
    }

    fn is_complete(&self, receive: &Wildcard, is_complete: impl Fn(u32, RequestId) -> bool) -> bool {
        let of_receive = |(&(rank, request), under): (&(u32, RequestId), &Under)| {
            let same = rank == receive.rank && matches!(under, Under::Receive(event) if *event == receive.at);
            same.then_some(request)
        };
        self.requests.iter().find_map(of_receive).is_some_and(|request| is_complete(receive.rank, request))
    }

    /// Could a decided receive have got its message before later receives and probes of its rank got messages that it accepts? If the
    /// program has not completed the receive, the send is not known: then no later one must have got such a message.
    fn could_come_first(&self, receive: &Wildcard, clocks: &Clocks) -> bool {
        let own = self.send_of((receive.rank, receive.at));
        let until = receive.ended.map_or(self.logs[receive.rank as usize].len(), |ended| ended.at);
        (receive.at + 1..until).all(|post| {
            let at = (receive.rank, post);
            let (Some(later), Some(channel)) = (self.ends.get(&at), self.channel_of(at)) else { return true };
            !receive.accepts(&channel)
                || own.is_some_and(|own| clocks.is_independent(own, (receive.rank, later.at)))
        })
    }

    /// The channel of the message that a receive got, or that a probe saw.
    fn channel_of(&self, receive: At) -> Option<Channel> {
        let got = || match self.event(self.send_of(receive)?)? {
            Event::Send(channel) => Some(*channel),
            _ => None,
        };
        self.probes.get(&receive).copied().or_else(got)
    }

    /// The wildcard receives and probes of all ranks.
    fn all_wildcards(&self) -> Vec<Wildcard> {
        (0..).zip(&self.logs).flat_map(|(rank, log)| self.wildcards_of(rank, log)).collect()
    }

    fn wildcards_of(&self, rank: u32, log: &[Event]) -> Vec<Wildcard> {
        let posts = log.iter().enumerate().filter_map(|(at, event)| match event {
            Event::Post(pattern, call) if pattern.from.is_none() => Some((at, *pattern, *call)),
            _ => None,
        });
        let one = |(number, (at, pattern, call)): (u32, (usize, Pattern, CallSite))| {
            let (ended, posted) = (self.ends.get(&(rank, at)).copied(), *self.posted.get(&(rank, at))?);
            Some(Wildcard { rank, number, at, posted, ended, pattern, call })
        };
        (0..).zip(posts).filter_map(one).collect()
    }

    /// Ranks whose messages the receive could have got, in order; `beside` are receives that wait at the same time.
    fn other_sources<'w>(
        &self,
        receive: &Wildcard,
        ended: Ended,
        beside: &[&'w Wildcard],
        clocks: &Clocks,
    ) -> Vec<OtherSource<'w>> {
        let end = (receive.rank, ended.at);
        let could_come_first = |one: &Wildcard| {
            let own = self.sent_by.get(&(one.rank, one.at));
            own.is_some_and(|&send| clocks.is_independent(send, end))
        };
        let candidate = |send: At, channel: &Channel| {
            let later = self.receive_of(send).is_none_or(|(_, posted)| posted > receive.at);
            let rivals: Vec<&Wildcard> = beside.iter().copied().filter(|one| one.accepts(channel)).collect();
            let possible =
                later && clocks.is_independent(send, end) && rivals.iter().all(|one| could_come_first(one));
            possible.then_some(OtherSource { rank: send.0, beside: rivals })
        };
        let of_sender = |(sender, log): (u32, &Vec<Event>)| {
            log.iter().enumerate().find_map(|(at, event)| match event {
                Event::Send(channel) if receive.accepts(channel) => candidate((sender, at), channel),
                _ => None,
            })
        };
        (0..).zip(&self.logs).filter(|&(sender, _)| sender != ended.from).filter_map(of_sender).collect()
    }

    pub(crate) fn logs(&self) -> &[Vec<Event>] {
        &self.logs
    }

    pub(crate) fn event(&self, (rank, at): At) -> Option<&Event> {
        self.logs.get(rank as usize)?.get(at)
    }

    pub(crate) fn probes(&self) -> &FxHashMap<At, Channel> {
        &self.probes
    }

    /// The receives that have got a message, and the sends of these.
    pub(crate) fn sends(&self) -> &FxHashMap<At, At> {
        &self.sent_by
    }

    /// The send of the message that a receive got.
    pub(crate) fn send_of(&self, receive: At) -> Option<At> {
        self.sent_by.get(&receive).copied()
    }

    /// The receive that got the message of a send.
    pub(crate) fn receive_of(&self, send: At) -> Option<At> {
        self.received_by.get(&send).copied()
    }

    /// Where in the log of its rank a receive ended.
    pub(crate) fn end_of(&self, receive: At) -> Option<usize> {
        self.ends.get(&receive).map(|ended| ended.at)
    }
}
