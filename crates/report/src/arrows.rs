//! Messages by sender, one by one as long as there are not too many: the arrows of the timeline.

use mpirage_call::varint;
use serde_json::json;

use crate::by_rank::{ByRank, Ranked};
use crate::columns::Column;
use crate::container::Container;
use crate::delivered::Delivered;
use crate::phrases::ahead;
use crate::shapes::{NONE, Sequence, Shapes};

/// Picoseconds of a nanosecond: what times are told in.
const NANO: u64 = 1_000;

/// Bytes of the times of a message, about.
const BYTES: usize = 6;

/// Messages that are kept.
pub(crate) struct Arrows {
    budget: usize,
    ranks: u32,
    shapes: Shapes<ArrowShape>,
    kept: ByRank<Kept>,
    /// How many they are.
    count: usize,
    /// The last of each sender.
    last: Vec<Last>,
    /// Were there too many?
    beyond: bool,
    /// Of each sender's messages, once they are sorted: how many, when each was sent, since the one before, and how long it took.
    counts: Vec<u32>,
    times: Column,
    /// And their shapes.
    sequence: Vec<u32>,
}

/// The last message of a sender that was kept.
#[derive(Clone, Copy, Default)]
struct Last {
    sent: u64,
    shape: u32,
    /// Was one kept that had been sent before the one before it?
    disordered: bool,
}

/// A message whose bytes started to move as it was sent, and that was delivered as they arrived. In picoseconds. Of any other, the
/// next of its sender is the rest: how long after it was sent they started to move, and how long after that they arrived.
#[derive(Clone, Copy)]
struct Kept {
    sent: u64,
    took: u64,
    from: u32,
    /// And whether there is a rest.
    shape: u32,
}

/// There is a rest.
const UNUSUAL: u32 = 1 << 31;

/// A message.
struct Sent {
    at: u64,
    /// How long after that its bytes started to move, had arrived, and were delivered.
    times: [u64; 3],
    from: u32,
    shape: u32,
}

impl Sent {
    /// The next message.
    #[inline]
    fn next<'a>(kept: &mut impl Iterator<Item = &'a Kept>) -> Option<Sent> {
        let &Kept { sent: at, took, from, shape } = kept.next()?;
        if shape & UNUSUAL == 0 {
            return Some(Sent { at, times: [0, took, took], from, shape });
        }
        let rest = kept.next()?;
        let times = [rest.sent, rest.sent + rest.took, took];
        Some(Sent { at, times, from, shape: shape & !UNUSUAL })
    }
}

impl Ranked for Kept {
    #[inline]
    fn rank(&self) -> u32 {
        self.from
    }
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

impl Arrows {
    pub fn new(ranks: u32, budget: u64) -> Arrows {
        Arrows {
            budget: usize::try_from(budget).unwrap_or(usize::MAX),
            ranks,
            shapes: Shapes::new(),
            kept: ByRank::new(ranks as usize),
            count: 0,
            last: vec![Last::default(); ranks as usize],
            beyond: false,
            counts: Vec::new(),
            times: Column::default(),
            sequence: Vec::new(),
        }
    }

    /// Is there no room for another?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.count >= self.budget
    }

    /// Were there too many?
    #[inline]
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// Keeps a message.
    #[inline]
    pub fn keep(&mut self, message: &Delivered) {
        let &Delivered { from, tag, bytes, inner, sent, .. } = message;
        let to = ahead(from, message.to(), self.ranks);
        let last = &mut self.last[from as usize];
        last.shape = self.shapes.number(last.shape, &ArrowShape { to, tag, bytes, inner });
        last.disordered |= sent < last.sent;
        last.sent = sent;
        let [departed, arrived, delivered] = message.since_sent();
        if self.kept.is_full() {
            self.kept.settle();
        }
        let usual = departed == 0 && arrived == delivered;
        let shape = if usual { last.shape } else { last.shape | UNUSUAL };
        self.kept.push(Kept { sent, took: delivered, from, shape });
        if !usual {
            self.kept.push(Kept { sent: departed, took: arrived.saturating_sub(departed), from, shape });
        }
        self.count += 1;
    }

    /// Lets all go: there are too many. Each is told of once more.
    pub fn give_up(&mut self, tell: impl FnMut(&Delivered)) {
        let given_up = Arrows { beyond: true, ..Arrows::new(self.ranks, 0) };
        let given_up = std::mem::replace(self, given_up);
        given_up.each(tell);
    }

    /// Tells of each message, in about the order in which they were delivered.
    pub fn each(&self, mut tell: impl FnMut(&Delivered)) {
        let mut kept = self.kept.settled().iter().chain(self.kept.fresh());
        while let Some(sent) = Sent::next(&mut kept) {
            tell(&again(&sent, self.shapes.get(sent.shape), self.ranks));
        }
    }

