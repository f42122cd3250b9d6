//! The leaders exchange what their sides give, with a collective within each side before or after.

use mpirage_call::{Collective, OTHER_SIDE, Sides};

use super::direct::scatter_shares;
use super::{Part, part};
use crate::data::{Data, Piece};
use crate::performed::Appended;
use crate::shape::Shape;
use crate::step::Schedule;

/// Bytes of the broadcasts in MPICH's barrier.
const SIGNAL: u64 = 1;
/// Bytes that Open MPI's barrier reduces.
const INT: u64 = 4;

/// One rank and its sides.
struct InterRank<'a> {
    shape: &'a Shape<'a>,
    sides: Sides,
}

impl<'a> InterRank<'a> {
    fn new(shape: &'a Shape<'a>) -> Option<InterRank<'a>> {
        shape.sides().map(|sides| InterRank { shape, sides })
    }

    fn leads(&self) -> bool {
        self.shape.rank == self.sides.own.start
    }

    fn other_leader(&self) -> u32 {
        self.sides.other.start
    }

    /// How many ranks its own side has.
    fn own(&self) -> u64 {
        self.sides.own.len() as u64
    }

    /// The blocks of all ranks of its own side.
    fn own_blocks(&self, bytes: u64) -> Data {
        Data::blocks(self.sides.own.start, self.own() as u32, self.shape.size, bytes)
    }

    /// A collective of its own side, with the leader as root.
    fn local(&self, collective: Collective, bytes: u64, label: impl Fn(Piece) -> Piece, out: &mut Schedule) {
        let (shape, sides) = (self.shape, &self.sides);
        let inner = Shape::new(sides.own.len() as u32).rank(sides.place(shape.rank)).bytes(bytes);
        let inner = inner.element(shape.element).commutative(shape.commutative).built_in(shape.built_in);
        out.phase(|out| {
            out.within(sides.own.clone(), label, |out| collective.append_by_default(&inner, out))
        });
    }

    /// The leader gathers the blocks of its side.
    fn gather(&self, bytes: u64, out: &mut Schedule) {
        self.local(Collective::Gather, bytes, self.blocks_by_seat(), out);
    }

    /// The leader has combined the vectors of its side.
    fn reduce(&self, bytes: u64, out: &mut Schedule) {
        self.local(Collective::Reduce, bytes, |piece| piece, out);
    }

    /// The leader hands out what the other side gives.
    fn bcast(&self, bytes: u64, out: &mut Schedule) {
        self.local(Collective::Bcast, bytes, of_other_side, out);
    }

    /// Within a side, blocks are numbered by the places of ranks in it.
    fn blocks_by_seat(&self) -> impl Fn(Piece) -> Piece + use<> {
        let first = self.sides.own.start;
        move |piece| match piece {
            Piece::Block(place) => Piece::Block(first + place),
            Piece::Received(place) => Piece::Received(first + place),
            Piece::Part(place, range) => Piece::Part(first + place, range),
            other => other,
        }
    }

    /// The leader sends to the other one.
    fn tell(&self, data: Data, out: &mut Schedule) {
        if self.leads() {
            out.send(self.other_leader(), data);
        }
    }

    /// The leader receives from the other one.
    fn hear(&self, bytes: u64, out: &mut Schedule) {
        if self.leads() {
            out.recv(self.other_leader(), bytes);
        }
    }

    /// The leaders swap.
    fn swap(&self, data: Data, received: u64, out: &mut Schedule) {
        if self.leads() {
            out.exchange(self.other_leader(), data, self.other_leader(), received);
        }
    }

    /// One side is served before the other: what the first one tells, and then what it hears; the second one the other way.
    fn in_turn(&self, tell: impl Fn(&mut Schedule), hear: impl Fn(&mut Schedule), out: &mut Schedule) {
        if self.sides.is_first() {
            tell(out);
            hear(out);
        } else {
            hear(out);
            tell(out);
        }
    }
}

/// Bytes that the other side gives.
fn of_other_side(piece: Piece) -> Piece {
    match piece {
        Piece::Bytes(range) => Piece::Bytes(OTHER_SIDE + range.start..OTHER_SIDE + range.end),
        other => other,
    }
}

