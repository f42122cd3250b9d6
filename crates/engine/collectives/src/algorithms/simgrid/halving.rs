//! Reductions by recursive halving that SimGrid has beside `rabenseifner`.
//!
//! ```text
//!   rab              for reduce: Rabenseifner's own code. A surplus pair halves the vector, each rank reduces one half, and the even rank gets
//!                    the other half back. Pieces are halved anew in each round, so that they need not be whole blocks.
//!   rab_rdb          for allreduce: whole blocks, the last of which has the elements that do not divide evenly
//!   scatter_gather   the same for reduce. A vector with fewer elements than ranks is made longer.
//! ```
//!
//! Ranks are numbered from 0 on, whatever the root. If the root sits out, it takes the place of member 0 in the end.
//!
//! Rabenseifner: *A new optimized MPI reduce algorithm* (1997); SimGrid 3.32, `src/smpi/colls/reduce/reduce-rab.cpp` and
//! `reduce-scatter-gather.cpp`. They are for operations of MPI, which commute.

use std::ops::Range;

use super::parts::Padded;
use crate::algorithms::allreduce;
use crate::data::{Data, Piece};
use crate::shape::Shape;
use crate::step::Schedule;
use crate::team::{Stays, Team};

/// The vector that is cut in halves: its number of `units`, and where each begins.
struct Cut<'a> {
    units: u64,
    begin: &'a dyn Fn(u64) -> u64,
    /// Where the vector of the call ends; the rest is padding.
    end: u64,
}

impl Cut<'_> {
    fn part(&self, range: &Range<u64>) -> Padded {
        let (begin, end) = ((self.begin)(range.start), (self.begin)(range.end));
        Padded { begin, bytes: end - begin, end: self.end }
    }

    /// The parts that a member keeps and gives away in each round.
    fn rounds(&self, member: u32, rounds: u32) -> Vec<(Padded, Padded)> {
        let mut mine = 0..self.units;
        let halve = |bit: u32| {
            let (lower, upper) = halves(&mine);
            let (kept, given) = if member >> bit & 1 == 0 { (lower, upper) } else { (upper, lower) };
            mine = kept.clone();
            (self.part(&kept), self.part(&given))
        };
        (0..rounds).map(halve).collect()
    }

    /// The piece that a member has after all rounds.
    fn last(&self, member: u32, rounds: u32) -> Padded {
        self.rounds(member, rounds).last().map_or(self.part(&(0..self.units)), |(kept, _)| *kept)
    }
}

/// A range cut in the middle; the upper half has the odd unit.
fn halves(range: &Range<u64>) -> (Range<u64>, Range<u64>) {
    let middle = range.start + (range.end - range.start) / 2;
    (range.start..middle, middle..range.end)
}

/// The ranks that halve the vector, as this rank sees them.
fn core(shape: &Shape) -> Option<Team> {
    Team::all(shape).shrink(Stays::Even).core
}

/// The other rank of this rank's surplus pair.
fn partner(shape: &Shape) -> Option<u32> {
    Team::all(shape).shrink(Stays::Even).partner
}

/// Pieces that were halved come back together in all members.
fn allgather(core: &Team, cut: &Cut, out: &mut Schedule) {
    let rounds: Vec<_> = core.doubling().zip(cut.rounds(core.me, core.size.ilog2())).collect();
    for (round, (mine, theirs)) in rounds.into_iter().rev() {
        let with = core.rank(round.with);
        out.irecv(with, theirs.bytes);
        mine.isend(with, out);
        out.wait_all();
    }
}

/// As many blocks of `elements` as members, the last one with the rest, which ends at `end`.
fn by_blocks(shape: &Shape, elements: u64, end: u64) -> impl Fn(u64) -> u64 + use<> {
    let (units, element) = (1u64 << shape.size.ilog2(), shape.element);
    move |index| if index == units { end } else { elements / units * index * element }
}

/// SimGrid's `mvapich2_rs` is recursive doubling if there are not enough elements for all members; `rab_rdb` has empty blocks then.
pub(crate) fn blocks_if_enough(shape: &Shape, out: &mut Schedule) {
    if shape.elements() < 1 << shape.size.ilog2() {
        return allreduce::recursive_doubling(shape, out);
    }
    blocks_allreduce(shape, out);
}

pub(crate) fn blocks_allreduce(shape: &Shape, out: &mut Schedule) {
    let begin = by_blocks(shape, shape.elements(), shape.bytes);
    let cut = Cut { units: 1 << shape.size.ilog2(), begin: &begin, end: shape.bytes };
    let (shrunk, vector) = (Team::all(shape).shrink(Stays::Odd), Data::range(0, shape.bytes));
    let Some(core) = shrunk.core else {
        let with = shrunk.partner.expect("who sits out has a partner");
        out.send(with, vector);
        return out.recv(with, vector.bytes);
    };
    if let Some(with) = shrunk.partner {
        out.recv(with, vector.bytes);
        out.reduce(vector.bytes);
    }
    reduce_scatter(&core, &cut, out);
    allgather(&core, &cut, out);
    shrunk.partner.into_iter().for_each(|with| out.send(with, vector));
}

