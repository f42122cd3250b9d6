//! Which messages could a wildcard receive have got instead?
//!
//! Another message is a candidate if it fits, no earlier receive got it, and its send does not depend on what the receive got: if the
//! end of the receive does not happen before it. Vector clocks (Mattern, *Virtual Time and Global States of Distributed Systems*,
//! 1989) tell. A message orders its send before the end of its receive; a synchronous one orders the receive before the end of the
//! send, too; a collective orders all entries before all exits, which is more than the standard promises. Too much order only hides
//! candidates; it never invents one. Replaying a receive with another source is the idea of Vo et al., *A Scalable and Distributed
//! Dynamic Formal Verifier for MPI Programs* (2010).

use mpirage_call::{ContextId, RequestId};
use mpirage_interpret::comms::Comms;
use mpirage_units::Time;
use rustc_hash::FxHashMap;

use crate::messages::{Channel, Pair, Pattern};
use crate::raw::CallSite;

/// Events that are kept; of a longer run, nothing is said about wildcards.
const MOST_EVENTS: usize = 4_000_000;
/// Components of clocks that are kept.
const MOST_COMPONENTS: usize = 64_000_000;
/// Alternatives that are listed.
const MOST_ALTERNATIVES: usize = 10_000;

/// Another source that a wildcard receive could have got its message from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The rank that receives.
    pub rank: u32,
    /// Which of its wildcard receives and probes it is.
    pub wildcard: u32,
    /// The other source, as a rank of the communicator.
    pub source: u32,
    /// The same as a rank of `MPI_COMM_WORLD`.
    pub other: u32,
    /// The rank of `MPI_COMM_WORLD` whose message it got.
    pub got: u32,
    /// The receive.
    pub call: CallSite,
}

/// A wildcard receive whose source was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The rank that receives.
    pub rank: u32,
    /// Which of its wildcard receives and probes it is.
    pub wildcard: u32,
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

/// What a request of a rank is for.
#[derive(Clone, Copy, Debug)]
enum Under {
    Receive(usize),
    Send(usize),
    Collective(u64),
}

/// The end of a receive.
#[derive(Clone, Copy, Debug)]
struct Ended {
    /// The position in the log of the rank.
    at: usize,
    /// The rank of `MPI_COMM_WORLD` whose message it got.
    from: u32,
    time: Time,
}

/// A place in the log of a rank.
type At = (u32, usize);

/// The events of all ranks, and what orders them.
#[derive(Debug)]
pub(crate) struct Causality {
    logs: Vec<Vec<Event>>,
    requests: FxHashMap<(u32, RequestId), Under>,
    /// How receives ended.
    ends: FxHashMap<At, Ended>,
    /// When wildcard receives were posted.
    posted: FxHashMap<At, Time>,
    /// The beginning and the end of the call that is recorded.
    span: (Time, Time),
    /// The receive of a send, and the send of a receive.
    received_by: FxHashMap<At, At>,
    sent_by: FxHashMap<At, At>,
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
            span: (Time::ZERO, Time::ZERO),
            received_by: FxHashMap::default(),
            sent_by: FxHashMap::default(),
            events: 0,
            wildcards: 0,
            given_up: false,
        }
    }

    /// Ranks communicate in ways that are not followed here.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
    }

    /// A call of this span is recorded next.
    pub(crate) fn set_span(&mut self, entered: Time, left: Time) {
        self.span = (entered, left);
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
            self.posted.insert((rank, at), self.span.0);
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
            self.ends.insert((rank, event), Ended { at, from, time: self.span.1 });
        }
    }

    /// A send belongs to a receive.
    pub(crate) fn pair(&mut self, pair: &Pair) {
        let send = (pair.channel.from, pair.send.event);
        let receive = (pair.channel.to, pair.receive.event);
        self.received_by.insert(send, receive);
        self.sent_by.insert(receive, send);
    }

    /// What wildcard receives could have got instead. Of a run in which some were decided, only of receives that were posted when
    /// those had ended: an earlier one could change what the decided ones wait for.
    pub(crate) fn alternatives(&self, comms: &Comms, decided: &[Decided]) -> Vec<Alternative> {
        if self.given_up || self.wildcards == 0 {
            return Vec::new();
        }
        let Some(clocks) = Clocks::of(self) else { return Vec::new() };
        let all: Vec<Wildcard> =
            (0..).zip(&self.logs).flat_map(|(rank, log)| self.received(rank, log)).collect();
        let is_decided = |one: &&Wildcard| {
            decided.iter().any(|known| (known.rank, known.wildcard) == (one.rank, one.number))
        };
        let settled = all.iter().filter(is_decided).map(|one| one.ended.time).max().unwrap_or(Time::ZERO);
        let mut found = Vec::new();
        for receive in all.iter().filter(|one| one.posted >= settled && !is_decided(one)) {
            for other in self.other_sources(receive, &clocks) {
                let Some(source) = comms.rank_of(receive.pattern.context, other) else { continue };
                let Wildcard { rank, number: wildcard, ended: Ended { from: got, .. }, call, .. } = *receive;
                found.push(Alternative { rank, wildcard, source, other, got, call });
            }
            if found.len() > MOST_ALTERNATIVES {
                break;
            }
        }
        found
    }

    /// The wildcard receives of a rank that have got a message.
    fn received(&self, rank: u32, log: &[Event]) -> Vec<Wildcard> {
        let posts = log.iter().enumerate().filter_map(|(at, event)| match event {
            Event::Post(pattern, call) if pattern.from.is_none() => Some((at, *pattern, *call)),
            _ => None,
        });
        let one = |(number, (at, pattern, call)): (u32, (usize, Pattern, CallSite))| {
            let (&ended, &posted) = (self.ends.get(&(rank, at))?, self.posted.get(&(rank, at))?);
            Some(Wildcard { rank, number, at, posted, ended, pattern, call })
        };
        (0..).zip(posts).filter_map(one).collect()
    }

    /// Ranks whose messages the receive could have got, in order.
    fn other_sources(&self, receive: &Wildcard, clocks: &Clocks) -> Vec<u32> {
        let mut others = Vec::new();
        for (sender, log) in (0..).zip(&self.logs).filter(|&(sender, _)| sender != receive.ended.from) {
            let sends = log.iter().enumerate().filter_map(|(at, event)| match event {
                Event::Send(channel) if receive.accepts(channel) => Some((sender, at)),
                _ => None,
            });
            if sends.into_iter().any(|send| self.is_candidate(receive, send, clocks)) {
                others.push(sender);
            }
        }
        others
    }

    fn is_candidate(&self, receive: &Wildcard, send: At, clocks: &Clocks) -> bool {
        let later = self.received_by.get(&send).is_none_or(|&(_, posted)| posted > receive.at);
        later
            && clocks
                .at_send(send)
                .is_some_and(|clock| clock[receive.rank as usize] as usize <= receive.ended.at)
    }
}

