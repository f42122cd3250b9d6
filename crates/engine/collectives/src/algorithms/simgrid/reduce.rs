//! Reductions that only SimGrid has.
//!
//! `NTSL` sends segments of 8 KiB along the chain that ends at the root, from its left neighbour on. Receives of all segments
//! are posted first. What remains behind the last whole segment goes to the root from all ranks at once.
//! SimGrid 3.32, `src/smpi/colls/reduce`.

use mpirage_call::Parameters;

use super::parts::Member;
use crate::algorithms::reduce;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;

/// Request sets.
const RECEIVES: u8 = 0;
const SENDS: u8 = 1;

pub(crate) fn chain(shape: &Shape, out: &mut Schedule) {
    let segment = (shape.segment() / shape.element.max(1)).max(1) * shape.element.max(1);
    if shape.bytes <= segment {
        return pass(shape, 1, shape.bytes, out);
    }
    let count = shape.bytes / segment;
    pass(shape, count, segment, out);
    let rest = Data::range(count * segment, shape.bytes - count * segment);
    if rest.bytes > 0 {
        let ranks: Vec<_> = (0..shape.size).map(|member| (member + shape.root) % shape.size).collect();
        out.among(&ranks, |out| Member::from_root(shape).reduce_at_once(rest, out));
    }
}

/// Each rank adds to what comes from its right neighbour and passes it on to its left one.
fn pass(shape: &Shape, count: u64, segment: u64, out: &mut Schedule) {
    let (from, to) = (shape.after(1), shape.before(1));
    let begins = from == shape.root && !shape.is_root();
    out.set(RECEIVES);
    if !begins {
        (0..count).for_each(|_| out.irecv(from, segment));
    }
    out.set(SENDS);
    for index in 0..count {
        if !begins {
            out.wait(RECEIVES, (count - 1 - index) as u32);
            out.reduce(segment);
        }
        if !shape.is_root() {
            out.isend(to, Data::range(index * segment, segment));
        }
    }
    out.wait(SENDS, 0);
    out.set(RECEIVES);
}

/// The root receives from one rank after the other.
pub(super) fn in_turn(shape: &Shape, out: &mut Schedule) {
    let parameters = Parameters { requests: 1, ..shape.parameters };
    reduce::linear(&Shape { parameters, ..*shape }, out);
}

/// Up a tree in which a rank has up to three children for each power of four: it receives from all at once.
pub(crate) fn four_nomial(shape: &Shape, out: &mut Schedule) {
    const RADIX: u32 = 4;
    let team = Team::from_root(shape);
    let mut distance = 1;
    let mut children = vec![];
    while distance < team.size && team.me.is_multiple_of(RADIX * distance) {
        children.extend((1..RADIX).map(|k| team.me + k * distance).filter(|&child| child < team.size));
        distance *= RADIX;
    }
    children.iter().for_each(|&child| out.irecv(team.rank(child), shape.bytes));
    out.wait_all();
    out.reduce(children.len() as u64 * shape.bytes);
    if team.me > 0 {
        let parent = team.me / (RADIX * distance) * (RADIX * distance);
        out.send(team.rank(parent), Data::range(0, shape.bytes));
    }
}
