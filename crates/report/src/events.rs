//! Every call and every message, as long as there are not too many: the timeline from near.
//!
//! Of each rank, what it did is kept as the page reads it: the shapes of its calls ([`crate::shapes`]), and their times, numbers
//! of variable length. Beyond the budget all are let go, and the page shows tiles only.

use mpirage_call::varint;
use rustc_hash::FxHashMap;
use serde_json::json;

use crate::container::Container;
use crate::delivered::Delivered;
use crate::shapes::{NONE, Rank, Sequence, Shapes};
use crate::tapes::{Tape, Tapes};

/// Picoseconds of a nanosecond: what times are told in.
const NANO: u64 = 1_000;
/// The shape of calls beyond the budget.
const BEYOND: u32 = u32::MAX;
/// With so many shapes, sizes that are new are told with times instead.
const MANY_SHAPES: usize = 1 << 12;

/// A call as it is told.
pub(crate) struct Event {
    pub entered: u64,
    pub took: u64,
    /// How long, from its beginning on, it waited for another rank.
    pub waited: u64,
    pub bytes: u64,
    /// What it is besides ([`Events::shape`]).
    pub shape: u32,
}

impl Event {
    /// Something else that a rank did, to be accounted for only.
    pub fn no_call(entered: u64, took: u64) -> Event {
        Event { entered, took, waited: 0, bytes: 0, shape: NONE }
    }

    #[inline]
    pub fn is_call(&self) -> bool {
        self.shape != NONE
    }
}

/// What a call has in common with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CallShape {
    bytes: u64,
    tag: i32,
    site: u32,
    /// How far after the caller, or after rank 0 in collectives, and around; and one more: 0 is none.
    peer: u32,
    comm: u32,
    function: u16,
    /// Which times, and whether bytes, are told with each call, and from where its peer is counted.
    flags: u8,
}

/// Times that are told, if they are not zero: since the call before, of the call, waited.
const SINCE: u8 = 1;
const TOOK: u8 = 2;
const WAITED: u8 = 4;
/// Bytes are told with times.
const BYTES: u8 = 8;
/// The peer is counted from rank 0.
const FROM_ZERO: u8 = 16;

/// The times that can be told or not.
const TIMES: usize = (SINCE | TOOK | WAITED) as usize + 1;

impl CallShape {
    /// Without a peer.
    #[inline]
    pub fn new(function: u16, site: u32, comm: u32, tag: i32, bytes: u64) -> CallShape {
        CallShape { bytes, tag, site, peer: 0, comm, function, flags: 0 }
    }

    /// With this peer of a rank.
    #[inline]
    pub fn with_peer(self, peer: Option<u32>, rank: u32, ranks: u32) -> CallShape {
        CallShape { peer: peer.map_or(0, |peer| 1 + ahead(rank, peer, ranks)), ..self }
    }

    /// With this peer, which is everybody's.
    #[inline]
    pub fn with_root(self, root: Option<u32>) -> CallShape {
        CallShape { peer: root.map_or(0, |root| root + 1), flags: FROM_ZERO, ..self }
    }
}

/// The calls of all ranks.
pub(crate) struct Events {
    budget: u64,
    count: u64,
    /// Shapes as they are told: with the flags of their times.
    shapes: Shapes<CallShape>,
    /// Shapes without those.
    plain: Vec<Plain>,
    known: FxHashMap<CallShape, u32>,
    /// The last of these that was asked for.
    last: u32,
    tapes: Tapes,
    ranks: Vec<Told>,
}

/// A shape without the flags of times.
#[derive(Clone, Copy, Default)]
struct Plain {
    shape: CallShape,
    /// Which came after it last time, of whichever rank: one rank mostly does several things in a row.
    next: u32,
    /// Its numbers with these flags; none if there has been no such call.
    told: [u32; TIMES],
}

/// The calls of one rank.
#[derive(Clone, Copy, Default)]
struct Told {
    /// Of each call the number of its shape.
    shapes: Tape,
    /// And what its shape says is told.
    times: Tape,
    /// When the last began, in nanoseconds.
    last: u64,
    /// Its shape.
    shape: u32,
}

impl Events {
    pub fn new(ranks: usize, budget: u64) -> Events {
        Events {
            budget,
            count: 0,
            shapes: Shapes::new(),
            plain: vec![Plain::default()],
            known: FxHashMap::default(),
            last: NONE,
            tapes: Tapes::new(),
            ranks: vec![Told::default(); ranks],
        }
    }

    /// The number by which an event refers to a shape.
    #[inline]
    pub fn shape(&mut self, shape: &CallShape) -> u32 {
        if self.count > self.budget {
            return BEYOND;
        }
        let expected = self.plain[self.last as usize].next;
        if expected == NONE || self.plain[expected as usize].shape != *shape {
            let number = self.look_up(shape);
            self.plain[self.last as usize].next = number;
            self.last = number;
        } else {
            self.last = expected;
        }
        self.last
    }

