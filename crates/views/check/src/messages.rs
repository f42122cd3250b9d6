//! Pairs sends with receives, and compares their types.
//!
//! Messages of one sender with one tag in one communicator do not overtake each other. So the n-th of them belongs to the n-th
//! receive, in the order in which receives were posted, that got one of them.

use std::collections::VecDeque;

use mpirage_call::{ContextId, FindingClass, RequestId, Signature};
use rustc_hash::FxHashMap;

use crate::raw::{CallSite, RawFinding, Related};

/// Messages that do not overtake each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Channel {
    pub context: ContextId,
    /// Ranks of `MPI_COMM_WORLD`.
    pub from: u32,
    pub to: u32,
    pub tag: i32,
}

/// A send, or the data of a receive.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub call: CallSite,
    /// The position in the log of its rank.
    pub event: usize,
    pub signature: Option<Signature>,
    /// Its data in words.
    pub data: String,
}

/// The communicator, source and tag that a receive asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern {
    pub context: ContextId,
    /// A rank of `MPI_COMM_WORLD`.
    pub from: Option<u32>,
    pub tag: Option<i32>,
}

/// A message that was received: both ends.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub channel: Channel,
    pub send: End,
    pub receive: End,
}

#[derive(Debug)]
struct Receive {
    number: u64,
    pattern: Pattern,
    end: End,
    state: State,
    /// Will the type of its data follow?
    awaits_type: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is under way.
    Open,
    /// It got a message from this rank with this tag.
    Matched(u32, i32),
    /// It got none.
    Cancelled,
}

#[derive(Debug, Default)]
struct RankReceives {
    /// In the order of posting, from the first that is under way.
    posted: VecDeque<Receive>,
    numbers: u64,
    /// The numbers of receives by request, by the message of a matched probe and by declaration.
    by_request: FxHashMap<RequestId, u64>,
    by_message: FxHashMap<u32, u64>,
    by_ticket: FxHashMap<u64, u64>,
}

#[derive(Debug, Default)]
struct Waiting {
    sends: VecDeque<End>,
    receives: VecDeque<End>,
}

/// All messages of a run.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    ranks: FxHashMap<u32, RankReceives>,
    channels: FxHashMap<Channel, Waiting>,
}

impl Messages {
    /// A rank has sent a message.
    pub(crate) fn sent(&mut self, channel: Channel, end: End) -> Option<Pair> {
        let waiting = self.channels.entry(channel).or_default();
        match waiting.receives.pop_front() {
            Some(receive) => Some(Pair { channel, send: end, receive }),
            None => {
                waiting.sends.push_back(end);
                None
            }
        }
    }

    /// A rank has posted a receive, or a matched probe has taken a message; the type of its data follows if `awaits_type`. Gives
    /// its number.
    pub(crate) fn posted(&mut self, rank: u32, pattern: Pattern, end: End, awaits_type: bool) -> u64 {
        let receives = self.ranks.entry(rank).or_default();
        receives.numbers += 1;
        let number = receives.numbers;
        receives.posted.push_back(Receive { number, pattern, end, state: State::Open, awaits_type });
        number
    }

    /// A receive completes with a request.
    pub(crate) fn name_request(&mut self, rank: u32, request: RequestId, number: u64) {
        self.ranks.entry(rank).or_default().by_request.insert(request, number);
    }

    /// The type of its data follows under this ticket.
    pub(crate) fn name_ticket(&mut self, rank: u32, ticket: u64, number: u64) {
        self.ranks.entry(rank).or_default().by_ticket.insert(ticket, number);
    }

    /// A matched probe took this message.
    pub(crate) fn name_message(&mut self, rank: u32, message: u32, number: u64) {
        self.ranks.entry(rank).or_default().by_message.insert(message, number);
    }

    /// The receive of a request that has ended; it is forgotten.
    pub(crate) fn take_request(&mut self, rank: u32, request: RequestId) -> Option<u64> {
        self.ranks.get_mut(&rank)?.by_request.remove(&request)
    }

    /// The receive that a matched probe began; the program receives it now.
    pub(crate) fn take_message(
        &mut self,
        rank: u32,
        message: u32,
        end: End,
        awaits_type: bool,
    ) -> Option<u64> {
        let receives = self.ranks.get_mut(&rank)?;
        let number = receives.by_message.remove(&message)?;
        let receive = receives.get(number)?;
        // The probe orders events, so its event is kept.
        (receive.end, receive.awaits_type) = (End { event: receive.end.event, ..end }, awaits_type);
        Some(number)
    }

    /// A receive has got a message; none if it was cancelled.
    pub(crate) fn received(&mut self, rank: u32, number: u64, message: Option<(u32, i32)>) {
        if let Some(receive) = self.ranks.get_mut(&rank).and_then(|receives| receives.get(number)) {
            receive.state = message.map_or(State::Cancelled, |(from, tag)| State::Matched(from, tag));
        }
    }

    /// The type of what a declared receive got.
    pub(crate) fn observed(&mut self, rank: u32, ticket: u64, signature: Option<Signature>) {
        let Some(receives) = self.ranks.get_mut(&rank) else { return };
        let number = receives.by_ticket.remove(&ticket);
        if let Some(receive) = number.and_then(|number| receives.get(number)) {
            (receive.end.signature, receive.awaits_type) = (signature, false);
        }
    }

