//! Rings of all ranks: one inside a node, and one for each rail between nodes.
//!
//! ```text
//!   2 nodes of 4    ring 0   0 1 2 3 │ 4 5 6 7      each ring crosses the network on a rail of its own:
//!                   ring 1   1 2 3 0 │ 5 6 7 4      ring i enters a node at its device i
//!                   ring 2   2 3 0 1 │ 6 7 4 5
//!                   ring 3   3 0 1 2 │ 7 4 5 6
//! ```
//!
//! Each ring has its share of the vector. A vector that is longer than the chunks of all channels goes around several times. Facts of NCCL
//! 2.20.5: `src/device/all_reduce.h`, `all_gather.h`, `reduce_scatter.h`, `broadcast.h`, `reduce.h`.

use std::ops::Range;

use mpirage_call::Collective;

use super::model::{Model, Way};
use super::parts::{cut, length};
use super::rhythm::{Rhythm, Round};
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

/// A ring as one rank sees it.
struct Ring {
    /// All ranks, in order.
    order: Vec<u32>,
    /// This rank's place in it.
    place: u32,
}

impl Ring {
    fn size(&self) -> u32 {
        self.order.len() as u32
    }

    /// The place so many steps before this rank's.
    fn back(&self, steps: u32) -> u32 {
        (self.place + 2 * self.size() - steps) % self.size()
    }

    fn next(&self) -> u32 {
        self.order[((self.place + 1) % self.size()) as usize]
    }

    fn previous(&self) -> u32 {
        self.order[self.back(1) as usize]
    }

    fn rank_at(&self, place: u32) -> u32 {
        self.order[place as usize]
    }

    fn place_of(&self, rank: u32) -> u32 {
        self.order.iter().position(|&other| other == rank).unwrap_or(0) as u32
    }
}

/// The rings of a call, and how it goes around.
struct Rings {
    all: Vec<Ring>,
    rhythm: Rhythm,
    /// Bytes that a ring of all channels takes at a time, for each rank's block.
    chunk: u64,
}

impl Rings {
    fn of(collective: Collective, shape: &Shape) -> Rings {
        let model = Model::of(collective, shape);
        let channels = model.used(shape.parameters.channels);
        let all = rings(shape, channels);
        let protocol = shape.parameters.protocol;
        let chunk = match shape.parameters.segment {
            0 => model.chunk(Way::Ring, protocol, channels),
            bytes => bytes,
        };
        let rhythm = Rhythm::new(&model, Way::Ring, protocol, channels, all.len());
        Rings { all, rhythm, chunk: chunk.saturating_mul(channels.into()) }
    }

    /// How often blocks of so many bytes go around.
    fn loops(&self, block: u64) -> u64 {
        block.div_ceil(self.chunk).max(1)
    }

    /// One round: in each ring, what goes to the next rank and what comes from the one before.
    fn round(
        &self,
        message: impl Fn(usize, &Ring) -> (Option<Data>, Option<u64>),
        combines: bool,
        first: bool,
        out: &mut Schedule,
    ) {
        let mut round = Round { first, ..Round::default() };
        for (number, ring) in self.all.iter().enumerate() {
            let (sent, received) = message(number, ring);
            if let Some(bytes) = received {
                round.receives.push((ring.previous(), bytes));
                round.combined.extend(combines.then_some(bytes));
            }
            if let Some(data) = sent {
                round.passed += data.bytes;
                round.sends.push((ring.next(), data));
            }
        }
        self.rhythm.round(&round, out);
    }
}

/// One ring if all ranks are on one node or nodes differ, otherwise one for each rail that channels use.
fn rings(shape: &Shape, channels: u32) -> Vec<Ring> {
    let Some(nodes) = shape.nodes else {
        return vec![Ring { order: (0..shape.size).collect(), place: shape.rank }];
    };
    let rails = nodes.most_ranks();
    let even = nodes.count() * rails == shape.size;
    let count = if nodes.count() > 1 && even { rails.min(channels) } else { 1 };
    let ring = |first: u32| {
        let member = |node: u32| {
            let members = nodes.members(node);
            (0..members.len()).map(move |at| members[(at + first as usize) % members.len()])
        };
        let order: Vec<u32> = (0..nodes.count()).flat_map(member).collect();
        let place = order.iter().position(|&rank| rank == shape.rank).unwrap_or(0) as u32;
        Ring { order, place }
    };
    (0..count).map(ring).collect()
}

