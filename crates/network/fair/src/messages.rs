//! Messages: several of the same footprint are one flow.
//!
//! Messages between the same two hosts ask the same of the same resources, so they always have the same level. However many of them are
//! under way, solvers see one flow, whose load is that of all its messages:
//!
//! ```text
//!   flow ── class ── messages ordered by virtual date of completion: only the first decides when the flow ends next
//! ```
//!
//! A flow of one message has no class. Flows are found by a table of those that started lately; where it forgets one, two flows of the same
//! footprint exist, which is right too.

use crate::ended::Ended;
use crate::flow::{Flow, Solver};
use crate::flows::Flows;
use crate::list::NONE;
use crate::virtual_date::VirtualDate;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Places of the table.
const PLACES: usize = 1 << 12;
/// After so many messages, and as many as there are, dates of a class are counted from zero again.
const ROUND: u32 = 64;

/// The messages of all flows that have more than one, and those that have ended.
#[derive(Clone, Debug)]
pub(crate) struct Messages {
    classes: Vec<Class>,
    vacant: Vec<u32>,
    /// Flows that started lately, by a hash of what they use.
    lately: Vec<Started>,
    pub ended: Ended,
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
    messages: BinaryHeap<Reverse<ClassMessage>>,
    /// Messages that have ended since dates were counted from zero.
    ended: u32,
    /// The message that the flow was made for has ended.
    own_ended: bool,
}

/// A message of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassMessage {
    /// Its virtual date of completion, on a clock of the class.
    pub due: VirtualDate,
    /// All its virtual work.
    pub work: f64,
    token: u64,
    /// The flow it was made as: its id stays valid.
    flow: u32,
}

/// By date of completion.
impl Ord for ClassMessage {
    fn cmp(&self, other: &ClassMessage) -> Ordering {
        self.due.cmp(&other.due)
    }
}