/// A wildcard receive that has got a message.
struct Wildcard {
    rank: u32,
    /// Which of the wildcard receives of its rank it is.
    number: u32,
    /// Where in the log it was posted.
    at: usize,
    posted: Time,
    ended: Ended,
    pattern: Pattern,
    call: CallSite,
}

impl Wildcard {
    fn accepts(&self, channel: &Channel) -> bool {
        channel.to == self.rank
            && channel.context == self.pattern.context
            && self.pattern.tag.is_none_or(|tag| tag == channel.tag)
    }
}

/// Vector clocks: for each rank, how many of its events happened before.
struct Clocks {
    /// At sends and posts.
    kept: FxHashMap<At, Box<[u32]>>,
}

impl Clocks {
    /// The clocks of all events; none if they take too much memory, or if the order of events cannot be found.
    fn of(causality: &Causality) -> Option<Clocks> {
        let ranks = causality.logs.len();
        let kept = |event: &&Event| matches!(event, Event::Send(_) | Event::Post(..) | Event::Enter(_));
        let number: usize = causality.logs.iter().map(|log| log.iter().filter(kept).count()).sum();
        if number.checked_mul(ranks).is_none_or(|components| components > MOST_COMPONENTS) {
            return None;
        }
        let mut walk = Walk::new(causality);
        while walk.round() {}
        walk.is_over().then_some(Clocks { kept: walk.kept })
    }

    fn at_send(&self, send: At) -> Option<&[u32]> {
        self.kept.get(&send).map(|clock| &**clock)
    }
}

/// A walk through all logs, in an order that respects what happens before what.
struct Walk<'a> {
    causality: &'a Causality,
    next: Vec<usize>,
    clocks: Vec<Box<[u32]>>,
    kept: FxHashMap<At, Box<[u32]>>,
    /// The clocks of the entries into each collective, joined; how many are expected and how many have come.
    collectives: FxHashMap<u64, (usize, usize, Box<[u32]>)>,
}

