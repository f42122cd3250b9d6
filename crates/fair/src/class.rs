//! Flows of the same footprint are one.
//!
//! Messages between the same two hosts ask the same of the same resources, so they always have the same level. However many of them are
//! under way, solves see one flow, whose load is that of all its messages:
//!
//! ```text
//!   flow ── class ── messages ordered by virtual date of completion: only the first decides when the flow ends next
//! ```
//!
//! A flow of one message has no class. Flows are found by a table of those that started lately; where it forgets one, two flows of the same
//! footprint exist, which is right too.

use crate::flow::{Bottleneck, Flow};
use crate::list::NONE;
use crate::resource::Due;
use crate::sharing::Sharing;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Places of the table.
const PLACES: usize = 1 << 12;
/// After so many messages, and as many as there are, dates of a class are counted from zero again.
const ROUND: u32 = 64;

/// The messages of all flows that have more than one.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    all: Vec<Class>,
    vacant: Vec<u32>,
    /// Flows that started lately, by a hash of what they use.
    lately: Vec<Started>,
}

/// A flow that started lately: its id, and a hash of what it uses, which is not zero.
#[derive(Clone, Copy, Debug, Default)]
struct Started {
    hash: u32,
    index: u32,
    generation: u32,
}

#[derive(Clone, Debug, Default)]
struct Class {
    messages: BinaryHeap<Reverse<Message>>,
    /// Messages that have ended since dates were counted from zero.
    ended: u32,
    /// The message that the flow was made for has ended.
    own_ended: bool,
}

/// A message of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    /// Its virtual date of completion, on a clock of the class.
    pub due: Due,
    /// All its virtual work.
    pub work: f64,
    token: u64,
    /// The flow it was made as: its id stays valid.
    flow: u32,
}

/// By date of completion.
impl Ord for Message {
    fn cmp(&self, other: &Message) -> Ordering {
        self.due.cmp(&other.due)
    }
}

impl PartialOrd for Message {
    fn partial_cmp(&self, other: &Message) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Message {}

impl Default for Classes {
    fn default() -> Classes {
        Classes { all: Vec::new(), vacant: Vec::new(), lately: vec![Started::default(); PLACES] }
    }
}

impl Classes {
    /// How many messages a flow has.
    #[inline]
    pub fn count(&self, flow: &Flow) -> f64 {
        if flow.class == NONE { 1.0 } else { self.all[flow.class as usize].messages.len() as f64 }
    }

    fn add(&mut self) -> u32 {
        self.vacant.pop().unwrap_or_else(|| {
            self.all.push(Class::default());
            self.all.len() as u32 - 1
        })
    }
}

impl Sharing {
    #[inline]
    pub(crate) fn count(&self, flow: u32) -> f64 {
        self.classes.count(&self.flows[flow as usize])
    }

    /// The flow that a message belongs to: its own, as a rule.
    pub(crate) fn carrier(&self, message: u32) -> u32 {
        match self.flows[message as usize].bottleneck {
            Bottleneck::SameAs(flow) => flow,
            _ => message,
        }
    }

    /// A flow under way with the same footprint as one that starts, if the table knows it; else the table knows the new one now.
    #[inline]
    pub(crate) fn find_alike(&mut self, flow: u32) -> Option<u32> {
        let Sharing { classes, flows, penalties, .. } = self;
        let starting = &flows[flow as usize];
        let hash = starting.hash_of_uses()?;
        let place = &mut classes.lately[hash as usize % PLACES];
        let Started { hash: known_hash, index, generation } = *place;
        if known_hash == hash && index != flow {
            let known = &flows[index as usize];
            let as_light = penalties[flow as usize] == penalties[index as usize];
            if known.generation == generation && as_light && starting.asks_the_same(known) {
                return Some(index);
            }
        }
        *place = Started { hash, index: flow, generation: starting.generation };
        None
    }

    /// A message that starts joins a flow that is under way.
    pub(crate) fn join_class(&mut self, flow: u32, message: u32) {
        let left = self.left_now(flow);
        let Flow { work, sequence, token, .. } = self.flows[message as usize];
        let class = self.class_of(flow, left);
        let first = class.first().map_or(0.0, |first| first.due.at);
        let joining = Message { due: Due { at: first - left + work, sequence }, work, token, flow: message };
        class.messages.push(Reverse(joining));
        self.flows[message as usize].bottleneck = Bottleneck::SameAs(flow);
        match self.flows[flow as usize].bottleneck {
            Bottleneck::Component(_) => self.components.joined.push(self.id(flow)),
            Bottleneck::At(_) | Bottleneck::Bound => self.post_message(flow, 1.0),
            _ => {}
        }
        if work < left {
            self.set_first(flow, joining, work);
        }
    }

