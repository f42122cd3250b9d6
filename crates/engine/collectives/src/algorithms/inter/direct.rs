//! Ranks of the two sides exchange everything themselves.

use mpirage_call::{OTHER_SIDE, Sides};

use super::{Part, part};
use crate::data::Data;
use crate::shape::Shape;
use crate::step::Schedule;

pub(super) fn bcast(shape: &Shape, out: &mut Schedule) {
    send_from_root(shape, out, |_, bytes| Data::range(0, bytes));
}

pub(super) fn scatter(shape: &Shape, out: &mut Schedule) {
    send_from_root(shape, out, Data::block);
}

fn send_from_root(shape: &Shape, out: &mut Schedule, data: impl Fn(u32, u64) -> Data) {
    let Some(sides) = shape.sides() else { return };
    match part(shape, &sides) {
        Part::Root => {
            for (index, to) in (0..).zip(sides.other) {
                out.isend(to, data(to, shape.sent_to(index)));
            }
            out.wait_all();
        }
        Part::Across => out.recv(shape.root, shape.bytes),
        Part::Beside => {}
    }
}

pub(super) fn gather(shape: &Shape, out: &mut Schedule) {
    let Some(sides) = shape.sides() else { return };
    match part(shape, &sides) {
        Part::Root => {
            for (index, from) in (0..).zip(sides.other) {
                out.irecv(from, shape.received_from(index));
            }
            out.wait_all();
        }
        Part::Across => out.send(shape.root, Data::block(shape.rank, shape.bytes)),
        Part::Beside => {}
    }
}

pub(super) fn allgather(shape: &Shape, out: &mut Schedule) {
    exchange_all(shape, out, |_, bytes| Data::block(shape.rank, bytes));
}

pub(super) fn alltoall(shape: &Shape, out: &mut Schedule) {
    exchange_all(shape, out, |to, bytes| Data::pair(shape.rank, to, bytes));
}

fn exchange_all(shape: &Shape, out: &mut Schedule, data: impl Fn(u32, u64) -> Data) {
    let Some(sides) = shape.sides() else { return };
    for (index, from) in (0..).zip(sides.other.clone()) {
        out.irecv(from, shape.received_from(index));
    }
    for (index, to) in (0..).zip(sides.other) {
        out.isend(to, data(to, shape.sent_to(index)));
    }
    out.wait_all();
}

/// In round i send to rank + i and receive from rank - i of the other side, if there is such a rank: as many rounds as the
/// larger side has ranks.
pub(super) fn pairwise(shape: &Shape, out: &mut Schedule) {
    let Some(sides) = shape.sides() else { return };
    let (place, others) = (sides.place(shape.rank), sides.other.len() as u32);
    let rounds = others.max(sides.own.len() as u32);
    for round in 0..rounds {
        let (to, from) = ((place + round) % rounds, (place + rounds - round) % rounds);
        if from < others {
            out.irecv(sides.other.start + from, shape.received_from(from));
        }
        if to < others {
            let seat = sides.other.start + to;
            out.isend(seat, Data::pair(shape.rank, seat, shape.sent_to(to)));
        }
        out.wait_all();
    }
}

/// The root combines the vectors in the order of ranks.
pub(super) fn reduce(shape: &Shape, out: &mut Schedule) {
    let Some(sides) = shape.sides() else { return };
    match part(shape, &sides) {
        Part::Root => {
            for from in sides.other.clone() {
                out.recv(from, shape.bytes);
                out.reduce(if from == sides.other.start { 0 } else { shape.bytes });
            }
        }
        Part::Across => out.send(shape.root, Data::range(0, shape.bytes)),
        Part::Beside => {}
    }
}

/// The leaders combine the vectors of the other side and swap the results, which all ranks get from the other leader.
pub(super) fn allreduce(shape: &Shape, out: &mut Schedule) {
    let Some(sides) = shape.sides() else { return };
    let (leader, bytes) = (sides.other.start, shape.bytes);
    if shape.rank != sides.own.start {
        out.send(leader, Data::range(0, bytes));
        out.next_slot();
        return out.recv(leader, bytes);
    }
    reduce_other_side(&sides, bytes, out);
    out.next_slot();
    out.exchange(leader, Data::range(OTHER_SIDE, bytes), leader, bytes);
    // The vector received from the other leader is the result of the leader's own side, which the other side needs.
    for to in sides.other.skip(1) {
        out.send(to, Data::range(0, bytes));
    }
}

/// The leaders combine the vectors of the other side, and send each rank of their own side its share.
pub(super) fn reduce_scatter(shape: &Shape, out: &mut Schedule) {
    let Some(sides) = shape.sides() else { return };
    let total = shape.recv_counts.iter().sum();
    if shape.rank != sides.own.start {
        out.send(sides.other.start, Data::range(0, total));
    } else {
        reduce_other_side(&sides, total, out);
    }
    out.next_slot();
    scatter_shares(shape, &sides, out);
}

/// The leader sends each rank of its side its share of what the other side's vectors combine to.
pub(super) fn scatter_shares(shape: &Shape, sides: &Sides, out: &mut Schedule) {
    let (place, leader) = (sides.place(shape.rank) as usize, sides.own.start);
    if place > 0 {
        return out.recv(leader, shape.recv_counts[place]);
    }
    let mut offset = shape.recv_counts[0];
    for (to, &bytes) in sides.own.clone().zip(shape.recv_counts).skip(1) {
        out.send(to, Data::range(OTHER_SIDE + offset, bytes));
        offset += bytes;
    }
    out.copy(shape.recv_counts[0]);
}

/// The leaders swap their vectors; each gets those of all other ranks of the other side, and combines them.
fn reduce_other_side(sides: &Sides, bytes: u64, out: &mut Schedule) {
    let leader = sides.other.start;
    out.exchange(leader, Data::range(0, bytes), leader, bytes);
    for from in sides.other.clone().skip(1) {
        out.recv(from, bytes);
        out.reduce(bytes);
    }
}