    fn look_up(&mut self, shape: &CallShape) -> u32 {
        if let Some(&number) = self.known.get(shape) {
            return number;
        }
        // Of too many sizes all have the same shape.
        let sized_apart = CallShape { bytes: 0, flags: shape.flags | BYTES, ..*shape };
        if self.plain.len() >= MANY_SHAPES && *shape != sized_apart {
            return self.look_up(&sized_apart);
        }
        self.plain.push(Plain { shape: *shape, ..Plain::default() });
        let number = self.plain.len() as u32 - 1;
        self.known.insert(*shape, number);
        number
    }

    /// A call of this rank will be told of soon.
    #[inline]
    pub fn expect(&self, rank: u32) {
        if let Some(told) = self.ranks.get(rank as usize) {
            mpirage_cache::fetch(told);
        }
    }

    /// And very soon.
    #[inline]
    pub fn expect_end(&self, rank: u32) {
        if let Some(told) = self.ranks.get(rank as usize) {
            self.tapes.expect(told.shapes);
            self.tapes.expect(told.times);
        }
    }

    /// Takes down a call of a rank; they come in order.
    #[inline]
    pub fn push(&mut self, rank: u32, event: &Event) {
        self.count += 1;
        if self.count > self.budget {
            if self.count == self.budget + 1 {
                self.give_up();
            }
            return;
        }
        let told = &mut self.ranks[rank as usize];
        let start = event.entered / NANO;
        let since = start.saturating_sub(told.last);
        told.last = start.max(told.last);
        let mut flags = if since > 0 { SINCE } else { 0 };
        let (mut took, mut waited) = (0, 0);
        if event.took > 0 {
            took = (event.entered + event.took) / NANO - start;
            waited = ((event.entered + event.waited) / NANO).saturating_sub(start);
            flags |= if took > 0 { TOOK } else { 0 };
            flags |= if waited > 0 { WAITED } else { 0 };
        }
        let plain = &mut self.plain[event.shape as usize];
        let number = &mut plain.told[usize::from(flags)];
        if *number == NONE {
            *number = self.shapes.add(CallShape { flags: plain.shape.flags | flags, ..plain.shape });
        }
        self.shapes.follow(told.shape, *number);
        told.shape = *number;
        self.tapes.put(&mut told.shapes, u64::from(*number));
        flags |= plain.shape.flags & BYTES;
        if flags != 0 {
            for (value, flag) in [(since, SINCE), (took, TOOK), (waited, WAITED), (event.bytes, BYTES)] {
                if flags & flag != 0 {
                    self.tapes.put(&mut told.times, value);
                }
            }
        }
    }

    #[cold]
    fn give_up(&mut self) {
        *self = Events { count: self.count, ..Events::new(0, self.budget) };
    }

    /// Adds them to the data, if there are not too many.
    pub fn write(&self, out: &mut Container) {
        if self.count > self.budget {
            out.set("events", ());
            return;
        }
        out.set("events", json!({"count": self.count}));
        let shapes = self.shapes.all();
        out.section("call_shapes_function", shapes.clone().map(|(shape, _)| shape.function));
        out.section("call_shapes_flags", shapes.clone().map(|(shape, _)| shape.flags));
        out.section("call_shapes_site", shapes.clone().map(|(shape, _)| shape.site));
        out.section("call_shapes_peer", shapes.clone().map(|(shape, _)| shape.peer));
        out.section(
            "call_shapes_tag",
            shapes.clone().map(|(shape, _)| varint::folded(shape.tag.into()) as u32),
        );
        out.section("call_shapes_comm", shapes.clone().map(|(shape, _)| shape.comm));
        out.section("call_shapes_bytes", shapes.clone().map(|(shape, _)| shape.bytes as f64));
        out.section("call_shapes_next", shapes.map(|(_, next)| next));
        write_ranks(out, "events", self.ranks.iter().map(|told| self.told(told)));
    }

    fn told(&self, told: &Told) -> Rank {
        let mut shapes = Sequence::new(&self.shapes);
        self.tapes.read(told.shapes).for_each(|number| shapes.push(number as u32));
        let mut times = Vec::new();
        self.tapes.copy(told.times, &mut times);
        shapes.finish(times)
    }
}

/// Messages by sender.
pub(crate) struct Arrows {
    budget: u64,
    count: u64,
    shapes: Shapes<ArrowShape>,
    tapes: Tapes,
    ranks: Vec<Sent>,
}