    /// Puts the messages of each sender in the order in which they were sent.
    pub fn settle(&mut self) {
        self.kept.settle();
        self.sequence.reserve(self.count);
        self.times.numbers.reserve(BYTES * self.count);
        for rank in 0..self.last.len() {
            self.times.begin_rank();
            let (before, mut last) = (self.sequence.len(), (0, NONE));
            let mut kept = self.kept.of(rank).flatten();
            let mut add = |sent: Sent| {
                let start = sent.at / NANO;
                self.times.numbers.put(start - last.0);
                self.times.numbers.put((sent.at + sent.times[2]) / NANO - start);
                self.shapes.follow(last.1, sent.shape, 1);
                self.sequence.push(sent.shape);
                last = (start, sent.shape);
            };
            if self.last[rank].disordered {
                let mut all: Vec<Sent> = std::iter::from_fn(|| Sent::next(&mut kept)).collect();
                all.sort_by_key(|sent| sent.at);
                all.into_iter().for_each(add);
            } else {
                while let Some(sent) = Sent::next(&mut kept) {
                    add(sent);
                }
            }
            self.counts.push((self.sequence.len() - before) as u32);
        }
    }

    /// Adds them to the data, if there were not too many. They have been settled.
    pub fn write(&mut self, out: &mut Container) {
        if self.beyond {
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
        out.section("messages_count", self.counts.iter().copied());
        self.sequences().write(out, "messages_shapes");
        std::mem::take(&mut self.times).write(out, "messages_times");
    }

    /// The shapes of each rank's messages.
    fn sequences(&self) -> Column {
        let (mut column, mut rest) = (Column::default(), self.sequence.as_slice());
        for &count in &self.counts {
            let (of_rank, others) = rest.split_at(count as usize);
            column.begin_rank();
            let mut shapes = Sequence::new(&self.shapes, &mut column.numbers);
            of_rank.iter().for_each(|&number| shapes.push(number));
            shapes.finish();
            rest = others;
        }
        column
    }
}

/// A message that was kept, as it was.
#[inline]
fn again(sent: &Sent, shape: &ArrowShape, ranks: u32) -> Delivered {
    let &ArrowShape { to, tag, bytes, inner } = shape;
    let behind = ranks - sent.from;
    let to = if to < behind { sent.from + to } else { to - behind };
    Delivered::again([sent.from, to], tag, bytes, inner, sent.at, sent.times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::message;

    #[test]
    fn arrows_are_in_order_of_sending() {
        let mut arrows = Arrows::new(8, 10);
        for (from, to, sent, delivered) in [(0, 1, 7_000, 8_000), (1, 0, 5_000, 9_000), (0, 2, 4_000, 5_000)]
        {
            arrows.keep(&Delivered::of(&message(from, to, 8, sent, delivered)));
        }
        let mut told = Vec::new();
        arrows.settle();
        arrows.each(|message| told.push((message.from, message.to(), message.delivered())));
        assert_eq!(told, [(0, 1, 8_000), (0, 2, 5_000), (1, 0, 9_000)]);
        assert_eq!(
            (&arrows.counts[..3], arrows.sequence.as_slice()),
            ([2, 1, 0].as_slice(), [3, 1, 2].as_slice())
        );
        let column = arrows.sequences();
        assert_eq!(column.numbers.finish(), [2, 0, 2], "two as guessed; none, and another");
        assert_eq!(arrows.times.numbers.finish(), [4, 1, 3, 1, 5, 4]);
    }

    #[test]
    fn nothing_is_forgotten() {
        let mut arrows = Arrows::new(4, 100);
        let times = [[0, 500, 500], [30, 500, 500], [0, 500, 900], [30, 500, 900]];
        for times in times {
            arrows.keep(&Delivered::again([3, 1], 5, 77, true, 1_000, times));
        }
        let mut told = Vec::new();
        arrows.settle();
        arrows.each(|message| {
            told.push((message.since_sent(), message.to(), message.tag, message.bytes, message.inner))
        });
        assert_eq!(told, times.map(|times| (times, 1, 5, 77, true)));
        assert_eq!(arrows.counts, [0, 0, 0, 4]);
    }

    #[test]
    fn too_many_are_none() {
        let mut arrows = Arrows::new(4, 2);
        for at in 0..2 {
            assert!(!arrows.is_full());
            arrows.keep(&Delivered::of(&message(at, at + 1, 8, 1_000, 2_000)));
        }
        assert!(arrows.is_full());
        let mut told = Vec::new();
        arrows.give_up(|message| told.push(message.from));
        assert_eq!((told, arrows.is_beyond()), (vec![0, 1], true));
        let mut out = Container::default();
        arrows.write(&mut out);
        assert_eq!(out.get("messages"), Some(&serde_json::Value::Null));
    }
}