/// Each block goes around once to be combined, and once to be known to all.
pub(super) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let rings = Rings::of(Collective::Allreduce, shape);
    let (ranks, count) = (shape.size, rings.all.len() as u64);
    let loops = rings.loops(shape.bytes.div_ceil(ranks.into()));
    rings.rhythm.begin(out);
    for pass in 0..loops {
        let turn = cut(&(0..shape.bytes), loops, pass, shape.element);
        let block = |ring: usize, place: u32| -> Data {
            let share = cut(&turn, count, ring as u64, shape.element);
            range(cut(&share, ranks.into(), place.into(), shape.element))
        };
        for step in 0..2 * (ranks - 1) {
            let message = |number: usize, ring: &Ring| {
                let received = block(number, ring.back(step + 1)).bytes;
                (Some(block(number, ring.back(step))), Some(received))
            };
            rings.round(message, step < ranks - 1, pass == 0, out);
        }
    }
}

/// Each block goes around from its owner.
pub(super) fn allgather(shape: &Shape, out: &mut Schedule) {
    around(Collective::Allgather, shape, 0, out);
}

/// Each block goes around to its owner, and is combined at each rank.
pub(super) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    around(Collective::ReduceScatter, shape, 1, out);
}

/// In each step a rank sends the block of the place that many before it, and those so many more that `ahead` says.
fn around(collective: Collective, shape: &Shape, ahead: u32, out: &mut Schedule) {
    let rings = Rings::of(collective, shape);
    let (blocks, count) = (shape.blocks(), rings.all.len() as u64);
    let longest = (0..shape.size).map(|rank| blocks.block(rank).bytes).max().unwrap_or(0);
    let loops = rings.loops(longest);
    rings.rhythm.begin(out);
    for pass in 0..loops {
        let part = |ring: usize, owner: u32| -> Data {
            let turn = cut(&(0..blocks.block(owner).bytes), loops, pass, shape.element);
            let share = cut(&turn, count, ring as u64, shape.element);
            Data::part(owner, share.start, length(&share))
        };
        for step in 0..shape.size - 1 {
            let message = |number: usize, ring: &Ring| {
                let owner = |back: u32| ring.rank_at(ring.back(back));
                (Some(part(number, owner(step + ahead))), Some(part(number, owner(step + ahead + 1)).bytes))
            };
            rings.round(message, ahead == 1, pass == 0, out);
        }
    }
}

/// Chunks follow each other from the root to the rank before it.
pub(super) fn bcast(shape: &Shape, out: &mut Schedule) {
    let from_root = |ring: &Ring| ring.back(ring.place_of(shape.root));
    along(Collective::Bcast, shape, from_root, out);
}

/// Chunks follow each other from the rank after the root to the root.
pub(super) fn reduce(shape: &Shape, out: &mut Schedule) {
    let from_first = |ring: &Ring| ring.back(ring.place_of(shape.root) + 1);
    along(Collective::Reduce, shape, from_first, out);
}

/// The rank at distance `d` from the first one sends chunk `c` in round `c + d`.
fn along(collective: Collective, shape: &Shape, distance: impl Fn(&Ring) -> u32, out: &mut Schedule) {
    let rings = Rings::of(collective, shape);
    let (chunks, count) = (rings.loops(shape.bytes), rings.all.len() as u64);
    let last = shape.size - 1;
    let chunk = |ring: usize, number: Option<u64>| -> Option<Data> {
        let share = cut(&(0..shape.bytes), count, ring as u64, shape.element);
        let number = number.filter(|&number| number < chunks)?;
        Some(range(cut(&share, chunks, number, shape.element)))
    };
    rings.rhythm.begin(out);
    for round in 0..chunks + u64::from(last) - 1 {
        let message = |number: usize, ring: &Ring| {
            let at = u64::from(distance(ring));
            let sent = (at < u64::from(last)).then(|| chunk(number, round.checked_sub(at))).flatten();
            let received = (at > 0).then(|| chunk(number, (round + 1).checked_sub(at))).flatten();
            (sent, received.map(|data| data.bytes))
        };
        let first = rings.all.iter().any(|ring| u64::from(distance(ring)) == round);
        rings.round(message, collective == Collective::Reduce, first, out);
    }
}

fn range(bytes: Range<u64>) -> Data {
    Data::range(bytes.start, length(&bytes))
}