    /// The program will not wait for a receive: which message it gets is known only if it has no wildcard.
    pub(crate) fn freed(&mut self, rank: u32, number: u64) {
        let Some(receive) = self.ranks.get_mut(&rank).and_then(|receives| receives.get(number)) else {
            return;
        };
        if let Pattern { from: Some(from), tag: Some(tag), .. } = receive.pattern {
            (receive.state, receive.awaits_type) = (State::Matched(from, tag), false);
        }
    }

    /// The first receives of a rank that are not under way any more get their messages. Gives the pairs that are complete now.
    pub(crate) fn settle(&mut self, rank: u32) -> Vec<Pair> {
        let Some(receives) = self.ranks.get_mut(&rank) else { return Vec::new() };
        let settled = receives.posted.iter().take_while(|receive| receive.is_settled()).count();
        let settled: Vec<Receive> = receives.posted.drain(..settled).collect();
        settled.into_iter().filter_map(|receive| self.join(rank, receive)).collect()
    }

    fn join(&mut self, rank: u32, receive: Receive) -> Option<Pair> {
        let Receive { pattern: Pattern { context, .. }, end, state: State::Matched(from, tag), .. } = receive
        else {
            return None;
        };
        let channel = Channel { context, from, to: rank, tag };
        let waiting = self.channels.entry(channel).or_default();
        match waiting.sends.pop_front() {
            Some(send) => Some(Pair { channel, send, receive: end }),
            None => {
                waiting.receives.push_back(end);
                None
            }
        }
    }

    /// Is it known which message each receive got?
    pub(crate) fn all_known(&self) -> bool {
        self.ranks.values().all(|receives| receives.posted.iter().all(|receive| receive.state == State::Open))
    }
}

impl RankReceives {
    fn get(&mut self, number: u64) -> Option<&mut Receive> {
        let first = self.posted.front()?.number;
        self.posted.get_mut(usize::try_from(number.checked_sub(first)?).ok()?)
    }
}

impl Receive {
    fn is_settled(&self) -> bool {
        match self.state {
            State::Open => false,
            State::Matched(..) => !self.awaits_type,
            State::Cancelled => true,
        }
    }
}

impl Pair {
    /// The mismatch between the types of send and receive, if there is one.
    pub(crate) fn mismatch(&self) -> Option<RawFinding> {
        let (sent, received) = (self.send.signature?, self.receive.signature?);
        if sent.agrees_with(&received) {
            return None;
        }
        let Pair { channel, send, receive } = self;
        let text = format!(
            "{} receives into {}, but the message has {}",
            receive.call.name(),
            receive.data,
            send.data
        );
        let sender = format!("rank {} sends {} with {}", channel.from, send.data, send.call.name());
        Some(RawFinding {
            class: FindingClass::DatatypeMismatch,
            rank: channel.to,
            call: receive.call,
            text,
            expected: Some(format!("the type signature of {}, or MPI_BYTE on both sides", send.data)),
            related: vec![Related { rank: channel.from, call: send.call, text: sender }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpirage_call::WORLD;

    const CHANNEL: Channel = Channel { context: WORLD, from: 0, to: 1, tag: 7 };

    fn end(event: usize, hash: u64) -> End {
        let signature = Some(Signature { elements: 4, hash, untyped: false });
        End { call: CallSite::default(), event, signature, data: String::new() }
    }

    fn post(messages: &mut Messages, event: usize, from: Option<u32>) -> u64 {
        messages.posted(1, Pattern { context: WORLD, from, tag: None }, end(event, 1), false)
    }

    #[test]
    fn receives_get_messages_in_the_order_of_posting() {
        let mut messages = Messages::default();
        assert!(messages.sent(CHANNEL, end(0, 1)).is_none());
        assert!(messages.sent(CHANNEL, end(1, 2)).is_none());
        let (first, second) = (post(&mut messages, 10, None), post(&mut messages, 11, Some(0)));
        messages.received(1, second, Some((0, 7)));
        assert!(messages.settle(1).is_empty());
        messages.received(1, first, Some((0, 7)));
        let pairs = messages.settle(1);
        let events: Vec<_> = pairs.iter().map(|pair| (pair.send.event, pair.receive.event)).collect();
        assert_eq!(events, [(0, 10), (1, 11)]);
        assert!(pairs[0].mismatch().is_none());
        assert_eq!(pairs[1].mismatch().map(|finding| finding.rank), Some(1));
    }

    #[test]
    fn a_cancelled_receive_gets_nothing_and_a_late_send_is_paired() {
        let mut messages = Messages::default();
        let (first, second) = (post(&mut messages, 10, None), post(&mut messages, 11, None));
        messages.received(1, first, None);
        messages.received(1, second, Some((0, 7)));
        assert!(messages.settle(1).is_empty());
        let pair = messages.sent(CHANNEL, end(3, 1)).unwrap();
        assert_eq!((pair.send.event, pair.receive.event), (3, 11));
        assert!(messages.all_known());
    }
}
