//! Broadcast through the two halves of a binary tree, each with half of the vector.
//!
//! ```text
//!            0                   the left subtree (odd members) gets the first half, the right one (even members) the second
//!        ┌───┴───┐
//!        1       2               then members 1 and 2, 3 and 4, … swap their halves; the last member of an even number
//!      ┌─┴─┐   ┌─┴─┐             gets the other half from the root
//!      3   5   4   6
//! ```
//!
//! Every link of the tree carries half of the vector only. Pješivac-Grbović et al. (2007), Open MPI.

use super::pipeline;
use crate::data::Data;
use crate::shape::Shape;
use crate::spanning::Tree;
use crate::step::Schedule;
use crate::team::Team;
use crate::tree::Segments;

pub(crate) fn bcast(shape: &Shape, out: &mut Schedule) {
    let halves = halves(shape);
    let segment = shape.parameters.segment;
    if halves.iter().any(|half| half.bytes == 0 || half.bytes < segment) {
        return pipeline::bcast::one_chain(shape, out);
    }
    let team = Team::from_root(shape);
    down(shape, &team, &halves, out);
    out.next_slot();
    swap(&team, &halves, out);
}

/// The first half has the odd element.
fn halves(shape: &Shape) -> [Data; 2] {
    let element = shape.element.max(1);
    let first = (shape.bytes / element).div_ceil(2) * element;
    [Data::range(0, first), Data::range(first, shape.bytes - first)]
}

/// The half that a member gets from its parent.
fn side(member: u32) -> usize {
    if member % 2 == 1 { 0 } else { 1 }
}

fn down(shape: &Shape, team: &Team, halves: &[Data; 2], out: &mut Schedule) {
    let place = Tree::Strided(2).place(team);
    let segments = halves.map(|half| Segments::of_data(shape, half));
    let Some(parent) = place.parent else {
        for index in 0..segments[0].count() {
            for (side, &child) in place.children.iter().enumerate() {
                segments[side].get(index).into_iter().for_each(|segment| out.send(child, segment));
            }
        }
        return;
    };
    let segments = &segments[side(team.me)];
    if place.children.is_empty() {
        return segments.all().for_each(|segment| out.recv(parent, segment.bytes));
    }
    let pass_on = |segment: Data, out: &mut Schedule| {
        place.children.iter().for_each(|&child| out.send(child, segment));
    };
    let mut ahead: Option<Data> = None;
    for (index, segment) in segments.all().enumerate() {
        let buffer = (index % 2) as u8;
        out.set(buffer);
        out.irecv(parent, segment.bytes);
        if let Some(before) = ahead.replace(segment) {
            out.wait(1 - buffer, 0);
            pass_on(before, out);
        }
    }
    out.wait_all();
    ahead.into_iter().for_each(|last| pass_on(last, out));
}

fn swap(team: &Team, halves: &[Data; 2], out: &mut Schedule) {
    let last = team.size - 1;
    let is_even = team.size.is_multiple_of(2);
    match team.me {
        0 if is_even => out.send(team.rank(last), halves[1]),
        0 => {}
        me if me == last && is_even => out.recv(team.rank(0), halves[1].bytes),
        me => {
            let pair = team.rank(if me % 2 == 1 { me + 1 } else { me - 1 });
            out.exchange(pair, halves[side(me)], pair, halves[1 - side(me)].bytes);
        }
    }
}