impl PartialOrd for ClassMessage {
    fn partial_cmp(&self, other: &ClassMessage) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ClassMessage {
    fn eq(&self, other: &ClassMessage) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ClassMessage {}

/// The messages that a flow still has after one of them was cancelled.
pub(crate) enum Withdrawn {
    /// None: it was the last message.
    Last,
    /// Others; the first message is unchanged.
    SameFirst,
    /// Others; the first message changed, and had this much more work left than the old one.
    NewFirst(ClassMessage, f64),
}

impl Default for Messages {
    fn default() -> Messages {
        let lately = vec![Started::default(); PLACES];
        Messages { classes: Vec::new(), vacant: Vec::new(), lately, ended: Ended::default() }
    }
}

impl Messages {
    /// How many messages a flow has.
    #[inline]
    pub fn count(&self, flow: &Flow) -> f64 {
        if flow.class == NONE { 1.0 } else { self.classes[flow.class as usize].messages.len() as f64 }
    }

    /// Has a flow never had more than its own message?
    pub fn is_alone(&self, flow: &Flow) -> bool {
        flow.class == NONE
    }

    /// The only message of a flow has ended.
    pub fn note_ended(&mut self, flow: &Flow) {
        self.ended.note(flow.sequence, flow.token);
    }

    /// A flow under way with the same footprint as one that starts, if the table knows it; else the table knows the new one now.
    #[inline]
    pub fn find_alike(&mut self, flows: &Flows, flow: u32) -> Option<u32> {
        let starting = &flows[flow as usize];
        let hash = starting.hash_of_uses()?;
        let place = &mut self.lately[hash as usize % PLACES];
        let Started { hash: known_hash, index, generation } = *place;
        if known_hash == hash && index != flow {
            let known = &flows[index as usize];
            let as_light = || flows.penalty(flow) == flows.penalty(index);
            if known.generation == generation && as_light() && starting.asks_the_same(known) {
                return Some(index);
            }
        }
        *place = Started { hash, index: flow, generation: starting.generation };
        None
    }

    /// A message joins a flow that is under way and has so much left. Gives the message if it is the first to end now.
    pub(crate) fn join(
        &mut self,
        flows: &mut Flows,
        flow: u32,
        left: f64,
        message: u32,
    ) -> Option<ClassMessage> {
        let Flow { work, sequence, token, .. } = flows[message as usize];
        let class = self.class_of(flows, flow, left);
        let first = class.first().map_or(0.0, |first| first.due.at);
        let due = VirtualDate { at: first - left + work, sequence };
        let joining = ClassMessage { due, work, token, flow: message };
        class.messages.push(Reverse(joining));
        flows[message as usize].solver = Solver::MessageOf(flow);
        (work < left).then_some(joining)
    }

    /// The class of a flow, made if need be.
    fn class_of(&mut self, flows: &mut Flows, flow: u32, left: f64) -> &mut Class {
        let carrier = &mut flows[flow as usize];
        if carrier.class == NONE {
            carrier.class = self.vacant.pop().unwrap_or_else(|| {
                self.classes.push(Class::default());
                self.classes.len() as u32 - 1
            });
            let due = VirtualDate { at: left, sequence: carrier.sequence };
            let own = ClassMessage { due, work: carrier.work, token: carrier.token, flow };
            self.classes[carrier.class as usize].messages.push(Reverse(own));
        }
        &mut self.classes[carrier.class as usize]
    }

    /// Ends the first message of a flow. Gives the message that is first now, and how much more it had to do.
    #[inline]
    pub fn end_first(&mut self, flows: &mut Flows, flow: u32) -> Option<(ClassMessage, f64)> {
        let ending = &flows[flow as usize];
        if !self.is_alone(ending) {
            return self.end_first_of(ending.class, flows, flow);
        }
        self.note_ended(ending);
        None
    }

    #[inline(never)]
    fn end_first_of(&mut self, class: u32, flows: &mut Flows, flow: u32) -> Option<(ClassMessage, f64)> {
        let class = &mut self.classes[class as usize];
        let first = *class.first()?;
        let next = class.drop_first();
        self.ended.note(first.due.sequence, first.token);
        self.forget(flows, flow, first.flow);
        next.map(|next| (next, next.due.at - first.due.at))
    }

    /// Takes a message out of a flow.
    pub(crate) fn withdraw(&mut self, flows: &mut Flows, flow: u32, message: u32) -> Withdrawn {
        if flows[flow as usize].class == NONE {
            return Withdrawn::Last;
        }
        let class = &mut self.classes[flows[flow as usize].class as usize];
        let before = class.first().copied();
        if class.messages.len() > 1 {
            class.messages.retain(|Reverse(other)| other.flow != message);
        }
        let after = class.first().copied();
        let last = after.is_none_or(|after| after.flow == message);
        self.forget(flows, flow, message);
        match (before, after) {
            (Some(before), Some(after)) if !last && before != after => {
                Withdrawn::NewFirst(after, after.due.at - before.due.at)
            }
            (Some(_), Some(_)) if !last => Withdrawn::SameFirst,
            _ => Withdrawn::Last,
        }
    }

    /// How much more virtual work a message of a flow has to do than the first.
    pub(crate) fn behind_first(&self, flows: &Flows, flow: u32, message: u32) -> f64 {
        let class = flows[flow as usize].class;
        if class == NONE {
            return 0.0;
        }
        let messages = &self.classes[class as usize].messages;
        let first = messages.peek().map_or(0.0, |Reverse(first)| first.due.at);
        let own = messages.iter().find(|Reverse(other)| other.flow == message);
        own.map_or(0.0, |Reverse(own)| own.due.at - first)
    }

    /// Has the message ended that the flow was made for?
    pub fn has_own_ended(&self, flow: &Flow) -> bool {
        flow.class != NONE && self.classes[flow.class as usize].own_ended
    }

    /// The flow of a message keeps its number while other messages need it.
    fn forget(&mut self, flows: &mut Flows, flow: u32, message: u32) {
        if message == flow {
            self.classes[flows[flow as usize].class as usize].own_ended = true;
        } else {
            self.vacate(flows, message);
        }
    }

    /// A flow is gone, and its messages are.
    #[inline]
    pub fn vacate(&mut self, flows: &mut Flows, flow: u32) {
        let id = flows.vacate(flow);
        if id != NONE {
            let class = &mut self.classes[id as usize];
            class.messages.clear();
            (class.ended, class.own_ended) = (0, false);
            self.vacant.push(id);
        }
    }

    #[cfg(test)]
    pub fn has_no_classes(&self) -> bool {
        self.vacant.len() == self.classes.len()
    }
}

impl Class {
    fn first(&self) -> Option<&ClassMessage> {
        self.messages.peek().map(|Reverse(first)| first)
    }

    /// Removes the first message, unless it is the last: that counts until its flow is gone. Gives the next.
    fn drop_first(&mut self) -> Option<ClassMessage> {
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
