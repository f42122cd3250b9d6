//! Broadcasts of SimGrid that scatter the vector and gather it everywhere, as old versions of MPICH did.
//!
//! The vector is cut into blocks of equal size, rounded up: the last blocks are shorter or empty. The scatter sends no empty
//! message, the ring does. `scatter_LR_allgather` gathers around the ring, `scatter_rdb_allgather` by recursive doubling, also if
//! the number of ranks is no power of two.
//!
//! Thakur, Rabenseifner, Gropp: *Optimization of collective communication operations in MPICH* (2005); SimGrid 3.32,
//! `src/smpi/colls/bcast/bcast-scatter-*.cpp`.

use std::ops::Range;

use super::{Groups, doubling};
use crate::algorithms::bcast;
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Binomial;

/// The blocks of the members, counted from the root on.
struct Cut {
    block: u64,
    bytes: u64,
}

impl Cut {
    fn of(shape: &Shape) -> Cut {
        Cut { block: shape.bytes.div_ceil(u64::from(shape.size)), bytes: shape.bytes }
    }

    /// The blocks of these members.
    fn blocks(&self, members: &Range<u32>) -> Data {
        let begin = |member: u32| (u64::from(member) * self.block).min(self.bytes);
        Data::range(begin(members.start), begin(members.end) - begin(members.start))
    }
}

fn scatter(team: &Team, cut: &Cut, out: &mut Schedule) {
    let tree = Binomial::of(team);
    let own = tree.own();
    let mine = cut.blocks(&(own.top..own.top + own.size));
    if let Some(parent) = tree.parent().filter(|_| mine.bytes > 0) {
        out.recv(team.rank(parent), mine.bytes);
    }
    for child in tree.children().rev() {
        let data = cut.blocks(&(child.top..child.top + child.size));
        if data.bytes > 0 {
            out.send(team.rank(child.top), data);
        }
    }
    out.next_slot();
}

pub(crate) fn scatter_ring(shape: &Shape, out: &mut Schedule) {
    let (team, cut) = (Team::from_root(shape), Cut::of(shape));
    scatter(&team, &cut, out);
    let block = |distance: u32| {
        let member = (team.me + team.size - distance) % team.size;
        cut.blocks(&(member..member + 1))
    };
    for round in 1..shape.size {
        out.exchange(shape.after(1), block(round - 1), shape.before(1), block(round).bytes);
    }
}

pub(crate) fn scatter_doubling(shape: &Shape, out: &mut Schedule) {
    let (team, cut) = (Team::from_root(shape), Cut::of(shape));
    scatter(&team, &cut, out);
    doubling::gather(
        &doubling::moves(team.me, team.size),
        out,
        |member| team.rank(member),
        |range| cut.blocks(range),
    );
}

/// SimGrid's choice of MPICH's broadcast within a communicator of one level.
pub(crate) fn mpich(shape: &Shape, out: &mut Schedule) {
    match shape.bytes {
        ..12288 => bcast::binomial(shape, out),
        _ if shape.size <= 8 => bcast::binomial(shape, out),
        ..524_288 if shape.size.is_multiple_of(2) => scatter_doubling(shape, out),
        _ => scatter_ring(shape, out),
    }
}

/// A binomial tree of the first ranks of the nodes, then one on each node. Another root than rank 0 first sends it the vector.
pub(crate) fn trees_of_nodes(shape: &Shape, out: &mut Schedule) {
    let Some(groups) = Groups::uniform(shape) else { return mpich(shape, out) };
    let vector = Data::range(0, shape.bytes);
    super::relay::to_rank_zero(shape, vector, out);
    if groups.position == 0 {
        out.among(&groups.leaders(), |out| groups.between().bcast(vector, out));
    }
    out.among(&groups.members(), |out| groups.inside().bcast(vector, out));
}

/// A tree in which a rank has up to three children for each power of four. It serves the farthest three at once, then the next.
pub(crate) fn four_nomial(shape: &Shape, out: &mut Schedule) {
    const RADIX: u32 = 4;
    let (team, vector) = (Team::from_root(shape), Data::range(0, shape.bytes));
    let mut distance = 1;
    while distance < team.size && team.me.is_multiple_of(RADIX * distance) {
        distance *= RADIX;
    }
    if team.me > 0 {
        out.recv(team.rank(team.me / (RADIX * distance) * (RADIX * distance)), vector.bytes);
    }
    while distance > 1 {
        distance /= RADIX;
        let children = (1..RADIX).map(|k| team.me + k * distance).filter(|&child| child < team.size);
        children.for_each(|child| out.isend(team.rank(child), vector));
        out.wait_all();
    }
}