    /// The class of a flow, made if need be.
    fn class_of(&mut self, flow: u32, left: f64) -> &mut Class {
        let Sharing { classes, flows, .. } = self;
        let flow_at = &mut flows[flow as usize];
        if flow_at.class == NONE {
            flow_at.class = classes.add();
            let due = Due { at: left, sequence: flow_at.sequence };
            let own = Message { due, work: flow_at.work, token: flow_at.token, flow };
            classes.all[flow_at.class as usize].messages.push(Reverse(own));
        }
        &mut classes.all[flow_at.class as usize]
    }

    /// Ends the first message of a flow. Gives the message that is first now, and how much more it had to do.
    #[inline]
    pub(crate) fn end_first(&mut self, flow: u32) -> Option<(Message, f64)> {
        let Flow { class, sequence, token, .. } = self.flows[flow as usize];
        if class != NONE {
            return self.end_first_of(class, flow);
        }
        self.progress.note_end(sequence, token);
        None
    }

    #[inline(never)]
    fn end_first_of(&mut self, id: u32, flow: u32) -> Option<(Message, f64)> {
        let class = &mut self.classes.all[id as usize];
        let first = *class.first()?;
        let next = class.drop_first();
        self.progress.note_end(first.due.sequence, first.token);
        self.forget_message(flow, first.flow);
        next.map(|next| (next, next.due.at - first.due.at))
    }

    /// Takes a message out of a flow that has others.
    pub(crate) fn withdraw(&mut self, flow: u32, message: u32) {
        let left = self.left_now(flow);
        let class = &mut self.classes.all[self.flows[flow as usize].class as usize];
        let before = class.first().copied();
        if class.messages.len() > 1 {
            class.messages.retain(|Reverse(other)| other.flow != message);
        }
        let after = class.first().copied();
        let last = after.is_none_or(|after| after.flow == message);
        self.forget_message(flow, message);
        let (Some(before), Some(after), false) = (before, after, last) else { return self.remove(flow) };
        if matches!(self.flows[flow as usize].bottleneck, Bottleneck::At(_) | Bottleneck::Bound) {
            self.post_message(flow, -1.0);
        }
        if before != after {
            self.set_first(flow, after, left + (after.due.at - before.due.at));
        }
    }

    /// Has the flow more than one message, or another one than its own?
    pub(crate) fn has_class(&self, flow: u32) -> bool {
        self.flows[flow as usize].class != NONE
    }

    /// Has the message ended that the flow was made for?
    pub(crate) fn has_own_ended(&self, flow: u32) -> bool {
        self.has_class(flow) && self.classes.all[self.flows[flow as usize].class as usize].own_ended
    }

    /// The flow of a message keeps its place while other messages need it.
    fn forget_message(&mut self, flow: u32, message: u32) {
        if message == flow {
            self.classes.all[self.flows[flow as usize].class as usize].own_ended = true;
        } else {
            self.vacate(message);
        }
    }

    /// A flow is gone, and its messages are.
    pub(crate) fn vacate_class(&mut self, flow: u32) {
        let id = std::mem::replace(&mut self.flows[flow as usize].class, NONE);
        if id != NONE {
            let class = &mut self.classes.all[id as usize];
            class.messages.clear();
            (class.ended, class.own_ended) = (0, false);
            self.classes.vacant.push(id);
        }
    }
}

impl Class {
    fn first(&self) -> Option<&Message> {
        self.messages.peek().map(|Reverse(first)| first)
    }

    /// Takes the first message out, unless it is the last: it counts until its flow is gone. Gives the next.
    fn drop_first(&mut self) -> Option<Message> {
        if self.messages.len() < 2 {
            return None;
        }
        self.messages.pop();
        self.ended += 1;
        let next = self.first().copied();
        self.count_from_zero();
        next
    }