/// The messages of one rank.
#[derive(Clone, Copy, Default)]
struct Sent {
    /// Of each message its shape.
    shapes: Tape,
    /// And when it was sent, since the one before, and how long it took.
    times: Tape,
    /// When the last was sent, in nanoseconds.
    last: u64,
    /// Its shape.
    shape: u32,
    /// Was one sent before the one before it? Such a difference is more than half of all numbers.
    disordered: bool,
}

/// What a message has in common with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct ArrowShape {
    /// How far after the sender, and around.
    to: u32,
    tag: i32,
    bytes: u64,
    inner: bool,
}

struct Arrow {
    /// In nanoseconds.
    sent: u64,
    took: u64,
    shape: u32,
}

impl Arrows {
    pub fn new(ranks: usize, budget: u64) -> Arrows {
        let ranks = vec![Sent::default(); ranks];
        Arrows { budget, count: 0, shapes: Shapes::new(), tapes: Tapes::new(), ranks }
    }

    /// A message of this rank will be told of soon.
    #[inline]
    pub fn expect(&self, rank: u32) {
        if let Some(sent) = self.ranks.get(rank as usize) {
            mpirage_cache::fetch(sent);
        }
    }

    /// And very soon.
    #[inline]
    pub fn expect_end(&self, rank: u32) {
        if let Some(sent) = self.ranks.get(rank as usize) {
            self.tapes.expect(sent.shapes);
            self.tapes.expect(sent.times);
        }
    }

    /// Takes down a message; they come in order of their delivery.
    #[inline]
    pub fn push(&mut self, message: &Delivered) {
        self.count += 1;
        if self.count > self.budget {
            if self.count == self.budget + 1 {
                self.give_up();
            }
            return;
        }
        let sent = message.sent / NANO;
        let took = (message.delivered() / NANO).saturating_sub(sent);
        let &Delivered { from, tag, bytes, inner, .. } = message;
        let to = ahead(from, message.to(), self.ranks.len() as u32);
        let rank = &mut self.ranks[from as usize];
        rank.shape = self.shapes.after(rank.shape, &ArrowShape { to, tag, bytes, inner });
        self.tapes.put(&mut rank.shapes, rank.shape.into());
        self.tapes.put(&mut rank.times, sent.wrapping_sub(rank.last));
        self.tapes.put(&mut rank.times, took);
        rank.disordered |= sent < rank.last;
        rank.last = sent;
    }

    #[cold]
    fn give_up(&mut self) {
        *self = Arrows { count: self.count, ..Arrows::new(0, self.budget) };
    }

    /// Adds them to the data, if there are not too many.
    pub fn write(&self, out: &mut Container) {
        if self.count > self.budget {
            out.set("messages", ());
            return;
        }
        out.set("messages", json!({"count": self.count}));
        let shapes = self.shapes.all();
        out.section("message_shapes_to", shapes.clone().map(|(shape, _)| shape.to));
        out.section("message_shapes_bytes", shapes.clone().map(|(shape, _)| shape.bytes as f64));
        out.section(
            "message_shapes_tag",
            shapes.clone().map(|(shape, _)| varint::folded(shape.tag.into()) as u32),
        );
        out.section("message_shapes_scope", shapes.clone().map(|(shape, _)| u8::from(shape.inner)));
        out.section("message_shapes_next", shapes.map(|(_, next)| next));
        write_ranks(out, "messages", self.ranks.iter().map(|sent| self.told(sent)));
    }

    /// The messages of a rank in order of their sending.
    fn told(&self, sent: &Sent) -> Rank {
        if sent.disordered {
            return self.told_in_order(sent);
        }
        let mut shapes = Sequence::new(&self.shapes);
        self.tapes.read(sent.shapes).for_each(|number| shapes.push(number as u32));
        let mut times = Vec::new();
        self.tapes.copy(sent.times, &mut times);
        shapes.finish(times)
    }

    /// The same for one whose messages are not in order yet.
    fn told_in_order(&self, sent: &Sent) -> Rank {
        let (mut arrows, mut last) = (Vec::new(), 0_u64);
        let mut times = self.tapes.read(sent.times);
        for shape in self.tapes.read(sent.shapes) {
            last = last.wrapping_add(times.next().unwrap_or(0));
            arrows.push(Arrow { sent: last, took: times.next().unwrap_or(0), shape: shape as u32 });
        }
        arrows.sort_by_key(|arrow| arrow.sent);
        let mut shapes = Sequence::new(&self.shapes);
        let (mut times, mut last) = (Vec::with_capacity(4 * arrows.len()), 0);
        for Arrow { sent, took, shape } in arrows {
            shapes.push(shape);
            varint::put(sent - last, &mut times);
            varint::put(took, &mut times);
            last = sent;
        }
        shapes.finish(times)
    }
}