impl<'a> Walk<'a> {
    fn new(causality: &'a Causality) -> Walk<'a> {
        let ranks = causality.logs.len();
        let none = || vec![0; ranks].into_boxed_slice();
        let mut collectives: FxHashMap<u64, (usize, usize, Box<[u32]>)> = FxHashMap::default();
        for event in causality.logs.iter().flatten() {
            if let Event::Enter(number) = event {
                collectives.entry(*number).or_insert_with(|| (0, 0, none())).0 += 1;
            }
        }
        let clocks = (0..ranks).map(|_| none()).collect();
        Walk { causality, next: vec![0; ranks], clocks, kept: FxHashMap::default(), collectives }
    }

    fn is_over(&self) -> bool {
        self.next.iter().zip(&self.causality.logs).all(|(&next, log)| next == log.len())
    }

    /// Lets each rank go on as far as it can. False if none could.
    fn round(&mut self) -> bool {
        let mut moved = false;
        for rank in 0..self.next.len() {
            while self.step(rank as u32) {
                moved = true;
            }
        }
        moved
    }

    /// The next event of a rank, if everything that happens before it is known.
    fn step(&mut self, rank: u32) -> bool {
        let (me, at) = (rank as usize, self.next[rank as usize]);
        let Some(&event) = self.causality.logs[me].get(at) else { return false };
        let before = match event {
            Event::Received(post) => self.causality.sent_by.get(&(rank, post)),
            Event::Delivered(send) => self.causality.received_by.get(&(rank, send)),
            _ => None,
        };
        if let Some(before) = before {
            let Some(clock) = self.kept.get(before) else { return false };
            join(&mut self.clocks[me], clock);
            // A send that waits depends on what its receive got, which shows at the end of the receive.
            if let (Event::Delivered(_), Some(ended)) = (event, self.causality.ends.get(before)) {
                let theirs = &mut self.clocks[me][before.0 as usize];
                *theirs = (*theirs).max(ended.at as u32 + 1);
            }
        }
        if let Event::Leave(number) = event
            && let Some((expected, come, clock)) = self.collectives.get(&number)
        {
            if come < expected {
                return false;
            }
            join(&mut self.clocks[me], clock);
        }
        self.clocks[me][me] = at as u32 + 1;
        if let Event::Enter(number) = event
            && let Some((_, come, clock)) = self.collectives.get_mut(&number)
        {
            *come += 1;
            join(clock, &self.clocks[me]);
        }
        if matches!(event, Event::Send(_) | Event::Post(..) | Event::Poll) {
            self.kept.insert((rank, at), self.clocks[me].clone());
        }
        self.next[me] = at + 1;
        true
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::End;
    use mpirage_call::WORLD;

    fn channel(from: u32, to: u32) -> Channel {
        Channel { context: WORLD, from, to, tag: 0 }
    }

    fn send(causality: &mut Causality, from: u32, to: u32) -> usize {
        causality.add(from, Event::Send(channel(from, to)))
    }

    fn receive(causality: &mut Causality, rank: u32, wanted: Option<u32>, from: u32, sent: usize) {
        let pattern = Pattern { context: WORLD, from: wanted, tag: None };
        let event = causality.add(rank, Event::Post(pattern, CallSite::default()));
        let end = |event| End { call: CallSite::default(), event, signature: None, data: String::new() };
        causality.pair(&Pair { channel: channel(from, rank), send: end(sent), receive: end(event) });
        causality.end(rank, event, Some(from));
    }

    fn others(causality: &Causality) -> Vec<(u32, u32, u32)> {
        let found = causality.alternatives(&Comms::new(3), &[]);
        found.iter().map(|one| (one.rank, one.wildcard, one.other)).collect()
    }

    #[test]
    fn two_independent_senders_are_candidates_of_the_first_receive_only() {
        let mut causality = Causality::new(3);
        let (first, second) = (send(&mut causality, 1, 0), send(&mut causality, 2, 0));
        receive(&mut causality, 0, None, 1, first);
        receive(&mut causality, 0, None, 2, second);
        assert_eq!(others(&causality), [(0, 0, 2)]);
    }

    #[test]
    fn only_receives_after_a_decided_one_have_alternatives() {
        let mut causality = Causality::new(4);
        let sent: Vec<usize> = (1..4).map(|rank| send(&mut causality, rank, 0)).collect();
        for rank in 1..4 {
            let time = Time::from_picos(u64::from(rank));
            causality.set_span(time, time);
            receive(&mut causality, 0, None, rank, sent[rank as usize - 1]);
        }
        let after = |wildcard| {
            let found = causality.alternatives(&Comms::new(4), &[Decided { rank: 0, wildcard }]);
            found.iter().map(|one| (one.wildcard, one.other)).collect::<Vec<_>>()
        };
        assert_eq!(after(0), [(1, 3)]);
        assert_eq!(after(1), []);
    }

    #[test]
    fn a_message_that_follows_from_the_receive_is_no_candidate() {
        let mut causality = Causality::new(3);
        let first = send(&mut causality, 1, 0);
        receive(&mut causality, 0, None, 1, first);
        let go = send(&mut causality, 0, 2);
        receive(&mut causality, 2, Some(0), 0, go);
        let second = send(&mut causality, 2, 0);
        receive(&mut causality, 0, None, 2, second);
        assert_eq!(others(&causality), []);
    }

    #[test]
    fn a_barrier_orders_messages() {
        let mut causality = Causality::new(3);
        let first = send(&mut causality, 1, 0);
        receive(&mut causality, 0, None, 1, first);
        (0..3).for_each(|rank| causality.enter(rank, 9, None));
        let second = send(&mut causality, 2, 0);
        receive(&mut causality, 0, None, 2, second);
        assert_eq!(others(&causality), []);
    }

    #[test]
    fn a_synchronous_send_waits_for_its_receive() {
        let mut causality = Causality::new(3);
        let first = send(&mut causality, 1, 0);
        receive(&mut causality, 0, None, 1, first);
        causality.begin_send(1, first, None, true);
        let go = send(&mut causality, 1, 2);
        receive(&mut causality, 2, Some(1), 1, go);
        let second = send(&mut causality, 2, 0);
        receive(&mut causality, 0, None, 2, second);
        assert_eq!(others(&causality), []);
    }
}