    /// Keeps dates precise, when that costs no more than the messages since the last time.
    fn count_from_zero(&mut self) {
        if self.ended as usize <= ROUND as usize + self.messages.len() {
            return;
        }
        self.ended = 0;
        let start = self.first().map_or(0.0, |first| first.due.at);
        let mut messages = std::mem::take(&mut self.messages).into_vec();
        messages.iter_mut().for_each(|Reverse(message)| message.due.at -= start);
        self.messages = BinaryHeap::from(messages);
    }
}

impl Flow {
    /// A hash of what it uses, by its first resource and one in the middle, where a way there ends and the way back begins; nothing if
    /// it uses nothing.
    #[inline]
    fn hash_of_uses(&self) -> Option<u32> {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let count = self.use_count();
        let middle = count.checked_sub(1)? / 2;
        let (from, to) = (self.nth_use(0).resource, self.nth_use(middle).resource);
        let mixed = (u64::from(from) << 32 | u64::from(to)).wrapping_add(count as u64).wrapping_mul(FACTOR);
        Some((mixed >> 32) as u32 | 1 << 31)
    }

    fn asks_the_same(&self, other: &Flow) -> bool {
        let count = self.use_count();
        let alike = count == other.use_count() && self.ceiling == other.ceiling;
        alike && (0..count).all(|nth| self.nth_use(nth) == other.nth_use(nth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, ResourceId};
    use mpirage_units::{Duration, Time};

    /// Host 0 sends many messages, to `peers` hosts in turn, faster than its link carries them. Gives how many flows were looked at.
    fn flood(mut sharing: Sharing, messages: u64, peers: usize, bound: f64) -> u64 {
        let links: Vec<ResourceId> =
            (0..2 * peers + 2).map(|_| sharing.add_resource(1e9, Kind::Shared)).collect();
        let (mut now, mut done) = (Time::ZERO, vec![]);
        for nth in 0..messages {
            let peer = 1 + nth as usize % peers;
            let uses =
                [(links[0], 1.0), (links[2 * peer], 1.0), (links[2 * peer + 1], 0.05), (links[1], 0.05)];
            let size = 100.0 + (nth * 7919 % 1000) as f64;
            sharing.start(now, size, 1e-4, bound, &uses, nth);
            sharing.next_completion(now);
            now += Duration::from_nanos(300);
            sharing.collect(now, &mut done);
        }
        while let Some(date) = sharing.next_completion(now) {
            now = date;
            sharing.collect(now, &mut done);
        }
        done.sort_unstable();
        assert!(done.into_iter().eq(0..messages));
        sharing.looked_at
    }

    /// However many messages are under way between the same hosts, one that comes or goes costs the same.
    #[test]
    fn a_flood_costs_as_much_per_message_as_a_few() {
        for sharing in [Sharing::new(), Sharing::without_components()] {
            for (peers, bound) in [(1, 1e9), (1, f64::INFINITY), (1, 1e5), (3, 1e9), (40, 1e9), (40, 1e6)] {
                let [few, many] =
                    [2000, 16_000].map(|messages| flood(sharing.clone(), messages, peers, bound));
                let linear = many < 10 * few.max(2000);
                assert!(
                    linear,
                    "{peers} peers, bound {bound}: {few} flows for 2,000 messages, {many} for 16,000"
                );
            }
        }
    }

    #[test]
    fn messages_of_one_flow_end_one_by_one_and_can_be_cancelled() {
        for mut sharing in [Sharing::new(), Sharing::without_components()] {
            let link = sharing.add_resource(1e6, Kind::Shared);
            let mut start = |work, token| sharing.start(Time::ZERO, work, 1.0, 1e6, &[(link, 1.0)], token);
            let [first, second, third] =
                [(1e6, 1), (3e6, 2), (2e6, 3)].map(|(work, token)| start(work, token));
            let is_a_third = |rate: f64| (rate - 1e6 / 3.0).abs() < 1e-3;
            assert!([first, second, third].into_iter().all(|flow| is_a_third(sharing.rate(flow))));
            assert_eq!(sharing.load(link), 1e6);
            let seconds = |seconds: u64| Time::from_picos(seconds * 1_000_000_000_000);
            let mut done = vec![];
            assert_eq!(sharing.next_completion(Time::ZERO), Some(seconds(3)));
            sharing.collect(seconds(3), &mut done);
            assert_eq!((done.as_slice(), sharing.rate(first)), (&[1][..], 0.0));
            sharing.cancel(seconds(4), third);
            assert_eq!(sharing.rate(third), 0.0);
            // The second has done 1 of 3 after three seconds, and half of 1 in the fourth.
            assert_eq!(sharing.next_completion(seconds(4)), Some(Time::from_picos(5_500_000_000_000)));
            sharing.collect(seconds(6), &mut done);
            assert_eq!(done, [1, 2]);
            assert!(sharing.is_idle() && sharing.classes.vacant.len() == sharing.classes.all.len());
        }
    }
}