/// How far `rank` has to go up, and around behind the last, to get to `other`.
#[inline]
fn ahead(rank: u32, other: u32, ranks: u32) -> u32 {
    if other >= rank { other - rank } else { other + ranks - rank }
}

/// How many each rank has, their shapes, and their times.
fn write_ranks(out: &mut Container, name: &str, ranks: impl Iterator<Item = Rank>) {
    let mut counts: Vec<u32> = Vec::new();
    let [mut shapes, mut times] = [Column::default(), Column::default()];
    for rank in ranks {
        counts.push(rank.count);
        shapes.push(&rank.shapes);
        times.push(&rank.times);
    }
    out.section(&format!("{name}_count"), counts);
    shapes.write(out, &format!("{name}_shapes"));
    times.write(out, &format!("{name}_times"));
}

/// Bytes of all ranks, and where those of each begin.
#[derive(Default)]
struct Column {
    index: Vec<u32>,
    bytes: Vec<u8>,
}

impl Column {
    fn push(&mut self, bytes: &[u8]) {
        self.index.push(self.bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
    }

    fn write(self, out: &mut Container, name: &str) {
        out.section(&format!("{name}_index"), self.index);
        out.bytes(name, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::message;

    fn shape(bytes: u64) -> CallShape {
        CallShape::new(5, 1, 0, -1, bytes)
    }

    fn event(shape: u32, entered: u64, took: u64) -> Event {
        Event { entered, took, waited: took / 2, bytes: 0, shape }
    }

    #[test]
    fn equal_calls_have_one_shape() {
        let mut events = Events::new(8, 10);
        let number = events.shape(&shape(300).with_peer(Some(3), 0, 8));
        events.push(0, &event(number, 5_500, 2_000));
        events.push(0, &event(number, 9_000, 4_000));
        events.push(0, &event(number, 13_000, 0));
        // The peer of another rank is as far away.
        let number = events.shape(&shape(300).with_peer(Some(5), 2, 8));
        events.push(2, &event(number, 7_000, 2_000));
        let [first, third] = [0, 2].map(|rank: usize| events.told(&events.ranks[rank]));
        assert_eq!((first.count, first.times), (3, vec![5, 2, 1, 4, 4, 2, 4]));
        assert_eq!((events.plain.len(), events.shapes.len()), (2, 3));
        // Twice as guessed, then another; once as guessed.
        assert_eq!((first.shapes, third.shapes), (vec![2, 2], vec![1]));
    }

    #[test]
    fn roots_are_counted_from_the_first_rank() {
        let mut events = Events::new(8, 10);
        let numbers = [0, 5].map(|_| events.shape(&shape(8).with_root(Some(3))));
        assert_eq!(numbers, [1, 1]);
        assert_ne!(events.shape(&shape(8).with_peer(Some(3), 0, 8)), 1);
    }

    #[test]
    fn sizes_that_never_repeat_are_no_shapes() {
        let mut events = Events::new(1, 1 << 20);
        for at in 0..10_000 {
            let number = events.shape(&shape(at));
            events.push(0, &Event { bytes: at, ..event(number, at * 1_000, 0) });
        }
        assert!(events.shapes.len() <= MANY_SHAPES + 2);
        assert_eq!(events.count, 10_000);
        // The last ones are told with when they were and how large.
        let times = events.told(&events.ranks[0]).times;
        assert_eq!(varint::get(&times, &mut (times.len() - 2)), Some(9_999));
    }

    #[test]
    fn too_many_are_none() {
        let mut events = Events::new(2, 3);
        for at in 0..9 {
            let number = events.shape(&shape(at));
            assert_ne!(number, NONE);
            events.push(1, &event(number, at * 1_000, 0));
        }
        assert_eq!(events.plain.len(), 1);
        let mut out = Container::default();
        events.write(&mut out);
        assert_eq!(out.get("events"), Some(&serde_json::Value::Null));
        assert!(events.ranks.is_empty());
    }

    #[test]
    fn arrows_are_in_order_of_sending() {
        let mut arrows = Arrows::new(8, 10);
        for (to, sent) in [(1, 7_000), (2, 4_000)] {
            arrows.push(&Delivered::of(&message(0, to, 8, sent, sent + 1_000)));
        }
        let Rank { shapes, times, count } = arrows.told(&arrows.ranks[0]);
        assert_eq!((shapes, times, count), (vec![0, 2, 0, 1], vec![4, 1, 3, 1], 2));
        arrows.push(&Delivered::of(&message(1, 2, 8, 5_000, 9_000)));
        assert_eq!(arrows.told(&arrows.ranks[1]).times, [5, 4]);
        assert_eq!([ahead(3, 4, 8), ahead(3, 2, 8), ahead(3, 3, 8)], [1, 7, 0]);
    }
}
