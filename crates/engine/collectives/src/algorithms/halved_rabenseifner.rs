//! Rabenseifner's algorithm as Open MPI has it: every step halves what is left, down to the vectors of surplus ranks.
//!
//! ```text
//!   surplus pairs   rank 2i keeps the left half of the vector, 2i+1 the right half; both combine theirs, and 2i+1 sends its result to 2i
//!   halving         a window is cut into ⌊n/2⌋ and the rest; the lower of two partners keeps the left part
//!   back            every window returns the way it came: to all members, or up a binomial tree to the root
//! ```
//!
//! So no rank combines a whole vector, and a root that sits out takes the place of rank 0 for the way back.
//! Rabenseifner: *Optimization of collective reduction operations* (2004).

use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Stays, Team};

pub(crate) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let halves = Windows::of(shape);
    let shrunk = Team::all(shape).shrink(Stays::Even);
    share_the_surplus(shape, &halves, shrunk.partner, out);
    let Some(core) = shrunk.core else {
        return out.recv(shrunk.partner.expect("who sits out has a partner"), shape.bytes);
    };
    reduce_scatter(&core, &halves, out);
    for round in core.doubling().rev() {
        let with = core.rank(round.with);
        let (mine, theirs) =
            (halves.window(core.me, round.bit + 1), halves.window(round.with, round.bit + 1));
        out.exchange(with, mine, with, theirs.bytes);
    }
    if let Some(bystander) = shrunk.partner {
        out.send(bystander, shape.vector());
    }
}

pub(crate) fn reduce(shape: &Shape, out: &mut Schedule) {
    let windows = Windows::of(shape);
    let shrunk = Team::all(shape).shrink(Stays::Even);
    share_the_surplus(shape, &windows, shrunk.partner, out);
    if let Some(core) = shrunk.core {
        reduce_scatter(&core, &windows, out);
    }
    let surplus = 2 * (shape.size - (1 << shape.size.ilog2()));
    let root_sits_out = shape.root < surplus && shape.root % 2 == 1;
    let core = match shrunk.core {
        Some(core) if core.me == 0 && root_sits_out => {
            return out.send(shape.root, windows.window(0, core.size.ilog2()));
        }
        None if shape.is_root() => {
            let core = Team::all(&shape.rank(0)).shrink(Stays::Even).core.expect("rank 0 stays");
            out.recv(0, windows.window(0, core.size.ilog2()).bytes);
            core
        }
        None => return,
        Some(core) => core,
    };
    let root = match shape.root {
        _ if root_sits_out => 0,
        root if root < surplus => root / 2,
        root => root - surplus / 2,
    };
    let rank = |member| if member == 0 && root_sits_out { shape.root } else { core.rank(member) };
    gather(&core, root, rank, &windows, out);
}

/// Leaves the lower rank of each pair with both vectors combined. Both work on a half.
fn share_the_surplus(shape: &Shape, windows: &Windows, partner: Option<u32>, out: &mut Schedule) {
    let Some(partner) = partner else { return };
    let [left, right] = [0, 1].map(|half| windows.window(half, 1));
    if shape.rank < partner {
        out.exchange(partner, right, partner, left.bytes);
        out.reduce(left.bytes);
        out.recv(partner, right.bytes);
    } else {
        out.exchange(partner, left, partner, right.bytes);
        out.reduce(right.bytes);
        out.send(partner, right);
    }
}

/// Leaves each member with its window of the result.
fn reduce_scatter(core: &Team, windows: &Windows, out: &mut Schedule) {
    for round in core.doubling() {
        let with = core.rank(round.with);
        let (given, kept) =
            (windows.window(round.with, round.bit + 1), windows.window(core.me, round.bit + 1));
        out.exchange(with, given, with, kept.bytes);
        out.reduce(kept.bytes);
    }
}

/// Member `root` gets all windows.
fn gather(core: &Team, root: u32, rank: impl Fn(u32) -> u32, windows: &Windows, out: &mut Schedule) {
    for round in core.doubling().rev() {
        if round.with >> round.bit == root >> round.bit {
            return out.send(rank(round.with), windows.window(core.me, round.bit + 1));
        }
        out.recv(rank(round.with), windows.window(round.with, round.bit + 1).bytes);
    }
}

/// Parts of the vector of `shape`, in whole elements.
struct Windows {
    bytes: u64,
    element: u64,
}

impl Windows {
    fn of(shape: &Shape) -> Self {
        Windows { bytes: shape.bytes, element: shape.element.max(1) }
    }

    /// The window left to a member after that many rounds: bit `k` of its number says which part it keeps in round `k`.
    fn window(&self, member: u32, rounds: u32) -> Data {
        let elements = self.bytes / self.element;
        let (mut first, mut length) = (0, elements);
        for bit in 0..rounds {
            let left = length / 2;
            (first, length) =
                if member >> bit & 1 == 0 { (first, left) } else { (first + left, length - left) };
        }
        // Bytes that are no whole element belong to the last one.
        let offset = |index| if index == elements { self.bytes } else { index * self.element };
        Data::range(offset(first), offset(first + length) - offset(first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_halves_of_halves() {
        let windows = Windows::of(&Shape::new(8).bytes(7 * 4 + 2).element(4));
        let sizes = |rounds| {
            (0..1u32 << rounds).map(|member| windows.window(member, rounds).bytes).collect::<Vec<_>>()
        };
        assert_eq!(sizes(0), [30]);
        assert_eq!(sizes(1), [12, 18]);
        assert_eq!(sizes(2), [4, 8, 8, 10]);
    }
}