/// Each member of the team ends with its piece of the result.
fn reduce_scatter(core: &Team, cut: &Cut, out: &mut Schedule) {
    for (round, (kept, given)) in core.doubling().zip(cut.rounds(core.me, core.size.ilog2())) {
        let with = core.rank(round.with);
        out.irecv(with, kept.bytes);
        given.isend(with, out);
        out.wait_all();
        out.reduce(kept.real());
    }
}

/// Elements one by one, with the bytes that are no whole element behind the last one.
fn by_elements<'a>(shape: &Shape<'a>) -> impl Fn(u64) -> u64 + use<'a> {
    let (elements, element, bytes) = (shape.elements(), shape.element, shape.bytes);
    move |index| if index == elements { bytes } else { index * element }
}

/// The surplus pairs of `rab`: halve the vector with the partner and reduce one half; the even rank ends with both.
fn pair_up(shape: &Shape, with: u32, cut: &Cut, out: &mut Schedule) {
    let (lower, upper) = halves(&(0..cut.units));
    let (lower, upper) = (cut.part(&lower), cut.part(&upper));
    let even = shape.rank.is_multiple_of(2);
    let (kept, given) = if even { (lower, upper) } else { (upper, lower) };
    out.irecv(with, kept.bytes);
    given.isend(with, out);
    out.wait_all();
    out.reduce(kept.real());
    if even { out.recv(with, upper.bytes) } else { upper.send(with, out) }
}

pub(crate) fn rab_reduce(shape: &Shape, out: &mut Schedule) {
    let begin = by_elements(shape);
    let cut = Cut { units: shape.elements(), begin: &begin, end: shape.bytes };
    partner(shape).into_iter().for_each(|with| pair_up(shape, with, &cut, out));
    to_the_root(shape, &cut, WhoHasSent::GoesOn, out);
}

pub(crate) fn scatter_gather(shape: &Shape, out: &mut Schedule) {
    let elements =
        if shape.elements() < u64::from(shape.size) { u64::from(shape.size) } else { shape.elements() };
    let longer = if elements == shape.elements() { shape.bytes } else { elements * shape.element };
    let units = 1 << shape.size.ilog2();
    let begin = by_blocks(shape, elements, longer);
    let cut = Cut { units, begin: &begin, end: shape.bytes };
    let whole = cut.part(&(0..units));
    match (partner(shape), core(shape)) {
        (Some(with), None) => whole.send(with, out),
        (Some(with), Some(_)) => {
            out.recv(with, whole.bytes);
            out.reduce(whole.real());
        }
        (None, _) => {}
    }
    to_the_root(shape, &cut, WhoHasSent::IsDone, out);
}

/// The behaviour of a member once it has sent its piece to the root.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhoHasSent {
    IsDone,
    /// Exchanges with others that have sent theirs, to no avail.
    GoesOn,
}

/// Halves the vector, then gathers the pieces.
fn to_the_root(shape: &Shape, cut: &Cut, after: WhoHasSent, out: &mut Schedule) {
    let mut core = core(shape);
    core.iter().for_each(|core| reduce_scatter(core, cut, out));
    let stays = Team::all(&Shape { rank: 0, ..*shape }).shrink(Stays::Even).core.expect("rank 0 stays");
    let surplus = shape.size - stays.size;
    let sits_out = shape.root < 2 * surplus && shape.root % 2 == 1;
    let root = match shape.root {
        _ if sits_out => 0,
        root if root < 2 * surplus => root / 2,
        root => root - surplus,
    };
    if sits_out && (shape.rank == 0 || shape.is_root()) {
        let first = cut.last(0, stays.size.ilog2());
        if shape.rank == 0 {
            return first.send(shape.root, out);
        }
        out.recv(0, first.bytes);
        core = Some(stays);
    }
    if let Some(core) = core {
        let rank = |member: u32| if member == root { shape.root } else { core.rank(member) };
        gather(&core, root, cut, after, rank, out);
    }
}

fn gather(
    core: &Team,
    root: u32,
    cut: &Cut,
    after: WhoHasSent,
    rank: impl Fn(u32) -> u32,
    out: &mut Schedule,
) {
    let rounds: Vec<_> = core.doubling().zip(cut.rounds(core.me, core.size.ilog2())).collect();
    let mut sent = false;
    for (round, (mine, theirs)) in rounds.into_iter().rev() {
        let with = rank(round.with);
        if (core.me ^ root) & round.distance == 0 {
            out.recv(with, theirs.bytes);
            continue;
        }
        mine.send(with, out);
        if std::mem::replace(&mut sent, true) {
            out.carries([Piece::Padding(mine.bytes)]);
        }
        if after == WhoHasSent::IsDone {
            return;
        }
    }
}