pub(super) fn barrier(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    rank.local(Collective::Barrier, 0, |piece| piece, out);
    let tell = |out: &mut Schedule| rank.tell(Data::range(0, SIGNAL), out);
    let hear = |out: &mut Schedule| {
        rank.hear(SIGNAL, out);
        rank.bcast(SIGNAL, out);
    };
    rank.in_turn(tell, hear, out);
}

pub(super) fn barrier_by_allreduce(shape: &Shape, out: &mut Schedule) {
    allreduce(&Shape { bytes: INT, element: INT, commutative: true, ..*shape }, out);
}

pub(super) fn bcast(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    match part(shape, &rank.sides) {
        Part::Root => out.send(rank.other_leader(), Data::range(0, shape.bytes)),
        Part::Across => {
            if rank.leads() {
                out.recv(shape.root, shape.bytes);
            }
            rank.bcast(shape.bytes, out);
        }
        Part::Beside => {}
    }
}

pub(super) fn gather(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    match part(shape, &rank.sides) {
        Part::Root => out.recv(rank.other_leader(), shape.bytes * rank.sides.other.len() as u64),
        Part::Across => {
            rank.gather(shape.bytes, out);
            if rank.leads() {
                out.send(shape.root, rank.own_blocks(rank.own() * shape.bytes));
            }
        }
        Part::Beside => {}
    }
}

pub(super) fn scatter(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    match part(shape, &rank.sides) {
        Part::Root => {
            let (first, count) = (rank.other_leader(), rank.sides.other.len() as u32);
            out.send(first, Data::blocks(first, count, shape.size, u64::from(count) * shape.bytes));
        }
        Part::Across => {
            if rank.leads() {
                out.recv(shape.root, rank.own() * shape.bytes);
            }
            rank.local(Collective::Scatter, shape.bytes, rank.blocks_by_seat(), out);
        }
        Part::Beside => {}
    }
}

pub(super) fn allgather(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    let total = shape.recv_counts.iter().sum();
    rank.gather(shape.bytes, out);
    let tell = |out: &mut Schedule| rank.tell(rank.own_blocks(rank.own() * shape.bytes), out);
    let hear = |out: &mut Schedule| {
        rank.hear(total, out);
        rank.bcast(total, out);
    };
    rank.in_turn(tell, hear, out);
}

pub(super) fn allgather_by_exchange(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    let total = shape.recv_counts.iter().sum();
    rank.gather(shape.bytes, out);
    rank.swap(rank.own_blocks(rank.own() * shape.bytes), total, out);
    rank.bcast(total, out);
}

/// The leaders do not know how much the ranks of their own side give, so they gather from the other side.
pub(super) fn allgatherv(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    let get = |out: &mut Schedule| {
        if rank.leads() {
            for (from, &bytes) in rank.sides.other.clone().zip(shape.recv_counts) {
                out.irecv(from, bytes);
            }
            out.wait_all();
        }
    };
    let give = |out: &mut Schedule| out.send(rank.other_leader(), Data::block(shape.rank, shape.bytes));
    rank.in_turn(get, give, out);
    rank.bcast(shape.recv_counts.iter().sum(), out);
}

pub(super) fn reduce(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    match part(shape, &rank.sides) {
        Part::Root => out.recv(rank.other_leader(), shape.bytes),
        Part::Across => {
            rank.reduce(shape.bytes, out);
            if rank.leads() {
                out.send(shape.root, Data::range(0, shape.bytes));
            }
        }
        Part::Beside => {}
    }
}

pub(super) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    rank.reduce(shape.bytes, out);
    rank.swap(Data::range(0, shape.bytes), shape.bytes, out);
    rank.bcast(shape.bytes, out);
}

/// The leader of the first side first gets the other side's result, and then its own side combines its vectors.
pub(super) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let Some(rank) = InterRank::new(shape) else { return };
    let total = shape.recv_counts.iter().sum();
    let get = |out: &mut Schedule| rank.hear(total, out);
    let give = |out: &mut Schedule| {
        rank.reduce(total, out);
        rank.tell(Data::range(0, total), out);
    };
    rank.in_turn(get, give, out);
    scatter_shares(shape, &rank.sides, out);
}
