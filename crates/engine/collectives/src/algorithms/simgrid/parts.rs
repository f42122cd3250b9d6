//! Parts of SimGrid's compositions: each moves one piece of data between members `0..size`, of which 0 is the root.
//!
//! The generic algorithms work on the whole vector of a call; a pipeline or a remainder needs them for a range of it.

use std::ops::Range;

use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Binomial;

/// Does a table choose the collectives that an algorithm contains (`parts=simgrid-ompi`)? Else they are those of SimGrid's default
/// selection.
pub(super) fn has_table(shape: &Shape) -> bool {
    shape.parameters.parts.starts_with("simgrid-")
}

/// This member of so many.
#[derive(Clone, Copy)]
pub(super) struct Member {
    pub me: u32,
    pub size: u32,
}

impl Member {
    /// All ranks, counted from the root on.
    pub fn from_root(shape: &Shape) -> Member {
        Member { me: Team::from_root(shape).me, size: shape.size }
    }

    /// The binomial tree as this member sees it.
    pub fn tree(self) -> Binomial {
        Binomial::of(&Team::all(&Shape::new(self.size).rank(self.me)))
    }

    /// Down a binomial tree, the largest subtree first.
    pub fn bcast(self, data: Data, out: &mut Schedule) {
        if let Some(parent) = self.tree().parent() {
            out.recv(parent, data.bytes);
        }
        for child in self.tree().children().rev() {
            out.send(child.top, data);
        }
    }

    /// Up a binomial tree, the smallest subtree first.
    pub fn reduce(self, data: Data, out: &mut Schedule) {
        for child in self.tree().children() {
            out.recv(child.top, data.bytes);
            out.reduce(data.bytes);
        }
        if let Some(parent) = self.tree().parent() {
            out.send(parent, data);
        }
    }

    /// The root receives from all others at once.
    pub fn reduce_at_once(self, data: Data, out: &mut Schedule) {
        if self.me > 0 {
            return out.send(0, data);
        }
        (1..self.size).for_each(|member| out.irecv(member, data.bytes));
        out.wait_all();
        out.reduce(u64::from(self.size - 1) * data.bytes);
    }

    /// The blocks of all members go around the ring to be combined, and once more to be distributed. The first to leave a
    /// member is the block of its left neighbour, so the last to arrive is its own.
    pub fn allreduce_ring(self, block: impl Fn(u32) -> Data, out: &mut Schedule) {
        let before = |distance: u32| (self.me + 2 * self.size - distance) % self.size;
        let (left, right) = (before(1), (self.me + 1) % self.size);
        for round in 1..self.size {
            let incoming = block(before(round + 1)).bytes;
            out.exchange(right, block(before(round)), left, incoming);
            out.reduce(incoming);
        }
        for round in 1..self.size {
            out.exchange(right, block(before(round - 1)), left, block(before(round)).bytes);
        }
    }
}

/// A range of a vector that SimGrid has made longer: the message may be longer than what it carries.
#[derive(Clone, Copy)]
pub(super) struct Padded {
    pub begin: u64,
    /// Size of the message.
    pub bytes: u64,
    /// Where the vector of the call ends.
    pub end: u64,
}

impl Padded {
    pub fn isend(self, to: u32, out: &mut Schedule) {
        out.isend(to, Data::range(self.begin, self.bytes));
        out.carries(self.carried());
    }

    pub fn send(self, to: u32, out: &mut Schedule) {
        out.send(to, Data::range(self.begin, self.bytes));
        out.carries(self.carried());
    }

    /// How much of it is data.
    pub fn real(self) -> u64 {
        let real = self.range();
        real.end - real.start
    }

    fn range(self) -> Range<u64> {
        self.begin.min(self.end)..(self.begin + self.bytes).min(self.end)
    }

    fn carried(self) -> [Piece; 2] {
        [Piece::Bytes(self.range()), Piece::Padding(self.bytes - self.real())]
    }
}
