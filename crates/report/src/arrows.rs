//! Messages by sender, one by one as long as there are not too many: the arrows of the timeline.

use mpirage_call::varint;
use serde_json::json;

use crate::container::Container;
use crate::delivered::Delivered;
use crate::diary::{Order, order_by};
use crate::phrases::ahead;
use crate::shapes::{NONE, Rank, Sequence, Shapes, write_ranks};

/// Picoseconds of a nanosecond: what times are told in.
const NANO: u64 = 1_000;
/// So many messages before its turn, one is asked for.
const AHEAD: usize = 12;

/// Messages that are kept.
pub(crate) struct Arrows {
    budget: usize,
    ranks: u32,
    shapes: Shapes<ArrowShape>,
    kept: Vec<Kept>,
    /// The shape of the last.
    last: u32,
    /// How many there were, if there were too many.
    beyond: bool,
    order: Order,
}

/// A message.
#[derive(Clone, Copy)]
struct Kept {
    /// When it was sent; then how long after that its bytes started to move, had arrived, were delivered. In picoseconds.
    sent: u64,
    departed: u64,
    arrived: u64,
    delivered: u64,
    from: u32,
    shape: u32,
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
            kept: Vec::new(),
            last: NONE,
            beyond: false,
            order: Order::default(),
        }
    }

    /// Is there no room for another?
    #[inline]
    pub fn is_full(&self) -> bool {
        self.kept.len() >= self.budget
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
        self.last = self.shapes.number(self.last, &ArrowShape { to, tag, bytes, inner });
        let [departed, arrived, delivered] = message.since_sent();
        self.kept.push(Kept { sent, departed, arrived, delivered, from, shape: self.last });
    }

    /// Lets all go: there are too many. Each is told of once more.
    pub fn give_up(&mut self, mut tell: impl FnMut(&Delivered)) {
        let given_up = Arrows { beyond: true, ..Arrows::new(self.ranks, 0) };
        let given_up = std::mem::replace(self, given_up);
        given_up.kept.iter().for_each(|kept| tell(&given_up.message(kept)));
    }

    /// Puts the messages of each sender together, in the order in which they were delivered, and tells of each.
    pub fn sort(&mut self, mut tell: impl FnMut(&Delivered)) {
        self.order = order_by(self.ranks as usize, self.kept.len(), |at| self.kept[at].from);
        for (nth, &at) in self.order.places.iter().enumerate() {
            self.expect(nth);
            tell(&self.message(&self.kept[at as usize]));
        }
    }

    #[inline]
    fn expect(&self, nth: usize) {
        if let Some(&soon) = self.order.places.get(nth + AHEAD) {
            mpirage_cache::fetch(&self.kept[soon as usize]);
        }
    }

    #[inline]
    fn message(&self, kept: &Kept) -> Delivered {
        let &Kept { sent, departed, arrived, delivered, from, shape } = kept;
        let &ArrowShape { to, tag, bytes, inner } = self.shapes.get(shape);
        let to = if to < self.ranks - from { from + to } else { to - (self.ranks - from) };
        Delivered::again([from, to], tag, bytes, inner, sent, [departed, arrived, delivered])
    }

    /// Adds them to the data, if there were not too many. They have been sorted.
    pub fn write(&mut self, out: &mut Container) {
        if self.beyond {
            out.set("messages", ());
            return;
        }
        out.set("messages", json!({"count": self.kept.len()}));
        let ranks: Vec<Sent> = (0..self.ranks as usize).map(|rank| self.sent(rank)).collect();
        let shapes = self.shapes.all();
        out.section("message_shapes_to", shapes.clone().map(|(shape, _)| shape.to));
        out.section("message_shapes_bytes", shapes.clone().map(|(shape, _)| shape.bytes as f64));
        out.section(
            "message_shapes_tag",
            shapes.clone().map(|(shape, _)| varint::folded(shape.tag.into()) as u32),
        );
        out.section("message_shapes_scope", shapes.clone().map(|(shape, _)| u8::from(shape.inner)));
        out.section("message_shapes_next", shapes.map(|(_, next)| next));
        write_ranks(out, "messages", ranks.into_iter().map(|sent| self.told(sent)));
    }

    /// The messages of a rank in order of their sending; and which shapes follow each other is learned from it.
    fn sent(&mut self, rank: usize) -> Sent {
        let from = rank.checked_sub(1).map_or(0, |before| self.order.ends[before]);
        let places = from..self.order.ends[rank];
        let kept = |at: usize| &self.kept[self.order.places[at] as usize];
        let ordered = places.clone().is_sorted_by_key(|at| kept(at).sent);
        let mut sent = Sent::default();
        let mut last = (0, NONE);
        let mut add = |kept: &Kept| {
            let start = kept.sent / NANO;
            varint::put(start - last.0, &mut sent.times);
            varint::put((kept.sent + kept.delivered) / NANO - start, &mut sent.times);
            sent.shapes.push(kept.shape);
            self.shapes.follow(last.1, kept.shape, 1);
            last = (start, kept.shape);
        };
        if ordered {
            for at in places {
                add(kept(at));
            }
        } else {
            let mut places: Vec<usize> = places.collect();
            places.sort_by_key(|&at| kept(at).sent);
            places.into_iter().for_each(|at| add(kept(at)));
        }
        sent
    }

    fn told(&self, sent: Sent) -> Rank {
        let mut shapes = Sequence::new(&self.shapes);
        sent.shapes.iter().for_each(|&number| shapes.push(number));
        shapes.finish(sent.times)
    }
}

/// The messages of one rank.
#[derive(Default)]
struct Sent {
    shapes: Vec<u32>,
    /// Of each when it was sent, since the one before, and how long it took.
    times: Vec<u8>,
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
        arrows.sort(|message| told.push((message.from, message.to(), message.delivered())));
        assert_eq!(told, [(0, 1, 8_000), (0, 2, 5_000), (1, 0, 9_000)]);
        let [first, second, third] = [0, 1, 2].map(|rank| arrows.sent(rank));
        assert_eq!((&first.times, &second.times), (&vec![4, 1, 3, 1], &vec![5, 4]));
        let Rank { shapes, count, .. } = arrows.told(first);
        assert_eq!((shapes, count), (vec![2], 2), "both as guessed");
        assert!(third.shapes.is_empty());
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
